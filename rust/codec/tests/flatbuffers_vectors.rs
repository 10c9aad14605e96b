//! The FlatBuffers vectors from public bug reports.

use std::fs;

use interop_codec::{DecodeOptions, flatbuffers};
use interop_schema::proto::compile_text;
use serde_json::Value as Json;

#[test]
fn every_public_vector_is_refused_as_it_should_be() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../golden/vectors/vectors.jsonl"
    );
    let text = fs::read_to_string(path).unwrap();
    let vectors = text
        .lines()
        .map(|l| serde_json::from_str::<Json>(l).unwrap());
    let mut count = 0;
    for vector in vectors.filter(|vector| vector["format"] == "flatbuffers") {
        count += 1;
        let schema = compile_text(vector["schema"].as_str().unwrap()).unwrap();
        let id = schema.message_by_name(vector["message"].as_str().unwrap());
        let hex = vector["input_hex"].as_str().unwrap();
        let digit = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digit).collect();
        let result = flatbuffers::decode(&schema, id.unwrap(), &bytes, DecodeOptions::default());
        assert_eq!(vector["op"], "decode");
        assert_eq!(vector["expect"]["error"], true);
        let error = result.unwrap_err();
        assert!(error.offset.is_some() && !error.path.is_root(), "{error}");
    }
    assert_eq!(count, 1);
}
