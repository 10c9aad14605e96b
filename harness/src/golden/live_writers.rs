//! `golden regenerate --live`: the libraries write their golden files again.
//!
//! A library stands for its files only in the version that MANIFEST records. Files of any other
//! writer are named and left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::LazyLock;

use interop_codec::{Dialect, Document, Format};
use regex::Regex;

use super::change::{Case, explain, load};
use super::next::Next;
use super::regenerate::this_host;
use super::regroup::{self, Fresh};
use super::{File, Implementation, Model, Store};
use crate::check::plan::{Op, Plan, Selection, Source};
use crate::check::run::dialect_of;
use crate::cli::RegenerateArgs;
use crate::exit::{COMPATIBLE, DIFFERENT, Failure, Result};
use crate::known::today;
use crate::live::roster::{Implementation as Live, NOT_ASKED_FOR, Roster, block_on};
use crate::live::{LiveArgs, declarations, folders};
use crate::peer::process::Program;
use crate::peer::proto::{Encode, Schema, Tree, reply, request};
use crate::peer::supervise::{Bounds, Outcome, converse};
use crate::peer::tree::to_tree;
use crate::subject::{Catalog, EMBEDDED, embedded_descriptor_set};

/// How often a library that draws the order of map entries is asked in one go, and how often
/// that is done, before the order of the file is given up as not seen again.
const DRAWS: usize = 16;
const ROUNDS: usize = 64;

/// A file to be written again by one of its writers.
struct Job<'s> {
    file: &'s File,
    writer: String,
    case: Case,
    old: Vec<u8>,
    program: usize,
    /// The schema that the peer must be given first, where it was not built with it.
    schema: Option<String>,
    request: request::Body,
    state: State,
}

/// What has come of a job.
enum State {
    /// Not written again yet, or always in another order of map entries.
    Open { draws: usize },
    /// The same bytes, at the draw of this number.
    Same { draws: usize },
    /// Other bytes.
    Changed(Vec<u8>),
    /// Refused by the library, or the peer failed.
    Failed(String),
}

/// Runs the command.
///
/// # Errors
/// Exit 2 when the golden files, the peers or the selection are unusable; exit 3 when a writer
/// that was asked for by name can't write.
pub(super) fn run(args: &RegenerateArgs, mut store: Store, out: &mut dyn Write) -> Result<u8> {
    let live = LiveArgs {
        live: true,
        target: args.live.target.clone(),
        peers: args.live.peers.clone(),
        ..LiveArgs::default()
    };
    let declarations = declarations(live.peers.as_ref(), &store)?;
    let roster = Roster::assemble(&live, &declarations, &folders(&store))?;
    for left in &roster.skipped {
        if left.reason != NOT_ASKED_FOR {
            writeln!(out, "skipped: {}: {}", left.what, left.reason)?;
        }
    }
    for (peer, fault) in &roster.faults {
        writeln!(out, "failed: {peer}: {fault}")?;
    }
    let (mut jobs, left) = jobs(&store, &roster, args)?;
    write_again(&roster, &store, &mut jobs)?;
    print_same(&jobs, out)?;
    let mut failed = 0;
    let mut fresh = Vec::new();
    for job in jobs {
        match job.state {
            State::Failed(text) => {
                failed += 1;
                writeln!(out, "{} as {}: {text}", job.file.file, job.writer)?;
            }
            State::Changed(new) => {
                let subject = &job.case.subject;
                explain(out, subject, job.file, &job.writer, &job.old, &new)?;
                fresh.push(Fresh {
                    of: job.file.clone(),
                    writer: job.writer,
                    bytes: new,
                });
            }
            State::Same { .. } | State::Open { .. } => {}
        }
    }
    let refused = print_left(&left, args, out)?;
    if failed > 0 {
        return Err(Failure::harness(format!(
            "{failed} files were not written again; nothing was taken"
        )));
    }
    let changed = fresh.len();
    if changed > 0 && args.accept {
        accept(&mut store, fresh)?;
        writeln!(out, "{changed} files taken")?;
    } else if changed > 0 {
        writeln!(out, "{changed} files would change; take them with --accept")?;
    }
    if let Some(writer) = refused {
        return Err(Failure::harness(format!(
            "{writer} was asked for and can't write here"
        )));
    }
    Ok(if changed == 0 || args.accept {
        COMPATIBLE
    } else {
        DIFFERENT
    })
}

/// Writer and reason, with the corpora and formats in which it is left alone.
type Left = BTreeMap<(String, String), BTreeSet<String>>;

