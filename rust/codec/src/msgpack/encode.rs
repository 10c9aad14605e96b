use interop_schema::{Presence, Schema, Slot, Type};
use interop_wire::Limits;

use super::float;
use super::head::{self, Output};
use super::{Dialect, WholeFloats, key};
use crate::{DynamicMessage, Error, Path, Segment, Value};

type Result<T> = std::result::Result<T, Error>;

/// Writes values of one schema to `out`.
pub(super) struct Encoder<'s, O> {
    schema: &'s Schema,
    dialect: Dialect,
    out: O,
    path: Path,
    depth: u32,
}

impl<'s, O: Output> Encoder<'s, O> {
    pub(super) fn new(schema: &'s Schema, dialect: Dialect, out: O) -> Self {
        Self {
            schema,
            dialect,
            out,
            path: Path::default(),
            depth: 0,
        }
    }

    pub(super) fn finish(self) -> O {
        self.out
    }

    pub(super) fn message(&mut self, message: &DynamicMessage) -> Result<()> {
        self.nested(|this| {
            let definition = this.schema.message(message.id);
            let count = this.count(definition.fields.len())?;
            head::put_map_head(&mut this.out, count);
            for (index, field) in definition.fields.iter().enumerate() {
                let name = key(field);
                this.text(name)?;
                this.at(Segment::Field(name.to_owned()), |this| {
                    match (message.get(index), field.presence) {
                        (Some(value), _) => this.value(&field.ty, value),
                        (None, Presence::Explicit) => {
                            head::put_nil(&mut this.out);
                            Ok(())
                        }
                        (None, Presence::Required) => Err(this.error("required, but absent")),
                        (None, Presence::Implicit) => {
                            let value = message.get_or_default(this.schema, index);
                            this.slot(&field.ty, true, &value)
                        }
                    }
                })?;
            }
            Ok(())
        })
    }

    pub(super) fn slot(&mut self, ty: &Type, nullable: bool, value: &Value) -> Result<()> {
        match value {
            Value::Null if nullable => head::put_nil(&mut self.out),
            value => self.value(ty, value)?,
        }
        Ok(())
    }

    fn value(&mut self, ty: &Type, value: &Value) -> Result<()> {
        match (ty, value) {
            (Type::Any, value) => self.any(value)?,
            (Type::Bool, Value::Bool(value)) => head::put_bool(&mut self.out, *value),
            (Type::Int { signed: true, .. }, Value::Int(value))
            | (Type::Date, Value::Date(value)) => head::put_int(&mut self.out, *value),
            (Type::Int { signed: false, .. }, Value::UInt(value)) => {
                head::put_uint(&mut self.out, *value);
            }
            (Type::Enum(_), Value::Enum(number)) => {
                head::put_int(&mut self.out, i64::from(*number));
            }
            (Type::Float16, Value::Float16(bits)) => self.float32(float::widen_float16(*bits)),
            (Type::BFloat16, Value::BFloat16(bits)) => self.float32(float::widen_bfloat16(*bits)),
            (Type::Float32, Value::Float32(value)) => self.float32(*value),
            (Type::Float64, Value::Float64(value)) => self.float64(*value),
            (Type::String, Value::String(text)) => self.text(text)?,
            (Type::Bytes, Value::Bytes(bytes)) => self.bytes(bytes)?,
            (Type::Message(id), Value::Message(message)) if message.id == *id => {
                self.message(message)?;
            }
            (Type::Timestamp, Value::Timestamp { seconds, nanos }) => {
                self.timestamp(*seconds, *nanos)?;
            }
            (Type::Duration, Value::Duration { seconds, nanos }) => {
                head::put_map_head(&mut self.out, 2);
                self.text("seconds")?;
                head::put_int(&mut self.out, *seconds);
                self.text("nanos")?;
                head::put_uint(&mut self.out, u64::from(*nanos));
            }
            (Type::Decimal, Value::Decimal { unscaled, scale }) => {
                head::put_map_head(&mut self.out, 2);
                self.text("unscaled")?;
                self.text(&unscaled.to_string())?;
                self.text("scale")?;
                head::put_int(&mut self.out, i64::from(*scale));
            }
            (Type::Union(id), Value::Union(number, value)) => {
                let case = self.schema.union(*id).case(*number);
                let case = case.ok_or_else(|| self.error(format!("no case {number}")))?;
                self.nested(|this| {
                    head::put_map_head(&mut this.out, 1);
                    this.text(&case.name)?;
                    this.slot(&case.ty, true, value)
                })?;
            }
            (Type::List(slot) | Type::Set(slot), Value::List(values)) => {
                self.array(values, |this, value| {
                    this.slot(&slot.ty, slot.nullable, value)
                })?;
            }
            (Type::Array(element), Value::List(values)) => {
                self.array(values, |this, value| this.value(element, value))?;
            }
            (Type::Map(key, value), Value::Map(entries)) => self.map(key, value, entries)?,
            (ty, value) => {
                let kind = value.kind();
                return Err(self.error(format!("a {kind} has no place in a {ty:?}")));
            }
        }
        Ok(())
    }

