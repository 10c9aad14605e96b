//! What all forms of output say, drawn from the report once: the matrix, what is wrong, the
//! closing sentence.

use std::collections::{BTreeMap, BTreeSet};

use interop_codec::Format;

use super::agreement::{OddOne, odd_ones, undecided};
use super::judge::{CellReport, Counts, Report};
use super::plan::Source;
use crate::golden::Store;
use crate::verdict::Verdict;

/// The row under which the vectors stand, which have no writer.
pub const VECTORS: &str = "vectors";

/// Counts by writer and format.
#[derive(Debug)]
pub struct Matrix {
    /// Formats with a cell, in the order in which they are shown.
    pub formats: Vec<Format>,
    /// Writers by name, the vectors last; a count for each of the formats.
    pub rows: Vec<(String, Vec<Option<Counts>>)>,
    /// The sum.
    pub total: Counts,
}

impl Matrix {
    /// The matrix of a report.
    pub fn of(report: &Report) -> Self {
        let counts = report.by_writer_and_format();
        let writers: BTreeSet<&str> = counts.keys().map(|(writer, _)| writer.as_str()).collect();
        let formats: Vec<Format> = Format::ALL
            .into_iter()
            .filter(|format| counts.keys().any(|(_, other)| other == format))
            .collect();
        let ordinary = writers.iter().filter(|writer| **writer != VECTORS);
        let rows = ordinary.chain(writers.get(VECTORS)).map(|writer| {
            let row = formats.iter();
            let row = row.map(|format| counts.get(&((*writer).to_owned(), *format)).copied());
            ((*writer).to_owned(), row.collect())
        });
        Self {
            rows: rows.collect(),
            total: report.counts(),
            formats,
        }
    }
}

/// `24`, `22 (2)` with known failures, `20 4!` with failures.
pub fn count_text(counts: Counts) -> String {
    let mut text = counts.passed.to_string();
    if counts.known > 0 {
        text.push_str(&format!(" ({})", counts.known));
    }
    if counts.failed > 0 {
        text.push_str(&format!(" {}!", counts.failed));
    }
    text
}

/// What a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A file that is not what MANIFEST says.
    File,
    /// A peer that could not be talked to.
    Peer,
    /// A deviation from the support table.
    Support,
    /// An entry of the known failures.
    Known,
    /// Cells.
    Cells,
}

/// Something wrong, told once however many cells show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is about.
    pub subject: Subject,
    /// The name of the first cell, file, peer or entry.
    pub title: String,
    /// What is wrong.
    pub why: String,
    /// The file in the golden directory that it is seen in, or that has to change.
    pub file: Option<String>,
    /// Field and byte offset, where known.
    pub place: Option<String>,
    /// The byte offset alone.
    pub offset: Option<usize>,
    /// Named causes of a byte difference.
    pub causes: Vec<String>,
    /// More cells that show the same.
    pub also: Vec<String>,
    /// The command that shows it again.
    pub replay: Option<String>,
}

impl Problem {
    fn new(subject: Subject, title: impl Into<String>, why: &str) -> Self {
        Self {
            subject,
            title: title.into(),
            why: why.to_owned(),
            file: None,
            place: None,
            offset: None,
            causes: Vec::new(),
            also: Vec::new(),
            replay: None,
        }
    }
}

/// Everything that is wrong: what concerns the whole run first, then cells in their order.
pub fn problems(report: &Report, store: &Store) -> Vec<Problem> {
    let files = report.faults.iter().map(|fault| Problem {
        file: Some(fault.file.clone()),
        replay: Some("interop-check golden verify".to_owned()),
        ..Problem::new(Subject::File, &fault.file, &fault.fault)
    });
    let peers = report.harness_faults.iter();
    let peers = peers.map(|(peer, why)| Problem::new(Subject::Peer, format!("peer {peer}"), why));
    let support = report.support_faults.iter().map(|(what, why)| Problem {
        file: Some("support.toml".to_owned()),
        ..Problem::new(Subject::Support, format!("support table: {what}"), why)
    });
    let known = report.bad_entries.iter().map(|(pattern, why)| Problem {
        file: Some("known-failures.toml".to_owned()),
        ..Problem::new(Subject::Known, format!("known failure {pattern:?}"), why)
    });
    let mut problems: Vec<Problem> = files.chain(peers).chain(support).chain(known).collect();
    // Writers who share a dialect fail alike: one problem a file and reason is enough.
    let mut seen: BTreeMap<(Option<&str>, String), usize> = BTreeMap::new();
    for cell in report.failed() {
        let key = (file_of(cell, store), why(cell));
        if let Some(&index) = seen.get(&key) {
            let first: &mut Problem = &mut problems[index];
            first.also.push(cell.cell.name.clone());
            continue;
        }
        problems.push(Problem {
            file: key.0.map(str::to_owned),
            place: place(cell),
            offset: cell.outcome.offset,
            causes: cell.outcome.causes.clone(),
            replay: Some(replay(cell)),
            ..Problem::new(Subject::Cells, &cell.cell.name, &key.1)
        });
        seen.insert(key, problems.len() - 1);
    }
    problems
}

