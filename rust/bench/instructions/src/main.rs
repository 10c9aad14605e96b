//! `cargo run --release --manifest-path rust/bench/Cargo.toml --bin instructions -- --check`: instructions that an
//! operation of the compiled codec takes, for every format, model and operation.
//!
//! Unlike times, they are the same on a busy machine, so that growth is found when it happens.
//! The counts are kept in `rust/bench/instructions.json`.

mod callgrind;
mod operations;
mod record;

use std::process::ExitCode;

use record::Record;

const USAGE: &str = "know --check (exit 1 when a cell grew), --update (keep new counts), --filter TEXT (print them)";

fn run() -> Result<bool, String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["--operations", filter] => operations::run(filter)?,
        ["--filter", filter] => {
            for (cell, count) in callgrind::count(filter)? {
                println!("{count:>12} {cell}");
            }
        }
        ["--check"] => {
            let kept = Record::load()?;
            let verdict = kept.compare(&counted()?);
            print!("{}", verdict.text);
            return Ok(verdict.holds);
        }
        ["--update"] => {
            let new = counted()?;
            if let Ok(kept) = Record::load() {
                print!("{}", kept.compare(&new).text);
            }
            new.save()?;
        }
        _ => return Err(USAGE.to_owned()),
    }
    Ok(true)
}

fn counted() -> Result<Record, String> {
    let valgrind = callgrind::version()?;
    Ok(Record::new(valgrind, callgrind::count("")?))
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::from(2)
        }
    }
}
