//! The files that real writers wrote, and the values that they were given.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use interop_schema::proto::compile_files;

use super::*;
use crate::Span;

struct Case {
    set: String,
    model: String,
    writers: Vec<String>,
    bytes: Vec<u8>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn bench_schema() -> Schema {
    compile_files(&[root().join("proto/bench.proto")], &[root().join("proto")]).unwrap()
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for set in ["canonical", "zero", "extreme", "unicode"] {
        let dir = root().join("golden/json").join(set);
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let (model, writers) = stem.split_once('@').unwrap_or((stem, ""));
            let writers = match writers {
                "" => presets().iter().map(|p| p.name.to_owned()).collect(),
                writers => writers.split('+').map(str::to_owned).collect(),
            };
            cases.push(Case {
                set: set.to_owned(),
                model: model.to_owned(),
                writers,
                bytes: fs::read(&path).unwrap(),
            });
        }
    }
    assert_eq!(cases.len(), 59);
    cases.sort_by_key(|case| (case.set.clone(), case.model.clone(), case.writers.clone()));
    cases
}

impl Case {
    fn id(&self, schema: &Schema) -> MessageId {
        schema
            .message_by_name(&format!("protobuf.{}", self.model))
            .unwrap()
    }

    fn value(&self, schema: &Schema) -> DynamicMessage {
        let path = root().join(format!("golden/values/{}/{}.json", self.set, self.model));
        parse(schema, self.id(schema), &fs::read_to_string(path).unwrap()).unwrap()
    }

    fn name(&self, writer: &str) -> String {
        format!("{}/{}@{writer}", self.set, self.model)
    }
}

#[test]
fn files_hold_the_values_of_their_sets() {
    let schema = bench_schema();
    let mut differ = Vec::new();
    for case in cases() {
        let json = std::str::from_utf8(&case.bytes).unwrap();
        let message = parse(&schema, case.id(&schema), json).unwrap();
        if message != case.value(&schema) {
            differ.push(case.name(&case.writers.join("+")));
        }
    }
    // This writer's language prints -0.0 as 0.
    assert_eq!(
        differ,
        [
            "extreme/Sample@javascript-es",
            "extreme/SampleList@javascript-es"
        ]
    );
}

#[test]
fn writers_are_reproduced() {
    let schema = bench_schema();
    let (mut reproduced, mut differ) = (0, Vec::new());
    for case in cases() {
        let value = case.value(&schema);
        let mut written = false;
        for writer in &case.writers {
            let preset = presets().into_iter().find(|p| p.name == writer).unwrap();
            if encode(&schema, &value, &preset.dialect).unwrap() == case.bytes {
                written = true;
            } else {
                differ.push(case.name(writer));
            }
        }
        reproduced += usize::from(written);
    }
    assert_eq!(reproduced, 59, "{differ:?}");
    // JavaScript has no float: what it printed is the number it was given, 12.345, where a value
    // read from a float is 12.345000267028809.
    assert_eq!(
        differ,
        [
            "canonical/Sample@javascript-es",
            "canonical/SampleList@javascript-es",
            "unicode/Sample@javascript-es",
            "unicode/SampleList@javascript-es",
        ]
    );
}

/// Asserts that the spans cover `bytes` from the start without overlap or gap, and to the end
/// when the decoder went through.
fn assert_covered(mut spans: Vec<Span>, bytes: &[u8], whole: bool) {
    spans.sort_by_key(|span| span.start);
    let mut end = 0;
    for span in &spans {
        assert_eq!(span.start, end, "{span:?}");
        assert!(span.end > span.start);
        end = span.end;
    }
    assert!(if whole {
        end == bytes.len()
    } else {
        end <= bytes.len()
    });
}

#[test]
fn spans_cover_every_byte_once() {
    let schema = bench_schema();
    for case in cases() {
        let mut spans = Vec::new();
        let options = DecodeOptions::traced(&mut spans);
        decode(&schema, case.id(&schema), &case.bytes, options).unwrap();
        assert_covered(spans, &case.bytes, true);
    }
}

/// Runs `test` on every case, on all processors.
fn for_each_case(test: impl Fn(&Schema, &Case) + Sync) {
    let schema = bench_schema();
    let cases = cases();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    test(&schema, case);
                }
            });
        }
    });
}

#[test]
fn truncated_files_are_refused_with_their_place() {
    for_each_case(|schema, case| {
        let id = case.id(schema);
        for len in 0..case.bytes.len() {
            let broken = &case.bytes[..len];
            let error = decode(schema, id, broken, DecodeOptions::default()).unwrap_err();
            assert!(error.offset.is_some_and(|offset| offset <= len), "{error}");
        }
    });
}

#[test]
fn flipped_bytes_give_a_value_or_an_error_with_its_place() {
    for_each_case(|schema, case| {
        let id = case.id(schema);
        let mut bytes = case.bytes.clone();
        let small = bytes.len() < 500;
        for at in 0..bytes.len() {
            // All eight bits where the file is small, else one, in turn.
            let bits = if small { 0..8 } else { at % 8..at % 8 + 1 };
            for bit in bits {
                bytes[at] ^= 1 << bit;
                let mut spans = Vec::new();
                let options = if small {
                    DecodeOptions::traced(&mut spans)
                } else {
                    DecodeOptions::default()
                };
                let read = decode(schema, id, &bytes, options);
                if let Err(error) = &read {
                    assert!(error.offset.is_some_and(|offset| offset <= bytes.len()));
                }
                if small {
                    assert_covered(spans, &bytes, read.is_ok());
                }
                bytes[at] ^= 1 << bit;
            }
        }
    });
}
