//! Does what the command line asks for.

mod bench;
mod check;
mod codec;
mod explain;
mod generate;
mod golden;
mod known;
mod list;
mod peers;
mod schema;
mod vectors;

use std::io::Write;

use crate::cli::{Cli, Command};
use crate::exit::Result;

/// Runs the command and returns the code to leave with.
///
/// # Errors
/// Whatever keeps the command from its answer.
pub fn dispatch(cli: Cli, out: &mut dyn Write) -> Result<u8> {
    match cli.command {
        None => check::run(&cli.check, out),
        Some(Command::Check(args)) => check::run(&args, out),
        Some(Command::Merge(args)) => check::merge(&args, out),
        Some(Command::List(args)) => list::run(&args, out),
        Some(Command::Golden(command)) => golden::run(&command, out),
        Some(Command::Known(command)) => known::run(&command, out),
        Some(Command::Encode(args)) => codec::encode(&args, out),
        Some(Command::Decode(args)) => codec::decode(&args, out),
        Some(Command::Transcode(args)) => codec::transcode(&args, out),
        Some(Command::Explain(args)) => explain::explain(&args, out),
        Some(Command::Diff(args)) => explain::diff(&args, out),
        Some(Command::Vectors(args)) => vectors::run(&args, out),
        Some(Command::Schema(args)) => schema::run(&args, out),
        Some(Command::Generate(args)) => generate::run(&args, out),
        Some(Command::Peers(command)) => peers::run(&command, out),
        Some(Command::Bench(args)) => bench::bench(&args, out),
        Some(Command::Sizes(args)) => bench::sizes(&args, out),
        Some(Command::Report(args)) => bench::report(&args, out),
        Some(Command::Profile(args)) => bench::profile(&args, out),
    }
}

/// Prints a JSON object on lines of its own.
fn print_json(out: &mut dyn Write, value: &serde_json::Value) -> Result<()> {
    writeln!(out, "{value:#}")?;
    Ok(())
}
