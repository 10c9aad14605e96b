//! Runs as text: for a terminal, as CSV, as Markdown.

use std::io::Write;

use interop_codec::Format;

use super::compare::{Comparison, Gated};
use super::native::{Agreement, NativeCell, agreements};
use super::record::{Record, Sizes, case_title};
use super::recorded::{Conclusion, Recorded};
use super::stats::{Estimate, Verdict};
use crate::exit::Result;

/// Nanoseconds with three digits and a unit.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// Operations a second with three digits.
pub fn rate(per_second: f64) -> String {
    let (value, unit) = match per_second {
        rate if rate < 1e3 => (rate, ""),
        rate if rate < 1e6 => (rate / 1e3, "k"),
        rate => (rate / 1e6, "M"),
    };
    format!("{}{unit}", digits(value))
}

/// A number with about three digits.
pub fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Half the interval's width in percent of the median.
fn spread(estimate: &Estimate) -> f64 {
    if estimate.median > 0.0 {
        (estimate.high - estimate.low) / 2.0 / estimate.median * 100.0
    } else {
        0.0
    }
}

/// The run for a terminal.
///
/// # Errors
/// When the output can't be written.
pub fn human(out: &mut dyn Write, record: &Record) -> Result<()> {
    for row in record.rows() {
        writeln!(out, "{}", row[0].row_title())?;
        for cell in row {
            let factor = if cell.factor == 1.0 {
                "fastest".to_owned()
            } else {
                format!("{}x", digits(cell.factor))
            };
            writeln!(
                out,
                "  {:<16} {:<34} {:>9} ±{:>4.1}%  {:>9}/s  {:>8}  {:>8} bytes",
                cell.format.name(),
                cell.implementation,
                time(cell.ns_per_op.median),
                spread(&cell.ns_per_op),
                rate(cell.ops_per_sec.median),
                factor,
                cell.bytes
            )?;
        }
        writeln!(out)?;
    }
    sizes(out, &record.sizes)?;
    native(out, &record.native)?;
    recorded(out, &record.recorded)?;
    if !record.left_out.is_empty() {
        writeln!(out, "not timed:")?;
        for left in &record.left_out {
            writeln!(out, "  {}: {}", left.what, left.reason)?;
        }
        writeln!(out)?;
    }
    let settings = &record.settings;
    let state = if record.complete {
        ""
    } else {
        "; stopped before its end"
    };
    writeln!(
        out,
        "{} cells, {} not timed, {} of {} rounds, {} s a cell; median of batches, ± half of the \
         95 % interval{state}",
        record.cells.len(),
        record.left_out.len(),
        settings.rounds_done,
        settings.rounds,
        settings.duration_s
    )?;
    Ok(())
}

/// Encoded sizes for a terminal.
///
/// # Errors
/// When the output can't be written.
pub fn sizes(out: &mut dyn Write, sizes: &[Sizes]) -> Result<()> {
    if sizes.is_empty() {
        return Ok(());
    }
    write!(out, "{:<26}", "encoded size in bytes")?;
    for format in Format::ALL {
        write!(out, " {:>15}", format.name())?;
    }
    writeln!(out)?;
    for size in sizes {
        write!(out, "{:<26}", case_title(&size.model, &size.set))?;
        for (_, bytes) in &size.bytes {
            let text = bytes.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string());
            write!(out, " {text:>15}")?;
        }
        writeln!(out)?;
    }
    writeln!(out)?;
    Ok(())
}

/// What the languages' own tools say, cell by cell and together.
fn native(out: &mut dyn Write, cells: &[NativeCell]) -> Result<()> {
    if cells.is_empty() {
        return Ok(());
    }
    writeln!(out, "by the languages' own tools")?;
    for cell in cells {
        writeln!(
            out,
            "  {:<60} {:<10} {:>9} ±{:>4.1}%  {:>6} of our loop's time",
            cell.cell,
            cell.tool,
            time(cell.ns_per_op.median),
            spread(&cell.ns_per_op),
            format!("{}x", digits(cell.ratio.median))
        )?;
    }
    for agreement in agreements(cells) {
        writeln!(out, "  {}", agreement_words(&agreement))?;
    }
    writeln!(out)?;
    Ok(())
}

/// A tool's ratios in a sentence.
pub fn agreement_words(agreement: &Agreement) -> String {
    format!(
        "{}: {} cells, on average {} times our loop's time, from {} to {}",
        agreement.tool,
        agreement.cells,
        digits(agreement.mean),
        digits(agreement.range.0),
        digits(agreement.range.1)
    )
}

