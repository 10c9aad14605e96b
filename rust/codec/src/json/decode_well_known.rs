//! ProtoJSON text to values: the types of `google.protobuf` with a form of their own.

use interop_schema::{MessageId, Type, WellKnown};

use super::decode::Parser;
use super::lexer::Kind;
use super::{field_mask, time};
use crate::{Cursor, DynamicMessage, Error, Part, Value};

impl Parser<'_, '_> {
    /// A message of a well-known type, whose memory is charged already.
    pub(super) fn well_known(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
        well_known: WellKnown,
    ) -> Result<DynamicMessage, Error> {
        let number = match well_known {
            WellKnown::Any => return self.any(cursor, id),
            WellKnown::Timestamp | WellKnown::Duration | WellKnown::FieldMask => {
                return self.text_form(cursor, id, well_known);
            }
            WellKnown::Empty => return Ok(DynamicMessage::new(self.schema, id)),
            WellKnown::Struct | WellKnown::ListValue | WellKnown::Wrapper => 1,
            WellKnown::Value => match self.kind(cursor)? {
                Kind::Null => 1,
                Kind::Number => 2,
                Kind::String => 3,
                Kind::True | Kind::False => 4,
                Kind::Object => 5,
                Kind::Array => 6,
            },
        };
        self.only_field(cursor, id, number)
    }

    /// The types that are a string in JSON.
    fn text_form(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
        well_known: WellKnown,
    ) -> Result<DynamicMessage, Error> {
        let name = &self.schema.message(id).full_name;
        let offset = self.lexer.offset();
        let text = self.text(cursor, name)?;
        let mut message = DynamicMessage::new(self.schema, id);
        let misread = |error| cursor.mismatch(offset, error);
        match well_known {
            WellKnown::FieldMask => {
                let mut paths = Vec::new();
                if !text.is_empty() {
                    for path in text.split(',') {
                        paths.push(field_mask::parse_path(path).map_err(misread)?);
                    }
                }
                cursor.charge_values(offset, paths.len())?;
                let paths = paths.into_iter().map(Value::String).collect();
                self.set(cursor, &mut message, 1, Value::List(paths))?;
            }
            _ => {
                let read = match well_known {
                    WellKnown::Timestamp => time::parse_timestamp(&text),
                    _ => time::parse_duration(&text),
                };
                let (seconds, nanos) = read.map_err(misread)?;
                self.set(cursor, &mut message, 1, Value::Int(seconds))?;
                self.set(cursor, &mut message, 2, Value::Int(nanos))?;
            }
        }
        let end = self.lexer.offset();
        cursor.span(offset, end, Part::Payload, name, || text);
        Ok(message)
    }

    /// A message that is written as the value of its field `number` alone.
    fn only_field(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
        number: u32,
    ) -> Result<DynamicMessage, Error> {
        let schema = self.schema;
        let index = self.field(cursor, id, number)?;
        let definition = schema.message(id);
        let field = &definition.fields[index];
        let value = match &field.ty {
            // A Value's Struct or ListValue is the same object or array: not a level of its own.
            Type::Message(inner) => {
                let inner = self.message(cursor, *inner)?;
                Some(Value::Message(Box::new(inner)))
            }
            _ => self.field_value(cursor, &field.ty, field.proto)?,
        };
        let mut message = DynamicMessage::new(schema, id);
        if let Some(value) = value {
            message.set(schema, index, value);
        }
        Ok(message)
    }

    fn field(&self, cursor: &Cursor<'_>, id: MessageId, number: u32) -> Result<usize, Error> {
        let message = self.schema.message(id);
        message.field_by_number(number).ok_or_else(|| {
            let name = &message.full_name;
            let text = format!("the schema's {name} lacks the well-known field {number}");
            cursor.mismatch(self.lexer.offset(), text)
        })
    }

    /// Sets a field of a well-known type, whose definition a schema may have changed.
    pub(super) fn set(
        &self,
        cursor: &Cursor<'_>,
        message: &mut DynamicMessage,
        number: u32,
        value: Value,
    ) -> Result<(), Error> {
        let schema = self.schema;
        let index = self.field(cursor, message.id, number)?;
        let fits = match (&schema.message(message.id).fields[index].ty, &value) {
            (Type::Int { signed: true, .. }, Value::Int(_)) => true,
            (Type::String, Value::String(_)) | (Type::Bytes, Value::Bytes(_)) => true,
            (Type::List(slot), Value::List(_)) => slot.ty == Type::String,
            _ => false,
        };
        if !fits {
            let name = &schema.message(message.id).full_name;
            let text = format!("field {number} of the schema's {name} has another type");
            return Err(cursor.mismatch(self.lexer.offset(), text));
        }
        message.set(schema, index, value);
        Ok(())
    }
}
