//! Values to ProtoJSON text.

use interop_schema::{Field, Message, MessageId, Presence, Schema, Type, WellKnown};
use interop_wire::Limits;

use super::decode::path_name;
use super::decode_scalar::describe;
use super::dialect::{Defaults, Dialect, FieldOrder, MapOrder, Names, Spacing};
use super::{NULL_VALUE, bytes, float, text, time};
use crate::{DynamicMessage, Error, Path, Segment, Value};

pub(super) struct Printer<'s> {
    pub(super) schema: &'s Schema,
    pub(super) dialect: &'s Dialect,
    pub(super) out: Vec<u8>,
    /// Levels entered so far; only an Any, whose nesting no decoder has bounded, asks.
    pub(super) depth: u32,
}

pub(super) fn encode(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    let mut printer = Printer {
        schema,
        dialect,
        out: Vec::new(),
        depth: 0,
    };
    printer.message(message)?;
    Ok(printer.out)
}

/// An error at the value being printed; the way to it is added while the stack unwinds.
pub(super) fn refuse(text: impl Into<String>) -> Error {
    Error::value(&Path::default(), text)
}

/// Puts the step to a value in front of the path of an error inside it.
pub(super) fn within<T>(
    result: Result<T, Error>,
    segment: impl FnOnce() -> Segment,
) -> Result<T, Error> {
    result.map_err(|mut error| {
        error.path.segments.insert(0, segment());
        error
    })
}

