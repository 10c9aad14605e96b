//! Timestamps, durations, dates and decimals (sections "timestamp", "duration", "date",
//! "decimal"), and protobuf's message forms of the first two.

use interop_schema::fory::type_id as id;
use interop_schema::{MessageId, Schema, WellKnown};
use interop_wire::{Reader, Writer, unzigzag32, unzigzag64, zigzag32, zigzag64};
use num_bigint::{BigInt, BigUint, Sign};

use crate::{Cursor, DynamicMessage, Error, Part, Value};

const NANOS_PER_SECOND: u32 = 1_000_000_000;
const SCALE_MAX: i32 = 10_000;
const MAGNITUDE_BYTES_MAX: u64 = 10_000;

/// Writes a timestamp, duration, date or decimal.
///
/// # Errors
/// A sentence, when the value is of another kind or breaks a bound.
pub(super) fn write(out: &mut Writer, type_id: u8, value: &Value) -> Result<(), String> {
    let check = |nanos: u32| {
        let text = || format!("{nanos} nanoseconds are not below a second");
        (nanos < NANOS_PER_SECOND).then_some(nanos).ok_or_else(text)
    };
    match (type_id, value) {
        (id::TIMESTAMP, Value::Timestamp { seconds, nanos }) => {
            out.u64(seconds.cast_unsigned());
            out.u32(check(*nanos)?);
        }
        (id::DURATION, Value::Duration { seconds, nanos }) => {
            out.fory_varint64(zigzag64(*seconds));
            out.u32(check(*nanos)?);
        }
        (id::DATE, Value::Date(days)) => out.fory_varint64(zigzag64(*days)),
        (id::DECIMAL, Value::Decimal { unscaled, scale }) => {
            return write_decimal(out, unscaled, *scale);
        }
        (_, value) => {
            let name = id::name(type_id);
            return Err(format!("a {} has no form as {name}", value.kind()));
        }
    }
    Ok(())
}

fn write_decimal(out: &mut Writer, unscaled: &BigInt, scale: i32) -> Result<(), String> {
    if scale.unsigned_abs() > SCALE_MAX.unsigned_abs() {
        return Err(format!("decimal scale {scale} is beyond {SCALE_MAX}"));
    }
    let small = i64::try_from(unscaled).ok().map(zigzag64);
    if let Some(small) = small.filter(|bits| bits >> 63 == 0) {
        out.varint(u64::from(zigzag32(scale)));
        out.fory_varint64(small << 1);
        return Ok(());
    }
    let (sign, magnitude) = (unscaled.sign(), unscaled.magnitude().to_bytes_le());
    let len = magnitude.len() as u64;
    if len > MAGNITUDE_BYTES_MAX {
        return Err(format!(
            "decimal of {len} bytes is beyond {MAGNITUDE_BYTES_MAX}"
        ));
    }
    out.varint(u64::from(zigzag32(scale)));
    let meta = len << 1 | u64::from(sign == Sign::Minus);
    out.fory_varint64(meta << 1 | 1);
    out.bytes(&magnitude);
    Ok(())
}

/// Reads a timestamp, duration, date or decimal.
pub(super) fn read(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    type_id: u8,
) -> Result<Value, Error> {
    let start = reader.offset();
    let value = match type_id {
        id::TIMESTAMP => Value::Timestamp {
            seconds: reader.u64().map_err(|e| cursor.wire(e))?.cast_signed(),
            nanos: read_nanos(reader, cursor)?,
        },
        id::DURATION => {
            let seconds = reader.fory_varint64().map_err(|e| cursor.wire(e))?;
            Value::Duration {
                seconds: unzigzag64(seconds),
                nanos: read_nanos(reader, cursor)?,
            }
        }
        id::DATE => Value::Date(unzigzag64(
            reader.fory_varint64().map_err(|e| cursor.wire(e))?,
        )),
        _ => return read_decimal(reader, cursor),
    };
    cursor.span(
        start,
        reader.offset(),
        Part::Payload,
        id::name(type_id),
        || match &value {
            Value::Date(days) => format!("day {days}"),
            Value::Timestamp { seconds, nanos } | Value::Duration { seconds, nanos } => {
                format!("{seconds} s and {nanos} ns")
            }
            other => other.kind().to_owned(),
        },
    );
    Ok(value)
}

