//! Who wrote the same: the bytes of all live writers of a case, held against each other.

use std::collections::BTreeMap;

use interop_codec::{Document, Format};
use interop_wire::Limits;

use super::case::{Case, Cases, Written};
use super::matrix::{OURS, preset_of};
use super::readings::{InputId, Readings};
use super::roster::Roster;
use crate::check::agreement::{Agreement, Group};
use crate::check::plan::Selection;
use crate::check::run::encode;
use crate::explain::{Cause, Trace, compare};

/// Groups the live writers of each case and format by what they wrote: by bytes, and in JSON
/// by the value that our codec reads, since text is free there. Formats that the selection
/// leaves out are left out here.
pub(super) fn agreements(
    roster: &Roster,
    cases: &Cases,
    written: &[Written],
    inputs: &[Option<InputId>],
    readings: &Readings,
    selection: &Selection,
) -> Vec<Agreement> {
    let mut together: BTreeMap<(usize, Format), Vec<usize>> = BTreeMap::new();
    for (index, item) in written.iter().enumerate() {
        let built_in = cases.all[item.case].view.schema.is_none();
        let counts = item.is_live() && built_in && item.bytes.is_ok();
        if counts && selection.takes_format(item.format) {
            let key = (item.case, item.format);
            together.entry(key).or_default().push(index);
        }
    }
    let read = |index: usize| {
        let input = inputs[index]?;
        readings.ours(input).as_deref().ok()
    };
    let settled: Vec<Vec<u8>> = written
        .iter()
        .enumerate()
        .map(|(index, item)| settled_bytes(roster, &cases.all[item.case], item, read(index)))
        .collect();
    let mut agreements = Vec::new();
    for ((case, format), items) in together {
        let alike = |a: usize, b: usize| match format.is_binary() {
            true => settled[a] == settled[b],
            false => read(a).is_some() && read(a) == read(b),
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for index in items {
            match groups.iter_mut().find(|group| alike(group[0], index)) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        let voters = |group: &[usize]| {
            let voters = group.iter().filter(|&&index| written[index].writer != OURS);
            voters.count()
        };
        // The sort is stable: of groups of one size the first to write stays first.
        groups.sort_by_key(|group| std::cmp::Reverse(voters(group)));
        let first = groups[0][0];
        let case = &cases.all[case];
        let groups = groups.iter().map(|group| {
            let (causes, same_value) = if group[0] == first {
                (Vec::new(), true)
            } else {
                causes_between(case, format, &settled[group[0]], &settled[first])
            };
            Group {
                writers: group
                    .iter()
                    .map(|&index| written[index].writer.clone())
                    .collect(),
                causes,
                same_value,
            }
        });
        agreements.push(Agreement {
            corpus: case.corpus.clone(),
            set: case.set.clone(),
            model: case.model.clone(),
            format,
            groups: groups.collect(),
        });
    }
    agreements
}

/// What was written, with map entries in the order of the case's value where that is all that
/// tells it from the writer's dialect: many libraries draw that order at random, and what is
/// said of a writer must not depend on the draw.
fn settled_bytes(
    roster: &Roster,
    case: &Case,
    written: &Written,
    read: Option<&Document>,
) -> Vec<u8> {
    let bytes = written.bytes.clone().unwrap_or_default();
    let Some(read) = read else {
        return bytes;
    };
    let dialect = preset_of(roster, written).map_or_else(
        || interop_codec::Dialect::default_of(written.format),
        |preset| preset.dialect,
    );
    let write = |value| match encode(&case.view.subject, written.format, value, &dialect) {
        Ok(Ok(bytes)) => Some(bytes),
        _ => None,
    };
    if *read == case.value && write(read).as_ref() == Some(&bytes) {
        write(&case.value).unwrap_or(bytes)
    } else {
        bytes
    }
}

/// Why one wrote other bytes than another, and whether the values are the same.
fn causes_between(case: &Case, format: Format, a: &[u8], b: &[u8]) -> (Vec<String>, bool) {
    let trace = |bytes: &[u8]| Trace::of(&case.view.subject, format, bytes, Limits::DEFAULT);
    let (trace_a, trace_b) = (trace(a), trace(b));
    let schema = &case.view.subject.schema;
    let comparison = compare(schema, format, (a, &trace_a), (b, &trace_b));
    let causes = comparison.causes().into_iter();
    // What merely follows from the others says nothing beside them.
    let telling = causes.filter(|(cause, _)| *cause != Cause::Consequence);
    let names = telling.map(|(cause, _)| cause.name().to_owned()).collect();
    (names, comparison.same_value)
}
