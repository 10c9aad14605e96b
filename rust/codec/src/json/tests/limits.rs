//! Bounds on depth and memory.

use interop_schema::proto::compile_text;

use super::rules::schema;
use super::*;

#[test]
fn nesting_is_bounded() {
    let (schema, id) = schema();
    let read = |open: &str, inner: &str, close: &str, depth: usize| {
        let json = open.repeat(depth) + inner + &close.repeat(depth);
        parse(&schema, id, &json)
    };
    assert!(read(r#"{"m":"#, "{}", "}", 100).is_ok());
    assert!(read(r#"{"rm":["#, "{}", "]}", 100).is_ok());
    assert!(read(r#"{"mim":{"1":"#, "{}", "}}", 100).is_ok());
    let error = read(r#"{"m":"#, "{}", "}", 101).unwrap_err();
    assert!(error.to_string().contains("depth limit of 100"), "{error}");
    for depth in [101, 100_000] {
        assert!(read(r#"{"m":"#, "{}", "}", depth).is_err());
        assert!(read(r#"{"v":["#, "", "]}", depth).is_err());
        let lists = format!(r#"{{"v":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&schema, id, &lists).is_err());
        let any = r#"{"any":{"@type":"a/google.protobuf.Any","value":"#;
        assert!(read(any, "{}", "}}", depth).is_err());
        let any = r#"{"any":{"x":"#;
        assert!(read(any, "{}", "}}", depth).is_err());
        let options = ParseOptions {
            ignore_unknown: true,
        };
        let skipped = format!(r#"{{"x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let bytes = skipped.as_bytes();
        assert!(decode_with(&schema, id, bytes, DecodeOptions::default(), options).is_err());
    }
    let lists = format!(r#"{{"v":{}{}}}"#, "[".repeat(100), "]".repeat(100));
    let deep = parse(&schema, id, &lists).unwrap();
    assert_eq!(print(&schema, &deep).unwrap(), lists);
}

#[test]
fn an_any_in_an_any_cannot_outgrow_the_depth_limit() {
    let schema = compile_text(
        "syntax = \"proto3\"; import \"google/protobuf/any.proto\"; message M { google.protobuf.Any a = 1; }",
    )
    .unwrap();
    let any = schema.message_by_name("google.protobuf.Any").unwrap();
    let nested = |depth: usize| {
        let mut message = DynamicMessage::new(&schema, any);
        for _ in 0..depth {
            let dialect = crate::protobuf::Dialect::default();
            let bytes = crate::protobuf::encode(&schema, &message, &dialect).unwrap();
            let url = "a/google.protobuf.Any".to_owned();
            message.set(&schema, 0, crate::Value::String(url));
            message.set(&schema, 1, crate::Value::Bytes(bytes));
        }
        print(&schema, &message)
    };
    let json = nested(50).unwrap();
    assert!(parse(&schema, any, &json).is_ok());
    assert!(nested(1000).is_err());
}

#[test]
fn memory_is_bounded() {
    let (schema, id) = schema();
    let json = format!(r#"{{"rm":[{}{{}}]}}"#, "{},".repeat(1_000_000));
    let error = parse(&schema, id, &json).unwrap_err();
    assert!(error.to_string().contains("expansion_bytes"), "{error}");
}
