//! The check's result for a terminal: a matrix, then only what is wrong, then one line.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use interop_codec::Format;

use super::judge::{CellReport, Counts, Report};
use super::plan::Source;
use crate::exit::Result;
use crate::golden::Store;

/// Failures printed in full before the rest is only counted.
const MAX_SHOWN: usize = 50;

/// Prints the report.
///
/// # Errors
/// When the output can't be written.
pub fn print(out: &mut dyn Write, report: &Report, store: &Store) -> Result<()> {
    print_matrix(out, report)?;
    print_failures(out, report, store)?;
    print_summary(out, report)
}

fn print_matrix(out: &mut dyn Write, report: &Report) -> Result<()> {
    let counts = report.by_writer_and_format();
    let writers: BTreeSet<&str> = counts.keys().map(|(writer, _)| writer.as_str()).collect();
    let formats: Vec<Format> = Format::ALL
        .into_iter()
        .filter(|format| counts.keys().any(|(_, other)| other == format))
        .collect();
    let width = writers
        .iter()
        .map(|writer| writer.len())
        .max()
        .unwrap_or(0)
        .max(6);
    write!(out, "{:<width$}", "writer")?;
    for format in &formats {
        write!(out, "  {:>15}", format.name())?;
    }
    writeln!(out)?;
    let mut legend = Counts::default();
    // The vectors have no writer and come last.
    let rows = writers.iter().filter(|writer| **writer != "vectors");
    for writer in rows.chain(writers.get("vectors")) {
        let mut line = format!("{writer:<width$}");
        for format in &formats {
            let cell = counts.get(&((*writer).to_owned(), *format));
            let text = cell.map_or_else(String::new, |cell| {
                legend.known += cell.known;
                legend.failed += cell.failed;
                count_text(*cell)
            });
            line.push_str(&format!("  {text:>15}"));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    if legend.known > 0 {
        writeln!(out, "(n)  known to fail")?;
    }
    if legend.failed > 0 {
        writeln!(out, "n!   failed")?;
    }
    writeln!(out)?;
    for (corpus, files) in report.files() {
        if files.binary > 0 {
            write!(
                out,
                "{corpus}: {} binary files, {} reproduced byte for byte, {} read to their values",
                files.binary, files.reproduced, files.read
            )?;
        }
        if files.json > 0 {
            let lead = if files.binary > 0 {
                "; ".to_owned()
            } else {
                format!("{corpus}: ")
            };
            write!(
                out,
                "{lead}{} json files, {} read to their values",
                files.json, files.json_read
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn count_text(counts: Counts) -> String {
    let mut text = counts.passed.to_string();
    if counts.known > 0 {
        text.push_str(&format!(" ({})", counts.known));
    }
    if counts.failed > 0 {
        text.push_str(&format!(" {}!", counts.failed));
    }
    text
}

fn print_failures(out: &mut dyn Write, report: &Report, store: &Store) -> Result<()> {
    for fault in &report.faults {
        writeln!(out, "\n{}\n  {}", fault.file, fault.fault)?;
        writeln!(out, "  replay: interop-check golden verify")?;
    }
    for (pattern, fault) in &report.bad_entries {
        writeln!(out, "\nknown failure {pattern:?}\n  {fault}")?;
    }
    // Writers who share a dialect fail alike: one failure a file and reason is enough.
    let mut shown: BTreeMap<(String, String), Vec<&CellReport>> = BTreeMap::new();
    let mut order = Vec::new();
    for cell in report.failed() {
        let file = file_of(cell, store);
        let why = why(cell);
        let key = (file, why);
        if !shown.contains_key(&key) {
            order.push(key.clone());
        }
        shown.entry(key).or_default().push(cell);
    }
    for key in order.iter().take(MAX_SHOWN) {
        let cells = &shown[key];
        let cell = cells[0];
        writeln!(out, "\n{}", cell.cell.name)?;
        if !key.0.is_empty() {
            writeln!(out, "  file: {}", key.0)?;
        }
        writeln!(out, "  {}", key.1)?;
        let mut place = Vec::new();
        if let Some(path) = cell.outcome.path.as_deref().filter(|path| !path.is_empty()) {
            place.push(format!("field {path}"));
        }
        place.extend(cell.outcome.offset.map(|offset| format!("byte {offset}")));
        if !place.is_empty() {
            writeln!(out, "  at: {}", place.join(", "))?;
        }
        if !cell.outcome.causes.is_empty() {
            writeln!(out, "  causes: {}", cell.outcome.causes.join(", "))?;
        }
        if cells.len() > 1 {
            let names: Vec<_> = cells[1..]
                .iter()
                .map(|cell| cell.cell.name.as_str())
                .collect();
            writeln!(out, "  also: {}", names.join(", "))?;
        }
        writeln!(out, "  replay: {}", replay(cell))?;
    }
    if order.len() > MAX_SHOWN {
        writeln!(
            out,
            "\n... and {} more; all of them with --output json",
            order.len() - MAX_SHOWN
        )?;
    }
    Ok(())
}

fn why(cell: &CellReport) -> String {
    let mut text = cell.outcome.verdict.to_string();
    if cell.outcome.verdict != cell.outcome.passing
        && cell.outcome.passing == crate::verdict::Verdict::Refused
    {
        text.push_str(" instead of refused");
    }
    for more in [Some(&cell.outcome.message), cell.note.as_ref()]
        .into_iter()
        .flatten()
    {
        if !more.is_empty() {
            text.push_str(": ");
            text.push_str(more);
        }
    }
    text
}

/// The golden file of a cell; empty for a vector.
fn file_of(cell: &CellReport, store: &Store) -> String {
    match cell.cell.source {
        Source::File(index) => store.manifest.files[index].file.clone(),
        Source::Vector(_) => String::new(),
    }
}

/// The command that shows this cell again.
pub fn replay(cell: &CellReport) -> String {
    format!("interop-check check -k '{}'", cell.cell.name)
}

fn print_summary(out: &mut dyn Write, report: &Report) -> Result<()> {
    let counts = report.counts();
    let word = if report.is_compatible() {
        "compatible"
    } else {
        "DIFFERENT"
    };
    write!(
        out,
        "\n{word}: {} cells, {} passed, {} known to fail, {} failed",
        counts.cells, counts.passed, counts.known, counts.failed
    )?;
    if !report.faults.is_empty() {
        write!(out, ", {} files not as in MANIFEST", report.faults.len())?;
    }
    if !report.bad_entries.is_empty() {
        write!(out, ", {} bad known failures", report.bad_entries.len())?;
    }
    let not_run: Vec<_> = report
        .not_run
        .iter()
        .map(|left| format!("{} ({}: {})", left.cells, left.what, left.reason))
        .collect();
    if not_run.is_empty() {
        write!(out, "; nothing left out")?;
    } else {
        write!(out, "; not run: {}", not_run.join(", "))?;
    }
    writeln!(out, "; {} ms", report.elapsed_ms)?;
    Ok(())
}