/// What can be written again, and which writers are left alone, with the reason.
fn jobs<'s>(
    store: &'s Store,
    roster: &Roster,
    args: &RegenerateArgs,
) -> Result<(Vec<Job<'s>>, Left)> {
    let plan = Plan::full(&store.manifest, Vec::new());
    let selected = Selection::new(&args.filters)?.select(&plan);
    let mut catalog = Catalog::default();
    let mut jobs = Vec::new();
    let mut left = Left::new();
    let mut any = false;
    for index in selected {
        let cell = &plan.cells[index];
        // One cell of these a file and writer, JSON included.
        let (Source::File(index), Op::Read) = (cell.source, &cell.op) else {
            continue;
        };
        any = true;
        let file = &store.manifest.files[index];
        let live = match live_writer(store, roster, file, &cell.writer) {
            Ok(live) => live,
            Err(reason) => {
                let what = format!("{}/{}", file.corpus, file.format);
                let key = (cell.writer.clone(), reason);
                left.entry(key).or_default().insert(what);
                continue;
            }
        };
        let case = load(store, &mut catalog, file)?;
        let schema = &case.subject.schema;
        let message = case.document.message();
        let tree: Tree = match message.map(|message| to_tree(schema, message)) {
            Some(Ok(tree)) => tree,
            Some(Err(text)) => return Err(Failure::usage(format!("{}: {text}", file.values))),
            None => continue,
        };
        let model = store.manifest.model(&file.corpus, &file.model);
        jobs.push(Job {
            file,
            writer: cell.writer.clone(),
            old: store.read(&file.file)?,
            program: live.program,
            schema: model.and_then(schema_to_send),
            request: request::Body::Encode(Encode {
                implementation: live.local_name.clone(),
                format: file.format.name().to_owned(),
                model: case.subject.name().to_owned(),
                value: Some(tree),
            }),
            case,
            state: State::Open { draws: 0 },
        });
    }
    if any {
        Ok((jobs, left))
    } else {
        Err(Failure::usage("the filters leave no file to write"))
    }
}

/// The schema that peers have not been built with, if `model` is of one.
fn schema_to_send(model: &Model) -> Option<String> {
    let sent = |proto: &&String| {
        model.evolves.is_some() || !EMBEDDED.iter().any(|(name, _)| name == proto)
    };
    model.proto.as_ref().filter(sent).cloned()
}

/// The live implementation that may write `file` as `writer`, or why there is none.
fn live_writer<'r>(
    store: &Store,
    roster: &'r Roster,
    file: &File,
    writer: &str,
) -> std::result::Result<&'r Live, String> {
    let model = store.manifest.model(&file.corpus, &file.model);
    let model = model.ok_or("MANIFEST does not list the model")?;
    if model.proto.is_none() {
        return Err("no peer takes its schema, which is not a .proto".to_owned());
    }
    let recorded = store
        .manifest
        .implementation(file, writer)
        .ok_or("MANIFEST does not list the implementation")?;
    let live = roster
        .implementations
        .iter()
        .find(|live| live.format == file.format && live.capability.writer == writer)
        .ok_or_else(|| format!("{} does not run", recorded.library))?;
    let now = version_in(&live.version).unwrap_or(&live.version);
    match version_in(&recorded.library) {
        None => {
            return Err(format!(
                "no version is recorded ({}); {now} runs",
                recorded.library
            ));
        }
        Some(then) if then != now => {
            return Err(format!(
                "{then} is recorded ({}); {now} runs",
                recorded.library
            ));
        }
        Some(_) => {}
    }
    let offered = live.capability.models.contains(&model.message);
    if !live.capability.encode || !offered {
        return Err(format!("{} does not write {}", live.name, model.message));
    }
    if schema_to_send(model).is_some() && !live.capability.schemas {
        return Err(format!("{} takes no other schemas", live.name));
    }
    Ok(live)
}

/// The first version in a text: "1.6.1" in "Apache Fory Go 1.6.1, Go 1.26.8".
fn version_in(text: &str) -> Option<&str> {
    static VERSION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"commit [0-9a-f]{7,}|[0-9]+(\.[0-9]+)+([-+.]?[0-9A-Za-z]+)*")
            .expect("it is constant")
    });
    VERSION.find(text).map(|found| found.as_str())
}

