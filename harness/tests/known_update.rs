//! `known update` writes the file that the check needs, and says nothing that it was not told.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

const CELL: &str = "json/extreme/Sample@javascript-es/read";
const HEAD: &str = "# What differs and why.\n\n";

struct Known {
    dir: TempDir,
}

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Known {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("known.toml"), text).unwrap();
        Self { dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("known.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    /// The cells of `Sample`, extreme, in JSON: one of them fails.
    fn run(&self, command: &[&str], more: &[&str]) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_interop-check"))
            .args(command)
            .arg("--known-failures")
            .arg(self.path())
            .args(more)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn update(&self, more: &[&str]) -> Run {
        let filters = ["--format=json", "--set=extreme", "--model=Sample"];
        self.run(&["known", "update"], &[&filters, more].concat())
    }

    fn check(&self) -> i32 {
        let filters = ["--format=json", "--set=extreme", "--model=Sample"];
        self.run(&["check"], &filters).code
    }
}

fn entry(pattern: &str, message: &str, expires: &str) -> String {
    format!(
        "# As people write it.\n[[known]]\npattern = \"{pattern}\"\nverdict = \"different-value\"\n\
         message = \"{message}\"\nreason = \"the reason\"\nlink = \"l\"\ninput = \"i\"\n\
         owner = \"o\"\nsince = \"2026-12-01\"\nexpires = \"{expires}\"\n"
    )
}

const TOLD: [&str; 4] = [
    "--reason=the sign is lost",
    "--link=l",
    "--input=-0.0",
    "--owner=o",
];

#[test]
fn a_new_failure_gets_an_entry_when_it_is_explained() {
    let known = Known::new(HEAD);
    let run = known.update(&[]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(CELL), "{}", run.stdout);
    let asks = "1 new failures need --reason, --link, --input, --owner";
    assert!(run.stderr.contains(asks), "{}", run.stderr);
    for nothing in ["--reason=TODO", "--reason= "] {
        let told = [&[nothing], &TOLD[1..]].concat();
        assert_eq!(known.update(&told).code, 2, "{nothing}");
    }
    assert_eq!(known.text(), HEAD);
    assert_eq!(known.check(), 1);

    let run = known.update(&TOLD);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let text = known.text();
    for line in [
        "# What differs and why.",
        &format!("pattern = \"{CELL}\""),
        "verdict = \"different-value\"",
        "message = \"field float_array[2]: expected -0.0, read 0.0\"",
        "reason = \"the sign is lost\"",
        "input = \"-0.0\"",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}: {text}");
    }
    assert_eq!(known.check(), 0);
    let run = known.update(&[]);
    assert_eq!((run.code, known.text()), (0, text), "{}", run.stdout);
    assert!(run.stdout.contains("nothing to write"));
}

#[test]
fn what_nothing_needs_goes_and_the_rest_stays_as_it_is() {
    let good = entry(CELL, "field float_array[2]", "2999-01-01");
    let passes = entry("json/extreme/Sample@java/read", "field x", "2999-01-01");
    let nowhere = entry("json/extreme/Nothing@*", "field x", "2999-01-01");
    let known = Known::new(&format!("{HEAD}{passes}\n{good}\n{nowhere}"));
    assert_eq!(known.check(), 1);
    let run = known.update(&[]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("@java/read: its cells pass"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("Nothing@*: needed by no cell"),
        "{}",
        run.stdout
    );
    assert_eq!(known.text(), format!("{HEAD}{good}"));
    assert_eq!(known.check(), 0);
}

#[test]
fn a_pattern_that_excuses_too_much_is_narrowed() {
    let wide = entry(
        "json/extreme/Sample@j*/read",
        "field float_array",
        "2999-01-01",
    );
    let known = Known::new(&format!("{HEAD}{wide}"));
    assert_eq!(known.check(), 1);
    let run = known.update(&[]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let narrow = entry(CELL, "field float_array", "2999-01-01");
    assert_eq!(known.text(), format!("{HEAD}{narrow}"));
    assert_eq!(known.check(), 0);
}

#[test]
fn another_failure_than_the_known_one_is_new() {
    let known = Known::new(&entry(CELL, "field int_array", "2999-01-01"));
    let before = known.text();
    assert_eq!(known.update(&[]).code, 2);
    assert_eq!(known.text(), before);
    assert_eq!(known.update(&TOLD).code, 0);
    assert!(!known.text().contains("the reason"));
    assert_eq!(known.check(), 0);
}

#[test]
fn what_a_run_did_not_see_whole_it_does_not_judge() {
    // Also stands for cells of other sets.
    let text = entry("json/*/Sample@java/read", "field x", "2999-01-01");
    let known = Known::new(&format!("{text}\n{}", entry(CELL, "field", "2999-01-01")));
    let before = known.text();
    let run = known.update(&[]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("not all of its cells"),
        "{}",
        run.stdout
    );
    assert_eq!(known.text(), before);
    // What is expired needs somebody to look at it.
    let old = Known::new(&entry(CELL, "field", "2026-11-01"));
    let run = old.update(&[]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("expired on 2026-11-01"),
        "{}",
        run.stdout
    );
    assert_eq!(old.run(&["known", "list"], &[]).code, 1);
}

#[test]
fn the_list_shows_age_and_what_is_left() {
    let known = Known::new(&entry(CELL, "field", "2999-01-01"));
    let run = known.run(&["known", "list"], &["--output=json"]);
    assert_eq!(run.code, 0);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let one = &json["known"][0];
    assert_eq!(one["input"], "i");
    let all = one["age_days"].as_i64().unwrap() + one["days_left"].as_i64().unwrap();
    // From 2026-12-01 to 2999-01-01.
    assert_eq!(all, 355_047);
}
