//! Single values of the kinds that are neither messages nor groups.

use interop_schema::{ProtoKind, Schema, Type};
use interop_wire::{
    Error as WireError, ErrorKind as WireKind, Reader, unzigzag32, unzigzag64, zigzag32, zigzag64,
};

use super::output::Output;
use super::tag::{self, WireType};
use crate::{Cursor, Error, Part, Value};

/// Reads a value of `kind` into the variant that `ty` holds. `bits` of the wire form that the
/// kind does not have are dropped, as protobuf's "Updating a message type" says. `utf8` tells
/// whether text is checked.
pub(super) fn read(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    kind: ProtoKind,
    ty: &Type,
    utf8: bool,
) -> Result<Value, Error> {
    if WireType::of(kind) == WireType::Len {
        let text = tag::read_delimited(cursor, reader)?;
        return read_text(cursor, &text, kind, utf8);
    }
    let (start, bits) = read_bits(cursor, reader, kind)?;
    let value = from_bits(kind, ty, bits);
    cursor.span(start, reader.offset(), Part::Payload, meaning(kind), || {
        describe(schema, ty, &value)
    });
    Ok(value)
}

/// The raw number of a value of `kind`, with its offset: a varint, or the bytes of a fixed one.
pub(super) fn read_bits(
    cursor: &Cursor<'_>,
    reader: &mut Reader<'_>,
    kind: ProtoKind,
) -> Result<(usize, u64), Error> {
    let start = reader.offset();
    let bits = match WireType::of(kind) {
        WireType::Fixed32 => reader.u32().map(u64::from),
        WireType::Fixed64 => reader.u64(),
        _ => reader.varint(),
    };
    Ok((start, bits.map_err(|error| cursor.wire(error))?))
}

fn read_text(
    cursor: &mut Cursor<'_>,
    text: &Reader<'_>,
    kind: ProtoKind,
    utf8: bool,
) -> Result<Value, Error> {
    let bytes = text.rest();
    let start = text.offset();
    let value = if kind == ProtoKind::Bytes {
        Value::Bytes(bytes.to_vec())
    } else {
        match std::str::from_utf8(bytes) {
            Ok(text) => Value::String(text.to_owned()),
            Err(error) if utf8 => {
                let valid_bytes = error.valid_up_to();
                let offset = start + valid_bytes;
                let kind = WireKind::InvalidUtf8 { valid_bytes };
                return Err(cursor.wire(WireError::new(offset, kind)));
            }
            Err(_) => Value::Bytes(bytes.to_vec()),
        }
    };
    cursor.span(start, text.end(), Part::Payload, meaning(kind), || {
        describe_text(&value)
    });
    Ok(value)
}

/// The value that the raw number of a varint or fixed kind stands for.
pub(super) fn from_bits(kind: ProtoKind, ty: &Type, bits: u64) -> Value {
    use ProtoKind as K;
    let (bits, width) = match kind {
        K::Double => return Value::Float64(f64::from_bits(bits)),
        K::Float => return Value::Float32(f32::from_bits(bits as u32)),
        K::Bool => return Value::Bool(bits != 0),
        K::Enum => return Value::Enum(bits as i32),
        K::SInt32 => (unzigzag32(bits as u32) as u64, 32),
        K::SInt64 => (unzigzag64(bits) as u64, 64),
        K::Int32 | K::UInt32 | K::Fixed32 | K::SFixed32 => (bits, 32),
        _ => (bits, 64),
    };
    // The type, not the kind, says whether the number is signed: Fory options make signed
    // numbers of fixed32 and fixed64.
    match (ty, width) {
        (Type::Int { signed: true, .. }, 32) => Value::Int(i64::from(bits as i32)),
        (Type::Int { signed: true, .. }, _) => Value::Int(bits as i64),
        (_, 32) => Value::UInt(u64::from(bits as u32)),
        _ => Value::UInt(bits),
    }
}

/// The raw number that stands for `value` as a varint or fixed `kind`; `None` when the kind does
/// not hold it.
pub(super) fn to_bits(kind: ProtoKind, value: &Value) -> Option<u64> {
    use ProtoKind as K;
    let int32 = |value: i64| i32::try_from(value).ok();
    let uint32 = |value: u64| u32::try_from(value).ok();
    Some(match (kind, value) {
        (K::Double, Value::Float64(value)) => value.to_bits(),
        (K::Float, Value::Float32(value)) => u64::from(value.to_bits()),
        (K::Bool, Value::Bool(value)) => u64::from(*value),
        // Negative numbers are extended to 64 bits: ten bytes.
        (K::Enum, Value::Enum(value)) => i64::from(*value) as u64,
        (K::Int32, Value::Int(value)) => i64::from(int32(*value)?) as u64,
        (K::SInt32, Value::Int(value)) => u64::from(zigzag32(int32(*value)?)),
        (K::SInt64, Value::Int(value)) => zigzag64(*value),
        (K::Int64, Value::Int(value)) => *value as u64,
        (K::UInt32, Value::UInt(value)) => u64::from(uint32(*value)?),
        (K::UInt64, Value::UInt(value)) => *value,
        (K::Fixed32 | K::SFixed32, Value::Int(value)) => u64::from(int32(*value)? as u32),
        (K::Fixed32 | K::SFixed32, Value::UInt(value)) => u64::from(uint32(*value)?),
        (K::Fixed64 | K::SFixed64, Value::Int(value)) => *value as u64,
        (K::Fixed64 | K::SFixed64, Value::UInt(value)) => *value,
        _ => return None,
    })
}

