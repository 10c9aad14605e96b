//! The types that a value of type `any` can have, by the names of Fory's schema language.

use interop_schema::{IntEncoding, Named, Schema, Type};

use crate::Value;

/// The type of `value` and its name, where the value alone tells it.
pub(super) fn of_value(schema: &Schema, value: &Value) -> Option<(String, Type)> {
    if let Value::Message(message) = value {
        let name = schema.message(message.id).full_name.clone();
        return Some((name, Type::Message(message.id)));
    }
    let name = match value {
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::UInt(_) => "uint64",
        Value::Float16(_) => "float16",
        Value::BFloat16(_) => "bfloat16",
        Value::Float32(_) => "float32",
        Value::Float64(_) => "float64",
        Value::String(_) => "string",
        Value::Bytes(_) => "bytes",
        Value::Timestamp { .. } => "timestamp",
        Value::Duration { .. } => "duration",
        Value::Date(_) => "date",
        Value::Decimal { .. } => "decimal",
        _ => return None,
    };
    Some((name.to_owned(), of_name(schema, name)?))
}

/// The type that `name` stands for.
pub(super) fn of_name(schema: &Schema, name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "int64" => Type::int(64, true, IntEncoding::Varint),
        "uint64" => Type::int(64, false, IntEncoding::Varint),
        "float16" => Type::Float16,
        "bfloat16" => Type::BFloat16,
        "float32" => Type::Float32,
        "float64" => Type::Float64,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "date" => Type::Date,
        "decimal" => Type::Decimal,
        _ => match schema.lookup(name)? {
            Named::Message(id) => Type::Message(id),
            _ => return None,
        },
    })
}
