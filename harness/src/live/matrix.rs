//! The matrix: each case in each format, written by every implementation and read by every
//! other, each distinct byte string read once.

use std::collections::{BTreeMap, HashMap};

use interop_codec::{Document, Format, Preset, preset};
use interop_wire::Limits;

use super::Live;
use super::roster::{Implementation, Roster, block_on};
use crate::check::plan::{Cell, Op, Selection, Source};
use crate::check::run::{Outcome, decode, encode, explain_bytes, judge_read};
use crate::exit::{Failure, Result};
use crate::golden::Store;
use crate::peer::proto::{Decode, Encode, failure, reply, request};
use crate::peer::supervise::{self, Bounds, converse};
use crate::peer::tree::{from_tree, to_tree};
use crate::subject::{Catalog, Subject};
use crate::value_diff::first_difference;
use crate::values;
use crate::verdict::Verdict;

/// Our own dynamic codec, as writer and reader beside the live ones.
pub(super) const OURS: &str = "interop";

/// A value to be written and read in every format.
pub(super) struct Case {
    pub(super) corpus: String,
    pub(super) set: String,
    pub(super) model: String,
    pub(super) subject: Subject,
    pub(super) value: Document,
}

/// Bytes that somebody wrote for a case.
pub(super) struct Written {
    pub(super) case: usize,
    pub(super) format: Format,
    pub(super) writer: String,
    pub(super) bytes: std::result::Result<Vec<u8>, Failed>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    verdict: Verdict,
    text: String,
}

/// Runs the matrix and adds its cells to `live`.
///
/// # Errors
/// Exit 2 when a schema or value of the golden directory is unusable.
pub fn run(roster: &Roster, store: &Store, selection: &Selection, live: &mut Live) -> Result<()> {
    let cases = cases(store, selection)?;
    let mut talks = Talks::new(roster);
    let mut written = write_all(roster, &cases, &mut talks, live)?;
    written.extend(golden(store, &cases)?);
    for written in &written {
        if !written.writer.starts_with("golden:") {
            push(live, selection, &cases, written, Op::LiveWrite, |case| {
                judge_written(roster, case, written)
            });
        }
    }
    let reads = read_all(roster, &cases, &written, &mut talks, live)?;
    live.agreements = super::grouping::agreements(roster, &cases, &written, &reads, selection);
    for (index, written) in written.iter().enumerate() {
        if written.bytes.is_err() {
            continue;
        }
        for (reader, read) in &reads[index] {
            push(
                live,
                selection,
                &cases,
                written,
                Op::LiveRead(reader.clone()),
                |case| judge_reading(case, written, read),
            );
        }
    }
    Ok(())
}

fn push(
    live: &mut Live,
    selection: &Selection,
    cases: &[Case],
    written: &Written,
    op: Op,
    judge: impl FnOnce(&Case) -> Outcome,
) {
    let case = &cases[written.case];
    let cell = Cell {
        name: format!(
            "live/{}/{}/{}@{}/{}",
            written.format,
            case.set,
            case.model,
            written.writer,
            op.name()
        ),
        source: Source::Live,
        corpus: case.corpus.clone(),
        format: written.format,
        set: case.set.clone(),
        model: case.model.clone(),
        writer: written.writer.clone(),
        op,
    };
    if selection.takes(&cell) {
        live.outcomes.push(judge(case));
        live.cells.push(cell);
    }
}

/// The distinct cases of the corpora with a .proto that the peers are built with.
fn cases(store: &Store, selection: &Selection) -> Result<Vec<Case>> {
    let mut catalog = Catalog::default();
    let mut seen: BTreeMap<(String, String, String), ()> = BTreeMap::new();
    let mut cases = Vec::new();
    for file in &store.manifest.files {
        let key = (file.corpus.clone(), file.set.clone(), file.model.clone());
        if seen.insert(key, ()).is_some()
            || !selection.takes_case(&file.corpus, &file.set, &file.model)
        {
            continue;
        }
        let Some(model) = store.manifest.model(&file.corpus, &file.model) else {
            continue;
        };
        if model.fdl.is_some() || model.evolves.is_some() {
            continue;
        }
        let subject = catalog.subject(store, model)?;
        let bytes = store.read(&file.values)?;
        let value = values::parse_file(&subject, &file.values, &bytes)
            .map_err(|error| Failure::usage(format!("{}: {error}", file.values)))?;
        cases.push(Case {
            corpus: file.corpus.clone(),
            set: file.set.clone(),
            model: file.model.clone(),
            subject,
            value,
        });
    }
    Ok(cases)
}