    fn array(
        &mut self,
        values: &[Value],
        mut element: impl FnMut(&mut Self, &Value) -> Result<()>,
    ) -> Result<()> {
        let count = self.count(values.len())?;
        self.nested(|this| {
            head::put_array_head(&mut this.out, count);
            for (index, value) in values.iter().enumerate() {
                this.at(Segment::Index(index), |this| element(this, value))?;
            }
            Ok(())
        })
    }

    fn map(&mut self, key: &Slot, value: &Slot, entries: &[(Value, Value)]) -> Result<()> {
        let count = self.count(entries.len())?;
        self.nested(|this| {
            head::put_map_head(&mut this.out, count);
            for (index, (k, v)) in entries.iter().enumerate() {
                this.at(Segment::Index(index), |this| {
                    this.slot(&key.ty, key.nullable, k)?;
                    this.slot(&value.ty, value.nullable, v)
                })?;
            }
            Ok(())
        })
    }

    /// A value by its own type alone.
    fn any(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Null => head::put_nil(&mut self.out),
            Value::Bool(value) => head::put_bool(&mut self.out, *value),
            Value::Int(value) => head::put_int(&mut self.out, *value),
            Value::UInt(value) => head::put_uint(&mut self.out, *value),
            Value::Enum(number) => head::put_int(&mut self.out, i64::from(*number)),
            Value::Float32(value) => self.float32(*value),
            Value::Float64(value) => self.float64(*value),
            Value::String(text) => self.text(text)?,
            Value::Bytes(bytes) => self.bytes(bytes)?,
            Value::Timestamp { seconds, nanos } => self.timestamp(*seconds, *nanos)?,
            Value::Message(message) => self.message(message)?,
            Value::List(values) => self.array(values, |this, value| this.any(value))?,
            Value::Map(entries) => {
                let any = Slot {
                    nullable: true,
                    ..Slot::plain(Type::Any)
                };
                self.map(&any, &any, entries)?;
            }
            other => {
                let kind = other.kind();
                return Err(self.error(format!("a {kind} has no MessagePack type of its own")));
            }
        }
        Ok(())
    }

    fn float32(&mut self, value: f32) {
        match self.whole(f64::from(value)) {
            Some(whole) => self.whole_number(whole),
            None => head::put_float32(&mut self.out, value),
        }
    }

    fn float64(&mut self, value: f64) {
        match self.whole(value) {
            Some(whole) => self.whole_number(whole),
            None => head::put_float64(&mut self.out, value),
        }
    }

    fn whole(&self, value: f64) -> Option<i128> {
        // 2^63 and 2^64 are exact as floats, so that the comparisons are too; NaN and the
        // infinities fail them.
        let in_range =
            (-9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&value);
        let as_int = self.dialect.whole_floats == WholeFloats::Int;
        (as_int && in_range && value.fract() == 0.0).then_some(value as i128)
    }

    fn whole_number(&mut self, whole: i128) {
        match u64::try_from(whole) {
            Ok(value) => head::put_uint(&mut self.out, value),
            Err(_) => head::put_int(&mut self.out, whole as i64),
        }
    }

    fn text(&mut self, text: &str) -> Result<()> {
        let len = self.count(text.len())?;
        head::put_str_head(&mut self.out, len);
        self.out.put(text.as_bytes());
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let len = self.count(bytes.len())?;
        head::put_bin_head(&mut self.out, len);
        self.out.put(bytes);
        Ok(())
    }

    fn timestamp(&mut self, seconds: i64, nanos: u32) -> Result<()> {
        if nanos >= 1_000_000_000 {
            return Err(self.error(format!("{nanos} nanoseconds are a second or more")));
        }
        head::put_timestamp(&mut self.out, seconds, nanos);
        Ok(())
    }

    fn count(&self, len: usize) -> Result<u32> {
        u32::try_from(len).map_err(|_| self.error(format!("length {len} exceeds 2^32 - 1")))
    }

    fn error(&self, text: impl Into<String>) -> Error {
        Error::value(&self.path, text)
    }

    fn at(&mut self, segment: Segment, inner: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.path.segments.push(segment);
        inner(self)?;
        self.path.segments.pop();
        Ok(())
    }

    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let limit = Limits::DEFAULT.depth;
        if self.depth >= limit {
            return Err(self.error(format!("nesting exceeds the depth limit of {limit}")));
        }
        self.depth += 1;
        inner(self)?;
        self.depth -= 1;
        Ok(())
    }
}
