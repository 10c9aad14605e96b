//! The Fory vectors: small inputs from public bug reports on which real libraries were wrong.

use std::path::Path;

use interop_codec::fory::{self, Dialect, Mode};
use interop_codec::{DecodeOptions, Document, Value, json};
use interop_schema::{Registration, Schema, proto};
use interop_wire::murmur3;
use serde_json::{Value as Json, json};

fn unhex(text: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digits).collect()
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::UInt(value) => json!(value),
        Value::String(text) => json!(text),
        Value::Duration { seconds, nanos } | Value::Timestamp { seconds, nanos } => {
            json!({"seconds": seconds, "nanos": nanos})
        }
        Value::List(values) => values.iter().map(plain).collect(),
        Value::Map(entries) => {
            let entry = |(k, v): &(Value, Value)| (plain(k).as_str().unwrap().to_owned(), plain(v));
            Json::Object(entries.iter().map(entry).collect())
        }
        other => panic!("no plain form: {other:?}"),
    }
}

/// Real libraries disagree on the form; the bytes are those of at least one.
fn some_dialect_writes(bytes: &[u8], write: impl Fn(&Dialect) -> Vec<u8>) -> bool {
    let modes = [Mode::Compatible, Mode::Consistent];
    let mut presets = modes.into_iter().flat_map(fory::presets);
    presets.any(|preset| write(&preset.dialect) == bytes)
}

fn check_any(row: &Json, bytes: &[u8], expected: Option<&Json>) {
    let decoded = fory::decode_any(None, Mode::Compatible, bytes, DecodeOptions::default());
    let Some(expected) = expected else {
        assert!(decoded.is_err(), "accepted");
        return;
    };
    let root = decoded.unwrap().root;
    assert_eq!(plain(&root), *expected);
    if row["op"] == "both" {
        let write =
            |dialect: &Dialect| fory::encode_any(None, &root, Mode::Compatible, dialect).unwrap();
        assert!(some_dialect_writes(bytes, write));
    }
}

fn check_payload(row: &Json, bytes: &[u8], expected: &Json) {
    let name = row["type"].as_str().unwrap();
    if name == "murmur3_x64_128" {
        // The vector's first byte only makes the address odd.
        let (low, high) = murmur3::x64_128(&bytes[1..], 0);
        assert_eq!(*expected, json!([low, high]));
        return;
    }
    let values = fory::decode_payload(name, bytes, DecodeOptions::default()).unwrap();
    let found: Vec<_> = values.iter().map(plain).collect();
    let expected = match expected {
        Json::Array(values) => values.clone(),
        value => vec![value.clone()],
    };
    assert_eq!(found, expected);
    if row["op"] == "both" {
        let write = |dialect: &Dialect| fory::encode_payload(name, &values, dialect).unwrap();
        assert!(some_dialect_writes(bytes, write));
    }
}

fn check_struct(row: &Json, bytes: &[u8], expected: &Json) {
    let mut schema: Schema = proto::compile_text(row["schema"].as_str().unwrap()).unwrap();
    let id = schema
        .message_by_name(row["message"].as_str().unwrap())
        .unwrap();
    let type_id = row["type_id"].as_u64().unwrap() as u32;
    schema.messages[id.0 as usize].fory.registration = Registration::Id(type_id);
    if row["field_ids"] == false {
        schema.without_field_ids(id);
    }
    let mode = match row["mode"].as_str() {
        Some("fory") => Mode::Compatible,
        _ => Mode::Consistent,
    };
    let decoded = fory::decode(&schema, id, mode, bytes, DecodeOptions::default()).unwrap();
    let text = serde_json::to_vec(expected).unwrap();
    let value = json::decode(&schema, id, &text, DecodeOptions::default()).unwrap();
    assert_eq!(decoded, Document::of(value));
    let write = |dialect: &Dialect| fory::encode(&schema, &decoded, mode, dialect).unwrap();
    assert!(some_dialect_writes(bytes, write));
}

#[test]
fn every_vector() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/vectors/vectors.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap());
    let mut count = 0;
    for row in rows.filter(|row| row["format"] == "fory") {
        println!("{}", row["id"]);
        count += 1;
        let expect = &row["expect"];
        let inputs = match &row["input_hex"] {
            Json::Array(inputs) => inputs.clone(),
            input => vec![input.clone()],
        };
        for (index, input) in inputs.iter().enumerate() {
            let bytes = unhex(input.as_str().unwrap());
            let value = if inputs.len() > 1 {
                &expect["value"][index]
            } else {
                &expect["value"]
            };
            if row["payload_only"] == true {
                check_payload(&row, &bytes, value);
            } else if row["type"] == "any" {
                let refused = expect["error"] == true;
                check_any(&row, &bytes, (!refused).then_some(value));
            } else {
                check_struct(&row, &bytes, &expect["json"]);
            }
        }
    }
    assert!(count >= 12, "only {count} vectors");
}
