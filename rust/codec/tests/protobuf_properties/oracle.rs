//! Comparison with prost-reflect's values, field by field.

use std::collections::HashMap;

use interop_codec::{DynamicMessage, Value};
use interop_schema::Schema;
use prost_reflect::{MapKey, ReflectMessage, Value as Theirs};

/// Whether both messages have the same fields set to the same values.
pub fn same(
    schema: &Schema,
    ours: &DynamicMessage,
    theirs: &prost_reflect::DynamicMessage,
) -> bool {
    let fields = &schema.message(ours.id).fields;
    fields.iter().enumerate().all(|(index, field)| {
        let descriptor = theirs.descriptor().get_field(field.number).unwrap();
        match (ours.get(index), theirs.has_field(&descriptor)) {
            (None, false) => true,
            (Some(value), true) => same_value(schema, value, &theirs.get_field(&descriptor)),
            _ => false,
        }
    })
}

fn same_value(schema: &Schema, ours: &Value, theirs: &Theirs) -> bool {
    match (ours, theirs) {
        (Value::Bool(a), Theirs::Bool(b)) => a == b,
        (Value::Int(a), Theirs::I32(b)) => *a == i64::from(*b),
        (Value::Int(a), Theirs::I64(b)) => a == b,
        (Value::UInt(a), Theirs::U32(b)) => *a == u64::from(*b),
        (Value::UInt(a), Theirs::U64(b)) => a == b,
        (Value::Float32(a), Theirs::F32(b)) => a.to_bits() == b.to_bits(),
        (Value::Float64(a), Theirs::F64(b)) => a.to_bits() == b.to_bits(),
        (Value::String(a), Theirs::String(b)) => a == b,
        (Value::Bytes(a), Theirs::Bytes(b)) => a == b,
        (Value::Enum(a), Theirs::EnumNumber(b)) => a == b,
        (Value::Message(a), Theirs::Message(b)) => same(schema, a, b),
        (Value::List(a), Theirs::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(schema, a, b))
        }
        (Value::Map(a), Theirs::Map(b)) => same_map(schema, a, b),
        _ => false,
    }
}

fn same_map(schema: &Schema, ours: &[(Value, Value)], theirs: &HashMap<MapKey, Theirs>) -> bool {
    let key = |key: &Value, like: &MapKey| match (key, like) {
        (Value::Bool(key), MapKey::Bool(_)) => Some(MapKey::Bool(*key)),
        (Value::Int(key), MapKey::I32(_)) => i32::try_from(*key).ok().map(MapKey::I32),
        (Value::Int(key), MapKey::I64(_)) => Some(MapKey::I64(*key)),
        (Value::UInt(key), MapKey::U32(_)) => u32::try_from(*key).ok().map(MapKey::U32),
        (Value::UInt(key), MapKey::U64(_)) => Some(MapKey::U64(*key)),
        (Value::String(key), MapKey::String(_)) => Some(MapKey::String(key.clone())),
        _ => None,
    };
    ours.len() == theirs.len()
        && ours.iter().all(|(ours_key, value)| {
            let like = theirs.keys().next();
            let found = like.and_then(|like| theirs.get(&key(ours_key, like)?));
            found.is_some_and(|found| same_value(schema, value, found))
        })
}
