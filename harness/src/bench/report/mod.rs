//! A run as a report: REPORT.md, a page that stands alone, and its plots as SVG and PNG.

mod html;
mod picture;
mod plots;
pub(crate) mod svg;

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use super::print;
use super::record::{Record, case_title};
use super::recorded::{Conclusion, Recorded};
use crate::exit::{Failure, Result};
use crate::values::write_atomically;

pub use plots::Plot;

/// Writes the report of a run into a directory; the names of the plots start with `prefix`.
///
/// # Errors
/// Exit 2 when the directory can't be written, exit 3 when a plot can't be drawn.
pub fn write(record: &Record, directory: &Path, prefix: &str, out: &mut dyn Write) -> Result<()> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::usage(format!("{}: {error}", directory.display())))?;
    let mut plots = plots::all(record);
    for plot in &mut plots {
        plot.name = format!("{prefix}{}", plot.name);
    }
    let painter = picture::Painter::new();
    for plot in &plots {
        let path = directory.join(format!("{}.svg", plot.name));
        write_atomically(&path, plot.svg.as_bytes())?;
        if let Some(painter) = &painter {
            let path = directory.join(format!("{}.png", plot.name));
            write_atomically(&path, &painter.png(&plot.svg)?)?;
        }
    }
    let text = markdown(record, &plots)?;
    write_atomically(&directory.join("REPORT.md"), text.as_bytes())?;
    let page = html::page(record, &plots)?;
    write_atomically(&directory.join("report.html"), page.as_bytes())?;
    let json = record.to_json()?;
    write_atomically(&directory.join("run.json"), json.as_bytes())?;
    writeln!(
        out,
        "report: {} with {} plots{}",
        directory.join("REPORT.md").display(),
        plots.len(),
        if painter.is_some() {
            ""
        } else {
            " (SVG only: no font was found to draw PNG with)"
        }
    )?;
    Ok(())
}

/// What a reader must know to judge or repeat the run.
fn facts(record: &Record) -> Vec<(&'static str, String)> {
    let environment = &record.environment;
    let settings = &record.settings;
    let load = |load: Option<f64>| load.map_or_else(|| "not known".to_owned(), |l| l.to_string());
    let mut facts = vec![
        ("started", environment.started.clone()),
        ("command", environment.command.join(" ")),
        ("commit", environment.commit.clone()),
        ("interop-check", environment.tool_version.clone()),
        (
            "system",
            format!("{}, {}", environment.os, environment.kernel),
        ),
        (
            "processor",
            format!(
                "{}, {} logical processors",
                environment.cpu, environment.cpus
            ),
        ),
        ("clock governor", environment.governor.clone()),
        (
            "memory",
            format!(
                "{:.1} GiB",
                environment.memory_bytes as f64 / f64::from(1u32 << 30)
            ),
        ),
        (
            "load average before and after",
            format!(
                "{}, {}",
                load(environment.load_before),
                load(environment.load_after)
            ),
        ),
        ("Rust compiler on the path", environment.compiler.clone()),
        (
            "allocator",
            format!(
                "{} in interop-check; each peer its runtime's default",
                environment.allocator
            ),
        ),
        (
            "measured",
            format!(
                "{} s a cell in {} of {} rounds, batches of {} ms, all contestants in every round, \
                 one process a peer (no forks), one thread at a time",
                settings.duration_s, settings.rounds_done, settings.rounds, settings.batch_ms
            ),
        ),
        (
            "warm-up",
            format!(
                "{} ms before the first round of a cell, {} ms before the others",
                settings.first_warmup_ms, settings.warmup_ms
            ),
        ),
        (
            "statistics",
            format!(
                "median of all batches; 95 % percentile bootstrap over whole rounds, {} \
                 resamples, seeded",
                super::stats::RESAMPLES
            ),
        ),
        (
            "population",
            format!(
                "{} cells timed, {} not",
                record.cells.len(),
                record.left_out.len()
            ),
        ),
    ];
    for peer in &environment.peers {
        let libraries: Vec<String> = peer
            .libraries
            .iter()
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        facts.push((
            "peer",
            format!("{}: {}; {}", peer.name, peer.runtime, libraries.join(", ")),
        ));
    }
    facts.push(("processor flags", environment.cpu_flags.join(" ")));
    facts
}

/// What the numbers say first: who is fastest where.
fn winners(record: &Record) -> Vec<(String, usize)> {
    let mut wins: Vec<(String, usize)> = Vec::new();
    for row in record.rows() {
        let name = format!("{} ({})", row[0].implementation, row[0].format);
        match wins.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => wins.push((name, 1)),
        }
    }
    wins.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    wins
}

/// The caveats that hold for a run.
fn caveats(record: &Record) -> Vec<String> {
    let mut caveats = Vec::new();
    if !record.complete {
        caveats
            .push("The run was stopped before its end: some cells have fewer rounds.".to_owned());
    }
    if record.settings.schema_mismatch {
        caveats.push(
            "Schema mismatch: bytes of version 1 are read with version 2, where one int32 is an \
             int64."
                .to_owned(),
        );
    }
    let load = record.environment.load_before.unwrap_or(0.0);
    if load > 1.0 {
        caveats.push(format!(
            "The machine was not quiet: load average {load} at the start. Compare ratios, and \
             mind the intervals."
        ));
    }
    caveats
}

