//! The check's result in every form: complete, escaped, self-contained, and the same whether one
//! machine made it or several.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_interop-check"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn write(dir: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

/// Runs each shard, and gives the files with what they printed.
fn shards(dir: &TempDir, count: u32, arguments: &[&str]) -> Vec<(i32, String)> {
    (1..=count)
        .map(|index| {
            let shard = format!("{index}/{count}");
            let with = ["check", "--shard", &shard, "--output", "json"];
            let run = run(&[&with, arguments].concat());
            let file = write(dir, &format!("{index}.json"), &run.stdout);
            (run.code, file.to_str().unwrap().to_owned())
        })
        .collect()
}

fn merge(files: &[&str], more: &[&str]) -> Run {
    run(&[&["merge"], files, more].concat())
}

/// A report without what differs from run to run.
fn timeless(text: &str) -> Value {
    let mut value: Value = serde_json::from_str(text).unwrap();
    value.as_object_mut().unwrap().remove("elapsed_ms").unwrap();
    value
}

#[test]
fn merged_shards_say_what_one_run_says() {
    let dir = tempfile::tempdir().unwrap();
    // No file of known failures: entries of one become failures of another exit status.
    let none = write(&dir, "none.toml", "");
    let none = none.to_str().unwrap();
    for (arguments, code) in [
        (&["--set", "extreme"][..], 0),
        (&["--set", "extreme", "--known-failures", none][..], 1),
    ] {
        let whole = run(&[&["check", "--output", "json"], arguments].concat());
        assert_eq!(whole.code, code, "{}", whole.stderr);
        let parts = shards(&dir, 3, arguments);
        let files: Vec<&str> = parts.iter().map(|(_, file)| file.as_str()).collect();
        // The order of the files does not matter.
        let reversed: Vec<&str> = files.iter().rev().copied().collect();
        let merged = merge(&reversed, &["--output", "json"]);
        assert_eq!(merged.code, code, "{}", merged.stderr);
        assert_eq!(timeless(&merged.stdout), timeless(&whole.stdout));
        let codes = parts.iter().map(|(code, _)| *code);
        assert_eq!(
            codes.max(),
            Some(code),
            "a shard has the status of its own cells"
        );
        let cells = |text: &str| timeless(text)["cells"].as_u64().unwrap();
        let sum: u64 = files
            .iter()
            .map(|file| cells(&fs::read_to_string(file).unwrap()))
            .sum();
        assert_eq!(sum, cells(&whole.stdout));
        let largest = files
            .iter()
            .map(|file| cells(&fs::read_to_string(file).unwrap()));
        assert!(largest.max().unwrap() < sum, "one shard did all the work");
    }
}

#[test]
fn an_entry_that_no_shard_needs_fails_the_merge() {
    let dir = tempfile::tempdir().unwrap();
    let known = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/known-failures.toml"),
    );
    let gone = "\n[[known]]\npattern = \"json/no-such-set/*\"\nverdict = \"refused\"\nmessage = \"m\"\n\
                reason = \"r\"\nlink = \"l\"\ninput = \"i\"\nowner = \"o\"\nsince = \"2026-12-01\"\nexpires = \"2999-01-01\"\n";
    let known = write(&dir, "known.toml", &(known.unwrap() + gone));
    let arguments = ["--set", "zero", "--known-failures", known.to_str().unwrap()];
    let parts = shards(&dir, 2, &arguments);
    for (code, _) in &parts {
        assert_eq!(*code, 0, "another shard may need the entry");
    }
    let files: Vec<&str> = parts.iter().map(|(_, file)| file.as_str()).collect();
    let merged = merge(&files, &["--output", "json"]);
    assert_eq!(merged.code, 1, "{}", merged.stderr);
    let failures = &timeless(&merged.stdout)["failures"];
    assert_eq!(failures.as_array().unwrap().len(), 1, "{failures}");
    assert_eq!(failures[0]["pattern"], "json/no-such-set/*");
}

#[test]
fn what_does_not_fit_together_is_not_merged() {
    let dir = tempfile::tempdir().unwrap();
    let filter = ["--format", "msgpack", "--set", "zero"];
    let parts = shards(&dir, 3, &filter);
    let files: Vec<&str> = parts.iter().map(|(_, file)| file.as_str()).collect();
    let refuses = |files: &[&str], saying: &str| {
        let run = merge(files, &[]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(saying), "{}", run.stderr);
    };
    refuses(&files[..1], "shards 2/3, 3/3 missing");
    refuses(&[files[0], files[2]], "shard 2/3 missing");
    refuses(
        &[files[0], files[1], files[1], files[2]],
        "shard 2/3 comes twice",
    );
    let other = tempfile::tempdir().unwrap();
    let others = shards(&other, 3, &["--format", "msgpack", "--set", "unicode"]);
    refuses(&[files[0], &others[1].1, files[2]], "of different checks");
    let halves = shards(&other, 2, &filter);
    refuses(&[&halves[0].1, files[1], files[2]], "of different cuts");
    let whole = run(&[&["check", "--output", "json"][..], &filter].concat());
    let whole = write(&other, "whole.json", &whole.stdout);
    refuses(&[whole.to_str().unwrap()], "not of a shard");
    let cut = fs::read_to_string(files[0]).unwrap();
    let cut = write(&other, "cut.json", &cut[..cut.len() / 2]);
    refuses(
        &[cut.to_str().unwrap(), files[1], files[2]],
        "cut.json: EOF",
    );
    refuses(&["/nonexistent.json"], "/nonexistent.json: ");
}

