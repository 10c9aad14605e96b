//! What changes in a golden file, explained as `diff` explains it.

use std::io::Write;

use interop_codec::Document;
use interop_wire::Limits;

use super::{File, Store};
use crate::exit::{Failure, Result};
use crate::explain::{Side, Trace, compare, page};
use crate::subject::{Catalog, Subject};
use crate::values;

/// A case's message and value.
pub(super) struct Case {
    pub(super) subject: Subject,
    pub(super) document: Document,
}

/// The message and value that `file` is of.
///
/// # Errors
/// Exit 2 when MANIFEST, schema or values are unusable.
pub(super) fn load(store: &Store, catalog: &mut Catalog, file: &File) -> Result<Case> {
    let model = store.manifest.model_of(file)?;
    let subject = catalog.subject(store, model)?;
    let bytes = store.read(&file.values)?;
    let document = values::parse_file(&subject, &file.values, &bytes)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.values)))?;
    Ok(Case { subject, document })
}

/// Prints what tells `new` from `old`, both of `writer`, and why.
pub(super) fn explain(
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
    let value = match (comparison.same_value, &old_trace.result, &new_trace.result) {
        (true, ..) => "same value",
        (false, Ok(_), Ok(_)) => "ANOTHER VALUE",
        (false, Err(_), _) => "the file does not decode",
        (false, ..) => "WHAT IS NEW DOES NOT DECODE",
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
        let show = |side: &Option<Side>| match side {
            Some(side) => format!("{} at byte {}", page::show_bytes(&side.bytes), side.offset),
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
