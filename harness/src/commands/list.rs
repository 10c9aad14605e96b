//! `list`: golden files, cases, cells, dialects.

use std::collections::BTreeMap;
use std::io::Write;

use interop_codec::{Dialect, Format};
use serde_json::json;

use crate::check::plan::{Plan, Selection};
use crate::cli::{ListArgs, Output};
use crate::exit::{COMPATIBLE, Failure, Result};
use crate::golden::{DataKind, OWN_WRITER, Store};

pub(super) fn run(args: &ListArgs, out: &mut dyn Write) -> Result<u8> {
    if args.dialects {
        return dialects(args, out);
    }
    let store = Store::find(args.golden.golden.as_deref())?;
    let paths: Vec<_> = store
        .manifest
        .data
        .iter()
        .filter(|file| file.kind == DataKind::Vectors)
        .map(|file| store.path(&file.file))
        .collect();
    let plan = Plan::full(&store.manifest, crate::vectors::load(&paths)?);
    let selected = Selection::new(&args.filters)?.select(&plan);
    if selected.is_empty() {
        return Err(Failure::usage("the filters leave nothing to list"));
    }
    let cells = selected.iter().map(|&index| &plan.cells[index]);
    if args.cells {
        let names: Vec<_> = cells.map(|cell| cell.name.as_str()).collect();
        return match args.output {
            Output::Json => super::print_json(out, &json!(names)),
            Output::Human => {
                for name in names {
                    writeln!(out, "{name}")?;
                }
                Ok(())
            }
        }
        .map(|()| COMPATIBLE);
    }
    if args.cases {
        let mut cases: BTreeMap<(&str, &str, &str), Vec<Format>> = BTreeMap::new();
        for cell in cells.filter(|cell| !cell.writer.is_empty()) {
            let formats = cases
                .entry((&cell.corpus, &cell.model, &cell.set))
                .or_default();
            if !formats.contains(&cell.format) {
                formats.push(cell.format);
            }
        }
        return list_cases(&cases, args.output, out);
    }
    let mut files: Vec<_> = cells
        .filter_map(|cell| match cell.source {
            crate::check::plan::Source::File(index) => Some(index),
            crate::check::plan::Source::Vector(_) => None,
        })
        .collect();
    files.dedup();
    let files: Vec<_> = files
        .iter()
        .map(|&index| &store.manifest.files[index])
        .collect();
    match args.output {
        Output::Json => {
            let files: Vec<_> = files.iter().map(|file| json!(file)).collect();
            super::print_json(out, &json!(files))?;
        }
        Output::Human => {
            for file in &files {
                writeln!(
                    out,
                    "{:>8}  {}  {}",
                    file.bytes,
                    file.file,
                    file.writers.join(",")
                )?;
            }
        }
    }
    Ok(COMPATIBLE)
}

fn list_cases(
    cases: &BTreeMap<(&str, &str, &str), Vec<Format>>,
    output: Output,
    out: &mut dyn Write,
) -> Result<u8> {
    let names = |formats: &[Format]| -> Vec<&'static str> {
        formats.iter().map(|format| format.name()).collect()
    };
    match output {
        Output::Json => {
            let cases: Vec<_> = cases
                .iter()
                .map(|((corpus, model, set), formats)| {
                    json!({"corpus": corpus, "model": model, "set": set, "formats": names(formats)})
                })
                .collect();
            super::print_json(out, &json!(cases))?;
        }
        Output::Human => {
            for ((corpus, model, set), formats) in cases {
                writeln!(
                    out,
                    "{corpus:<6} {model:<20} {set:<10} {}",
                    names(formats).join(" ")
                )?;
            }
        }
    }
    Ok(COMPATIBLE)
}

fn dialects(args: &ListArgs, out: &mut dyn Write) -> Result<u8> {
    let formats = Format::ALL
        .into_iter()
        .filter(|format| args.filters.formats.is_empty() || args.filters.formats.contains(format));
    let mut all = Vec::new();
    for format in formats {
        all.push((
            format,
            OWN_WRITER,
            "interop-check",
            Dialect::default_of(format),
        ));
        let presets = interop_codec::presets(format).into_iter();
        all.extend(presets.map(|p| (format, p.name, p.implementation, p.dialect)));
    }
    if !args.filters.writers.is_empty() {
        all.retain(|(_, name, ..)| args.filters.writers.iter().any(|wanted| wanted == name));
    }
    if all.is_empty() {
        return Err(Failure::usage("the filters leave no dialect"));
    }
    match args.output {
        Output::Json => {
            let all: Vec<_> = all
                .iter()
                .map(|(format, name, implementation, dialect)| {
                    let choices: serde_json::Map<_, _> = dialect
                        .choices()
                        .into_iter()
                        .map(|choice| (choice.name.to_owned(), json!(choice.value)))
                        .collect();
                    json!({
                        "format": format.name(),
                        "dialect": name,
                        "implementation": implementation,
                        "choices": choices,
                    })
                })
                .collect();
            super::print_json(out, &json!(all))?;
        }
        Output::Human => {
            let mut last = None;
            for (format, name, implementation, dialect) in &all {
                if last != Some(*format) {
                    let gap = if last.is_some() { "\n" } else { "" };
                    writeln!(out, "{gap}{format}")?;
                    last = Some(*format);
                }
                writeln!(out, "  {name}: {implementation}")?;
                for choice in dialect.choices() {
                    writeln!(out, "      {} = {}", choice.name, choice.value)?;
                }
            }
        }
    }
    Ok(COMPATIBLE)
}
