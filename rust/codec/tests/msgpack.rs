//! MessagePack beyond the golden files: the public vectors and their kinds, generated schemas
//! and values, and rmp-serde as an oracle.

use std::collections::BTreeMap;
use std::fs;

use interop_codec::msgpack::{self, Dialect, decode_any, decode_typed, encode_typed};
use interop_codec::{DecodeOptions, DynamicMessage, ErrorKind, Value};
use interop_schema::{MessageId, Schema, Type, proto};
use interop_wire::ErrorKind as WireKind;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

fn read_any(bytes: &[u8]) -> Result<Value, interop_codec::Error> {
    decode_any(bytes, DecodeOptions::default())
}

fn typed(name: &str, bytes: &[u8]) -> Result<Value, interop_codec::Error> {
    decode_typed(name, bytes, DecodeOptions::default())
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

/// A plain JSON value as a value of no schema.
fn plain(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => Value::Int(value),
            (None, Some(value)) => Value::UInt(value),
            _ => Value::Float64(number.as_f64().unwrap()),
        },
        Json::String(text) => Value::String(text.clone()),
        Json::Array(values) => Value::List(values.iter().map(plain).collect()),
        Json::Object(entries) => {
            let entry = |(k, v): (&String, &Json)| (Value::String(k.clone()), plain(v));
            Value::Map(entries.iter().map(entry).collect())
        }
    }
}

#[test]
fn every_public_vector_is_right() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../golden/vectors/vectors.jsonl"
    );
    let text = fs::read_to_string(path).unwrap();
    let vectors = text
        .lines()
        .map(|l| serde_json::from_str::<Json>(l).unwrap());
    let mut count = 0;
    for vector in vectors.filter(|vector| vector["format"] == "msgpack") {
        count += 1;
        let name = vector["type"].as_str().unwrap();
        let expect = &vector["expect"];
        if vector["op"] == "encode" {
            let json = vector["input_json"].as_str().unwrap();
            let value = plain(&serde_json::from_str(json).unwrap());
            let bytes = encode_typed(name, &value, &Dialect::default()).unwrap();
            assert_eq!(bytes, hex(expect["hex"].as_str().unwrap()), "{vector}");
            continue;
        }
        let input = hex(vector["input_hex"].as_str().unwrap());
        let got = typed(name, &input);
        if expect.get("error").is_some() || expect.get("error_or").is_some() {
            assert!(got.is_err(), "{vector}");
            continue;
        }
        let got = got.unwrap();
        if let Some(value) = expect.get("value") {
            match &got {
                Value::UInt(got) => assert_eq!(value.as_u64(), Some(*got)),
                Value::Float64(got) => assert_eq!(value.as_f64(), Some(*got)),
                Value::String(got) => assert_eq!(value.as_str(), Some(got.as_str())),
                other => panic!("{other:?}"),
            }
        }
        if vector["op"] == "both" {
            let bytes = encode_typed(name, &got, &Dialect::default()).unwrap();
            assert_eq!(bytes, input, "{vector}");
        }
    }
    assert_eq!(count, 8);
}

#[test]
fn timestamps_of_all_lengths_and_their_ranges() {
    let time = |seconds, nanos| Value::Timestamp { seconds, nanos };
    for (bytes, want) in [
        ("d6ff00000001", time(1, 0)),
        ("d6ffffffffff", time((1 << 32) - 1, 0)),
        ("d7ffee6b27fc00000000", time(0, 999_999_999)),
        ("d7ff0000000400000000", time(0, 1)),
        ("d7ff0000000100000000", time(1 << 32, 0)),
        ("c70cff3b9ac9ffffffffffffffffff", time(-1, 999_999_999)),
        ("c70cff000000008000000000000000", time(i64::MIN, 0)),
    ] {
        let bytes = hex(bytes);
        assert_eq!(read_any(&bytes).unwrap(), want);
        assert_eq!(typed("timestamp", &bytes).unwrap(), want);
        let written = encode_typed("timestamp", &want, &Dialect::default()).unwrap();
        assert_eq!(written, bytes);
    }
    // The same time in a longer form, and in the general header.
    assert_eq!(read_any(&hex("c704ff00000001")).unwrap(), time(1, 0));
    assert_eq!(read_any(&hex("d7ff0000000000000001")).unwrap(), time(1, 0));
    for bad in [
        "d7ffee6b280000000000",
        "d7ffffffffff00000000",
        "c70cff3b9aca000000000000000000",
        "d5ff0000",
        "c708ff00000000",
        "d60100000001",
    ] {
        assert!(read_any(&hex(bad)).is_err(), "{bad}");
    }
    let late = time(0, 1_000_000_000);
    assert!(encode_typed("timestamp", &late, &Dialect::default()).is_err());
}

