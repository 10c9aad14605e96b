//! Both engines over generated values in MessagePack, ProtoJSON and FlatBuffers: the same bytes
//! are written, the same bytes are accepted, and the same value is read.

use std::path::Path;
use std::sync::LazyLock;

use interop_codec::{DecodeOptions, Dialect, Document, DynamicMessage, Format, Value};
use interop_models::{
    Codec, Decode, Encode, FlatBuffers, Json, MessagePack, Protobuf, TryCodec, TryEncode,
};
use interop_models::{protobuf as bench, suite};
use interop_schema::{MessageId, Schema, Type};
use proptest::prelude::*;

// Some of what is generated is not put to use here.
#[allow(dead_code, unused_mut)]
mod kinds {
    pub mod google {
        #[rustfmt::skip]
        #[path = "protobuf.rs"]
        pub mod protobuf;
    }
    #[rustfmt::skip]
    #[path = "../kinds/kinds.rs"]
    #[allow(clippy::module_inception)]
    pub mod kinds;
}

static BENCH: LazyLock<Schema> = LazyLock::new(|| {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    let files = [proto.join("bench.proto"), proto.join("suite.proto")];
    interop_schema::proto::compile_files(&files, &[proto]).unwrap()
});

static KINDS: LazyLock<Schema> = LazyLock::new(|| {
    let kinds = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kinds");
    interop_schema::proto::compile_files(&[kinds.join("kinds.proto")], &[kinds]).unwrap()
});

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn message(&mut self, schema: &Schema, id: MessageId, depth: u32) -> DynamicMessage {
        let mut message = DynamicMessage::new(schema, id);
        let definition = schema.message(id);
        let time = matches!(
            definition.full_name.as_str(),
            "google.protobuf.Timestamp" | "google.protobuf.Duration"
        );
        for (index, field) in definition.fields.iter().enumerate() {
            if self.below(3) == 0 || (depth > 3 && matches!(field.ty, Type::Message(_))) {
                continue;
            }
            // Most times are in range.
            let value = match (time, field.number) {
                (true, 1) if self.below(8) > 0 => Value::Int(self.below(4_000_000_000) as i64),
                (true, 2) if self.below(8) > 0 => {
                    let unit = [1, 1000, 1_000_000][self.below(3) as usize];
                    Value::Int((self.below(1_000_000_000) / unit * unit) as i64)
                }
                _ => self.value(schema, &field.ty, depth),
            };
            message.set(schema, index, value);
        }
        message
    }

    fn value(&mut self, schema: &Schema, ty: &Type, depth: u32) -> Value {
        let shift = self.below(64);
        let bits = match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 63,
            _ => self.next() >> shift,
        };
        match ty {
            Type::Bool => Value::Bool(bits & 1 == 1),
            Type::Int {
                bits: width,
                signed: true,
                ..
            } => Value::Int((bits as i64) << (64 - width) >> (64 - width)),
            Type::Int { bits: width, .. } => Value::UInt(bits >> (64 - width)),
            Type::Float32 => Value::Float32(match self.below(3) {
                0 => f32::from_bits((bits >> 32) as u32 ^ bits as u32),
                1 => bits as i64 as f32,
                _ => (bits as i32) as f32 / 1000.0,
            }),
            Type::Float64 => Value::Float64(match self.below(3) {
                0 => f64::from_bits(bits),
                1 => bits as i64 as f64,
                _ => (bits as i32) as f64 / 1000.0,
            }),
            Type::String => Value::String(self.text()),
            Type::Bytes => Value::Bytes((0..self.below(40)).map(|_| self.next() as u8).collect()),
            Type::Enum(id) => {
                let values = &schema.enumeration(*id).values;
                Value::Enum(match self.below(10) {
                    0 => bits as i32 >> 20,
                    _ => values[self.below(values.len() as u64) as usize].number,
                })
            }
            Type::Message(id) => Value::Message(Box::new(self.message(schema, *id, depth + 1))),
            Type::List(slot) => self.list(schema, &slot.ty, depth),
            Type::Array(element) => self.list(schema, element, depth),
            Type::Map(key, slot) => {
                let mut entries: Vec<(Value, Value)> = Vec::new();
                let most = if self.below(10) == 0 { 20 } else { 4 };
                for _ in 0..self.below(most) {
                    let key = self.value(schema, &key.ty, depth);
                    let value = self.value(schema, &slot.ty, depth + 1);
                    if entries.iter().all(|(known, _)| *known != key) {
                        entries.push((key, value));
                    }
                }
                Value::Map(entries)
            }
            other => panic!("{other:?} is not generated"),
        }
    }

    fn list(&mut self, schema: &Schema, element: &Type, depth: u32) -> Value {
        let count = if self.below(10) == 0 {
            20
        } else {
            self.below(4)
        };
        let count = if depth > 3 { count.min(1) } else { count };
        Value::List(
            (0..count)
                .map(|_| self.value(schema, element, depth + 1))
                .collect(),
        )
    }

    fn text(&mut self) -> String {
        const CHARS: [char; 12] = [
            'a', 'b', 'c', ' ', '\0', '\n', '\\', 'é', '\u{1234}', '😀', '\u{7f}', '"',
        ];
        let count = if self.below(10) == 0 {
            self.below(300)
        } else {
            self.below(30)
        };
        let kinds = [3, 12][self.below(2) as usize];
        (0..count)
            .map(|_| CHARS[self.below(kinds) as usize])
            .collect()
    }

    /// Breaks `bytes` in a place or three.
    fn spoil(&mut self, format: Format, bytes: &mut Vec<u8>) {
        const PIECES: [&[u8]; 14] = [
            b" ", b"\n", b",", b"\"", b"{", b"}", b"null", b"1e2", b".0", b"-", b"\\u00e9", b"0",
            b"\"NaN\"", b"\xff",
        ];
        for _ in 0..=self.below(3) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len() as u64) as usize;
            match self.below(if format == Format::Json { 8 } else { 5 }) {
                0 => bytes[at] = self.next() as u8,
                1 | 2 => bytes[at] ^= 1 << self.below(8),
                3 => bytes[at] = 0xff,
                4 => bytes.truncate(at),
                5 => drop(bytes.remove(at)),
                _ => {
                    let piece = PIECES[self.below(14) as usize];
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
        }
    }
}

