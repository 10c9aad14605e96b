//! The verifier against buffers that a builder makes with care: each is right but for one thing.

use interop_schema::proto::compile_text;
use interop_schema::{MessageId, Schema};
use interop_wire::{ErrorKind as WireKind, Limits};

use super::builder::{Builder, FromEnd};
use super::{Dialect, NegativeZero, OptionalZeros, decode, encode};
use crate::{DecodeOptions, DynamicMessage, Error, ErrorKind, Span, Value};

const ROOT: MessageId = MessageId(0);

fn schema(fields: &str) -> Schema {
    compile_text(&format!("syntax = \"proto3\"; message M {{ {fields} }}")).unwrap()
}

fn read(schema: &Schema, bytes: &[u8]) -> Result<DynamicMessage, Error> {
    decode(schema, ROOT, bytes, DecodeOptions::default())
}

/// A table of fields that refer to what lies at `targets`.
fn table_of(builder: &mut Builder, targets: &[FromEnd]) -> FromEnd {
    let mut table = builder.start_table(targets.len());
    for (slot, target) in targets.iter().enumerate() {
        let at = builder.offset(*target);
        table.set(slot, at);
    }
    builder.end_table(table).unwrap()
}

/// A buffer of one table with one scalar field.
fn scalar(bytes: &[u8]) -> Vec<u8> {
    let mut builder = Builder::new(true);
    let mut table = builder.start_table(1);
    let at = builder.scalar(bytes);
    table.set(0, at);
    let root = builder.end_table(table).unwrap();
    builder.finish(root)
}

fn refused(result: Result<DynamicMessage, Error>, text: &str) {
    let error = result.unwrap_err();
    assert!(error.to_string().contains(text), "{error}");
    assert!(error.offset.is_some());
}

#[test]
fn layout_of_a_small_table_is_the_documented_one() {
    let schema = schema("int32 a = 1; string s = 2; bool b = 3; optional uint64 o = 4;");
    let mut message = DynamicMessage::new(&schema, ROOT);
    message.set(&schema, 2, Value::Bool(true));
    message.set(&schema, 3, Value::UInt(0));
    let bytes = encode(&schema, &message, &Dialect::default()).unwrap();
    #[rustfmt::skip]
    let want = [
        20, 0, 0, 0,                            // root table
        0, 0, 0, 0,                             // padding to a multiple of 8
        12, 0, 20, 0, 0, 0, 8, 0, 7, 0, 12, 0,  // vtable: a absent, s, b, o
        12, 0, 0, 0, 0, 0, 0, 1,                // vtable offset, padding, b
        12, 0, 0, 0,                            // offset of s
        0, 0, 0, 0, 0, 0, 0, 0,                 // o
        0, 0, 0, 0, 0, 0, 0, 0,                 // s: length, NUL, padding
    ];
    assert_eq!(bytes, want);
    assert_eq!(read(&schema, &bytes).unwrap(), message);
}

#[test]
fn sign_of_zero_stays_or_goes_by_dialect() {
    let schema = schema("double d = 1; repeated float r = 2;");
    let mut message = DynamicMessage::new(&schema, ROOT);
    message.set(&schema, 0, Value::Float64(-0.0));
    message.set(&schema, 1, Value::List(vec![Value::Float32(-0.0)]));
    let kept = encode(&schema, &message, &Dialect::default()).unwrap();
    assert_eq!(read(&schema, &kept).unwrap(), message);
    let dialect = Dialect {
        negative_zero: NegativeZero::Omitted,
        ..Dialect::default()
    };
    let lost = read(&schema, &encode(&schema, &message, &dialect).unwrap()).unwrap();
    assert_eq!(lost.get(0), None);
    assert_eq!(lost.get(1), message.get(1));
}

#[test]
fn optional_zeros_stay_or_go_by_dialect() {
    let schema = schema("optional int32 i = 1; int32 n = 2;");
    let mut message = DynamicMessage::new(&schema, ROOT);
    message.set(&schema, 0, Value::Int(0));
    let kept = encode(&schema, &message, &Dialect::default()).unwrap();
    assert_eq!(read(&schema, &kept).unwrap(), message);
    let dialect = Dialect {
        optional_zeros: OptionalZeros::Omitted,
        ..Dialect::default()
    };
    let lost = encode(&schema, &message, &dialect).unwrap();
    assert_eq!(read(&schema, &lost).unwrap().get(0), None);
}

