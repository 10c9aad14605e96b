//! Runs as files: recorded, compared, gated, reported, interrupted.

use std::path::Path;
use std::process::{Command, Output};

/// `bench` over our own codec alone: a folder without peers, so that no toolchain is needed.
fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interop-check"));
    command
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("FORY_BENCH_SCHEMA_MISMATCH");
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

const OWN: [&str; 6] = [
    "--peers",
    "tests/cmd",
    "--data",
    "struct",
    "--duration",
    "0.01",
];

#[test]
fn runs_are_recorded_compared_gated_and_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let history = directory.path().join("history");
    let mut args = vec!["bench", "record", "--runs", "2", "--dir", text(&history)];
    args.extend(OWN);
    let recorded = run(&args);
    assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
    let files: Vec<String> = stdout(&recorded)
        .lines()
        .map(|line| line.split_once(": ").expect("file: cells").0.to_owned())
        .collect();
    assert_eq!(files.len(), 2);

    // Times of a busy machine differ; what must not is that the same run equals itself.
    let same = run(&["bench", "compare", &files[0], &files[0]]);
    assert_eq!(same.status.code(), Some(0));
    assert!(
        stdout(&same).contains("12 cells compared, 0 decided"),
        "{same:?}"
    );
    let json = run(&[
        "bench", "compare", &files[0], &files[1], "--margin", "1000", "--output", "json",
    ]);
    assert_eq!(json.status.code(), Some(0));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["changes"].as_array().map(Vec::len), Some(12));

    let gate = directory.path().join("gate.json");
    let made = run(&["bench", "gate", &files[0], &files[1], "--out", text(&gate)]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    assert!(
        stdout(&made).contains("alarms in 20 comparisons"),
        "{made:?}"
    );
    let alone = run(&["bench", "gate", &files[0], "--out", text(&gate)]);
    assert_eq!(alone.status.code(), Some(2));

    // Agreed ratios that nothing can keep make the gate fail.
    let agreed = std::fs::read_to_string(&gate).expect("the gate");
    let mut impossible: serde_json::Value = serde_json::from_str(&agreed).expect("JSON");
    for ratio in impossible["ratios"].as_array_mut().expect("ratios") {
        ratio["ratio"] = 1e-6.into();
    }
    std::fs::write(&gate, impossible.to_string()).expect("written");
    let report = directory.path().join("report");
    let mut args = vec!["bench", "--gate", text(&gate), "--report", text(&report)];
    args.extend(OWN);
    let gated = run(&args);
    assert_eq!(gated.status.code(), Some(1), "{gated:?}");
    assert!(stdout(&gated).contains("gate: 10 ratios compared, 10 alarms"));
    assert!(report.join("REPORT.md").is_file());

    let mut args = vec!["bench", "--output", "json", "--baseline", &files[0]];
    args.extend(OWN);
    let compared = run(&args);
    assert!(
        matches!(compared.status.code(), Some(0 | 1)),
        "{compared:?}"
    );
    let record: serde_json::Value = serde_json::from_slice(&compared.stdout).expect("JSON");
    assert_eq!(record["cells"].as_array().map(Vec::len), Some(12));
    let figures: usize = record["recorded"]
        .as_array()
        .expect("tables")
        .iter()
        .map(|table| table["figures"].as_array().map_or(0, Vec::len))
        .sum();
    assert_eq!(figures, 138);
    assert!(String::from_utf8_lossy(&compared.stderr).contains("12 cells compared"));

    let again = directory.path().join("again");
    let plotted = run(&[
        "report",
        "--json-file",
        &files[1],
        "--output-dir",
        text(&again),
        "--plot-prefix",
        "x-",
    ]);
    assert_eq!(plotted.status.code(), Some(0), "{plotted:?}");
    assert!(again.join("x-throughput-NumericStruct.svg").is_file());
}

#[test]
fn symbols_are_asked_for_where_there_are_none() {
    let directory = tempfile::tempdir().expect("a directory");
    let golden = directory.path().join("golden");
    std::fs::create_dir(&golden).expect("made");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    for file in ["MANIFEST", "values/canonical/Sample.json"] {
        let target = golden.join(file);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("made");
        std::fs::copy(source.join(file), target).expect("copied");
    }
    let output = run(&[
        "bench",
        "--debug",
        "--data",
        "sample",
        "--peers",
        "tests/cmd",
        "--golden",
        text(&golden),
    ]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("hint: interop-check peers build --debug"),
        "{said}"
    );
}
