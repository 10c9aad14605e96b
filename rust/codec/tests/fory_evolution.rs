//! Two versions of a schema: each reads what the other's writers wrote, or says why it can't.

use std::path::{Path, PathBuf};

use interop_codec::fory::{self, Mode};
use interop_codec::{DecodeOptions, Document, Value, json};
use interop_schema::{MessageId, Schema, fdl, proto};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn bench(version: &str) -> Schema {
    let dir = root().join("proto");
    let file = dir.join(version).join("bench.proto");
    proto::compile_files(&[file], &[dir]).unwrap()
}

fn decode(schema: &Schema, id: MessageId, bytes: &[u8]) -> Result<Document, String> {
    let decoded = fory::decode(
        schema,
        id,
        Mode::Compatible,
        bytes,
        DecodeOptions::default(),
    );
    decoded.map_err(|error| error.to_string())
}

fn files(dir: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(root().join("golden").join(dir)).unwrap();
    let files = entries.map(|entry| {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let model = stem.split('@').next().unwrap().to_owned();
        (model, std::fs::read(path).unwrap())
    });
    files.collect()
}

fn check(schema: &Schema, dir: &str) -> usize {
    let files = files(dir);
    for (model, bytes) in &files {
        let id = schema
            .message_by_name(&format!("protobuf.{model}"))
            .unwrap();
        let text = root().join(format!("golden/values/canonical/{model}.json"));
        let text = std::fs::read(text).unwrap();
        let value = json::decode(schema, id, &text, DecodeOptions::default()).unwrap();
        assert_eq!(
            decode(schema, id, bytes),
            Ok(Document::of(value)),
            "{model}"
        );
    }
    files.len()
}

#[test]
fn widened_fields_are_read_both_ways_where_the_values_fit() {
    let models = bench("");
    let models_v2 = bench("evolution/v2");
    assert!(check(&models, "v2/fory/canonical") >= 6);
    // The six models and one more that only the first version has.
    let fixed = |(model, _): &(String, Vec<u8>)| model == "FixedNumericStruct";
    for (model, bytes) in files("fory/canonical").iter().filter(|file| !fixed(file)) {
        let id = models_v2
            .message_by_name(&format!("protobuf.{model}"))
            .unwrap();
        decode(&models_v2, id, bytes).unwrap();
    }
    for (model, bytes) in files("v2/fory/wide") {
        let id = models
            .message_by_name(&format!("protobuf.{model}"))
            .unwrap();
        let error = decode(&models, id, &bytes).unwrap_err();
        assert!(error.contains("1099511627783"), "{model}: {error}");
        assert!(
            error.contains("out of range") || error.contains("in range"),
            "{error}"
        );
        let id = models_v2
            .message_by_name(&format!("protobuf.{model}"))
            .unwrap();
        decode(&models_v2, id, &bytes).unwrap();
    }
}

fn evolve(version: &str) -> (Schema, MessageId) {
    let file = root().join(format!("golden/types/{version}.fdl"));
    let schema = fdl::compile_files(&[file], &[]).unwrap();
    let id = schema
        .message_by_name(&format!("{version}.Evolve"))
        .unwrap();
    (schema, id)
}

#[test]
fn fields_are_matched_by_id_whatever_their_order_and_type() {
    let (old, old_id) = evolve("ev1");
    let (new, new_id) = evolve("ev2");
    let mut read = 0;
    for set in ["basic", "edge", "random"] {
        for (model, bytes) in files(&format!("types/fory/{set}")) {
            let (from, from_id, to, to_id) = match model.as_str() {
                "Evolve1" => (&old, old_id, &new, new_id),
                "Evolve2" => (&new, new_id, &old, old_id),
                _ => continue,
            };
            let written = decode(from, from_id, &bytes).unwrap();
            let written = written.message().unwrap();
            // A value that the other type can't hold is refused; the rest is the same.
            let Ok(found) = decode(to, to_id, &bytes) else {
                continue;
            };
            read += 1;
            let found = found.message().unwrap();
            for name in ["b", "c", "d", "keep"] {
                let of = |schema: &Schema, id| schema.message(id).field_by_name(name).unwrap();
                let (left, right) = (of(from, from_id), of(to, to_id));
                let left = written.get_or_default(from, left);
                let right = found.get_or_default(to, right);
                assert_eq!(left, right, "{set} {model}: {name}");
            }
        }
    }
    assert!(read >= 3, "{read}");
}

const BEFORE: &str = "package p; message Inner [id=7] { int32 x = 1; list<string> s = 2; }
  message M [id=1] { int32 a = 1; Inner gone = 2; list<Inner> many = 3; map<string, Inner> by = 4;
    string text = 5; bytes raw = 6; optional int32 maybe = 7; }";

#[test]
fn unknown_structs_are_skipped_by_their_type_defs() {
    let before = fdl::compile_text("a.fdl", BEFORE).unwrap();
    let after =
        "package p; message M [id=1] { int64 a = 1; string text = 5; array<uint8> raw = 6; }";
    let after = fdl::compile_text("b.fdl", after).unwrap();
    let id = before.message_by_name("p.M").unwrap();
    let inner_id = before.message_by_name("p.Inner").unwrap();
    let inner = |x| {
        let mut inner = interop_codec::DynamicMessage::new(&before, inner_id);
        inner.set(&before, 0, Value::Int(x));
        inner.set(&before, 1, Value::List(vec![Value::String("s".into())]));
        Value::Message(Box::new(inner))
    };
    let mut message = interop_codec::DynamicMessage::new(&before, id);
    message.set(&before, 0, Value::Int(-5));
    message.set(&before, 1, inner(1));
    message.set(&before, 2, Value::List(vec![inner(2), inner(3)]));
    message.set(
        &before,
        3,
        Value::Map(vec![(Value::String("k".into()), inner(4))]),
    );
    message.set(&before, 4, Value::String("kept".into()));
    message.set(&before, 5, Value::Bytes(vec![1, 255]));
    message.set(&before, 6, Value::Int(9));
    let document = Document::of(message);
    for preset in fory::presets(Mode::Compatible) {
        // This writer leaves out what a reader needs to skip elements.
        if preset.name == "cpp-foryc" {
            continue;
        }
        let bytes = fory::encode(&before, &document, Mode::Compatible, &preset.dialect).unwrap();
        assert_eq!(
            decode(&before, id, &bytes).as_ref(),
            Ok(&document),
            "{}",
            preset.name
        );
        if preset.dialect.map_structs == fory::ElementInfo::Declared {
            continue;
        }
        let id = after.message_by_name("p.M").unwrap();
        let found = decode(&after, id, &bytes).unwrap();
        let found = found.message().unwrap();
        let got: Vec<_> = found.iter().map(|(_, value)| value.clone()).collect();
        let raw = Value::List(vec![Value::UInt(1), Value::UInt(255)]);
        assert_eq!(got, [Value::Int(-5), Value::String("kept".into()), raw]);
    }
}
