//! Bytes to values.

use interop_schema::{Field, MessageId, ProtoKind, ProtoShape, Schema, Type};
use interop_wire::Reader;

use super::complete::complete;
use super::encode::segment;
use super::tag::{self, Tag, WireType};
use super::{map, message_set, repeated, scalar, unknown};
use crate::{Cursor, DecodeOptions, DynamicMessage, Error, UnknownField, UnknownValue, Value};

/// Decodes a message of type `id`.
///
/// # Errors
/// With byte offset and field path: malformed bytes, text that is not UTF-8 where the schema
/// wants it, absent required fields, and the limits.
pub fn decode(
    schema: &Schema,
    id: MessageId,
    bytes: &[u8],
    options: DecodeOptions<'_>,
) -> Result<DynamicMessage, Error> {
    let mut cursor = Cursor::new(options, bytes.len())?;
    cursor.charge(0, 1, DynamicMessage::size_in_memory(schema, id))?;
    let mut message = DynamicMessage::new(schema, id);
    read_fields(schema, &mut cursor, &mut Reader::new(bytes), &mut message)?;
    complete(schema, &mut cursor, bytes.len(), &mut message)?;
    Ok(message)
}

/// Reads fields into `message` up to the end of `reader`.
pub(super) fn read_fields(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    message: &mut DynamicMessage,
) -> Result<(), Error> {
    while !reader.is_empty() {
        let tag = Tag::read(reader).map_err(|error| cursor.wire(error))?;
        read_field(schema, cursor, reader, message, tag)?;
    }
    Ok(())
}

fn read_group(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    message: &mut DynamicMessage,
    start: Tag,
) -> Result<(), Error> {
    loop {
        let Some(tag) = unknown::next_in_group(cursor, reader, start.number, start.start)? else {
            return Ok(());
        };
        read_field(schema, cursor, reader, message, tag)?;
    }
}

/// How a known field arrives.
enum Form {
    Singular(ProtoKind),
    Element(ProtoKind),
    Packed(ProtoKind),
    Map(ProtoKind, ProtoKind),
}

/// The form in which `field` arrives with this wire type; `None` when it is none of the field's.
fn form(field: &Field, wire_type: WireType) -> Option<Form> {
    let fits = |kind| WireType::of(kind) == wire_type;
    match field.proto?.shape {
        ProtoShape::Singular(kind) if fits(kind) => Some(Form::Singular(kind)),
        ProtoShape::Repeated { kind, .. } if fits(kind) => Some(Form::Element(kind)),
        ProtoShape::Repeated { kind, .. } if kind.is_packable() && wire_type == WireType::Len => {
            Some(Form::Packed(kind))
        }
        ProtoShape::Map { key, value } if wire_type == WireType::Len => Some(Form::Map(key, value)),
        _ => None,
    }
}

fn read_field(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    message: &mut DynamicMessage,
    tag: Tag,
) -> Result<(), Error> {
    let definition = schema.message(message.id);
    if definition.message_set && tag.number == 1 && tag.wire_type == WireType::StartGroup {
        return message_set::read(schema, cursor, reader, message, tag);
    }
    let index = definition.field_by_number(tag.number);
    let known = index.and_then(|index| {
        let field = &definition.fields[index];
        Some((index, field, form(field, tag.wire_type)?))
    });
    let Some((index, field, form)) = known else {
        if tag.wire_type == WireType::EndGroup {
            return Err(unknown::unpaired_end(cursor, tag));
        }
        let field = unknown::read(cursor, reader, tag)?;
        message.unknown.push(field);
        return Ok(());
    };
    let site = Site {
        schema,
        index,
        field,
        tag,
    };
    cursor.at(
        || segment(field),
        |cursor| match form {
            Form::Singular(kind) => read_singular(site, kind, cursor, reader, message),
            Form::Element(kind) => repeated::read_one(site, kind, cursor, reader, message),
            Form::Packed(kind) => repeated::read_packed(site, kind, cursor, reader, message),
            Form::Map(key, value) => map::read(site, (key, value), cursor, reader, message),
        },
    )
}

