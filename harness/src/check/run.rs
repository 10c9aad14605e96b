//! What each cell shows.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use interop_codec::{DecodeOptions, Dialect, Document, Format};
use interop_wire::Limits;
use serde::{Deserialize, Serialize};

use super::parallel;
use super::plan::{Cell, Op, Plan, Source};
use crate::exit::{Failure, Result};
use crate::explain::{Trace, compare};
use crate::golden::verify::{Fault, hash_fault, orphans};
use crate::golden::{File, OWN_WRITER, Store};
use crate::subject::{Catalog, Subject};
use crate::value_diff::first_difference;
use crate::values;
use crate::verdict::Verdict;

/// What a cell showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// In one word.
    pub verdict: Verdict,
    /// The verdict with which the cell passes.
    pub passing: Verdict,
    /// In a sentence; empty when there is nothing to say.
    pub message: String,
    /// Field path, where the message is about one.
    pub path: Option<String>,
    /// Byte offset in the golden file, where the message is about one.
    pub offset: Option<usize>,
    /// Named causes of a byte difference.
    pub causes: Vec<String>,
}

impl Outcome {
    /// A verdict that needs no words.
    pub fn plain(verdict: Verdict, passing: Verdict) -> Self {
        Self {
            verdict,
            passing,
            message: String::new(),
            path: None,
            offset: None,
            causes: Vec::new(),
        }
    }

    /// A verdict with its sentence.
    pub fn saying(verdict: Verdict, passing: Verdict, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::plain(verdict, passing)
        }
    }
}

/// Everything that a run found.
#[derive(Debug, Default)]
pub struct Results {
    /// One outcome for each selected cell, in order.
    pub outcomes: Vec<Outcome>,
    /// Files that are not what MANIFEST says.
    pub faults: Vec<Fault>,
    /// Files whose map entries lie in an order of the writer's own, so that they are reproduced
    /// from the order read.
    pub in_file_order: Vec<String>,
}

/// A run over selected cells.
pub struct Run<'r> {
    /// The golden files.
    pub store: &'r Store,
    /// All cells.
    pub plan: &'r Plan,
    /// The cells to run.
    pub selected: &'r [usize],
    /// True when the selection is everything, so that the whole directory is looked over.
    pub whole: bool,
    /// Compare hashes with MANIFEST.
    pub verify_hash: bool,
    /// Threads.
    pub jobs: usize,
}

/// Corpus and model.
fn subject_key(corpus: &str, model: &str) -> String {
    format!("{corpus}/{model}")
}

/// What the cells of a file need beyond its bytes.
struct Context<'r> {
    store: &'r Store,
    subjects: HashMap<String, Subject>,
    /// By subject and value file.
    values: HashMap<(String, String), std::result::Result<Document, String>>,
}