trait Model:
    Codec
    + TryCodec
    + Default
    + Encode<Protobuf>
    + Decode<Protobuf>
    + TryEncode<MessagePack>
    + Encode<MessagePack>
    + Decode<MessagePack>
    + TryEncode<Json>
    + Decode<Json>
    + TryEncode<FlatBuffers>
    + Decode<FlatBuffers>
{
}

impl<T> Model for T where
    T: Codec
        + TryCodec
        + Default
        + Encode<Protobuf>
        + Decode<Protobuf>
        + TryEncode<MessagePack>
        + Encode<MessagePack>
        + Decode<MessagePack>
        + TryEncode<Json>
        + Decode<Json>
        + TryEncode<FlatBuffers>
        + Decode<FlatBuffers>
{
}

/// The value of a compiled message, as the dynamic engine has it.
fn dynamic<M: Encode<Protobuf>>(schema: &Schema, id: MessageId, message: &M) -> DynamicMessage {
    let bytes = message.encode_to_vec::<Protobuf>();
    interop_codec::protobuf::decode(schema, id, &bytes, DecodeOptions::default()).unwrap()
}

fn same_reading<F, M: Model + Decode<F>>(
    schema: &Schema,
    id: MessageId,
    format: Format,
    bytes: &[u8],
) {
    let theirs = interop_codec::decode(schema, id, format, bytes, DecodeOptions::default());
    let ours = M::decode::<F>(bytes);
    let shown = || match format {
        Format::Json => String::from_utf8_lossy(bytes).into_owned(),
        _ => format!("{bytes:02x?}"),
    };
    match (&theirs, &ours) {
        (Ok(theirs), Ok(ours)) => {
            let ours = Document::of(dynamic(schema, id, ours));
            assert_eq!(ours, *theirs, "{format}: {}", shown());
        }
        (Err(_), Err(ours)) => assert!(ours.offset() <= bytes.len(), "{ours}"),
        _ => panic!(
            "{format}: dynamic {:?}, compiled {:?}: {}",
            theirs.as_ref().map(drop),
            ours.as_ref().map(drop),
            shown()
        ),
    }
}

fn agree_in<F, M>(
    random: &mut Random,
    schema: &Schema,
    document: &Document,
    message: &M,
    format: Format,
) where
    M: Model + TryEncode<F> + Decode<F>,
{
    let id = document.message().unwrap().id;
    let theirs = interop_codec::encode(schema, document, format, &Dialect::default_of(format));
    let ours = message.try_encode_to_vec::<F>();
    let bytes = match (theirs, ours) {
        (Ok(theirs), Ok(ours)) => {
            let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(
                ours,
                theirs,
                "{format}: {} and {}",
                shown(&ours),
                shown(&theirs)
            );
            ours
        }
        (Err(_), Err(_)) => return,
        (theirs, ours) => panic!("{format}: dynamic {theirs:?}, compiled {ours:?}"),
    };
    assert_eq!(TryEncode::<F>::try_len_in(message).unwrap(), bytes.len());
    same_reading::<F, M>(schema, id, format, &bytes);
    let mut behind = vec![7; 3];
    message.try_encode_into::<F>(&mut behind).unwrap();
    assert_eq!(behind[3..], bytes);
    for _ in 0..40 {
        let mut broken = bytes.clone();
        random.spoil(format, &mut broken);
        same_reading::<F, M>(schema, id, format, &broken);
    }
}

