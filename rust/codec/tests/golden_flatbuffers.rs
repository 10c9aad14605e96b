//! Every FlatBuffers file of the golden tree: read to its value, written to its bytes in each of
//! its writers' dialects, traced, truncated, and with every bit and byte of it changed.

mod golden;

use std::process::ExitCode;
use std::sync::Arc;

use golden::File;
use interop_codec::flatbuffers::{self, Dialect};
use interop_codec::{DecodeOptions, DynamicMessage, Span};
use interop_schema::{MessageId, Schema};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let schema = Arc::new(golden::schema());
    let mut trials = Vec::new();
    for file in golden::files("flatbuffers") {
        let mut add = |what: &str, test: fn(&Schema, &File)| {
            let (schema, file) = (schema.clone(), file.clone());
            trials.push(Trial::test(format!("{}/{what}", file.label), move || {
                test(&schema, &file);
                Ok(())
            }));
        };
        add("value", value);
        add("bytes", bytes);
        add("trace", trace);
        add("truncated", truncated);
        add("flipped", flipped);
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn decode(schema: &Schema, id: MessageId, bytes: &[u8]) -> Option<DynamicMessage> {
    match flatbuffers::decode(schema, id, bytes, DecodeOptions::default()) {
        Ok(message) => Some(message),
        Err(error) => {
            let offset = error.offset.expect("a decoding error has an offset");
            assert!(offset <= bytes.len(), "{error}");
            None
        }
    }
}

fn dialects(file: &File) -> Vec<Dialect> {
    let mut presets = flatbuffers::presets();
    presets.retain(|p| file.writers.is_empty() || file.writers.iter().any(|w| w == p.name));
    assert!(!presets.is_empty(), "no preset for {:?}", file.writers);
    presets.iter().map(|preset| preset.dialect).collect()
}

fn value(schema: &Schema, file: &File) {
    let id = golden::model_id(schema, &file.model);
    let got = decode(schema, id, &file.bytes).expect("decodes");
    assert_eq!(got, golden::value(schema, &file.set, &file.model));
}

fn bytes(schema: &Schema, file: &File) {
    let message = golden::value(schema, &file.set, &file.model);
    for dialect in dialects(file) {
        let got = flatbuffers::encode(schema, &message, &dialect).unwrap();
        assert_eq!(got, file.bytes);
        let len = flatbuffers::encoded_len(schema, &message, &dialect).unwrap();
        assert_eq!(len, file.bytes.len());
    }
}

fn trace(schema: &Schema, file: &File) {
    let mut spans: Vec<Span> = Vec::new();
    let id = golden::model_id(schema, &file.model);
    flatbuffers::decode(schema, id, &file.bytes, DecodeOptions::traced(&mut spans)).unwrap();
    spans.sort_by_key(|span| span.start);
    let mut at = 0;
    for span in &spans {
        assert_eq!(span.start, at, "{span:?}");
        at = span.end;
    }
    assert_eq!(at, file.bytes.len());
}

fn truncated(schema: &Schema, file: &File) {
    let id = golden::model_id(schema, &file.model);
    let original = decode(schema, id, &file.bytes);
    for len in 0..file.bytes.len() {
        let message = decode(schema, id, &file.bytes[..len]);
        // Nothing says how long a buffer is, so that padding at its end may be missing.
        let padding = file.bytes[len..].iter().all(|byte| *byte == 0);
        assert!(
            message.is_none() || (padding && message == original),
            "{len} bytes"
        );
    }
}

/// A changed byte is refused or changes the value, save where a builder has a choice that does not
/// show in the value: see `neutral`. Writing the value again shows those.
fn flipped(schema: &Schema, file: &File) {
    let id = golden::model_id(schema, &file.model);
    let mut spans: Vec<Span> = Vec::new();
    let options = DecodeOptions::traced(&mut spans);
    let original = flatbuffers::decode(schema, id, &file.bytes, options).unwrap();
    let rewritten = flatbuffers::encode(schema, &original, &dialects(file)[0]).unwrap();
    let mut bytes = file.bytes.clone();
    for at in 0..bytes.len() {
        // Every bit in small files; in large ones every byte, by a bit and all of them.
        let every_bit = bytes.len() < 700;
        let bits = (0..8).filter(|bit| every_bit || *bit == at % 8);
        let masks = bits.map(|bit| 1u8 << bit).chain([0xff]);
        for mask in masks {
            bytes[at] ^= mask;
            if decode(schema, id, &bytes).is_some_and(|message| message == original) {
                assert_ne!(rewritten, bytes);
                let span = spans
                    .iter()
                    .find(|s| (s.start..s.end).contains(&at))
                    .unwrap();
                assert!(
                    neutral(&file.bytes, span),
                    "byte {at} ^ {mask:#04x} goes unseen"
                );
            }
            bytes[at] ^= mask;
        }
    }
}

/// True where a change may leave the value alone:
/// - in a vtable: the table's size, when padding ends the table, and the slot of an absent field,
///   when it comes to point at zero padding, which is the field's default written out;
/// - in the offset of an empty string or vector, when it comes to point at another one, or at
///   four bytes of zero padding, which are one.
fn neutral(bytes: &[u8], span: &Span) -> bool {
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    match span.meaning.as_str() {
        "vtable" => true,
        "offset" => u32_at(span.start + u32_at(span.start) as usize) == 0,
        _ => false,
    }
}
