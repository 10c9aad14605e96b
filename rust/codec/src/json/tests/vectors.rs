//! The vectors from public bug reports.

use std::fs;
use std::path::Path;

use interop_schema::proto::compile_text;
use serde_json::Value as Json;

use super::*;
use crate::protobuf;

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

fn outcome(vector: &Json) -> Result<Json, Error> {
    let text = |key: &str| vector[key].as_str().unwrap();
    let schema = compile_text(text("schema")).unwrap();
    let id = schema.message_by_name(text("message")).unwrap();
    match text("op") {
        "jparse" => {
            let message = parse(&schema, id, text("input_json"))?;
            let bytes = protobuf::encode(&schema, &message, &protobuf::Dialect::default())?;
            Ok(Json::from(bytes))
        }
        "jprint" => {
            let bytes = unhex(text("input_hex"));
            let message = protobuf::decode(&schema, id, &bytes, DecodeOptions::default())?;
            Ok(serde_json::from_str(&print(&schema, &message)?).unwrap())
        }
        op => panic!("unknown operation {op}"),
    }
}

#[test]
fn vectors_are_right() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/vectors/vectors.jsonl");
    let mut count = 0;
    for line in fs::read_to_string(path).unwrap().lines() {
        let vector: Json = serde_json::from_str(line).unwrap();
        if vector["format"] != "json" {
            continue;
        }
        count += 1;
        let found = outcome(&vector);
        let expect = &vector["expect"];
        let right = match (&expect["error"], &expect["hex"], &expect["json"]) {
            (Json::Bool(true), ..) => found.is_err(),
            (_, Json::String(hex), _) => found == Ok(Json::from(unhex(hex))),
            (_, _, json) if !json.is_null() => found == Ok(json.clone()),
            _ => panic!("{}: nothing expected", vector["id"]),
        };
        assert!(right, "{}: {found:?}", vector["id"]);
    }
    assert_eq!(count, 12);
}