/// The report as Markdown; with the names of plots it shows them.
///
/// # Errors
/// When it can't be printed.
pub fn markdown(record: &Record, plots: &[Plot]) -> Result<String> {
    let mut out = Vec::new();
    writeln!(out, "# Benchmark of {}\n", record.environment.started)?;
    for caveat in caveats(record) {
        writeln!(out, "> {caveat}\n")?;
    }
    writeln!(
        out,
        "Fastest, by number of rows (a row is a model and an operation):\n"
    )?;
    for (name, rows) in winners(record) {
        writeln!(out, "- {name}: {rows}")?;
    }
    writeln!(out, "\n## Where and how\n\n| | |\n|---|---|")?;
    for (what, fact) in facts(record) {
        writeln!(out, "| {what} | {} |", fact.replace('|', "\\|"))?;
    }
    writeln!(out)?;
    if !plots.is_empty() {
        writeln!(out, "## Plots\n")?;
        for plot in plots {
            writeln!(out, "![{}]({}.svg)\n", plot.title, plot.name)?;
        }
    }
    writeln!(out, "## Encoded sizes in bytes\n")?;
    print::markdown_sizes(&mut out, &record.sizes)?;
    if !record.native.is_empty() {
        print::markdown_native(&mut out, &record.native)?;
    }
    if !record.recorded.is_empty() {
        markdown_recorded(&mut out, &record.recorded)?;
    }
    writeln!(out, "## All rows\n")?;
    print::markdown_rows(&mut out, record)?;
    if !record.left_out.is_empty() {
        writeln!(out, "## Not timed\n\n| what | why |\n|---|---|")?;
        for left in &record.left_out {
            let reason = left.reason.replace('|', "\\|").replace('\n', " ");
            writeln!(out, "| {} | {reason} |", left.what)?;
        }
    }
    String::from_utf8(out).map_err(|error| Failure::harness(error.to_string()))
}

fn markdown_recorded(out: &mut dyn Write, tables: &[Recorded]) -> Result<()> {
    writeln!(
        out,
        "## Recorded tables\n\n\
         Published figures, compared only through ratios within one table: how many times as fast \
         as the other format Fory is. Figures of the reference run stand in where a library does \
         not run here.\n"
    )?;
    for table in tables {
        writeln!(out, "### {} ({})\n", table.id, table.language)?;
        writeln!(
            out,
            "{} figures; {}; host: {}; commit: {}. {}{}\n",
            table.figures.len(),
            table.harness,
            table.host,
            table.commit,
            table.source,
            if table.note.is_empty() {
                String::new()
            } else {
                format!(". {}", table.note)
            }
        )?;
        writeln!(
            out,
            "| case | operation | fory over | recorded | now | measured with | conclusion | why |\n\
             |---|---|---|--:|--:|---|---|---|"
        )?;
        for one in &table.advantages {
            let first = one.now.first();
            let now = first.map_or_else(
                || "-".to_owned(),
                |now| {
                    let interval = now.advantage;
                    let mut text = print::digits(interval.median);
                    if interval.low < interval.high {
                        let (low, high) =
                            (print::digits(interval.low), print::digits(interval.high));
                        // Writing into a string never fails.
                        let _ = write!(text, " ({low} to {high})");
                    }
                    text
                },
            );
            let with = first.map_or_else(
                || "-".to_owned(),
                |now| {
                    format!(
                        "{} / {} on {}, {}",
                        now.fory, now.other, now.model, now.source
                    )
                },
            );
            writeln!(
                out,
                "| {} | {} | {} | {} | {now} | {with} | {} | {} |",
                case_title(&one.model, &one.set),
                one.operation.name(),
                one.over,
                print::digits(one.recorded),
                one.conclusion.words(),
                if one.conclusion == Conclusion::Agrees {
                    ""
                } else {
                    &one.reason
                }
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record::Operation::Serialize;
    use crate::bench::record::tests::record;
    use interop_codec::Format;

    #[test]
    fn a_report_holds_text_page_and_plots() {
        let mut record = record(&[
            ("go/a", Format::Fory, "Sample", Serialize, 100.0),
            ("java/b", Format::Protobuf, "Sample", Serialize, 150.0),
        ]);
        record.complete = false;
        record.environment.command = vec!["interop-check".to_owned(), "bench".to_owned()];
        record.recorded =
            crate::bench::recorded::Tables::load(&crate::golden::Store::find(None).unwrap())
                .unwrap()
                .compare(&record.cells);
        let directory = tempfile::tempdir().unwrap();
        let mut said = Vec::new();
        write(&record, directory.path(), "p-", &mut said).unwrap();
        let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
        let report = read("REPORT.md");
        assert!(report.contains("| command | interop-check bench |"));
        assert!(report.contains("![Encoded sizes](p-sizes.svg)"));
        assert!(report.contains("stopped before its end"));
        assert!(report.contains("- go/a (fory): 1"));
        assert!(report.contains("### java-xlang (Java)") && report.contains("not recorded"));
        let page = read("report.html");
        assert!(page.contains("<svg") && page.contains("go/a"));
        assert!(!page.contains("<script src") && !page.contains("<img"));
        assert!(directory.path().join("p-heat-map.svg").is_file());
        assert_eq!(
            Record::load(&directory.path().join("run.json")).unwrap(),
            record
        );
        assert!(String::from_utf8(said).unwrap().starts_with("report: "));
    }
}
