//! Values to bytes.

use std::rc::Rc;

use interop_schema::{
    Field, Message, MessageId, Presence, ProtoField, ProtoKind, ProtoShape, Schema, Type,
};
use interop_wire::Writer;

use super::output::{Length, Output};
use super::tag::{MAX_NUMBER, WireType};
use super::{Dialect, map, message_set, scalar, unknown};
use crate::{DynamicMessage, Error, Path, Segment, Value};

/// Encodes a message: known fields in order of number, then unknown fields in the order read.
///
/// # Errors
/// With the field path, when a required field is absent, or a value is not of its field's type
/// or has no form in this format (null in a collection, a field that came from `.fdl`).
pub fn encode(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder::new(schema, dialect, Writer::new());
    encoder.message(message)?;
    Ok(encoder.out.into_vec())
}

/// Length in bytes of what [`encode`] gives.
///
/// # Errors
/// As for [`encode`].
pub fn encoded_len(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: &Dialect,
) -> Result<usize, Error> {
    let mut encoder = Encoder::new(schema, dialect, Length::default());
    encoder.message(message)?;
    Ok(encoder.out.bytes)
}

pub(super) struct Encoder<'a, O> {
    pub schema: &'a Schema,
    pub dialect: &'a Dialect,
    pub out: O,
    /// Field indices in order of number, for each message met.
    orders: Vec<Option<Rc<[usize]>>>,
}

/// `error`, which happened inside `segment`. Paths are put together on the way out, so that
/// encoding without an error makes none.
pub(super) fn within(mut error: Error, segment: Segment) -> Error {
    error.path.segments.insert(0, segment);
    error
}

/// The path segment of a field.
pub(super) fn segment(field: &Field) -> Segment {
    let name = match field.extension {
        Some(_) => &field.json_name,
        None => &field.name,
    };
    Segment::Field(name.clone())
}

pub(super) fn refused(text: impl Into<String>) -> Error {
    Error::value(&Path::default(), text)
}

impl<'a, O: Output> Encoder<'a, O> {
    fn new(schema: &'a Schema, dialect: &'a Dialect, out: O) -> Self {
        Self {
            schema,
            dialect,
            out,
            orders: vec![None; schema.messages.len()],
        }
    }

    fn order(&mut self, id: MessageId) -> Rc<[usize]> {
        let fields = &self.schema.message(id).fields;
        let order = self.orders[id.0 as usize].get_or_insert_with(|| {
            let mut order: Vec<usize> = (0..fields.len()).collect();
            order.sort_by_key(|&index| fields[index].number);
            order.into()
        });
        Rc::clone(order)
    }

    pub fn message(&mut self, message: &DynamicMessage) -> Result<(), Error> {
        let definition = self.schema.message(message.id);
        for &index in self.order(message.id).iter() {
            let field = &definition.fields[index];
            self.field(definition, field, message.get(index))
                .map_err(|error| within(error, segment(field)))?;
        }
        if self.dialect.writes_unknown {
            if definition.message_set {
                message_set::write_unknown(&mut self.out, &message.unknown);
            } else {
                unknown::write(&mut self.out, &message.unknown);
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        definition: &Message,
        field: &Field,
        value: Option<&Value>,
    ) -> Result<(), Error> {
        let Some(proto) = field.proto else {
            return match value {
                Some(_) => Err(refused("the field has no protobuf form")),
                None => Ok(()),
            };
        };
        let implicit = field.presence == Presence::Implicit;
        let default;
        let value = match (value, proto.shape) {
            (Some(value), ProtoShape::Singular(_))
                if implicit && !self.dialect.writes_negative_zero && is_negative_zero(value) =>
            {
                return Ok(());
            }
            (Some(value), _) => value,
            (None, _) if field.presence == Presence::Required => {
                return Err(refused("required field is absent"));
            }
            (None, ProtoShape::Singular(_)) if implicit && self.dialect.writes_defaults => {
                default = Value::default_of(self.schema, &field.ty);
                &default
            }
            (None, _) => return Ok(()),
        };
        if definition.message_set && field.extension.is_some() {
            return message_set::write(self, field, value);
        }
        if field.number > MAX_NUMBER {
            return Err(refused("the field number exceeds 2^29 - 1"));
        }
        match (proto.shape, value) {
            (ProtoShape::Singular(kind), _) => {
                self.single(field.number, kind, &field.ty, proto.utf8, value)
            }
            (ProtoShape::Repeated { kind, packed }, Value::List(values)) => {
                self.repeated(field, proto, kind, packed, values)
            }
            (ProtoShape::Map { key, value }, Value::Map(entries)) => {
                map::write(self, field, (key, value), entries)
            }
            _ => Err(refused(format!("a {} is not a collection", value.kind()))),
        }
    }

    fn repeated(
        &mut self,
        field: &Field,
        proto: ProtoField,
        kind: ProtoKind,
        packed: bool,
        values: &[Value],
    ) -> Result<(), Error> {
        let ty = field.ty.element().unwrap_or(&field.ty);
        if values.is_empty() {
            return Ok(());
        }
        if !packed {
            for (position, value) in values.iter().enumerate() {
                self.single(field.number, kind, ty, proto.utf8, value)
                    .map_err(|error| within(error, Segment::Index(position)))?;
            }
            return Ok(());
        }
        self.out.tag(field.number, WireType::Len);
        let mark = self.out.open();
        for (position, value) in values.iter().enumerate() {
            self.scalar(kind, proto.utf8, value)
                .map_err(|error| within(error, Segment::Index(position)))?;
        }
        self.out.close(mark);
        Ok(())
    }

    /// A tag and one value.
    pub fn single(
        &mut self,
        number: u32,
        kind: ProtoKind,
        ty: &Type,
        utf8: bool,
        value: &Value,
    ) -> Result<(), Error> {
        match kind {
            ProtoKind::Message => {
                let message = message_of(ty, value)?;
                self.out.tag(number, WireType::Len);
                let mark = self.out.open();
                self.message(message)?;
                self.out.close(mark);
                Ok(())
            }
            ProtoKind::Group => {
                let message = message_of(ty, value)?;
                self.out.tag(number, WireType::StartGroup);
                self.message(message)?;
                self.out.tag(number, WireType::EndGroup);
                Ok(())
            }
            _ => {
                self.out.tag(number, WireType::of(kind));
                self.scalar(kind, utf8, value)
            }
        }
    }

    fn scalar(&mut self, kind: ProtoKind, utf8: bool, value: &Value) -> Result<(), Error> {
        if scalar::write(&mut self.out, kind, value, utf8) {
            return Ok(());
        }
        let (found, wanted) = (value.kind(), scalar::meaning(kind));
        Err(refused(format!(
            "a {found} of this value has no form as {wanted}"
        )))
    }
}

/// The message in `value`, if it is one of type `ty`.
pub(super) fn message_of<'v>(ty: &Type, value: &'v Value) -> Result<&'v DynamicMessage, Error> {
    match (ty, value) {
        (Type::Message(id), Value::Message(message)) if message.id == *id => Ok(message),
        _ => Err(refused(format!(
            "a {} stands where a message of the field's type belongs",
            value.kind()
        ))),
    }
}

