//! What the page holds, as small as it can be said.

use std::collections::{BTreeMap, HashMap};

use interop_codec::Format;
use serde_json::{Map, Value, json};

use super::annotated::{Annotated, example_files};
use crate::check::digest::{file_of, odd_lines, problems, replay};
use crate::check::judge::{CellReport, Report, State};
use crate::check::plan::{Op, Source};
use crate::exit::Result;
use crate::golden::Store;
use crate::verdict::Verdict;

/// Deviating cells told in words; the rest keep their letter. A run that breaks everything must
/// not make a page that no browser opens.
const MAX_TOLD: usize = 4000;
/// Longest message kept, in characters.
const MAX_MESSAGE_CHARS: usize = 600;

/// Cells of one writer and one reader (or operation) in one format.
#[derive(Default)]
struct Group {
    cases: Vec<usize>,
    /// One a cell, see [`letter`].
    letters: String,
    /// By position in the group.
    told: Map<String, Value>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'r> {
    format: Format,
    live: bool,
    writer: &'r str,
    op: String,
}

/// `{formats, verdicts, cases, groups, problems, odd, files, examples}`.
///
/// # Errors
/// Exit 2 when a golden file in question has no readable schema.
pub fn of(report: &Report, store: &Store) -> Result<Value> {
    let mut cases: Vec<Value> = Vec::new();
    let mut case_index: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let mut groups: BTreeMap<Key<'_>, Group> = BTreeMap::new();
    let mut annotated = Annotated::default();
    let examples = example_files(store);
    for file in &examples {
        annotated.add(store, file)?;
    }
    let mut told = 0;
    for cell in &report.cells {
        let of = &cell.cell;
        // A vector is a case of its own and has no other name than the cell's.
        let case = match of.op {
            Op::Answer => (of.corpus.as_str(), "", of.name.as_str()),
            _ => (of.corpus.as_str(), of.set.as_str(), of.model.as_str()),
        };
        let case = *case_index.entry(case).or_insert_with(|| {
            cases.push(json!([case.0, case.1, case.2]));
            cases.len() - 1
        });
        let group = groups.entry(Key {
            format: of.format,
            live: of.source == Source::Live,
            writer: match of.op {
                Op::Answer => "vectors",
                _ => &of.writer,
            },
            op: of.op.name(),
        });
        let group = group.or_default();
        group.cases.push(case);
        group.letters.push(letter(cell));
        if deviates(cell) && told < MAX_TOLD {
            told += 1;
            let file = file_in_question(cell, store);
            if let Some(file) = file {
                annotated.add(store, file)?;
            }
            let position = (group.cases.len() - 1).to_string();
            group.told.insert(position, words(cell, file));
        }
    }
    let groups: Vec<Value> = groups
        .into_iter()
        .map(|(key, group)| {
            json!({
                "format": key.format.name(),
                "live": key.live,
                "writer": key.writer,
                "op": key.op,
                "cases": group.cases,
                "letters": group.letters,
                "told": group.told,
            })
        })
        .collect();
    let problems: Vec<Value> = problems(report, store)
        .into_iter()
        .map(|one| {
            json!({
                "title": one.title, "why": shorten(&one.why), "file": one.file,
                "place": one.place, "offset": one.offset, "causes": one.causes, "also": one.also.len(),
                "replay": one.replay,
            })
        })
        .collect();
    let verdicts: Map<String, Value> = Verdict::ALL
        .into_iter()
        .map(|verdict| (verdict_letter(verdict).to_string(), json!(verdict.name())))
        .collect();
    Ok(json!({
        "formats": Format::ALL.map(Format::name),
        "verdicts": verdicts,
        "cases": cases,
        "groups": groups,
        "problems": problems,
        "odd": odd_lines(report),
        "examples": examples,
        "files": annotated.files,
    }))
}

const fn verdict_letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Identical => 'i',
        Verdict::EqualValue => 'e',
        Verdict::DifferentValue => 'd',
        Verdict::Refused => 'r',
        Verdict::Crashed => 'c',
        Verdict::Timeout => 't',
        Verdict::Unsupported => 'u',
    }
}

/// Small where the cell passed, circled where it is known to fail, else large.
fn letter(cell: &CellReport) -> char {
    let letter = verdict_letter(cell.outcome.verdict);
    match cell.state {
        State::Passed => letter,
        State::Failed => letter.to_ascii_uppercase(),
        State::Known => known_letter(letter),
    }
}

/// The circled form of a letter, U+24D0 and on.
fn known_letter(letter: char) -> char {
    char::from_u32(0x24D0 + (letter as u32 - 'a' as u32)).unwrap_or(letter)
}

/// True for a cell that somebody will want to read about: it failed, or passed with something
/// to say.
fn deviates(cell: &CellReport) -> bool {
    cell.state != State::Passed || !cell.outcome.message.is_empty()
}

fn words(cell: &CellReport, file: Option<&str>) -> Value {
    let outcome = &cell.outcome;
    json!({
        "name": cell.cell.name,
        "message": shorten(&outcome.message),
        "passing": outcome.passing.name(),
        "path": outcome.path,
        "offset": outcome.offset,
        "causes": outcome.causes,
        "note": cell.note,
        "file": file,
        "replay": replay(cell),
    })
}

/// The golden file whose bytes the cell is about; for a live one, a golden file of the same case
/// and format, of the same language where there is one.
fn file_in_question<'s>(cell: &CellReport, store: &'s Store) -> Option<&'s str> {
    if let Some(file) = file_of(cell, store) {
        return Some(file);
    }
    let of = &cell.cell;
    if of.source != Source::Live {
        return None;
    }
    let mut files = store.manifest.files.iter().filter(|file| {
        file.corpus == of.corpus
            && file.format == of.format
            && file.set == of.set
            && file.model == of.model
    });
    let wanted = |writers: &[String]| match of.writer.strip_prefix("golden:") {
        Some(golden) => writers.join("+") == golden,
        None => {
            let language = of.writer.split('/').next().unwrap_or_default();
            writers.iter().any(|writer| {
                let rest = writer.strip_prefix(language);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            })
        }
    };
    let first = files.clone().next();
    let file = files.find(|file| wanted(&file.writers)).or(first)?;
    Some(&file.file)
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
