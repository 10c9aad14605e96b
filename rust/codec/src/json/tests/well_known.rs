//! The types of `google.protobuf`: what is read, what is refused, what is printed.

use interop_schema::proto::compile_text;

use super::rules::{assert_prints, assert_refused, schema};
use super::*;
use crate::{ErrorKind, Path};

#[test]
fn times_masks_and_wrappers() {
    assert_prints(&[
        (
            r#"{"ts":"1970-01-01T00:00:00.5+00:00"}"#,
            r#"{"ts":"1970-01-01T00:00:00.500Z"}"#,
        ),
        (
            r#"{"ts":"1970-01-01T00:00:00Z"}"#,
            r#"{"ts":"1970-01-01T00:00:00Z"}"#,
        ),
        (r#"{"dur":"-0.5s"}"#, r#"{"dur":"-0.500s"}"#),
        (r#"{"mask":"fooBar,a.b"}"#, r#"{"mask":"fooBar,a.b"}"#),
        (r#"{"mask":""}"#, r#"{"mask":""}"#),
        (
            r#"{"w64":1,"ws":"","wb":false,"wby":"QQ"}"#,
            r#"{"w64":"1","ws":"","wb":false,"wby":"QQ=="}"#,
        ),
        (r#"{"empty":{}}"#, r#"{"empty":{}}"#),
    ]);
    assert_refused(&[
        r#"{"ts":0}"#,
        r#"{"ts":"0000-01-01T00:00:00Z"}"#,
        r#"{"ts":{}}"#,
        r#"{"dur":1}"#,
        r#"{"dur":"1"}"#,
        r#"{"dur":"315576000001s"}"#,
        r#"{"mask":"snake_case"}"#,
        r#"{"mask":["a"]}"#,
        r#"{"mask":"a,"}"#,
        r#"{"mask":"a,,b"}"#,
        r#"{"mask":"a, b"}"#,
        r#"{"w64":"x"}"#,
        r#"{"w64":{"value":1}}"#,
        r#"{"wb":"true"}"#,
        r#"{"empty":{"a":1}}"#,
        r#"{"empty":[]}"#,
        r#"{"empty":""}"#,
    ]);
}

#[test]
fn structs() {
    assert_prints(&[
        (r#"{"v":null}"#, r#"{"v":null}"#),
        (
            r#"{"v":{"a":[1,"x",true,null,{}]}}"#,
            r#"{"v":{"a":[1.0,"x",true,null,{}]}}"#,
        ),
        (r#"{"v":"NaN"}"#, r#"{"v":"NaN"}"#),
        (r#"{"v":[]}"#, r#"{"v":[]}"#),
        (r#"{"v":-0.0}"#, r#"{"v":-0.0}"#),
        (r#"{"st":{"k":null}}"#, r#"{"st":{"k":null}}"#),
        (r#"{"lv":[null,[[]]]}"#, r#"{"lv":[null,[[]]]}"#),
        (
            r#"{"rv":[null,1],"mv":{"a":null}}"#,
            r#"{"rv":[null,1.0],"mv":{"a":null}}"#,
        ),
        (
            r#"{"nv":null,"rn":[null,"NULL_VALUE",0]}"#,
            r#"{"rn":[null,null,null]}"#,
        ),
    ]);
    assert_refused(&[
        r#"{"st":[]}"#,
        r#"{"st":{"a":1,"a":2}}"#,
        r#"{"lv":{}}"#,
        r#"{"v":1e400}"#,
        r#"{"v":}"#,
        r#"{"st":{"a"}}"#,
        r#"{"nv":"NULL"}"#,
    ]);
}

#[test]
fn any_holds_any_message_of_the_schema() {
    assert_prints(&[
        (r#"{"any":{}}"#, r#"{"any":{}}"#),
        (
            r#"{"any":{"@type":"type.googleapis.com/p.M","i32":1}}"#,
            r#"{"any":{"@type":"type.googleapis.com/p.M","i32":1}}"#,
        ),
        (
            r#"{"any":{"i32":1,"m":{"r":[1]},"@type":"x/y/p.M"}}"#,
            r#"{"any":{"@type":"x/y/p.M","i32":1,"m":{"r":[1]}}}"#,
        ),
        (
            r#"{"any":{"value":"1.5s","@type":"/google.protobuf.Duration"}}"#,
            r#"{"any":{"@type":"/google.protobuf.Duration","value":"1.500s"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Any","value":{"@type":"a/p.M","fooBar":1}}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Any","value":{"@type":"a/p.M","foo_bar":1}}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Value","value":null}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Value","value":null}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Int64Value","value":5}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Int64Value","value":"5"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Empty","value":{}}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Empty"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Empty"}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Empty"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Struct","value":{"@type":"x","b":1}}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Struct","value":{"@type":"x","b":1.0}}}"#,
        ),
        (
            r#"{"ra":[{"@type":"a/p.M","any":{"i32":1,"@type":"a/p.M"}},{}],"any":null}"#,
            r#"{"ra":[{"@type":"a/p.M","any":{"@type":"a/p.M","i32":1}},{}]}"#,
        ),
    ]);
    assert_refused(&[
        r#"{"any":{"@type":"p.M"}}"#,
        r#"{"any":{"@type":""}}"#,
        r#"{"any":{"@type":"a/p.X"}}"#,
        r#"{"any":{"@type":"a/p.E"}}"#,
        r#"{"any":{"@type":1}}"#,
        r#"{"any":{"i32":1}}"#,
        r#"{"any":{"@type":"a/p.M","@type":"a/p.M"}}"#,
        r#"{"any":{"@type":"a/p.M","x":1}}"#,
        r#"{"any":{"@type":"a/p.M","value":{"i32":1}}}"#,
        r#"{"any":[]}"#,
        r#"{"any":"x"}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration"}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":"1s","x":1}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":"1s","value":"1s"}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":null}}"#,
        r#"{"any":{"x":,"@type":"a/p.M"}}"#,
        r#"{"any":{"@type":"a/p.M""#,
        r#"{"any":{"@type":null}}"#,
    ]);
}

#[test]
fn values_without_a_form_are_not_printed() {
    let (schema, id) = schema();
    for hex in [
        // Timestamp: past year 9999, before year 1, nanos negative and too large.
        "9a0209088083d1ffaf071000",
        "9a020d08ff91b8c398feffffff011000",
        "9a020d080010ffffffffffffffffff01",
        "9a02080800108094ebdc03",
        // Duration: signs differ, nanos too large, seconds too large.
        "ea010d080110ffffffffffffffffff01",
        "ea010d08ffffffffffffffffff011001",
        "ea01080800108094ebdc03",
        "ea01090881bcaece97091000",
        // FieldMask: abc_, aB, a_1, nothing, a,b.
        "fa01060a046162635f",
        "fa01040a026142",
        "fa01050a03615f31",
        "fa01020a00",
        "fa01050a03612c62",
        // Value: no kind, NaN, Infinity; no kind inside a list.
        "8a0200",
        "8a020911000000000000f87f",
        "8a020911000000000000f07f",
        "9202020a00",
        // Any: unknown type, no slash, no type, bytes that are no message, a Duration of no form.
        "e201050a03612f62",
        "e201050a03702e4d",
        "e20103120108",
        "e2010a0a05612f702e4d1201ff",
        "e2012b0a1a612f676f6f676c652e70726f746f6275662e4475726174696f6e120d080110ffffffffffffffffff01",
    ] {
        let bytes = unhex(hex);
        let options = DecodeOptions::default();
        let message = crate::protobuf::decode(&schema, id, &bytes, options)
            .unwrap_or_else(|error| panic!("{hex}: {error}"));
        let error = print(&schema, &message).unwrap_err();
        assert!(!error.path.is_root() && error.offset.is_none(), "{error}");
        assert!(matches!(error.kind, ErrorKind::Value(_)), "{error}");
    }
}

fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    digits
        .chunks(2)
        .map(|pair| (pair[0] * 16 + pair[1]) as u8)
        .collect()
}

#[test]
fn a_schema_may_redefine_well_known_types() {
    for definition in [
        "message Timestamp { string seconds = 1; } message M { Timestamp t = 1; }",
        "message Timestamp {} message M { Timestamp t = 1; }",
    ] {
        let text = format!("syntax = \"proto3\"; package google.protobuf; {definition}");
        let schema = compile_text(&text).unwrap();
        let id = schema.message_by_name("google.protobuf.M").unwrap();
        let error = parse(&schema, id, r#"{"t":"1970-01-01T00:00:01Z"}"#).unwrap_err();
        assert_eq!(error.path.to_string(), "t");
        let mut message = DynamicMessage::new(&schema, id);
        let inner = schema.message_by_name("google.protobuf.Timestamp").unwrap();
        let inner = DynamicMessage::new(&schema, inner);
        message.set(&schema, 0, crate::Value::Message(Box::new(inner)));
        assert_ne!(print(&schema, &message).unwrap_err().path, Path::default());
    }
}