fn read_nanos(reader: &mut Reader<'_>, cursor: &Cursor<'_>) -> Result<u32, Error> {
    let at = reader.offset();
    let nanos = reader.u32().map_err(|e| cursor.wire(e))?;
    if nanos >= NANOS_PER_SECOND {
        let nanos = nanos.cast_signed();
        return Err(cursor.malformed(at, format!("{nanos} nanoseconds are not in [0, 10^9)")));
    }
    Ok(nanos)
}

fn read_decimal(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>) -> Result<Value, Error> {
    let start = reader.offset();
    let scale = unzigzag32(reader.varint32().map_err(|e| cursor.wire(e))?);
    if scale.unsigned_abs() > SCALE_MAX.unsigned_abs() {
        let text = format!("decimal scale {scale} is beyond {SCALE_MAX}");
        return Err(cursor.malformed(start, text));
    }
    let at = reader.offset();
    let header = reader.fory_varint64().map_err(|e| cursor.wire(e))?;
    let unscaled = if header & 1 == 0 {
        BigInt::from(unzigzag64(header >> 1))
    } else {
        let (negative, len) = (header >> 1 & 1 == 1, header >> 2);
        if len == 0 || len > MAGNITUDE_BYTES_MAX {
            let text = format!("decimal of {len} bytes; 1 to {MAGNITUDE_BYTES_MAX} are allowed");
            return Err(cursor.malformed(at, text));
        }
        let bytes = reader.take(len).map_err(|e| cursor.wire(e))?;
        cursor.charge(at, bytes.len(), 1)?;
        if bytes.last() == Some(&0) {
            return Err(cursor.malformed(at, "decimal has a leading zero byte"));
        }
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        let unscaled = BigInt::from_biguint(sign, BigUint::from_bytes_le(bytes));
        let small = i64::try_from(&unscaled).ok().map(zigzag64);
        if small.is_some_and(|bits| bits >> 63 == 0) {
            return Err(cursor.malformed(at, "small decimal in the form of large ones"));
        }
        unscaled
    };
    cursor.span(start, reader.offset(), Part::Payload, "decimal", || {
        format!("{unscaled} x 10^{}", -scale)
    });
    Ok(Value::Decimal { unscaled, scale })
}

/// Turns protobuf's Timestamp or Duration message into Fory's value.
///
/// # Errors
/// A sentence, when seconds and nanoseconds are out of protobuf's bounds.
pub(super) fn from_message(schema: &Schema, message: &DynamicMessage) -> Result<Value, String> {
    let part = |number| {
        let index = schema.message(message.id).field_by_number(number);
        match index.and_then(|index| message.get(index)) {
            Some(Value::Int(value)) => *value,
            _ => 0,
        }
    };
    let (mut seconds, mut nanos) = (part(1), part(2));
    let second = i64::from(NANOS_PER_SECOND);
    if schema.message(message.id).well_known == Some(WellKnown::Duration) {
        if nanos.abs() >= second || (seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0) {
            return Err(format!(
                "duration of {seconds} s and {nanos} ns is not normal"
            ));
        }
        if nanos < 0 {
            seconds -= 1;
            nanos += second;
        }
    }
    let in_range = u32::try_from(nanos).ok().filter(|n| *n < NANOS_PER_SECOND);
    let nanos = in_range.ok_or_else(|| format!("{nanos} nanoseconds are not in [0, 10^9)"))?;
    Ok(match schema.message(message.id).well_known {
        Some(WellKnown::Duration) => Value::Duration { seconds, nanos },
        _ => Value::Timestamp { seconds, nanos },
    })
}

