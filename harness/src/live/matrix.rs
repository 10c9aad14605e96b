//! The matrix: each case in each format, written by every implementation and read by every
//! other, each distinct byte string read once.

use interop_codec::{Document, Format, Preset, preset};
use interop_wire::Limits;

use super::Live;
use super::case::{Case, Cases, Written};
use super::readings::{InputId, Read, Readings};
use super::roster::Roster;
use super::talks::{Failed, Talks};
use crate::check::plan::{Cell, Op, Selection, Source};
use crate::check::run::{Outcome, decode, encode, explain_bytes, judge_read};
use crate::exit::Result;
use crate::golden::Store;
use crate::peer::tree::to_tree;
use crate::subject::Subject;
use crate::value_diff::first_difference;
use crate::verdict::Verdict;

/// Our own dynamic codec, as writer and reader beside the live ones.
pub(super) const OURS: &str = "interop";

/// Everything that the phases of a live run share.
pub(super) struct Stage<'r> {
    pub(super) roster: &'r Roster,
    pub(super) selection: &'r Selection,
    pub(super) cases: &'r Cases,
    pub(super) talks: Talks<'r>,
    pub(super) readings: Readings,
    pub(super) live: &'r mut Live,
}

impl Stage<'_> {
    /// Adds a cell, if it is asked for.
    pub(super) fn push(&mut self, cell: Cell, judge: impl FnOnce(&Self) -> Outcome) {
        if self.selection.takes(&cell) {
            let outcome = judge(self);
            self.live.outcomes.push(outcome);
            self.live.cells.push(cell);
        }
    }

    /// Puts what waits, and gathers what was read.
    pub(super) fn run_talks(&mut self) -> Result<()> {
        self.talks.run(self.live)?;
        self.readings.gather(&mut self.talks);
        Ok(())
    }

    /// The name of a reader: an implementation, or our own codec.
    pub(super) fn reader_name(&self, reader: Option<usize>) -> &str {
        reader.map_or(OURS, |reader| &self.roster.implementations[reader].name)
    }
}

/// A cell of a case. Its name starts with `area`.
pub(super) fn cell_of(area: &str, case: &Case, format: Format, writer: &str, op: Op) -> Cell {
    Cell {
        name: format!(
            "{area}/{format}/{}/{}@{writer}/{}",
            case.set,
            case.model,
            op.name()
        ),
        source: Source::Live,
        corpus: case.corpus.clone(),
        format,
        set: case.set.clone(),
        model: case.model.clone(),
        writer: writer.to_owned(),
        op,
    }
}

/// Has every case written by everyone, behind that the golden files of the cases.
pub(super) fn write_all(stage: &mut Stage<'_>, store: &Store) -> Result<Vec<Written>> {
    let mut written = Vec::new();
    let mut waiting = Vec::new();
    for (index, case) in stage.cases.all.iter().enumerate() {
        let message = case.value.message();
        let tree = message.map(|message| to_tree(&case.view.subject.schema, message));
        let Some(Ok(tree)) = tree else { continue };
        for format in Format::ALL {
            let dialect = interop_codec::Dialect::default_of(format);
            written.push(Written {
                case: index,
                format,
                writer: OURS.to_owned(),
                bytes: match encode(&case.view.subject, format, &case.value, &dialect) {
                    Ok(Ok(bytes)) => Ok(bytes),
                    Ok(Err(error)) => Err(Failed::refused(error)),
                    Err(panic) => Err(Failed::crashed(panic)),
                },
            });
            for by in &stage.roster.implementations {
                if by.format == format && by.capability.encode && case.view.is_offered_by(by) {
                    let model = case.view.subject.name();
                    let ticket = stage.talks.encode(by, case.view.schema, model, &tree);
                    waiting.push((written.len(), ticket));
                    written.push(Written {
                        case: index,
                        format,
                        writer: by.name.clone(),
                        bytes: Ok(Vec::new()),
                    });
                }
            }
        }
    }
    stage.run_talks()?;
    for (target, ticket) in waiting {
        written[target].bytes = stage.talks.take_bytes(ticket);
    }
    for file in &store.manifest.files {
        let case = stage.cases.all.iter().position(|case| {
            case.corpus == file.corpus && case.set == file.set && case.model == file.model
        });
        if let Some(case) = case {
            written.push(Written {
                case,
                format: file.format,
                writer: format!("golden:{}", file.writers.join("+")),
                bytes: Ok(store.read(&file.file)?),
            });
        }
    }
    Ok(written)
}

/// The bytes of each item as an input under its own version, if there are any.
pub(super) fn inputs(stage: &mut Stage<'_>, written: &[Written]) -> Vec<Option<InputId>> {
    let input = |item: &Written| {
        let view = &stage.cases.all[item.case].view;
        let bytes = item.bytes.as_deref().ok()?;
        Some(stage.readings.input(view, item.format, bytes))
    };
    written.iter().map(input).collect()
}

/// Has everything read that was written of the versions that peers are built with.
pub(super) fn ask_readers(stage: &mut Stage<'_>, written: &[Written], inputs: &[Option<InputId>]) {
    for (item, input) in written.iter().zip(inputs) {
        if let Some(input) = *input
            && stage.cases.all[item.case].view.schema.is_none()
        {
            stage
                .readings
                .ask_all(input, stage.roster, &mut stage.talks);
        }
    }
}

