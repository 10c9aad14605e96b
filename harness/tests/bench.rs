//! Runs as files: recorded, compared, gated, reported, interrupted.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

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

/// A folder with one peer, which makes its times up.
fn made_up_peer(directory: &Path, tool: &str) {
    let peer = directory.join("testkit");
    std::fs::create_dir(&peer).expect("made");
    let testkit = env!("CARGO_BIN_EXE_interop-testkit");
    let run = format!("[{testkit:?}, \"none\", \"0\", \"--bench\"]");
    let text = format!(
        "language = \"testkit\"\nbuild = [\"true\"]\nrun = {run}\nversions = [\"true\"]\n{tool}"
    );
    std::fs::write(peer.join("peer.toml"), text).expect("written");
}

#[test]
fn the_own_tool_of_a_language_is_set_beside_the_loop() {
    let directory = tempfile::tempdir().expect("a directory");
    let report = directory.path().join("report");
    let tool = "[native]\ntool = \"stopwatch\"\nargs = [\"--native\"]\n";
    let peers = directory.path().join("peers");
    std::fs::create_dir(&peers).expect("made");
    made_up_peer(&peers, tool);
    let args = [
        "bench",
        "--native",
        "--peers",
        text(&peers),
        "--lang",
        "testkit",
        "--data",
        "struct",
        "--duration",
        "0.01",
        "--output",
        "json",
        "--report",
        text(&report),
    ];
    let output = run(&args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let cells = record["native"].as_array().expect("cells");
    // Protobuf and MessagePack, both ways.
    assert_eq!(cells.len(), 4, "{record}");
    for cell in cells {
        assert_eq!(cell["method"], "native");
        assert_eq!(cell["tool"], "stopwatch");
        let ratio = cell["ratio"]["median"].as_f64().expect("a number");
        assert!((ratio - 1.5).abs() < 0.01, "{cell}");
    }
    for page in ["REPORT.md", "report.html"] {
        let page = std::fs::read_to_string(report.join(page)).expect("the report");
        assert!(page.contains("own tool"), "{page}");
        assert!(page.contains("stopwatch: 4 cells, on average 1.50 times our loop"));
    }
    let human = run(&args[..args.len() - 4]);
    let said = stdout(&human);
    assert!(said.contains("1.50x of our loop"), "{said}");
}

#[test]
fn a_tool_that_is_missing_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let tool = "[native]\ntool = \"stopwatch\"\nargs = [\"--native\"]\nbuild = [\"false\"]\n\
                [[native.requires]]\nname = \"libstopwatch\"\ncheck = [\"false\"]\n";
    made_up_peer(directory.path(), tool);
    let output = run(&[
        "bench",
        "--native",
        "--preset",
        "recorded",
        "--peers",
        text(directory.path()),
        "--lang",
        "testkit",
        "--data",
        "struct",
        "--duration",
        "0.01",
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = stdout(&output);
    assert!(said.contains("stopwatch: libstopwatch missing"), "{said}");
}

#[test]
fn own_tools_are_asked_for_only_where_there_are_some() {
    let wrong: [(&[&str], &str); 3] = [
        (&["bench", "--native"], "declares a tool of its own"),
        (&["bench", "--preset", "recorded"], "--native"),
        (
            &["bench", "--native", "--schema-mismatch"],
            "cannot be used with",
        ),
    ];
    for (args, what) in wrong {
        let args: Vec<&str> = args.iter().copied().chain(OWN).collect();
        let output = run(&args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(what), "{said}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_interop-check"))
        .args(["bench", "--native"])
        .args(OWN)
        .env("FORY_BENCH_SCHEMA_MISMATCH", "1")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn an_interrupt_prints_what_is_done() {
    let started = Instant::now();
    // A shell in the background has its children ignore the signal.
    let mut child = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_interop-check")])
        .args(["bench", "--peers", "tests/cmd", "--data", "struct"])
        .args(["--duration", "20", "--output", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("FORY_BENCH_SCHEMA_MISMATCH")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut progress = BufReader::new(child.stderr.take().expect("its stderr"));
    let mut line = String::new();
    progress.read_line(&mut line).expect("progress");
    assert!(line.contains("cells,"), "{line}");
    // By now a cell or two were timed, of twelve that take 20 s each.
    std::thread::sleep(Duration::from_secs(4));
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill starts").success());
    let mut printed = String::new();
    let mut out = child.stdout.take().expect("its stdout");
    out.read_to_string(&mut printed).expect("the record");
    let status = child.wait().expect("it ends");
    assert!(started.elapsed() < Duration::from_secs(60), "it went on");
    assert_eq!(status.code(), Some(0), "{printed}");
    let record: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(record["complete"], false);
    let cells = record["cells"].as_array().map_or(0, Vec::len);
    assert!((1..12).contains(&cells), "{cells} cells");
    let stopped = record["left_out"].to_string();
    assert!(stopped.contains("stopped before its turn"), "{stopped}");
}
