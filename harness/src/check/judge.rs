//! What was found, held against what is expected and what is known to fail.

use std::collections::{BTreeMap, HashSet};

use interop_codec::Format;
use serde::{Deserialize, Serialize};

use super::agreement::Agreement;
use super::plan::{Cell, NotRun, Op, Plan, Source};
use super::run::{Outcome, Results};
use crate::exit;
use crate::golden::verify::Fault;
use crate::known::{Entry, KnownFailures};
use crate::verdict::Verdict;

/// How a cell did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it should.
    Passed,
    /// As it is known to fail.
    Known,
    /// Otherwise.
    Failed,
}

/// A cell and what it showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellReport {
    /// The cell.
    pub cell: Cell,
    /// What it showed.
    pub outcome: Outcome,
    /// How it did.
    pub state: State,
    /// Why a known failure is accepted, or what is wrong with its entry.
    pub note: Option<String>,
}

/// Cells by how they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All.
    pub cells: usize,
    /// As they should.
    pub passed: usize,
    /// As known.
    pub known: usize,
    /// Otherwise.
    pub failed: usize,
}

impl Counts {
    fn add(&mut self, state: State) {
        self.cells += 1;
        match state {
            State::Passed => self.passed += 1,
            State::Known => self.known += 1,
            State::Failed => self.failed += 1,
        }
    }
}

/// Golden files of a corpus, by what was seen of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Binary files.
    pub binary: usize,
    /// Binary files that all of their writers' dialects reproduce byte for byte.
    pub reproduced: usize,
    /// Binary files read to the value of their set.
    pub read: usize,
    /// JSON files.
    pub json: usize,
    /// JSON files read to the value of their set.
    pub json_read: usize,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Nothing unknown differs.
    Compatible,
    /// Something does.
    Different,
    /// A peer failed, so that cells may be missing.
    Incomplete,
}

impl Conclusion {
    /// The word used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compatible => "compatible",
            Self::Different => "different",
            Self::Incomplete => "incomplete",
        }
    }

    /// The code that the process leaves with.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Compatible => exit::COMPATIBLE,
            Self::Different => exit::DIFFERENT,
            Self::Incomplete => exit::HARNESS,
        }
    }
}

/// Everything that the printers need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Cells in the order of the plan.
    pub cells: Vec<CellReport>,
    /// Files that are not what MANIFEST says.
    pub faults: Vec<Fault>,
    /// Entries of known failures that are expired or match nothing.
    pub bad_entries: Vec<(String, String)>,
    /// Peers that could not be talked to as the protocol says, and why.
    pub harness_faults: Vec<(String, String)>,
    /// Deviations of live implementations from the support table.
    pub support_faults: Vec<(String, String)>,
    /// Entries of known failures that no cell of this run needed, and what is wrong with them.
    /// They are bad entries, unless another shard needs them.
    pub unneeded_entries: Vec<(String, String)>,
    /// Who wrote which bytes, for each case and format written live by several.
    pub agreements: Vec<Agreement>,
    /// Cells that were left out.
    pub not_run: Vec<NotRun>,
    /// Files reproduced in the map order that they have.
    pub in_file_order: Vec<String>,
    /// Time taken, in milliseconds.
    pub elapsed_ms: u64,
}

impl Report {
    /// True when nothing unknown was found.
    pub fn is_compatible(&self) -> bool {
        self.faults.is_empty()
            && self.bad_entries.is_empty()
            && self.support_faults.is_empty()
            && self.failed().next().is_none()
    }

    /// What was learnt, in one word.
    pub fn conclusion(&self) -> Conclusion {
        if !self.harness_faults.is_empty() {
            Conclusion::Incomplete
        } else if self.is_compatible() {
            Conclusion::Compatible
        } else {
            Conclusion::Different
        }
    }

    /// Cells that failed.
    pub fn failed(&self) -> impl Iterator<Item = &CellReport> {
        self.cells.iter().filter(|cell| cell.state == State::Failed)
    }

    /// Cells that failed as known.
    pub fn known(&self) -> impl Iterator<Item = &CellReport> {
        self.cells.iter().filter(|cell| cell.state == State::Known)
    }

