//! Runs this program again under valgrind, and reads what callgrind counted.

use std::collections::BTreeMap;
use std::process::Command;

use crate::operations::{COUNTED, PART};

/// First line of `valgrind --version`.
///
/// # Errors
/// When there is no valgrind.
pub fn version() -> Result<String, String> {
    let output = Command::new("valgrind").arg("--version").output();
    let output = output.map_err(|error| format!("valgrind (apt-get install valgrind): {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Instructions a call of every cell that contains `filter`.
///
/// # Errors
/// When the run fails, or its report is not what we know.
pub fn count(filter: &str) -> Result<BTreeMap<String, u64>, String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let report = dir.path().join("report");
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--combine-dumps=yes"])
        .arg(format!("--callgrind-out-file={}", report.display()))
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={PART}"))
        .arg(program)
        .args(["--operations", filter])
        // The environment lies on the stack, and moves what comes behind it.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .map_err(|error| format!("valgrind (apt-get install valgrind): {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "under valgrind: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let cells = String::from_utf8_lossy(&output.stdout);
    let report = std::fs::read_to_string(&report).map_err(|error| error.to_string())?;
    join(&cells, &report)
}

/// Cells with their calls, a line each, beside the parts of callgrind's report, which come in
/// the same order.
fn join(cells: &str, report: &str) -> Result<BTreeMap<String, u64>, String> {
    let cells: Vec<&str> = cells.lines().collect();
    let totals = totals(report)?;
    if cells.len() != totals.len() {
        return Err(format!(
            "{} operations, but {} parts in callgrind's report",
            cells.len(),
            totals.len()
        ));
    }
    let mut counts = BTreeMap::new();
    for (line, total) in cells.into_iter().zip(totals) {
        let parsed = line
            .split_once(' ')
            .and_then(|(cell, times)| Some((cell, times.parse::<u64>().ok()?)));
        let (cell, times) = parsed.ok_or_else(|| format!("unknown line: {line}"))?;
        counts.insert(cell.to_owned(), total / times.max(1));
    }
    Ok(counts)
}

/// Instructions of each part that was written when an operation had been counted. The part
/// that ends the run is none of these.
fn totals(report: &str) -> Result<Vec<u64>, String> {
    let mut totals = Vec::new();
    let mut counted = false;
    for line in report.lines() {
        if let Some(trigger) = line.strip_prefix("desc: Trigger: ") {
            counted = trigger.starts_with("--dump-after");
        } else if let Some(total) = line.strip_prefix("totals: ")
            && std::mem::take(&mut counted)
        {
            let total = total.trim().parse();
            totals.push(total.map_err(|_| format!("unknown line: {line}"))?);
        }
    }
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "version: 1\npart: 1\ndesc: Trigger: --dump-after=counted\nfn=(1)\n0 7\ntotals: 70\n\
        part: 2\ndesc: Trigger: --dump-after=counted\ntotals: 9\npart: 3\ndesc: Trigger: Program termination\ntotals: 0\n";

    #[test]
    fn parts_belong_to_cells_in_order() {
        let counts = join("b/op 10\na/op 1\n", REPORT).unwrap();
        assert_eq!(counts["b/op"], 7);
        assert_eq!(counts["a/op"], 9);
    }

    #[test]
    fn a_missing_part_is_an_error() {
        assert!(join("a/op 1\nb/op 1\nc/op 1\n", REPORT).is_err());
        assert!(join("a/op 1\nb/op\n", REPORT).is_err());
        assert!(totals("desc: Trigger: --dump-after=counted\ntotals: many\n").is_err());
    }
}
