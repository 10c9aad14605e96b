//! `golden verify`, `golden regenerate`, `golden import`, `golden add`.

use std::io::Write;

use serde_json::json;

use crate::cli::{GoldenCommand, Output, VerifyArgs};
use crate::exit::{COMPATIBLE, DIFFERENT, Result};
use crate::golden::{Store, add, import, regenerate, verify};

pub(super) fn run(command: &GoldenCommand, out: &mut dyn Write) -> Result<u8> {
    match command {
        GoldenCommand::Verify(args) => run_verify(args, out),
        GoldenCommand::Regenerate(args) => regenerate::run(args, out),
        GoldenCommand::Import(args) => import::run(args, out),
        GoldenCommand::Add(args) => add::run(args, out),
    }
}

fn run_verify(args: &VerifyArgs, out: &mut dyn Write) -> Result<u8> {
    let store = Store::find(args.golden.golden.as_deref())?;
    let faults = verify::verify(&store)?;
    let count = store.manifest.listed().count();
    match args.output {
        Output::Json => super::print_json(out, &json!({"files": count, "faults": faults}))?,
        Output::Human => {
            for fault in &faults {
                writeln!(out, "{}: {}", fault.file, fault.fault)?;
            }
            if faults.is_empty() {
                writeln!(out, "{count} files as in MANIFEST")?;
            } else {
                writeln!(out, "{} faults in {count} files listed", faults.len())?;
            }
        }
    }
    Ok(if faults.is_empty() {
        COMPATIBLE
    } else {
        DIFFERENT
    })
}
