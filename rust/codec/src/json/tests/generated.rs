//! Round trips over generated schemas and values, with prost-reflect as the other opinion.

use std::fmt::Write;

use interop_schema::proto::from_descriptor_set;
use interop_schema::{Type, WellKnown};
use proptest::prelude::*;
use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage as Oracle, MessageDescriptor};
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

use super::*;
use crate::{Value, protobuf};

const TYPES: [&str; 35] = [
    "double",
    "float",
    "int32",
    "int64",
    "uint32",
    "uint64",
    "sint32",
    "sint64",
    "fixed32",
    "fixed64",
    "sfixed32",
    "sfixed64",
    "bool",
    "string",
    "bytes",
    "E",
    "M",
    "Other",
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "google.protobuf.FieldMask",
    "google.protobuf.Struct",
    "google.protobuf.Value",
    "google.protobuf.ListValue",
    "google.protobuf.Empty",
    "google.protobuf.Any",
    "google.protobuf.DoubleValue",
    "google.protobuf.FloatValue",
    "google.protobuf.Int64Value",
    "google.protobuf.UInt64Value",
    "google.protobuf.Int32Value",
    "google.protobuf.UInt32Value",
    "google.protobuf.BoolValue",
    "google.protobuf.StringValue",
    "google.protobuf.BytesValue",
];
const KEYS: [&str; 12] = [
    "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
    "sfixed64", "bool", "string",
];

/// A `.proto` file: each pair chooses label and type of a field.
fn schema_text(fields: &[(u8, u8)]) -> String {
    let mut body = String::new();
    let mut oneof = String::new();
    for (index, (label, ty)) in fields.iter().enumerate() {
        let number = index + 1;
        let key = KEYS[*ty as usize % KEYS.len()];
        let ty = TYPES[(*ty as usize + *label as usize) % TYPES.len()];
        let name = ["a_field", "bField", "c_1", "_d", "e"][number % 5];
        let name = format!("{name}{number}");
        match label % 5 {
            0 => writeln!(body, "{ty} {name} = {number};"),
            1 => writeln!(body, "optional {ty} {name} = {number};"),
            2 => writeln!(body, "repeated {ty} {name} = {number};"),
            3 => writeln!(body, "map<{key}, {ty}> {name} = {number};"),
            _ => writeln!(oneof, "{ty} {name} = {number};"),
        }
        .unwrap();
    }
    if !oneof.is_empty() {
        body = format!("{body}oneof choice {{\n{oneof}}}\n");
    }
    let files = [
        "any",
        "duration",
        "empty",
        "field_mask",
        "struct",
        "timestamp",
        "wrappers",
    ];
    let imports = files.map(|file| format!("import \"google/protobuf/{file}.proto\";\n"));
    format!(
        "syntax = \"proto3\";\npackage gen;\n{}enum E {{ ZERO = 0; ONE = 1; FAR = -7; }}\n\
         message Other {{ int64 id = 1; optional string note_text = 2; repeated float fs = 3; }}\n\
         message M {{\n{body}}}\n",
        imports.concat()
    )
}

struct Text(String);

impl FileResolver for Text {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match name {
            "gen.proto" => File::from_source(name, &self.0),
            _ => Err(protox::Error::file_not_found(name)),
        }
    }
}

fn compile(text: String) -> (Schema, MessageDescriptor) {
    let mut resolver = ChainFileResolver::new();
    resolver.add(Text(text));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler
        .include_imports(true)
        .open_file("gen.proto")
        .unwrap();
    let set = compiler.encode_file_descriptor_set();
    let pool = DescriptorPool::decode(set.as_slice()).unwrap();
    let message = pool.get_message_by_name("gen.M").unwrap();
    (from_descriptor_set(&set).unwrap(), message)
}

/// Values by a splitmix64 sequence, rich in edges.
struct Source<'s> {
    schema: &'s Schema,
    state: u64,
    /// Leaves out what prost-reflect 0.16 gets wrong: a FloatValue or DoubleValue that is not
    /// finite, which it prints as null (the guide: wrappers look like what they wrap), and the
    /// largest float as 3.4028235e+38, which it refuses (the guide: only what is out of range), and an Any
    /// that holds nothing, which other readers and writers know as {}. Its binary encoder leaves
    /// out a -0.0 that is a map's value.
    for_oracle: bool,
}

