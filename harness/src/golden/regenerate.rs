//! `golden regenerate`: what is written today, beside what the golden files hold.
//!
//! Without live peers our own codec writes every file again in its writers' dialects. Only files
//! of our own writer are ever taken from there; what a real library wrote stands until that
//! library writes it again (`live_writers`).

use std::collections::BTreeMap;
use std::io::Write;

use interop_codec::{Dialect, Document};

use super::change::{Case, explain, load};
use super::live_writers;
use super::manifest::sha256_hex;
use super::next::Next;
use super::{File, Implementation, OWN_WRITER, Store};
use crate::check::plan::{Op, Plan, Selection, Source};
use crate::check::run::dialect_of;
use crate::cli::RegenerateArgs;
use crate::exit::{COMPATIBLE, DIFFERENT, Failure, Result};
use crate::known::today;
use crate::subject::Catalog;

/// A file that would change.
struct Change {
    /// The new bytes.
    fresh: Vec<u8>,
    /// The entry that MANIFEST would have; `None` for a file that a real library wrote.
    entry: Option<File>,
}

/// Runs the command.
///
/// # Errors
/// Exit 2 when the golden files or the selection are unusable.
pub fn run(args: &RegenerateArgs, out: &mut dyn Write) -> Result<u8> {
    let mut store = Store::find(args.golden.golden.as_deref())?;
    if args.live.live {
        return live_writers::run(args, store, out);
    }
    let own = args
        .filters
        .writers
        .iter()
        .any(|writer| writer == OWN_WRITER);
    let changes = if own {
        own_changes(&store, args, out)?
    } else {
        written_again(&store, args, out)?
    };
    if changes.is_empty() {
        return Ok(COMPATIBLE);
    }
    let (own, foreign): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .partition(|change| change.entry.is_some());
    if !foreign.is_empty() {
        writeln!(
            out,
            "{} files of real libraries differ; they are never replaced by ours",
            foreign.len()
        )?;
    }
    if own.is_empty() {
        return Ok(DIFFERENT);
    }
    if !args.accept {
        writeln!(
            out,
            "{} files would change; take them with --accept",
            own.len()
        )?;
        return Ok(DIFFERENT);
    }
    let taken = own.len();
    accept(&mut store, own)?;
    writeln!(out, "{taken} files taken")?;
    Ok(if foreign.is_empty() {
        COMPATIBLE
    } else {
        DIFFERENT
    })
}

/// Writes the selected files again, each under the dialect of each of its writers.
fn written_again(store: &Store, args: &RegenerateArgs, out: &mut dyn Write) -> Result<Vec<Change>> {
    let plan = Plan::full(&store.manifest, Vec::new());
    let selected = Selection::new(&args.filters)?.select(&plan);
    let cells: Vec<_> = selected
        .iter()
        .map(|&index| &plan.cells[index])
        .filter(|cell| cell.op == Op::Write)
        .collect();
    if cells.is_empty() {
        return Err(Failure::usage("the filters leave no file to write"));
    }
    let mut catalog = Catalog::default();
    let mut changes = Vec::new();
    let mut same = 0;
    for cell in &cells {
        let Source::File(index) = cell.source else {
            continue;
        };
        let file = &store.manifest.files[index];
        let source = load(store, &mut catalog, file)?;
        let dialect = dialect_of(store, file, &cell.writer).map_err(Failure::usage)?;
        let old = store.read(&file.file)?;
        let mut new = encode(&source, file, &source.document, &dialect)?;
        if new != old {
            // Map entries keep the order in which the writer happened to have them.
            let options = interop_codec::DecodeOptions::default();
            let schema = &source.subject.schema;
            let read = interop_codec::decode(schema, source.subject.id, file.format, &old, options);
            if let Ok(read) = read
                && read == source.document
            {
                let again = encode(&source, file, &read, &dialect)?;
                if again == old {
                    new = again;
                }
            }
        }
        if new == old {
            same += 1;
            continue;
        }
        explain(out, &source.subject, file, &cell.writer, &old, &new)?;
        let ours = file.writers.iter().all(|writer| writer == OWN_WRITER);
        changes.push(Change {
            entry: ours.then(|| renewed(file, &new)),
            fresh: new,
        });
    }
    writeln!(
        out,
        "{same} of {} files written again to the same bytes",
        cells.len()
    )?;
    Ok(changes)
}

