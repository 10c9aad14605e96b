//! Writing values that name their own type: dynamic roots, `any` fields, elements of dynamic
//! collections.

use interop_schema::Type;
use interop_schema::fory::{WireType, type_id as id};

use super::collection::{
    CHUNK_ENTRIES_MAX, HAS_NULL, KEY_NULL, KEY_TRACKED, SAME_TYPE, TRACKED, VALUE_NULL,
    VALUE_TRACKED,
};
use super::encode::{Encoder, NOT_NULL, NULL};
use super::{key_text, number, string, temporal};
use crate::{Error, Segment, Value};

/// The type id that a value gets where no schema gives it one; messages are told by their own.
fn canonical_id(value: &Value) -> Option<u8> {
    Some(match value {
        Value::Null => id::NONE,
        Value::Bool(_) => id::BOOL,
        Value::Int(_) => id::VARINT64,
        Value::UInt(_) => id::VAR_UINT64,
        Value::Float16(_) => id::FLOAT16,
        Value::BFloat16(_) => id::BFLOAT16,
        Value::Float32(_) => id::FLOAT32,
        Value::Float64(_) => id::FLOAT64,
        Value::String(_) => id::STRING,
        Value::Bytes(_) => id::BINARY,
        Value::Timestamp { .. } => id::TIMESTAMP,
        Value::Duration { .. } => id::DURATION,
        Value::Date(_) => id::DATE,
        Value::Decimal { .. } => id::DECIMAL,
        Value::List(_) => id::LIST,
        Value::Map(_) => id::MAP,
        Value::Enum(_) | Value::Message(_) | Value::Union(..) | Value::Reference(_) => return None,
    })
}

/// What two elements must share to be of one type on the wire.
fn same_kind(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Message(a), Value::Message(b)) => a.id == b.id,
        _ => canonical_id(a) == canonical_id(b),
    }
}

impl<'d> Encoder<'d> {
    /// A whole value: flag, type information, bytes.
    pub(super) fn dynamic(&mut self, value: &'d Value) -> Result<(), Error> {
        self.dynamic_framed(true, false, value)
    }

    pub(super) fn dynamic_framed(
        &mut self,
        nullable: bool,
        reference: bool,
        value: &'d Value,
    ) -> Result<(), Error> {
        match self.frame(nullable, reference, value)? {
            Some(value) => {
                self.dynamic_info(value)?;
                self.dynamic_data(value)
            }
            None => Ok(()),
        }
    }

    fn dynamic_info(&mut self, value: &Value) -> Result<(), Error> {
        match (value, canonical_id(value)) {
            (Value::Message(message), _) => self.type_info(&Type::Message(message.id), false),
            (_, Some(type_id)) => {
                self.out.u8(type_id);
                Ok(())
            }
            (value, None) => {
                let text = format!("a {} does not say its own type", value.kind());
                Err(self.error(text))
            }
        }
    }

    fn dynamic_data(&mut self, value: &'d Value) -> Result<(), Error> {
        if let Value::Message(message) = value {
            let ty = Type::Message(message.id);
            let wire = WireType::of(self.schema, &ty, self.compatible());
            return self.data(&ty, &wire, value);
        }
        let type_id = canonical_id(value).unwrap_or(id::NONE);
        let written = match value {
            Value::Null => Ok(()),
            Value::String(text) => {
                string::write(&mut self.out, text, self.dialect.strings);
                Ok(())
            }
            Value::Bytes(bytes) => {
                self.out.varint(bytes.len() as u64);
                self.out.bytes(bytes);
                Ok(())
            }
            Value::List(values) => {
                self.out.varint(values.len() as u64);
                return self.deeper(|encoder| encoder.dynamic_list(false, values));
            }
            Value::Map(entries) => {
                self.out.varint(entries.len() as u64);
                return self.deeper(|encoder| encoder.dynamic_map(entries));
            }
            value if id::is_primitive(type_id) => number::write(&mut self.out, type_id, value),
            value => temporal::write(&mut self.out, type_id, value),
        };
        written.map_err(|text| self.error(text))
    }

    /// Elements behind the length: one type for all where they share it, else one each.
    pub(super) fn dynamic_list(
        &mut self,
        reference: bool,
        values: &'d [Value],
    ) -> Result<(), Error> {
        let present = || values.iter().filter(|value| !matches!(value, Value::Null));
        let Some(first) = values.first() else {
            return Ok(());
        };
        let sample = present().next().unwrap_or(first);
        let same = !reference && present().all(|value| same_kind(value, sample));
        let has_null = !reference && present().count() < values.len();
        let mut header = if same { SAME_TYPE } else { 0 };
        if has_null {
            header |= HAS_NULL;
        }
        if reference {
            header |= TRACKED;
        }
        self.out.u8(header);
        if same {
            self.dynamic_info(sample)?;
        }
        for (index, value) in values.iter().enumerate() {
            self.at(Segment::Index(index), |encoder| {
                if !same {
                    return encoder.dynamic_framed(has_null, reference, value);
                }
                match encoder.frame(has_null, false, value)? {
                    Some(value) => encoder.dynamic_data(value),
                    None => Ok(()),
                }
            })?;
        }
        Ok(())
    }

    /// Entries behind the count; a chunk ends where the type of key or value changes.
    pub(super) fn dynamic_map(&mut self, entries: &'d [(Value, Value)]) -> Result<(), Error> {
        let mut rest = entries;
        while let Some((k, v)) = rest.first() {
            let (key_null, value_null) = (matches!(k, Value::Null), matches!(v, Value::Null));
            if key_null || value_null {
                match (key_null, value_null) {
                    (true, true) => self.out.u8(KEY_NULL | VALUE_NULL),
                    (false, _) => {
                        self.out.u8(VALUE_NULL | KEY_TRACKED);
                        self.dynamic(k)?;
                    }
                    (true, false) => {
                        self.out.u8(KEY_NULL | VALUE_TRACKED);
                        self.dynamic(v)?;
                    }
                }
                rest = &rest[1..];
                continue;
            }
            let alike = |(key, value): &&(Value, Value)| same_kind(key, k) && same_kind(value, v);
            let count = rest
                .iter()
                .take(CHUNK_ENTRIES_MAX)
                .take_while(alike)
                .count();
            // References name no type of their own; they stop here with an error.
            let count = count.max(1);
            self.out.u8(0);
            self.out.u8(count as u8);
            self.dynamic_info(k)?;
            self.dynamic_info(v)?;
            for (key, value) in &rest[..count] {
                self.at(Segment::Key(key_text(key)), |encoder| {
                    encoder.dynamic_data(key)?;
                    encoder.dynamic_data(value)
                })?;
            }
            rest = &rest[count..];
        }
        Ok(())
    }

    /// A null root has no type, only a flag.
    pub(super) fn dynamic_root(&mut self, value: &'d Value) -> Result<(), Error> {
        match value {
            Value::Null => self.out.u8(NULL),
            value => {
                self.out.u8(NOT_NULL);
                self.dynamic_info(value)?;
                self.dynamic_data(value)?;
            }
        }
        Ok(())
    }
}
