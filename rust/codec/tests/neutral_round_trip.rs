//! Any value of any type survives the way into neutral JSON and back.

use std::path::Path;

use interop_codec::{Document, DynamicMessage, Key, Value, neutral};
use interop_schema::{MessageId, Schema, Slot, Type, fdl, proto};
use interop_wire::Limits;
use proptest::prelude::*;
use proptest::strategy::Union;

type Values = BoxedStrategy<Value>;

/// Values of `ty`; `depth` bounds the messages inside messages.
fn values(schema: &Schema, ty: &Type, depth: u32) -> Values {
    match ty {
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Int {
            bits, signed: true, ..
        } => {
            let shift = 64 - bits;
            any::<i64>()
                .prop_map(move |v| Value::Int(v >> shift))
                .boxed()
        }
        Type::Int { bits, .. } => {
            let shift = 64 - bits;
            any::<u64>()
                .prop_map(move |v| Value::UInt(v >> shift))
                .boxed()
        }
        Type::Float16 => any::<u16>().prop_map(Value::Float16).boxed(),
        Type::BFloat16 => any::<u16>().prop_map(Value::BFloat16).boxed(),
        // All bit patterns, so that NaNs and subnormals are among them.
        Type::Float32 => any::<u32>()
            .prop_map(|v| Value::Float32(f32::from_bits(v)))
            .boxed(),
        Type::Float64 => any::<u64>()
            .prop_map(|v| Value::Float64(f64::from_bits(v)))
            .boxed(),
        Type::String => any::<String>().prop_map(Value::String).boxed(),
        Type::Bytes => any::<Vec<u8>>().prop_map(Value::Bytes).boxed(),
        Type::Enum(id) => {
            let listed: Vec<_> = schema
                .enumeration(*id)
                .values
                .iter()
                .map(|v| v.number)
                .collect();
            prop_oneof![proptest::sample::select(listed), any::<i32>()]
                .prop_map(Value::Enum)
                .boxed()
        }
        Type::Message(id) => messages(schema, *id, depth)
            .prop_map(|message| Value::Message(Box::new(message)))
            .boxed(),
        Type::Union(id) => {
            let cases = schema.union(*id).cases.iter().map(|case| {
                let number = case.number;
                values(schema, &case.ty, depth)
                    .prop_map(move |value| Value::Union(number, Box::new(value)))
                    .boxed()
            });
            Union::new(cases.collect::<Vec<_>>()).boxed()
        }
        Type::Timestamp => (any::<i64>(), 0..1_000_000_000u32)
            .prop_map(|(seconds, nanos)| Value::Timestamp { seconds, nanos })
            .boxed(),
        Type::Duration => (any::<i64>(), 0..1_000_000_000u32)
            .prop_map(|(seconds, nanos)| Value::Duration { seconds, nanos })
            .boxed(),
        Type::Date => any::<i64>().prop_map(Value::Date).boxed(),
        Type::Decimal => (any::<i128>(), any::<i32>())
            .prop_map(|(unscaled, scale)| Value::Decimal {
                unscaled: num_bigint::BigInt::from(unscaled) << 40,
                scale,
            })
            .boxed(),
        Type::Any => prop_oneof![
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<String>().prop_map(Value::String)
        ]
        .boxed(),
        Type::List(slot) => list(slots(schema, slot, depth)),
        Type::Array(element) => list(values(schema, element, depth)),
        Type::Set(slot) => proptest::collection::vec(slots(schema, slot, depth), 0..4)
            .prop_map(|values| Value::List(unique(values, Value::key)))
            .boxed(),
        Type::Map(key, value) => {
            let entry = (slots(schema, key, depth), slots(schema, value, depth));
            proptest::collection::vec(entry, 0..4)
                .prop_map(|entries| Value::Map(unique(entries, |entry| entry.0.key())))
                .boxed()
        }
    }
}

fn list(element: Values) -> Values {
    proptest::collection::vec(element, 0..4)
        .prop_map(Value::List)
        .boxed()
}

fn unique<T>(values: Vec<T>, key: impl Fn(&T) -> Key) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    let mut values = values;
    values.retain(|value| seen.insert(key(value)));
    values
}

fn slots(schema: &Schema, slot: &Slot, depth: u32) -> Values {
    let value = values(schema, &slot.ty, depth);
    if slot.nullable {
        prop_oneof![Just(Value::Null), value].boxed()
    } else {
        value
    }
}

fn messages(schema: &Schema, id: MessageId, depth: u32) -> BoxedStrategy<DynamicMessage> {
    if depth == 0 {
        return Just(DynamicMessage::new(schema, id)).boxed();
    }
    let fields = schema.message(id).fields.iter().map(|field| {
        let value = values(schema, &field.ty, depth - 1).prop_map(Some);
        prop_oneof![1 => Just(None), 3 => value].boxed()
    });
    let schema = schema.clone();
    fields
        .collect::<Vec<_>>()
        .prop_map(move |values| {
            let mut message = DynamicMessage::new(&schema, id);
            for (index, value) in values.into_iter().enumerate() {
                if let Some(value) = value {
                    message.set(&schema, index, value);
                }
            }
            message
        })
        .boxed()
}

fn survives(schema: &Schema, id: MessageId) {
    let runner_config = ProptestConfig {
        cases: 48,
        ..ProptestConfig::default()
    };
    proptest!(runner_config, |(message in messages(schema, id, 2))| {
        let document = Document::of(message);
        let text = neutral::print(schema, id, &document).unwrap();
        let read = neutral::parse(schema, id, text.as_bytes(), Limits::DEFAULT).unwrap();
        prop_assert_eq!(&read, &document);
        prop_assert_eq!(neutral::print(schema, id, &read).unwrap(), text);
    });
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn values_of_every_fory_type_survive() {
    let schema = fdl::compile_files(&[root().join("golden/types/sink.fdl")], &[]).unwrap();
    for index in 0..schema.messages.len() {
        survives(&schema, MessageId(index as u32));
    }
    let rest = "message M { any a = 1; set<int32> s = 2; map<date, list<any>> m = 3; float16 h = 4;
                bfloat16 b = 5; M sure = 6 [nullable = false]; }";
    let schema = fdl::compile_text("rest.fdl", rest).unwrap();
    survives(&schema, MessageId(0));
}

#[test]
fn values_of_proto_schemas_survive() {
    let schema = proto::compile_files(&[root().join("proto/bench.proto")], &[root().join("proto")]);
    let schema = schema.unwrap();
    for index in 0..schema.messages.len() {
        if schema.messages[index].package == "protobuf" {
            survives(&schema, MessageId(index as u32));
        }
    }
    let text = "syntax = \"proto3\"; message O { oneof o { int32 a = 1; string b = 2; O c = 3; }
                map<uint64, bytes> m = 4; optional fixed64 f = 5; }";
    survives(&proto::compile_text(text).unwrap(), MessageId(0));
}

proptest! {
    /// Text that is no value is refused, never a panic.
    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}:,\"0-9a-z@.-]{0,40}") {
        let schema = fdl::compile_text("m.fdl", "message M { list<M> a = 1; map<int32, any> m = 2; }");
        let _ = neutral::parse(&schema.unwrap(), MessageId(0), text.as_bytes(), Limits::DEFAULT);
    }
}
