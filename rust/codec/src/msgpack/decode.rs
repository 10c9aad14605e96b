use std::collections::HashSet;

use interop_schema::{EnumId, MessageId, Presence, Schema, Slot, Type};
use interop_wire::{ErrorKind, Reader};
use num_bigint::BigInt;

use super::head::{Head, TIMESTAMP};
use super::{float, key};
use crate::{Cursor, DynamicMessage, Error, Part, Segment, Value};

type Result<T> = std::result::Result<T, Error>;

/// A head, where it starts and where it ends.
#[derive(Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    head: Head,
}

/// Reads values of one schema.
pub(super) struct Decoder<'s, 'a> {
    schema: &'s Schema,
    reader: Reader<'a>,
}

impl<'s, 'a> Decoder<'s, 'a> {
    pub(super) fn new(schema: &'s Schema, bytes: &'a [u8]) -> Self {
        Self {
            schema,
            reader: Reader::new(bytes),
        }
    }

    /// Refuses bytes behind the value.
    pub(super) fn finish(self, cursor: &Cursor<'_>) -> Result<()> {
        match self.reader.remaining() {
            0 => Ok(()),
            count => {
                let kind = ErrorKind::TrailingBytes { count };
                let error = interop_wire::Error::new(self.reader.offset(), kind);
                Err(cursor.wire(error))
            }
        }
    }

    pub(super) fn message(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
    ) -> Result<DynamicMessage> {
        let token = self.token(cursor)?;
        self.message_after(cursor, token, id)
    }

    fn message_after(
        &mut self,
        cursor: &mut Cursor<'_>,
        token: Token,
        id: MessageId,
    ) -> Result<DynamicMessage> {
        let schema = self.schema;
        let definition = schema.message(id);
        let Head::Map(count) = token.head else {
            return Err(self.unexpected(cursor, token, "a map"));
        };
        self.frame(cursor, token, "map header", || format!("{count} entries"));
        let size = DynamicMessage::size_in_memory(schema, id) + definition.fields.len();
        cursor.charge(token.start, 1, size)?;
        let mut message = DynamicMessage::new(schema, id);
        let mut seen = vec![false; definition.fields.len()];
        cursor.nested(token.start, |cursor| {
            for _ in 0..count {
                let (start, name) = self.key_text(cursor)?;
                let known = definition.field_by_name(&name);
                let index = known.filter(|&index| key(&definition.fields[index]) == name);
                let Some(index) = index else {
                    let name: String = name.chars().take(80).collect();
                    let text = format!("{} has no field {name:?}", definition.full_name);
                    return Err(cursor.mismatch(start, text));
                };
                cursor.at(
                    || Segment::Field(name),
                    |cursor| {
                        if std::mem::replace(&mut seen[index], true) {
                            return Err(cursor.mismatch(start, "the key occurs twice"));
                        }
                        self.field(cursor, &mut message, index)
                    },
                )?;
            }
            Ok(())
        })?;
        for (index, field) in definition.fields.iter().enumerate() {
            if field.presence == Presence::Required && message.get(index).is_none() {
                let text = format!("required field {} is absent", field.name);
                return Err(cursor.mismatch(token.start, text));
            }
        }
        Ok(message)
    }

    fn field(
        &mut self,
        cursor: &mut Cursor<'_>,
        message: &mut DynamicMessage,
        index: usize,
    ) -> Result<()> {
        let definition = self.schema.message(message.id);
        let field = &definition.fields[index];
        let token = self.token(cursor)?;
        if token.head == Head::Nil && may_be_nil(field.presence, &field.ty) {
            self.frame(cursor, token, "nil", || "absent".to_owned());
            return Ok(());
        }
        if let Some(oneof) = field.oneof {
            let oneof = &definition.oneofs[oneof];
            if let Some(&other) = oneof.fields.iter().find(|&&i| message.get(i).is_some()) {
                let other = &definition.fields[other].name;
                let text = format!("{other} of oneof {} is set already", oneof.name);
                return Err(cursor.mismatch(token.start, text));
            }
        }
        let value = self.value_after(cursor, token, &field.ty)?;
        message.set(self.schema, index, value);
        Ok(())
    }

