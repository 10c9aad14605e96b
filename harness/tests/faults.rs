//! The gate can fail: every kind of fault in a golden directory or its known failures is found,
//! named, and told apart by the exit code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const KNOWN: &str = "known-failures.toml";

/// A golden directory of a few files, in a fresh place.
struct Golden {
    dir: TempDir,
}

impl Golden {
    /// The files of `NumericStruct`, canonical, protobuf and of `Sample`, extreme, json.
    fn new() -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
        let dir = tempfile::tempdir().unwrap();
        let text = fs::read_to_string(source.join("MANIFEST")).unwrap();
        let takes = |line: &str| {
            let golden = (line.contains("\"file\":\"protobuf/canonical/NumericStruct.bin\"")
                || line.contains("\"file\":\"json/extreme/Sample@javascript-es.bin\""))
                && line.contains("\"corpus\"");
            let values = line.contains("\"file\":\"values/canonical/NumericStruct.json\"")
                || line.contains("\"file\":\"values/extreme/Sample.json\"");
            golden || values
        };
        let mut kept = Vec::new();
        let mut section: Vec<String> = Vec::new();
        for line in text.lines() {
            let entry = line.starts_with("{\"") && !line.starts_with("{\"version\"");
            let is_file = entry && line.starts_with("{\"file\"");
            if !entry {
                kept.push(section.join(",\n"));
                section.clear();
                kept.push(line.to_owned());
            } else if !is_file || takes(line) {
                section.push(line.trim_end_matches(',').to_owned());
            }
            if is_file && takes(line) {
                let file = line.split('"').nth(3).unwrap();
                let target = dir.path().join(file);
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::copy(source.join(file), target).unwrap();
            }
        }
        fs::write(dir.path().join("MANIFEST"), kept.join("\n")).unwrap();
        let golden = Self { dir };
        golden.known("different-value", "field float_array[2]", "2999-01-01");
        golden
    }

    fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join(file)
    }

    fn known(&self, verdict: &str, message: &str, expires: &str) {
        self.known_text(&entry(
            "json/extreme/Sample@javascript-es/read",
            verdict,
            message,
            expires,
        ));
    }

    fn known_text(&self, text: &str) {
        fs::write(self.path(KNOWN), text).unwrap();
    }

    fn flip(&self, file: &str, offset: usize) {
        let path = self.path(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes[offset] ^= 1;
        fs::write(path, bytes).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let golden = self.dir.path().to_str().unwrap();
        run(&[arguments, &["--golden", golden]].concat())
    }
}

