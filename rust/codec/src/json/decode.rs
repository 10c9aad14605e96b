//! ProtoJSON text to values: messages, fields, lists, maps.

use std::collections::HashSet;

use interop_schema::{
    Message, MessageId, Presence, ProtoField, ProtoKind, ProtoShape, Schema, Slot, Type, WellKnown,
};
use interop_wire::{Error as WireError, ErrorKind as WireKind};

use super::ParseOptions;
use super::lexer::{Kind, Lexer};
use super::syntax::Name;
use crate::{Cursor, DecodeOptions, DynamicMessage, Error, Part, Segment, Value};

pub(super) struct Parser<'a, 's> {
    pub(super) lexer: Lexer<'a>,
    pub(super) schema: &'s Schema,
    pub(super) parse: ParseOptions,
}

pub(super) fn decode(
    schema: &Schema,
    id: MessageId,
    bytes: &[u8],
    options: DecodeOptions<'_>,
    parse: ParseOptions,
) -> Result<DynamicMessage, Error> {
    let mut cursor = Cursor::new(options, bytes.len())?;
    let mut parser = Parser {
        lexer: Lexer::new(bytes),
        schema,
        parse,
    };
    parser.space(&mut cursor);
    let message = parser.message(&mut cursor, id)?;
    parser.space(&mut cursor);
    match parser.lexer.remaining() {
        0 => Ok(message),
        count => {
            let kind = WireKind::TrailingBytes { count };
            Err(cursor.wire(WireError::new(parser.lexer.offset(), kind)))
        }
    }
}

