//! The counts kept in the repository, and the comparison with new ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use interop_bench_setup::host;
use serde_json::{Map, Value, json};

/// Growth allowed, in percent, where the same compiler, C library and valgrind counted.
const SAME_TOOLS_PERCENT: f64 = 2.0;

/// Growth allowed where another compiler, C library or valgrind counted: a new compiler moves
/// counts both ways without a change of ours.
const OTHER_TOOLS_PERCENT: f64 = 10.0;

/// Counts and what they depend on besides our code.
#[derive(Debug, PartialEq)]
pub struct Record {
    /// Compiler, target, profile, flags, C library, valgrind.
    pub tools: BTreeMap<String, String>,
    /// Instructions a call, by `format/model/set/operation`.
    pub cells: BTreeMap<String, u64>,
}

/// What a comparison found.
#[derive(Debug)]
pub struct Verdict {
    /// No cell grew beyond what is allowed, and the cells are the same.
    pub holds: bool,
    /// What to tell.
    pub text: String,
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../instructions.json")
}

impl Record {
    /// New counts.
    pub fn new(valgrind: String, cells: BTreeMap<String, u64>) -> Self {
        let tools = [
            ("rustc", host::RUSTC.to_owned()),
            ("target", host::TARGET.to_owned()),
            ("profile", host::PROFILE.to_owned()),
            ("rustflags", host::RUSTFLAGS.to_owned()),
            ("libc", libc()),
            ("valgrind", valgrind),
        ];
        let tools = tools.map(|(name, version)| (name.to_owned(), version));
        Self {
            tools: tools.into(),
            cells,
        }
    }

    /// Those kept in the repository.
    ///
    /// # Errors
    /// When the file is not there or not ours.
    pub fn load() -> Result<Self, String> {
        let path = path();
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).ok_or_else(|| format!("{}: not a record of counts", path.display()))
    }

    fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let tools = value.get("tools")?.as_object()?.iter();
        let cells = value.get("cells")?.as_object()?.iter();
        Some(Self {
            tools: tools
                .map(|(name, version)| Some((name.clone(), version.as_str()?.to_owned())))
                .collect::<Option<_>>()?,
            cells: cells
                .map(|(cell, count)| Some((cell.clone(), count.as_u64()?)))
                .collect::<Option<_>>()?,
        })
    }

    /// Keeps them in the repository.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save(&self) -> Result<(), String> {
        let path = path();
        std::fs::write(&path, self.text()).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn text(&self) -> String {
        let cells: Map<String, Value> = self
            .cells
            .iter()
            .map(|(cell, count)| (cell.clone(), json!(count)))
            .collect();
        let value = json!({
            "unit": "instructions a call, as callgrind counts them",
            "tools": self.tools,
            "cells": cells,
        });
        let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
        text.push('\n');
        text
    }

    /// `new` against this record.
    pub fn compare(&self, new: &Self) -> Verdict {
        let mut text = String::new();
        let mut holds = true;
        let allowed = if self.tools == new.tools {
            SAME_TOOLS_PERCENT
        } else {
            for (name, version) in &new.tools {
                let before = self.tools.get(name).map_or("nothing", String::as_str);
                if before != version {
                    let _ = writeln!(
                        text,
                        "recorded with {name} {before}, counted with {version}"
                    );
                }
            }
            OTHER_TOOLS_PERCENT
        };
        let mut shrunk = 0;
        for (cell, &count) in &new.cells {
            let Some(&before) = self.cells.get(cell) else {
                let _ = writeln!(text, "{cell}: not in the record");
                holds = false;
                continue;
            };
            let percent = (count as f64 / before as f64 - 1.0) * 100.0;
            if percent > allowed {
                let _ = writeln!(text, "{cell}: {before} -> {count}, {percent:+.1} %");
                holds = false;
            } else if percent < -SAME_TOOLS_PERCENT {
                shrunk += 1;
            }
        }
        for cell in self.cells.keys() {
            if !new.cells.contains_key(cell) {
                let _ = writeln!(text, "{cell}: in the record, but not counted");
                holds = false;
            }
        }
        let _ = writeln!(
            text,
            "{} cells, growth allowed {allowed} %: {}",
            new.cells.len(),
            if holds { "holds" } else { "does not hold" }
        );
        if shrunk > 0 {
            let _ = writeln!(text, "{shrunk} cells shrank; --update keeps that");
        }
        Verdict { holds, text }
    }
}

/// Name and version of the C library, whose allocator and copies are counted too.
fn libc() -> String {
    let output = std::process::Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output();
    match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(rustc: &str, cells: &[(&str, u64)]) -> Record {
        Record {
            tools: [("rustc".to_owned(), rustc.to_owned())].into(),
            cells: cells
                .iter()
                .map(|(cell, count)| ((*cell).to_owned(), *count))
                .collect(),
        }
    }

    #[test]
    fn growth_beyond_two_percent_fails() {
        let before = record("1", &[("a", 1000), ("b", 50)]);
        assert!(
            before
                .compare(&record("1", &[("a", 1020), ("b", 40)]))
                .holds
        );
        let verdict = before.compare(&record("1", &[("a", 1021), ("b", 50)]));
        assert!(!verdict.holds);
        assert!(verdict.text.contains("a: 1000 -> 1021, +2.1 %"));
    }

    #[test]
    fn other_tools_get_more_room_and_are_named() {
        let before = record("1", &[("a", 1000)]);
        let verdict = before.compare(&record("2", &[("a", 1090)]));
        assert!(verdict.holds);
        assert!(
            verdict
                .text
                .contains("recorded with rustc 1, counted with 2")
        );
        assert!(!before.compare(&record("2", &[("a", 1101)])).holds);
    }

    #[test]
    fn cells_must_be_the_same() {
        let before = record("1", &[("a", 10)]);
        assert!(!before.compare(&record("1", &[])).holds);
        assert!(!before.compare(&record("1", &[("a", 10), ("b", 1)])).holds);
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let before = record("1", &[("a", 10), ("b", 20)]);
        assert_eq!(Record::parse(&before.text()), Some(before));
        assert_eq!(Record::parse("{}"), None);
    }
}
