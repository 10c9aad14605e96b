//! The report as one HTML page that needs nothing beside it.

use std::fmt::Write as _;

use super::svg::escape;
use super::{Plot, caveats, facts, winners};
use crate::bench::native::{NativeCell, agreements};
use crate::bench::print::{agreement_words, digits, rate, time};
use crate::bench::record::{Record, case_title};
use crate::exit::Result;

const STYLE: &str = "
body{font:15px/1.45 system-ui,sans-serif;color:#222;max-width:1100px;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:1em 0;font-size:13px}
th,td{padding:3px 9px;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}
tr.best td{font-weight:600}
figure{margin:1.5em 0;overflow-x:auto}
svg{max-width:100%;height:auto}
.caveat{border-left:4px solid #E69F00;padding:.3em 1em;background:#fdf6e3}
summary{cursor:pointer;font-weight:600;margin:.5em 0}
";

/// The page.
///
/// # Errors
/// When it can't be printed.
pub fn page(record: &Record, plots: &[Plot]) -> Result<String> {
    let mut out = String::new();
    // Writing into a string never fails.
    let _ = body(&mut out, record, plots);
    Ok(out)
}

fn body(out: &mut String, record: &Record, plots: &[Plot]) -> std::fmt::Result {
    let title = format!("Benchmark of {}", record.environment.started);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{0}</title><style>{STYLE}</style></head><body>\n<h1>{0}</h1>\n",
        escape(&title)
    )?;
    for caveat in caveats(record) {
        writeln!(out, "<p class=\"caveat\">{}</p>", escape(&caveat))?;
    }
    writeln!(
        out,
        "<p>Fastest, by number of rows (a row is a model and an operation):</p><ul>"
    )?;
    for (name, rows) in winners(record) {
        writeln!(out, "<li>{}: {rows}</li>", escape(&name))?;
    }
    writeln!(
        out,
        "</ul>\n<details open><summary>Where and how</summary><table>"
    )?;
    for (what, fact) in facts(record) {
        writeln!(
            out,
            "<tr><th>{}</th><td>{}</td></tr>",
            escape(what),
            escape(&fact)
        )?;
    }
    writeln!(out, "</table></details>\n<h2>Plots</h2>")?;
    for plot in plots {
        writeln!(out, "<figure>{}</figure>", plot.svg)?;
    }
    native(out, &record.native)?;
    recorded(out, record)?;
    writeln!(out, "<h2>All rows</h2>")?;
    for row in record.rows() {
        writeln!(
            out,
            "<details><summary>{}</summary><table><tr><th>format</th><th>implementation</th>\
             <th>version</th><th>time/op</th><th>95 % interval</th><th>ops/s</th><th>factor</th>\
             <th>bytes</th></tr>",
            escape(&row[0].row_title())
        )?;
        for cell in row {
            let class = if cell.factor == 1.0 {
                " class=\"best\""
            } else {
                ""
            };
            writeln!(
                out,
                "<tr{class}><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td>\
                 <td>{} to {}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
                 <td class=\"n\">{}</td></tr>",
                cell.format,
                escape(&cell.implementation),
                escape(&cell.version),
                time(cell.ns_per_op.median),
                time(cell.ns_per_op.low),
                time(cell.ns_per_op.high),
                rate(cell.ops_per_sec.median),
                digits(cell.factor),
                cell.bytes
            )?;
        }
        writeln!(out, "</table></details>")?;
    }
    if !record.left_out.is_empty() {
        writeln!(
            out,
            "<h2>Not timed</h2><table><tr><th>what</th><th>why</th></tr>"
        )?;
        for left in &record.left_out {
            let (what, why) = (escape(&left.what), escape(&left.reason));
            writeln!(out, "<tr><td>{what}</td><td>{why}</td></tr>")?;
        }
        writeln!(out, "</table>")?;
    }
    writeln!(out, "</body></html>")
}

fn native(out: &mut String, cells: &[NativeCell]) -> std::fmt::Result {
    if cells.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>By each language's own tool</h2><ul>")?;
    for agreement in agreements(cells) {
        writeln!(out, "<li>{}</li>", escape(&agreement_words(&agreement)))?;
    }
    writeln!(
        out,
        "</ul><details><summary>{} cells</summary><table><tr><th>cell</th><th>tool</th>\
         <th>time/op</th><th>tool over our loop</th><th>95 % interval</th></tr>",
        cells.len()
    )?;
    for cell in cells {
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{} to {}</td></tr>",
            escape(&cell.cell),
            escape(&cell.tool),
            time(cell.ns_per_op.median),
            digits(cell.ratio.median),
            digits(cell.ratio.low),
            digits(cell.ratio.high)
        )?;
    }
    writeln!(out, "</table></details>")
}

fn recorded(out: &mut String, record: &Record) -> std::fmt::Result {
    if record.recorded.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>Recorded tables</h2><p>Published figures, compared only through ratios within one \
         table: how many times as fast as the other format Fory is.</p>"
    )?;
    for table in &record.recorded {
        writeln!(
            out,
            "<details><summary>{} ({}): {} figures</summary><p>{}; host: {}; commit: {}. {}. {}</p>\
             <table><tr><th>case</th><th>operation</th><th>over</th><th>recorded</th><th>now</th>\
             <th>conclusion</th><th>why</th></tr>",
            escape(&table.id),
            escape(&table.language),
            table.figures.len(),
            escape(&table.harness),
            escape(&table.host),
            escape(&table.commit),
            escape(&table.source),
            escape(&table.note)
        )?;
        for one in &table.advantages {
            let now = one
                .now
                .first()
                .map_or_else(|| "-".to_owned(), |now| digits(now.advantage.median));
            writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{now}\
                 </td><td>{}</td><td>{}</td></tr>",
                escape(&case_title(&one.model, &one.set)),
                one.operation.name(),
                one.over,
                digits(one.recorded),
                one.conclusion.words(),
                escape(&one.reason)
            )?;
        }
        writeln!(out, "</table></details>")?;
    }
    Ok(())
}
