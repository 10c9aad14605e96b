//! Why two encodings of one message differ: a closed list, decided from what the decoder says
//! the bytes mean.

use std::fmt;

/// Why bytes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// Another value.
    Value,
    /// A string in another character encoding (Fory: Latin-1, UTF-16, UTF-8).
    StringCoder,
    /// The header of an empty string names another encoding.
    EmptyStringHeader,
    /// A list's header says more or less of its elements than the other's.
    ListHeader,
    /// A map chunk's header says more or less of its keys and values than the other's.
    MapHeader,
    /// Nulls in a map are written in another form of chunk.
    NullChunk,
    /// A TypeDef says whether elements may be null.
    TypedefElementNullable,
    /// A TypeDef says of which kind elements are.
    TypedefElementKind,
    /// A TypeDef says whether references are tracked.
    TypedefReference,
    /// A TypeDef describes its fields otherwise.
    TypedefField,
    /// The hash in a TypeDef's header, which follows its content.
    TypedefHeaderHash,
    /// The schema hash of consistent mode.
    SchemaHash,
    /// Whether a type's description is written again, referred back to, or left out.
    TypeMeta,
    /// A flag in front of a value says null, new object or seen object.
    ReferenceFlag,
    /// A default value is written, or left out.
    DefaultWritten,
    /// Repeated values in one run, or one by one.
    Packing,
    /// An integer, length or count in another of its forms.
    IntegerForm,
    /// A float written as an integer.
    FloatAsInt,
    /// A null is written, or left out.
    NullWritten,
    /// Map entries in another order.
    MapOrder,
    /// Fields in another order.
    FieldOrder,
    /// FlatBuffers: tables, vectors and strings in another order.
    ChildOrder,
    /// FlatBuffers: vtables of another length, order or sharing.
    Vtable,
    /// Bytes that only align others.
    Padding,
    /// JSON: a number in other text.
    NumberText,
    /// JSON: other characters escaped.
    Escapes,
    /// JSON: field names in another style.
    FieldNameStyle,
    /// JSON: white space.
    Whitespace,
    /// Fields that the schema lacks.
    UnknownFields,
    /// A length, count or offset that follows from another difference.
    Consequence,
    /// One side breaks off here.
    Broken,
    /// The decoder's words don't tell.
    Unnamed,
}

impl Cause {
    /// The word used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::StringCoder => "string-coder",
            Self::EmptyStringHeader => "empty-string-header",
            Self::ListHeader => "list-header",
            Self::MapHeader => "map-header",
            Self::NullChunk => "null-chunk",
            Self::TypedefElementNullable => "typedef-element-nullable",
            Self::TypedefElementKind => "typedef-element-kind",
            Self::TypedefReference => "typedef-reference",
            Self::TypedefField => "typedef-field",
            Self::TypedefHeaderHash => "typedef-header-hash",
            Self::SchemaHash => "schema-hash",
            Self::TypeMeta => "type-meta",
            Self::ReferenceFlag => "reference-flag",
            Self::DefaultWritten => "default-written",
            Self::Packing => "packing",
            Self::IntegerForm => "integer-form",
            Self::FloatAsInt => "float-as-int",
            Self::NullWritten => "null-written",
            Self::MapOrder => "map-order",
            Self::FieldOrder => "field-order",
            Self::ChildOrder => "child-order",
            Self::Vtable => "vtable",
            Self::Padding => "padding",
            Self::NumberText => "number-text",
            Self::Escapes => "escapes",
            Self::FieldNameStyle => "field-name-style",
            Self::Whitespace => "whitespace",
            Self::UnknownFields => "unknown-fields",
            Self::Consequence => "consequence",
            Self::Broken => "broken",
            Self::Unnamed => "unnamed",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
