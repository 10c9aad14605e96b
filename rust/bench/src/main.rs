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
use interop_contestants::libraries::{self, schemaless};
use interop_contestants::protocol::Tree;

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

/// The value as a tree, by way of a library that is none of the measured ones' concern: every
/// contestant is filled from it and must read and write it.
fn tree_of(full_name: &str, bytes: &[u8]) -> Result<Tree, String> {
    let mut all = libraries::all().into_iter();
    let found = all.find(|listed| listed.library.format == "protobuf");
    let made = found.and_then(|listed| (listed.with)(full_name));
    made.ok_or("no protobuf library")?.decode(bytes)
}

/// All contestants in `format` but our own. They read `input` where it is theirs to read.
fn others(
    format: &str,
    full_name: &str,
    tree: &Tree,
    input: Option<&[u8]>,
) -> Result<Vec<Cell>, String> {
    libraries::all()
        .into_iter()
        .filter(|listed| listed.library.format == format)
        .filter(|listed| !listed.library.name.starts_with("interop"))
        .filter_map(|listed| (listed.with)(full_name))
        .map(|contestant| contestant.cell(tree, input))
        .collect()
}

fn run() -> Result<(), String> {
    let arguments = arguments()?;
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    for (name, why) in libraries::unavailable() {
        eprintln!("{name} left out: {why}; interop-check peers build rust installs it");
    }
    let mut rows = Vec::new();
    for (model, set, bytes) in cases(&golden, arguments.suite)? {
        let full_name = libraries::MODELS
            .iter()
            .find(|name| name.rsplit('.').next() == Some(&model))
            .ok_or_else(|| format!("no model named {model}"))?;
        let tree = tree_of(full_name, &bytes)?;
        let wanted = |label: &str| {
            let filter = arguments.filter.as_ref();
            filter.is_none_or(|text| label.contains(text.as_str()))
        };
        let mut groups = Vec::new();
        for (format, ours, floor) in ours::formats(&model, &bytes)? {
            if !wanted(&format!("{format}/{model}/{set}")) {
                continue;
            }
            let mut cells: Vec<Cell> = vec![ours.cell];
            // Everybody reads the same bytes.
            let input = if format == "protobuf" { &bytes } else { &ours.encoded };
            cells.extend(others(format, full_name, &tree, Some(input))?);
            cells.push(floor);
            groups.push((format, cells));
        }
        if wanted(&format!("{}/{model}/{set}", schemaless::FORMAT)) {
            let cells = others(schemaless::FORMAT, full_name, &tree, None)?;
            groups.push((schemaless::FORMAT, cells));
        }
        for (format, mut cells) in groups {
            for op in Op::ALL {
                if arguments.op.as_ref().is_some_and(|name| name != op.name()) {
                    continue;
                }
                let measured = measure::group(&mut cells, op, arguments.rounds);
                rows.extend(report::rows(format, &model, &set, op, measured));
            }
            if !arguments.json {
                eprintln!("{format}/{model}/{set}");
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