    /// A key of a message; its bytes are metadata.
    fn key_text(&mut self, cursor: &mut Cursor<'_>) -> Result<(usize, String)> {
        let token = self.token(cursor)?;
        let Head::Str(len) = token.head else {
            return Err(self.unexpected(cursor, token, "a str as key"));
        };
        let name = self.utf8(cursor, len)?.to_owned();
        let end = self.reader.offset();
        let shown = || format!("{name:?}");
        cursor.span(token.start, end, Part::Metadata, "field name", shown);
        Ok((token.start, name))
    }

    pub(super) fn slot(&mut self, cursor: &mut Cursor<'_>, slot: &Slot) -> Result<Value> {
        let token = self.token(cursor)?;
        if token.head == Head::Nil && slot.nullable {
            self.frame(cursor, token, "nil", || "null".to_owned());
            return Ok(Value::Null);
        }
        self.value_after(cursor, token, &slot.ty)
    }

    fn value_after(&mut self, cursor: &mut Cursor<'_>, token: Token, ty: &Type) -> Result<Value> {
        let value = match ty {
            Type::Any => return self.any_after(cursor, token),
            Type::Bool => match token.head {
                Head::Bool(value) => self.scalar(cursor, token, Value::Bool(value)),
                _ => return Err(self.unexpected(cursor, token, "a bool")),
            },
            Type::Int {
                bits, signed: true, ..
            } => {
                let value = self.signed(cursor, token, *bits)?;
                self.scalar(cursor, token, Value::Int(value))
            }
            Type::Int { bits, .. } => {
                let value = self.unsigned(cursor, token, *bits)?;
                self.scalar(cursor, token, Value::UInt(value))
            }
            Type::Date => {
                let value = self.signed(cursor, token, 64)?;
                self.scalar(cursor, token, Value::Date(value))
            }
            Type::Enum(id) => self.enumeration(cursor, token, *id)?,
            Type::Float16 => {
                let narrow = float::narrow_float16(self.float32(cursor, token)?);
                let bits = narrow.ok_or_else(|| self.inexact(cursor, token, "float16"))?;
                self.scalar(cursor, token, Value::Float16(bits))
            }
            Type::BFloat16 => {
                let narrow = float::narrow_bfloat16(self.float32(cursor, token)?);
                let bits = narrow.ok_or_else(|| self.inexact(cursor, token, "bfloat16"))?;
                self.scalar(cursor, token, Value::BFloat16(bits))
            }
            Type::Float32 => {
                let value = self.float32(cursor, token)?;
                self.scalar(cursor, token, Value::Float32(value))
            }
            Type::Float64 => {
                let value = self.float64(cursor, token)?;
                self.scalar(cursor, token, Value::Float64(value))
            }
            Type::String => match token.head {
                Head::Str(len) => self.text(cursor, token, len)?,
                _ => return Err(self.unexpected(cursor, token, "a str")),
            },
            Type::Bytes => match token.head {
                Head::Bin(len) => self.bytes(cursor, token, len)?,
                _ => return Err(self.unexpected(cursor, token, "a bin")),
            },
            Type::Message(id) => Value::Message(Box::new(self.message_after(cursor, token, *id)?)),
            Type::Timestamp => match token.head {
                Head::Ext { len, kind } => self.extension(cursor, token, len, kind)?,
                _ => return Err(self.unexpected(cursor, token, "a timestamp extension")),
            },
            Type::Duration => self.duration(cursor, token)?,
            Type::Decimal => self.decimal(cursor, token)?,
            Type::Union(id) => {
                let schema = self.schema;
                let definition = schema.union(*id);
                self.fixed_map(cursor, token, 1)?;
                cursor.nested(token.start, |cursor| {
                    let (start, name) = self.key_text(cursor)?;
                    let case = definition.cases.iter().find(|case| case.name == name);
                    let case = case.ok_or_else(|| {
                        let name: String = name.chars().take(80).collect();
                        let text = format!("{} has no case {name:?}", definition.full_name);
                        cursor.mismatch(start, text)
                    })?;
                    let slot = Slot {
                        nullable: matches!(case.ty, Type::Any | Type::Union(_)),
                        ..Slot::plain(case.ty.clone())
                    };
                    cursor.charge_values(start, 1)?;
                    let value =
                        cursor.at(|| Segment::Field(name), |cursor| self.slot(cursor, &slot))?;
                    Ok(Value::Union(case.number, Box::new(value)))
                })?
            }
            Type::List(slot) => self.list(cursor, token, slot)?,
            Type::Set(slot) => {
                let value = self.list(cursor, token, slot)?;
                if let Value::List(values) = &value {
                    let mut seen = HashSet::new();
                    if !values.iter().all(|value| seen.insert(value.key())) {
                        return Err(cursor.mismatch(token.start, "an element occurs twice"));
                    }
                }
                value
            }
            Type::Array(element) => self.list(cursor, token, &Slot::plain((**element).clone()))?,
            Type::Map(key, value) => self.map(cursor, token, key, value)?,
        };
        Ok(value)
    }