/// A known field and the tag that announced it.
#[derive(Clone, Copy)]
pub(super) struct Site<'s> {
    pub schema: &'s Schema,
    /// Index in the message's fields.
    pub index: usize,
    pub field: &'s Field,
    pub tag: Tag,
}

impl<'s> Site<'s> {
    /// Type of one element, or of the value of a singular field.
    pub fn element(&self) -> &'s Type {
        self.field.ty.element().unwrap_or(&self.field.ty)
    }

    /// Reads one value of the field. A message merges into `old`, if that is one.
    pub fn read(
        &self,
        kind: ProtoKind,
        cursor: &mut Cursor<'_>,
        reader: &mut Reader<'_>,
        old: Option<Value>,
    ) -> Result<Value, Error> {
        self.tag.span(cursor, Some(&self.field.name));
        let ty = self.element();
        match ty {
            Type::Message(id) => read_message(self.schema, cursor, reader, self.tag, *id, old),
            _ => {
                let utf8 = self.field.proto.is_some_and(|proto| proto.utf8);
                scalar::read(self.schema, cursor, reader, kind, ty, utf8)
            }
        }
    }
}

fn read_singular(
    site: Site<'_>,
    kind: ProtoKind,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    message: &mut DynamicMessage,
) -> Result<(), Error> {
    let old = match site.field.ty {
        Type::Message(_) => message.slot(site.index).take(),
        _ => None,
    };
    let value = site.read(kind, cursor, reader, old)?;
    if is_listed(site.schema, &site.field.ty, &value) {
        message.set(site.schema, site.index, value);
        return Ok(());
    }
    push_unlisted(cursor, reader, message, site.tag)
}

/// Reads a length-delimited message or a group, as `tag` says, into `old` or an empty message.
pub(super) fn read_message(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    tag: Tag,
    id: MessageId,
    old: Option<Value>,
) -> Result<Value, Error> {
    let mut message = match old {
        Some(Value::Message(message)) => message,
        _ => {
            cursor.charge(tag.start, 1, DynamicMessage::size_in_memory(schema, id))?;
            Box::new(DynamicMessage::new(schema, id))
        }
    };
    if tag.wire_type == WireType::StartGroup {
        cursor.nested(tag.start, |cursor| {
            read_group(schema, cursor, reader, &mut message, tag)
        })?;
    } else {
        let mut inner = tag::read_delimited(cursor, reader)?;
        cursor.nested(tag.start, |cursor| {
            read_fields(schema, cursor, &mut inner, &mut message)
        })?;
    }
    Ok(Value::Message(message))
}

/// False for a number that a closed enum does not list.
pub(super) fn is_listed(schema: &Schema, ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Enum(id), Value::Enum(number)) => {
            let definition = schema.enumeration(*id);
            !definition.closed || definition.name_of(*number).is_some()
        }
        _ => true,
    }
}

/// Keeps the unlisted enum number that was just read behind `tag` as an unknown varint.
pub(super) fn push_unlisted(
    cursor: &mut Cursor<'_>,
    reader: &Reader<'_>,
    message: &mut DynamicMessage,
    tag: Tag,
) -> Result<(), Error> {
    let mut read = Reader::new(reader.slice(tag.end, reader.offset()));
    let bits = read.varint().map_err(|error| cursor.wire(error))?;
    push_unknown(cursor, message, tag, UnknownValue::Varint(bits))
}

/// Keeps `value` as an unknown field with the number of `tag`.
pub(super) fn push_unknown(
    cursor: &mut Cursor<'_>,
    message: &mut DynamicMessage,
    tag: Tag,
    value: UnknownValue,
) -> Result<(), Error> {
    cursor.charge(tag.start, 1, size_of::<UnknownField>())?;
    let number = tag.number;
    message.unknown.push(UnknownField { number, value });
    Ok(())
}
