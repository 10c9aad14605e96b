//! `golden regenerate`: what our own codec writes today, beside what the golden files hold.
//!
//! Every file is written again into a fresh directory. Only files of our own writer are ever
//! taken from there; what a real library wrote stands until that library writes it again.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use interop_codec::{Dialect, Document};
use interop_wire::Limits;

use super::manifest::sha256_hex;
use super::{File, Implementation, OWN_WRITER, Store};
use crate::check::plan::{Op, Plan, Selection, Source};
use crate::check::run::dialect_of;
use crate::cli::RegenerateArgs;
use crate::exit::{COMPATIBLE, DIFFERENT, Failure, Result};
use crate::explain::{Trace, compare};
use crate::known::today;
use crate::subject::{Catalog, Subject};
use crate::values;

/// A file that would change.
struct Change {
    /// Path inside the golden directory.
    file: String,
    /// Where the new bytes lie.
    fresh: PathBuf,
    /// The entry that MANIFEST would have; `None` for a file that a real library wrote.
    entry: Option<File>,
}

/// Runs the command.
///
/// # Errors
/// Exit 2 when the golden files or the selection are unusable.
pub fn run(args: &RegenerateArgs, out: &mut dyn Write) -> Result<u8> {
    let mut store = Store::find(args.golden.golden.as_deref())?;
    let fresh = tempfile::tempdir()
        .map_err(|error| Failure::harness(format!("no temporary directory: {error}")))?;
    let own = args
        .filters
        .writers
        .iter()
        .any(|writer| writer == OWN_WRITER);
    let changes = if own {
        own_changes(&store, args, fresh.path(), out)?
    } else {
        written_again(&store, args, fresh.path(), out)?
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
    accept(&mut store, &own)?;
    writeln!(out, "{} files taken", own.len())?;
    Ok(if foreign.is_empty() {
        COMPATIBLE
    } else {
        DIFFERENT
    })
}

/// A case's message and value.
struct Case {
    subject: Subject,
    document: Document,
}

fn load(store: &Store, catalog: &mut Catalog, file: &File) -> Result<Case> {
    let model = store
        .manifest
        .model(&file.corpus, &file.model)
        .ok_or_else(|| {
            Failure::usage(format!(
                "MANIFEST lists no model {} in {}",
                file.model, file.corpus
            ))
        })?;
    let subject = catalog.subject(store, model)?;
    let bytes = store.read(&file.values)?;
    let document = values::parse_file(&subject, &file.values, &bytes)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.values)))?;
    Ok(Case { subject, document })
}

