//! The check's result as JSON lines: a line a cell, a line for everything else that is wrong,
//! and a summary as the last line, without which the output is cut short.

use std::io::Write;

use serde_json::{Value, json};

use super::json::{cell_json, faults_json, to_json};
use super::judge::{Report, State};
use crate::exit::Result;
use crate::golden::Store;

/// Prints the report.
///
/// Each line is an object with `event`: "cell" (as in the failures of the JSON form, with
/// `state` "passed", "known" or "failed"), "fault" (with `kind`), and "summary" (the JSON form
/// without its lists of cells).
///
/// # Errors
/// When the output can't be written.
pub fn print(out: &mut dyn Write, report: &Report, store: &Store) -> Result<()> {
    for cell in &report.cells {
        let state = match cell.state {
            State::Passed => "passed",
            State::Known => "known",
            State::Failed => "failed",
        };
        let mut line = cell_json(cell, store);
        line["state"] = json!(state);
        print_event(out, "cell", line)?;
    }
    for fault in faults_json(report) {
        print_event(out, "fault", fault)?;
    }
    let mut summary = to_json(report, store);
    if let Value::Object(summary) = &mut summary {
        for list in ["failures", "known"] {
            summary.shift_remove(list);
        }
    }
    print_event(out, "summary", summary)
}

fn print_event(out: &mut dyn Write, event: &str, line: Value) -> Result<()> {
    let mut all = serde_json::Map::new();
    all.insert("event".to_owned(), json!(event));
    if let Value::Object(line) = line {
        all.extend(line);
    }
    writeln!(out, "{}", Value::Object(all))?;
    Ok(())
}