/// `field x, byte 12`.
pub fn place(cell: &CellReport) -> Option<String> {
    let path = cell.outcome.path.as_deref().filter(|path| !path.is_empty());
    let field = path.map(|path| format!("field {path}"));
    let byte = cell.outcome.offset.map(|offset| format!("byte {offset}"));
    let place: Vec<String> = field.into_iter().chain(byte).collect();
    (!place.is_empty()).then(|| place.join(", "))
}

/// The verdict and what is said of it.
pub fn why(cell: &CellReport) -> String {
    let mut text = cell.outcome.verdict.to_string();
    if cell.outcome.verdict != cell.outcome.passing && cell.outcome.passing == Verdict::Refused {
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

/// The golden file of a cell, if its bytes come from one.
pub fn file_of<'s>(cell: &CellReport, store: &'s Store) -> Option<&'s str> {
    match cell.cell.source {
        Source::File(index) => store
            .manifest
            .files
            .get(index)
            .map(|file| file.file.as_str()),
        Source::Vector(_) | Source::Live => None,
    }
}

/// The command that shows this cell again.
pub fn replay(cell: &CellReport) -> String {
    let live = if cell.cell.source == Source::Live {
        " --live"
    } else {
        ""
    };
    format!("interop-check check{live} -k '{}'", cell.cell.name)
}

/// The closing sentence, without its time.
pub fn summary(report: &Report) -> String {
    let counts = report.counts();
    let mut text = format!(
        "{} cells, {} passed, {} known to fail, {} failed",
        counts.cells, counts.passed, counts.known, counts.failed
    );
    for (count, what) in [
        (report.faults.len(), "files not as in MANIFEST"),
        (report.bad_entries.len(), "bad known failures"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    let not_run: Vec<_> = report
        .not_run
        .iter()
        .map(|left| format!("{} ({}: {})", left.cells, left.what, left.reason))
        .collect();
    if not_run.is_empty() {
        text.push_str("; nothing left out");
    } else {
        text.push_str(&format!("; not run: {}", not_run.join(", ")));
    }
    text
}

/// Who writes otherwise than most, a line each: format, writer, what of it.
pub fn odd_lines(report: &Report) -> Vec<[String; 3]> {
    let odd = odd_ones(&report.agreements);
    let mut lines: Vec<_> = odd.iter().map(odd_line).collect();
    for (format, (cases, of)) in undecided(&report.agreements) {
        let text = format!("no majority in {cases} of {of} cases");
        lines.push([format.to_string(), "-".to_owned(), text]);
    }
    lines.sort_by_key(|[format, ..]| {
        let mut formats = Format::ALL.into_iter();
        formats.position(|other| other.name() == format)
    });
    lines
}

/// Causes named of an odd one out before the rest is only counted.
const MAX_CAUSES: usize = 3;

fn odd_line(one: &OddOne<'_>) -> [String; 3] {
    let mut text = format!("{} of {} cases", one.cases, one.of);
    if one.other_value > 0 {
        text.push_str(&format!(", another value in {}", one.other_value));
    }
    let causes: Vec<_> = one
        .causes
        .iter()
        .take(MAX_CAUSES)
        .map(|(name, _)| *name)
        .collect();
    if !causes.is_empty() {
        text.push_str(&format!(": {}", causes.join(", ")));
    }
    if one.causes.len() > MAX_CAUSES {
        text.push_str(&format!(" and {} more", one.causes.len() - MAX_CAUSES));
    }
    let (set, model) = one.first;
    text.push_str(&format!(", first in {set}/{model}"));
    [one.format.to_string(), one.writer.to_owned(), text]
}
