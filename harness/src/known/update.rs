//! `known update`: the file as the check of today needs it.
//!
//! Entries that nothing needs any more go, those that excuse too much are narrowed to what still
//! fails, and what fails anew gets an entry with the verdict and message observed. Why it fails,
//! with which smallest input, where that is reported and who keeps the entry is asked for; none
//! of it is made up. Comments and layout of the rest stay.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::{Entry, KnownFailures, days_from_now, fault_in, today};
use crate::check::judge::{CellReport, Report};
use crate::check::plan::{Op, Plan};
use crate::cli::CheckArgs;
use crate::exit::{Failure, Result};
use crate::golden::{DataKind, Store};
use crate::verdict::Verdict;
use crate::{check, values};

/// How long an entry holds where nobody says otherwise: a year.
const DAYS: u64 = 365;

/// The longest message start that is taken from a message, in bytes.
const MESSAGE_BYTES: usize = 120;

/// Cells that fail alike and that no entry excuses.
#[derive(Debug)]
pub struct Group {
    /// Names of the cells, in the order of the check.
    pub cells: Vec<String>,
    /// What all of them showed.
    pub verdict: Verdict,
    /// What their messages start with.
    pub message: String,
}

/// What is to be said of a group by whoever knows.
#[derive(Clone, Debug)]
pub struct Answers {
    /// Why it fails.
    pub reason: String,
    /// Where that is reported or documented.
    pub link: String,
    /// The smallest input that shows it.
    pub input: String,
    /// Who keeps the entry.
    pub owner: String,
}

