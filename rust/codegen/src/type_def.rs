//! Fory's type metadata, worked out when the code is generated: TypeDef and schema hash.

use interop_schema::{Field, IntEncoding, Schema, Type};
use interop_wire::{Writer, murmur3};

use crate::plan;

/// Type id of a struct with a TypeDef.
const COMPATIBLE_STRUCT: u8 = 28;

/// How a writer spells nested types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nested {
    Plain,
    Nullable,
    StructKind,
}

/// Fory's internal type id.
pub fn type_id(schema: &Schema, ty: &Type) -> u8 {
    use IntEncoding::{Fixed, Tagged, Varint};
    let int = |bits, signed, encoding| match (bits, signed, encoding) {
        (8, true, _) => 2,
        (16, true, _) => 3,
        (32, true, Fixed) => 4,
        (32, true, _) => 5,
        (64, true, Fixed) => 6,
        (64, true, Varint) => 7,
        (64, true, Tagged) => 8,
        (8, false, _) => 9,
        (16, false, _) => 10,
        (32, false, Fixed) => 11,
        (32, false, _) => 12,
        (_, _, Fixed) => 13,
        (_, _, Varint) => 14,
        (_, _, Tagged) => 15,
    };
    match ty {
        Type::Bool => 1,
        Type::Int {
            bits,
            signed,
            encoding,
        } => int(*bits, *signed, *encoding),
        Type::Float16 => 17,
        Type::BFloat16 => 18,
        Type::Float32 => 19,
        Type::Float64 => 20,
        Type::String => 21,
        Type::List(_) => 22,
        Type::Set(_) => 23,
        Type::Map(..) => 24,
        Type::Enum(_) => 25,
        Type::Message(id) => match plan::time(schema, *id) {
            Some(interop_schema::WellKnown::Timestamp) => 38,
            Some(_) => 37,
            None => COMPATIBLE_STRUCT,
        },
        Type::Union(_) => 33,
        Type::Duration => 37,
        Type::Timestamp => 38,
        Type::Date => 39,
        Type::Decimal => 40,
        Type::Bytes => 41,
        Type::Any => 0,
        Type::Array(element) => match **element {
            Type::Bool => 43,
            Type::Int { bits, signed, .. } => match (bits, signed) {
                (8, true) => 44,
                (16, true) => 45,
                (32, true) => 46,
                (64, true) => 47,
                (8, false) => 48,
                (16, false) => 49,
                (32, false) => 50,
                _ => 51,
            },
            Type::Float16 => 53,
            Type::BFloat16 => 54,
            Type::Float32 => 55,
            _ => 56,
        },
    }
}

/// True when a null flag precedes the field. Timestamps and durations are values, not structs,
/// and writers of this mapping don't make them nullable.
pub fn nullable(schema: &Schema, field: &Field) -> bool {
    let time = matches!(&field.ty, Type::Message(id) if plan::time(schema, *id).is_some());
    field.fory.nullable && !time
}

/// The encoded TypeDef: header, size, body.
pub fn type_def(schema: &Schema, number: u32, fields: &[&Field], nested: Nested) -> Vec<u8> {
    let mut body = Writer::new();
    let count = fields.len() as u64;
    body.u8(0xc0 | count.min(31) as u8);
    if count >= 31 {
        body.varint(count - 31);
    }
    body.varint(u64::from(number));
    for field in fields {
        let id = u64::from(field.fory.id.unwrap_or_default());
        let head = 0xc0 | (id.min(15) as u8) << 2 | u8::from(nullable(schema, field)) << 1;
        body.u8(head);
        if id >= 15 {
            body.varint(id - 15);
        }
        body.varint(u64::from(type_id(schema, &field.ty)));
        inner_types(schema, &mut body, &field.ty, nested);
    }
    let body = body.into_vec();
    let low = body.len().min(0xff) as u16;
    let mut hashed = body.clone();
    hashed.extend_from_slice(&low.to_le_bytes());
    let (lane, _) = murmur3::x64_128(&hashed, 47);
    let identity = ((lane << 12) as i64).wrapping_abs() as u64 & !0xfff;
    let mut out = Writer::new();
    out.u64(identity | u64::from(low));
    if body.len() >= 0xff {
        out.varint(body.len() as u64 - 0xff);
    }
    out.bytes(&body);
    out.into_vec()
}

fn inner_types(schema: &Schema, out: &mut Writer, ty: &Type, nested: Nested) {
    let slots: Vec<&Type> = match ty {
        Type::List(slot) | Type::Set(slot) => vec![&slot.ty],
        Type::Map(key, value) => vec![&key.ty, &value.ty],
        _ => return,
    };
    for ty in slots {
        let mut id = type_id(schema, ty);
        if id == COMPATIBLE_STRUCT && nested == Nested::StructKind {
            id = 27;
        }
        let nullable = u64::from(nested == Nested::Nullable);
        out.varint(u64::from(id) << 2 | nullable << 1);
        inner_types(schema, out, ty, nested);
    }
}

/// The hash of the schema that consistent mode writes.
pub fn schema_hash(schema: &Schema, fields: &[&Field]) -> u32 {
    let mut fields = fields.to_vec();
    fields.sort_by_key(|field| field.fory.id);
    let text: String = fields
        .iter()
        .map(|field| {
            let id = field.fory.id.unwrap_or_default();
            let nullable = u8::from(nullable(schema, field));
            format!("{id},{};", fingerprint(schema, &field.ty, nullable))
        })
        .collect();
    murmur3::x64_128(text.as_bytes(), 47).0 as u32
}

fn fingerprint(schema: &Schema, ty: &Type, nullable: u8) -> String {
    // Enums and structs enter by kind only, as type id 0.
    let id = match type_id(schema, ty) {
        25 | COMPATIBLE_STRUCT => 0,
        id => id,
    };
    let inner = match ty {
        Type::List(slot) | Type::Set(slot) => format!("[{}]", fingerprint(schema, &slot.ty, 0)),
        Type::Map(key, value) => format!(
            "[{}|{}]",
            fingerprint(schema, &key.ty, 0),
            fingerprint(schema, &value.ty, 0)
        ),
        _ => String::new(),
    };
    format!("{id},0,{nullable}{inner}")
}

/// Fields in Fory's order: numbers first, fixed before varint, wide before narrow; then by id.
pub fn ordered<'s>(schema: &Schema, fields: impl Iterator<Item = &'s Field>) -> Vec<&'s Field> {
    let mut fields: Vec<_> = fields.collect();
    fields.sort_by_key(|field| {
        let id = type_id(schema, &field.ty);
        let size = match id {
            1 | 2 | 9 => 1,
            3 | 10 | 17 | 18 => 2,
            4 | 5 | 11 | 12 | 19 => 4,
            6 | 7 | 8 | 13 | 14 | 15 | 20 => 8,
            _ => 0,
        };
        let compressed = matches!(id, 5 | 7 | 8 | 12 | 14 | 15);
        let tag = field.fory.id;
        match (size, nullable(schema, field)) {
            (0, _) => (2, false, 0, 0, tag),
            (size, nullable) => (u8::from(nullable), compressed, 8 - size, id, tag),
        }
    });
    fields
}
