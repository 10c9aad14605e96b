//! A schema that the program has never seen, through every format and between all of them.

use std::process::{Command, Stdio};

const FORMATS: [&str; 6] = [
    "protobuf",
    "fory",
    "fory-consistent",
    "flatbuffers",
    "msgpack",
    "json",
];
const SCHEMA: [&str; 4] = ["--proto", "tests/cmd/shop.proto", "--message", "shop.Order"];

fn run(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_interop-check"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

fn with<'a>(command: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&[command], &SCHEMA[..], rest].concat()
}

#[test]
fn a_value_survives_every_format_and_every_change_of_format() {
    let text = std::fs::read("tests/cmd/shop.json").unwrap();
    let text = String::from_utf8(text).unwrap();
    for from in FORMATS {
        let bytes = run(&with("encode", &["--format", from]), text.as_bytes());
        let back = run(&with("decode", &["--format", from]), &bytes);
        assert_eq!(String::from_utf8(back).unwrap(), text, "{from}");
        for to in FORMATS {
            let other = run(&with("transcode", &["--from", from, "--to", to]), &bytes);
            let back = run(&with("decode", &["--format", to]), &other);
            assert_eq!(String::from_utf8(back).unwrap(), text, "{from} to {to}");
        }
        let page = run(&with("explain", &["--format", from, "-"]), &bytes);
        assert!(!page.is_empty());
    }
}

#[test]
fn a_fory_schema_takes_neutral_values() {
    let schema = ["--fdl", "../golden/types/sink.fdl", "--message", "Scalars"];
    let values = std::fs::read("../golden/types/values/basic/Scalars.json").unwrap();
    for format in ["fory", "fory-consistent"] {
        let encode = [&["encode", "--format", format], &schema[..]].concat();
        let decode = [&["decode", "--format", format], &schema[..]].concat();
        let line = run(&decode, &run(&encode, &values));
        let found: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let wanted: serde_json::Value = serde_json::from_slice(&values).unwrap();
        assert_eq!(found, wanted, "{format}");
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
    }
}