impl Source<'_> {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn bits(&mut self) -> u64 {
        let shift = self.below(64);
        match self.below(6) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 63,
            3 => u64::MAX >> 1,
            _ => self.next() >> shift,
        }
    }

    fn double(&mut self) -> f64 {
        const EDGES: [f64; 9] = [
            0.0,
            1.0,
            1e16,
            1e-7,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            123456789.5,
            -0.0,
        ];
        let edges = if self.for_oracle { 8 } else { 9 };
        match self.below(2) {
            0 => EDGES[self.below(edges) as usize],
            _ => match f64::from_bits(self.next()) {
                value if value.is_finite() => value,
                _ => 0.1,
            },
        }
    }

    fn text(&mut self) -> String {
        const CHARS: [char; 16] = [
            'a',
            'Z',
            '0',
            '"',
            '\\',
            '/',
            '\0',
            '\n',
            '\u{7f}',
            '\u{e9}',
            '\u{2028}',
            '\u{4f60}',
            '\u{ffff}',
            '\u{1f600}',
            '<',
            '\u{200d}',
        ];
        let len = self.below(6);
        (0..len).map(|_| CHARS[self.below(16) as usize]).collect()
    }

    fn value(&mut self, ty: &Type, depth: u32) -> Value {
        match ty {
            Type::Bool => Value::Bool(self.below(2) == 1),
            Type::Int {
                bits: 32,
                signed: true,
                ..
            } => Value::Int(i64::from(self.bits() as i32)),
            Type::Int { bits: 32, .. } => Value::UInt(u64::from(self.bits() as u32)),
            Type::Int { signed: true, .. } => Value::Int(self.bits() as i64),
            Type::Int { .. } => Value::UInt(self.bits()),
            Type::Float32 => Value::Float32(match self.below(8) {
                0 => f32::NAN,
                1 => f32::NEG_INFINITY,
                2 if !self.for_oracle => f32::MAX,
                3 => f32::from_bits(1),
                4 if !self.for_oracle => -0.0,
                _ => match self.double() as f32 {
                    // A double that rounds to nothing or to too much.
                    0.0 => 0.0,
                    value if value.is_finite() => value,
                    _ => 2.5,
                },
            }),
            Type::Float64 => Value::Float64(match self.below(8) {
                0 => f64::NAN,
                1 => f64::INFINITY,
                _ => self.double(),
            }),
            Type::String => Value::String(self.text()),
            Type::Bytes => Value::Bytes(self.next().to_le_bytes()[..self.below(9) as usize].into()),
            Type::Enum(id) if self.schema.enumeration(*id).full_name == NULL_VALUE => {
                Value::Enum(0)
            }
            Type::Enum(_) => Value::Enum([0, 1, -7, 5][self.below(4) as usize]),
            Type::Message(id) => Value::Message(Box::new(self.message(*id, depth + 1))),
            Type::List(slot) => {
                let len = self.below(4);
                Value::List((0..len).map(|_| self.value(&slot.ty, depth)).collect())
            }
            Type::Map(key, slot) => {
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for _ in 0..self.below(4) {
                    let key = self.value(&key.ty, depth);
                    if entries.iter().all(|(known, _)| *known != key) {
                        entries.push((key, self.value(&slot.ty, depth)));
                    }
                }
                Value::Map(entries)
            }
            other => panic!("no values of {other:?}"),
        }
    }

    fn message(&mut self, id: MessageId, depth: u32) -> DynamicMessage {
        let schema = self.schema;
        let definition = schema.message(id);
        let mut message = DynamicMessage::new(schema, id);
        let seconds = |source: &mut Self, span: i64| source.next() as i64 % span;
        match definition.well_known {
            Some(WellKnown::Timestamp) => {
                message.set(schema, 0, Value::Int(seconds(self, 62_135_596_800)));
                let nanos = [0, 1, 1_000, 500_000_000, 999_999_999][self.below(5) as usize];
                message.set(schema, 1, Value::Int(nanos));
            }
            Some(WellKnown::Duration) => {
                let seconds = seconds(self, 315_576_000_000);
                let nanos = [0, 1, 1_000, 500_000_000, 999_999_999][self.below(5) as usize];
                message.set(schema, 0, Value::Int(seconds));
                message.set(
                    schema,
                    1,
                    Value::Int(if seconds < 0 { -nanos } else { nanos }),
                );
            }
            Some(WellKnown::FieldMask) => {
                let paths = ["a", "foo_bar", "a.b_c.d", "x1"]
                    .map(str::to_owned)
                    .map(Value::String);
                let len = self.below(5) as usize;
                message.set(schema, 0, Value::List(paths[..len].to_vec()));
            }
            Some(WellKnown::Value) => {
                let kinds = if depth < 4 { 6 } else { 4 };
                let index = self.below(kinds) as usize;
                let value = match index {
                    1 => Value::Float64(self.double()),
                    _ => self.value(&definition.fields[index].ty, depth),
                };
                message.set(schema, index, value);
            }
            Some(WellKnown::Any) => {
                let deepest = depth >= 4;
                if self.for_oracle || (!deepest && self.below(5) > 0) {
                    let names = [
                        "google.protobuf.Duration",
                        "google.protobuf.Any",
                        "gen.Other",
                        "gen.M",
                    ];
                    // Maps in an Any come out in the oracle's own order.
                    let choices = match (deepest, self.for_oracle) {
                        (true, _) => 1,
                        (false, true) => 3,
                        (false, false) => 4,
                    };
                    let name = names[self.below(choices) as usize];
                    let inner = self.message(schema.message_by_name(name).unwrap(), depth + 1);
                    let bytes = protobuf::encode(schema, &inner, &protobuf::Dialect::default());
                    message.set(
                        schema,
                        0,
                        Value::String(format!("type.googleapis.com/{name}")),
                    );
                    message.set(schema, 1, Value::Bytes(bytes.unwrap()));
                }
            }
            well_known => {
                for (index, field) in definition.fields.iter().enumerate() {
                    if depth < 4 && self.below(3) > 0 {
                        let value = match (well_known, &field.ty) {
                            (Some(_), Type::Float64) if self.for_oracle => {
                                Value::Float64(self.double())
                            }
                            (Some(_), Type::Float32) if self.for_oracle => Value::Float32(1.5),
                            (_, ty) => self.value(ty, depth),
                        };
                        message.set(schema, index, value);
                    }
                }
            }
        }
        message
    }
}

