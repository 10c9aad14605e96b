//! `cargo run --release --manifest-path rust/bench/Cargo.toml -- --quick --output json`: the compiled codec beside every
//! Rust library it is compared with.
//!
//! Contestants of a cell take turns in short rounds, so that the machine's drift hits all alike;
//! a row's time is the median over rounds, its interval a bootstrap of that median.

mod measure;
mod report;

use interop_bench::{allocations, contestants};
use interop_bench_setup::{cases, host};
use interop_contestants::cell::Op;
use interop_contestants::libraries;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// What the command line asks for.
struct Arguments {
    rounds: usize,
    json: bool,
    filter: Option<String>,
    suite: bool,
    op: Option<String>,
}

/// The allocator is chosen when the program is built; the option makes sure of it.
const BUILD_MIMALLOC: &str =
    "built with the system's allocator: add --features mimalloc to cargo's options";

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments {
        rounds: 1000,
        json: false,
        filter: None,
        suite: false,
        op: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => parsed.rounds = 200,
            "--rounds" => {
                let count = words.next().and_then(|count| count.parse().ok());
                parsed.rounds = count.ok_or("--rounds takes a number")?;
            }
            "--suite" => parsed.suite = true,
            "--op" => parsed.op = words.next(),
            "--filter" => parsed.filter = words.next(),
            "--allocator" => match words.next().as_deref() {
                Some(name) if name == allocations::NAME => {}
                Some("mimalloc") => return Err(BUILD_MIMALLOC.to_owned()),
                Some("system") => {
                    return Err("built with mimalloc: leave out --features mimalloc".to_owned());
                }
                _ => return Err("--allocator takes system or mimalloc".to_owned()),
            },
            "--output" => match words.next().as_deref() {
                Some("json") => parsed.json = true,
                Some("markdown") => parsed.json = false,
                _ => return Err("--output takes json or markdown".to_owned()),
            },
            other => {
                return Err(format!(
                    "{other}: know --quick, --rounds N, --suite, --filter TEXT, --op NAME, --allocator system|mimalloc, --output json|markdown"
                ));
            }
        }
    }
    Ok(parsed)
}

fn run() -> Result<(), String> {
    let arguments = arguments()?;
    let mut cases = cases::canonical()?;
    if arguments.suite {
        cases.extend(cases::suite(&["small", "medium", "large"])?);
    }
    for (name, why) in libraries::unavailable() {
        eprintln!("{name} left out: {why}; interop-check peers build rust installs it");
    }
    let mut rows = Vec::new();
    for case in &cases {
        let (model, set) = (case.model, case.set);
        let wanted = |format: &str| {
            let filter = arguments.filter.as_ref();
            filter.is_none_or(|text| format!("{format}/{model}/{set}").contains(text.as_str()))
        };
        for mut group in contestants::groups(case, wanted)? {
            let format = group.format;
            for op in Op::ALL {
                if arguments.op.as_ref().is_some_and(|name| name != op.name()) {
                    continue;
                }
                let measured = measure::group(&mut group.cells, op, arguments.rounds);
                rows.extend(report::rows(format, model, set, op, measured));
            }
            if !arguments.json {
                eprintln!("{format}/{model}/{set}");
            }
        }
    }
    let host = host::describe(allocations::NAME);
    if arguments.json {
        println!("{}", report::json(&host, &rows));
    } else {
        println!("{}", report::markdown(&host, &rows));
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interop-bench: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