    /// All cells by how they did.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for cell in &self.cells {
            counts.add(cell.state);
        }
        counts
    }

    /// Cells by verdict.
    pub fn by_verdict(&self) -> BTreeMap<Verdict, usize> {
        let mut counts = BTreeMap::new();
        for cell in &self.cells {
            *counts.entry(cell.outcome.verdict).or_default() += 1;
        }
        counts
    }

    /// Cells of golden files by writer and format; vectors stand under the writer "vectors".
    pub fn by_writer_and_format(&self) -> BTreeMap<(String, Format), Counts> {
        let mut counts: BTreeMap<(String, Format), Counts> = BTreeMap::new();
        for cell in &self.cells {
            let writer = match cell.cell.source {
                Source::File(_) | Source::Live => cell.cell.writer.clone(),
                Source::Vector(_) => "vectors".to_owned(),
            };
            let key = (writer, cell.cell.format);
            counts.entry(key).or_default().add(cell.state);
        }
        counts
    }

    /// Golden files by corpus.
    pub fn files(&self) -> BTreeMap<String, FileCounts> {
        struct Seen<'r> {
            corpus: &'r str,
            json: bool,
            read: bool,
            reproduced: bool,
        }
        let mut files: BTreeMap<usize, Seen<'_>> = BTreeMap::new();
        for report in &self.cells {
            let Source::File(index) = report.cell.source else {
                continue;
            };
            let seen = files.entry(index).or_insert(Seen {
                corpus: &report.cell.corpus,
                json: report.cell.format == Format::Json,
                read: true,
                reproduced: true,
            });
            let good = report.outcome.verdict == report.outcome.passing;
            match report.cell.op {
                Op::Read => seen.read &= good,
                Op::Write => seen.reproduced &= good,
                _ => {}
            }
        }
        let mut counts: BTreeMap<String, FileCounts> = BTreeMap::new();
        for seen in files.values() {
            let counts = counts.entry(seen.corpus.to_owned()).or_default();
            if seen.json {
                counts.json += 1;
                counts.json_read += usize::from(seen.read);
            } else {
                counts.binary += 1;
                counts.read += usize::from(seen.read);
                counts.reproduced += usize::from(seen.reproduced);
            }
        }
        counts
    }
}

/// Holds the results against the known failures as of `today`. `all_live` says that the plan
/// holds every live cell there is.
pub fn judge(
    plan: &Plan,
    selected: &[usize],
    results: Results,
    known: &KnownFailures,
    today: &str,
    all_live: bool,
) -> Report {
    let mut report = Report {
        faults: results.faults,
        in_file_order: results.in_file_order,
        not_run: plan.not_run.clone(),
        ..Report::default()
    };
    let left_out = plan.cells.len() - selected.len();
    if left_out > 0 {
        report.not_run.push(NotRun {
            what: "cells outside the filters".to_owned(),
            cells: left_out,
            reason: "not asked for".to_owned(),
        });
    }
    let mut used = HashSet::new();
    for (&index, outcome) in selected.iter().zip(results.outcomes) {
        let cell = plan.cells[index].clone();
        let entry = known
            .known
            .iter()
            .enumerate()
            .find(|(_, entry)| entry.matches(&cell.name));
        used.extend(entry.map(|(index, _)| index));
        let (state, note) = state_of(&outcome, entry.map(|(_, entry)| entry));
        report.cells.push(CellReport {
            cell,
            outcome,
            state,
            note,
        });
    }
    for (index, entry) in known.known.iter().enumerate() {
        if used.contains(&index) {
            if entry.is_expired(today) {
                let fault = format!("expired on {}: {}", entry.expires, entry.reason);
                report.bad_entries.push((entry.pattern.clone(), fault));
            }
        } else if is_of_live(&entry.pattern) && !all_live {
            // Its cells may belong to peers that did not run.
        } else if !plan.cells.iter().any(|cell| entry.matches(&cell.name)) {
            let fault = "matches no cell".to_owned();
            report.unneeded_entries.push((entry.pattern.clone(), fault));
        } else if selected.len() == plan.cells.len() {
            let fault = "matches only cells that an earlier entry matches".to_owned();
            report.unneeded_entries.push((entry.pattern.clone(), fault));
        }
    }
    report
}

/// First parts of the names of cells that only a live run has.
const LIVE_KINDS: [&str; 4] = ["live", "relay", "evolution", "parity"];

/// True when the pattern is for cells that only a live run has.
pub(crate) fn is_of_live(pattern: &str) -> bool {
    let kinds = pattern.split('/').next().unwrap_or_default();
    let kinds = kinds.trim_start_matches('{').trim_end_matches('}');
    kinds.split(',').all(|kind| LIVE_KINDS.contains(&kind))
}

fn state_of(outcome: &Outcome, entry: Option<&Entry>) -> (State, Option<String>) {
    let good = outcome.verdict == outcome.passing;
    match entry {
        None if good => (State::Passed, None),
        None => (State::Failed, None),
        Some(entry) if good => (
            State::Failed,
            Some(format!(
                "passes, but is a known failure ({}); remove the entry {:?}",
                entry.reason, entry.pattern
            )),
        ),
        Some(entry) => match entry.contradiction(outcome.verdict, &outcome.message) {
            None => (State::Known, Some(entry.reason.clone())),
            Some(contradiction) => (
                State::Failed,
                Some(format!("{contradiction} (entry {:?})", entry.pattern)),
            ),
        },
    }
}
