//! The files that real protobuf libraries wrote: read alike, written again byte for byte under
//! each writer's dialect, every byte explained, every truncation and flip safe.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interop_codec::{DecodeOptions, DynamicMessage, Span, protobuf};
use interop_schema::{MessageId, Schema, proto};

struct File {
    path: PathBuf,
    case: String,
    model: String,
    writers: Vec<String>,
    bytes: Vec<u8>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Schema {
    let dir = root().join("proto");
    proto::compile_files(&[dir.join("bench.proto")], &[dir]).unwrap()
}

fn model(schema: &Schema, name: &str) -> MessageId {
    schema.message_by_name(&format!("protobuf.{name}")).unwrap()
}

/// A file without writers in its name is by all that wrote the case; protobufjs did not write
/// this model.
const NOT_WRITTEN: (&str, &str) = ("FixedNumericStruct", "javascript-protobufjs");

fn all_writers(model: &str) -> Vec<String> {
    let presets = protobuf::presets();
    let names = presets.iter().map(|preset| preset.name);
    let wrote = names.filter(|name| (model, *name) != NOT_WRITTEN);
    wrote.map(str::to_owned).collect()
}

fn files() -> Vec<File> {
    let mut files = Vec::new();
    for set in std::fs::read_dir(root().join("golden/protobuf")).unwrap() {
        let set = set.unwrap().path();
        for file in std::fs::read_dir(&set).unwrap() {
            let path = file.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let (model, writers) = match stem.split_once('@') {
                Some((model, writers)) => (model, writers.split('+').map(str::to_owned).collect()),
                None => (stem.as_str(), all_writers(&stem)),
            };
            files.push(File {
                case: format!("{}/{model}", set.file_name().unwrap().to_str().unwrap()),
                model: model.to_owned(),
                writers,
                bytes: std::fs::read(&path).unwrap(),
                path,
            });
        }
    }
    assert!(files.len() >= 42, "only {} files", files.len());
    files
}

fn decode(schema: &Schema, file: &File, bytes: &[u8]) -> Result<DynamicMessage, String> {
    let id = model(schema, &file.model);
    protobuf::decode(schema, id, bytes, DecodeOptions::default()).map_err(|error| error.to_string())
}

#[test]
fn all_files_of_a_case_hold_one_value() {
    let schema = schema();
    let mut cases = BTreeMap::new();
    for file in files() {
        let value = decode(&schema, &file, &file.bytes).unwrap();
        assert!(value.unknown.is_empty());
        let first = cases.entry(file.case.clone()).or_insert(value.clone());
        assert_eq!(first, &value, "{}", file.path.display());
    }
    assert!(cases.len() >= 27);
}

#[test]
fn every_writer_is_reproduced_from_every_other_writers_file() {
    let schema = schema();
    let files = files();
    for source in &files {
        let value = decode(&schema, source, &source.bytes).unwrap();
        for target in files.iter().filter(|file| file.case == source.case) {
            for writer in &target.writers {
                let preset = protobuf::presets()
                    .into_iter()
                    .find(|preset| preset.name == writer)
                    .unwrap_or_else(|| panic!("no preset {writer}"));
                let bytes = protobuf::encode(&schema, &value, &preset.dialect).unwrap();
                assert!(
                    bytes == target.bytes,
                    "{writer} from {}",
                    source.path.display()
                );
                let len = protobuf::encoded_len(&schema, &value, &preset.dialect).unwrap();
                assert_eq!(len, bytes.len());
            }
        }
    }
}

#[test]
fn spans_cover_every_byte_once() {
    let schema = schema();
    for file in files() {
        let mut spans: Vec<Span> = Vec::new();
        let id = model(&schema, &file.model);
        let options = DecodeOptions::traced(&mut spans);
        protobuf::decode(&schema, id, &file.bytes, options).unwrap();
        spans.sort_by_key(|span| span.start);
        let mut end = 0;
        for span in &spans {
            assert_eq!(span.start, end, "{}: {span:?}", file.path.display());
            end = span.end;
        }
        assert_eq!(end, file.bytes.len());
    }
}

#[test]
fn truncations_and_flips_give_a_value_or_an_error_with_its_place() {
    let schema = schema();
    for file in files() {
        let bytes = &file.bytes;
        let try_one = |bytes: &[u8]| {
            let id = model(&schema, &file.model);
            match protobuf::decode(&schema, id, bytes, DecodeOptions::default()) {
                Ok(value) => assert_eq!(value.id, id),
                Err(error) => assert!(error.offset.unwrap() <= bytes.len()),
            }
        };
        for len in 0..bytes.len() {
            try_one(&bytes[..len]);
        }
        // Up to the break, a broken file is explained without gap or overlap.
        for len in (0..bytes.len()).step_by(17) {
            let mut spans: Vec<Span> = Vec::new();
            let id = model(&schema, &file.model);
            let _ = protobuf::decode(
                &schema,
                id,
                &bytes[..len],
                DecodeOptions::traced(&mut spans),
            );
            spans.sort_by_key(|span| span.start);
            let end = spans.iter().fold(0, |end, span| {
                assert_eq!(span.start, end, "{span:?}");
                span.end
            });
            assert!(end <= len);
        }
        // Large files repeat what small ones hold.
        let masks: &[u8] = if bytes.len() > 1000 {
            &[0xff]
        } else {
            &[0x01, 0x80, 0xff]
        };
        let mut flipped = bytes.clone();
        for at in 0..bytes.len() {
            for mask in masks {
                flipped[at] ^= mask;
                try_one(&flipped);
                flipped[at] ^= mask;
            }
        }
    }
}
