//! Fields that the schema lacks: kept in the order read, written back as they came.

use interop_wire::Reader;

use super::output::Output;
use super::scalar::describe_bytes;
use super::tag::{self, Tag, WireType};
use crate::{Cursor, Error, Part, Segment, UnknownField, UnknownValue};

/// Reads the field behind `tag`, reporting the tag too.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    tag: Tag,
) -> Result<UnknownField, Error> {
    cursor.charge(tag.start, 1, size_of::<UnknownField>())?;
    let number = tag.number;
    let value = cursor.at(
        || Segment::Unknown(number),
        |cursor| {
            tag.span(cursor, None);
            read_value(cursor, reader, tag)
        },
    )?;
    Ok(UnknownField { number, value })
}

fn read_value(
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    tag: Tag,
) -> Result<UnknownValue, Error> {
    let start = reader.offset();
    let value = match tag.wire_type {
        WireType::Varint => reader.varint().map(UnknownValue::Varint),
        WireType::Fixed64 => reader.u64().map(UnknownValue::Fixed64),
        WireType::Fixed32 => reader.u32().map(UnknownValue::Fixed32),
        WireType::Len => {
            let inner = tag::read_delimited(cursor, reader)?;
            let bytes = inner.rest();
            let (start, end) = (inner.offset(), inner.end());
            cursor.span(start, end, Part::Payload, "unknown bytes", || {
                describe_bytes(bytes)
            });
            return Ok(UnknownValue::Bytes(bytes.to_vec()));
        }
        WireType::StartGroup => {
            let fields = cursor.nested(tag.start, |cursor| {
                read_group(cursor, reader, tag.number, tag.start)
            })?;
            return Ok(UnknownValue::Group(fields));
        }
        WireType::EndGroup => return Err(unpaired_end(cursor, tag)),
    };
    let value = value.map_err(|error| cursor.wire(error))?;
    let (end, meaning) = (reader.offset(), meaning(&value));
    cursor.span(start, end, Part::Payload, meaning, || match &value {
        UnknownValue::Varint(bits) | UnknownValue::Fixed64(bits) => bits.to_string(),
        UnknownValue::Fixed32(bits) => bits.to_string(),
        UnknownValue::Bytes(_) | UnknownValue::Group(_) => String::new(),
    });
    Ok(value)
}

const fn meaning(value: &UnknownValue) -> &'static str {
    match value {
        UnknownValue::Varint(_) => "unknown varint",
        UnknownValue::Fixed64(_) => "unknown 64-bit",
        UnknownValue::Fixed32(_) => "unknown 32-bit",
        UnknownValue::Bytes(_) => "unknown bytes",
        UnknownValue::Group(_) => "unknown group",
    }
}

fn read_group(
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    number: u32,
    start: usize,
) -> Result<Vec<UnknownField>, Error> {
    let mut fields = Vec::new();
    loop {
        let Some(tag) = next_in_group(cursor, reader, number, start)? else {
            return Ok(fields);
        };
        fields.push(read(cursor, reader, tag)?);
    }
}

/// The next tag inside the group `number`, which began at `start`; `None`, and reported, when it
/// is the group's own end.
pub(super) fn next_in_group(
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    number: u32,
    start: usize,
) -> Result<Option<Tag>, Error> {
    if reader.is_empty() {
        let text = format!("the group of field {number} is not closed");
        return Err(cursor.malformed(start, text));
    }
    let tag = Tag::read(reader).map_err(|error| cursor.wire(error))?;
    if tag.wire_type != WireType::EndGroup {
        return Ok(Some(tag));
    }
    if tag.number != number {
        let text = format!(
            "the group of field {number} is closed by field {}",
            tag.number
        );
        return Err(cursor.malformed(tag.start, text));
    }
    tag.span(cursor, None);
    Ok(None)
}

/// The error for a group end where no group is open.
pub(super) fn unpaired_end(cursor: &Cursor<'_>, tag: Tag) -> Error {
    let text = format!("group end of field {} without a start", tag.number);
    cursor.malformed(tag.start, text)
}

/// Writes `fields` with their tags.
pub(super) fn write(out: &mut impl Output, fields: &[UnknownField]) {
    for field in fields {
        let number = field.number;
        match &field.value {
            UnknownValue::Varint(bits) => {
                out.tag(number, WireType::Varint);
                out.varint(*bits);
            }
            UnknownValue::Fixed64(bits) => {
                out.tag(number, WireType::Fixed64);
                out.fixed64(*bits);
            }
            UnknownValue::Fixed32(bits) => {
                out.tag(number, WireType::Fixed32);
                out.fixed32(*bits);
            }
            UnknownValue::Bytes(bytes) => {
                out.tag(number, WireType::Len);
                out.varint(bytes.len() as u64);
                out.bytes(bytes);
            }
            UnknownValue::Group(inner) => {
                out.tag(number, WireType::StartGroup);
                write(out, inner);
                out.tag(number, WireType::EndGroup);
            }
        }
    }
}