/// The golden files of the cases: what these libraries wrote before.
fn golden(store: &Store, cases: &[Case]) -> Result<Vec<Written>> {
    let mut written = Vec::new();
    for file in &store.manifest.files {
        let case = cases.iter().position(|case| {
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

/// Requests gathered for each process, and whom each is for.
struct Talks<'r> {
    roster: &'r Roster,
    bounds: Bounds,
}

impl<'r> Talks<'r> {
    fn new(roster: &'r Roster) -> Self {
        Self {
            roster,
            bounds: roster.bounds,
        }
    }

    /// Puts `requests` (program, body) to their processes, all processes at once; gives the
    /// outcomes in the order of the requests.
    fn put(
        &mut self,
        requests: Vec<(usize, request::Body)>,
        live: &mut Live,
    ) -> Result<Vec<supervise::Outcome>> {
        let mut queues: Vec<Vec<(usize, request::Body)>> =
            self.roster.programs.iter().map(|_| Vec::new()).collect();
        let total = requests.len();
        for (position, (program, body)) in requests.into_iter().enumerate() {
            queues[program].push((position, body));
        }
        let talks = queues.into_iter().enumerate().map(|(program, queue)| {
            let bounds = &self.bounds;
            let program = &self.roster.programs[program];
            async move {
                let (positions, bodies): (Vec<_>, Vec<_>) = queue.into_iter().unzip();
                if bodies.is_empty() {
                    return (positions, None);
                }
                (positions, Some(converse(program, bounds, bodies).await))
            }
        });
        let results = block_on(futures_util::future::join_all(talks))?;
        let mut outcomes = vec![supervise::Outcome::Abandoned; total];
        for ((positions, conversation), program) in results.into_iter().zip(&self.roster.programs) {
            let Some(conversation) = conversation else {
                continue;
            };
            for (position, outcome) in positions.into_iter().zip(conversation.outcomes) {
                outcomes[position] = outcome;
            }
            let faults = conversation.faults.iter().chain(&conversation.unrepeated);
            for fault in faults {
                let fault = (program.name.clone(), fault.to_string());
                if !live.harness_faults.contains(&fault) {
                    live.harness_faults.push(fault);
                }
            }
        }
        Ok(outcomes)
    }
}

fn offers(implementation: &Implementation, case: &Case, format: Format) -> bool {
    implementation.format == format
        && implementation
            .capability
            .models
            .iter()
            .any(|model| model == case.subject.name())
}

fn write_all(
    roster: &Roster,
    cases: &[Case],
    talks: &mut Talks<'_>,
    live: &mut Live,
) -> Result<Vec<Written>> {
    let mut written = Vec::new();
    let mut requests = Vec::new();
    let mut waiting = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let message = case.value.message();
        let tree = message.map(|message| to_tree(&case.subject.schema, message));
        let Some(Ok(tree)) = tree else { continue };
        for format in Format::ALL {
            let dialect = interop_codec::Dialect::default_of(format);
            written.push(Written {
                case: index,
                format,
                writer: OURS.to_owned(),
                bytes: match encode(&case.subject, format, &case.value, &dialect) {
                    Ok(Ok(bytes)) => Ok(bytes),
                    Ok(Err(error)) => Err(Failed {
                        verdict: Verdict::Refused,
                        text: error.to_string(),
                    }),
                    Err(text) => Err(Failed {
                        verdict: Verdict::Crashed,
                        text,
                    }),
                },
            });
            for implementation in &roster.implementations {
                if implementation.capability.encode && offers(implementation, case, format) {
                    waiting.push((written.len(), requests.len()));
                    requests.push((
                        implementation.program,
                        request::Body::Encode(Encode {
                            implementation: implementation.local_name.clone(),
                            format: format.name().to_owned(),
                            model: case.subject.name().to_owned(),
                            value: Some(tree.clone()),
                        }),
                    ));
                    written.push(Written {
                        case: index,
                        format,
                        writer: implementation.name.clone(),
                        bytes: Ok(Vec::new()),
                    });
                }
            }
        }
    }
    let outcomes = talks.put(requests, live)?;
    for (target, outcome) in waiting {
        written[target].bytes = match &outcomes[outcome] {
            supervise::Outcome::Answer(reply::Body::Encode(encoded)) => Ok(encoded.data.clone()),
            other => Err(failed(other)),
        };
    }
    Ok(written)
}

fn failed(outcome: &supervise::Outcome) -> Failed {
    use crate::peer::process::Fault;
    let (verdict, text) = match outcome {
        supervise::Outcome::Answer(reply::Body::Failure(failure)) => {
            let verdict = match failure.kind() {
                failure::Kind::Unsupported => Verdict::Unsupported,
                failure::Kind::Internal => Verdict::Crashed,
                _ => Verdict::Refused,
            };
            (verdict, failure.message.clone())
        }
        supervise::Outcome::Blamed(fault @ Fault::Timeout { .. }) => {
            (Verdict::Timeout, fault.to_string())
        }
        supervise::Outcome::Blamed(fault) => (Verdict::Crashed, fault.to_string()),
        supervise::Outcome::Abandoned => (
            Verdict::Unsupported,
            "never asked: the peer failed before".to_owned(),
        ),
        supervise::Outcome::Answer(_) => (Verdict::Crashed, "another kind of answer".to_owned()),
    };
    Failed { verdict, text }
}

impl Failed {
    fn outcome(&self, passing: Verdict) -> Outcome {
        Outcome::saying(self.verdict, passing, self.text.clone())
    }
}

/// A reading of some bytes: the document, or why there is none.
pub(super) type Read = std::result::Result<Document, Failed>;

/// For each byte string written: what each reader made of it, ours first.
fn read_all(
    roster: &Roster,
    cases: &[Case],
    written: &[Written],
    talks: &mut Talks<'_>,
    live: &mut Live,
) -> Result<Vec<Vec<(String, Read)>>> {
    let mut asked: HashMap<(usize, &str, &[u8]), usize> = HashMap::new();
    let mut requests = Vec::new();
    let mut plan: Vec<Vec<(usize, usize)>> = Vec::new();
    for item in written {
        let mut readers = Vec::new();
        let case = &cases[item.case];
        if let Ok(bytes) = &item.bytes {
            for (index, implementation) in roster.implementations.iter().enumerate() {
                if !implementation.capability.decode || !offers(implementation, case, item.format) {
                    continue;
                }
                let request = *asked
                    .entry((index, case.subject.name(), bytes))
                    .or_insert_with(|| {
                        requests.push((
                            implementation.program,
                            request::Body::Decode(Decode {
                                implementation: implementation.local_name.clone(),
                                format: item.format.name().to_owned(),
                                model: case.subject.name().to_owned(),
                                data: bytes.clone(),
                            }),
                        ));
                        requests.len() - 1
                    });
                readers.push((index, request));
            }
        }
        plan.push(readers);
    }
    let outcomes = talks.put(requests, live)?;
    let read = |item: &Written, request: usize| -> Read {
        let subject = &cases[item.case].subject;
        match &outcomes[request] {
            supervise::Outcome::Answer(reply::Body::Decode(decoded)) => {
                let tree = decoded.value.clone().unwrap_or_default();
                from_tree(&subject.schema, subject.id, &tree)
                    .map(Document::of)
                    .map_err(|text| Failed {
                        verdict: Verdict::DifferentValue,
                        text: format!("a value that does not fit the schema: {text}"),
                    })
            }
            other => Err(failed(other)),
        }
    };
    let ours = |item: &Written| -> Read {
        let bytes = item.bytes.as_deref().unwrap_or_default();
        match decode(&cases[item.case].subject, item.format, bytes) {
            Ok(Ok(document)) => Ok(document),
            Ok(Err(error)) => Err(Failed {
                verdict: Verdict::Refused,
                text: error.to_string(),
            }),
            Err(text) => Err(Failed {
                verdict: Verdict::Crashed,
                text,
            }),
        }
    };
    Ok(written
        .iter()
        .zip(plan)
        .map(|(item, readers)| {
            let mut reads = vec![(OURS.to_owned(), ours(item))];
            reads.extend(readers.into_iter().map(|(index, request)| {
                let name = roster.implementations[index].name.clone();
                (name, read(item, request))
            }));
            reads
        })
        .collect())
}

/// A reader passes when it reads the value of the case.
fn judge_reading(case: &Case, written: &Written, read: &Read) -> Outcome {
    let passing = if written.format.is_binary() {
        Verdict::Identical
    } else {
        Verdict::EqualValue
    };
    match read {
        Err(failed) => failed.outcome(passing),
        Ok(read) => match first_difference(&case.subject.schema, &case.value, read) {
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

/// A writer passes by its format's byte policy: protobuf's bytes are exact; where the golden
/// tree knows the writer, its bytes are those of its dialect; else, and in JSON, the value
/// counts.
fn judge_written(roster: &Roster, case: &Case, written: &Written) -> Outcome {
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
    let read = decode(&case.subject, written.format, bytes);
    if by_value {
        return judge_read(
            &case.subject,
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
    let ours = match encode(&case.subject, written.format, &case.value, &dialect) {
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
        && let Ok(Ok(again)) = encode(&case.subject, written.format, read, &dialect)
        && again == *bytes
    {
        return Outcome::plain(Verdict::Identical, Verdict::Identical);
    }
    match &read {
        Ok(Ok(read)) if *read == case.value => explain_bytes(
            &case.subject,
            written.format,
            bytes,
            &ours,
            &written.writer,
            passing,
            Limits::DEFAULT,
        ),
        _ => judge_read(
            &case.subject,
            written.format,
            bytes,
            &case.value,
            &read,
            passing,
        ),
    }
}
