//! MessagePack and FlatBuffers over random schemas and messages: what is written is read back,
//! in every dialect, traced without gap or overlap; and what is broken is refused or read, never
//! a panic.

mod random;

use interop_codec::{DecodeOptions, Dialect, Document, DynamicMessage, Format, Span, presets};
use interop_codec::{decode, encode, flatbuffers, msgpack};
use interop_schema::Schema;
use proptest::prelude::*;
use random::Random;

fn dialects(format: Format) -> Vec<Dialect> {
    let presets = presets(format).into_iter().map(|preset| preset.dialect);
    presets.chain([Dialect::default_of(format)]).collect()
}

/// True for a dialect that may lose a zero or its sign.
fn lossy(dialect: &Dialect) -> bool {
    match dialect {
        Dialect::Msgpack(d) => d.whole_floats == msgpack::WholeFloats::Int,
        Dialect::Flatbuffers(d) => *d != flatbuffers::Dialect::default(),
        _ => false,
    }
}

fn check_spans(mut spans: Vec<Span>, len: usize) {
    spans.sort_by_key(|span| span.start);
    let mut at = 0;
    for span in &spans {
        assert_eq!(span.start, at, "{span:?}");
        at = span.end;
    }
    assert_eq!(at, len);
}

fn round_trip(schema: &Schema, message: &DynamicMessage, format: Format, dialect: &Dialect) {
    let document = Document::of(message.clone());
    let bytes = encode(schema, &document, format, dialect).unwrap();
    let len = match dialect {
        Dialect::Msgpack(d) => msgpack::encoded_len(schema, message, d),
        Dialect::Flatbuffers(d) => flatbuffers::encoded_len(schema, message, d),
        _ => panic!("not under test"),
    };
    assert_eq!(len.unwrap(), bytes.len());
    let mut spans = Vec::new();
    let options = DecodeOptions::traced(&mut spans);
    let back = decode(schema, message.id, format, &bytes, options).unwrap();
    check_spans(spans, bytes.len());
    if lossy(dialect) {
        let again = encode(schema, &back, format, dialect).unwrap();
        assert_eq!(again, bytes);
    } else {
        assert_eq!(back, document);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read_back(seed: u64) {
        let mut random = Random(seed);
        let text = random::schema_text(&mut random);
        let schema = random::compile(&text);
        let id = schema.message_by_name("r.M0").unwrap();
        for _ in 0..4 {
            let message = random::message(&mut random, &schema, id, 0);
            for format in [Format::Msgpack, Format::Flatbuffers] {
                for dialect in dialects(format) {
                    round_trip(&schema, &message, format, &dialect);
                }
            }
        }
    }

    #[test]
    fn broken_input_gives_a_value_or_an_error_with_its_place(seed: u64) {
        let mut random = Random(seed);
        let text = random::schema_text(&mut random);
        let schema = random::compile(&text);
        let id = schema.message_by_name("r.M0").unwrap();
        let message = random::message(&mut random, &schema, id, 0);
        let document = Document::of(message);
        for format in [Format::Msgpack, Format::Flatbuffers] {
            let dialect = Dialect::default_of(format);
            let good = encode(&schema, &document, format, &dialect).unwrap();
            for _ in 0..200 {
                let mut bytes = good.clone();
                for _ in 0..=random.below(3) {
                    let at = random.below(bytes.len() as u64) as usize;
                    match random.below(4) {
                        0 => bytes[at] = random.next() as u8,
                        1 => bytes[at] ^= 1 << random.below(8),
                        2 => bytes[at] = 0xff,
                        _ => bytes.truncate(at.max(1)),
                    }
                }
                let options = DecodeOptions::default();
                match decode(&schema, id, format, &bytes, options) {
                    Err(error) => prop_assert!(error.offset.unwrap() <= bytes.len()),
                    Ok(document) => {
                        let again = encode(&schema, &document, format, &dialect).unwrap();
                        let options = DecodeOptions::default();
                        let back = decode(&schema, id, format, &again, options).unwrap();
                        prop_assert_eq!(back, document);
                    }
                }
            }
        }
    }
}
