//! MessagePack: a message is a map from field names to values.
//!
//! The specification (`spec.md` of the msgpack project) leaves to the application how a schema
//! maps to its types. Here:
//!
//! | schema | bytes |
//! |---|---|
//! | message | map; keys are the original field names in schema order, `[full.name]` for an extension |
//! | absent field of explicit presence, oneof member that is not set | nil |
//! | absent field of implicit presence | its default, always written |
//! | bool, integer, enum | bool; the shortest int; the enum's number as int |
//! | float, double | float 32, float 64 (a [`Dialect`] may turn whole numbers into ints) |
//! | string, bytes | str, bin |
//! | list, set, array; map | array; map, in the order of the value's entries |
//! | well-known types | messages like others: Timestamp is a map of `seconds` and `nanos` |
//! | FDL timestamp | extension -1 in its shortest form |
//! | FDL duration, decimal, union | map of `seconds` and `nanos`; of `unscaled` (decimal digits) and `scale`; of the case's name and its value |
//! | FDL date, float16 and bfloat16 | int of days; float 32 |
//! | FDL any | whatever type the value itself has |
//!
//! Readers take keys in any order, ints of any width, ints and the other float width where they
//! say the same number, and treat a missing key as an absent field. They refuse unknown and
//! repeated keys, arrays and maps as keys, nil where the schema has no null, numbers out of range, text that is not UTF-8,
//! and extensions other than the timestamp. Protobuf's unknown fields are not carried over.

mod decode;
mod encode;
mod float;
mod head;
mod payload;
mod scalar;

use interop_schema::{Field, MessageId, Schema};

use crate::{Choice, Cursor, DecodeOptions, DynamicMessage, Error, Preset};

pub use payload::{decode_any, decode_typed, encode_typed, type_by_name};

/// Choices of a writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// What becomes of a float that is a whole number.
    pub whole_floats: WholeFloats,
}

/// What becomes of a float that is a whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WholeFloats {
    /// It stays a float.
    #[default]
    Float,
    /// From -2^63 up to, but without, 2^64 it becomes the int of the same value, and -0.0 becomes
    /// 0: what `packer::pack_double` and `pack_float` of msgpack-cxx do (checked with 4.1.3).
    Int,
}

impl Dialect {
    /// The named choices.
    pub fn choices(&self) -> Vec<Choice> {
        let whole_floats = match self.whole_floats {
            WholeFloats::Float => "float",
            WholeFloats::Int => "int",
        };
        vec![Choice {
            name: "whole-floats",
            value: whole_floats.to_owned(),
        }]
    }
}

/// The dialects of the real writers.
pub fn presets() -> Vec<Preset<Dialect>> {
    let preset = |name, implementation, whole_floats| Preset {
        name,
        implementation,
        dialect: Dialect { whole_floats },
    };
    vec![
        preset(
            "cpp",
            "msgpack-cxx 4.1.3, floats packed explicitly as floats",
            WholeFloats::Float,
        ),
        preset(
            "cpp-native",
            "msgpack-cxx 4.1.3 as it packs by itself",
            WholeFloats::Int,
        ),
        preset(
            "go",
            "vmihailenco/msgpack 5.4.1, compact ints",
            WholeFloats::Float,
        ),
        preset("python", "msgpack (Python) 1.2.4", WholeFloats::Float),
        preset(
            "rust",
            "rmp-serde 1.3.1, named maps, enums as ints",
            WholeFloats::Float,
        ),
    ]
}

/// Encodes a message.
///
/// # Errors
/// When a required field is absent, a value is not of its field's type, a collection has more
/// than 2^32 - 1 elements, or the nesting exceeds the default depth limit.
pub fn encode(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    let mut encoder = encode::Encoder::new(schema, *dialect, Vec::new());
    encoder.message(message)?;
    Ok(encoder.finish())
}

/// Number of bytes that [`encode`] writes.
///
/// # Errors
/// As for [`encode`].
pub fn encoded_len(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<usize, Error> {
    let mut encoder = encode::Encoder::new(schema, *dialect, head::Counter(0));
    encoder.message(message)?;
    Ok(encoder.finish().0)
}

/// Decodes a message of type `id`.
///
/// # Errors
/// With byte offset and field path.
pub fn decode(
    schema: &Schema,
    id: MessageId,
    bytes: &[u8],
    options: DecodeOptions<'_>,
) -> Result<DynamicMessage, Error> {
    let mut cursor = Cursor::new(options, bytes.len())?;
    let mut decoder = decode::Decoder::new(schema, bytes);
    let message = decoder.message(&mut cursor, id)?;
    decoder.finish(&cursor)?;
    Ok(message)
}

/// The key that stands for a field.
fn key(field: &Field) -> &str {
    match field.extension {
        Some(_) => &field.json_name,
        None => &field.name,
    }
}