impl Run<'_> {
    /// Runs the cells.
    ///
    /// # Errors
    /// Exit 2 when a schema of the golden directory is unusable.
    pub fn run(&self) -> Result<Results> {
        let manifest = &self.store.manifest;
        let mut units: Vec<(Source, Vec<usize>)> = Vec::new();
        for &index in self.selected {
            let source = self.plan.cells[index].source;
            match units.last_mut() {
                Some((last, cells)) if *last == source => cells.push(index),
                _ => units.push((source, vec![index])),
            }
        }
        let context = self.context(&units)?;
        let mut results = Results {
            faults: self.data_faults(&units)?,
            ..Results::default()
        };
        let found = parallel::map(&units, self.jobs, |(source, cells)| match source {
            Source::File(index) => self.file(&context, &manifest.files[*index], cells),
            // Live cells come with their outcomes.
            Source::Live => Found::default(),
            Source::Vector(index) => {
                let vector = &self.plan.vectors[*index];
                Found {
                    outcomes: vec![crate::vectors::outcome(vector)],
                    ..Found::default()
                }
            }
        });
        for found in found {
            results.outcomes.extend(found.outcomes);
            results.faults.extend(found.fault);
            results.in_file_order.extend(found.in_file_order);
        }
        Ok(results)
    }

    /// Compiles the schemas and parses the values that the units need.
    fn context(&self, units: &[(Source, Vec<usize>)]) -> Result<Context<'_>> {
        let manifest = &self.store.manifest;
        let mut catalog = Catalog::default();
        let mut subjects: HashMap<String, Subject> = HashMap::new();
        let mut wanted: Vec<(String, String)> = Vec::new();
        let mut seen = HashSet::new();
        for (source, cells) in units {
            let Source::File(index) = source else {
                continue;
            };
            let file = &manifest.files[*index];
            let others = cells
                .iter()
                .filter_map(|&cell| match &self.plan.cells[cell].op {
                    Op::ReadAs(corpus) => Some(corpus.as_str()),
                    _ => None,
                });
            for corpus in std::iter::once(file.corpus.as_str()).chain(others) {
                if !seen.insert((corpus, &file.model, &file.values)) {
                    continue;
                }
                let key = subject_key(corpus, &file.model);
                wanted.push((key.clone(), file.values.clone()));
                if let Entry::Vacant(free) = subjects.entry(key) {
                    let model = manifest.model(corpus, &file.model).ok_or_else(|| {
                        Failure::usage(format!(
                            "MANIFEST: {} is of model {} of corpus {corpus}, which it does not list",
                            file.file, file.model
                        ))
                    })?;
                    free.insert(catalog.subject(self.store, model)?);
                }
            }
        }
        let parsed = parallel::map(&wanted, self.jobs, |(key, path)| {
            let bytes = self.store.read(path).map_err(|failure| failure.text)?;
            values::parse_file(&subjects[key.as_str()], path, &bytes)
        });
        Ok(Context {
            store: self.store,
            values: wanted.into_iter().zip(parsed).collect(),
            subjects,
        })
    }

    /// Faults of the files beside the golden ones: all of them in a whole run, else the values
    /// in use.
    fn data_faults(&self, units: &[(Source, Vec<usize>)]) -> Result<Vec<Fault>> {
        let manifest = &self.store.manifest;
        let in_use: HashSet<&str> = units
            .iter()
            .filter_map(|(source, _)| match source {
                Source::File(index) => Some(manifest.files[*index].values.as_str()),
                Source::Vector(_) | Source::Live => None,
            })
            .collect();
        let files: Vec<_> = manifest
            .data
            .iter()
            .filter(|file| self.whole || in_use.contains(file.file.as_str()))
            .collect();
        let checked = parallel::map(&files, self.jobs, |file| {
            let fault = match std::fs::read(self.store.path(&file.file)) {
                Err(error) => Some(error.to_string()),
                Ok(bytes) if self.verify_hash => hash_fault(file.bytes, &file.sha256, &bytes),
                Ok(_) => None,
            };
            fault.map(|fault| Fault {
                file: file.file.clone(),
                fault,
            })
        });
        let mut faults: Vec<Fault> = checked.into_iter().flatten().collect();
        if self.whole {
            faults.extend(orphans(self.store)?);
        }
        Ok(faults)
    }

    fn file(&self, context: &Context<'_>, file: &File, cells: &[usize]) -> Found {
        let cells: Vec<&Cell> = cells.iter().map(|&cell| &self.plan.cells[cell]).collect();
        let bytes = match std::fs::read(context.store.path(&file.file)) {
            Ok(bytes) => bytes,
            Err(error) => {
                let gone = |cell: &&Cell| {
                    Outcome::saying(
                        Verdict::Unsupported,
                        cell.passing(),
                        "the file can't be read",
                    )
                };
                return Found {
                    outcomes: cells.iter().map(gone).collect(),
                    fault: Some(Fault {
                        file: file.file.clone(),
                        fault: error.to_string(),
                    }),
                    in_file_order: None,
                };
            }
        };
        let fault = if self.verify_hash {
            hash_fault(file.bytes, &file.sha256, &bytes)
        } else {
            None
        };
        let mut judge = FileJudge {
            context,
            file,
            bytes: &bytes,
            read: None,
            in_file_order: false,
        };
        let outcomes = cells.iter().map(|cell| judge.outcome(cell)).collect();
        Found {
            outcomes,
            fault: fault.map(|fault| Fault {
                file: file.file.clone(),
                fault,
            }),
            in_file_order: judge.in_file_order.then(|| file.file.clone()),
        }
    }
}

#[derive(Default)]
struct Found {
    outcomes: Vec<Outcome>,
    fault: Option<Fault>,
    in_file_order: Option<String>,
}

/// What decoding gave; the outer error is a panic's message.
pub(crate) type Decoded =
    std::result::Result<std::result::Result<Document, interop_codec::Error>, String>;

