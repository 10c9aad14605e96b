//! proto2's MessageSet: extensions as items, each a group 1 of type id (2) and message (3), after
//! `message_set_wire_format` in protobuf's descriptor documentation.

use interop_schema::{Field, Schema, Type};
use interop_wire::Reader;

use super::decode::read_fields;
use super::encode::{Encoder, message_of, segment};
use super::output::Output;
use super::tag::{self, Tag, WireType};
use super::unknown;
use crate::{Cursor, DynamicMessage, Error, Part, Segment, UnknownField, UnknownValue, Value};

const ITEM: u32 = 1;
const TYPE_ID: u32 = 2;
const MESSAGE: u32 = 3;

/// Reads the item whose group `start` opens. The message may stand before the type id; of
/// several type ids the first counts, and messages behind one another merge.
pub(super) fn read(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    message: &mut DynamicMessage,
    start: Tag,
) -> Result<(), Error> {
    start.span(cursor, Some("item"));
    let mut type_id = None;
    let mut waiting: Vec<(Tag, Reader<'_>)> = Vec::new();
    cursor.nested(start.start, |cursor| {
        while let Some(tag) = unknown::next_in_group(cursor, reader, ITEM, start.start)? {
            match (tag.number, tag.wire_type) {
                (TYPE_ID, WireType::Varint) => {
                    tag.span(cursor, Some("type_id"));
                    let number = read_type_id(cursor, reader)?;
                    let number = *type_id.get_or_insert(number);
                    for (tag, mut inner) in std::mem::take(&mut waiting) {
                        place(schema, cursor, &mut inner, message, (tag, number))?;
                    }
                }
                (MESSAGE, WireType::Len) => {
                    tag.span(cursor, Some("message"));
                    let mut inner = tag::read_delimited(cursor, reader)?;
                    match type_id {
                        Some(number) => place(schema, cursor, &mut inner, message, (tag, number))?,
                        None => {
                            cursor.charge(tag.start, 1, size_of::<(Tag, Reader<'_>)>())?;
                            waiting.push((tag, inner));
                        }
                    }
                }
                // An item has no place for other fields.
                _ => {
                    unknown::read(cursor, reader, tag)?;
                }
            }
        }
        Ok(())
    })?;
    // Messages without a type id belong to nothing; they are dropped as in other readers.
    for (_, inner) in waiting {
        span_rest(cursor, &inner, "message without a type id");
    }
    Ok(())
}

fn read_type_id(cursor: &mut Cursor<'_>, reader: &mut Reader<'_>) -> Result<u32, Error> {
    let start = reader.offset();
    let number = reader.varint().map_err(|error| cursor.wire(error))?;
    cursor.span(start, reader.offset(), Part::Framing, "type id", || {
        number.to_string()
    });
    match u32::try_from(number) {
        Ok(number @ 1..=0x7fff_ffff) => Ok(number),
        _ => Err(cursor.malformed(start, format!("type id {number} is not in 1 to 2^31 - 1"))),
    }
}

fn span_rest(cursor: &mut Cursor<'_>, reader: &Reader<'_>, meaning: &str) {
    let bytes = reader.rest();
    let (start, end) = (reader.offset(), reader.end());
    cursor.span(start, end, Part::Payload, meaning, || {
        super::scalar::describe_bytes(bytes)
    });
}

/// Merges the message that `inner` holds into the extension of this type id, or keeps its bytes
/// as an unknown field.
fn place(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    inner: &mut Reader<'_>,
    message: &mut DynamicMessage,
    (tag, number): (Tag, u32),
) -> Result<(), Error> {
    let definition = schema.message(message.id);
    let index = definition.field_by_number(number);
    let known = index.and_then(|index| match definition.fields[index].ty {
        Type::Message(id) => Some((index, id)),
        _ => None,
    });
    let Some((index, id)) = known else {
        cursor.charge(tag.start, 1, size_of::<UnknownField>())?;
        cursor.at(
            || Segment::Unknown(number),
            |cursor| {
                span_rest(cursor, inner, "unknown bytes");
                Ok(())
            },
        )?;
        message.unknown.push(UnknownField {
            number,
            value: UnknownValue::Bytes(inner.rest().to_vec()),
        });
        return Ok(());
    };
    let field = &definition.fields[index];
    let mut extension = match message.slot(index).take() {
        Some(Value::Message(extension)) => extension,
        _ => {
            cursor.charge(tag.start, 1, DynamicMessage::size_in_memory(schema, id))?;
            Box::new(DynamicMessage::new(schema, id))
        }
    };
    cursor.at(
        || segment(field),
        |cursor| {
            cursor.nested(tag.start, |cursor| {
                read_fields(schema, cursor, inner, &mut extension)
            })
        },
    )?;
    *message.slot(index) = Some(Value::Message(extension));
    Ok(())
}

/// Writes an extension as an item.
pub(super) fn write<O: Output>(
    encoder: &mut Encoder<'_, O>,
    field: &Field,
    value: &Value,
) -> Result<(), Error> {
    let message = message_of(&field.ty, value)?;
    encoder.out.tag(ITEM, WireType::StartGroup);
    encoder.out.tag(TYPE_ID, WireType::Varint);
    encoder.out.varint(u64::from(field.number));
    encoder.out.tag(MESSAGE, WireType::Len);
    let mark = encoder.out.open();
    encoder.message(message)?;
    encoder.out.close(mark);
    encoder.out.tag(ITEM, WireType::EndGroup);
    Ok(())
}

/// Writes unknown fields of a MessageSet: length-delimited ones as items.
pub(super) fn write_unknown(out: &mut impl Output, fields: &[UnknownField]) {
    for field in fields {
        let UnknownValue::Bytes(bytes) = &field.value else {
            unknown::write(out, std::slice::from_ref(field));
            continue;
        };
        out.tag(ITEM, WireType::StartGroup);
        out.tag(TYPE_ID, WireType::Varint);
        out.varint(u64::from(field.number));
        out.tag(MESSAGE, WireType::Len);
        out.varint(bytes.len() as u64);
        out.bytes(bytes);
        out.tag(ITEM, WireType::EndGroup);
    }
}
