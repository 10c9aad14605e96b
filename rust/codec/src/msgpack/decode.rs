use std::collections::HashSet;

use interop_schema::{MessageId, Presence, Schema, Slot, Type};
use interop_wire::{ErrorKind, Reader};

use super::head::Head;
use super::{float, key};
use crate::{Cursor, DynamicMessage, Error, Part, Segment, Value};

type Result<T> = std::result::Result<T, Error>;

/// A head, where it starts and where it ends.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) head: Head,
}

/// Reads values of one schema.
pub(super) struct Decoder<'s, 'a> {
    pub(super) schema: &'s Schema,
    pub(super) reader: Reader<'a>,
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
    pub(super) fn key_text(&mut self, cursor: &mut Cursor<'_>) -> Result<(usize, String)> {
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
                    // Comparing takes a copy as text of elements that are no scalars.
                    let len = self.reader.offset() - token.start;
                    cursor.charge(token.start, len, size_of::<Value>())?;
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
                if matches!(self.reader.peek(), Some(0x80..=0x9f | 0xdc..=0xdf)) {
                    return Err(cursor.mismatch(start, "an array or map as a map's key"));
                }
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

    fn utf8(&mut self, cursor: &mut Cursor<'_>, len: u32) -> Result<&'a str> {
        let start = self.reader.offset();
        let bytes = self.take(cursor, len)?;
        std::str::from_utf8(bytes).map_err(|error| {
            let valid_bytes = error.valid_up_to();
            let kind = ErrorKind::InvalidUtf8 { valid_bytes };
            cursor.wire(interop_wire::Error::new(start + valid_bytes, kind))
        })
    }

    pub(super) fn text(
        &mut self,
        cursor: &mut Cursor<'_>,
        token: Token,
        len: u32,
    ) -> Result<Value> {
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

    pub(super) fn token(&mut self, cursor: &mut Cursor<'_>) -> Result<Token> {
        let start = self.reader.offset();
        let head = Head::read(&mut self.reader).map_err(|e| cursor.wire(e))?;
        let end = self.reader.offset();
        Ok(Token { start, end, head })
    }

    fn take(&mut self, cursor: &mut Cursor<'_>, len: u32) -> Result<&'a [u8]> {
        self.reader.take(len.into()).map_err(|e| cursor.wire(e))
    }

    pub(super) fn unexpected(&self, cursor: &Cursor<'_>, token: Token, wanted: &str) -> Error {
        let text = format!("expected {wanted}, found {}", token.head.family());
        cursor.mismatch(token.start, text)
    }

    pub(super) fn frame(
        &self,
        cursor: &mut Cursor<'_>,
        token: Token,
        meaning: &str,
        value: impl FnOnce() -> String,
    ) {
        cursor.span(token.start, token.end, Part::Framing, meaning, value);
    }

    /// Reports a scalar: where a type byte stands in front of the number, it is framing.
    pub(super) fn scalar(&mut self, cursor: &mut Cursor<'_>, token: Token, value: Value) -> Value {
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
