//! Every MessagePack file of the golden tree: read to its value, written to its bytes in each of
//! its writers' dialects, traced, truncated, and with every bit and byte of it changed.

mod golden;

use std::process::ExitCode;
use std::sync::Arc;

use golden::File;
use interop_codec::msgpack::{self, Dialect, WholeFloats};
use interop_codec::{DecodeOptions, DynamicMessage, Span};
use interop_schema::{MessageId, Schema};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let schema = Arc::new(golden::schema());
    let mut trials = Vec::new();
    for file in golden::files("msgpack") {
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
    match msgpack::decode(schema, id, bytes, DecodeOptions::default()) {
        Ok(message) => Some(message),
        Err(error) => {
            let offset = error.offset.expect("a decoding error has an offset");
            assert!(offset <= bytes.len(), "{error}");
            None
        }
    }
}

fn dialects(file: &File) -> Vec<Dialect> {
    let mut presets = msgpack::presets();
    presets.retain(|p| file.writers.is_empty() || file.writers.iter().any(|w| w == p.name));
    assert!(!presets.is_empty(), "no preset for {:?}", file.writers);
    presets.iter().map(|preset| preset.dialect).collect()
}

/// Files whose writer turned -0.0 into the int 0, so that the sign is gone.
fn lost_minus_zero(file: &File) -> bool {
    file.set == "extreme" && file.writers == ["cpp-native"]
}

fn value(schema: &Schema, file: &File) {
    let id = golden::model_id(schema, &file.model);
    let got = decode(schema, id, &file.bytes).expect("decodes");
    let want = golden::value(schema, &file.set, &file.model);
    assert_eq!(got != want, lost_minus_zero(file), "{got:?}");
    if lost_minus_zero(file) {
        let dialect = Dialect {
            whole_floats: WholeFloats::Int,
        };
        let rewritten = msgpack::encode(schema, &want, &dialect).unwrap();
        assert_eq!(rewritten, file.bytes, "-0.0 is the only loss");
    }
}

fn bytes(schema: &Schema, file: &File) {
    let message = golden::value(schema, &file.set, &file.model);
    for dialect in dialects(file) {
        let got = msgpack::encode(schema, &message, &dialect).unwrap();
        assert_eq!(got, file.bytes);
        let len = msgpack::encoded_len(schema, &message, &dialect).unwrap();
        assert_eq!(len, file.bytes.len());
    }
}

fn trace(schema: &Schema, file: &File) {
    let mut spans: Vec<Span> = Vec::new();
    let id = golden::model_id(schema, &file.model);
    msgpack::decode(schema, id, &file.bytes, DecodeOptions::traced(&mut spans)).unwrap();
    let mut at = 0;
    for span in &spans {
        assert_eq!(span.start, at, "{span:?}");
        at = span.end;
    }
    assert_eq!(at, file.bytes.len());
}

fn truncated(schema: &Schema, file: &File) {
    let id = golden::model_id(schema, &file.model);
    for len in 0..file.bytes.len() {
        assert_eq!(decode(schema, id, &file.bytes[..len]), None, "{len} bytes");
    }
}

/// A changed byte is refused or changes the value, with one exception: where a float 0.0 becomes
/// an int 0 by its type byte, since a float reader takes ints. Writing the value again shows it.
fn flipped(schema: &Schema, file: &File) {
    let id = golden::model_id(schema, &file.model);
    let original = decode(schema, id, &file.bytes).unwrap();
    let mut bytes = file.bytes.clone();
    for at in 0..bytes.len() {
        // Every bit in small files; in large ones every byte, by a bit and all of them.
        let every_bit = bytes.len() < 700;
        let bits = (0..8).filter(|bit| every_bit || *bit == at % 8);
        let masks = bits.map(|bit| 1u8 << bit).chain([0xff]);
        for mask in masks {
            bytes[at] ^= mask;
            if decode(schema, id, &bytes).is_some_and(|message| message == original) {
                assert!(
                    is_zero_as_int(&file.bytes[at..], bytes[at]),
                    "byte {at} ^ {mask:#04x} goes unseen"
                );
                let rewritten = msgpack::encode(schema, &original, &dialects(file)[0]).unwrap();
                assert_ne!(rewritten, bytes);
            }
            bytes[at] ^= mask;
        }
    }
}

fn is_zero_as_int(original: &[u8], flipped: u8) -> bool {
    let len = match (original[0], flipped) {
        (0xca, 0xce) => 4,
        (0xcb, 0xcf) => 8,
        _ => return false,
    };
    original[1..=len].iter().all(|byte| *byte == 0)
}