#[test]
fn map_entries_are_sorted_by_key() {
    let schema = schema("map<string, int32> m = 1;");
    let entry = |key: &str, value| (Value::String(key.to_owned()), Value::Int(value));
    let mut message = DynamicMessage::new(&schema, ROOT);
    let entries = vec![entry("é", 1), entry("", 0), entry("b", 3)];
    message.set(&schema, 0, Value::Map(entries));
    let bytes = encode(&schema, &message, &Dialect::default()).unwrap();
    let back = read(&schema, &bytes).unwrap();
    assert_eq!(back, message);
    let Some(Value::Map(entries)) = back.get(0) else {
        panic!("a map");
    };
    assert_eq!(entries[..], [entry("", 0), entry("b", 3), entry("é", 1)]);
}

#[test]
fn shared_objects_are_read_at_each_place_and_traced_once() {
    let schema = schema("string a = 1; string b = 2; M l = 3; M r = 4;");
    let mut builder = Builder::new(true);
    let text = builder.string("twice");
    let inner = table_of(&mut builder, &[text, text]);
    let root = table_of(&mut builder, &[text, text, inner, inner]);
    let bytes = builder.finish(root);
    let mut spans: Vec<Span> = Vec::new();
    let message = decode(&schema, ROOT, &bytes, DecodeOptions::traced(&mut spans)).unwrap();
    assert_eq!(message.get(0), Some(&Value::String("twice".to_owned())));
    assert_eq!(message.get(0), message.get(1));
    assert!(message.get(2).is_some() && message.get(2) == message.get(3));
    let covered: usize = spans.iter().map(|span| span.end - span.start).sum();
    assert_eq!(covered, bytes.len());
}

#[test]
fn sharing_can_not_blow_up_the_memory() {
    let schema = schema("M l = 1; M r = 2;");
    let mut builder = Builder::new(true);
    let mut root = table_of(&mut builder, &[]);
    for _ in 0..60 {
        root = table_of(&mut builder, &[root, root]);
    }
    let bytes = builder.finish(root);
    let options = DecodeOptions {
        limits: Limits {
            expansion_bytes: 1 << 20,
            ..Limits::DEFAULT
        },
        sink: None,
    };
    let error = decode(&schema, ROOT, &bytes, options).unwrap_err();
    assert!(matches!(
        error.kind,
        ErrorKind::Wire(WireKind::ExpansionLimit { .. })
    ));
}

#[test]
fn nesting_is_bounded() {
    let schema = schema("M l = 1;");
    for (levels, fits) in [(99, true), (100, false)] {
        let mut builder = Builder::new(true);
        let mut root = table_of(&mut builder, &[]);
        for _ in 0..levels {
            root = table_of(&mut builder, &[root]);
        }
        let result = read(&schema, &builder.finish(root));
        assert_eq!(result.is_ok(), fits, "{levels}");
    }
}

#[test]
fn slots_that_the_schema_lacks_must_be_empty() {
    let wide = schema("int32 a = 1; int32 b = 2;");
    let narrow = schema("int32 a = 1;");
    let mut message = DynamicMessage::new(&wide, ROOT);
    message.set(&wide, 0, Value::Int(7));
    let bytes = encode(&wide, &message, &Dialect::default()).unwrap();
    assert!(read(&narrow, &bytes).is_ok());
    message.set(&wide, 1, Value::Int(8));
    let bytes = encode(&wide, &message, &Dialect::default()).unwrap();
    refused(read(&narrow, &bytes), "slot 1 is set");
}

