//! Values across the peer protocol: the dynamic message as a neutral tree and back.

use std::sync::LazyLock;

use interop_codec::{DecodeOptions, DynamicMessage, UnknownField, Value as Datum, protobuf};
use interop_schema::{ForyMessage, Message, MessageId, Registration, Schema, Type};

use super::proto::{Entry, Field, List, Map, Tree, Value, value::Kind};

/// The neutral tree of a message.
///
/// # Errors
/// When the message holds a type that the protocol has no word for (those that only Fory's
/// schema language has).
pub fn to_tree(schema: &Schema, message: &DynamicMessage) -> Result<Tree, String> {
    let fields = &schema.message(message.id).fields;
    let set = message.iter().map(|(index, value)| {
        Ok(Field {
            number: fields[index].number,
            value: Some(to_value(schema, value)?),
        })
    });
    Ok(Tree {
        fields: set.collect::<Result<_, String>>()?,
        unknown: unknown_to_bytes(&message.unknown)?,
    })
}

fn to_value(schema: &Schema, value: &Datum) -> Result<Value, String> {
    let kind = match value {
        Datum::Bool(value) => Kind::Boolean(*value),
        Datum::Int(value) => Kind::Signed(*value),
        Datum::UInt(value) => Kind::Unsigned(*value),
        Datum::Float32(value) => Kind::Float32Bits(value.to_bits()),
        Datum::Float64(value) => Kind::Float64Bits(value.to_bits()),
        Datum::String(value) => Kind::Text(value.clone()),
        Datum::Bytes(value) => Kind::Data(value.clone()),
        Datum::Enum(value) => Kind::Enumeration(*value),
        Datum::Message(value) => Kind::Message(to_tree(schema, value)?),
        Datum::List(values) => {
            let values = values.iter().map(|value| to_value(schema, value));
            Kind::List(List {
                values: values.collect::<Result<_, _>>()?,
            })
        }
        Datum::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                Ok(Entry {
                    key: Some(to_value(schema, key)?),
                    value: Some(to_value(schema, value)?),
                })
            });
            Kind::Map(Map {
                entries: entries.collect::<Result<_, String>>()?,
            })
        }
        other => return Err(format!("the peer protocol has no {}", other.kind())),
    };
    Ok(Value { kind: Some(kind) })
}

/// The message of a neutral tree. Unknown fields are parsed as protobuf.
///
/// # Errors
/// When the tree does not fit the schema, with the field's name.
pub fn from_tree(schema: &Schema, id: MessageId, tree: &Tree) -> Result<DynamicMessage, String> {
    let mut message = DynamicMessage::new(schema, id);
    for field in &tree.fields {
        let index = schema
            .message(id)
            .field_by_number(field.number)
            .ok_or_else(|| {
                format!(
                    "{} has no field {}",
                    schema.message(id).full_name,
                    field.number
                )
            })?;
        let declared = &schema.message(id).fields[index];
        let value = field.value.as_ref().and_then(|value| value.kind.as_ref());
        let value = value.ok_or_else(|| format!("{}: no value", declared.name))?;
        let value = from_value(schema, &declared.ty, value)
            .map_err(|error| format!("{}: {error}", declared.name))?;
        message.set(schema, index, value);
    }
    message.unknown = unknown_from_bytes(&tree.unknown)?;
    Ok(message)
}

fn from_value(schema: &Schema, ty: &Type, kind: &Kind) -> Result<Datum, String> {
    let missing = || "an element without a value".to_owned();
    Ok(match (ty, kind) {
        (Type::Bool, Kind::Boolean(value)) => Datum::Bool(*value),
        (Type::Int { bits, signed, .. }, Kind::Signed(value)) => {
            integer(*bits, *signed, i128::from(*value))?
        }
        (Type::Int { bits, signed, .. }, Kind::Unsigned(value)) => {
            integer(*bits, *signed, i128::from(*value))?
        }
        (Type::Float32, Kind::Float32Bits(bits)) => Datum::Float32(f32::from_bits(*bits)),
        (Type::Float64, Kind::Float64Bits(bits)) => Datum::Float64(f64::from_bits(*bits)),
        (Type::String, Kind::Text(value)) => Datum::String(value.clone()),
        (Type::Bytes, Kind::Data(value)) => Datum::Bytes(value.clone()),
        (Type::Enum(_), Kind::Enumeration(value)) => Datum::Enum(*value),
        (Type::Message(id), Kind::Message(tree)) => {
            Datum::Message(Box::new(from_tree(schema, *id, tree)?))
        }
        (Type::List(_) | Type::Set(_) | Type::Array(_), Kind::List(list)) => {
            let element = ty.element().ok_or_else(missing)?;
            let values = list
                .values
                .iter()
                .map(|value| from_value(schema, element, value.kind.as_ref().ok_or_else(missing)?));
            Datum::List(values.collect::<Result<_, _>>()?)
        }
        (Type::Map(key, value), Kind::Map(map)) => {
            let part = |ty: &Type, part: &Option<Value>| {
                let kind = part.as_ref().and_then(|part| part.kind.as_ref());
                from_value(schema, ty, kind.ok_or_else(missing)?)
            };
            let entries = map
                .entries
                .iter()
                .map(|entry| Ok((part(&key.ty, &entry.key)?, part(&value.ty, &entry.value)?)));
            Datum::Map(entries.collect::<Result<_, String>>()?)
        }
        (ty, _) => return Err(format!("another kind of value where {ty:?} belongs")),
    })
}