/// The bytes that `value` is as a string or bytes kind.
pub(super) fn to_bytes(kind: ProtoKind, value: &Value, utf8: bool) -> Option<&[u8]> {
    match (kind, value) {
        (ProtoKind::String, Value::String(text)) => Some(text.as_bytes()),
        (ProtoKind::String, Value::Bytes(bytes)) if !utf8 => Some(bytes),
        (ProtoKind::Bytes, Value::Bytes(bytes)) => Some(bytes),
        _ => None,
    }
}

/// Writes `value` without a tag; false when the kind does not hold it.
pub(super) fn write(out: &mut impl Output, kind: ProtoKind, value: &Value, utf8: bool) -> bool {
    if WireType::of(kind) == WireType::Len {
        let Some(bytes) = to_bytes(kind, value, utf8) else {
            return false;
        };
        out.varint(bytes.len() as u64);
        out.bytes(bytes);
        return true;
    }
    let Some(bits) = to_bits(kind, value) else {
        return false;
    };
    match WireType::of(kind) {
        WireType::Fixed32 => out.fixed32(bits as u32),
        WireType::Fixed64 => out.fixed64(bits),
        _ => out.varint(bits),
    }
    true
}

/// What a span of this kind's payload is called.
pub(super) const fn meaning(kind: ProtoKind) -> &'static str {
    use ProtoKind as K;
    match kind {
        K::Double => "double",
        K::Float => "float",
        K::Int64 => "int64 varint",
        K::UInt64 => "uint64 varint",
        K::Int32 => "int32 varint",
        K::UInt32 => "uint32 varint",
        K::SInt32 => "sint32 zigzag varint",
        K::SInt64 => "sint64 zigzag varint",
        K::Fixed64 => "fixed64",
        K::Fixed32 => "fixed32",
        K::SFixed32 => "sfixed32",
        K::SFixed64 => "sfixed64",
        K::Bool => "bool varint",
        K::Enum => "enum varint",
        K::String => "string",
        K::Bytes => "bytes",
        K::Group => "group",
        K::Message => "message",
    }
}

/// `value` as a span shows it.
pub(super) fn describe(schema: &Schema, ty: &Type, value: &Value) -> String {
    match (ty, value) {
        (Type::Enum(id), Value::Enum(number)) => match schema.enumeration(*id).name_of(*number) {
            Some(name) => format!("{name} ({number})"),
            None => format!("{number}, not listed"),
        },
        (_, Value::Bool(value)) => value.to_string(),
        (_, Value::Int(value)) => value.to_string(),
        (_, Value::UInt(value)) => value.to_string(),
        (_, Value::Float32(value)) => format!("{value:?}"),
        (_, Value::Float64(value)) => format!("{value:?}"),
        _ => describe_text(value),
    }
}

/// Text and bytes longer than this many characters or bytes are cut in spans.
const SHOWN: usize = 64;

pub(super) fn describe_bytes(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN)];
    let mut text: String = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    if shown.len() < bytes.len() {
        text.push_str("...");
    }
    text
}

fn describe_text(value: &Value) -> String {
    match value {
        Value::String(text) => match text.char_indices().nth(SHOWN) {
            Some((cut, _)) => format!("{:?}...", &text[..cut]),
            None => format!("{text:?}"),
        },
        Value::Bytes(bytes) => describe_bytes(bytes),
        other => other.kind().to_owned(),
    }
}

/// A map key as a path shows it.
pub(super) fn key_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        other => describe_text(other),
    }
}

#[cfg(test)]
mod tests {
    use super::super::output::Length;
    use super::*;
    use interop_schema::IntEncoding::{Fixed, Varint};

    #[test]
    fn bits_beyond_the_width_are_dropped_but_not_for_bool() {
        let int32 = Type::int(32, true, Varint);
        let uint32 = Type::int(32, false, Varint);
        assert_eq!(
            from_bits(ProtoKind::Int32, &int32, 0xffff_ffff),
            Value::Int(-1)
        );
        assert_eq!(
            from_bits(ProtoKind::UInt32, &uint32, 0x3_0000_0005),
            Value::UInt(5)
        );
        assert_eq!(
            from_bits(ProtoKind::SInt32, &int32, 0x1_0000_0001),
            Value::Int(-1)
        );
        assert_eq!(
            from_bits(ProtoKind::Bool, &Type::Bool, 1 << 40),
            Value::Bool(true)
        );
    }

    #[test]
    fn negative_numbers_take_ten_bytes() {
        let len = |kind, value| {
            let mut out = Length::default();
            write(&mut out, kind, &value, true).then_some(out.bytes)
        };
        assert_eq!(len(ProtoKind::Int32, Value::Int(-1)), Some(10));
        assert_eq!(len(ProtoKind::Enum, Value::Enum(-1)), Some(10));
        assert_eq!(len(ProtoKind::SInt32, Value::Int(-1)), Some(1));
    }

    #[test]
    fn a_signed_type_over_fixed32_keeps_the_bits() {
        let ty = Type::int(32, true, Fixed);
        assert_eq!(
            from_bits(ProtoKind::Fixed32, &ty, 0xffff_fffe),
            Value::Int(-2)
        );
        assert_eq!(
            to_bits(ProtoKind::Fixed32, &Value::Int(-2)),
            Some(0xffff_fffe)
        );
    }

    #[test]
    fn values_out_of_range_have_no_form() {
        assert_eq!(to_bits(ProtoKind::Int32, &Value::Int(1 << 31)), None);
        assert_eq!(to_bits(ProtoKind::UInt32, &Value::UInt(1 << 32)), None);
        assert_eq!(to_bits(ProtoKind::UInt32, &Value::Int(1)), None);
        assert_eq!(
            to_bytes(ProtoKind::String, &Value::Bytes(vec![0xff]), true),
            None
        );
    }
}
