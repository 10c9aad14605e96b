//! Bools and numbers (section "Basic types"), and dense arrays of them.

use interop_schema::fory::type_id as id;
use interop_wire::{
    Error as WireError, Reader, Writer, unzigzag32, unzigzag64, zigzag32, zigzag64,
};

use crate::{Cursor, Error, Part, Value};

/// Writes a bool or number of the wire type `type_id`.
///
/// # Errors
/// A sentence, when the value is of another kind or out of range.
pub(super) fn write(out: &mut Writer, type_id: u8, value: &Value) -> Result<(), String> {
    match (type_id, value) {
        (id::BOOL, Value::Bool(value)) => out.u8(u8::from(*value)),
        (id::FLOAT16, Value::Float16(bits)) | (id::BFLOAT16, Value::BFloat16(bits)) => {
            out.u16(*bits);
        }
        (id::FLOAT32, Value::Float32(value)) => out.u32(value.to_bits()),
        (id::FLOAT64, Value::Float64(value)) => out.u64(value.to_bits()),
        (_, Value::Int(value)) => return write_signed(out, type_id, *value),
        (_, Value::UInt(value)) => return write_unsigned(out, type_id, *value),
        (_, value) => {
            let name = id::name(type_id);
            return Err(format!("a {} has no form as {name}", value.kind()));
        }
    }
    Ok(())
}

fn out_of_range(type_id: u8, value: impl std::fmt::Display) -> String {
    format!("{value} is out of range for {}", id::name(type_id))
}

fn write_signed(out: &mut Writer, type_id: u8, value: i64) -> Result<(), String> {
    let narrow = || i32::try_from(value).map_err(|_| out_of_range(type_id, value));
    match type_id {
        id::INT8 => match i8::try_from(value) {
            Ok(value) => out.u8(value.cast_unsigned()),
            Err(_) => return Err(out_of_range(type_id, value)),
        },
        id::INT16 => match i16::try_from(value) {
            Ok(value) => out.u16(value.cast_unsigned()),
            Err(_) => return Err(out_of_range(type_id, value)),
        },
        id::INT32 => out.u32(narrow()?.cast_unsigned()),
        id::VARINT32 => out.varint(u64::from(zigzag32(narrow()?))),
        id::INT64 => out.u64(value.cast_unsigned()),
        id::VARINT64 => out.fory_varint64(zigzag64(value)),
        id::TAGGED_INT64 if (-(1 << 30)..1 << 30).contains(&value) => {
            out.u32((value as i32).cast_unsigned() << 1);
        }
        id::TAGGED_INT64 => {
            out.u8(1);
            out.u64(value.cast_unsigned());
        }
        _ => {
            return Err(format!(
                "a signed integer has no form as {}",
                id::name(type_id)
            ));
        }
    }
    Ok(())
}

fn write_unsigned(out: &mut Writer, type_id: u8, value: u64) -> Result<(), String> {
    let narrow = || u32::try_from(value).map_err(|_| out_of_range(type_id, value));
    match type_id {
        id::UINT8 => match u8::try_from(value) {
            Ok(value) => out.u8(value),
            Err(_) => return Err(out_of_range(type_id, value)),
        },
        id::UINT16 => match u16::try_from(value) {
            Ok(value) => out.u16(value),
            Err(_) => return Err(out_of_range(type_id, value)),
        },
        id::UINT32 => out.u32(narrow()?),
        id::VAR_UINT32 => out.varint(u64::from(narrow()?)),
        id::UINT64 => out.u64(value),
        id::VAR_UINT64 => out.fory_varint64(value),
        id::TAGGED_UINT64 if value < 1 << 31 => out.u32((value as u32) << 1),
        id::TAGGED_UINT64 => {
            out.u8(1);
            out.u64(value);
        }
        _ => {
            return Err(format!(
                "an unsigned integer has no form as {}",
                id::name(type_id)
            ));
        }
    }
    Ok(())
}

/// Reads a bool or number of the wire type `type_id`.
pub(super) fn read(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    type_id: u8,
) -> Result<Value, Error> {
    let start = reader.offset();
    let value = read_raw(reader, type_id).map_err(|e| cursor.wire(e))?;
    cursor.span(
        start,
        reader.offset(),
        Part::Payload,
        id::name(type_id),
        || text(&value),
    );
    Ok(value)
}

/// A bool or number as text for spans.
fn text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Float16(bits) | Value::BFloat16(bits) => format!("bits {bits:#06x}"),
        Value::Float32(value) => format!("{value:?}"),
        Value::Float64(value) => format!("{value:?}"),
        other => other.kind().to_owned(),
    }
}

