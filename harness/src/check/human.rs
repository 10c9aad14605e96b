//! The check's result for a terminal: a matrix, then only what is wrong, then one line.

use std::io::Write;

use super::digest::{self, Matrix, Problem, Subject, count_text};
use super::judge::{Conclusion, Report};
use crate::exit::Result;
use crate::golden::Store;

/// Failures of cells printed in full before the rest is only counted.
const MAX_SHOWN: usize = 50;

/// Prints the report.
///
/// # Errors
/// When the output can't be written.
pub fn print(out: &mut dyn Write, report: &Report, store: &Store) -> Result<()> {
    print_matrix(out, &Matrix::of(report))?;
    print_files(out, report)?;
    print_odd_ones(out, report)?;
    print_problems(out, &digest::problems(report, store))?;
    let word = match report.conclusion() {
        Conclusion::Compatible => "compatible",
        Conclusion::Different => "DIFFERENT",
        Conclusion::Incomplete => "INCOMPLETE",
    };
    let summary = digest::summary(report);
    writeln!(out, "\n{word}: {summary}; {} ms", report.elapsed_ms)?;
    Ok(())
}

fn print_matrix(out: &mut dyn Write, matrix: &Matrix) -> Result<()> {
    let widths = matrix.rows.iter().map(|(writer, _)| writer.len());
    let width = widths.max().unwrap_or(0).max(6);
    write!(out, "{:<width$}", "writer")?;
    for format in &matrix.formats {
        write!(out, "  {:>15}", format.name())?;
    }
    writeln!(out)?;
    for (writer, row) in &matrix.rows {
        let mut line = format!("{writer:<width$}");
        for counts in row {
            let text = counts.map_or_else(String::new, count_text);
            line.push_str(&format!("  {text:>15}"));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    if matrix.total.known > 0 {
        writeln!(out, "(n)  known to fail")?;
    }
    if matrix.total.failed > 0 {
        writeln!(out, "n!   failed")?;
    }
    Ok(())
}

fn print_files(out: &mut dyn Write, report: &Report) -> Result<()> {
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

fn print_odd_ones(out: &mut dyn Write, report: &Report) -> Result<()> {
    let lines = digest::odd_lines(report);
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nwriters that differ from most, by format:")?;
    let widths = lines.iter().map(|[_, writer, _]| writer.len());
    let width = widths.max().unwrap_or(0);
    for [format, writer, what] in lines {
        writeln!(out, "  {format:<15}  {writer:<width$}  {what}")?;
    }
    Ok(())
}

fn print_problems(out: &mut dyn Write, problems: &[Problem]) -> Result<()> {
    let (cells, others): (Vec<_>, Vec<_>) = problems
        .iter()
        .partition(|problem| problem.subject == Subject::Cells);
    for problem in others
        .into_iter()
        .chain(cells.iter().copied().take(MAX_SHOWN))
    {
        writeln!(out, "\n{}", problem.title)?;
        if problem.subject == Subject::Cells
            && let Some(file) = &problem.file
        {
            writeln!(out, "  file: {file}")?;
        }
        writeln!(out, "  {}", problem.why)?;
        if let Some(place) = &problem.place {
            writeln!(out, "  at: {place}")?;
        }
        if !problem.causes.is_empty() {
            writeln!(out, "  causes: {}", problem.causes.join(", "))?;
        }
        if !problem.also.is_empty() {
            writeln!(out, "  also: {}", problem.also.join(", "))?;
        }
        if let Some(replay) = &problem.replay {
            writeln!(out, "  replay: {replay}")?;
        }
    }
    if cells.len() > MAX_SHOWN {
        writeln!(
            out,
            "\n... and {} more; all of them with --output json",
            cells.len() - MAX_SHOWN
        )?;
    }
    Ok(())
}