/// What has changed.
#[derive(Debug, Default)]
pub struct Changes {
    /// Patterns that are gone, with the reason.
    pub removed: Vec<(String, &'static str)>,
    /// Patterns that stand for fewer cells now.
    pub narrowed: Vec<String>,
    /// Patterns that are new.
    pub added: Vec<String>,
    /// Patterns that can't be judged by this run, or need a hand, with the reason.
    pub left: Vec<(String, String)>,
    /// The text of the file.
    pub text: String,
}

/// The file that the arguments name.
pub fn path(args: &CheckArgs, store: &Store) -> PathBuf {
    let given = args.known_failures.clone();
    given.unwrap_or_else(|| store.path("known-failures.toml"))
}

/// Runs the check and works out the file that it needs. `ask` is put every group of new failures.
///
/// # Errors
/// Exit 3 when a peer failed, exit 1 when golden files or the support table are not as they
/// should be: none of that can be excused. Whatever `ask` fails with.
pub fn update(
    args: &CheckArgs,
    store: &Store,
    expires: Option<&str>,
    ask: &mut dyn FnMut(&[Group]) -> Result<Vec<Answers>>,
) -> Result<Changes> {
    let path = path(args, store);
    let text = if path.is_file() {
        std::fs::read_to_string(&path)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?
    } else {
        String::new()
    };
    let known = KnownFailures::parse(&text)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let report = check::check(args, store)?;
    refuse_what_no_entry_excuses(&report)?;
    let scope = Scope::of(args, store, &report)?;
    let mut changes = Changes::default();
    let mut kept: Vec<Kept> = Vec::new();
    let mut unexcused: HashSet<usize> = HashSet::new();
    for entry in &known.known {
        kept.push(Kept::Whole);
        if entry.is_expired(&today()) {
            let why = format!("expired on {}: renew it or put it right", entry.expires);
            changes.left.push((entry.pattern.clone(), why));
        }
    }
    // Each cell belongs to the first entry that matches it, as in the check.
    let mut cells_of: Vec<Vec<usize>> = vec![Vec::new(); known.known.len()];
    for (index, cell) in report.cells.iter().enumerate() {
        let name = &cell.cell.name;
        match known.known.iter().position(|entry| entry.matches(name)) {
            Some(entry) => cells_of[entry].push(index),
            None if !passes(cell) => {
                unexcused.insert(index);
            }
            None => {}
        }
    }
    for (index, entry) in known.known.iter().enumerate() {
        let cells = cells_of[index]
            .iter()
            .map(|&cell| (cell, &report.cells[cell]));
        let (mut true_of, mut anew, mut passing) = (Vec::new(), Vec::new(), 0);
        for (position, cell) in cells {
            let outcome = &cell.outcome;
            if passes(cell) {
                passing += 1;
            } else if entry
                .contradiction(outcome.verdict, &outcome.message)
                .is_some()
            {
                anew.push(position);
            } else {
                true_of.push(cell.cell.name.clone());
            }
        }
        if passing == 0 && anew.is_empty() && !true_of.is_empty() {
            continue;
        }
        if !scope.holds_all_of(entry) {
            if passing > 0 || !anew.is_empty() {
                let why = "does not fit what this run showed, which was not all of its cells";
                changes.left.push((entry.pattern.clone(), why.to_owned()));
            }
            continue;
        }
        unexcused.extend(anew.iter().copied());
        if true_of.is_empty() {
            let why = match (passing, anew.len()) {
                (0, 0) => "needed by no cell",
                (_, 0) => "its cells pass",
                _ => "its cells show something else",
            };
            changes.removed.push((entry.pattern.clone(), why));
            kept[index] = Kept::Not;
        } else {
            changes.narrowed.push(entry.pattern.clone());
            kept[index] = Kept::Only(together(&true_of));
        }
    }
    let groups = groups(&report, &unexcused);
    let answers = if groups.is_empty() {
        Vec::new()
    } else {
        ask(&groups)?
    };
    let expires = expires.map_or_else(|| days_from_now(DAYS), str::to_owned);
    let new: Vec<Table> = groups
        .iter()
        .zip(answers)
        .map(|(group, answers)| table(group, &answers, &expires))
        .collect();
    changes.added = groups.iter().map(|group| together(&group.cells)).collect();
    changes.text = edit(&text, &kept, new)?;
    KnownFailures::parse(&changes.text)
        .map_err(|error| Failure::usage(format!("the new entries don't parse: {error}")))?;
    Ok(changes)
}

/// Writes the file anew.
///
/// # Errors
/// Exit 2 when it can't be written.
pub fn save(args: &CheckArgs, store: &Store, changes: &Changes) -> Result<()> {
    values::write_atomically(&path(args, store), changes.text.as_bytes())
}

fn passes(cell: &CellReport) -> bool {
    cell.outcome.verdict == cell.outcome.passing
}

fn refuse_what_no_entry_excuses(report: &Report) -> Result<()> {
    if let Some((peer, fault)) = report.harness_faults.first() {
        return Err(Failure::harness(format!(
            "the {peer} peer {fault}; nothing was written"
        )));
    }
    if let Some(fault) = report.faults.first() {
        return Err(Failure::refused(format!(
            "{}: {}; nothing was written",
            fault.file, fault.fault
        ))
        .hint("a changed golden file is no known failure: interop-check golden verify"));
    }
    if let Some((what, fault)) = report.support_faults.first() {
        return Err(Failure::refused(format!(
            "{what}: {fault}; nothing was written"
        )));
    }
    Ok(())
}

/// What becomes of an entry.
enum Kept {
    Whole,
    Only(String),
    Not,
}

/// Which cells a run held.
struct Scope {
    /// Everything live ran.
    all_live: bool,
    /// Cells of golden files and vectors that did not run.
    left_out: Vec<String>,
}

impl Scope {
    fn of(args: &CheckArgs, store: &Store, report: &Report) -> Result<Self> {
        let ran: HashSet<&str> = report
            .cells
            .iter()
            .map(|cell| cell.cell.name.as_str())
            .collect();
        let files = store.manifest.data.iter();
        let vectors: Vec<_> = files
            .filter(|file| file.kind == DataKind::Vectors)
            .map(|file| store.path(&file.file))
            .collect();
        let plan = Plan::full(&store.manifest, crate::vectors::load(&vectors)?);
        let left_out: Vec<_> = plan
            .cells
            .into_iter()
            .map(|cell| cell.name)
            .filter(|name| !ran.contains(name.as_str()))
            .collect();
        let skipped = report
            .not_run
            .iter()
            .any(|left| left.what.ends_with(" peer"));
        let everything = check::plan::Selection::new(&args.filters)?.is_everything();
        Ok(Self {
            all_live: args.live.live && everything && !skipped,
            left_out,
        })
    }

