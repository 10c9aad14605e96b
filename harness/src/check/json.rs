//! The check's result as one JSON object.

use interop_codec::Format;
use serde_json::{Map, Value, json};

use super::agreement::{OddOne, odd_ones};
use super::digest::{file_of, replay};
use super::judge::{CellReport, Counts, Report};
use crate::golden::Store;

/// `{verdict, cells, by_verdict, by_format, by_writer, files, failures, known, not_run, ...}`.
///
/// `verdict` is "compatible", "different", or "incomplete" where a peer failed; `cells` their number; `failures` holds cells, files
/// (`kind` "file"), entries of known failures (`kind` "known"), peers and the support table;
/// `differ_from_most` the live writers whose bytes are not those of the majority.
pub fn to_json(report: &Report, store: &Store) -> Value {
    let by_verdict: Map<_, _> = report
        .by_verdict()
        .into_iter()
        .map(|(verdict, count)| (verdict.name().to_owned(), json!(count)))
        .collect();
    let mut by_format: Vec<(Format, Counts)> = Vec::new();
    let mut by_writer: Vec<(String, Counts)> = Vec::new();
    for ((writer, format), counts) in report.by_writer_and_format() {
        match by_format.iter_mut().find(|(other, _)| *other == format) {
            Some((_, sum)) => *sum = plus(*sum, counts),
            None => by_format.push((format, counts)),
        }
        match by_writer.iter_mut().find(|(other, _)| *other == writer) {
            Some((_, sum)) => *sum = plus(*sum, counts),
            None => by_writer.push((writer, counts)),
        }
    }
    by_format.sort_by_key(|(format, _)| *format);
    let by_format: Map<_, _> = by_format
        .into_iter()
        .map(|(format, counts)| (format.name().to_owned(), counts_json(counts)))
        .collect();
    let by_writer: Map<_, _> = by_writer
        .into_iter()
        .map(|(writer, counts)| (writer, counts_json(counts)))
        .collect();
    let files: Map<_, _> = report
        .files()
        .into_iter()
        .map(|(corpus, files)| {
            let counts = json!({
                "binary": files.binary,
                "reproduced": files.reproduced,
                "read": files.read,
                "json": files.json,
                "json_read": files.json_read,
            });
            (corpus, counts)
        })
        .collect();
    let mut failures = faults_json(report);
    failures.extend(report.failed().map(|cell| cell_json(cell, store)));
    let known: Vec<_> = report.known().map(|cell| cell_json(cell, store)).collect();
    let odd: Vec<_> = odd_ones(&report.agreements).iter().map(odd_json).collect();
    let not_run: Vec<_> = report
        .not_run
        .iter()
        .map(|left| json!({"what": left.what, "cells": left.cells, "reason": left.reason}))
        .collect();
    json!({
        "verdict": report.conclusion().name(),
        "cells": report.cells.len(),
        "by_verdict": by_verdict,
        "by_format": by_format,
        "by_writer": by_writer,
        "files": files,
        "failures": failures,
        "known": known,
        "not_run": not_run,
        "in_file_order": report.in_file_order,
        "differ_from_most": odd,
        "elapsed_ms": report.elapsed_ms,
    })
}

/// What is wrong beside cells: files, entries of known failures, peers, the support table.
pub(super) fn faults_json(report: &Report) -> Vec<Value> {
    let mut faults: Vec<Value> = Vec::new();
    faults.extend(
        report
            .faults
            .iter()
            .map(|fault| json!({"kind": "file", "file": fault.file, "message": fault.fault})),
    );
    faults.extend(
        report
            .bad_entries
            .iter()
            .map(|(pattern, fault)| json!({"kind": "known", "pattern": pattern, "message": fault})),
    );
    faults.extend(
        report
            .harness_faults
            .iter()
            .map(|(peer, fault)| json!({"kind": "peer", "peer": peer, "message": fault})),
    );
    faults.extend(
        report
            .support_faults
            .iter()
            .map(|(what, fault)| json!({"kind": "support", "what": what, "message": fault})),
    );
    faults
}

fn plus(a: Counts, b: Counts) -> Counts {
    Counts {
        cells: a.cells + b.cells,
        passed: a.passed + b.passed,
        known: a.known + b.known,
        failed: a.failed + b.failed,
    }
}

fn counts_json(counts: Counts) -> Value {
    json!({
        "cells": counts.cells,
        "passed": counts.passed,
        "known": counts.known,
        "failed": counts.failed,
    })
}

fn odd_json(one: &OddOne<'_>) -> Value {
    let causes: Map<_, _> = one
        .causes
        .iter()
        .map(|(cause, cases)| ((*cause).to_owned(), json!(cases)))
        .collect();
    json!({
        "format": one.format.name(),
        "writer": one.writer,
        "cases": one.cases,
        "of": one.of,
        "other_value": one.other_value,
        "causes": causes,
        "first": format!("{}/{}", one.first.0, one.first.1),
    })
}

/// A cell with its outcome.
pub(super) fn cell_json(report: &CellReport, store: &Store) -> Value {
    let cell = &report.cell;
    let outcome = &report.outcome;
    json!({
        "kind": "cell",
        "cell": cell.name,
        "file": file_of(report, store),
        "corpus": cell.corpus,
        "format": cell.format.name(),
        "set": cell.set,
        "model": cell.model,
        "writer": cell.writer,
        "op": cell.op.name(),
        "verdict": outcome.verdict.name(),
        "expected_verdict": outcome.passing.name(),
        "message": outcome.message,
        "path": outcome.path,
        "offset": outcome.offset,
        "causes": outcome.causes,
        "note": report.note,
        "replay": replay(report),
    })
}
