//! `cargo run --release --manifest-path rust/bench/Cargo.toml -- --quick --output json`: the compiled codec beside every
//! Rust library it is compared with.
//!
//! Contestants of a cell take turns in short rounds, so that the machine's drift hits all alike;
//! a row's time is the median over rounds, its interval a bootstrap of that median.

mod allocations;
mod floors;
mod measure;
mod ours;
mod report;

use std::path::{Path, PathBuf};

use interop_contestants::cell::{Cell, Op};
use interop_contestants::{fory_cells, protobuf_cells};

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
            "--output" => match words.next().as_deref() {
                Some("json") => parsed.json = true,
                Some("markdown") => parsed.json = false,
                _ => return Err("--output takes json or markdown".to_owned()),
            },
            other => {
                return Err(format!(
                    "{other}: know --quick, --rounds N, --suite, --filter TEXT, --op NAME, --output json|markdown"
                ));
            }
        }
    }
    Ok(parsed)
}

const MODELS: [&str; 6] = [
    "NumericStruct",
    "Sample",
    "MediaContent",
    "NumericStructList",
    "SampleList",
    "MediaContentList",
];
const TYPES: [&str; 5] = [
    "SimpleStruct",
    "Person",
    "Company",
    "ECommerceData",
    "SystemData",
];

/// Model, set and the value's protobuf bytes.
fn cases(golden: &Path, suite: bool) -> Result<Vec<(String, String, Vec<u8>)>, String> {
    let read = |path: PathBuf| {
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut cases = Vec::new();
    let dir = golden.join("protobuf/canonical");
    let listed = std::fs::read_dir(&dir).map_err(|error| error.to_string())?;
    let names: Vec<PathBuf> = listed
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    for model in MODELS {
        let found = names.iter().find(|path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let (name, writers) = stem.split_once('@').unwrap_or((&stem, "rust-prost"));
            name == model && writers.split('+').any(|writer| writer == "rust-prost")
        });
        let path = found.ok_or_else(|| format!("no golden file of {model}"))?;
        cases.push((
            model.to_owned(),
            "canonical".to_owned(),
            read(path.clone())?,
        ));
    }
    if suite {
        for model in TYPES {
            for set in ["small", "medium", "large"] {
                let path = golden.join(format!("suite/{model}-{set}.pb"));
                cases.push((model.to_owned(), set.to_owned(), read(path)?));
            }
        }
    }
    Ok(cases)
}

fn run() -> Result<(), String> {
    let arguments = arguments()?;
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    let mut rows = Vec::new();
    for (model, set, bytes) in cases(&golden, arguments.suite)? {
        let ours = ours::formats(&model, &bytes)?;
        for (format, ours, floor) in ours {
            let label = format!("{format}/{model}/{set}");
            if arguments
                .filter
                .as_ref()
                .is_some_and(|text| !label.contains(text.as_str()))
            {
                continue;
            }
            let encoded = ours.encoded;
            let mut cells: Vec<Cell> = vec![ours.cell];
            match format {
                "protobuf" => cells.extend(protobuf_cells::protobuf(&model, &bytes)?),
                "fory" => cells.extend(fory_cells::fory(&model, &encoded, true)?),
                _ => cells.extend(fory_cells::fory(&model, &encoded, false)?),
            }
            let mut cells = cells;
            cells.push(floor);
            for op in Op::ALL {
                if arguments.op.as_ref().is_some_and(|name| name != op.name()) {
                    continue;
                }
                let measured = measure::group(&mut cells, op, arguments.rounds);
                rows.extend(report::rows(format, &model, &set, op, measured));
            }
            if !arguments.json {
                eprintln!("{label}");
            }
        }
    }
    if arguments.json {
        println!("{}", report::json(&rows));
    } else {
        println!("{}", report::markdown(&rows));
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