    /// True when no cell that the entry may be about was left out.
    fn holds_all_of(&self, entry: &Entry) -> bool {
        let live = entry.pattern.starts_with("live/") || entry.pattern.starts_with(['*', '?', '{']);
        (!live || self.all_live) && !self.left_out.iter().any(|cell| entry.matches(cell))
    }
}

/// Cells that fail alike: in one format, op and verdict, with one message.
fn groups(report: &Report, unexcused: &HashSet<usize>) -> Vec<Group> {
    let mut order: Vec<usize> = unexcused.iter().copied().collect();
    order.sort_unstable();
    let mut places: BTreeMap<(&str, String, Verdict, String), usize> = BTreeMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for index in order {
        let CellReport { cell, outcome, .. } = &report.cells[index];
        // Readings by several libraries are several findings.
        let op = match &cell.op {
            Op::LiveRead(reader) => reader.clone(),
            other => other.name(),
        };
        let message = start_of(&outcome.message);
        let key = (cell.format.name(), op, outcome.verdict, message.clone());
        let place = *places.entry(key).or_insert_with(|| {
            groups.push(Group {
                cells: Vec::new(),
                verdict: outcome.verdict,
                message,
            });
            groups.len() - 1
        });
        groups[place].cells.push(cell.name.clone());
    }
    groups
}

/// The first line of a message, and no more of it than tells it from others.
fn start_of(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut end = line.len().min(MESSAGE_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}

/// One pattern for these cells and no others.
fn together(cells: &[String]) -> String {
    match cells {
        [one] => one.clone(),
        several => {
            let first = &several[0];
            let common = |a: usize, cell: &String| {
                let same = first.bytes().zip(cell.bytes()).take_while(|(a, b)| a == b);
                a.min(same.count())
            };
            let mut prefix = several.iter().fold(first.len(), common);
            // Names are cut between their parts, for the reader's sake.
            while prefix > 0 && !b"/@".contains(&first.as_bytes()[prefix - 1]) {
                prefix -= 1;
            }
            let tails: Vec<_> = several.iter().map(|cell| &cell[prefix..]).collect();
            format!("{}{{{}}}", &first[..prefix], tails.join(","))
        }
    }
}

fn table(group: &Group, answers: &Answers, expires: &str) -> Table {
    let mut table = Table::new();
    table.insert("pattern", value(together(&group.cells)));
    table.insert("verdict", value(group.verdict.name()));
    table.insert("message", value(group.message.as_str()));
    table.insert("reason", value(answers.reason.trim()));
    table.insert("link", value(answers.link.trim()));
    table.insert("input", value(answers.input.trim()));
    table.insert("owner", value(answers.owner.trim()));
    table.insert("since", value(today()));
    table.insert("expires", value(expires));
    table.decor_mut().set_prefix("\n");
    table
}

/// The text with entries kept, narrowed, left out and added.
fn edit(text: &str, kept: &[Kept], new: Vec<Table>) -> Result<String> {
    let unusable = |error: &dyn std::fmt::Display| Failure::usage(error.to_string());
    let mut document: DocumentMut = text.parse().map_err(|error| unusable(&error))?;
    let old = match document.remove("known") {
        Some(Item::ArrayOfTables(tables)) => tables,
        None => ArrayOfTables::new(),
        Some(_) => return Err(unusable(&"`known` is not written as [[known]]")),
    };
    let mut tables = ArrayOfTables::new();
    // What stands above the first entry, up to the last empty line, is about the file.
    let mut head = String::new();
    for (index, (mut table, kept)) in old.into_iter().zip(kept).enumerate() {
        let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str());
        let prefix = prefix.unwrap_or_default().to_owned();
        if index == 0 {
            head = prefix
                .rfind("\n\n")
                .map_or(String::new(), |end| prefix[..=end].to_owned());
        }
        match kept {
            Kept::Not => continue,
            Kept::Only(pattern) => table["pattern"] = value(pattern),
            Kept::Whole => {}
        }
        if tables.is_empty() && index > 0 {
            table.decor_mut().set_prefix(format!("{head}{prefix}"));
        }
        table.set_position(None);
        tables.push(table);
    }
    for mut table in new {
        if tables.is_empty() {
            table.decor_mut().set_prefix(format!("{head}\n"));
        }
        tables.push(table);
    }
    if tables.is_empty() {
        // Nothing is left that the head could stand above.
        let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
        document.set_trailing(format!("{head}{trailing}"));
    } else {
        document.insert("known", Item::ArrayOfTables(tables));
    }
    Ok(document.to_string())
}

impl Answers {
    /// What is wrong with one of the answers.
    pub fn fault(&self) -> Option<String> {
        let all = [
            ("reason", &self.reason),
            ("link", &self.link),
            ("input", &self.input),
            ("owner", &self.owner),
        ];
        let faults = all
            .iter()
            .find_map(|(name, text)| Some((name, fault_in(text)?)));
        faults.map(|(name, fault)| format!("{name} {fault}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"# What this file is.
# More of it.

# About the first.
[[known]]
pattern = "a/*"   # all of a
verdict = "refused"

# About the second.
[[known]]
pattern = "b"
verdict = "refused"
"#;

    #[test]
    fn comments_and_layout_stay() {
        let same = edit(TEXT, &[Kept::Whole, Kept::Whole], Vec::new()).unwrap();
        assert_eq!(same, TEXT);
        let first = TEXT.split("\n# About the second").next().unwrap();
        let kept = [Kept::Whole, Kept::Not];
        assert_eq!(edit(TEXT, &kept, Vec::new()).unwrap(), first);
        let second = TEXT.split_once("[[known]]").unwrap().1;
        let second = second.split_once("\n\n").unwrap().1;
        let kept = [Kept::Not, Kept::Whole];
        assert_eq!(
            edit(TEXT, &kept, Vec::new()).unwrap(),
            format!("# What this file is.\n# More of it.\n\n{second}")
        );
        let head = "# What this file is.\n# More of it.\n";
        assert_eq!(
            edit(TEXT, &[Kept::Not, Kept::Not], Vec::new()).unwrap(),
            head
        );
        let narrowed = edit(
            TEXT,
            &[Kept::Only("a/1".to_owned()), Kept::Whole],
            Vec::new(),
        );
        assert_eq!(
            narrowed.unwrap().replace("a/1\"", "a/*\"   # all of a"),
            TEXT
        );
    }

    #[test]
    fn several_cells_are_one_pattern() {
        let cells = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(together(&cells(&["f/s/M@w/read"])), "f/s/M@w/read");
        let pattern = together(&cells(&["f/s1/M@w/read", "f/s2/M@w/read"]));
        assert_eq!(pattern, "f/{s1/M@w/read,s2/M@w/read}");
        assert_eq!(together(&cells(&["a/x", "b/x"])), "{a/x,b/x}");
    }

    #[test]
    fn a_message_is_cut_between_characters() {
        let message = format!("{}ü and more\nsecond line", "x".repeat(MESSAGE_BYTES - 1));
        assert_eq!(start_of(&message), "x".repeat(MESSAGE_BYTES - 1));
        assert_eq!(start_of("short\nsecond"), "short");
    }
}