/// Cells of which two fail when nothing is known.
const FAILING: [&str; 4] = ["check", "-k", "json/extreme/Sample*", "--known-failures"];

fn failing(output: &str) -> Run {
    let dir = tempfile::tempdir().unwrap();
    let none = write(&dir, "none.toml", "");
    let more = [none.to_str().unwrap(), "--output", output];
    let run = run(&[&FAILING[..], &more].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    run
}

#[test]
fn json_lines_end_with_their_summary() {
    let run = failing("jsonl");
    let lines: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (summary, cells) = lines.split_last().unwrap();
    assert_eq!(summary["event"], "summary");
    assert_eq!(summary["verdict"], "different");
    assert_eq!(summary["cells"], cells.len());
    assert!(summary.get("failures").is_none());
    let failed: Vec<_> = cells
        .iter()
        .filter(|cell| cell["state"] == "failed")
        .collect();
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert_eq!(failed[0]["event"], "cell");
    assert!(
        failed[0]["message"]
            .as_str()
            .unwrap()
            .contains("float_array")
    );
}

#[test]
fn junit_counts_and_names_failures() {
    let xml = failing("junit").stdout;
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!(read.failures, 2);
    assert_eq!(read.test_suites.len(), 1);
    assert_eq!(read.test_suites[0].name.as_str(), "json");
    assert_eq!(read.tests, read.test_suites[0].test_cases.len());
    assert!(xml.contains("replay: interop-check check -k"), "{xml}");
}

#[test]
fn annotations_name_the_file_and_stay_on_a_line() {
    let run = failing("github");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.stdout);
    let first = "::error file=golden/json/extreme/Sample@javascript-es.bin,title=json/extreme/";
    assert!(lines[0].starts_with(first), "{}", lines[0]);
    assert!(
        lines[0].contains("%0Areplay: interop-check check -k"),
        "{}",
        lines[0]
    );
    assert!(
        lines[2].starts_with("::error title=interop-check different::"),
        "{}",
        lines[2]
    );
}

#[test]
fn markdown_opens_with_the_conclusion_and_folds_the_rest() {
    let run = failing("markdown");
    assert!(
        run.stdout.starts_with("### interop-check: ❌ different\n"),
        "{}",
        run.stdout
    );
    let open = run.stdout.matches("<details>").count();
    assert_eq!(open, run.stdout.matches("</details>").count());
    assert_eq!(open, 3, "two problems and the matrix: {}", run.stdout);
    assert!(run.stdout.chars().count() < 65_536);
}

#[test]
fn the_page_needs_nothing_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let none = write(&dir, "none.toml", "");
    let reports = dir.path().join("made/for/it");
    let more = [
        none.to_str().unwrap(),
        "--report",
        reports.to_str().unwrap(),
    ];
    let run = run(&[&FAILING[..], &more].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    let left: Vec<_> = fs::read_dir(&reports)
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(left, ["index.html"]);
    let page = fs::read_to_string(reports.join("index.html")).unwrap();
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let own = page
            .split("<script type=\"application/json\"")
            .next()
            .unwrap();
        assert!(!own.contains(outside), "{outside}");
    }
    let data = page.split("id=\"data\">").nth(1).unwrap();
    let data = data.split("</script>").next().unwrap();
    assert!(!data.contains('<'), "markup in the data");
    let data: Value = serde_json::from_str(data).unwrap();
    let groups = data["groups"].as_array().unwrap();
    let writer = |group: &&Value| group["writer"] == "javascript-es";
    let group = groups.iter().find(writer).unwrap();
    assert_eq!(
        group["letters"], "DD",
        "two cells of another value, not known"
    );
    let told = &group["told"]["0"];
    let file = &data["files"][told["file"].as_str().unwrap()];
    let spans = file["spans"].as_array().unwrap();
    let mut end = 0;
    for span in spans {
        assert_eq!(span[0], end, "spans follow each other");
        end = span[1].as_u64().unwrap();
    }
    assert_eq!(file["shown"], end);
    assert_eq!(file["hex"].as_str().unwrap().len() as u64, 2 * end);
    // The legend's example is there in every format, whatever was checked.
    assert_eq!(data["examples"].as_array().unwrap().len(), 6);
    for example in data["examples"].as_array().unwrap() {
        assert!(data["files"].get(example.as_str().unwrap()).is_some());
    }
}