/// Writes the selected files again, each under the dialect of each of its writers.
fn written_again(
    store: &Store,
    args: &RegenerateArgs,
    fresh: &Path,
    out: &mut dyn Write,
) -> Result<Vec<Change>> {
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
        let path = format!("{}@{}.bin", file.case(), cell.writer);
        let fresh = put(fresh, &path, &new)?;
        explain_change(out, &source.subject, file, &cell.writer, &old, &new)?;
        let ours = file.writers.iter().all(|writer| writer == OWN_WRITER);
        changes.push(Change {
            entry: ours.then(|| renewed(file, &new)),
            file: file.file.clone(),
            fresh,
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
fn own_changes(
    store: &Store,
    args: &RegenerateArgs,
    fresh: &Path,
    out: &mut dyn Write,
) -> Result<Vec<Change>> {
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
                explain_change(out, &source.subject, file, OWN_WRITER, &old, &new)?;
                changes.push(Change {
                    fresh: put(fresh, &file.file, &new)?,
                    entry: Some(renewed(file, &new)),
                    file: file.file.clone(),
                });
            }
            None if files.iter().any(|file| file.sha256 == hash) => shared += 1,
            None => {
                let path = format!("{case}@{OWN_WRITER}.bin");
                writeln!(out, "{path}: new, {} bytes", new.len())?;
                let mut entry = renewed(model, &new);
                entry.file.clone_from(&path);
                entry.writers = vec![OWN_WRITER.to_owned()];
                changes.push(Change {
                    fresh: put(fresh, &path, &new)?,
                    entry: Some(entry),
                    file: path,
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

fn put(dir: &Path, file: &str, bytes: &[u8]) -> Result<PathBuf> {
    let path = dir.join(file);
    let fail = |error| Failure::harness(format!("{}: {error}", path.display()));
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(fail)?;
    }
    std::fs::write(&path, bytes).map_err(fail)?;
    Ok(path)
}

fn explain_change(
    out: &mut dyn Write,
    subject: &Subject,
    file: &File,
    writer: &str,
    old: &[u8],
    new: &[u8],
) -> Result<()> {
    let old_trace = Trace::of(subject, file.format, old, Limits::DEFAULT);
    let new_trace = Trace::of(subject, file.format, new, Limits::DEFAULT);
    let comparison = compare(
        &subject.schema,
        file.format,
        (old, &old_trace),
        (new, &new_trace),
    );
    let value = if comparison.same_value {
        "same value"
    } else {
        "ANOTHER VALUE"
    };
    writeln!(
        out,
        "{} as {writer}: {} -> {} bytes, {value}",
        file.file,
        old.len(),
        new.len()
    )?;
    for (cause, count) in comparison.causes() {
        writeln!(out, "  {count:>4}  {cause}")?;
    }
    if let Some(first) = comparison.leading() {
        let show = |side: &Option<crate::explain::Side>| match side {
            Some(side) => format!(
                "{} at byte {}",
                crate::explain::page::show_bytes(&side.bytes),
                side.offset
            ),
            None => "nothing".to_owned(),
        };
        writeln!(
            out,
            "  {}: {} -> {}",
            first.path,
            show(&first.a),
            show(&first.b)
        )?;
    }
    Ok(())
}

/// Takes the fresh files and then the list, each by an atomic replacement, so that a run cut
/// short leaves whole files and `golden verify` names what is not listed yet.
fn accept(store: &mut Store, changes: &[Change]) -> Result<()> {
    for change in changes {
        let Some(entry) = &change.entry else {
            continue;
        };
        let bytes = std::fs::read(&change.fresh)
            .map_err(|error| Failure::harness(format!("{}: {error}", change.fresh.display())))?;
        put_golden(store, &change.file, &bytes)?;
        record(store, entry.clone());
    }
    save(store)
}

/// Writes a file of the golden directory atomically.
pub(super) fn put_golden(store: &Store, file: &str, bytes: &[u8]) -> Result<()> {
    let path = store.path(file);
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)
            .map_err(|error| Failure::usage(format!("{}: {error}", dir.display())))?;
    }
    values::write_atomically(&path, bytes)
}

/// Lists a file of ours with its provenance.
pub(super) fn record(store: &mut Store, entry: File) {
    let manifest = &mut store.manifest;
    let provenance = Implementation {
        corpus: entry.corpus.clone(),
        format: entry.format,
        writer: OWN_WRITER.to_owned(),
        library: format!("interop-check {}", env!("CARGO_PKG_VERSION")),
        host: Some(format!(
            "{} {}",
            std::env::consts::ARCH,
            std::env::consts::OS
        )),
        made: Some(today()),
        command: Some("interop-check golden".to_owned()),
        dialect: None,
    };
    let known = manifest.implementations.iter_mut().find(|known| {
        known.corpus == provenance.corpus
            && known.format == provenance.format
            && known.writer == provenance.writer
    });
    match known {
        Some(known) => *known = provenance,
        None => manifest.implementations.push(provenance),
    }
    match manifest
        .files
        .iter_mut()
        .find(|file| file.file == entry.file)
    {
        Some(file) => *file = entry,
        None => {
            let neighbour = |file: &File| {
                file.corpus == entry.corpus
                    && file.format == entry.format
                    && (&file.set, &file.model, &file.file)
                        > (&entry.set, &entry.model, &entry.file)
            };
            let last = |file: &File| file.corpus == entry.corpus && file.format == entry.format;
            let place = manifest.files.iter().position(neighbour);
            let place = place
                .or_else(|| manifest.files.iter().rposition(last).map(|place| place + 1))
                .unwrap_or(manifest.files.len());
            manifest.files.insert(place, entry);
        }
    }
}

/// Writes MANIFEST.
pub(super) fn save(store: &Store) -> Result<()> {
    values::write_atomically(&store.path("MANIFEST"), store.manifest.print().as_bytes())
}