impl Printer<'_> {
    fn comma(&mut self, first: &mut bool) {
        if !std::mem::replace(first, false) {
            self.out.extend_from_slice(match self.dialect.spacing {
                Spacing::Compact => b",",
                Spacing::Spaced => b", ",
            });
        }
    }

    fn colon(&mut self) {
        self.out.extend_from_slice(match self.dialect.spacing {
            Spacing::Compact => b":",
            Spacing::Spaced => b": ",
        });
    }

    pub(super) fn string(&mut self, text: &str) {
        text::print(&mut self.out, text, self.dialect.escapes);
    }

    fn name(&mut self, first: &mut bool, name: &str) {
        self.comma(first);
        self.string(name);
        self.colon();
    }

    /// A message in whichever form its type has.
    pub(super) fn message(&mut self, message: &DynamicMessage) -> Result<(), Error> {
        match self.schema.message(message.id).well_known {
            None | Some(WellKnown::Empty) => {
                let mut first = true;
                self.out.push(b'{');
                self.fields(message, &mut first)?;
                self.out.push(b'}');
                Ok(())
            }
            Some(well_known) => self.well_known(message, well_known),
        }
    }

    /// A member of an object, printed by `value`.
    pub(super) fn member(
        &mut self,
        first: &mut bool,
        name: &str,
        value: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.name(first, name);
        value(self)
    }

    /// The members that stand for a message's fields.
    pub(super) fn fields(
        &mut self,
        message: &DynamicMessage,
        first: &mut bool,
    ) -> Result<(), Error> {
        let schema = self.schema;
        let definition = schema.message(message.id);
        let mut order: Vec<usize> = (0..definition.fields.len()).collect();
        if self.dialect.order == FieldOrder::Number {
            order.sort_by_key(|&index| definition.fields[index].number);
        }
        for index in order {
            let field = &definition.fields[index];
            let printed = match message.get(index) {
                Some(value) => {
                    self.name(first, self.field_name(field));
                    self.field(value, &field.ty)
                }
                None if field.presence == Presence::Required => {
                    Err(refuse("required field is not set"))
                }
                None if field.presence == Presence::Implicit
                    && self.dialect.defaults == Defaults::Print =>
                {
                    self.name(first, self.field_name(field));
                    self.field(&message.get_or_default(schema, index), &field.ty)
                }
                None => Ok(()),
            };
            within(printed, || Segment::Field(path_name(definition, index)))?;
        }
        Ok(())
    }

    fn field_name<'f>(&self, field: &'f Field) -> &'f str {
        match self.dialect.names {
            // An extension is known by its full name in brackets only.
            Names::Original if field.extension.is_none() => &field.name,
            _ => &field.json_name,
        }
    }

    /// A field's whole value.
    pub(super) fn field(&mut self, value: &Value, ty: &Type) -> Result<(), Error> {
        match (ty, value) {
            (Type::List(slot) | Type::Set(slot), Value::List(values)) => {
                self.list(values, &slot.ty)
            }
            (Type::Array(element), Value::List(values)) => self.list(values, element),
            (Type::Map(key, slot), Value::Map(entries)) => self.map(entries, &key.ty, &slot.ty),
            _ => self.value(value, ty),
        }
    }

    fn list(&mut self, values: &[Value], element: &Type) -> Result<(), Error> {
        let mut first = true;
        self.out.push(b'[');
        for (index, value) in values.iter().enumerate() {
            self.comma(&mut first);
            within(self.item(value, element), || Segment::Index(index))?;
        }
        self.out.push(b']');
        Ok(())
    }

    fn map(&mut self, entries: &[(Value, Value)], key: &Type, ty: &Type) -> Result<(), Error> {
        let mut sorted: Vec<_> = entries.iter().collect();
        if self.dialect.map_order == MapOrder::ByKey {
            sorted.sort_by_cached_key(|(key, _)| key.key());
        }
        let mut first = true;
        self.out.push(b'{');
        for (key_value, value) in sorted {
            let name = match (key, key_value) {
                (Type::String, Value::String(text)) => text.clone(),
                (Type::Bool, Value::Bool(value)) => value.to_string(),
                (Type::Int { signed: true, .. }, Value::Int(value)) => value.to_string(),
                (Type::Int { signed: false, .. }, Value::UInt(value)) => value.to_string(),
                _ => return Err(mismatch(key_value, key)),
            };
            self.name(&mut first, &name);
            within(self.item(value, ty), || Segment::Key(name))?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn item(&mut self, value: &Value, ty: &Type) -> Result<(), Error> {
        if *value == Value::Null {
            self.out.extend_from_slice(b"null");
            return Ok(());
        }
        self.field(value, ty)
    }

    fn value(&mut self, value: &Value, ty: &Type) -> Result<(), Error> {
        let number = match (ty, value) {
            (Type::Message(id), Value::Message(message)) if *id == message.id => {
                return self.nested(|printer| printer.message(message));
            }
            (Type::String, Value::String(text)) => {
                self.string(text);
                return Ok(());
            }
            (Type::Bytes, Value::Bytes(value)) => format!("\"{}\"", bytes::print(value)),
            (Type::Bool, Value::Bool(value)) => value.to_string(),
            (Type::Int { bits: 64, .. }, Value::Int(value)) => format!("\"{value}\""),
            (Type::Int { bits: 64, .. }, Value::UInt(value)) => format!("\"{value}\""),
            (Type::Int { signed: true, .. }, Value::Int(value)) => value.to_string(),
            (Type::Int { signed: false, .. }, Value::UInt(value)) => value.to_string(),
            (Type::Float32, Value::Float32(value)) => float::print_float32(*value, self.dialect),
            (Type::Float64, Value::Float64(value)) => float::print_float64(*value, self.dialect),
            (Type::Enum(id), Value::Enum(number)) => {
                let enumeration = self.schema.enumeration(*id);
                match enumeration.name_of(*number) {
                    Some(_) if enumeration.full_name == NULL_VALUE => "null".to_owned(),
                    Some(name) => {
                        self.string(name);
                        return Ok(());
                    }
                    None => number.to_string(),
                }
            }
            (Type::Timestamp, Value::Timestamp { seconds, nanos }) => {
                let printed = time::print_timestamp(*seconds, i64::from(*nanos));
                format!("\"{}\"", printed.map_err(refuse)?)
            }
            (Type::Duration, Value::Duration { seconds, nanos }) => {
                // Seconds rounded down, nanos on top: the text has both of one sign.
                let (seconds, nanos) = match (*seconds, i64::from(*nanos)) {
                    (seconds @ ..0, nanos @ 1..) => (seconds + 1, nanos - 1_000_000_000),
                    both => both,
                };
                let printed = time::print_duration(seconds, nanos);
                format!("\"{}\"", printed.map_err(refuse)?)
            }
            _ => return Err(mismatch(value, ty)),
        };
        self.out.extend_from_slice(number.as_bytes());
        Ok(())
    }

    /// Runs `inner` one level deeper.
    pub(super) fn nested(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Levels left for what an Any holds.
    ///
    /// # Errors
    /// When there are none.
    pub(super) fn depth_left(&self) -> Result<u32, Error> {
        let limit = Limits::DEFAULT.depth;
        match limit.checked_sub(self.depth) {
            Some(left @ 1..) => Ok(left),
            _ => Err(refuse(format!("an Any lies deeper than {limit} levels"))),
        }
    }
}

/// A value that its type has no JSON for.
fn mismatch(value: &Value, ty: &Type) -> Error {
    let (kind, ty) = (value.kind(), describe(ty));
    refuse(format!(
        "ProtoJSON has no form for {kind} where the schema has {ty}"
    ))
}

/// The field `number` of a well-known type, whose definition a schema may have changed.
pub(super) fn known_field(message: &Message, number: u32) -> Result<usize, Error> {
    message.field_by_number(number).ok_or_else(|| {
        let name = &message.full_name;
        refuse(format!(
            "the schema's {name} lacks the well-known field {number}"
        ))
    })
}

/// The message named in an Any.
pub(super) fn any_type(schema: &Schema, url: &str) -> Result<MessageId, Error> {
    match url.rsplit_once('/').map(|(_, name)| schema.lookup(name)) {
        Some(Some(interop_schema::Named::Message(id))) => Ok(id),
        Some(_) => Err(refuse(format!(
            "the schema has no message for the type URL {url:?}"
        ))),
        None => Err(refuse(format!(
            "the type URL {url:?} has no '/' before its type"
        ))),
    }
}
