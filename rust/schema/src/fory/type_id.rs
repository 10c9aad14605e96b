//! Internal type ids (section "Internal Type ID Table").
#![allow(missing_docs)]

use crate::{IntEncoding, Type};

pub const UNKNOWN: u8 = 0;
pub const BOOL: u8 = 1;
pub const INT8: u8 = 2;
pub const INT16: u8 = 3;
pub const INT32: u8 = 4;
pub const VARINT32: u8 = 5;
pub const INT64: u8 = 6;
pub const VARINT64: u8 = 7;
pub const TAGGED_INT64: u8 = 8;
pub const UINT8: u8 = 9;
pub const UINT16: u8 = 10;
pub const UINT32: u8 = 11;
pub const VAR_UINT32: u8 = 12;
pub const UINT64: u8 = 13;
pub const VAR_UINT64: u8 = 14;
pub const TAGGED_UINT64: u8 = 15;
pub const FLOAT8: u8 = 16;
pub const FLOAT16: u8 = 17;
pub const BFLOAT16: u8 = 18;
pub const FLOAT32: u8 = 19;
pub const FLOAT64: u8 = 20;
pub const STRING: u8 = 21;
pub const LIST: u8 = 22;
pub const SET: u8 = 23;
pub const MAP: u8 = 24;
pub const ENUM: u8 = 25;
pub const NAMED_ENUM: u8 = 26;
pub const STRUCT: u8 = 27;
pub const COMPATIBLE_STRUCT: u8 = 28;
pub const NAMED_STRUCT: u8 = 29;
pub const NAMED_COMPATIBLE_STRUCT: u8 = 30;
pub const EXT: u8 = 31;
pub const NAMED_EXT: u8 = 32;
pub const UNION: u8 = 33;
pub const TYPED_UNION: u8 = 34;
pub const NAMED_UNION: u8 = 35;
pub const NONE: u8 = 36;
pub const DURATION: u8 = 37;
pub const TIMESTAMP: u8 = 38;
pub const DATE: u8 = 39;
pub const DECIMAL: u8 = 40;
pub const BINARY: u8 = 41;
pub const ARRAY: u8 = 42;
pub const BOOL_ARRAY: u8 = 43;
pub const INT8_ARRAY: u8 = 44;
pub const INT16_ARRAY: u8 = 45;
pub const INT32_ARRAY: u8 = 46;
pub const INT64_ARRAY: u8 = 47;
pub const UINT8_ARRAY: u8 = 48;
pub const UINT16_ARRAY: u8 = 49;
pub const UINT32_ARRAY: u8 = 50;
pub const UINT64_ARRAY: u8 = 51;
pub const FLOAT8_ARRAY: u8 = 52;
pub const FLOAT16_ARRAY: u8 = 53;
pub const BFLOAT16_ARRAY: u8 = 54;
pub const FLOAT32_ARRAY: u8 = 55;
pub const FLOAT64_ARRAY: u8 = 56;

const NAMES: [&str; 57] = [
    "unknown",
    "bool",
    "int8",
    "int16",
    "int32",
    "varint32",
    "int64",
    "varint64",
    "tagged_int64",
    "uint8",
    "uint16",
    "uint32",
    "var_uint32",
    "uint64",
    "var_uint64",
    "tagged_uint64",
    "float8",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "string",
    "list",
    "set",
    "map",
    "enum",
    "named_enum",
    "struct",
    "compatible_struct",
    "named_struct",
    "named_compatible_struct",
    "ext",
    "named_ext",
    "union",
    "typed_union",
    "named_union",
    "none",
    "duration",
    "timestamp",
    "date",
    "decimal",
    "binary",
    "array",
    "bool_array",
    "int8_array",
    "int16_array",
    "int32_array",
    "int64_array",
    "uint8_array",
    "uint16_array",
    "uint32_array",
    "uint64_array",
    "float8_array",
    "float16_array",
    "bfloat16_array",
    "float32_array",
    "float64_array",
];

/// The specification's name of a type id in lower case; "undefined" past the table.
pub fn name(id: u8) -> &'static str {
    NAMES.get(usize::from(id)).copied().unwrap_or("undefined")
}

/// The type id of this name: the inverse of [`name`].
pub fn by_name(name: &str) -> Option<u8> {
    let position = NAMES.iter().position(|known| *known == name)?;
    u8::try_from(position).ok()
}

/// True for the ids of bool and numbers, which go first in a struct.
pub const fn is_primitive(id: u8) -> bool {
    matches!(id, BOOL..=FLOAT64)
}

/// True for the integer encodings that take fewer bytes for small values.
pub const fn is_compressed(id: u8) -> bool {
    matches!(
        id,
        VARINT32 | VAR_UINT32 | VARINT64 | VAR_UINT64 | TAGGED_INT64 | TAGGED_UINT64
    )
}