impl<'a> Parser<'a, '_> {
    /// A message in whichever form its type has.
    pub(super) fn message(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
    ) -> Result<DynamicMessage, Error> {
        let message = self.schema.message(id);
        let offset = self.lexer.offset();
        cursor.charge(offset, 1, DynamicMessage::size_in_memory(self.schema, id))?;
        match message.well_known {
            None | Some(WellKnown::Empty) => {
                let mut fields = Fields::new(self.schema, id);
                self.require(cursor, Kind::Object, &message.full_name)?;
                self.object(cursor, |parser, cursor, name| {
                    parser.member(cursor, &mut fields, &name)
                })?;
                self.finish(cursor, offset, fields)
            }
            Some(well_known) => self.well_known(cursor, id, well_known),
        }
    }

    /// Checks what only a whole message shows.
    pub(super) fn finish(
        &self,
        cursor: &Cursor<'_>,
        offset: usize,
        fields: Fields,
    ) -> Result<DynamicMessage, Error> {
        let message = self.schema.message(fields.message.id);
        for (index, field) in message.fields.iter().enumerate() {
            if field.presence == Presence::Required && fields.message.get(index).is_none() {
                let text = format!("required field {} is missing", field.name);
                return Err(cursor.mismatch(offset, text));
            }
        }
        Ok(fields.message)
    }

    /// A member of a message's object, from its colon on.
    pub(super) fn member(
        &mut self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
        name: &Name<'a>,
    ) -> Result<(), Error> {
        let message = self.schema.message(fields.message.id);
        match message.field_by_name(&name.text) {
            Some(index) => cursor.at(
                || Segment::Field(path_name(message, index)),
                |cursor| self.field_member(cursor, fields, name, index),
            ),
            None => self.unknown_member(cursor, message, name),
        }
    }

    fn unknown_member(
        &mut self,
        cursor: &mut Cursor<'_>,
        message: &Message,
        name: &Name<'a>,
    ) -> Result<(), Error> {
        if !self.parse.ignore_unknown {
            let text = format!("{} has no field {:?}", message.full_name, name.text);
            return Err(cursor.mismatch(name.start, text));
        }
        self.named(cursor, name, Part::Metadata, "name of an unknown field")?;
        self.ignore(cursor)
    }

    fn field_member(
        &mut self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
        name: &Name<'a>,
        index: usize,
    ) -> Result<(), Error> {
        let schema = self.schema;
        let message = schema.message(fields.message.id);
        let field = &message.fields[index];
        self.named(cursor, name, Part::Metadata, "field name")?;
        if std::mem::replace(&mut fields.seen[index], true) {
            let text = "the field is given twice, under one name or both";
            return Err(cursor.mismatch(name.start, text));
        }
        if self.kind(cursor)? == Kind::Null && !takes_null(schema, &field.ty) {
            return self.null(cursor, "absent");
        }
        if let Some(oneof) = field.oneof
            && std::mem::replace(&mut fields.seen_oneofs[oneof], true)
        {
            let oneof = &message.oneofs[oneof].name;
            let text = format!("another member of oneof {oneof} is set already");
            return Err(cursor.mismatch(name.start, text));
        }
        if let Some(value) = self.field_value(cursor, &field.ty, field.proto)? {
            fields.message.set(schema, index, value);
        }
        Ok(())
    }

    /// A field's whole value; none when an unknown enum name is to be ignored.
    pub(super) fn field_value(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        proto: Option<ProtoField>,
    ) -> Result<Option<Value>, Error> {
        let shape = proto.map(|proto| proto.shape);
        match ty {
            Type::List(slot) | Type::Set(slot) => {
                let kind = element_kind(shape);
                self.list(cursor, &slot.ty, slot.nullable, kind).map(Some)
            }
            Type::Array(element) => {
                let kind = element_kind(shape);
                self.list(cursor, element, false, kind).map(Some)
            }
            Type::Map(key, value) => {
                let kinds = match shape {
                    Some(ProtoShape::Map { key, value }) => (Some(key), Some(value)),
                    _ => (None, None),
                };
                self.map(cursor, key, value, kinds).map(Some)
            }
            _ => {
                let kind = match shape {
                    Some(ProtoShape::Singular(kind)) => Some(kind),
                    _ => None,
                };
                self.value(cursor, ty, kind)
            }
        }
    }

    fn list(
        &mut self,
        cursor: &mut Cursor<'_>,
        element: &Type,
        nullable: bool,
        kind: Option<ProtoKind>,
    ) -> Result<Value, Error> {
        self.require(cursor, Kind::Array, "a repeated field")?;
        let mut values = Vec::new();
        self.array(cursor, |parser, cursor| {
            cursor.charge_values(parser.lexer.offset(), 1)?;
            let value = parser.item(cursor, element, nullable, kind, "a list")?;
            values.extend(value);
            Ok(())
        })?;
        Ok(Value::List(values))
    }

    fn map(
        &mut self,
        cursor: &mut Cursor<'_>,
        key: &Slot,
        value: &Slot,
        (key_kind, value_kind): (Option<ProtoKind>, Option<ProtoKind>),
    ) -> Result<Value, Error> {
        self.require(cursor, Kind::Object, "a map field")?;
        let mut seen = HashSet::new();
        let mut entries = Vec::new();
        self.object(cursor, |parser, cursor, name| {
            let segment = || Segment::Key(name.text.to_string());
            cursor.at(segment, |cursor| {
                cursor.charge_values(name.start, 4)?;
                let read = parser.map_key(cursor, &key.ty, key_kind, &name)?;
                if !seen.insert(read.key()) {
                    return Err(cursor.mismatch(name.start, "the map key is given twice"));
                }
                parser.named(cursor, &name, Part::Payload, "map key")?;
                parser.space(cursor);
                let item = parser.item(cursor, &value.ty, value.nullable, value_kind, "a map")?;
                entries.extend(item.map(|item| (read, item)));
                Ok(())
            })
        })?;
        Ok(Value::Map(entries))
    }

    /// An element of a list or a value of a map.
    fn item(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        nullable: bool,
        kind: Option<ProtoKind>,
        inside: &str,
    ) -> Result<Option<Value>, Error> {
        if self.kind(cursor)? == Kind::Null && !takes_null(self.schema, ty) {
            if nullable {
                self.null(cursor, "null")?;
                return Ok(Some(Value::Null));
            }
            let text = format!("null is not allowed in {inside}");
            return Err(cursor.mismatch(self.lexer.offset(), text));
        }
        match ty {
            Type::List(_) | Type::Set(_) | Type::Array(_) | Type::Map(..) => {
                let offset = self.lexer.offset();
                cursor.nested(offset, |cursor| self.field_value(cursor, ty, None))
            }
            _ => self.value(cursor, ty, kind),
        }
    }

    /// A sub-message, one level deeper.
    pub(super) fn sub_message(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
    ) -> Result<Value, Error> {
        self.space(cursor);
        let offset = self.lexer.offset();
        let message = cursor.nested(offset, |cursor| self.message(cursor, id))?;
        Ok(Value::Message(Box::new(message)))
    }
}

/// A message being read, and which of its fields and oneofs were named already.
pub(super) struct Fields {
    pub(super) message: DynamicMessage,
    seen: Vec<bool>,
    seen_oneofs: Vec<bool>,
}

impl Fields {
    pub(super) fn new(schema: &Schema, id: MessageId) -> Self {
        let message = schema.message(id);
        Self {
            message: DynamicMessage::new(schema, id),
            seen: vec![false; message.fields.len()],
            seen_oneofs: vec![false; message.oneofs.len()],
        }
    }
}

/// The name of a field in paths: as in the schema, and in brackets for an extension.
pub(super) fn path_name(message: &Message, index: usize) -> String {
    let field = &message.fields[index];
    match field.extension {
        Some(_) => field.json_name.clone(),
        None => field.name.clone(),
    }
}

/// True for the types in which JSON's null is a value: `google.protobuf.Value` and
/// `google.protobuf.NullValue`.
fn takes_null(schema: &Schema, ty: &Type) -> bool {
    match ty {
        Type::Message(id) => schema.message(*id).well_known == Some(WellKnown::Value),
        Type::Enum(id) => schema.enumeration(*id).full_name == super::NULL_VALUE,
        _ => false,
    }
}

fn element_kind(shape: Option<ProtoShape>) -> Option<ProtoKind> {
    match shape {
        Some(ProtoShape::Repeated { kind, .. }) => Some(kind),
        _ => None,
    }
}
