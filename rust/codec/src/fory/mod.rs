//! Apache Fory xlang: compatible mode (structs carry a TypeDef) and consistent mode (structs carry
//! a four-byte schema hash).
//!
//! Readers take every dialect: all string encodings, both forms of list and map headers, TypeDefs
//! of other schema versions, and in consistent mode streams without schema hashes. The last are
//! told apart so: when the four bytes behind the root's type are none of the hashes that writers
//! compute for it, the stream is read without hashes if it can be, to the last byte; else the
//! hash is reported as wrong.
//!
//! The rules are those of Fory's "Xlang Serialization Format". Writers differ from it and from
//! each other in what [`Dialect`] names.

mod adapt;
mod any;
mod collection;
mod convert;
mod decode;
mod dialect;
mod dynamic;
mod encode;
mod number;
mod read_collection;
mod refs;
mod string;
mod temporal;
mod type_info;

pub use any::{decode_any, decode_payload, encode_any, encode_payload};
pub use dialect::{
    Dialect, ElementInfo, NullValueEntry, RepeatedNames, StringRule, UnionStructFlag, presets,
};
pub use interop_schema::fory::{ElementNullable, ElementReference, OptionalHash, TypeDefStyle};

use interop_schema::{MessageId, Schema, Type};
use interop_wire::Limits;

use crate::{Cursor, DecodeOptions, Document, DynamicMessage, Error, Value};
use decode::{Decoder, Target};
use encode::Encoder;

/// Which of Fory's two struct layouts a stream uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Schema evolution: structs carry a shared TypeDef.
    Compatible,
    /// Same schema on both sides: structs carry a four-byte schema hash.
    Consistent,
}

/// Encodes a document.
///
/// # Errors
/// When a value is out of its type's range, null where nothing may be null, or of another type
/// than the schema's.
pub fn encode(
    schema: &Schema,
    document: &Document,
    mode: Mode,
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    Encoder::new(schema, &document.nodes, mode, dialect).document(document)
}

/// Length in bytes of what [`encode`] writes for a message without references.
///
/// # Errors
/// As [`encode`].
pub fn encoded_len(
    schema: &Schema,
    message: &DynamicMessage,
    mode: Mode,
    dialect: &Dialect,
) -> Result<usize, Error> {
    let document = Document::of(message.clone());
    encode(schema, &document, mode, dialect).map(|bytes| bytes.len())
}

/// Decodes a document with a root of type `id`.
///
/// # Errors
/// With byte offset and field path.
pub fn decode(
    schema: &Schema,
    id: MessageId,
    mode: Mode,
    bytes: &[u8],
    options: DecodeOptions<'_>,
) -> Result<Document, Error> {
    let ty = Type::Message(id);
    let struct_hash = !reads_without_hashes(schema, id, mode, bytes, options.limits);
    let mut cursor = Cursor::new(options, bytes.len())?;
    Decoder::new(schema, mode, bytes, struct_hash).document(&mut cursor, Target::Typed(&ty))
}

/// True for a consistent stream whose root hash is wrong, but which is right as one that has no
/// hashes.
fn reads_without_hashes(
    schema: &Schema,
    id: MessageId,
    mode: Mode,
    bytes: &[u8],
    limits: Limits,
) -> bool {
    if mode == Mode::Compatible {
        return false;
    }
    let options = || DecodeOptions { limits, sink: None };
    let Ok(mut cursor) = Cursor::new(options(), bytes.len()) else {
        return false;
    };
    let mut decoder = Decoder::new(schema, mode, bytes, true);
    if decoder.root_hash_fits(&mut cursor, id) != Some(false) {
        return false;
    }
    let Ok(mut cursor) = Cursor::new(options(), bytes.len()) else {
        return false;
    };
    let ty = Type::Message(id);
    let attempt = Decoder::new(schema, mode, bytes, false);
    attempt.document(&mut cursor, Target::Typed(&ty)).is_ok()
}

/// A map key as text for paths.
fn key_text(key: &Value) -> String {
    match key {
        Value::String(text) => text.clone(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Date(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Enum(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        other => other.kind().to_owned(),
    }
}