#[test]
fn scalars_are_in_range_and_aligned() {
    assert!(read(&schema("bool b = 1;"), &scalar(&[1])).is_ok());
    refused(read(&schema("bool b = 1;"), &scalar(&[2])), "2 is no bool");
    // A double where the schema has one, but four bytes in the table.
    refused(
        read(&schema("double d = 1;"), &scalar(&[1; 4])),
        "outside the buffer",
    );
    let closed = compile_text(
        "syntax = \"proto2\"; message M { optional E e = 1; } enum E { A = 1; B = 2; }",
    )
    .unwrap();
    assert!(read(&closed, &scalar(&[2])).is_ok());
    refused(read(&closed, &scalar(&[3])), "has no value 3");
}

#[test]
fn strings_end_in_nul_and_are_utf8() {
    let schema = schema("string s = 1;");
    let build = |bytes: &[u8]| {
        let mut builder = Builder::new(true);
        let text = builder.scalars(bytes.len(), 1, bytes);
        let root = table_of(&mut builder, &[text]);
        builder.finish(root)
    };
    // Padding serves as the NUL of "abc" here, but "abcd" has none.
    assert!(read(&schema, &build(b"abc")).is_ok());
    refused(read(&schema, &build(b"abcd")), "no NUL");
    refused(read(&schema, &build(b"a\xffc")), "UTF-8");
}

#[test]
fn what_overlaps_or_is_left_over_is_refused() {
    let schema = schema("string s = 1; bytes y = 2;");
    let mut builder = Builder::new(true);
    let text = builder.string("text");
    let root = table_of(&mut builder, &[text, text]);
    refused(read(&schema, &builder.finish(root)), "overlaps");

    let mut builder = Builder::new(true);
    builder.string("nobody's");
    let root = table_of(&mut builder, &[]);
    refused(read(&schema, &builder.finish(root)), "nothing refers to");

    let mut builder = Builder::new(true);
    let mut table = builder.start_table(2);
    let text = builder.string("");
    let at = builder.offset(text);
    table.set(0, at);
    table.set(1, at);
    let root = builder.end_table(table).unwrap();
    refused(read(&schema, &builder.finish(root)), "overlaps");
}

#[test]
fn oneofs_hold_one_and_required_fields_are_there() {
    let two = schema("oneof o { string a = 1; string b = 2; }");
    let mut builder = Builder::new(true);
    let (a, b) = (builder.string("a"), builder.string("b"));
    let root = table_of(&mut builder, &[a, b]);
    refused(read(&two, &builder.finish(root)), "both set");

    let required =
        compile_text("syntax = \"proto2\"; message M { required int32 i = 1; }").unwrap();
    let mut builder = Builder::new(true);
    let root = table_of(&mut builder, &[]);
    refused(read(&required, &builder.finish(root)), "required");
    let empty = DynamicMessage::new(&required, ROOT);
    assert!(encode(&required, &empty, &Dialect::default()).is_err());
}

#[test]
fn keys_occur_once_and_counts_fit() {
    let schema = schema("map<bool, bool> m = 1;");
    let mut builder = Builder::new(true);
    let entry = table_of(&mut builder, &[]);
    let entries = builder.offsets(&[entry, entry]);
    let root = table_of(&mut builder, &[entries]);
    refused(read(&schema, &builder.finish(root)), "twice");

    let mut builder = Builder::new(true);
    let entries = builder.scalar(&u32::MAX.to_le_bytes());
    let root = table_of(&mut builder, &[entries]);
    refused(read(&schema, &builder.finish(root)), "exceeds");
}

#[test]
fn numbers_that_a_byte_enum_can_not_hold_are_not_written() {
    let schema =
        compile_text("syntax = \"proto3\"; message M { E e = 1; } enum E { A = 0; B = 1; }")
            .unwrap();
    let mut message = DynamicMessage::new(&schema, ROOT);
    message.set(&schema, 0, Value::Enum(-7));
    let bytes = encode(&schema, &message, &Dialect::default()).unwrap();
    assert_eq!(read(&schema, &bytes).unwrap(), message);
    message.set(&schema, 0, Value::Enum(300));
    assert!(encode(&schema, &message, &Dialect::default()).is_err());
}

#[test]
fn short_inputs_are_refused() {
    let schema = schema("string s = 1;");
    for len in 0..12 {
        assert!(read(&schema, &vec![0; len]).is_err());
        assert!(read(&schema, &vec![4; len]).is_err());
    }
}
