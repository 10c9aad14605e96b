//! Repeated fields: one element a tag, or a packed run. Readers take both.

use interop_schema::ProtoKind;
use interop_wire::Reader;

use super::decode::{Site, is_listed, push_unknown, push_unlisted};
use super::scalar;
use super::tag::{self, WireType};
use crate::{Cursor, DynamicMessage, Error, Part, Segment, UnknownValue, Value};

/// Reads one element.
pub(super) fn read_one(
    site: Site<'_>,
    kind: ProtoKind,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    message: &mut DynamicMessage,
) -> Result<(), Error> {
    let position = match message.get(site.index) {
        Some(Value::List(values)) => values.len(),
        _ => 0,
    };
    cursor.charge_values(site.tag.start, 1)?;
    let value = cursor.at(
        || Segment::Index(position),
        |cursor| site.read(kind, cursor, reader, None),
    )?;
    if !is_listed(site.schema, site.element(), &value) {
        return push_unlisted(cursor, reader, message, site.tag);
    }
    match message.slot(site.index) {
        Some(Value::List(values)) => values.push(value),
        slot => *slot = Some(Value::List(vec![value])),
    }
    Ok(())
}

/// Reads a packed run.
pub(super) fn read_packed(
    site: Site<'_>,
    kind: ProtoKind,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    message: &mut DynamicMessage,
) -> Result<(), Error> {
    site.tag.span(cursor, Some(&site.field.name));
    let mut run = tag::read_delimited(cursor, reader)?;
    let ty = site.element();
    let count = match WireType::of(kind) {
        WireType::Fixed32 => run.remaining() / 4,
        WireType::Fixed64 => run.remaining() / 8,
        // Each varint ends in the one byte that has no continuation bit.
        _ => run.rest().iter().filter(|byte| **byte < 0x80).count(),
    };
    cursor.charge_values(run.offset(), count)?;
    let mut values = match message.slot(site.index).take() {
        Some(Value::List(values)) => values,
        _ => Vec::new(),
    };
    values.reserve(count);
    while !run.is_empty() {
        let position = values.len();
        let (bits, value) = cursor.at(
            || Segment::Index(position),
            |cursor| {
                let (start, bits) = scalar::read_bits(cursor, &mut run, kind)?;
                let value = scalar::from_bits(kind, ty, bits);
                let meaning = scalar::meaning(kind);
                cursor.span(start, run.offset(), Part::Payload, meaning, || {
                    scalar::describe(site.schema, ty, &value)
                });
                Ok((bits, value))
            },
        )?;
        if is_listed(site.schema, ty, &value) {
            values.push(value);
        } else {
            push_unknown(cursor, message, site.tag, UnknownValue::Varint(bits))?;
        }
    }
    // An empty run says nothing, and no element is no list.
    if !values.is_empty() {
        *message.slot(site.index) = Some(Value::List(values));
    }
    Ok(())
}
