//! Values without a message around them: by a named type, or by the type that the bytes name.

use interop_schema::{IntEncoding, Schema, Slot, Type};

use super::{Dialect, decode::Decoder, encode::Encoder};
use crate::{Cursor, DecodeOptions, Error, Path, Value};

/// Decodes one value by the types that the bytes name. Ints become [`Value::Int`], those above
/// 2^63 - 1 [`Value::UInt`]; map keys may be of any type but
/// arrays and maps, and no two may be equal.
///
/// # Errors
/// With byte offset and path; so for bytes behind the value.
pub fn decode_any(bytes: &[u8], options: DecodeOptions<'_>) -> Result<Value, Error> {
    decode_slot(&nullable(Type::Any), bytes, options)
}

/// Decodes one value as the type called `type_name`; see [`type_by_name`].
///
/// # Errors
/// With byte offset and path; so for bytes behind the value, and for a name of no type.
///
/// ```
/// use interop_codec::{DecodeOptions, Value, msgpack::decode_typed};
///
/// let value = decode_typed("double", &[0x62], DecodeOptions::default()).unwrap();
/// assert_eq!(value, Value::Float64(98.0));
/// ```
pub fn decode_typed(
    type_name: &str,
    bytes: &[u8],
    options: DecodeOptions<'_>,
) -> Result<Value, Error> {
    decode_slot(&slot_by_name(type_name)?, bytes, options)
}

/// Encodes one value as the type called `type_name`; see [`type_by_name`].
///
/// # Errors
/// When the value is not of the type, or the name is of no type.
pub fn encode_typed(type_name: &str, value: &Value, dialect: &Dialect) -> Result<Vec<u8>, Error> {
    let schema = Schema::default();
    let slot = slot_by_name(type_name)?;
    let mut encoder = Encoder::new(&schema, *dialect, Vec::new());
    encoder.slot(&slot.ty, slot.nullable, value)?;
    Ok(encoder.finish())
}

/// The type of a name: protobuf's and Fory's scalar names, `bool`, `string`, `bytes`,
/// `timestamp`, `duration`, `date`, `decimal`, `any`, and `list<T>`, `array<T>`, `set<T>`,
/// `map<K, V>` of those.
pub fn type_by_name(name: &str) -> Option<Type> {
    let name = name.trim();
    if let Some((outer, rest)) = name.split_once('<') {
        let inner = rest.strip_suffix('>')?;
        return match outer.trim() {
            "list" | "array" => Some(Type::List(Box::new(slot_of(inner)?))),
            "set" => Some(Type::Set(Box::new(slot_of(inner)?))),
            "map" => {
                let (key, value) = split_pair(inner)?;
                let (key, value) = (slot_of(key)?, slot_of(value)?);
                Some(Type::Map(Box::new(key), Box::new(value)))
            }
            _ => None,
        };
    }
    let int = |bits, signed| Type::int(bits, signed, IntEncoding::Varint);
    Some(match name {
        "any" => Type::Any,
        "bool" => Type::Bool,
        "int8" => int(8, true),
        "int16" => int(16, true),
        "int32" | "sint32" | "sfixed32" => int(32, true),
        "int64" | "sint64" | "sfixed64" => int(64, true),
        "uint8" => int(8, false),
        "uint16" => int(16, false),
        "uint32" | "fixed32" => int(32, false),
        "uint64" | "fixed64" => int(64, false),
        "float16" => Type::Float16,
        "bfloat16" => Type::BFloat16,
        "float" | "float32" => Type::Float32,
        "double" | "float64" => Type::Float64,
        "string" | "str" => Type::String,
        "bytes" | "bin" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "date" => Type::Date,
        "decimal" => Type::Decimal,
        _ => return None,
    })
}

fn decode_slot(slot: &Slot, bytes: &[u8], options: DecodeOptions<'_>) -> Result<Value, Error> {
    let schema = Schema::default();
    let mut cursor = Cursor::new(options, bytes.len())?;
    let mut decoder = Decoder::new(&schema, bytes);
    let value = decoder.slot(&mut cursor, slot)?;
    decoder.finish(&cursor)?;
    Ok(value)
}

fn slot_by_name(name: &str) -> Result<Slot, Error> {
    let unknown = || Error::value(&Path::default(), format!("no type is called {name}"));
    slot_of(name).ok_or_else(unknown)
}

fn slot_of(name: &str) -> Option<Slot> {
    let ty = type_by_name(name)?;
    Some(match ty {
        Type::Any => nullable(ty),
        ty => Slot::plain(ty),
    })
}

fn nullable(ty: Type) -> Slot {
    Slot {
        nullable: true,
        ..Slot::plain(ty)
    }
}

/// Splits `K, V` at the comma outside of any angle brackets.
fn split_pair(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}
