//! TypeDefs: what compatible mode says about a struct in the stream (section "TypeDef").

use interop_wire::{Writer, murmur3};

use super::layout::{FieldKey, StructLayout};
use super::meta_string::{self, Place};
use super::{WireType, type_id as id};
use crate::{Message, Registration};

/// Choices that writers make in TypeDefs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TypeDefStyle {
    /// When elements, keys and values are said to be nullable.
    pub element_nullable: ElementNullable,
    /// How tracked elements are marked.
    pub element_reference: ElementReference,
    /// Elements of struct type are said to be plain structs, not compatible ones.
    pub element_struct_plain: bool,
}

/// When elements, keys and values are said to be nullable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ElementNullable {
    /// As declared.
    #[default]
    Declared,
    /// Always.
    Always,
    /// Always, but for tracked ones.
    UnlessTracked,
}

/// How tracked elements are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ElementReference {
    /// By the reference bit.
    #[default]
    Tracked,
    /// By the nullable bit alone.
    NullableInstead,
    /// By both bits.
    NullableToo,
}

const HASH_SEED: u64 = 47;
const SIZE_MASK: u64 = 0xff;
const HASH_SHIFT: u32 = 12;

/// The TypeDef of `message`: header, size where it needs more than a byte, body.
pub fn type_def(
    message: &Message,
    layout: &StructLayout,
    style: TypeDefStyle,
    compatible: bool,
) -> Vec<u8> {
    let body = body(message, layout, style, compatible && message.fory.evolving);
    let size = body.len() as u64;
    let mut out = Writer::new();
    out.u64(header_of(&body, size.min(SIZE_MASK)));
    if size >= SIZE_MASK {
        out.varint(size - SIZE_MASK);
    }
    out.bytes(&body);
    out.into_vec()
}

/// The eight-byte header of a TypeDef: 52 bits of hash over `low_bits`, the twelve bits of size
/// and flags.
pub fn header_of(body: &[u8], low_bits: u64) -> u64 {
    let mut hashed = Vec::with_capacity(body.len() + 2);
    hashed.extend_from_slice(body);
    hashed.extend_from_slice(&(low_bits as u16).to_le_bytes());
    let hash = murmur3::x64_128(&hashed, HASH_SEED).0 << HASH_SHIFT;
    let magnitude = hash.cast_signed().wrapping_abs().cast_unsigned();
    magnitude & !((1 << HASH_SHIFT) - 1) | low_bits
}

fn body(message: &Message, layout: &StructLayout, style: TypeDefStyle, evolving: bool) -> Vec<u8> {
    const IS_STRUCT: u8 = 0x80;
    const COMPATIBLE: u8 = 0x40;
    const BY_NAME: u8 = 0x20;
    const MANY_FIELDS: usize = 31;
    let mut out = Writer::new();
    let count = layout.fields.len();
    let mut flags = IS_STRUCT | count.min(MANY_FIELDS) as u8;
    if evolving {
        flags |= COMPATIBLE;
    }
    if matches!(message.fory.registration, Registration::Name { .. }) {
        flags |= BY_NAME;
    }
    out.u8(flags);
    if count >= MANY_FIELDS {
        out.varint((count - MANY_FIELDS) as u64);
    }
    match &message.fory.registration {
        Registration::Id(user_id) => out.varint(u64::from(*user_id)),
        Registration::Name { namespace, name } => {
            push_name(&mut out, namespace, Place::Namespace);
            push_name(&mut out, name, Place::TypeName);
        }
    }
    for field in &layout.fields {
        push_field(&mut out, &field.key, &field.wire, style);
    }
    out.into_vec()
}

fn push_name(out: &mut Writer, text: &str, place: Place) {
    const LONG: usize = 63;
    let (encoding, bytes) = meta_string::encode(text, place);
    let number = encoding_number(encoding, place);
    out.u8((bytes.len().min(LONG) as u8) << 2 | number);
    if bytes.len() >= LONG {
        out.varint((bytes.len() - LONG) as u64);
    }
    out.bytes(&bytes);
}

fn encoding_number(encoding: meta_string::Encoding, place: Place) -> u8 {
    let position = place.encodings().iter().position(|e| *e == encoding);
    position.unwrap_or(0) as u8
}

fn push_field(out: &mut Writer, key: &FieldKey, wire: &WireType, style: TypeDefStyle) {
    const BY_ID: u8 = 3;
    const LONG: usize = 15;
    let (encoding, size, name) = match key {
        FieldKey::Id(id) => (BY_ID, *id as usize, Vec::new()),
        FieldKey::Name(name) => {
            let (encoding, bytes) = meta_string::encode(name, Place::FieldName);
            let size = bytes.len().saturating_sub(1);
            (encoding_number(encoding, Place::FieldName), size, bytes)
        }
    };
    let flags = u8::from(wire.nullable) << 1 | u8::from(wire.reference);
    out.u8(encoding << 6 | (size.min(LONG) as u8) << 2 | flags);
    if size >= LONG {
        out.varint((size - LONG) as u64);
    }
    out.u8(wire.id);
    push_children(out, wire, style);
    out.bytes(&name);
}

fn push_children(out: &mut Writer, wire: &WireType, style: TypeDefStyle) {
    for child in &wire.children {
        let declared = match style.element_nullable {
            ElementNullable::Declared => child.nullable,
            ElementNullable::Always => true,
            ElementNullable::UnlessTracked => child.nullable || !child.reference,
        };
        let (nullable, reference) = match (child.reference, style.element_reference) {
            (false, _) => (declared, false),
            (true, ElementReference::Tracked) => (declared, true),
            (true, ElementReference::NullableInstead) => (true, false),
            (true, ElementReference::NullableToo) => (true, true),
        };
        let type_id = match child.id {
            id::COMPATIBLE_STRUCT if style.element_struct_plain => id::STRUCT,
            id::NAMED_COMPATIBLE_STRUCT if style.element_struct_plain => id::NAMED_STRUCT,
            other => other,
        };
        out.varint(u64::from(type_id) << 2 | u64::from(nullable) << 1 | u64::from(reference));
        push_children(out, child, style);
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout;
    use super::*;
    use crate::proto::compile_text;

    #[test]
    fn a_type_def_that_real_libraries_wrote() {
        let schema = compile_text(
            "syntax = \"proto3\"; import \"fory/options.proto\";
             message Point { option (fory.message).id = 301; int32 x = 1; string label = 2; }",
        )
        .unwrap();
        let point = schema.message_by_name("Point").unwrap();
        let layout = layout(&schema, point, true);
        let bytes = type_def(
            schema.message(point),
            &layout,
            TypeDefStyle::default(),
            true,
        );
        let expected = [
            0x07, 0x00, 0x47, 0x29, 0xdf, 0xf8, 0xf9, 0x4b, 0xc2, 0xad, 0x02, 0xc4, 0x05, 0xc8,
            0x15,
        ];
        assert_eq!(bytes, expected);
    }
}