/// True for struct types of any registration and mode.
pub const fn is_struct(id: u8) -> bool {
    matches!(id, STRUCT..=NAMED_COMPATIBLE_STRUCT)
}

/// True for union types of any registration.
pub const fn is_union(id: u8) -> bool {
    matches!(id, UNION..=NAMED_UNION)
}

/// True for enum types of any registration.
pub const fn is_enum(id: u8) -> bool {
    matches!(id, ENUM | NAMED_ENUM)
}

/// Width in bytes of the unencoded value of a bool or number; 0 for other types.
pub const fn width_bytes(id: u8) -> usize {
    match id {
        BOOL | INT8 | UINT8 | FLOAT8 => 1,
        INT16 | UINT16 | FLOAT16 | BFLOAT16 => 2,
        INT32 | VARINT32 | UINT32 | VAR_UINT32 | FLOAT32 => 4,
        INT64 | VARINT64 | TAGGED_INT64 | UINT64 | VAR_UINT64 | TAGGED_UINT64 | FLOAT64 => 8,
        _ => 0,
    }
}

/// The element of a dense array type.
pub const fn array_element(id: u8) -> Option<u8> {
    Some(match id {
        BOOL_ARRAY => BOOL,
        INT8_ARRAY => INT8,
        INT16_ARRAY => INT16,
        INT32_ARRAY => INT32,
        INT64_ARRAY => INT64,
        UINT8_ARRAY => UINT8,
        UINT16_ARRAY => UINT16,
        UINT32_ARRAY => UINT32,
        UINT64_ARRAY => UINT64,
        FLOAT16_ARRAY => FLOAT16,
        BFLOAT16_ARRAY => BFLOAT16,
        FLOAT32_ARRAY => FLOAT32,
        FLOAT64_ARRAY => FLOAT64,
        _ => return None,
    })
}

/// `id` with the encoding of an integer taken away: all forms of int32 are INT32, and so on.
pub const fn domain(id: u8) -> u8 {
    match id {
        VARINT32 => INT32,
        VARINT64 | TAGGED_INT64 => INT64,
        VAR_UINT32 => UINT32,
        VAR_UINT64 | TAGGED_UINT64 => UINT64,
        _ => id,
    }
}

/// The id of a type that needs no schema to name it: everything but enums, messages and unions,
/// for which it is [`UNKNOWN`], as for `any`.
pub fn of_type(ty: &Type) -> u8 {
    match ty {
        Type::Bool => BOOL,
        Type::Int {
            bits,
            signed,
            encoding,
        } => integer(*bits, *signed, *encoding),
        Type::Float16 => FLOAT16,
        Type::BFloat16 => BFLOAT16,
        Type::Float32 => FLOAT32,
        Type::Float64 => FLOAT64,
        Type::String => STRING,
        Type::Bytes => BINARY,
        Type::Timestamp => TIMESTAMP,
        Type::Duration => DURATION,
        Type::Date => DATE,
        Type::Decimal => DECIMAL,
        Type::List(_) => LIST,
        Type::Set(_) => SET,
        Type::Map(..) => MAP,
        Type::Array(element) => array_of(of_type(element)),
        Type::Enum(_) | Type::Message(_) | Type::Union(_) | Type::Any => UNKNOWN,
    }
}

fn integer(bits: u8, signed: bool, encoding: IntEncoding) -> u8 {
    use IntEncoding::{Fixed, Tagged, Varint};
    match (bits, signed, encoding) {
        (8, true, _) => INT8,
        (16, true, _) => INT16,
        (32, true, Fixed) => INT32,
        (32, true, _) => VARINT32,
        (_, true, Fixed) => INT64,
        (_, true, Varint) => VARINT64,
        (_, true, Tagged) => TAGGED_INT64,
        (8, false, _) => UINT8,
        (16, false, _) => UINT16,
        (32, false, Fixed) => UINT32,
        (32, false, _) => VAR_UINT32,
        (_, false, Fixed) => UINT64,
        (_, false, Varint) => VAR_UINT64,
        (_, false, Tagged) => TAGGED_UINT64,
    }
}

fn array_of(element: u8) -> u8 {
    let element = domain(element);
    (BOOL_ARRAY..=FLOAT64_ARRAY)
        .find(|id| array_element(*id) == Some(element))
        .unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_inverse() {
        for id in 0..57 {
            assert_eq!(by_name(name(id)), Some(id));
        }
        assert_eq!(name(FLOAT64_ARRAY), "float64_array");
        assert_eq!(name(99), "undefined");
    }

    #[test]
    fn arrays_are_named_after_the_width_of_their_elements() {
        let tagged = Type::int(64, true, IntEncoding::Tagged);
        assert_eq!(of_type(&tagged), TAGGED_INT64);
        assert_eq!(of_type(&Type::Array(Box::new(tagged))), INT64_ARRAY);
        assert_eq!(of_type(&Type::Array(Box::new(Type::String))), UNKNOWN);
    }
}
