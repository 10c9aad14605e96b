//! Relay: what A wrote is parsed and serialized again by B, and read by C.
//!
//! B answers for its own cell: whatever it read in the bytes must stand in what it writes,
//! presence, -0.0 and, in protobuf, fields that its schema lacks. What it reads wrong is told in
//! its cells of the matrix. C answers for reading the distinct outputs of all relays as our codec
//! reads them.

use interop_codec::{Dialect, Document, Format, Path};

use super::case::{Case, Written};
use super::matrix::{OURS, Stage, cell_of, passing_of};
use super::readings::{InputId, Read};
use super::talks::{Failed, Ticket};
use super::unknown::{with_unknown, without_unknown};
use crate::check::plan::{Cell, Op};
use crate::check::run::{Outcome, decode, encode};
use crate::value_diff::first_difference;
use crate::verdict::Verdict;

/// The writer of the cells of those who read what relays wrote.
const RELAYS: &str = "relays";

/// What one relay has to pass on of a case.
struct Passing {
    case: usize,
    format: Format,
    /// An implementation, or our own codec.
    relay: Option<usize>,
    /// With fields that the schema lacks.
    unknown: bool,
    /// Distinct inputs, each with the request and the one who wrote it first.
    inputs: Vec<(InputId, Option<Ticket>, String)>,
    /// What was written again; filled when the requests are answered.
    outputs: Vec<Result<InputId, Failed>>,
}

/// All relays of a run.
#[derive(Default)]
pub(super) struct Relays {
    passings: Vec<Passing>,
}

impl Relays {
    /// Asks every relay for every distinct byte string of its cases.
    pub(super) fn ask(
        stage: &mut Stage<'_>,
        written: &[Written],
        inputs: &[Option<InputId>],
    ) -> Self {
        let (cases, roster) = (stage.cases, stage.roster);
        let mut relays = Self::default();
        if !stage.selection.takes_prefix("relay/") {
            return relays;
        }
        for (index, case) in cases.all.iter().enumerate() {
            if case.view.schema.is_some() {
                continue;
            }
            for format in Format::ALL {
                let plain = distinct(written, inputs, index, format);
                let unknown = unknown_input(stage, case, format);
                for (unknown, inputs) in [(false, plain), (true, unknown)] {
                    if inputs.is_empty() {
                        continue;
                    }
                    let offering = roster.implementations.iter().enumerate();
                    let offering = offering.filter(|(_, by)| {
                        by.format == format && by.capability.reencode && case.view.is_offered_by(by)
                    });
                    let offering = offering.map(|(relay, _)| Some(relay));
                    for relay in std::iter::once(None).chain(offering) {
                        let inputs = inputs.iter().map(|(input, writer)| {
                            let ticket = relay.map(|relay| {
                                let by = &roster.implementations[relay];
                                let bytes = stage.readings.bytes(*input);
                                let model = case.view.subject.name();
                                stage.talks.reencode(by, case.view.schema, model, bytes)
                            });
                            (*input, ticket, writer.clone())
                        });
                        relays.passings.push(Passing {
                            case: index,
                            format,
                            relay,
                            unknown,
                            inputs: inputs.collect(),
                            outputs: Vec::new(),
                        });
                    }
                }
            }
        }
        relays
    }

    /// Takes what was written again, and has everybody read what nobody read yet.
    pub(super) fn ask_readers(&mut self, stage: &mut Stage<'_>) {
        for passing in &mut self.passings {
            let view = &stage.cases.all[passing.case].view;
            for (input, ticket, _) in &passing.inputs {
                let bytes = match ticket {
                    Some(ticket) => stage.talks.take_bytes(*ticket),
                    None => own(view, passing.format, stage.readings.bytes(*input)),
                };
                let output = bytes.map(|bytes| {
                    let output = stage.readings.input(view, passing.format, &bytes);
                    stage
                        .readings
                        .ask_all(output, stage.roster, &mut stage.talks);
                    output
                });
                passing.outputs.push(output);
            }
        }
    }

    /// Adds the cells, once everything is read.
    pub(super) fn judge(&self, stage: &mut Stage<'_>) {
        let mut rest = &self.passings[..];
        while let Some(first) = rest.first() {
            let same = |other: &Passing| (other.case, other.format) == (first.case, first.format);
            let length = rest.iter().take_while(|other| same(other)).count();
            let (together, others) = rest.split_at(length);
            rest = others;
            let case = &stage.cases.all[first.case];
            for passing in together {
                let op = if passing.unknown {
                    Op::RelayUnknown
                } else {
                    Op::Relay
                };
                let writer = stage.reader_name(passing.relay);
                let cell = cell_of("relay", case, first.format, writer, op);
                stage.push(cell, |stage| judge_relay(stage, case, passing));
            }
            let mut outputs: Vec<(InputId, &str)> = Vec::new();
            for passing in together {
                for output in passing.outputs.iter().flatten() {
                    if !outputs.iter().any(|(other, _)| other == output) {
                        let name = passing
                            .relay
                            .map_or(OURS, |relay| &stage.roster.implementations[relay].name);
                        outputs.push((*output, name));
                    }
                }
            }
            let roster = stage.roster;
            for (reader, by) in roster.implementations.iter().enumerate() {
                if by.format != first.format
                    || !by.capability.decode
                    || !case.view.is_offered_by(by)
                {
                    continue;
                }
                let cell: Cell = cell_of(
                    "relay",
                    case,
                    first.format,
                    RELAYS,
                    Op::RelayRead(by.name.clone()),
                );
                stage.push(cell, |stage| {
                    judge_reader(stage, case, first.format, reader, &outputs)
                });
            }
        }
    }
}

