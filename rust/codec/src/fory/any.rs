//! Streams and payloads without a schema: roots that name their own type, and bare values.

use interop_schema::Schema;
use interop_schema::fory::{WireType, type_id as id};
use interop_wire::{Error as WireError, ErrorKind as WireKind, Writer};

use super::decode::{Decoder, Target};
use super::encode::{Encoder, XLANG};
use super::{Dialect, Mode, number, string, temporal};
use crate::{Cursor, DecodeOptions, Document, Error, Path, Value};

/// Decodes a stream whose root names its own type: scalars, text, bytes, times, decimals, dense
/// arrays, lists, sets and maps of anything, and structs.
///
/// A struct that `schema` registers becomes a message; another one, as long as its TypeDef is in
/// the stream, a map from field name (or `#id`) to value. Signed integers are [`Value::Int`],
/// unsigned ones [`Value::UInt`].
///
/// # Errors
/// With byte offset and path.
pub fn decode_any(
    schema: Option<&Schema>,
    mode: Mode,
    bytes: &[u8],
    options: DecodeOptions<'_>,
) -> Result<Document, Error> {
    let empty = Schema::default();
    let mut cursor = Cursor::new(options, bytes.len())?;
    Decoder::new(schema.unwrap_or(&empty), mode, bytes, true).document(&mut cursor, Target::Any)
}

/// Encodes a value as a stream whose root names its own type: integers as varint64 and
/// var_uint64, text as string, and so on; lists and maps as dynamic ones.
///
/// # Errors
/// For a value that does not tell its type: an enum, a union, a reference.
pub fn encode_any(
    schema: Option<&Schema>,
    value: &Value,
    mode: Mode,
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    let empty = Schema::default();
    let mut encoder = Encoder::new(schema.unwrap_or(&empty), &[], mode, dialect);
    encoder.out.u8(XLANG);
    encoder.dynamic_root(value)?;
    Ok(encoder.out.into_vec())
}

fn payload_type(type_name: &str) -> Result<u8, Error> {
    let found = id::by_name(type_name).filter(|type_id| {
        (id::is_primitive(*type_id) && *type_id != id::FLOAT8)
            || matches!(*type_id, id::STRING | id::DURATION..=id::BINARY)
            || id::array_element(*type_id).is_some()
    });
    found.ok_or_else(|| {
        let text = format!("{type_name} is no type whose values can stand alone");
        Error::value(&Path::default(), text)
    })
}

/// Decodes bare values of one type, one behind the other, up to the end of `bytes`. Types are
/// named as in the specification's table, in lower case: `tagged_int64`, `string`, `duration`.
///
/// # Errors
/// For an unknown type name, and with byte offset for wrong bytes.
pub fn decode_payload(
    type_name: &str,
    bytes: &[u8],
    options: DecodeOptions<'_>,
) -> Result<Vec<Value>, Error> {
    let type_id = payload_type(type_name)?;
    let empty = Schema::default();
    let mut cursor = Cursor::new(options, bytes.len())?;
    let mut decoder = Decoder::new(&empty, Mode::Consistent, bytes, true);
    let wire = WireType::plain(type_id);
    let mut values = Vec::new();
    while !decoder.reader.is_empty() || values.is_empty() {
        let at = decoder.reader.offset();
        cursor.charge_values(at, 1)?;
        values.push(decoder.data(&mut cursor, &wire, None, Target::Any)?);
        if decoder.reader.offset() == at {
            let count = decoder.reader.remaining();
            let kind = WireKind::TrailingBytes { count };
            return Err(cursor.wire(WireError::new(at, kind)));
        }
    }
    Ok(values)
}

/// Encodes bare values of one type, one behind the other: the inverse of [`decode_payload`].
///
/// # Errors
/// For an unknown type name, or a value of another kind or out of range.
pub fn encode_payload(
    type_name: &str,
    values: &[Value],
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    let type_id = payload_type(type_name)?;
    let mut out = Writer::new();
    for value in values {
        let written = match (value, id::array_element(type_id)) {
            (Value::List(values), Some(element)) => number::write_array(&mut out, element, values),
            (Value::String(text), _) if type_id == id::STRING => {
                string::write(&mut out, text, dialect.strings);
                Ok(())
            }
            (Value::Bytes(bytes), _) if type_id == id::BINARY => {
                out.varint(bytes.len() as u64);
                out.bytes(bytes);
                Ok(())
            }
            (value, None) if id::is_primitive(type_id) => number::write(&mut out, type_id, value),
            (value, _) => temporal::write(&mut out, type_id, value),
        };
        written.map_err(|text| Error::value(&Path::default(), text))?;
    }
    Ok(out.into_vec())
}