    /// A value by the type that its bytes name.
    fn any_after(&mut self, cursor: &mut Cursor<'_>, token: Token) -> Result<Value> {
        let any = || Slot {
            nullable: true,
            ..Slot::plain(Type::Any)
        };
        Ok(match token.head {
            Head::Nil => self.scalar(cursor, token, Value::Null),
            Head::Bool(value) => self.scalar(cursor, token, Value::Bool(value)),
            Head::Int(value) => self.scalar(cursor, token, Value::Int(value)),
            Head::UInt(value) => {
                let value = i64::try_from(value).map_or(Value::UInt(value), Value::Int);
                self.scalar(cursor, token, value)
            }
            Head::Float32(value) => self.scalar(cursor, token, Value::Float32(value)),
            Head::Float64(value) => self.scalar(cursor, token, Value::Float64(value)),
            Head::Str(len) => self.text(cursor, token, len)?,
            Head::Bin(len) => self.bytes(cursor, token, len)?,
            Head::Array(_) => self.list(cursor, token, &any())?,
            Head::Map(_) => self.map(cursor, token, &any(), &any())?,
            Head::Ext { len, kind } => self.extension(cursor, token, len, kind)?,
        })
    }

    fn list(&mut self, cursor: &mut Cursor<'_>, token: Token, slot: &Slot) -> Result<Value> {
        let Head::Array(count) = token.head else {
            return Err(self.unexpected(cursor, token, "an array"));
        };
        self.frame(cursor, token, "array header", || {
            format!("{count} elements")
        });
        self.reserve(cursor, token, count, 1)?;
        cursor.nested(token.start, |cursor| {
            let mut values = Vec::with_capacity(count as usize);
            for index in 0..count as usize {
                values.push(cursor.at(|| Segment::Index(index), |cursor| self.slot(cursor, slot))?);
            }
            Ok(Value::List(values))
        })
    }

    fn map(
        &mut self,
        cursor: &mut Cursor<'_>,
        token: Token,
        key: &Slot,
        value: &Slot,
    ) -> Result<Value> {
        let Head::Map(count) = token.head else {
            return Err(self.unexpected(cursor, token, "a map"));
        };
        self.frame(cursor, token, "map header", || format!("{count} entries"));
        self.reserve(cursor, token, count, 2)?;
        cursor.nested(token.start, |cursor| {
            let mut entries = Vec::with_capacity(count as usize);
            let mut seen = HashSet::new();
            for index in 0..count as usize {
                let start = self.reader.offset();
                let k = cursor.at(|| Segment::Index(index), |cursor| self.slot(cursor, key))?;
                let segment = Segment::Key(shown_key(&k));
                let v = cursor.at(
                    || segment,
                    |cursor| {
                        if !seen.insert(k.key()) {
                            return Err(cursor.mismatch(start, "the key occurs twice"));
                        }
                        self.slot(cursor, value)
                    },
                )?;
                entries.push((k, v));
            }
            Ok(Value::Map(entries))
        })
    }