/// Adds the cells of the matrix, once everything is read.
pub(super) fn judge(stage: &mut Stage<'_>, written: &[Written], inputs: &[Option<InputId>]) {
    let (cases, roster) = (stage.cases, stage.roster);
    let built_in = |item: &&Written| cases.all[item.case].view.schema.is_none();
    for item in written
        .iter()
        .filter(built_in)
        .filter(|item| item.is_live())
    {
        let case = &cases.all[item.case];
        let cell = cell_of("live", case, item.format, &item.writer, Op::LiveWrite);
        stage.push(cell, |_| judge_written(roster, case, item));
    }
    for (item, input) in written.iter().zip(inputs) {
        let case = &cases.all[item.case];
        let Some(input) = *input else { continue };
        if case.view.schema.is_some() {
            continue;
        }
        let readers = stage.readings.readers(input, roster);
        for reader in std::iter::once(None).chain(readers.into_iter().map(Some)) {
            let op = Op::LiveRead(stage.reader_name(reader).to_owned());
            let cell = cell_of("live", case, item.format, &item.writer, op);
            stage.push(cell, |stage| {
                judge_reading(case, item.format, stage.readings.of(reader, input))
            });
        }
    }
}

/// A reader passes when it reads the value of the case.
fn judge_reading(case: &Case, format: Format, read: &Read) -> Outcome {
    judge_value(&case.view.subject, format, &case.value, read)
}

/// The verdict with which a reader passes.
pub(super) fn passing_of(format: Format) -> Verdict {
    if format.is_binary() {
        Verdict::Identical
    } else {
        Verdict::EqualValue
    }
}

/// A reader passes when it reads this value.
pub(super) fn judge_value(
    subject: &Subject,
    format: Format,
    expected: &Document,
    read: &Read,
) -> Outcome {
    let passing = passing_of(format);
    match read {
        Err(failed) => failed.outcome(passing),
        Ok(read) => match first_difference(&subject.schema, expected, read) {
            None => Outcome::plain(passing, passing),
            Some(difference) => Outcome {
                path: Some(difference.path.to_string()),
                causes: vec!["value".to_owned()],
                ..Outcome::saying(
                    Verdict::DifferentValue,
                    passing,
                    format!(
                        "field {}: expected {}, read {}",
                        difference.path, difference.expected, difference.found
                    ),
                )
            },
        },
    }
}

/// The dialect in which the golden tree knows the writer.
pub(super) fn preset_of(
    roster: &Roster,
    written: &Written,
) -> Option<Preset<interop_codec::Dialect>> {
    let implementation = roster
        .implementations
        .iter()
        .find(|live| live.name == written.writer && live.format == written.format);
    let writer = implementation.map_or("", |live| live.capability.writer.as_str());
    preset(written.format, writer).ok()
}

/// The dialect, but with the entries of maps where they are.
fn in_order_read(dialect: &interop_codec::Dialect) -> interop_codec::Dialect {
    use interop_codec::protobuf::MapOrder;
    let mut dialect = dialect.clone();
    if let interop_codec::Dialect::Protobuf(choices) = &mut dialect {
        choices.map_order = MapOrder::Stored;
    }
    dialect
}

/// A writer passes by its format's byte policy: protobuf's bytes are exact; where the golden
/// tree knows the writer, its bytes are those of its dialect; else, and in JSON, the value
/// counts.
pub(super) fn judge_written(roster: &Roster, case: &Case, written: &Written) -> Outcome {
    let known = preset_of(roster, written);
    let exact = written.format == Format::Protobuf || known.is_some() || written.writer == OURS;
    let by_value = !written.format.is_binary();
    let passing = if exact && !by_value {
        Verdict::Identical
    } else {
        Verdict::EqualValue
    };
    let bytes = match &written.bytes {
        Ok(bytes) => bytes,
        Err(failed) => return failed.outcome(passing),
    };
    let read = decode(&case.view.subject, written.format, bytes);
    if by_value {
        return judge_read(
            &case.view.subject,
            written.format,
            bytes,
            &case.value,
            &read,
            passing,
        );
    }
    let dialect = known.map_or_else(
        || interop_codec::Dialect::default_of(written.format),
        |preset| preset.dialect,
    );
    let ours = match encode(&case.view.subject, written.format, &case.value, &dialect) {
        Ok(Ok(ours)) => ours,
        Ok(Err(error)) => {
            return Outcome::saying(Verdict::Refused, passing, format!("encoding {error}"));
        }
        Err(panic) => return Outcome::saying(Verdict::Crashed, passing, panic),
    };
    if ours == *bytes {
        return Outcome::plain(Verdict::Identical, Verdict::Identical);
    }
    // The order of map entries is no choice of a dialect: many libraries draw it at random.
    if let Ok(Ok(read)) = &read
        && *read == case.value
        && let Ok(Ok(again)) = encode(
            &case.view.subject,
            written.format,
            read,
            &in_order_read(&dialect),
        )
        && again == *bytes
    {
        return Outcome::plain(Verdict::Identical, Verdict::Identical);
    }
    match &read {
        Ok(Ok(read)) if *read == case.value => explain_bytes(
            &case.view.subject,
            written.format,
            bytes,
            &ours,
            &written.writer,
            passing,
            Limits::DEFAULT,
        ),
        _ => judge_read(
            &case.view.subject,
            written.format,
            bytes,
            &case.value,
            &read,
            passing,
        ),
    }
}