#[test]
fn ints_stay_ints_and_keep_their_range() {
    for value in [
        0,
        127,
        128,
        1 << 53,
        (1 << 53) + 1,
        u64::MAX >> 1,
        1 << 63,
        u64::MAX,
    ] {
        let bytes = encode_typed("uint64", &Value::UInt(value), &Dialect::default()).unwrap();
        assert!(!matches!(bytes[0], 0xca | 0xcb));
        assert_eq!(typed("uint64", &bytes).unwrap(), Value::UInt(value));
        let untyped = i64::try_from(value).map_or(Value::UInt(value), Value::Int);
        assert_eq!(read_any(&bytes).unwrap(), untyped);
    }
    // Any width and either family will do.
    for wide in [
        "05",
        "cc05",
        "cd0005",
        "ce00000005",
        "cf0000000000000005",
        "d005",
        "d10005",
    ] {
        assert_eq!(typed("int32", &hex(wide)).unwrap(), Value::Int(5));
        assert_eq!(typed("uint8", &hex(wide)).unwrap(), Value::UInt(5));
    }
    for (name, bad) in [
        ("uint8", "cd0100"),
        ("int8", "cc80"),
        ("int32", "ce80000000"),
        ("uint32", "ff"),
        ("int64", "cf8000000000000000"),
        ("uint64", "cb43e0000000000000"),
        ("int32", "ca42c40000"),
        ("int32", "a135"),
        ("bool", "01"),
        ("uint64", "c0"),
    ] {
        assert!(typed(name, &hex(bad)).is_err(), "{name} {bad}");
    }
}

#[test]
fn floats_take_what_says_the_same_number() {
    let ok = |name, bytes: &str, value| assert_eq!(typed(name, &hex(bytes)).unwrap(), value);
    ok("double", "62", Value::Float64(98.0));
    ok("double", "ff", Value::Float64(-1.0));
    ok("double", "ca3f800000", Value::Float64(1.0));
    ok("float", "cb3ff8000000000000", Value::Float32(1.5));
    ok("float", "cd0400", Value::Float32(1024.0));
    // The nearest float, but no infinity for a number.
    ok("float", "cb3fb999999999999a", Value::Float32(0.1));
    for (name, bad) in [
        ("float", "cb47f0000000000000"),
        ("float", "ce01000001"),
        ("double", "cf0020000000000001"),
        ("double", "cfffffffffffffffff"),
        ("double", "a131"),
        ("float", "c3"),
    ] {
        assert!(typed(name, &hex(bad)).is_err(), "{name} {bad}");
    }
}

#[test]
fn hostile_counts_are_refused_before_anything_is_reserved() {
    for bad in [
        "ddffffffff",
        "dfffffffff",
        "dcffff",
        "dbffffffff",
        "c6ffffffff",
        "c9ffffffffff",
    ] {
        assert!(read_any(&hex(bad)).is_err(), "{bad}");
    }
    let error = read_any(&[0x91; 200]).unwrap_err();
    assert!(matches!(
        error.kind,
        ErrorKind::Wire(WireKind::DepthLimit { limit: 100 })
    ));
    let error = read_any(&[0xc1]).unwrap_err();
    assert_eq!(error.offset, Some(0));
    assert!(read_any(&hex("8201a16101a162")).is_err(), "a key twice");
    assert!(read_any(&hex("819001")).is_err(), "an array as key");
    assert!(read_any(&hex("0000")).is_err(), "bytes behind the value");
}

#[test]
fn text_is_utf8_and_bytes_are_bin() {
    let error = typed("string", &hex("a3eda0bd")).unwrap_err();
    assert_eq!(error.offset, Some(1));
    assert!(typed("string", &hex("a1ff")).is_err());
    assert!(typed("string", &hex("c40161")).is_err());
    assert!(typed("bytes", &hex("a161")).is_err());
    assert_eq!(
        typed("bytes", &hex("c401ff")).unwrap(),
        Value::Bytes(vec![0xff])
    );
    for len in [0, 31, 32, 255, 256, 65_535, 65_536] {
        let text = Value::String("a".repeat(len));
        let bytes = encode_typed("string", &text, &Dialect::default()).unwrap();
        assert_eq!(typed("string", &bytes).unwrap(), text);
    }
}

#[test]
fn keys_of_messages_come_in_any_order_but_once_and_known() {
    let schema = proto::compile_text(
        "syntax = \"proto3\"; message M { int32 first_one = 1; optional string s = 2;
         oneof o { int32 a = 3; bool b = 4; } M child = 5; }",
    )
    .unwrap();
    let read =
        |bytes: &[u8]| msgpack::decode(&schema, MessageId(0), bytes, DecodeOptions::default());
    let m = read(b"\x82\xa1s\xa1x\xa9first_one\x07").unwrap();
    assert_eq!(m.get(0), Some(&Value::Int(7)));
    assert_eq!(m.get(1), Some(&Value::String("x".to_owned())));
    assert_eq!(read(b"\x81\xa1s\xc0").unwrap().get(1), None);
    let error = read(b"\x81\xa5child\x81\xa1x\x01").unwrap_err();
    assert_eq!(
        (error.offset, error.path.to_string()),
        (Some(8), "child".to_owned())
    );
    for bad in [
        &b"\x81\xa9first_one\xc0"[..],
        b"\x81\xa8firstOne\x01",
        b"\x82\xa1s\xa1x\xa1s\xa1y",
        b"\x82\xa1a\x01\xa1b\xc3",
        b"\x81\x01\x01",
        b"\x90",
    ] {
        assert!(read(bad).is_err(), "{bad:?}");
    }
    let mut set = DynamicMessage::new(&schema, MessageId(0));
    set.set(&schema, 3, Value::Bool(false));
    let bytes = msgpack::encode(&schema, &set, &Dialect::default()).unwrap();
    assert_eq!(
        bytes,
        b"\x85\xa9first_one\x00\xa1s\xc0\xa1a\xc0\xa1b\xc2\xa5child\xc0"
    );
    assert_eq!(read(&bytes).unwrap(), set);
}

