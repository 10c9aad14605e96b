//! How a schema's types become FlatBuffers types.

use interop_schema::{EnumId, Field, MessageId, Presence, Schema, Slot, Type};

/// A FlatBuffers type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind<'s> {
    Scalar(Scalar),
    Text,
    Bytes,
    Table(Table<'s>),
    Vector(Element<'s>),
}

/// An element type of a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Element<'s> {
    Scalar(Scalar),
    Text,
    Table(Table<'s>),
}

/// A type stored in place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Bool,
    Int { bytes: usize },
    UInt { bytes: usize },
    Enum { id: EnumId, bytes: usize },
    Float16,
    BFloat16,
    Float32,
    Float64,
    Date,
}

/// A table type: a message, or one that stands for what FlatBuffers has no word for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Table<'s> {
    Message(MessageId),
    /// An entry of a map.
    Entry(&'s Slot, &'s Slot),
    /// An element that a vector can't hold as it is.
    Item(&'s Slot),
}

/// A field of a table.
pub(super) struct Column<'s> {
    pub(super) name: &'s str,
    pub(super) ty: &'s Type,
    pub(super) presence: Presence,
    /// `None` for a type without a form in FlatBuffers.
    pub(super) kind: Option<Kind<'s>>,
}

impl Scalar {
    pub(super) fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int { bytes } | Self::UInt { bytes } | Self::Enum { bytes, .. } => bytes,
            Self::Float16 | Self::BFloat16 => 2,
            Self::Float32 => 4,
            Self::Float64 | Self::Date => 8,
        }
    }
}

impl Element<'_> {
    pub(super) fn size(self) -> usize {
        match self {
            Self::Scalar(scalar) => scalar.size(),
            Self::Text | Self::Table(_) => 4,
        }
    }
}

impl Kind<'_> {
    /// Size in bytes of the field in its table: the scalar's, or an offset's.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Scalar(scalar) => scalar.size(),
            _ => 4,
        }
    }
}

/// The fields of a table in slot order.
pub(super) fn columns<'s>(schema: &'s Schema, table: Table<'s>) -> Vec<Column<'s>> {
    let position = |name, slot: &'s Slot| Column {
        name,
        ty: &slot.ty,
        presence: match slot.nullable {
            true => Presence::Explicit,
            false => Presence::Implicit,
        },
        kind: kind(schema, &slot.ty),
    };
    match table {
        Table::Message(id) => {
            let column = |field: &'s Field| Column {
                name: &field.name,
                ty: &field.ty,
                presence: field.presence,
                kind: kind(schema, &field.ty),
            };
            schema.message(id).fields.iter().map(column).collect()
        }
        Table::Entry(key, value) => vec![position("key", key), position("value", value)],
        Table::Item(slot) => vec![position("value", slot)],
    }
}

fn kind<'s>(schema: &'s Schema, ty: &'s Type) -> Option<Kind<'s>> {
    Some(match ty {
        Type::String => Kind::Text,
        Type::Bytes => Kind::Bytes,
        Type::Message(id) => Kind::Table(Table::Message(*id)),
        Type::List(slot) | Type::Set(slot) => Kind::Vector(element(schema, slot)?),
        Type::Array(ty) => Kind::Vector(Element::Scalar(scalar(schema, ty)?)),
        Type::Map(key, value) => Kind::Vector(Element::Table(Table::Entry(key, value))),
        ty => Kind::Scalar(scalar(schema, ty)?),
    })
}

fn element<'s>(schema: &'s Schema, slot: &'s Slot) -> Option<Element<'s>> {
    if slot.nullable {
        return Some(Element::Table(Table::Item(slot)));
    }
    Some(match kind(schema, &slot.ty)? {
        Kind::Scalar(scalar) => Element::Scalar(scalar),
        Kind::Text => Element::Text,
        Kind::Table(table) => Element::Table(table),
        Kind::Bytes | Kind::Vector(_) => Element::Table(Table::Item(slot)),
    })
}

fn scalar(schema: &Schema, ty: &Type) -> Option<Scalar> {
    Some(match ty {
        Type::Bool => Scalar::Bool,
        Type::Int { bits, signed, .. } => {
            let bytes = usize::from(*bits / 8);
            match signed {
                true => Scalar::Int { bytes },
                false => Scalar::UInt { bytes },
            }
        }
        Type::Enum(id) => Scalar::Enum {
            id: *id,
            bytes: match schema.enumeration(*id).fits_in_a_byte() {
                true => 1,
                false => 4,
            },
        },
        Type::Float16 => Scalar::Float16,
        Type::BFloat16 => Scalar::BFloat16,
        Type::Float32 => Scalar::Float32,
        Type::Float64 => Scalar::Float64,
        Type::Date => Scalar::Date,
        _ => return None,
    })
}