struct FileJudge<'c> {
    context: &'c Context<'c>,
    file: &'c File,
    bytes: &'c [u8],
    /// The file is decoded once for all of its writers.
    read: Option<Decoded>,
    in_file_order: bool,
}

impl<'c> FileJudge<'c> {
    fn outcome(&mut self, cell: &Cell) -> Outcome {
        match &cell.op {
            Op::Write => self.write(cell),
            Op::ReadAs(corpus) => self.read_as(cell, corpus),
            _ => self.read(cell),
        }
    }

    fn expected(&self, corpus: &str) -> &'c std::result::Result<Document, String> {
        let key = subject_key(corpus, &self.file.model);
        &self.context.values[&(key, self.file.values.clone())]
    }

    fn subject(&self, corpus: &str) -> &'c Subject {
        &self.context.subjects[&subject_key(corpus, &self.file.model)]
    }

    fn read(&mut self, cell: &Cell) -> Outcome {
        let passing = cell.passing();
        if self.read.is_none() {
            let subject = self.subject(&self.file.corpus);
            self.read = Some(decode(subject, self.file.format, self.bytes));
        }
        let subject = self.subject(&self.file.corpus);
        let expected = match self.expected(&self.file.corpus) {
            Ok(expected) => expected,
            Err(error) => return self.no_value(passing, error),
        };
        let read = self.read.as_ref().expect("decoded above");
        judge_read(
            subject,
            self.file.format,
            self.bytes,
            expected,
            read,
            passing,
        )
    }

    fn no_value(&self, passing: Verdict, error: &str) -> Outcome {
        let message = format!("value file {}: {error}", self.file.values);
        Outcome::saying(Verdict::Unsupported, passing, message)
    }

    /// The file under the other version of its schema. What is expected is what the value file
    /// says under that version: its value, or that it doesn't fit, so that a reader must refuse.
    fn read_as(&self, cell: &Cell, corpus: &str) -> Outcome {
        let subject = self.subject(corpus);
        let read = decode(subject, self.file.format, self.bytes);
        match (self.expected(corpus), &read) {
            (Ok(expected), read) => judge_read(
                subject,
                self.file.format,
                self.bytes,
                expected,
                read,
                cell.passing(),
            ),
            (Err(_), Ok(Err(error))) => {
                Outcome::saying(Verdict::Refused, Verdict::Refused, error.to_string())
            }
            (Err(error), Ok(Ok(_))) => Outcome::saying(
                Verdict::DifferentValue,
                Verdict::Refused,
                format!("read, though the value does not fit: {error}"),
            ),
            (Err(_), Err(panic)) => {
                Outcome::saying(Verdict::Crashed, Verdict::Refused, panic.clone())
            }
        }
    }

    fn write(&mut self, cell: &Cell) -> Outcome {
        let passing = cell.passing();
        let expected = match self.expected(&self.file.corpus) {
            Ok(expected) => expected,
            Err(error) => return self.no_value(passing, error),
        };
        let dialect = match dialect_of(self.context.store, self.file, &cell.writer) {
            Ok(dialect) => dialect,
            Err(error) => return Outcome::saying(Verdict::Unsupported, passing, error),
        };
        let subject = self.subject(&self.file.corpus);
        let format = self.file.format;
        let written = match encode(subject, format, expected, &dialect) {
            Ok(Ok(written)) => written,
            Ok(Err(error)) => {
                return Outcome::saying(Verdict::Refused, passing, format!("encoding {error}"));
            }
            Err(panic) => return Outcome::saying(Verdict::Crashed, passing, panic),
        };
        if written == self.bytes {
            return Outcome::plain(Verdict::Identical, passing);
        }
        // The order of map entries is no part of the value and no choice of a library: many
        // draw it at random. Then the order that the file has is the one to reproduce.
        if let Some(Ok(Ok(read))) = &self.read
            && read == expected
            && let Ok(Ok(again)) = encode(subject, format, read, &dialect)
            && again == self.bytes
        {
            self.in_file_order = true;
            return Outcome::plain(Verdict::Identical, passing);
        }
        explain_bytes(
            subject,
            format,
            self.bytes,
            &written,
            &cell.writer,
            passing,
            Limits::DEFAULT,
        )
    }
}

