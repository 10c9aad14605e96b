//! `golden import`: files that a library wrote elsewhere, on a machine where it runs.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use super::change::{explain, load};
use super::next::Next;
use super::regroup::{self, Fresh};
use super::{File, Implementation, OWN_WRITER, Store};
use crate::check::run::dialect_of;
use crate::cli::ImportArgs;
use crate::exit::{COMPATIBLE, Failure, Result};
use crate::subject::Catalog;
use crate::value_diff::first_difference;

/// Runs the command. All files are taken, or none is.
///
/// # Errors
/// Exit 1 when a file is not the value of its case, or the writer has another one of it; exit 2
/// when a file belongs to no case or the provenance is not complete.
pub fn run(args: &ImportArgs, out: &mut dyn Write) -> Result<u8> {
    let mut store = Store::find(args.golden.golden.as_deref())?;
    if args.writer == OWN_WRITER {
        return Err(Failure::usage(format!(
            "{OWN_WRITER} is our own codec, whose files golden regenerate writes"
        )));
    }
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    if args.writer.is_empty() || !args.writer.chars().all(is_name) {
        return Err(Failure::usage(format!(
            "--writer {:?}: a writer's name is made of small letters, digits, - and _",
            args.writer
        )));
    }
    let provenance = Provenance::parse(&args.provenance)?;
    let mut names = Vec::new();
    list(&args.dir, "", &mut names)?;
    names.sort();
    if names.is_empty() {
        return Err(Failure::usage(format!("{}: no files", args.dir.display())));
    }
    let mut fresh = Vec::new();
    let mut strangers = Vec::new();
    for name in &names {
        match case_of(&store, name) {
            Some(of) => {
                let path = args.dir.join(name);
                let bytes = std::fs::read(&path)
                    .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
                fresh.push(Fresh {
                    of,
                    writer: args.writer.clone(),
                    bytes,
                });
            }
            None => strangers.push(name.as_str()),
        }
    }
    if !strangers.is_empty() {
        return Err(Failure::usage(format!(
            "{} of {} files belong to no case: {}",
            strangers.len(),
            names.len(),
            strangers.join(", ")
        ))
        .hint(
            "a file is called FORMAT/SET/MODEL.bin (v2/..., types/...); \
             the cases are listed by interop-check list --cases",
        ));
    }
    provide(&mut store, args, &provenance, &fresh)?;
    let fresh = examine(&store, args, fresh, out)?;
    if fresh.is_empty() {
        writeln!(out, "nothing new")?;
        return Ok(COMPATIBLE);
    }
    let taken = fresh.len();
    let next = Next::of(&store)?;
    regroup::put(&mut store, &next, fresh)?;
    next.take(&store.manifest)?;
    writeln!(out, "{taken} files taken")?;
    Ok(COMPATIBLE)
}

/// What was said of the origin.
struct Provenance {
    library: String,
    host: Option<String>,
    made: Option<String>,
    command: Option<String>,
    dialect: Option<String>,
}

impl Provenance {
    fn parse(pairs: &[String]) -> Result<Self> {
        let mut said: BTreeMap<&str, String> = BTreeMap::new();
        for pair in pairs {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| Failure::usage(format!("--provenance {pair:?}: it is KEY=VALUE")))?;
            if !["library", "host", "made", "command", "dialect"].contains(&key) {
                return Err(Failure::usage(format!(
                    "--provenance {key}: the keys are library, host, made, command and dialect"
                )));
            }
            let value = value.trim();
            if value.is_empty() || said.insert(key, value.to_owned()).is_some() {
                return Err(Failure::usage(format!(
                    "--provenance {key}: one value that is not empty"
                )));
            }
        }
        let made = said.remove("made");
        if let Some(made) = made.as_ref().filter(|made| !crate::known::is_date(made)) {
            return Err(Failure::usage(format!(
                "--provenance made: a date as YYYY-MM-DD, not {made:?}"
            )));
        }
        let library = said.remove("library").ok_or_else(|| {
            Failure::usage("--provenance lacks library=NAME VERSION")
                .hint("for example: --provenance library='fory crate 1.7.7, Rust 1.95'")
        })?;
        Ok(Self {
            library,
            host: said.remove("host"),
            made,
            command: said.remove("command"),
            dialect: said.remove("dialect"),
        })
    }
}