    /// Refuses a count that the input can't hold and charges for the values, before either is
    /// reserved.
    fn reserve(
        &mut self,
        cursor: &mut Cursor<'_>,
        token: Token,
        count: u32,
        per_entry: usize,
    ) -> Result<()> {
        cursor.check_count(&self.reader, token.start, count.into(), per_entry)?;
        cursor.charge_values(token.start, count as usize * per_entry)
    }

    fn enumeration(&mut self, cursor: &mut Cursor<'_>, token: Token, id: EnumId) -> Result<Value> {
        let number = self.signed(cursor, token, 32)? as i32;
        let definition = self.schema.enumeration(id);
        if definition.closed && definition.name_of(number).is_none() {
            let text = format!("{} has no value {number}", definition.full_name);
            return Err(cursor.mismatch(token.start, text));
        }
        Ok(self.scalar(cursor, token, Value::Enum(number)))
    }

    fn signed(&self, cursor: &Cursor<'_>, token: Token, bits: u8) -> Result<i64> {
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

    fn unsigned(&self, cursor: &Cursor<'_>, token: Token, bits: u8) -> Result<u64> {
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

    fn float32(&self, cursor: &Cursor<'_>, token: Token) -> Result<f32> {
        let narrow = match token.head {
            Head::Float32(value) => Some(value),
            Head::Float64(value) => float::narrow_float64(value),
            Head::Int(value) => Some(value as f32).filter(|f| *f as i128 == value.into()),
            Head::UInt(value) => Some(value as f32).filter(|f| *f as i128 == value.into()),
            _ => return Err(self.unexpected(cursor, token, "a float")),
        };
        narrow.ok_or_else(|| self.inexact(cursor, token, "float"))
    }

    fn float64(&self, cursor: &Cursor<'_>, token: Token) -> Result<f64> {
        let exact = match token.head {
            Head::Float32(value) => Some(float::widen_float32(value)),
            Head::Float64(value) => Some(value),
            Head::Int(value) => Some(value as f64).filter(|f| *f as i128 == value.into()),
            Head::UInt(value) => Some(value as f64).filter(|f| *f as i128 == value.into()),
            _ => return Err(self.unexpected(cursor, token, "a float")),
        };
        exact.ok_or_else(|| self.inexact(cursor, token, "double"))
    }

    fn inexact(&self, cursor: &Cursor<'_>, token: Token, ty: &str) -> Error {
        let text = format!("a {ty} can't hold this {} exactly", token.head.family());
        cursor.mismatch(token.start, text)
    }

    fn utf8(&mut self, cursor: &mut Cursor<'_>, len: u32) -> Result<&'a str> {
        let start = self.reader.offset();
        let bytes = self.take(cursor, len)?;
        std::str::from_utf8(bytes).map_err(|error| {
            let valid_bytes = error.valid_up_to();
            let kind = ErrorKind::InvalidUtf8 { valid_bytes };
            cursor.wire(interop_wire::Error::new(start + valid_bytes, kind))
        })
    }

    fn text(&mut self, cursor: &mut Cursor<'_>, token: Token, len: u32) -> Result<Value> {
        self.frame(cursor, token, "str header", || format!("{len} bytes"));
        let text = self.utf8(cursor, len)?;
        let end = self.reader.offset();
        cursor.span(token.end, end, Part::Payload, "text", || {
            format!("{text:?}")
        });
        Ok(Value::String(text.to_owned()))
    }

    fn bytes(&mut self, cursor: &mut Cursor<'_>, token: Token, len: u32) -> Result<Value> {
        self.frame(cursor, token, "bin header", || format!("{len} bytes"));
        let bytes = self.take(cursor, len)?;
        let end = self.reader.offset();
        cursor.span(token.end, end, Part::Payload, "bytes", || {
            format!("{len} bytes")
        });
        Ok(Value::Bytes(bytes.to_vec()))
    }

    /// The one extension that is understood: a timestamp of 4, 8 or 12 bytes.
    fn extension(
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

    fn check_nanos(&self, cursor: &Cursor<'_>, offset: usize, nanos: u64) -> Result<u32> {
        if nanos >= 1_000_000_000 {
            let text = format!("{nanos} nanoseconds are a second or more");
            return Err(cursor.malformed(offset, text));
        }
        Ok(nanos as u32)
    }

    fn fixed_map(&mut self, cursor: &mut Cursor<'_>, token: Token, count: u32) -> Result<()> {
        if token.head != Head::Map(count) {
            let wanted = format!("a map of {count}");
            return Err(self.unexpected(cursor, token, &wanted));
        }
        self.frame(cursor, token, "map header", || format!("{count} entries"));
        Ok(())
    }

    fn fixed_key(&mut self, cursor: &mut Cursor<'_>, wanted: &str) -> Result<Token> {
        let (start, name) = self.key_text(cursor)?;
        if name != wanted {
            return Err(cursor.mismatch(start, format!("expected key {wanted}")));
        }
        self.token(cursor)
    }

    fn duration(&mut self, cursor: &mut Cursor<'_>, token: Token) -> Result<Value> {
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

    fn decimal(&mut self, cursor: &mut Cursor<'_>, token: Token) -> Result<Value> {
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

    fn token(&mut self, cursor: &mut Cursor<'_>) -> Result<Token> {
        let start = self.reader.offset();
        let head = Head::read(&mut self.reader).map_err(|e| cursor.wire(e))?;
        let end = self.reader.offset();
        Ok(Token { start, end, head })
    }

    fn take(&mut self, cursor: &mut Cursor<'_>, len: u32) -> Result<&'a [u8]> {
        self.reader.take(len.into()).map_err(|e| cursor.wire(e))
    }

    fn unexpected(&self, cursor: &Cursor<'_>, token: Token, wanted: &str) -> Error {
        let text = format!("expected {wanted}, found {}", token.head.family());
        cursor.mismatch(token.start, text)
    }

    fn frame(
        &self,
        cursor: &mut Cursor<'_>,
        token: Token,
        meaning: &str,
        value: impl FnOnce() -> String,
    ) {
        cursor.span(token.start, token.end, Part::Framing, meaning, value);
    }

    /// Reports a scalar: where a type byte stands in front of the number, it is framing.
    fn scalar(&mut self, cursor: &mut Cursor<'_>, token: Token, value: Value) -> Value {
        if cursor.traces() {
            let family = token.head.family();
            let shown = show(&value);
            let data = token.start + usize::from(token.end - token.start > 1);
            cursor.span(token.start, data, Part::Framing, "type byte", || {
                family.to_owned()
            });
            cursor.span(data, token.end, Part::Payload, family, || shown);
        }
        value
    }
}

fn may_be_nil(presence: Presence, ty: &Type) -> bool {
    presence == Presence::Explicit || matches!(ty, Type::Any | Type::Union(_))
}

fn show(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Date(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Enum(number) => number.to_string(),
        Value::Float32(value) => format!("{value:?}"),
        Value::Float64(value) => format!("{value:?}"),
        other => other.kind().to_owned(),
    }
}

fn shown_key(key: &Value) -> String {
    match key {
        Value::String(text) => text.clone(),
        other => show(other),
    }
}