/// Why the bytes that `writer` wrote are not those of its dialect.
pub(crate) fn explain_bytes(
    subject: &Subject,
    format: Format,
    bytes: &[u8],
    expected: &[u8],
    writer: &str,
    passing: Verdict,
    limits: Limits,
) -> Outcome {
    let file = Trace::of(subject, format, bytes, limits);
    let ours = Trace::of(subject, format, expected, limits);
    let comparison = compare(&subject.schema, format, (bytes, &file), (expected, &ours));
    let verdict = if comparison.same_value {
        Verdict::EqualValue
    } else {
        Verdict::DifferentValue
    };
    let causes: Vec<String> = comparison
        .causes()
        .iter()
        .map(|(cause, count)| format!("{cause} ({count})"))
        .collect();
    let Some(first) = comparison.leading() else {
        return Outcome::saying(verdict, passing, "bytes differ, nothing explains where");
    };
    let side = |side: &Option<crate::explain::Side>| match side {
        Some(side) => format!(
            "{} ({} {})",
            crate::explain::page::show_bytes(&side.bytes),
            side.meaning,
            crate::value_diff::shorten(&side.value)
        ),
        None => "nothing".to_owned(),
    };
    let offset = first
        .a
        .as_ref()
        .or(first.b.as_ref())
        .map(|side| side.offset);
    let place = if first.path.is_root() {
        String::new()
    } else {
        format!(" in field {}", first.path)
    };
    let message = format!(
        "{}{place} at byte {}: {writer} wrote {}, its dialect writes {}",
        first.cause,
        offset.unwrap_or_default(),
        side(&first.a),
        side(&first.b),
    );
    Outcome {
        path: Some(first.path.to_string()),
        offset,
        causes,
        ..Outcome::saying(verdict, passing, message)
    }
}

/// The dialect of a file's writer.
///
/// # Errors
/// A sentence that names the missing entry or the known dialects.
pub fn dialect_of(
    store: &Store,
    file: &File,
    writer: &str,
) -> std::result::Result<Dialect, String> {
    if writer == OWN_WRITER {
        return Ok(Dialect::default_of(file.format));
    }
    let implementation = store.manifest.implementation(file, writer).ok_or_else(|| {
        format!(
            "MANIFEST lists no implementation {writer} of {} in corpus {}",
            file.format, file.corpus
        )
    })?;
    let preset = interop_codec::preset(file.format, implementation.dialect_name())?;
    Ok(preset.dialect)
}

/// Decodes with the default limits; a panic is an error of its own.
pub(crate) fn decode(subject: &Subject, format: Format, bytes: &[u8]) -> Decoded {
    no_panic(|| {
        let options = DecodeOptions::default();
        interop_codec::decode(&subject.schema, subject.id, format, bytes, options)
    })
}

/// Encodes; a panic is an error of its own.
pub(crate) fn encode(
    subject: &Subject,
    format: Format,
    document: &Document,
    dialect: &Dialect,
) -> std::result::Result<std::result::Result<Vec<u8>, interop_codec::Error>, String> {
    no_panic(|| interop_codec::encode(&subject.schema, document, format, dialect))
}

/// A panic is a finding about the codec like any other, not the end of the check.
fn no_panic<T>(work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("panicked: {}", text.unwrap_or("without a message"))
    })
}

/// Holds what was read against what should be.
pub(crate) fn judge_read(
    subject: &Subject,
    format: Format,
    bytes: &[u8],
    expected: &Document,
    read: &Decoded,
    passing: Verdict,
) -> Outcome {
    match read {
        Err(panic) => Outcome::saying(Verdict::Crashed, passing, panic.clone()),
        Ok(Err(error)) => Outcome {
            path: Some(error.path.to_string()),
            offset: error.offset,
            ..Outcome::saying(Verdict::Refused, passing, error.to_string())
        },
        Ok(Ok(read)) => match first_difference(&subject.schema, expected, read) {
            None => Outcome::plain(passing, passing),
            Some(difference) => {
                let trace = Trace::of(subject, format, bytes, Limits::DEFAULT);
                let message = format!(
                    "field {}: expected {}, read {}",
                    difference.path, difference.expected, difference.found
                );
                Outcome {
                    path: Some(difference.path.to_string()),
                    offset: trace.offset_of(&difference.path),
                    causes: vec!["value".to_owned()],
                    ..Outcome::saying(Verdict::DifferentValue, passing, message)
                }
            }
        },
    }
}
