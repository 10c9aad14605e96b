//! FlatBuffers: a message is a table of the schema that [`interop_schema::fbs`] derives.
//!
//! The layout follows the public description of the format ("FlatBuffers internals"): buffers
//! are written from the end, children before their parents, every number aligned to its size,
//! equal vtables stored once. How a schema maps to it:
//!
//! | schema | FlatBuffers |
//! |---|---|
//! | message | table; the field at position n of the schema has vtable slot n |
//! | scalars | scalars of their width; an absent field of implicit presence and a default are left out |
//! | field of explicit presence, oneof member | optional: left out when absent, else always written |
//! | enum | byte, or int where one of its numbers does not fit |
//! | string, bytes | string, `[ubyte]`; always written where presence is implicit |
//! | repeated | vector; of `repeated bytes` a vector of tables with the one field `value` |
//! | map | vector of tables `key`, `value`; by default sorted by key |
//! | FDL float16, bfloat16, date | ushort of the bits, ushort, long of days |
//!
//! FDL's timestamps, durations, decimals, unions and `any` have no form here. Protobuf's unknown
//! fields are not carried over.
//!
//! Reading verifies everything: bounds, alignment from the start of the buffer, vtables, NUL
//! terminators, UTF-8, bools of 0 and 1. An object may be referred to twice, as builders do with
//! equal strings; each visit is charged against the memory limit. Slots that the schema lacks
//! must be empty, and each byte that nothing refers to must be zero.

mod builder;
mod claims;
mod decode;
mod encode;
mod plan;
#[cfg(test)]
mod tests;

use interop_schema::{MessageId, Schema};

use crate::{Choice, Cursor, DecodeOptions, DynamicMessage, Error, Preset};

/// Choices of a writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// The order in which a table's strings, vectors and tables are made.
    pub children: Children,
    /// How an empty vector is aligned.
    pub empty_vectors: EmptyVectors,
    /// What becomes of a scalar -0.0 of implicit presence.
    pub negative_zero: NegativeZero,
    /// What becomes of an optional scalar that is set to zero.
    pub optional_zeros: OptionalZeros,
    /// The order of a map's entries.
    pub map_order: MapOrder,
}

/// The order of a map's entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapOrder {
    /// By key, so that a reader can search.
    #[default]
    Sorted,
    /// As they are stored: builders leave sorting to their caller.
    Stored,
}

/// The order in which a table's strings, vectors and tables are made. What is made first lies
/// nearest to the end of the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Children {
    /// As in the schema.
    #[default]
    SchemaOrder,
    /// As in the schema, but vectors of scalars after all others.
    ScalarVectorsLast,
}

/// How an empty vector is aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyVectors {
    /// So that an element would be aligned, as any vector.
    #[default]
    AsElements,
    /// Only its length is: C++'s builder skips alignment for zero bytes.
    LengthOnly,
}

/// What becomes of a scalar -0.0 of implicit presence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NegativeZero {
    /// It is written.
    #[default]
    Kept,
    /// It equals the default 0.0 and is left out, so that its sign is lost: builders compare
    /// with `==`.
    Omitted,
}

/// What becomes of an optional scalar that is set to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptionalZeros {
    /// It is written.
    #[default]
    Written,
    /// It is left out like a default, so that it is read as absent: the code that flatc (25.12.19)
    /// generates for Java passes 0 as the default of optional scalars.
    Omitted,
}

impl Dialect {
    /// The named choices.
    pub fn choices(&self) -> Vec<Choice> {
        let choice = |name, value: &str| Choice {
            name,
            value: value.to_owned(),
        };
        vec![
            choice(
                "children",
                match self.children {
                    Children::SchemaOrder => "schema-order",
                    Children::ScalarVectorsLast => "scalar-vectors-last",
                },
            ),
            choice(
                "empty-vectors",
                match self.empty_vectors {
                    EmptyVectors::AsElements => "as-elements",
                    EmptyVectors::LengthOnly => "length-only",
                },
            ),
            choice(
                "negative-zero",
                match self.negative_zero {
                    NegativeZero::Kept => "kept",
                    NegativeZero::Omitted => "omitted",
                },
            ),
            choice(
                "optional-zeros",
                match self.optional_zeros {
                    OptionalZeros::Written => "written",
                    OptionalZeros::Omitted => "omitted",
                },
            ),
            choice(
                "map-order",
                match self.map_order {
                    MapOrder::Sorted => "sorted",
                    MapOrder::Stored => "stored",
                },
            ),
        ]
    }
}

/// The dialects of the real writers.
pub fn presets() -> Vec<Preset<Dialect>> {
    let real = Dialect {
        negative_zero: NegativeZero::Omitted,
        map_order: MapOrder::Stored,
        ..Dialect::default()
    };
    vec![
        Preset {
            name: "cpp",
            implementation: "flatbuffers C++ 2.0.8",
            dialect: Dialect {
                empty_vectors: EmptyVectors::LengthOnly,
                ..real
            },
        },
        Preset {
            name: "java",
            implementation: "flatbuffers-java 25.2.10",
            dialect: Dialect {
                children: Children::ScalarVectorsLast,
                optional_zeros: OptionalZeros::Omitted,
                ..real
            },
        },
        Preset {
            name: "python",
            implementation: "flatbuffers (Python) 25.12.19",
            dialect: real,
        },
    ]
}

/// Encodes a message as the root table.
///
/// # Errors
/// When a required field is absent, a value is not of its field's type or has no form here, a
/// table exceeds 64 KiB or the buffer 2 GiB, or the nesting exceeds the default depth limit.
pub fn encode(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    encode::encode(schema, message, *dialect)
}

/// Number of bytes that [`encode`] writes. Padding depends on everything written before, so
/// that this is no cheaper than encoding.
///
/// # Errors
/// As for [`encode`].
pub fn encoded_len(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<usize, Error> {
    Ok(encode(schema, message, dialect)?.len())
}

/// Decodes a root table of type `id`, verifying all of the buffer.
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
    decode::Decoder::new(schema, bytes).root(&mut cursor, id)
}
