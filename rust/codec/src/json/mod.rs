//! ProtoJSON: JSON as <https://protobuf.dev/programming-guides/json/> maps protobuf to it, over
//! the grammar of RFC 8259.
//!
//! Where the guide leaves room the reader is strict: a field given twice (under one name or
//! both), two members of a oneof, unknown fields, unknown enum names and anything behind the
//! value are refused. Null means absent, but for `google.protobuf.Value` and `NullValue`.
//!
//! Depth counts objects of messages and the objects and arrays inside a `Value`; the array or
//! object around a repeated field or map is no level of its own, so that what fits in protobuf's
//! depth limit fits in JSON. Unknown fields have no place in JSON and are not printed.
//!
//! ```
//! use interop_codec::{DecodeOptions, Value, json};
//! use interop_schema::proto::compile_text;
//!
//! let schema = compile_text("syntax = \"proto3\"; message M { int64 a_b = 1; float f = 2; }").unwrap();
//! let m = schema.message_by_name("M").unwrap();
//! let value = json::decode(&schema, m, br#"{"aB": 1.5e1, "f": -0}"#, DecodeOptions::default()).unwrap();
//! assert_eq!(value.get(0), Some(&Value::Int(15)));
//! let text = json::encode(&schema, &value, &json::Dialect::default()).unwrap();
//! assert_eq!(text, br#"{"a_b":"15","f":-0.0}"#);
//! ```

mod bytes;
mod decode;
mod decode_any;
mod decode_scalar;
mod decode_well_known;
mod dialect;
mod encode;
mod encode_well_known;
mod field_mask;
mod float;
mod lexer;
mod number;
mod syntax;
mod text;
mod time;

use interop_schema::{MessageId, Schema};

use crate::{DecodeOptions, DynamicMessage, Error};

pub use dialect::{
    Defaults, Dialect, Escapes, FieldOrder, Float32Digits, MapOrder, Names, NegativeZero, Notation,
    Spacing, presets,
};

/// The enum whose only value JSON spells null.
const NULL_VALUE: &str = "google.protobuf.NullValue";

/// What a reader tolerates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// Skip unknown fields, and treat unknown enum names as absent, instead of refusing them.
    pub ignore_unknown: bool,
}

/// Encodes a message as one line of JSON.
///
/// # Errors
/// When a value has no form in ProtoJSON: a Timestamp or Duration out of range, a FieldMask path
/// that would not come back, a `Value` of no kind or that is not finite, an Any whose type the
/// schema lacks, a required field that is not set.
pub fn encode(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    encode::encode(schema, message, dialect)
}

/// Length of what [`encode`] gives, in bytes.
///
/// # Errors
/// Those of [`encode`].
pub fn encoded_len(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<usize, Error> {
    encode(schema, message, dialect).map(|json| json.len())
}

/// Decodes a message strictly.
///
/// # Errors
/// With byte offset and field path.
pub fn decode(
    schema: &Schema,
    id: MessageId,
    bytes: &[u8],
    options: DecodeOptions<'_>,
) -> Result<DynamicMessage, Error> {
    decode_with(schema, id, bytes, options, ParseOptions::default())
}

/// Decodes a message with the tolerance given.
///
/// # Errors
/// With byte offset and field path.
pub fn decode_with(
    schema: &Schema,
    id: MessageId,
    bytes: &[u8],
    options: DecodeOptions<'_>,
    parse: ParseOptions,
) -> Result<DynamicMessage, Error> {
    decode::decode(schema, id, bytes, options, parse)
}

#[cfg(test)]
mod tests;