/// The same as a table.
///
/// # Errors
/// When the output can't be written.
pub fn markdown_native(out: &mut dyn Write, cells: &[NativeCell]) -> Result<()> {
    writeln!(
        out,
        "## By each language's own tool\n\n\
         The same operations of the same processes' code, timed by the tool that the language's \
         users trust, one cell after another. A ratio far from 1 says that our loop or the tool's \
         way of calling adds to the operation.\n"
    )?;
    for agreement in agreements(cells) {
        writeln!(out, "- {}", agreement_words(&agreement))?;
    }
    writeln!(
        out,
        "\n| cell | tool | time | tool over our loop | 95 % interval |\n|---|---|--:|--:|--:|"
    )?;
    for cell in cells {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} to {} |",
            cell.cell,
            cell.tool,
            time(cell.ns_per_op.median),
            digits(cell.ratio.median),
            digits(cell.ratio.low),
            digits(cell.ratio.high)
        )?;
    }
    writeln!(out)?;
    Ok(())
}

/// One line a table, and one a conclusion that does not agree.
fn recorded(out: &mut dyn Write, tables: &[Recorded]) -> Result<()> {
    for table in tables {
        let count = |wanted: Conclusion| {
            let advantages = table.advantages.iter();
            advantages.filter(|one| one.conclusion == wanted).count()
        };
        writeln!(
            out,
            "recorded {} ({}, host: {}, commit: {}): {} figures, {} advantages of fory: {} agree, \
             {} of other size, {} of other sign, {} not compared",
            table.id,
            table.language,
            table.host,
            table.commit,
            table.figures.len(),
            table.advantages.len(),
            count(Conclusion::Agrees),
            count(Conclusion::OtherSize),
            count(Conclusion::OtherSign),
            count(Conclusion::NotCompared)
        )?;
    }
    if !tables.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// One line a cell.
///
/// # Errors
/// When the output can't be written.
pub fn csv(out: &mut dyn Write, record: &Record) -> Result<()> {
    writeln!(
        out,
        "name,language,implementation,version,format,model,set,operation,bytes,ns_per_op,\
         ns_low,ns_high,ops_per_sec,ops_low,ops_high,factor"
    )?;
    for cell in &record.cells {
        let fields = [
            cell.name.clone(),
            cell.language.clone(),
            cell.implementation.clone(),
            cell.version.clone(),
            cell.format.name().to_owned(),
            cell.model.clone(),
            cell.set.clone(),
            cell.operation.name().to_owned(),
            cell.bytes.to_string(),
            format!("{:.3}", cell.ns_per_op.median),
            format!("{:.3}", cell.ns_per_op.low),
            format!("{:.3}", cell.ns_per_op.high),
            format!("{:.1}", cell.ops_per_sec.median),
            format!("{:.1}", cell.ops_per_sec.low),
            format!("{:.1}", cell.ops_per_sec.high),
            format!("{:.3}", cell.factor),
        ];
        let quoted: Vec<String> = fields.iter().map(|field| csv_field(field)).collect();
        writeln!(out, "{}", quoted.join(","))?;
    }
    Ok(())
}

fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The rows as Markdown tables.
///
/// # Errors
/// When the output can't be written.
pub fn markdown_rows(out: &mut dyn Write, record: &Record) -> Result<()> {
    for row in record.rows() {
        writeln!(out, "### {}\n", row[0].row_title())?;
        writeln!(
            out,
            "| format | implementation | version | time/op | 95 % interval | ops/s | factor | bytes |"
        )?;
        writeln!(out, "|---|---|---|--:|---|--:|--:|--:|")?;
        for cell in row {
            let bold = if cell.factor == 1.0 { "**" } else { "" };
            writeln!(
                out,
                "| {} | {bold}{}{bold} | {} | {} | {} to {} | {} | {} | {} |",
                cell.format,
                cell.implementation,
                cell.version.replace('|', "/"),
                time(cell.ns_per_op.median),
                time(cell.ns_per_op.low),
                time(cell.ns_per_op.high),
                rate(cell.ops_per_sec.median),
                digits(cell.factor),
                cell.bytes
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The sizes as a Markdown table.
///
/// # Errors
/// When the output can't be written.
pub fn markdown_sizes(out: &mut dyn Write, sizes: &[Sizes]) -> Result<()> {
    write!(out, "| case |")?;
    for format in Format::ALL {
        write!(out, " {format} |")?;
    }
    writeln!(out, "\n|---|{}", "--:|".repeat(Format::ALL.len()))?;
    for size in sizes {
        write!(out, "| {} |", case_title(&size.model, &size.set))?;
        for (_, bytes) in &size.bytes {
            let text = bytes.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string());
            write!(out, " {text} |")?;
        }
        writeln!(out)?;
    }
    writeln!(out)?;
    Ok(())
}

/// Two runs for a terminal.
///
/// # Errors
/// When the output can't be written.
pub fn comparison(out: &mut dyn Write, comparison: &Comparison) -> Result<()> {
    if !comparison.times {
        writeln!(
            out,
            "the machines differ: compared are times relative to the fastest of each row"
        )?;
    }
    let mut decided = 0;
    for change in &comparison.changes {
        let verdict = match change.verdict {
            Verdict::Undecided => continue,
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
        };
        decided += 1;
        let show = |value: f64| {
            if comparison.times {
                time(value)
            } else {
                format!("{}x", digits(value))
            }
        };
        writeln!(
            out,
            "{verdict}  {:<72} {:>9} -> {:>9}  x{:.3} ({:.3} to {:.3})",
            change.cell,
            show(change.before.median),
            show(change.after.median),
            change.ratio.median,
            change.ratio.low,
            change.ratio.high
        )?;
    }
    writeln!(
        out,
        "{} cells compared, {decided} decided, {} undecided (intervals overlap, or within {} %), \
         {} in one run only",
        comparison.changes.len(),
        comparison.changes.len() - decided,
        digits(comparison.margin * 100.0),
        comparison.only_in_one.len()
    )?;
    Ok(())
}

/// What a gate says, for a terminal.
///
/// # Errors
/// When the output can't be written.
pub fn gated(out: &mut dyn Write, gated: &Gated) -> Result<()> {
    for alarm in &gated.alarms {
        writeln!(
            out,
            "gate: {} takes {:.3}x the time of {} ({:.3} to {:.3}); agreed: {:.3}x, margin {} %",
            alarm.agreed.cell,
            alarm.now.median,
            alarm.agreed.against,
            alarm.now.low,
            alarm.now.high,
            alarm.agreed.ratio,
            digits(alarm.agreed.margin * 100.0)
        )?;
    }
    writeln!(
        out,
        "gate: {} ratios compared, {} alarms, {} not measured",
        gated.compared,
        gated.alarms.len(),
        gated.missing
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::compare::compare;
    use crate::bench::record::Operation::Serialize;
    use crate::bench::record::tests::record;

    fn text(print: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> String {
        let mut out = Vec::new();
        print(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(time(1.234), "1.23 ns");
        assert_eq!(time(12_345.0), "12.3 µs");
        assert_eq!(time(2.5e9), "2.50 s");
        assert_eq!(rate(46_787_647.0), "46.8M");
        assert_eq!(rate(12.0), "12.0");
    }

    #[test]
    fn a_run_is_printed_in_every_form() {
        let record = record(&[
            ("go/a", Format::Fory, "Sample", Serialize, 100.0),
            ("go/b", Format::Json, "Sample", Serialize, 250.0),
        ]);
        let human = text(|out| human(out, &record));
        assert!(
            human.contains("fastest") && human.contains("2.50x"),
            "{human}"
        );
        assert!(human.contains("2 cells, 0 not timed"));
        let csv = text(|out| csv(out, &record));
        assert_eq!(csv.lines().count(), 3);
        let columns = |line: &str| line.split(',').count();
        assert!(csv.lines().all(|line| columns(line) == 16));
        let markdown = text(|out| markdown_rows(out, &record));
        assert!(markdown.contains("| fory | **go/a** |"), "{markdown}");
        let sizes = text(|out| markdown_sizes(out, &record.sizes));
        assert!(sizes.contains("| Sample | 380 | - |"), "{sizes}");
        assert_eq!(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

    #[test]
    fn only_decided_changes_are_listed() {
        let run = |ns| {
            record(&[
                ("go/a", Format::Fory, "Sample", Serialize, 100.0),
                ("go/b", Format::Fory, "Sample", Serialize, ns),
            ])
        };
        let changed = compare(&run(200.0), &run(300.0), 0.05).unwrap();
        let text = text(|out| comparison(out, &changed));
        assert!(text.starts_with("slower"), "{text}");
        assert!(
            text.contains("2 cells compared, 1 decided, 1 undecided"),
            "{text}"
        );
    }
}