/// The message of `ORACLE` as rmp-serde sees it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Oracle {
    b: bool,
    i: i64,
    u: u64,
    f: f32,
    d: f64,
    s: String,
    #[serde(with = "serde_bytes_like")]
    y: Vec<u8>,
    o: Option<i32>,
    l: Vec<i32>,
    m: BTreeMap<i32, String>,
    c: Option<Box<Oracle>>,
}

mod serde_bytes_like {
    use serde::{Deserializer, Serializer, de::Visitor};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Vec<u8>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }
        from.deserialize_bytes(Bytes)
    }
}

const ORACLE: &str = "syntax = \"proto3\"; message Oracle { bool b = 1; int64 i = 2; uint64 u = 3;
    float f = 4; double d = 5; string s = 6; bytes y = 7; optional int32 o = 8;
    repeated int32 l = 9; map<int32, string> m = 10; Oracle c = 11; }";

impl Oracle {
    fn dynamic(&self, schema: &Schema) -> DynamicMessage {
        let mut message = DynamicMessage::new(schema, MessageId(0));
        let text = |s: &String| Value::String(s.clone());
        let int = |i: &i32| Value::Int(i64::from(*i));
        let map = self.m.iter().map(|(k, v)| (int(k), text(v)));
        let values = [
            Some(Value::Bool(self.b)),
            Some(Value::Int(self.i)),
            Some(Value::UInt(self.u)),
            Some(Value::Float32(self.f)),
            Some(Value::Float64(self.d)),
            Some(text(&self.s)),
            Some(Value::Bytes(self.y.clone())),
            self.o.as_ref().map(int),
            Some(Value::List(self.l.iter().map(int).collect())),
            Some(Value::Map(map.collect())),
            self.c
                .as_ref()
                .map(|c| Value::Message(Box::new(c.dynamic(schema)))),
        ];
        for (index, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                message.set(schema, index, value);
            }
        }
        message
    }
}

mod generated {
    use super::*;
    use proptest::prelude::*;

    fn ints() -> impl Strategy<Value = i64> + Clone {
        // Shifting makes small magnitudes as likely as large ones.
        (any::<i64>(), 0..64u32).prop_map(|(value, shift)| value >> shift)
    }

    fn oracle() -> impl Strategy<Value = Oracle> {
        let leaf = (
            (any::<bool>(), ints(), ints(), any::<f32>(), any::<f64>()),
            "\\PC{0,40}",
            prop::collection::vec(any::<u8>(), 0..300),
            prop::option::of(any::<i32>()),
            prop::collection::vec(any::<i32>(), 0..20),
            prop::collection::btree_map(any::<i32>(), "\\PC{0,4}", 0..18),
        )
            .prop_map(|((b, i, u, f, d), s, y, o, l, m)| Oracle {
                b,
                i,
                u: u as u64,
                f,
                d,
                s,
                y,
                o,
                l,
                m,
                c: None,
            });
        (leaf.clone(), prop::option::of(leaf)).prop_map(|(outer, inner)| Oracle {
            c: inner.map(Box::new),
            ..outer
        })
    }

    proptest! {
        #[test]
        fn rmp_serde_writes_the_same_bytes_and_reads_ours(value in oracle()) {
            let schema = proto::compile_text(ORACLE).unwrap();
            let theirs = rmp_serde::to_vec_named(&value).unwrap();
            let message = value.dynamic(&schema);
            let ours = msgpack::encode(&schema, &message, &Dialect::default()).unwrap();
            prop_assert_eq!(&ours, &theirs);
            let read = msgpack::decode(&schema, MessageId(0), &theirs, DecodeOptions::default());
            prop_assert_eq!(read.unwrap(), message);
        }

        #[test]
        fn any_bytes_give_a_value_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(value) = read_any(&bytes) {
                let again = encode_typed("any", &value, &Dialect::default()).unwrap();
                prop_assert_eq!(read_any(&again).unwrap(), value);
            }
        }
    }

    #[test]
    fn type_names_cover_both_languages() {
        assert_eq!(
            msgpack::type_by_name("sfixed32"),
            msgpack::type_by_name("int32")
        );
        let nested = msgpack::type_by_name("map<string, list<map<int32,bool>>>");
        assert!(matches!(nested, Some(Type::Map(..))));
        for bad in ["map<int32>", "list<", "list<x>", "int24", ""] {
            assert_eq!(msgpack::type_by_name(bad), None, "{bad}");
        }
    }
}