/// Lists the writer as implementation of each corpus and format that it wrote.
fn provide(
    store: &mut Store,
    args: &ImportArgs,
    provenance: &Provenance,
    fresh: &[Fresh],
) -> Result<()> {
    for Fresh { of, .. } in fresh {
        let entry = Implementation {
            corpus: of.corpus.clone(),
            format: of.format,
            writer: args.writer.clone(),
            library: provenance.library.clone(),
            host: provenance.host.clone(),
            made: provenance.made.clone(),
            command: provenance.command.clone(),
            dialect: provenance.dialect.clone(),
        };
        match store.manifest.implementation(of, &args.writer) {
            Some(known) if known.library != entry.library => {
                return Err(Failure::usage(format!(
                    "{} in {}/{} is {:?}, not {:?}",
                    args.writer, of.corpus, of.format, known.library, entry.library
                ))
                .hint("another version is another writer: give it another --writer name"));
            }
            // What is there keeps its provenance.
            Some(_) => {}
            None => store.manifest.provide(entry),
        }
        if of.format.is_binary() {
            dialect_of(store, of, &args.writer).map_err(|error| {
                Failure::usage(error).hint(
                    "name the dialect that its bytes are held against: --provenance dialect=NAME \
                     (interop-check list --dialects)",
                )
            })?;
        }
    }
    Ok(())
}

/// Holds the files against the values of their cases and against what is there; gives those
/// that are new.
fn examine(
    store: &Store,
    args: &ImportArgs,
    fresh: Vec<Fresh>,
    out: &mut dyn Write,
) -> Result<Vec<Fresh>> {
    let mut catalog = Catalog::default();
    let mut wrong = 0;
    let mut new = Vec::new();
    for item in fresh {
        let Fresh { of, writer, bytes } = &item;
        let case = load(store, &mut catalog, of)?;
        let (schema, id) = (&case.subject.schema, case.subject.id);
        let name = of.case();
        let options = interop_codec::DecodeOptions::default();
        match interop_codec::decode(schema, id, of.format, bytes, options) {
            Err(error) => {
                wrong += 1;
                writeln!(out, "{name}: does not decode: {error}")?;
                continue;
            }
            Ok(read) => {
                if let Some(difference) = first_difference(schema, &case.document, &read) {
                    wrong += 1;
                    writeln!(
                        out,
                        "{name}: another value: field {}: expected {}, read {}",
                        difference.path, difference.expected, difference.found
                    )?;
                    continue;
                }
            }
        }
        let same_case: Vec<&File> = store
            .manifest
            .files
            .iter()
            .filter(|file| file.case() == name)
            .collect();
        let before = same_case.iter().find(|file| file.writers.contains(writer));
        if let Some(before) = before {
            let old = store.read(&before.file)?;
            if old != *bytes {
                wrong += 1;
                writeln!(out, "{name}: {} has other bytes already", args.writer)?;
                explain(out, &case.subject, before, writer, &old, bytes)?;
            }
            continue;
        }
        let hash = super::manifest::sha256_hex(bytes);
        match same_case.iter().find(|file| file.sha256 == hash) {
            Some(same) => writeln!(out, "{name}: as {}", same.writers.join(", "))?,
            None => writeln!(out, "{name}: {} bytes as nobody else's", bytes.len())?,
        }
        new.push(item);
    }
    if wrong > 0 {
        return Err(Failure::refused(format!(
            "{wrong} files are not what they should be; nothing was taken"
        )));
    }
    Ok(new)
}

/// An entry of the case that a file of the import belongs to.
fn case_of(store: &Store, name: &str) -> Option<File> {
    let stem = name
        .strip_suffix(".bin")
        .or_else(|| name.strip_suffix(".json"))?;
    let stem = stem.split_once('@').map_or(stem, |(case, _)| case);
    let same = |file: &&File| file.case() == stem;
    if let Some(file) = store.manifest.files.iter().find(same) {
        return Some(file.clone());
    }
    // A case that nobody has written in this format yet: any other file of it will do.
    let mut parts = stem.rsplitn(4, '/');
    let (model, set, format) = (parts.next()?, parts.next()?, parts.next()?);
    let prefix = parts.next();
    let format = format.parse().ok()?;
    let sibling = store.manifest.files.iter().find(|file| {
        let mut parts = file.case().rsplitn(4, '/');
        let theirs = (parts.next(), parts.next(), parts.nth(1));
        theirs == (Some(model), Some(set), prefix)
    })?;
    Some(File {
        file: format!("{stem}.bin"),
        format,
        ..sibling.clone()
    })
}

/// The files below a directory, with `/`.
fn list(dir: &Path, prefix: &str, names: &mut Vec<String>) -> Result<()> {
    let fail = |error| Failure::usage(format!("{}: {error}", dir.display()));
    for entry in std::fs::read_dir(dir).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(fail)?.is_dir() {
            list(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}