fn agree<M: Model>(schema: &Schema, name: &str, seed: u64) {
    let mut random = Random(seed);
    let id = schema.message_by_name(name).unwrap();
    let value = random.message(schema, id, 0);
    let dialect = interop_codec::protobuf::Dialect::default();
    let bytes = interop_codec::protobuf::encode(schema, &value, &dialect).unwrap();
    let message = M::decode::<Protobuf>(&bytes).unwrap();
    // Through the bytes, so that both have maps in the same order.
    let value = dynamic(schema, id, &message);
    let document = Document::of(value);
    agree_in::<MessagePack, M>(&mut random, schema, &document, &message, Format::Msgpack);
    agree_in::<Json, M>(&mut random, schema, &document, &message, Format::Json);
    agree_in::<FlatBuffers, M>(
        &mut random,
        schema,
        &document,
        &message,
        Format::Flatbuffers,
    );
    // Under their JSON names, in declaration order, spaced: what other writers make of it.
    let mut presets = interop_codec::json::presets();
    let preset = presets.remove(random.below(presets.len() as u64) as usize);
    let spaced = interop_codec::json::Dialect {
        spacing: interop_codec::json::Spacing::Spaced,
        names: interop_codec::json::Names::LowerCamelCase,
        ..preset.dialect
    };
    if let Ok(text) = interop_codec::json::encode(schema, document.message().unwrap(), &spaced) {
        same_reading::<Json, M>(schema, id, Format::Json, &text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn every_kind_of_field(seed: u64) {
        agree::<kinds::kinds::All>(&KINDS, "kinds.All", seed);
        agree::<kinds::kinds::Plain>(&KINDS, "kinds.Plain", seed);
        agree::<kinds::kinds::Choice>(&KINDS, "kinds.Choice", seed);
        agree::<kinds::kinds::WellKnown>(&KINDS, "kinds.WellKnown", seed);
    }

    #[test]
    fn bench_models(seed: u64) {
        agree::<bench::NumericStruct>(&BENCH, "protobuf.NumericStruct", seed);
        agree::<bench::FixedNumericStruct>(&BENCH, "protobuf.FixedNumericStruct", seed);
        agree::<bench::SampleList>(&BENCH, "protobuf.SampleList", seed);
        agree::<bench::MediaContentList>(&BENCH, "protobuf.MediaContentList", seed);
        agree::<bench::Bar>(&BENCH, "protobuf.Bar", seed);
    }

    #[test]
    fn data_types(seed: u64) {
        agree::<suite::Company>(&BENCH, "suite.Company", seed);
        agree::<suite::ECommerceData>(&BENCH, "suite.ECommerceData", seed);
        agree::<suite::SystemData>(&BENCH, "suite.SystemData", seed);
    }
}

/// JSON that random changes hardly ever make.
#[test]
fn json_by_hand() {
    let id = KINDS.message_by_name("kinds.All").unwrap();
    let read = |text: String| {
        same_reading::<Json, kinds::kinds::All>(&KINDS, id, Format::Json, text.as_bytes())
    };
    for number in [
        "0",
        "-0",
        "1.0",
        "1e2",
        "1.5e1",
        "\"7\"",
        "\"1e1\"",
        "\" 7\"",
        "\"\\u0037\"",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "2147483647",
        "2147483648",
        "-2147483649",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "1e-400",
        "1e400",
        "3.4028235e+38",
        "3.5e38",
        "1.7976931348623159e308",
        "0.1e1",
        "100000000000000000000e-19",
        "null",
        "NaN",
        "\"NaN\"",
        "\"-Infinity\"",
        "true",
        "[]",
        "\"SMALL_LOW\"",
        "\"small_low\"",
        "\"\"",
        "\"-_8\"",
        "\"+/8=\"",
        "\"+_8=\"",
        "0.1",
        "16777217",
        "9007199254740993",
        "123456789012345678",
        "1234567890123456789",
        "0.30000000000000004",
    ] {
        for field in [
            "boolValue",
            "int32_value",
            "int64Value",
            "uint32_value",
            "uint64_value",
            "fixed32_value",
            "fixed64_value",
            "float_value",
            "double_value",
            "string_value",
            "bytes_value",
            "small",
            "large",
        ] {
            read(format!("{{\"plain\": {{\"{field}\" : {number} }} }}"));
        }
        for map in [
            "ints",
            "longs",
            "unsigneds",
            "floats",
            "doubles",
            "larges",
            "bools",
        ] {
            if let Some(key) = number.strip_prefix('"').and_then(|n| n.strip_suffix('"')) {
                read(format!(
                    "{{\"maps\":{{\"{map}\":{{\"{key}\":1,\"8\":2}}}}}}"
                ));
            }
            read(format!(
                "{{\"maps\":{{\"{map}\":{{\"{}\":\"1\"}}}}}}",
                number.trim_matches('"')
            ));
        }
    }
    for text in [
        "{}",
        "{ }",
        " {\n}\t",
        "{,}",
        "{} ,",
        "{}{}",
        "[]",
        "null",
        "",
        "{\"plain\":null}",
        "{\"plain\":{},\"plain\":{}}",
        "{\"optional\":{\"other name\":{},\"plain\":{}}}",
        "{\"optional\":{\"plain\":null,\"plain\":null}}",
        "{\"optional\":{\"other name\":{}}}",
        "{\"optional\":{\"otherName\":{}}}",
        "{\"pl\\u0061in\":{}}",
        "{\"plain\":{\"nothing\":1}}",
        "{\"choice\":{\"number\":1,\"text\":\"\"}}",
        "{\"choice\":{\"text\":\"\",\"number\":null}}",
        "{\"choice\":{\"number\":null,\"text\":\"\"}}",
        "{\"choice\":{\"number\":null,\"number\":1}}",
        "{\"maps\":{\"bools\":{\"true\":true,\"false\":false}}}",
        "{\"maps\":{\"ints\":{\"0\":1,\"-0\":1}}}",
        "{\"maps\":{\"strings\":{\"\":\"\",\"\\u0000\":\"\"}}}",
        "{\"maps\":{\"strings\":{\"a\":null}}}",
        "{\"maps\":{\"strings\":{\"a\":\"\",\"\\u0061\":\"\"}}}",
        "{\"repeatedValues\":{\"bools\":[true,]}}",
        "{\"repeated_values\":{\"strings\":[\"\\ud83d\\ude00\",\"\\ud83d\"]}}",
        "{\"repeated_values\":{\"strings\":[\"\\ud83d\\ude00\",\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"]}}",
        "{\"repeated_values\":{\"strings\":[null]}}",
        "{\"repeated_values\":{\"plains\":[{},{\"int32_value\":1}]}}",
        "{\"well_known\":{\"timestamp\":\"1970-01-01T00:00:00.5Z\",\"duration\":\"-0.5s\"}}",
        "{\"well_known\":{\"timestamp\":\"1970-01-01T01:30:00+01:30\",\"duration\":\"1e3s\"}}",
        "{\"well_known\":{\"timestamp\":\"1970-02-29T00:00:00Z\"}}",
        "{\"well_known\":{\"duration\":\"01s\"}}",
        "{\"well_known\":{\"timestamp\":\"9999-12-31T23:59:59-00:01\"}}",
        "{\"well_known\":{\"duration\":\"315576000000s\"}}",
        "{\"well_known\":{\"int64\":\"5\",\"text\":\"x\",\"bytes_values\":[\"\",\"AA\"],\"doubles\":{\"a\":1,\"b\":\"NaN\"}}}",
        "{\"well_known\":{\"empty\":{}}}",
        "{\"well_known\":{\"empty\":{\"a\":1}}}",
        "{\"well_known\":{\"bytes_values\":[null]}}",
        "\u{feff}{}",
        "{\"plain\":{\"string_value\":\"\u{e9}\"}}",
        "{\"plain\":{\"string_value\":\"\t\"}}",
    ] {
        read(text.to_owned());
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            read(text[..cut].to_owned());
        }
    }
    for depth in [97, 98, 99, 100, 101, 102] {
        let plain = format!("{}{{}}{}", "{\"plain\":".repeat(depth), "}".repeat(depth));
        read(plain);
        let others = format!(
            "{{\"choice\":{}{{}}{}}}",
            "{\"others\":[".repeat(depth),
            "]}".repeat(depth)
        );
        read(others);
    }
}

/// Values that a format can't carry are reported, and nothing is written.
#[test]
fn values_without_a_form() {
    let mut message = kinds::kinds::All::default();
    let plain = message.plain.get_or_insert_default();
    plain.small = kinds::kinds::Small(128);
    let mut out = vec![1];
    let error = message
        .try_encode_into::<FlatBuffers>(&mut out)
        .unwrap_err();
    assert_eq!(error.field(), "kinds.Plain.small");
    message.plain = None;
    let times = message.well_known.get_or_insert_default();
    times.timestamp.get_or_insert_default().seconds = i64::MAX;
    let error = message.try_encode_into::<Json>(&mut out).unwrap_err();
    assert!(error.to_string().contains("outside the years"), "{error}");
    assert_eq!(out, [1]);
}