pub(super) fn is_negative_zero(value: &Value) -> bool {
    match value {
        Value::Float32(value) => value.to_bits() == (-0.0f32).to_bits(),
        Value::Float64(value) => value.to_bits() == (-0.0f64).to_bits(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interop_schema::proto::compile_text;

    fn encoded(schema: &Schema, message: &DynamicMessage) -> Result<Vec<u8>, Error> {
        let dialect = Dialect::default();
        let bytes = encode(schema, message, &dialect)?;
        assert_eq!(encoded_len(schema, message, &dialect)?, bytes.len());
        Ok(bytes)
    }

    #[test]
    fn fields_go_by_number_not_by_declaration() {
        let schema =
            compile_text("syntax = \"proto3\"; message M { int32 b = 2; int32 a = 1; }").unwrap();
        let mut m = DynamicMessage::new(&schema, MessageId(0));
        m.set(&schema, 0, Value::Int(2));
        m.set(&schema, 1, Value::Int(1));
        assert_eq!(encoded(&schema, &m).unwrap(), [0x08, 1, 0x10, 2]);
    }

    #[test]
    fn absent_required_and_wrong_values_are_named_by_path() {
        let schema = compile_text(
            "syntax = \"proto2\"; message I { required int32 r = 1; repeated int32 l = 2; }
             message M { repeated I i = 1; }",
        )
        .unwrap();
        let (inner, outer) = (MessageId(0), MessageId(1));
        let message = |inner: DynamicMessage| {
            let mut m = DynamicMessage::new(&schema, outer);
            let inner = Value::Message(Box::new(inner));
            m.set(&schema, 0, Value::List(vec![inner]));
            m
        };
        let mut broken = DynamicMessage::new(&schema, inner);
        let error = encoded(&schema, &message(broken.clone())).unwrap_err();
        assert_eq!(error.path.to_string(), "i[0].r");
        broken.set(&schema, 0, Value::Int(1));
        broken.set(&schema, 1, Value::List(vec![Value::Int(1), Value::Null]));
        let error = encoded(&schema, &message(broken)).unwrap_err();
        assert_eq!(error.path.to_string(), "i[0].l[1]");
    }

    #[test]
    fn dialects_decide_about_defaults() {
        let schema = compile_text(
            "syntax = \"proto3\"; message M { int32 a = 1; double d = 2; string s = 3;
             optional int32 o = 4; M m = 5; repeated int32 r = 6; map<int32, int32> p = 7; }",
        )
        .unwrap();
        let mut m = DynamicMessage::new(&schema, MessageId(0));
        m.set(&schema, 1, Value::Float64(-0.0));
        assert_eq!(encoded(&schema, &m).unwrap().len(), 9);
        let dialect = Dialect {
            writes_negative_zero: false,
            ..Dialect::default()
        };
        assert!(encode(&schema, &m, &dialect).unwrap().is_empty());
        let dialect = Dialect {
            writes_defaults: true,
            ..Dialect::default()
        };
        m.clear(1);
        let bytes = encode(&schema, &m, &dialect).unwrap();
        assert_eq!(bytes, [8, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0x1a, 0]);
        assert_eq!(encoded_len(&schema, &m, &dialect).unwrap(), bytes.len());
    }
}
