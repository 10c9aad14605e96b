//! `explain` and `diff`.

use std::io::Write;
use std::path::Path;

use interop_codec::Format;
use interop_wire::Limits;
use serde_json::json;

use crate::cli::{DiffArgs, ExplainArgs, GoldenDir, Output, SubjectArgs};
use crate::exit::{COMPATIBLE, DIFFERENT, Failure, Result};
use crate::explain::{Comparison, Side, Trace, compare, page};
use crate::golden::{File, Store};
use crate::subject::{Catalog, Subject, canonical_model};
use crate::value_diff::shorten;
use crate::values::read_input;

/// Bytes to look at, and what they are of.
struct Input {
    title: String,
    subject: Subject,
    format: Format,
    bytes: Vec<u8>,
}

pub(super) fn explain(args: &ExplainArgs, out: &mut dyn Write) -> Result<u8> {
    let limits = args.limits.limits();
    let inputs = match (&args.file, &args.set) {
        (Some(file), _) => vec![input(
            file,
            &args.subject,
            args.format,
            &args.golden,
            limits,
        )?],
        (None, Some(set)) => golden_inputs(args, set)?,
        (None, None) => {
            return Err(Failure::usage(
                "explain what? give FILE, or --model and --set",
            ));
        }
    };
    let mut code = COMPATIBLE;
    let mut pages = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let trace = Trace::of(&input.subject, input.format, &input.bytes, limits);
        if trace.result.is_err() {
            code = DIFFERENT;
        }
        match args.output {
            Output::Human => {
                if index > 0 {
                    writeln!(out)?;
                }
                page::print_human(out, &input.title, input.format, &input.bytes, &trace)?;
            }
            Output::Json => {
                pages.push(page::to_json(
                    &input.title,
                    input.format,
                    &input.bytes,
                    &trace,
                ));
            }
        }
    }
    if args.output == Output::Json {
        let page = match <[_; 1]>::try_from(pages) {
            Ok([page]) => page,
            Err(pages) => json!(pages),
        };
        super::print_json(out, &page)?;
    }
    Ok(code)
}

pub(super) fn diff(args: &DiffArgs, out: &mut dyn Write) -> Result<u8> {
    let limits = args.limits.limits();
    let a = input(&args.a, &args.subject, args.format, &args.golden, limits)?;
    let b = input(&args.b, &args.subject, args.format, &args.golden, limits)?;
    if a.format != b.format || a.subject.name() != b.subject.name() {
        return Err(Failure::usage(format!(
            "{} in {} can't be aligned with {} in {}",
            a.subject.name(),
            a.format,
            b.subject.name(),
            b.format
        )));
    }
    let trace_a = Trace::of(&a.subject, a.format, &a.bytes, limits);
    let trace_b = Trace::of(&b.subject, b.format, &b.bytes, limits);
    let comparison = compare(
        &a.subject.schema,
        a.format,
        (&a.bytes, &trace_a),
        (&b.bytes, &trace_b),
    );
    let same_bytes = a.bytes == b.bytes;
    match args.output {
        Output::Human => print_human(out, &a, &b, &comparison, [&trace_a, &trace_b])?,
        Output::Json => {
            let differences: Vec<_> = comparison
                .differences
                .iter()
                .map(|difference| {
                    json!({
                        "path": difference.path.to_string(),
                        "part": difference.part.name(),
                        "cause": difference.cause.name(),
                        "a": difference.a.as_ref().map(side_json),
                        "b": difference.b.as_ref().map(side_json),
                    })
                })
                .collect();
            let causes: serde_json::Map<_, _> = comparison
                .causes()
                .into_iter()
                .map(|(cause, count)| (cause.name().to_owned(), json!(count)))
                .collect();
            let error = |trace: &Trace| trace.result.as_ref().err().map(page::error_to_json);
            super::print_json(
                out,
                &json!({
                    "a": a.title,
                    "b": b.title,
                    "format": a.format.name(),
                    "same_bytes": same_bytes,
                    "same_value": comparison.same_value,
                    "causes": causes,
                    "differences": differences,
                    "a_error": error(&trace_a),
                    "b_error": error(&trace_b),
                }),
            )?;
        }
    }
    Ok(if same_bytes { COMPATIBLE } else { DIFFERENT })
}

fn side_json(side: &Side) -> serde_json::Value {
    json!({
        "offset": side.offset,
        "bytes": crate::value_diff::hex(&side.bytes),
        "meaning": side.meaning,
        "value": side.value,
    })
}

