//! Values to ProtoJSON text: the types of `google.protobuf` with a form of their own.

use interop_schema::WellKnown;
use interop_wire::Limits;

use super::encode::{Printer, any_type, known_field, refuse, within};
use super::{field_mask, time};
use crate::{DecodeOptions, DynamicMessage, Error, Segment, Value, protobuf};

impl Printer<'_> {
    pub(super) fn well_known(
        &mut self,
        message: &DynamicMessage,
        well_known: WellKnown,
    ) -> Result<(), Error> {
        match well_known {
            WellKnown::Timestamp | WellKnown::Duration => {
                let seconds = self.known_int(message, 1)?;
                let nanos = self.known_int(message, 2)?;
                let text = match well_known {
                    WellKnown::Timestamp => time::print_timestamp(seconds, nanos),
                    _ => time::print_duration(seconds, nanos),
                };
                self.string(&text.map_err(refuse)?);
                Ok(())
            }
            WellKnown::FieldMask => {
                let Value::List(paths) = self.known(message, 1)? else {
                    return Err(refuse("the paths of a FieldMask are no list"));
                };
                let mut printed = Vec::with_capacity(paths.len());
                for path in &paths {
                    let Value::String(path) = path else {
                        return Err(refuse("a path of a FieldMask is no string"));
                    };
                    printed.push(field_mask::print_path(path).map_err(refuse)?);
                }
                self.string(&printed.join(","));
                Ok(())
            }
            WellKnown::Struct | WellKnown::ListValue | WellKnown::Wrapper => {
                let definition = self.schema.message(message.id);
                let index = known_field(definition, 1)?;
                let ty = &definition.fields[index].ty;
                match message.get(index) {
                    Some(value) => self.field(value, ty),
                    None => self.field(&message.get_or_default(self.schema, index), ty),
                }
            }
            WellKnown::Value => self.value_of_any_kind(message),
            WellKnown::Any => self.any(message),
            WellKnown::Empty => {
                self.out.extend_from_slice(b"{}");
                Ok(())
            }
        }
    }

    fn known(&self, message: &DynamicMessage, number: u32) -> Result<Value, Error> {
        let index = known_field(self.schema.message(message.id), number)?;
        Ok(message.get_or_default(self.schema, index))
    }

    fn known_int(&self, message: &DynamicMessage, number: u32) -> Result<i64, Error> {
        match self.known(message, number)? {
            Value::Int(value) => Ok(value),
            other => {
                let name = &self.schema.message(message.id).full_name;
                let kind = other.kind();
                Err(refuse(format!("field {number} of {name} is a {kind}")))
            }
        }
    }

    /// `google.protobuf.Value`: the one of its fields that is set.
    fn value_of_any_kind(&mut self, message: &DynamicMessage) -> Result<(), Error> {
        let definition = self.schema.message(message.id);
        let Some((index, value)) = message.iter().next() else {
            return Err(refuse("a google.protobuf.Value of no kind"));
        };
        match value {
            Value::Enum(_) => {
                self.out.extend_from_slice(b"null");
                Ok(())
            }
            Value::Float64(number) if !number.is_finite() => Err(refuse(format!(
                "a google.protobuf.Value holds {number}, which is no JSON number"
            ))),
            // The Struct or ListValue is the Value's own object or array: not a level of its own.
            Value::Message(inner) => self.message(inner),
            value => self.field(value, &definition.fields[index].ty),
        }
    }

    fn any(&mut self, message: &DynamicMessage) -> Result<(), Error> {
        let url = match self.known(message, 1)? {
            Value::String(url) => url,
            _ => return Err(refuse("the type URL of an Any is no string")),
        };
        let bytes = match self.known(message, 2)? {
            Value::Bytes(bytes) => bytes,
            _ => return Err(refuse("the value of an Any is no bytes")),
        };
        if url.is_empty() && bytes.is_empty() {
            self.out.extend_from_slice(b"{}");
            return Ok(());
        }
        let id = any_type(self.schema, &url)?;
        let limits = Limits {
            depth: self.depth_left()? - 1,
            ..Limits::DEFAULT
        };
        let options = DecodeOptions { limits, sink: None };
        let inner = protobuf::decode(self.schema, id, &bytes, options);
        let inner = inner.map_err(|error| refuse(format!("what the Any holds: {error}")))?;
        let mut first = true;
        self.out.push(b'{');
        self.member(&mut first, "@type", |printer| {
            printer.string(&url);
            Ok(())
        })?;
        let printed = self.nested(|printer| match printer.schema.message(id).well_known {
            None | Some(WellKnown::Empty) => printer.fields(&inner, &mut first),
            Some(_) => printer.member(&mut first, "value", |printer| printer.message(&inner)),
        });
        within(printed, || Segment::Field("value".to_owned()))?;
        self.out.push(b'}');
        Ok(())
    }
}