fn generated() -> impl Strategy<Value = (Vec<(u8, u8)>, u64)> {
    (
        prop::collection::vec((0..50u8, 0..105u8), 1..12),
        any::<u64>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_dialect_round_trips((fields, state) in generated()) {
        let (schema, _) = compile(schema_text(&fields));
        let id = schema.message_by_name("gen.M").unwrap();
        let message = Source { schema: &schema, state, for_oracle: false }.message(id, 0);
        let mut dialects: Vec<_> = presets().into_iter().map(|preset| preset.dialect).collect();
        dialects.retain(|dialect| dialect.negative_zero == NegativeZero::Kept);
        dialects.push(Dialect::default());
        dialects.push(Dialect {
            defaults: Defaults::Print,
            spacing: Spacing::Spaced,
            ..Dialect::default()
        });
        for dialect in dialects {
            let json = encode(&schema, &message, &dialect).unwrap();
            let mut spans = Vec::new();
            let read = decode(&schema, id, &json, DecodeOptions::traced(&mut spans));
            prop_assert_eq!(read.as_ref(), Ok(&message), "{}", String::from_utf8_lossy(&json));
            spans.sort_by_key(|span| span.start);
            let mut end = 0;
            for span in spans {
                prop_assert_eq!(span.start, end);
                end = span.end;
            }
            prop_assert_eq!(end, json.len());
        }
    }

    #[test]
    fn broken_text_gives_a_value_or_an_error_with_its_place((fields, state) in generated()) {
        let (schema, _) = compile(schema_text(&fields));
        let id = schema.message_by_name("gen.M").unwrap();
        let mut source = Source { schema: &schema, state, for_oracle: false };
        let message = source.message(id, 0);
        let json = encode(&schema, &message, &Dialect::default()).unwrap();
        let parse = ParseOptions { ignore_unknown: state % 2 == 1 };
        for _ in 0..50 {
            let mut broken = json.clone();
            let at = source.below(json.len() as u64) as usize;
            match source.below(4) {
                0 => broken.truncate(at),
                1 => broken[at] = source.next() as u8,
                2 => broken.insert(at, b"\"\\{}[],:01-.eE \xff"[source.below(16) as usize]),
                _ => {
                    let from = source.below(json.len() as u64) as usize;
                    let piece = &json[at.min(from)..at.max(from)];
                    broken.splice(from..from, piece.iter().copied());
                }
            }
            let mut spans = Vec::new();
            let read = decode_with(&schema, id, &broken, DecodeOptions::traced(&mut spans), parse);
            spans.sort_by_key(|span| span.start);
            let mut end = 0;
            for span in spans {
                prop_assert_eq!(span.start, end);
                end = span.end;
            }
            match read {
                Ok(message) => {
                    prop_assert_eq!(end, broken.len());
                    // What was read from text has a text.
                    prop_assert!(encode(&schema, &message, &Dialect::default()).is_ok());
                }
                Err(error) => prop_assert!(error.offset.is_some_and(|at| at <= broken.len())),
            }
        }
    }

    #[test]
    fn prost_reflect_agrees((fields, state) in generated()) {
        let (schema, descriptor) = compile(schema_text(&fields));
        let id = schema.message_by_name("gen.M").unwrap();
        let message = Source { schema: &schema, state, for_oracle: true }.message(id, 0);
        let wire = protobuf::encode(&schema, &message, &protobuf::Dialect::default()).unwrap();

        let theirs = Oracle::decode(descriptor.clone(), wire.as_slice()).unwrap();
        let json = serde_json::to_string(&theirs).unwrap();
        let read = parse(&schema, id, &json);
        prop_assert_eq!(read.as_ref(), Ok(&message), "{}", json);

        let json = print(&schema, &message).unwrap();
        let mut reader = serde_json::Deserializer::from_str(&json);
        let theirs = Oracle::deserialize(descriptor, &mut reader);
        let theirs = theirs.unwrap_or_else(|error| panic!("{error}: {json}"));
        let wire = theirs.encode_to_vec();
        let read = protobuf::decode(&schema, id, &wire, DecodeOptions::default());
        prop_assert_eq!(read.as_ref(), Ok(&message), "{}", json);
    }
}
