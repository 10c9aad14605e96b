//! Random values of a schema.

use interop_codec::{DynamicMessage, Value};
use interop_schema::{MessageId, Presence, ProtoKind, ProtoShape, Schema, Type};

use crate::plan::LISTED;
use crate::tape::Tape;

/// How deep random messages nest.
const DEPTH: u32 = 4;

pub fn message(tape: &mut Tape<'_>, schema: &Schema, id: MessageId) -> DynamicMessage {
    at_depth(tape, schema, id, 0)
}

fn at_depth(tape: &mut Tape<'_>, schema: &Schema, id: MessageId, depth: u32) -> DynamicMessage {
    let mut message = DynamicMessage::new(schema, id);
    for (index, field) in schema.message(id).fields.iter().enumerate() {
        if field.presence != Presence::Required && (depth >= DEPTH || !tape.flag()) {
            continue;
        }
        let mut one = |kind, ty: &Type| single(tape, schema, kind, ty, depth);
        let value = match (field.proto.unwrap().shape, &field.ty) {
            (ProtoShape::Singular(kind), ty) => one(kind, ty),
            (ProtoShape::Repeated { kind, .. }, Type::List(slot)) => {
                let first = one(kind, &slot.ty);
                let second = one(kind, &slot.ty);
                Value::List(vec![first, second])
            }
            (ProtoShape::Map { key, value }, Type::Map(key_slot, value_slot)) => {
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for _ in 0..2 {
                    let entry = (one(key, &key_slot.ty), one(value, &value_slot.ty));
                    if entries.iter().all(|(key, _)| *key != entry.0) {
                        entries.push(entry);
                    }
                }
                Value::Map(entries)
            }
            (shape, ty) => panic!("{shape:?} of {ty:?}"),
        };
        message.set(schema, index, value);
    }
    message
}

fn single(tape: &mut Tape<'_>, schema: &Schema, kind: ProtoKind, ty: &Type, depth: u32) -> Value {
    match (kind, ty) {
        (ProtoKind::Double, _) => Value::Float64(float(f64::from_bits(tape.number()))),
        (ProtoKind::Float, _) => {
            // Through the bits, so that signalling NaNs are among them.
            let bits = tape.number() as u32;
            Value::Float32(if bits == 1 << 31 {
                1.5
            } else {
                f32::from_bits(bits)
            })
        }
        (ProtoKind::Bool, _) => Value::Bool(tape.flag()),
        (ProtoKind::String, _) => Value::String(tape.text()),
        (ProtoKind::Bytes, _) => Value::Bytes(tape.number().to_le_bytes().to_vec()),
        (_, Type::Enum(id)) if schema.enumeration(*id).closed => {
            Value::Enum(LISTED[tape.below(LISTED.len())])
        }
        (_, Type::Enum(_)) => Value::Enum(tape.number() as i32),
        (_, Type::Message(id)) => Value::Message(Box::new(at_depth(tape, schema, *id, depth + 1))),
        (
            _,
            Type::Int {
                bits: 32, signed, ..
            },
        ) => {
            let number = tape.number();
            if *signed {
                Value::Int(i64::from(number as i32))
            } else {
                Value::UInt(u64::from(number as u32))
            }
        }
        (_, Type::Int { signed: true, .. }) => Value::Int(tape.number() as i64),
        (_, Type::Int { signed: false, .. }) => Value::UInt(tape.number()),
        (kind, ty) => panic!("{kind:?} of {ty:?}"),
    }
}

/// -0.0 is left to tests of its own: the oracle takes it for the default and leaves it out, where
/// the language guide says that only +0 is the default.
fn float(value: f64) -> f64 {
    if value.to_bits() == 1 << 63 {
        1.5
    } else {
        value
    }
}