/// Writes every case with our own choices, as writer `interop`; a case has a file of ours only
/// where no real library writes the same bytes.
fn own_changes(store: &Store, args: &RegenerateArgs, out: &mut dyn Write) -> Result<Vec<Change>> {
    let mut filters = args.filters.clone();
    filters.writers.clear();
    let plan = Plan::full(&store.manifest, Vec::new());
    let selected = Selection::new(&filters)?.select(&plan);
    let mut cases: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for &index in &selected {
        let cell = &plan.cells[index];
        if let (Source::File(index), Op::Write) = (cell.source, &cell.op) {
            let file = &store.manifest.files[index];
            let files = cases.entry(file.case()).or_default();
            if !files.iter().any(|other| other.file == file.file) {
                files.push(file);
            }
        }
    }
    if cases.is_empty() {
        return Err(Failure::usage("the filters leave no case to write"));
    }
    let mut catalog = Catalog::default();
    let mut changes = Vec::new();
    let mut shared = 0;
    let mut same = 0;
    for (case, files) in &cases {
        let model = files[0];
        let source = load(store, &mut catalog, model)?;
        let new = encode(
            &source,
            model,
            &source.document,
            &Dialect::default_of(model.format),
        )?;
        let ours = files.iter().find(|file| file.writers == [OWN_WRITER]);
        let hash = sha256_hex(&new);
        match ours {
            Some(file) if file.sha256 == hash => same += 1,
            Some(file) => {
                let old = store.read(&file.file)?;
                explain(out, &source.subject, file, OWN_WRITER, &old, &new)?;
                changes.push(Change {
                    entry: Some(renewed(file, &new)),
                    fresh: new,
                });
            }
            None if files.iter().any(|file| file.sha256 == hash) => shared += 1,
            None => {
                let path = format!("{case}@{OWN_WRITER}.bin");
                writeln!(out, "{path}: new, {} bytes", new.len())?;
                let mut entry = renewed(model, &new);
                entry.file = path;
                entry.writers = vec![OWN_WRITER.to_owned()];
                changes.push(Change {
                    fresh: new,
                    entry: Some(entry),
                });
            }
        }
    }
    writeln!(
        out,
        "{} cases: {shared} as a real library writes them, {same} as before, {} to take",
        cases.len(),
        changes.len()
    )?;
    Ok(changes)
}

fn encode(source: &Case, file: &File, document: &Document, dialect: &Dialect) -> Result<Vec<u8>> {
    interop_codec::encode(&source.subject.schema, document, file.format, dialect)
        .map_err(|error| Failure::refused(format!("{}: encoding {error}", file.file)))
}

fn renewed(file: &File, bytes: &[u8]) -> File {
    File {
        bytes: bytes.len() as u64,
        sha256: sha256_hex(bytes),
        ..file.clone()
    }
}

/// Takes the fresh files.
fn accept(store: &mut Store, changes: Vec<Change>) -> Result<()> {
    let next = Next::of(store)?;
    for change in changes {
        let Some(entry) = change.entry else {
            continue;
        };
        next.put(&entry.file, &change.fresh)?;
        record(store, entry);
    }
    next.take(&store.manifest)
}

/// Lists a file of ours with its provenance.
pub(super) fn record(store: &mut Store, entry: File) {
    store.manifest.provide(Implementation {
        corpus: entry.corpus.clone(),
        format: entry.format,
        writer: OWN_WRITER.to_owned(),
        library: format!("interop-check {}", env!("CARGO_PKG_VERSION")),
        host: Some(this_host()),
        made: Some(today()),
        command: Some("interop-check golden".to_owned()),
        dialect: None,
    });
    store.manifest.insert(entry);
}

/// The machine, as MANIFEST names machines.
pub(super) fn this_host() -> String {
    format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)
}