/// The inverse of [`from_message`]; a value of another kind becomes an empty message.
pub(super) fn to_message(schema: &Schema, id: MessageId, value: &Value) -> Value {
    let (seconds, nanos) = match value {
        Value::Timestamp { seconds, nanos } => (*seconds, i64::from(*nanos)),
        // protobuf gives both parts the same sign.
        Value::Duration { seconds, nanos } if *seconds < 0 && *nanos > 0 => {
            (seconds + 1, i64::from(*nanos) - i64::from(NANOS_PER_SECOND))
        }
        Value::Duration { seconds, nanos } => (*seconds, i64::from(*nanos)),
        _ => (0, 0),
    };
    let mut message = DynamicMessage::new(schema, id);
    for (number, part) in [(1, seconds), (2, nanos)] {
        if let Some(index) = schema.message(id).field_by_number(number) {
            message.set(schema, index, Value::Int(part));
        }
    }
    Value::Message(Box::new(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeOptions;
    use interop_schema::proto::compile_text;

    fn read_all(type_id: u8, bytes: &[u8]) -> Result<Value, Error> {
        let mut cursor = Cursor::new(DecodeOptions::default(), bytes.len())?;
        read(&mut Reader::new(bytes), &mut cursor, type_id)
    }

    fn round_trip(type_id: u8, value: &Value) -> Vec<u8> {
        let mut out = Writer::new();
        write(&mut out, type_id, value).unwrap();
        assert_eq!(read_all(type_id, out.as_slice()).unwrap(), *value);
        out.into_vec()
    }

    fn decimal(unscaled: &str, scale: i32) -> Value {
        Value::Decimal {
            unscaled: unscaled.parse().unwrap(),
            scale,
        }
    }

    #[test]
    fn decimals_on_both_sides_of_the_small_form() {
        assert_eq!(round_trip(id::DECIMAL, &decimal("0", 0)), [0, 0]);
        assert_eq!(round_trip(id::DECIMAL, &decimal("-1", 2)), [4, 2]);
        let small_max = (1i64 << 62) - 1;
        let len = |text: String| round_trip(id::DECIMAL, &decimal(&text, 0)).len();
        assert_eq!(len(small_max.to_string()), 10);
        assert_eq!(len((small_max + 1).to_string()), 10);
        assert_eq!(len((-(1i64 << 62)).to_string()), 10);
        assert_eq!(len((-(1i64 << 62) - 1).to_string()), 10);
        round_trip(id::DECIMAL, &decimal(&"9".repeat(300), -10_000));
    }

    #[test]
    fn decimals_that_are_not_canonical_are_refused() {
        for bytes in [
            &[0, 0x01][..],                     // no magnitude
            &[0, 0x05, 0x07],                   // small value in the large form
            &[0, 0x09, 0x07, 0x00],             // leading zero
            &[0xa2, 0x9c, 0x01, 0x02],          // scale 10001
            &[0, 0xfd, 0xff, 0xff, 0xff, 0x0f], // huge length
        ] {
            assert!(read_all(id::DECIMAL, bytes).is_err(), "{bytes:?}");
        }
        let mut out = Writer::new();
        assert!(write(&mut out, id::DECIMAL, &decimal("1", 10_001)).is_err());
    }

    #[test]
    fn nanoseconds_stay_below_a_second() {
        let value = Value::Duration {
            seconds: -1,
            nanos: 500_000_000,
        };
        assert_eq!(round_trip(id::DURATION, &value), [1, 0, 0x65, 0xcd, 0x1d]);
        assert!(read_all(id::DURATION, &[0, 0, 0xca, 0x9a, 0x3b]).is_err());
        assert!(read_all(id::DURATION, &[0, 0xff, 0xff, 0xff, 0xff]).is_err());
    }

    #[test]
    fn negative_durations_of_protobuf_borrow_a_second() {
        let schema = compile_text(
            "syntax = \"proto3\"; import \"google/protobuf/duration.proto\";
             message M { google.protobuf.Duration d = 1; }",
        )
        .unwrap();
        let id = schema.message_by_name("google.protobuf.Duration").unwrap();
        for (seconds, nanos, fory) in [(0, -1, (-1, 999_999_999)), (-2, -5, (-3, 999_999_995))] {
            let mut message = DynamicMessage::new(&schema, id);
            message.set(&schema, 0, Value::Int(seconds));
            message.set(&schema, 1, Value::Int(nanos));
            let value = from_message(&schema, &message).unwrap();
            let expected = Value::Duration {
                seconds: fory.0,
                nanos: fory.1,
            };
            assert_eq!(value, expected);
            let back = to_message(&schema, id, &value);
            assert_eq!(back, Value::Message(Box::new(message)));
        }
    }
}