fn print_human(
    out: &mut dyn Write,
    a: &Input,
    b: &Input,
    comparison: &Comparison,
    traces: [&Trace; 2],
) -> Result<()> {
    writeln!(out, "a: {} ({} bytes)", a.title, a.bytes.len())?;
    writeln!(out, "b: {} ({} bytes)", b.title, b.bytes.len())?;
    if a.bytes == b.bytes {
        writeln!(out, "identical")?;
        return Ok(());
    }
    let values = if comparison.same_value {
        "same value, other bytes"
    } else {
        "different values"
    };
    writeln!(out, "{values}")?;
    for (cause, count) in comparison.causes() {
        writeln!(out, "  {count:>4}  {cause}")?;
    }
    for difference in &comparison.differences {
        let path = if difference.path.is_root() {
            "-".to_owned()
        } else {
            difference.path.to_string()
        };
        writeln!(
            out,
            "\n{path}: {} ({})",
            difference.cause,
            difference.part.name()
        )?;
        for (name, side) in [("a", &difference.a), ("b", &difference.b)] {
            match side {
                Some(side) => writeln!(
                    out,
                    "  {name} {:>6}  {}  {}: {}",
                    side.offset,
                    page::show_bytes(&side.bytes),
                    side.meaning,
                    shorten(&side.value)
                )?,
                None => writeln!(out, "  {name}      -  nothing")?,
            }
        }
    }
    for (name, trace) in ["a", "b"].into_iter().zip(traces) {
        if let Err(error) = &trace.result {
            writeln!(out, "\n{name} breaks {error}")?;
        }
    }
    Ok(())
}

/// The bytes of a file with what they are of: as the flags say, else as MANIFEST does.
fn input(
    path: &Path,
    subject: &SubjectArgs,
    format: Option<Format>,
    golden: &GoldenDir,
    limits: Limits,
) -> Result<Input> {
    let bytes = read_input(path, limits.message_bytes)?;
    let named = subject.model.is_some() || subject.proto.is_some() || subject.fdl.is_some();
    let title = path.display().to_string();
    if named && let Some(format) = format {
        return Ok(Input {
            title,
            subject: Subject::from_args(subject)?,
            format,
            bytes,
        });
    }
    // A file of the golden tree, or a copy of one (a changed one, say) under the same name.
    let store = Store::find(golden.golden.as_deref());
    let entry = store.as_ref().ok().and_then(|store| {
        store.entry_of(path).or_else(|| {
            let name = path.to_str()?.replace('\\', "/");
            let mut files = store.manifest.files.iter();
            files.find(|file| name.ends_with(&format!("/{}", file.file)))
        })
    });
    let (Ok(store), Some(entry)) = (&store, entry) else {
        let what = if named {
            "--format"
        } else {
            "--model and --format"
        };
        return Err(
            Failure::usage(format!("{title} is not a golden file that MANIFEST lists"))
                .hint(format!("say what it is with {what}")),
        );
    };
    let from_store = golden_input(store, entry, bytes)?;
    Ok(Input {
        subject: if named {
            Subject::from_args(subject)?
        } else {
            from_store.subject
        },
        format: format.unwrap_or(from_store.format),
        title,
        bytes: from_store.bytes,
    })
}

fn golden_input(store: &Store, entry: &File, bytes: Vec<u8>) -> Result<Input> {
    let model = store.manifest.model_of(entry)?;
    Ok(Input {
        title: store.path(&entry.file).display().to_string(),
        subject: Catalog::default().subject(store, model)?,
        format: entry.format,
        bytes,
    })
}

fn golden_inputs(args: &ExplainArgs, set: &str) -> Result<Vec<Input>> {
    let Some(model) = &args.subject.model else {
        return Err(Failure::usage("--set needs --model"));
    };
    let model = canonical_model(model);
    let store = Store::find(args.golden.golden.as_deref())?;
    let mut inputs = Vec::new();
    for entry in &store.manifest.files {
        let wanted = entry.model.eq_ignore_ascii_case(&model)
            && entry.set == set
            && args.format.is_none_or(|format| format == entry.format)
            && args
                .writer
                .as_ref()
                .is_none_or(|writer| entry.writers.contains(writer));
        if wanted {
            inputs.push(golden_input(&store, entry, store.read(&entry.file)?)?);
        }
    }
    if inputs.is_empty() {
        return Err(
            Failure::usage(format!("no golden file of {model}, set {set}"))
                .hint("see what there is with: interop-check list --cases"),
        );
    }
    Ok(inputs)
}
