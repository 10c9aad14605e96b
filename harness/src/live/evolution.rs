//! Evolution: bytes of one version of a schema, read with another by every reader.

use interop_codec::{Document, Format};

use super::case::{Case, Version, Written};
use super::matrix::{Stage, cell_of, judge_value, judge_written};
use super::readings::{InputId, Read};
use crate::check::plan::{Cell, NotRun, Op};
use crate::check::run::Outcome;
use crate::verdict::Verdict;

/// Bytes to be read with another version.
pub(super) struct Crossing {
    /// Index of what was written.
    item: usize,
    /// Index into the case's versions.
    version: usize,
    /// The bytes under that version.
    input: InputId,
}

/// True where a field's type may change as the versions here change it. A slot of FlatBuffers
/// has the width of its type, and the rules for its schemas forbid to change it ("Evolution"
/// in its documentation).
fn can_widen(format: Format) -> bool {
    format != Format::Flatbuffers
}

/// Has everything that was written read with the other versions too.
pub(super) fn ask(stage: &mut Stage<'_>, written: &[Written]) -> Vec<Crossing> {
    let mut crossings = Vec::new();
    if !stage.selection.takes_prefix("evolution/") {
        return crossings;
    }
    let mut forbidden = 0;
    for (index, item) in written.iter().enumerate() {
        let case = &stage.cases.all[item.case];
        let Ok(bytes) = &item.bytes else { continue };
        for (version, other) in case.versions.iter().enumerate() {
            let input = stage.readings.input(&other.view, item.format, bytes);
            if can_widen(item.format) {
                stage
                    .readings
                    .ask_all(input, stage.roster, &mut stage.talks);
                crossings.push(Crossing {
                    item: index,
                    version,
                    input,
                });
            } else {
                forbidden += 1 + stage.readings.readers(input, stage.roster).len();
            }
        }
    }
    if forbidden > 0 {
        stage.live.not_run.push(NotRun {
            what: "evolution in flatbuffers".to_owned(),
            cells: forbidden,
            reason: "the format forbids to widen a field".to_owned(),
        });
    }
    crossings
}

/// Adds the cells: first what was written of versions that peers are brought, then the readings
/// of what was written live, then those of golden files.
pub(super) fn judge(
    stage: &mut Stage<'_>,
    written: &[Written],
    inputs: &[Option<InputId>],
    crossings: &[Crossing],
) {
    let (cases, roster) = (stage.cases, stage.roster);
    for item in written.iter().filter(|item| item.is_live()) {
        let case = &cases.all[item.case];
        if case.view.schema.is_some() && can_widen(item.format) {
            let cell = cell_of(
                "evolution",
                case,
                item.format,
                &item.writer,
                Op::VersionWrite,
            );
            stage.push(cell, |_| judge_written(roster, case, item));
        }
    }
    for crossing in crossings {
        let item = &written[crossing.item];
        let case = &cases.all[item.case];
        let version = &case.versions[crossing.version];
        // Bytes that are broken under their own version prove nothing under another.
        let own = inputs[crossing.item].filter(|own| stage.readings.ours(*own).is_ok());
        let Some(own) = own else { continue };
        let readers = stage.readings.readers(crossing.input, roster);
        for reader in std::iter::once(None).chain(readers.into_iter().map(Some)) {
            let op = Op::VersionRead {
                corpus: version.corpus.clone(),
                reader: stage.reader_name(reader).to_owned(),
            };
            let cell: Cell = cell_of("evolution", case, item.format, &item.writer, op);
            stage.push(cell, |stage| {
                let expected = Expected::of(
                    case,
                    version,
                    item.format,
                    stage.readings.ours(own),
                    stage.readings.ours(crossing.input),
                );
                let read = stage.readings.of(reader, crossing.input);
                expected.judge(version, item.format, read)
            });
        }
    }
}

/// What a reader of another version must make of some bytes.
#[derive(Debug)]
enum Expected<'c> {
    /// This value.
    Value(&'c Document),
    /// This value, which is not the one that was written: the format says so.
    Truncated(&'c Document, &'c str),
    /// A refusal, for this reason.
    Refusal(String),
}

impl<'c> Expected<'c> {
    /// `own` and `other` are what our codec reads in the bytes under their own version and under
    /// the other one.
    fn of(
        case: &'c Case,
        version: &'c Version,
        format: Format,
        own: &Read,
        other: &'c Read,
    ) -> Self {
        // A reader in consistent mode compares the hash of its schema with the bytes' one;
        // where no object of a changed type is in the bytes, it has none to compare.
        let decided = format == Format::ForyConsistent;
        // What the writer lost can't be read, whatever the version.
        let lost = !matches!(own, Ok(value) if **value == case.value);
        if decided || lost {
            return match other {
                Ok(value) => Self::Value(value),
                Err(failed) => Self::Refusal(failed.text.clone()),
            };
        }
        match (&version.value, other) {
            (Ok(value), _) => Self::Value(value),
            // "If a number is parsed from the wire which doesn't fit in the corresponding
            // type, you will get the same effect as if you had cast the number" (protobuf,
            // "Updating A Message Type").
            (Err(why), Ok(cast)) if format == Format::Protobuf => Self::Truncated(cast, why),
            (Err(why), _) => Self::Refusal(why.clone()),
        }
    }

    fn judge(&self, version: &Version, format: Format, read: &Read) -> Outcome {
        match (self, read) {
            (Self::Value(value), _) => judge_value(&version.view.subject, format, value, read),
            (Self::Truncated(value, why), read) => {
                let outcome = judge_value(&version.view.subject, format, value, read);
                if outcome.verdict == outcome.passing {
                    let text = format!("cut to its low bits, as the format says: {why}");
                    Outcome::saying(Verdict::DifferentValue, Verdict::DifferentValue, text)
                } else {
                    outcome
                }
            }
            (Self::Refusal(_), Err(failed)) => failed.outcome(Verdict::Refused),
            (Self::Refusal(why), Ok(_)) => Outcome::saying(
                Verdict::DifferentValue,
                Verdict::Refused,
                format!("read, though it must be refused: {why}"),
            ),
        }
    }
}