/// The distinct byte strings that were written for a case, with who wrote each first.
fn distinct(
    written: &[Written],
    inputs: &[Option<InputId>],
    case: usize,
    format: Format,
) -> Vec<(InputId, String)> {
    let mut found: Vec<(InputId, String)> = Vec::new();
    for (item, input) in written.iter().zip(inputs) {
        if let Some(input) = *input
            && (item.case, item.format) == (case, format)
            && !found.iter().any(|(other, _)| *other == input)
        {
            found.push((input, item.writer.clone()));
        }
    }
    found
}

/// The case with fields that its schema lacks, where the format has such a thing.
fn unknown_input(stage: &mut Stage<'_>, case: &Case, format: Format) -> Vec<(InputId, String)> {
    if format != Format::Protobuf {
        return Vec::new();
    }
    let value = with_unknown(&case.view.subject.schema, &case.value);
    let dialect = Dialect::default_of(format);
    match encode(&case.view.subject, format, &value, &dialect) {
        Ok(Ok(bytes)) => {
            let input = stage.readings.input(&case.view, format, &bytes);
            vec![(input, OURS.to_owned())]
        }
        _ => Vec::new(),
    }
}

fn own(view: &super::case::View, format: Format, bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    let document = decode(&view.subject, format, bytes)
        .map_err(Failed::crashed)?
        .map_err(Failed::refused)?;
    let dialect = Dialect::default_of(format);
    encode(&view.subject, format, &document, &dialect)
        .map_err(Failed::crashed)?
        .map_err(Failed::refused)
}

/// Holds what a relay wrote against what it read; the first fault counts.
fn judge_relay(stage: &Stage<'_>, case: &Case, passing: &Passing) -> Outcome {
    let passes_with = passing_of(passing.format);
    let mut faults: Vec<(Outcome, &str)> = Vec::new();
    let mut judged = 0;
    for ((input, _, writer), output) in passing.inputs.iter().zip(&passing.outputs) {
        // What is to be kept of unknown fields is what stands in the bytes, also where the
        // reader can't show them.
        let held = if passing.unknown {
            stage.readings.ours(*input)
        } else {
            stage.readings.of(passing.relay, *input)
        };
        let Ok(held) = held else { continue };
        judged += 1;
        if let Some(fault) = relay_fault(stage, case, passing, held, output) {
            faults.push((fault, writer));
        }
    }
    if judged == 0 {
        let first = passing.inputs.first().map(|(input, ..)| *input);
        let read = first.map(|input| stage.readings.of(passing.relay, input));
        if let Some(Err(failed)) = read {
            return failed.outcome(passes_with);
        }
    }
    let count = faults.len();
    match faults.into_iter().next() {
        None => Outcome::plain(passes_with, passes_with),
        Some((mut outcome, writer)) => {
            outcome.message = format!(
                "{} ({count} of {judged} inputs, first that of {writer})",
                outcome.message
            );
            outcome
        }
    }
}

fn relay_fault(
    stage: &Stage<'_>,
    case: &Case,
    passing: &Passing,
    held: &Document,
    output: &Result<InputId, Failed>,
) -> Option<Outcome> {
    let passes_with = passing_of(passing.format);
    let output = match output {
        Err(failed) => return Some(failed.outcome(passes_with)),
        Ok(output) => *output,
    };
    match stage.readings.ours(output) {
        Err(failed) => Some(Outcome::saying(
            failed.verdict,
            passes_with,
            format!("what it wrote is refused: {}", failed.text),
        )),
        Ok(passed) => {
            let difference = first_difference(&case.view.subject.schema, held, passed)?;
            Some(Outcome {
                path: Some(difference.path.to_string()),
                causes: vec!["value".to_owned()],
                ..Outcome::saying(
                    Verdict::DifferentValue,
                    passes_with,
                    format!(
                        "{}: took {}, passed on {}",
                        place(&difference.path),
                        difference.expected,
                        difference.found
                    ),
                )
            })
        }
    }
}

fn place(path: &Path) -> String {
    if path.is_root() {
        "the message itself".to_owned()
    } else {
        format!("field {path}")
    }
}

/// A reader passes when it reads what our codec reads in what relays wrote.
fn judge_reader(
    stage: &Stage<'_>,
    case: &Case,
    format: Format,
    reader: usize,
    outputs: &[(InputId, &str)],
) -> Outcome {
    let passes_with = passing_of(format);
    let schema = &case.view.subject.schema;
    let known = |read: &Read| -> Result<Document, Failed> {
        match read {
            Ok(document) => Ok(without_unknown(schema, document)),
            Err(failed) => Err(failed.clone()),
        }
    };
    let mut judged = 0;
    let mut faults = Vec::new();
    for (output, relay) in outputs {
        let Ok(expected) = known(stage.readings.ours(*output)) else {
            continue;
        };
        judged += 1;
        let read = known(stage.readings.of(Some(reader), *output)).map(std::rc::Rc::new);
        let outcome = super::matrix::judge_value(&case.view.subject, format, &expected, &read);
        if outcome.verdict != passes_with {
            faults.push((outcome, relay));
        }
    }
    let count = faults.len();
    match faults.into_iter().next() {
        Some((mut outcome, relay)) => {
            outcome.message = format!(
                "{} ({count} of {judged} outputs, first that of {relay})",
                outcome.message
            );
            outcome
        }
        None => Outcome::plain(passes_with, passes_with),
    }
}