/// Lets every job be written, again and again where only the order of map entries is another.
fn write_again(roster: &Roster, store: &Store, jobs: &mut [Job<'_>]) -> Result<()> {
    for round in 0..=ROUNDS {
        let open = |job: &Job<'_>| matches!(job.state, State::Open { .. });
        let mut queues: BTreeMap<(usize, Option<String>), Vec<usize>> = BTreeMap::new();
        for (index, job) in jobs.iter().enumerate() {
            if open(job) {
                let draws = if round == 0 { 1 } else { DRAWS };
                let queue = queues.entry((job.program, job.schema.clone())).or_default();
                queue.extend(std::iter::repeat_n(index, draws));
            }
        }
        if queues.is_empty() {
            break;
        }
        let mut talks = Vec::new();
        for ((program, schema), queue) in &queues {
            let schema = match schema {
                Some(name) => Some(descriptor_set(store, name)?),
                None => None,
            };
            let bodies = queue.iter().map(|&index| jobs[index].request.clone());
            talks.push(ask(&roster.programs[*program], schema, bodies.collect()));
        }
        let answers = block_on(futures_util::future::join_all(talks))?;
        for (queue, answers) in queues.values().zip(answers) {
            for (&index, answer) in queue.iter().zip(answers) {
                let job = &mut jobs[index];
                if let State::Open { draws } = job.state {
                    job.state = state_of(store, job, draws + 1, answer)?;
                }
            }
        }
        if round == 0 {
            jobs.iter_mut()
                .filter(|job| open(job))
                .for_each(in_file_order);
        }
    }
    Ok(())
}

/// Asks for the value with its map entries as the file has them, for libraries that keep the
/// order in which they are given. Those that draw one draw again.
fn in_file_order(job: &mut Job<'_>) {
    let schema = &job.case.subject.schema;
    let options = interop_codec::DecodeOptions::default();
    let (id, format) = (job.case.subject.id, job.file.format);
    let read = interop_codec::decode(schema, id, format, &job.old, options);
    if let Ok(read) = read
        && read == job.case.document
        && let Some(Ok(tree)) = read.message().map(|message| to_tree(schema, message))
        && let request::Body::Encode(encode) = &mut job.request
    {
        encode.value = Some(tree);
    }
}

/// A serialized FileDescriptorSet of a schema that MANIFEST names.
fn descriptor_set(store: &Store, name: &str) -> Result<Vec<u8>> {
    if EMBEDDED.iter().any(|(known, _)| *known == name) {
        return embedded_descriptor_set(name);
    }
    let path = store.path(name);
    if crate::subject::is_descriptor_set(&path) {
        return store.read(name);
    }
    interop_schema::proto::descriptor_set(std::slice::from_ref(&path), &[])
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// Puts requests to a peer; gives the bytes of each, or why there are none.
async fn ask(
    program: &Program,
    schema: Option<Vec<u8>>,
    mut bodies: Vec<request::Body>,
) -> Vec<std::result::Result<Vec<u8>, String>> {
    let asked = bodies.len();
    let leading = usize::from(schema.is_some());
    if let Some(file_descriptor_set) = schema {
        bodies.insert(
            0,
            request::Body::Schema(Schema {
                file_descriptor_set,
            }),
        );
    }
    let talk = converse(program, &Bounds::default(), bodies).await;
    let fault = talk.faults.iter().chain(&talk.unrepeated).next();
    let accepted = match (leading, talk.outcomes.first()) {
        (0, _) | (_, Some(Outcome::Answer(reply::Body::Schema(_)))) => None,
        (_, other) => Some(format!("the peer does not take the schema: {other:?}")),
    };
    // A fresh process would not know the schema, and a peer that breaks the protocol is not to
    // be trusted with what it answered before.
    let broken = fault.map(|fault| format!("the {} peer {fault}", program.name));
    if let Some(text) = accepted.or(broken) {
        return vec![Err(text); asked];
    }
    let answers = talk.outcomes.into_iter().skip(leading);
    let bytes = |outcome| match outcome {
        Outcome::Answer(reply::Body::Encode(encoded)) => Ok(encoded.data),
        Outcome::Answer(reply::Body::Failure(failure)) => {
            Err(format!("not written: {}", failure.message))
        }
        Outcome::Blamed(fault) => Err(format!("the {} peer {fault}", program.name)),
        Outcome::Answer(_) | Outcome::Abandoned => Err("no answer".to_owned()),
    };
    answers.map(bytes).collect()
}

fn state_of(
    store: &Store,
    job: &Job<'_>,
    draws: usize,
    answer: std::result::Result<Vec<u8>, String>,
) -> Result<State> {
    Ok(match answer {
        Err(text) => State::Failed(text),
        Ok(new) if new == job.old => State::Same { draws },
        Ok(new) if in_other_order(store, job, &new)? => State::Open { draws },
        Ok(new) => State::Changed(new),
    })
}

/// True when the writer's dialect makes both the old and the new bytes out of one value, each
/// in its own order of map entries.
fn in_other_order(store: &Store, job: &Job<'_>, new: &[u8]) -> Result<bool> {
    let dialect = dialect_of(store, job.file, &job.writer).map_err(Failure::usage)?;
    let (old, new) = (
        written_as_read(job, &job.old, &dialect),
        written_as_read(job, new, &dialect),
    );
    Ok(old.is_some() && old == new)
}

/// The value of bytes that the dialect reproduces from it, entries in the order read.
fn written_as_read(job: &Job<'_>, bytes: &[u8], dialect: &Dialect) -> Option<Document> {
    let (schema, id) = (&job.case.subject.schema, job.case.subject.id);
    let options = interop_codec::DecodeOptions::default();
    let read = interop_codec::decode(schema, id, job.file.format, bytes, options).ok()?;
    let again = interop_codec::encode(schema, &read, job.file.format, dialect).ok()?;
    (again == bytes).then_some(read)
}

/// Says what was written again as it was.
fn print_same(jobs: &[Job<'_>], out: &mut dyn Write) -> Result<()> {
    #[derive(Default)]
    struct Count {
        all: usize,
        same: usize,
        drawn: usize,
        other_order: usize,
    }
    let mut counts: BTreeMap<(Format, &str), Count> = BTreeMap::new();
    for job in jobs {
        let count = counts.entry((job.file.format, &job.writer)).or_default();
        count.all += 1;
        match job.state {
            State::Same { draws } => {
                count.same += 1;
                count.drawn += usize::from(draws > 1);
            }
            State::Open { .. } => count.other_order += 1,
            State::Changed(_) | State::Failed(_) => {}
        }
    }
    for ((format, writer), count) in counts {
        write!(
            out,
            "{format} {writer}: {} of {} files written again to the same bytes",
            count.same, count.all
        )?;
        if count.drawn > 0 {
            write!(
                out,
                ", {} of them at a later try, with map entries in the order of the file",
                count.drawn
            )?;
        }
        if count.other_order > 0 {
            write!(
                out,
                "; {} only but for the order of map entries",
                count.other_order
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Names the writers that are left alone; gives the first that was asked for by name.
fn print_left(left: &Left, args: &RegenerateArgs, out: &mut dyn Write) -> Result<Option<String>> {
    let mut refused = None;
    for ((writer, reason), what) in left {
        let what: Vec<_> = what.iter().map(String::as_str).collect();
        writeln!(out, "left alone: {writer} ({}): {reason}", what.join(", "))?;
        let asked = |name: &String| name.eq_ignore_ascii_case(writer);
        if args.filters.writers.iter().any(asked) {
            refused.get_or_insert_with(|| writer.clone());
        }
    }
    Ok(refused)
}

/// Takes the new files, with today as the day on which their writers ran.
fn accept(store: &mut Store, fresh: Vec<Fresh>) -> Result<()> {
    for fresh in &fresh {
        let known = store.manifest.implementation(&fresh.of, &fresh.writer);
        if let Some(known) = known.cloned() {
            store.manifest.provide(Implementation {
                host: Some(this_host()),
                made: Some(today()),
                command: Some("interop-check golden regenerate --live".to_owned()),
                ..known
            });
        }
    }
    let next = Next::of(store)?;
    regroup::put(store, &next, fresh)?;
    next.take(&store.manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_library_comes_first() {
        for (text, version) in [
            ("Apache Fory Go 1.6.1, Go 1.26.8", Some("1.6.1")),
            ("v1.36.12", Some("1.36.12")),
            (
                "Apache Fory C++ (commit c8bf2334, g++ 12.2 -O2)",
                Some("commit c8bf2334"),
            ),
            (
                "Apache Fory Java 1.7.0-SNAPSHOT (commit c8bf2334)",
                Some("1.7.0-SNAPSHOT"),
            ),
            ("protobuf (Python, upb) 7.36.2", Some("7.36.2")),
            ("prost 0.14", Some("0.14")),
            ("25.12.19+incompatible", Some("25.12.19+incompatible")),
            ("protobuf-java (version not recorded)", None),
        ] {
            assert_eq!(version_in(text), version, "{text}");
        }
    }
}