/// A number of either spelling: one that the type does not hold as written, but its twin of the
/// other signedness does, stands for the same bits.
fn integer(bits: u8, signed: bool, value: i128) -> Result<Datum, String> {
    let modulus = 1_i128 << bits;
    let half = modulus / 2;
    if !(-half..modulus).contains(&value) {
        return Err(format!("{value} does not fit {bits} bits"));
    }
    let value = match signed {
        true if value >= half => value - modulus,
        false if value < 0 => value + modulus,
        _ => value,
    };
    let fits = "the range was looked at";
    Ok(if signed {
        Datum::Int(i64::try_from(value).expect(fits))
    } else {
        Datum::UInt(u64::try_from(value).expect(fits))
    })
}

/// A message without fields: to it, every field is unknown.
static NOTHING: LazyLock<(Schema, MessageId)> = LazyLock::new(|| {
    let mut schema = Schema::default();
    let fory = ForyMessage {
        registration: Registration::Id(0),
        evolving: true,
    };
    let message = Message::new("Nothing".to_owned(), String::new(), Vec::new(), fory);
    let id = schema.add_message(message);
    (schema, id)
});

fn unknown_to_bytes(unknown: &[UnknownField]) -> Result<Vec<u8>, String> {
    let (schema, id) = &*NOTHING;
    let mut message = DynamicMessage::new(schema, *id);
    message.unknown = unknown.to_vec();
    protobuf::encode(schema, &message, &protobuf::Dialect::default())
        .map_err(|error| format!("unknown fields: {error}"))
}

fn unknown_from_bytes(bytes: &[u8]) -> Result<Vec<UnknownField>, String> {
    let (schema, id) = &*NOTHING;
    protobuf::decode(schema, *id, bytes, DecodeOptions::default())
        .map(|message| message.unknown)
        .map_err(|error| format!("unknown fields: {error}"))
}

#[cfg(test)]
mod tests {
    use interop_codec::{Document, json};

    use super::*;
    use interop_schema::proto::compile_text;

    #[test]
    fn a_message_crosses_and_comes_back_equal() {
        let schema = compile_text(
            "syntax = \"proto3\"; enum E { Z = 0; N = -1; }
             message M { double d = 1; optional int32 i = 2; repeated M r = 3;
               map<string, M> m = 4; bytes b = 5; E e = 6; fixed64 f = 7; float s = 8; }",
        )
        .unwrap();
        let id = schema.message_by_name("M").unwrap();
        let text =
            r#"{"d":-0.0,"i":0,"r":[{},{"e":"N"}],"m":{"k":{"f":"1"}},"b":"AP8=","s":"NaN"}"#;
        let mut message =
            json::decode(&schema, id, text.as_bytes(), DecodeOptions::default()).unwrap();
        message.unknown = unknown_from_bytes(&[0x98, 0x06, 0x05]).unwrap();
        let tree = to_tree(&schema, &message).unwrap();
        assert_eq!(tree.unknown, [0x98, 0x06, 0x05]);
        let back = from_tree(&schema, id, &tree).unwrap();
        assert_eq!(Document::of(back), Document::of(message));
    }

    #[test]
    fn values_that_do_not_fit_are_named() {
        let schema = compile_text("syntax = \"proto3\"; message M { int32 i = 1; }").unwrap();
        let id = schema.message_by_name("M").unwrap();
        let tree = |kind| Tree {
            fields: vec![Field {
                number: 1,
                value: Some(Value { kind: Some(kind) }),
            }],
            unknown: Vec::new(),
        };
        let error = from_tree(&schema, id, &tree(Kind::Signed(1 << 40))).unwrap_err();
        assert!(error.starts_with("i: "), "{error}");
        assert!(from_tree(&schema, id, &tree(Kind::Text(String::new()))).is_err());
    }

    #[test]
    fn integers_are_taken_in_either_spelling() {
        for (bits, signed, value, expected) in [
            (32, true, 7, Some(Datum::Int(7))),
            (32, true, i128::from(u32::MAX), Some(Datum::Int(-1))),
            (
                32,
                true,
                i128::from(i32::MIN),
                Some(Datum::Int(i64::from(i32::MIN))),
            ),
            (32, true, 1 << 32, None),
            (32, true, i128::from(i32::MIN) - 1, None),
            (32, false, -1, Some(Datum::UInt(u64::from(u32::MAX)))),
            (64, true, i128::from(u64::MAX), Some(Datum::Int(-1))),
            (64, true, 5, Some(Datum::Int(5))),
            (64, false, i128::from(i64::MIN), Some(Datum::UInt(1 << 63))),
            (64, false, i128::from(u64::MAX), Some(Datum::UInt(u64::MAX))),
        ] {
            let read = integer(bits, signed, value);
            assert_eq!(read.ok(), expected, "{bits} {signed} {value}");
        }
    }
}
