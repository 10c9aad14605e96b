//! Numbers and what is made of them: ranges, exactness, and the types that FDL adds.

use interop_schema::EnumId;
use interop_wire::Reader;
use num_bigint::BigInt;

use super::decode::{Decoder, Token};
use super::float;
use super::head::{Head, TIMESTAMP};
use crate::{Cursor, Error, Part, Value};

type Result<T> = std::result::Result<T, Error>;

impl Decoder<'_, '_> {
    pub(super) fn enumeration(
        &mut self,
        cursor: &mut Cursor<'_>,
        token: Token,
        id: EnumId,
    ) -> Result<Value> {
        let number = self.signed(cursor, token, 32)? as i32;
        let definition = self.schema.enumeration(id);
        if definition.closed && definition.name_of(number).is_none() {
            let text = format!("{} has no value {number}", definition.full_name);
            return Err(cursor.mismatch(token.start, text));
        }
        Ok(self.scalar(cursor, token, Value::Enum(number)))
    }

    pub(super) fn signed(&self, cursor: &Cursor<'_>, token: Token, bits: u8) -> Result<i64> {
        let value = match token.head {
            Head::Int(value) => Some(value),
            Head::UInt(value) => i64::try_from(value).ok(),
            _ => return Err(self.unexpected(cursor, token, "an int")),
        };
        let unused = 64 - u32::from(bits);
        let value = value.filter(|value| value << unused >> unused == *value);
        value.ok_or_else(|| {
            let text = format!("the int is out of range for int{bits}");
            cursor.mismatch(token.start, text)
        })
    }

    pub(super) fn unsigned(&self, cursor: &Cursor<'_>, token: Token, bits: u8) -> Result<u64> {
        let value = match token.head {
            Head::Int(_) => None,
            Head::UInt(value) => Some(value),
            _ => return Err(self.unexpected(cursor, token, "an int")),
        };
        let value = value.filter(|value| *value <= u64::MAX >> (64 - u32::from(bits)));
        value.ok_or_else(|| {
            let text = format!("the int is out of range for uint{bits}");
            cursor.mismatch(token.start, text)
        })
    }

    pub(super) fn float32(&self, cursor: &Cursor<'_>, token: Token) -> Result<f32> {
        let narrow = match token.head {
            Head::Float32(value) => Some(value),
            // Languages without a float of 32 bits send 12.345 as the nearest double: the float
            // nearest to that is the one meant, as typed readers take it.
            Head::Float64(value) => float::round_float64(value),
            Head::Int(value) => Some(value as f32).filter(|f| *f as i128 == value.into()),
            Head::UInt(value) => Some(value as f32).filter(|f| *f as i128 == value.into()),
            _ => return Err(self.unexpected(cursor, token, "a float")),
        };
        narrow.ok_or_else(|| self.inexact(cursor, token, "float"))
    }

    pub(super) fn float64(&self, cursor: &Cursor<'_>, token: Token) -> Result<f64> {
        let exact = match token.head {
            Head::Float32(value) => Some(float::widen_float32(value)),
            Head::Float64(value) => Some(value),
            Head::Int(value) => Some(value as f64).filter(|f| *f as i128 == value.into()),
            Head::UInt(value) => Some(value as f64).filter(|f| *f as i128 == value.into()),
            _ => return Err(self.unexpected(cursor, token, "a float")),
        };
        exact.ok_or_else(|| self.inexact(cursor, token, "double"))
    }

    pub(super) fn inexact(&self, cursor: &Cursor<'_>, token: Token, ty: &str) -> Error {
        let text = format!("a {ty} can't hold this {} exactly", token.head.family());
        cursor.mismatch(token.start, text)
    }