fn entry(pattern: &str, verdict: &str, message: &str, expires: &str) -> String {
    format!(
        "[[known]]\npattern = \"{pattern}\"\nverdict = \"{verdict}\"\nmessage = \"{message}\"\n\
         reason = \"the reason\"\nlink = \"l\"\ninput = \"i\"\nowner = \"o\"\nsince = \"2026-12-01\"\nexpires = \"{expires}\"\n"
    )
}

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(arguments: &[&str]) -> Run {
    let output: Output = Command::new(env!("CARGO_BIN_EXE_interop-check"))
        .args(arguments)
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

const NUMERIC: &str = "protobuf/canonical/NumericStruct.bin";

#[test]
fn the_untouched_directory_is_compatible() {
    let run = Golden::new().run(&["check"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("1 known to fail, 0 failed"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_flipped_byte_is_named_by_its_hash_and_by_its_field() {
    let golden = Golden::new();
    golden.flip(NUMERIC, 1);
    let run = golden.run(&["check"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains(&format!("{NUMERIC}\n  sha256 is")),
        "{}",
        run.stdout
    );

    let run = golden.run(&["check", "--no-verify-hash"]);
    assert_eq!(run.code, 1);
    assert!(!run.stdout.contains("sha256"));
    assert!(
        run.stdout.contains(&format!("file: {NUMERIC}")),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("field f1"), "{}", run.stdout);
}

#[test]
fn a_flipped_byte_of_a_value_is_named() {
    let golden = Golden::new();
    golden.flip("values/canonical/NumericStruct.json", 10);
    let run = golden.run(&["check", "--model", "numericstruct"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("values/canonical/NumericStruct.json"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_missing_file_is_named() {
    let golden = Golden::new();
    fs::remove_file(golden.path(NUMERIC)).unwrap();
    for command in [&["check"][..], &["golden", "verify"]] {
        let run = golden.run(command);
        assert_eq!(run.code, 1);
        assert!(run.stdout.contains(NUMERIC), "{}", run.stdout);
    }
}

#[test]
fn a_file_that_is_not_listed_is_named() {
    let golden = Golden::new();
    fs::write(golden.path("protobuf/canonical/Stray.bin"), b"x").unwrap();
    for command in [&["check"][..], &["golden", "verify"]] {
        let run = golden.run(command);
        assert_eq!(run.code, 1);
        assert!(
            run.stdout.contains("protobuf/canonical/Stray.bin"),
            "{}",
            run.stdout
        );
    }
    assert_eq!(golden.run(&["check", "--model", "numericstruct"]).code, 0);
}

#[test]
fn known_failures_must_tell_the_truth() {
    let golden = Golden::new();
    let fails = |says: &str| {
        let run = golden.run(&["check"]);
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(run.stdout.contains(says), "{says}: {}", run.stdout);
    };
    golden.known("refused", "field float_array[2]", "2999-01-01");
    fails("known as refused, is different-value");
    golden.known("different-value", "field other", "2999-01-01");
    fails("known with the message \"field other\"");
    golden.known("different-value", "field float_array[2]", "2020-01-01");
    fails("expired on 2020-01-01");
    golden.known_text("");
    fails("different-value: field float_array[2]: expected -0.0, read 0.0");

    let true_entry = entry(
        "json/*/Sample@javascript-es/read",
        "different-value",
        "field float_array[2]",
        "2999-01-01",
    );
    let passing = entry("protobuf/*/write", "equal-value", "", "2999-01-01");
    golden.known_text(&format!("{true_entry}{passing}"));
    fails("passes, but is a known failure (the reason)");
    let stale = entry("fory/*/Gone@*", "refused", "", "2999-01-01");
    golden.known_text(&format!("{true_entry}{stale}"));
    fails("matches no cell");
}

#[test]
fn a_broken_configuration_is_no_difference() {
    let golden = Golden::new();
    golden.known_text("[[known]]\npattern = 1\n");
    assert_eq!(golden.run(&["check"]).code, 2);
    golden.known("different-value", "field float_array[2]", "some day");
    assert_eq!(golden.run(&["check"]).code, 2);
    golden.known_text("");
    fs::write(golden.path("MANIFEST"), "{}").unwrap();
    let run = golden.run(&["check"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("MANIFEST"), "{}", run.stderr);
}

#[test]
fn nothing_to_check_is_bad_usage() {
    let golden = Golden::new();
    let run = golden.run(&["check", "--set", "none-such"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("hint"), "{}", run.stderr);

    let empty = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_interop-check"))
        .current_dir(empty.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("--golden DIR"), "{text}");
}

#[test]
fn a_filtered_run_judges_only_what_it_selects() {
    let golden = Golden::new();
    golden.flip(NUMERIC, 1);
    assert_eq!(golden.run(&["check", "--format", "json"]).code, 0);
    assert_eq!(golden.run(&["check", "-k", "NumericStruct"]).code, 1);
    assert_eq!(golden.run(&["check", "--writer", "go"]).code, 1);
}

#[test]
fn our_files_are_taken_and_real_ones_never() {
    let golden = Golden::new();
    let before = fs::read(golden.path(NUMERIC)).unwrap();
    golden.flip(NUMERIC, 1);
    let flipped = fs::read(golden.path(NUMERIC)).unwrap();
    let run = golden.run(&["golden", "regenerate", "--format", "protobuf", "--accept"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("never replaced by ours"),
        "{}",
        run.stdout
    );
    assert_eq!(fs::read(golden.path(NUMERIC)).unwrap(), flipped);
    fs::write(golden.path(NUMERIC), before).unwrap();

    // A new value set is ours, and is regenerated when it was damaged.
    let values = tempfile::NamedTempFile::new().unwrap();
    fs::write(values.path(), r#"{"f1": 7}"#).unwrap();
    let add = [
        "golden",
        "add",
        "--model",
        "NumericStruct",
        "--set",
        "seven",
        "--format",
        "protobuf",
    ];
    let add = [&add[..], &[values.path().to_str().unwrap()]].concat();
    assert_eq!(golden.run(&add).code, 0);
    assert_eq!(golden.run(&add).code, 2, "a case is added once");
    let own = "protobuf/seven/NumericStruct@interop.bin";
    assert_eq!(fs::read(golden.path(own)).unwrap(), [8, 7]);
    assert_eq!(golden.run(&["check"]).code, 0);
    golden.flip(own, 1);
    let regenerate = ["golden", "regenerate", "--set", "seven"];
    let run = golden.run(&regenerate);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("f1"), "{}", run.stdout);
    assert_eq!(
        golden.run(&[&regenerate[..], &["--accept"]].concat()).code,
        0
    );
    assert_eq!(golden.run(&["check"]).code, 0);
}

#[test]
fn a_users_model_becomes_part_of_the_check() {
    let golden = Golden::new();
    let add = [
        "golden",
        "add",
        "--proto",
        "tests/cmd/shop.proto",
        "--message",
        "shop.Order",
        "--set",
        "first",
        "tests/cmd/shop.json",
    ];
    let run = golden.run(&add);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = golden.run(&["check", "--model", "Order"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("own: 5 binary files, 5 reproduced"),
        "{}",
        run.stdout
    );
    assert_eq!(golden.run(&["check"]).code, 0);
    assert_eq!(golden.run(&["golden", "verify"]).code, 0);

    let schema = ["--fdl", "../golden/types/sink.fdl", "--message", "Scalars"];
    let values = [
        "--set",
        "basic",
        "../golden/types/values/basic/Scalars.json",
    ];
    let run = golden.run(&[&["golden", "add"], &schema[..], &values].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = golden.run(&["check", "--model", "Scalars"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("own: 2 binary files, 2 reproduced"),
        "{}",
        run.stdout
    );
}
