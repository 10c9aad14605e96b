use std::io::Write;

use crate::check::{check, human, json};
use crate::cli::{CheckArgs, Output};
use crate::exit::{COMPATIBLE, DIFFERENT, HARNESS, Result};
use crate::golden::Store;

pub(super) fn run(args: &CheckArgs, out: &mut dyn Write) -> Result<u8> {
    let store = Store::find(args.golden.golden.as_deref())?;
    // A panic of the codec becomes the verdict of its cell; its text belongs there, not on stderr.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let report = check(args, &store);
    std::panic::set_hook(hook);
    let report = report?;
    match args.output {
        Output::Human => human::print(out, &report, &store)?,
        Output::Json => super::print_json(out, &json::to_json(&report, &store))?,
    }
    Ok(if !report.harness_faults.is_empty() {
        HARNESS
    } else if report.is_compatible() {
        COMPATIBLE
    } else {
        DIFFERENT
    })
}