fn read_raw(reader: &mut Reader<'_>, type_id: u8) -> Result<Value, WireError> {
    let start = reader.offset();
    Ok(match type_id {
        id::BOOL => Value::Bool(match reader.u8()? {
            0 => false,
            1 => true,
            other => {
                let text = format!("a bool is 0 or 1, not {other}");
                return Err(WireError::malformed(start, text));
            }
        }),
        id::INT8 => Value::Int(i64::from(reader.u8()?.cast_signed())),
        id::INT16 => Value::Int(i64::from(reader.u16()?.cast_signed())),
        id::INT32 => Value::Int(i64::from(reader.u32()?.cast_signed())),
        id::VARINT32 => Value::Int(i64::from(unzigzag32(reader.varint32()?))),
        id::INT64 => Value::Int(reader.u64()?.cast_signed()),
        id::VARINT64 => Value::Int(unzigzag64(reader.fory_varint64()?)),
        id::TAGGED_INT64 => match tagged(reader)? {
            Tagged::Short(bits) => Value::Int(i64::from(bits.cast_signed() >> 1)),
            Tagged::Long(bits) => Value::Int(bits.cast_signed()),
        },
        id::UINT8 => Value::UInt(u64::from(reader.u8()?)),
        id::UINT16 => Value::UInt(u64::from(reader.u16()?)),
        id::UINT32 => Value::UInt(u64::from(reader.u32()?)),
        id::VAR_UINT32 => Value::UInt(u64::from(reader.varint32()?)),
        id::UINT64 => Value::UInt(reader.u64()?),
        id::VAR_UINT64 => Value::UInt(reader.fory_varint64()?),
        id::TAGGED_UINT64 => match tagged(reader)? {
            Tagged::Short(bits) => Value::UInt(u64::from(bits >> 1)),
            Tagged::Long(bits) => Value::UInt(bits),
        },
        id::FLOAT16 => Value::Float16(reader.u16()?),
        id::BFLOAT16 => Value::BFloat16(reader.u16()?),
        id::FLOAT32 => Value::Float32(f32::from_bits(reader.u32()?)),
        id::FLOAT64 => Value::Float64(f64::from_bits(reader.u64()?)),
        other => {
            let text = format!("type {other} ({}) can't be read", id::name(other));
            return Err(WireError::malformed(start, text));
        }
    })
}

enum Tagged {
    Short(u32),
    Long(u64),
}

/// Bit 0 of the first byte tells the two forms apart; in the long one the rest of it is zero.
fn tagged(reader: &mut Reader<'_>) -> Result<Tagged, WireError> {
    let start = reader.offset();
    match reader.peek() {
        Some(first) if first & 1 == 1 => {
            reader.u8()?;
            if first != 1 {
                let text = format!("flag byte of a tagged integer is 1, not {first}");
                return Err(WireError::malformed(start, text));
            }
            Ok(Tagged::Long(reader.u64()?))
        }
        _ => Ok(Tagged::Short(reader.u32()?)),
    }
}

/// Writes a dense array: its size in bytes, then the elements in full width.
///
/// # Errors
/// As [`write`].
pub(super) fn write_array(out: &mut Writer, element: u8, values: &[Value]) -> Result<(), String> {
    let size = values.len() as u64 * id::width_bytes(element) as u64;
    out.varint(size);
    values
        .iter()
        .try_for_each(|value| write(out, element, value))
}

/// Reads a dense array.
pub(super) fn read_array(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    element: u8,
) -> Result<Vec<Value>, Error> {
    let start = reader.offset();
    let size = reader.varint32().map_err(|e| cursor.wire(e))?;
    cursor.span(start, reader.offset(), Part::Framing, "array size", || {
        format!("{size} bytes")
    });
    let width = id::width_bytes(element) as u32;
    if size % width != 0 {
        let text = format!("array size {size} is no multiple of the element's {width} bytes");
        return Err(cursor.malformed(start, text));
    }
    cursor.check_count(reader, start, u64::from(size), 1)?;
    let count = (size / width) as usize;
    cursor.charge_values(start, count)?;
    let at = reader.offset();
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        values.push(read_raw(reader, element).map_err(|e| cursor.wire(e))?);
    }
    cursor.span(at, reader.offset(), Part::Payload, "array", || {
        let shown: Vec<_> = values.iter().take(16).map(text).collect();
        let more = if count > 16 { ", ..." } else { "" };
        format!(
            "{count} x {}: {}{more}",
            id::name(element),
            shown.join(", ")
        )
    });
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(type_id: u8, value: Value) -> Vec<u8> {
        let mut out = Writer::new();
        write(&mut out, type_id, &value).unwrap();
        let back = read_raw(&mut Reader::new(out.as_slice()), type_id).unwrap();
        assert_eq!(back, value);
        out.into_vec()
    }

    #[test]
    fn tagged_integers_at_their_edges() {
        let signed = |value| bytes(id::TAGGED_INT64, Value::Int(value)).len();
        assert_eq!(signed((1 << 30) - 1), 4);
        assert_eq!(signed(1 << 30), 9);
        assert_eq!(signed(-(1 << 30)), 4);
        assert_eq!(signed(-(1 << 30) - 1), 9);
        assert_eq!(signed(i64::MIN), 9);
        let unsigned = |value| bytes(id::TAGGED_UINT64, Value::UInt(value));
        assert_eq!(unsigned((1 << 31) - 1), [0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(unsigned(1 << 31).len(), 9);
        assert_eq!(unsigned(u64::MAX).len(), 9);
        assert!(read_raw(&mut Reader::new(&[3; 9]), id::TAGGED_INT64).is_err());
    }

    #[test]
    fn varints_at_their_edges() {
        for value in [0, -1, i64::from(i32::MIN), i64::from(i32::MAX)] {
            bytes(id::VARINT32, Value::Int(value));
            bytes(id::INT32, Value::Int(value));
        }
        for value in [i64::MIN, -(1 << 52) - 1, i64::MAX] {
            bytes(id::VARINT64, Value::Int(value));
        }
        assert_eq!(bytes(id::VAR_UINT64, Value::UInt(u64::MAX)).len(), 9);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let mut out = Writer::new();
        for (type_id, value) in [
            (id::INT8, Value::Int(128)),
            (id::INT16, Value::Int(-32769)),
            (id::VARINT32, Value::Int(1 << 31)),
            (id::UINT8, Value::UInt(256)),
            (id::VAR_UINT32, Value::UInt(1 << 32)),
            (id::VARINT32, Value::UInt(1)),
            (id::BOOL, Value::Int(1)),
        ] {
            assert!(write(&mut out, type_id, &value).is_err(), "{type_id}");
        }
        assert!(read_raw(&mut Reader::new(&[2]), id::BOOL).is_err());
    }
}
