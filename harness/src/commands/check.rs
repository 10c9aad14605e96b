//! `check` and `merge`.

use std::io::Write;

use serde_json::json;

use crate::check::judge::Report;
use crate::check::shard::Part;
use crate::check::{check, github, html, human, json, jsonl, junit, markdown};
use crate::cli::{CheckArgs, CheckOutput, MergeArgs, ResultArgs};
use crate::exit::Result;
use crate::golden::Store;

pub(super) fn run(args: &CheckArgs, out: &mut dyn Write) -> Result<u8> {
    let store = Store::find(args.golden.golden.as_deref())?;
    // A panic of the codec becomes the verdict of its cell; its text belongs there, not on stderr.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let report = check(args, &store);
    std::panic::set_hook(hook);
    let report = report?;
    let part = match args.shard {
        Some(shard) => Some(Part::new(shard, args, &store, &report)?),
        None => None,
    };
    finish(&args.results, &report, part.as_ref(), &store, out)
}

pub(super) fn merge(args: &MergeArgs, out: &mut dyn Write) -> Result<u8> {
    let store = Store::find(args.golden.golden.as_deref())?;
    let parts = args
        .files
        .iter()
        .map(|file| crate::check::merge::load(file));
    let report = crate::check::merge::merge(parts.collect::<Result<_>>()?, &store)?;
    finish(&args.results, &report, None, &store, out)
}

/// Puts the report where it is wanted; gives the code to leave with.
fn finish(
    args: &ResultArgs,
    report: &Report,
    part: Option<&Part>,
    store: &Store,
    out: &mut dyn Write,
) -> Result<u8> {
    if let Some(directory) = &args.report {
        html::write(directory, report, store)?;
    }
    match args.output {
        CheckOutput::Human => human::print(out, report, store)?,
        CheckOutput::Json => {
            let mut object = json::to_json(report, store);
            match part {
                None => super::print_json(out, &object)?,
                // Long, and for `merge` to read: on one line.
                Some(part) => {
                    object["shard"] = json!(part);
                    writeln!(out, "{object}")?;
                }
            }
        }
        CheckOutput::Jsonl => jsonl::print(out, report, store)?,
        CheckOutput::Junit => junit::print(out, report, store)?,
        CheckOutput::Markdown => markdown::print(out, report, store)?,
        CheckOutput::Github => github::print(out, report, store)?,
    }
    Ok(report.conclusion().exit_code())
}
