//! The parts of a sharded check put together: the report that one machine would have made.

use std::path::Path;

use super::judge::{CellReport, Report};
use super::plan::{Cell, Kind, NotRun, Op, Source};
use super::shard::{Part, Shard, manifest_hash};
use crate::exit::{Failure, Result};
use crate::golden::{Manifest, Store};

/// Largest file taken for a shard's result, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Reads the JSON of one shard.
///
/// # Errors
/// Exit 2 when it is not that.
pub fn load(path: &Path) -> Result<Part> {
    let fail = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("{}: {error}", path.display()))
            .hint("merge takes what check --shard K/N --output json printed")
    };
    let bytes = std::fs::metadata(path).map_err(|error| fail(&error))?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(fail(&format!(
            "{bytes} bytes, at most {MAX_FILE_BYTES} are taken"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| fail(&error))?;
    #[derive(serde::Deserialize)]
    struct Shown {
        shard: Option<Part>,
    }
    let shown: Shown = serde_json::from_str(&text).map_err(|error| fail(&error))?;
    let part = shown
        .shard
        .ok_or_else(|| fail(&"the result of a whole check, not of a shard"))?;
    let Shard { index, count } = part.shard;
    if format!("{index}/{count}").parse::<Shard>() != Ok(part.shard) {
        return Err(fail(&format!("there is no shard {index}/{count}")));
    }
    Ok(part)
}

/// Puts all parts of one check together.
///
/// # Errors
/// Exit 2 when parts are missing, come twice, belong to different checks or to other golden
/// files, or when nothing was checked at all.
pub fn merge(mut parts: Vec<Part>, store: &Store) -> Result<Report> {
    parts.sort_by_key(|part| part.shard);
    let Some(first) = parts.first() else {
        return Err(Failure::usage("no shards to merge"));
    };
    let count = first.shard.count;
    if let Some(other) = parts.iter().find(|part| part.shard.count != count) {
        return Err(Failure::usage(format!(
            "shard {} and shard {} are of different cuts",
            first.shard, other.shard
        )));
    }
    if let Some(other) = parts.iter().find(|part| part.run != first.run) {
        return Err(Failure::usage(format!(
            "shard {} and shard {} are of different checks: other filters, other files or another version",
            first.shard, other.shard
        )));
    }
    if first.manifest != manifest_hash(store)? {
        return Err(Failure::usage(format!(
            "the shards checked other golden files than those of {}",
            store.root.display()
        )));
    }
    for pair in parts.windows(2) {
        if pair[0].shard == pair[1].shard {
            return Err(Failure::usage(format!(
                "shard {} comes twice",
                pair[0].shard
            )));
        }
    }
    let missing: Vec<_> = (1..=count)
        .filter(|index| !parts.iter().any(|part| part.shard.index == *index))
        .map(|index| format!("{index}/{count}"))
        .collect();
    if !missing.is_empty() {
        let plural = if missing.len() == 1 {
            "shard"
        } else {
            "shards"
        };
        return Err(Failure::usage(format!(
            "{plural} {} missing",
            missing.join(", ")
        )));
    }
    let mut merged = Report::default();
    let mut unneeded: Option<Vec<(String, String)>> = None;
    for part in parts {
        let mut report = part.report;
        merged.cells.append(&mut report.cells);
        merged.agreements.append(&mut report.agreements);
        merged.in_file_order.append(&mut report.in_file_order);
        add_new(&mut merged.faults, report.faults);
        add_new(&mut merged.bad_entries, report.bad_entries);
        add_new(&mut merged.harness_faults, report.harness_faults);
        add_new(&mut merged.support_faults, report.support_faults);
        for left in report.not_run {
            add_not_run(&mut merged.not_run, left);
        }
        // Shards run side by side: the longest is what the check took.
        merged.elapsed_ms = merged.elapsed_ms.max(report.elapsed_ms);
        unneeded = Some(match unneeded {
            None => report.unneeded_entries,
            Some(before) => before
                .into_iter()
                .filter_map(|entry| in_both(entry, &report.unneeded_entries))
                .collect(),
        });
    }
    merged.bad_entries.extend(unneeded.unwrap_or_default());
    if let Some(cell) = merged.cells.iter().find(|cell| !is_listed(cell, store)) {
        return Err(Failure::usage(format!(
            "{}: no such golden file",
            cell.cell.name
        )));
    }
    if merged.cells.is_empty() {
        return Err(Failure::usage("the shards checked nothing"));
    }
    let manifest = &store.manifest;
    merged
        .cells
        .sort_by_cached_key(|report| place(&report.cell, manifest));
    merged.agreements.sort_by_cached_key(|one| {
        let case = case_rank(manifest, &one.corpus, &one.set, &one.model);
        (case, one.format)
    });
    let rank = |file: &String| manifest.files.iter().position(|other| other.file == *file);
    merged.in_file_order.sort_by_cached_key(rank);
    Ok(merged)
}

fn add_new<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

fn add_not_run(all: &mut Vec<NotRun>, left: NotRun) {
    let same = |other: &&mut NotRun| other.what == left.what && other.reason == left.reason;
    match all.iter_mut().find(same) {
        Some(other) => other.cells += left.cells,
        None => all.push(left),
    }
}

/// An entry that neither side needed. That an earlier entry shadows it says more than that it
/// matches nothing in one of the shards.
fn in_both(entry: (String, String), others: &[(String, String)]) -> Option<(String, String)> {
    let other = others.iter().find(|(pattern, _)| *pattern == entry.0)?;
    Some(if entry.1 == "matches no cell" {
        other.clone()
    } else {
        entry
    })
}

fn is_listed(cell: &CellReport, store: &Store) -> bool {
    match cell.cell.source {
        Source::File(index) => index < store.manifest.files.len(),
        Source::Vector(_) | Source::Live => true,
    }
}

/// Where a cell stands in a run: files in order, vectors, what was written live, what was read
/// of that, golden files read by live readers, then what was relayed, read with another version
/// and read of broken input. Cells of one place keep the order that they have.
pub(crate) fn place(cell: &Cell, manifest: &Manifest) -> (u8, usize, String) {
    let phase = match (cell.source, &cell.op) {
        (Source::File(index), _) => return (0, index, String::new()),
        (Source::Vector(index), _) => return (1, index, String::new()),
        (Source::Live, Op::LiveWrite) => 2,
        (Source::Live, Op::LiveRead(_)) => match cell.writer.strip_prefix("golden:") {
            Some(writers) => {
                let mut files = manifest.files.iter();
                let file = files.position(|file| {
                    file.corpus == cell.corpus
                        && file.format == cell.format
                        && file.set == cell.set
                        && file.model == cell.model
                        && file.writers.join("+") == writers
                });
                return (4, file.unwrap_or(usize::MAX), String::new());
            }
            None => 3,
        },
        (Source::Live, Op::ParityVector(_)) => return (8, 0, cell.set.clone()),
        (Source::Live, op) => match op.kind() {
            Kind::Relay => 5,
            Kind::Evolution => 6,
            _ => 7,
        },
    };
    let rank = case_rank(manifest, &cell.corpus, &cell.set, &cell.model);
    (phase, rank, String::new())
}

fn case_rank(manifest: &Manifest, corpus: &str, set: &str, model: &str) -> usize {
    let mut files = manifest.files.iter();
    files
        .position(|file| file.corpus == corpus && file.set == set && file.model == model)
        .unwrap_or(usize::MAX)
}
