//! Plain JSON, the words in which vectors without a schema state their values: numbers as
//! numbers, text as text, bytes as hex text, maps with their keys as text, times as an object of
//! seconds and nanos.

use interop_codec::Value;
use interop_schema::{Schema, Type};
use num_bigint::BigInt;
use serde_json::{Number, Value as Json, json};

use crate::value_diff::hex;

/// A value in plain words.
///
/// # Errors
/// For a value that has none: a message, a reference.
pub(super) fn to_json(value: &Value) -> Result<Json, String> {
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) | Value::Date(value) => json!(value),
        Value::UInt(value) => json!(value),
        Value::Enum(value) => json!(value),
        Value::Float32(value) => float(f64::from(*value)),
        Value::Float64(value) => float(*value),
        Value::Float16(bits) | Value::BFloat16(bits) => json!(format!("{bits:#06x}")),
        Value::String(text) => json!(text),
        Value::Bytes(bytes) => json!(hex(bytes)),
        Value::Timestamp { seconds, nanos } | Value::Duration { seconds, nanos } => {
            json!({"seconds": seconds, "nanos": nanos})
        }
        Value::Decimal { unscaled, scale } => {
            json!({"unscaled": unscaled.to_string(), "scale": scale})
        }
        Value::List(values) => {
            let values: Result<Vec<_>, _> = values.iter().map(to_json).collect();
            Json::Array(values?)
        }
        Value::Map(entries) => {
            let mut object = serde_json::Map::new();
            for (key, value) in entries {
                let key = match to_json(key)? {
                    Json::String(text) => text,
                    other => other.to_string(),
                };
                object.insert(key, to_json(value)?);
            }
            Json::Object(object)
        }
        Value::Message(_) | Value::Union(..) | Value::Reference(_) => {
            return Err(format!("a {} has no plain form", value.kind()));
        }
    })
}

fn float(value: f64) -> Json {
    let number = Number::from_f64(value).map(Json::Number);
    number.unwrap_or_else(|| json!(format!("{value:?}")))
}

/// The value of type `ty` that plain words state.
///
/// # Errors
/// When they state none.
pub(super) fn from_json(ty: &Type, json: &Json) -> Result<Value, String> {
    let wrong = || format!("{json} is not of the type asked for");
    let inside = |ty: &Type, json: &Json| from_json(ty, json);
    Ok(match (ty, json) {
        (_, Json::Null) => Value::Null,
        (Type::Any, json) => any(json)?,
        (Type::Bool, Json::Bool(value)) => Value::Bool(*value),
        (Type::Int { signed: true, .. }, json) => Value::Int(json.as_i64().ok_or_else(wrong)?),
        (Type::Int { signed: false, .. }, json) => Value::UInt(json.as_u64().ok_or_else(wrong)?),
        (Type::Float32, json) => Value::Float32(json.as_f64().ok_or_else(wrong)? as f32),
        (Type::Float64, json) => Value::Float64(json.as_f64().ok_or_else(wrong)?),
        (Type::String, Json::String(text)) => Value::String(text.clone()),
        (Type::Bytes, Json::String(text)) => Value::Bytes(super::unhex(text)?),
        (Type::Date, json) => Value::Date(json.as_i64().ok_or_else(wrong)?),
        (Type::Timestamp, json) => {
            let (seconds, nanos) = time(json).ok_or_else(wrong)?;
            Value::Timestamp { seconds, nanos }
        }
        (Type::Duration, json) => {
            let (seconds, nanos) = time(json).ok_or_else(wrong)?;
            Value::Duration { seconds, nanos }
        }
        (Type::Decimal, Json::Object(object)) => {
            let unscaled = match object.get("unscaled").ok_or_else(wrong)? {
                Json::String(text) => text.parse().map_err(|_| wrong())?,
                number => BigInt::from(number.as_i64().ok_or_else(wrong)?),
            };
            let scale = object.get("scale").and_then(Json::as_i64);
            let scale = scale.and_then(|scale| i32::try_from(scale).ok());
            Value::Decimal {
                unscaled,
                scale: scale.ok_or_else(wrong)?,
            }
        }
        (Type::List(slot) | Type::Set(slot), Json::Array(values)) => {
            let values = values.iter().map(|value| inside(&slot.ty, value));
            Value::List(values.collect::<Result<_, _>>()?)
        }
        (Type::Array(ty), Json::Array(values)) => {
            let values = values.iter().map(|value| inside(ty, value));
            Value::List(values.collect::<Result<_, _>>()?)
        }
        (Type::Map(key, slot), Json::Object(object)) => {
            let entries = object.iter().map(|(name, value)| {
                // A key that is not text stands as text in JSON.
                let name = match &key.ty {
                    Type::String | Type::Any | Type::Bytes => json!(name),
                    _ => serde_json::from_str(name).map_err(|_| wrong())?,
                };
                Ok((from_json(&key.ty, &name)?, inside(&slot.ty, value)?))
            });
            Value::Map(entries.collect::<Result<_, String>>()?)
        }
        _ => return Err(wrong()),
    })
}

fn any(json: &Json) -> Result<Value, String> {
    let schema = Schema::default();
    Ok(match json {
        Json::Null => Value::default_of(&schema, &Type::Any),
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(value), ..) => Value::Int(value),
            (None, Some(value), _) => Value::UInt(value),
            (None, None, Some(value)) => Value::Float64(value),
            (None, None, None) => return Err(format!("{number} is no number of 64 bits")),
        },
        Json::String(text) => Value::String(text.clone()),
        Json::Array(values) => Value::List(values.iter().map(any).collect::<Result<_, _>>()?),
        Json::Object(object) => {
            let entries = object.iter();
            let entries = entries.map(|(key, value)| Ok((Value::String(key.clone()), any(value)?)));
            Value::Map(entries.collect::<Result<_, String>>()?)
        }
    })
}

fn time(json: &Json) -> Option<(i64, u32)> {
    let seconds = json.get("seconds")?.as_i64()?;
    let nanos = json.get("nanos")?.as_u64()?;
    Some((seconds, u32::try_from(nanos).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use interop_codec::msgpack::type_by_name;

    #[test]
    fn words_come_back() {
        for (name, json) in [
            ("int32", json!(-5)),
            ("uint64", json!(u64::MAX)),
            ("double", json!(98.0)),
            ("string", json!("é")),
            ("bytes", json!("00ff")),
            ("timestamp", json!({"seconds": -1, "nanos": 5})),
            ("map<int32,string>", json!({"1": "one"})),
            ("list<bool>", json!([true, null])),
            ("any", json!({"a": [1, 2.5, null]})),
        ] {
            let value = from_json(&type_by_name(name).unwrap(), &json).unwrap();
            assert_eq!(to_json(&value), Ok(json), "{name}");
        }
        assert!(from_json(&Type::Bool, &json!(1)).is_err());
    }
}