    /// The one extension that is understood: a timestamp of 4, 8 or 12 bytes.
    pub(super) fn extension(
        &mut self,
        cursor: &mut Cursor<'_>,
        token: Token,
        len: u32,
        kind: i8,
    ) -> Result<Value> {
        if kind != TIMESTAMP {
            let text = format!("extension type {kind} has no meaning here");
            return Err(cursor.mismatch(token.start, text));
        }
        let fixed = |reader: &mut Reader<'_>| {
            Ok(match len {
                4 => (i64::from(u32::from_be_bytes(reader.array()?)), 0),
                8 => {
                    let word = u64::from_be_bytes(reader.array()?);
                    ((word & ((1 << 34) - 1)) as i64, (word >> 34) as u32)
                }
                12 => {
                    let nanos = u32::from_be_bytes(reader.array()?);
                    (i64::from_be_bytes(reader.array()?), nanos)
                }
                _ => {
                    let text = format!("a timestamp has 4, 8 or 12 bytes, not {len}");
                    return Err(interop_wire::Error::malformed(token.start, text));
                }
            })
        };
        let (seconds, nanos) = fixed(&mut self.reader).map_err(|e| cursor.wire(e))?;
        self.check_nanos(cursor, token.start, nanos.into())?;
        self.frame(cursor, token, "timestamp extension header", || {
            format!("{len} bytes")
        });
        let end = self.reader.offset();
        cursor.span(token.end, end, Part::Payload, "timestamp", || {
            format!("{seconds} s {nanos} ns")
        });
        Ok(Value::Timestamp { seconds, nanos })
    }

    pub(super) fn check_nanos(
        &self,
        cursor: &Cursor<'_>,
        offset: usize,
        nanos: u64,
    ) -> Result<u32> {
        if nanos >= 1_000_000_000 {
            let text = format!("{nanos} nanoseconds are a second or more");
            return Err(cursor.malformed(offset, text));
        }
        Ok(nanos as u32)
    }

    pub(super) fn fixed_map(
        &mut self,
        cursor: &mut Cursor<'_>,
        token: Token,
        count: u32,
    ) -> Result<()> {
        if token.head != Head::Map(count) {
            let wanted = format!("a map of {count}");
            return Err(self.unexpected(cursor, token, &wanted));
        }
        self.frame(cursor, token, "map header", || format!("{count} entries"));
        Ok(())
    }

    pub(super) fn fixed_key(&mut self, cursor: &mut Cursor<'_>, wanted: &str) -> Result<Token> {
        let (start, name) = self.key_text(cursor)?;
        if name != wanted {
            return Err(cursor.mismatch(start, format!("expected key {wanted}")));
        }
        self.token(cursor)
    }

    pub(super) fn duration(&mut self, cursor: &mut Cursor<'_>, token: Token) -> Result<Value> {
        self.fixed_map(cursor, token, 2)?;
        let inner = self.fixed_key(cursor, "seconds")?;
        let seconds = self.signed(cursor, inner, 64)?;
        self.scalar(cursor, inner, Value::Int(seconds));
        let inner = self.fixed_key(cursor, "nanos")?;
        let nanos = self.unsigned(cursor, inner, 32)?;
        let nanos = self.check_nanos(cursor, inner.start, nanos)?;
        self.scalar(cursor, inner, Value::UInt(nanos.into()));
        Ok(Value::Duration { seconds, nanos })
    }

    pub(super) fn decimal(&mut self, cursor: &mut Cursor<'_>, token: Token) -> Result<Value> {
        // Parsing decimal digits takes time that grows with their square.
        const DIGITS_MAX: u32 = 4096;
        self.fixed_map(cursor, token, 2)?;
        let inner = self.fixed_key(cursor, "unscaled")?;
        let digits = match inner.head {
            Head::Str(len) if len <= DIGITS_MAX => self.text(cursor, inner, len)?,
            _ => return Err(self.unexpected(cursor, inner, "a str of at most 4096 digits")),
        };
        let unscaled = match &digits {
            Value::String(text) => text.parse::<BigInt>().ok(),
            _ => None,
        };
        // Only the form that a writer makes: no plus sign, leading zeros or separators.
        let canonical = unscaled.filter(|n| Value::String(n.to_string()) == digits);
        let unscaled = canonical
            .ok_or_else(|| cursor.malformed(inner.start, "not an integer in decimal digits"))?;
        let inner = self.fixed_key(cursor, "scale")?;
        let scale = self.signed(cursor, inner, 32)? as i32;
        self.scalar(cursor, inner, Value::Int(scale.into()));
        Ok(Value::Decimal { unscaled, scale })
    }
}
