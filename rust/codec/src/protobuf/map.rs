//! Maps: on the wire, repeated entry messages of key (1) and value (2).

use interop_schema::{Field, ProtoKind, Schema, Slot, Type};
use interop_wire::Reader;

use super::decode::{Site, is_listed, push_unknown, read_message};
use super::dialect::MapOrder;
use super::encode::{Encoder, is_negative_zero, refused, within};
use super::output::Output;
use super::tag::{self, Tag, WireType};
use super::{scalar, unknown};
use crate::{Cursor, DynamicMessage, Error, Key, Segment, UnknownValue, Value};

/// What an entry is made of.
#[derive(Clone, Copy)]
pub(super) struct Entry<'s> {
    pub key: ProtoKind,
    pub value: ProtoKind,
    pub key_slot: &'s Slot,
    pub value_slot: &'s Slot,
    pub utf8: bool,
}

impl<'s> Entry<'s> {
    fn of(field: &'s Field, (key, value): (ProtoKind, ProtoKind)) -> Option<Self> {
        let Type::Map(key_slot, value_slot) = &field.ty else {
            return None;
        };
        Some(Self {
            key,
            value,
            key_slot,
            value_slot,
            utf8: field.proto.is_some_and(|proto| proto.utf8),
        })
    }
}

/// Reads one entry. Equal keys are sorted out when the whole message is complete.
pub(super) fn read(
    site: Site<'_>,
    kinds: (ProtoKind, ProtoKind),
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    message: &mut DynamicMessage,
) -> Result<(), Error> {
    let tag = site.tag;
    let Some(entry) = Entry::of(site.field, kinds) else {
        return Err(cursor.mismatch(tag.start, "the field's type is no map"));
    };
    let position = match message.get(site.index) {
        Some(Value::Map(entries)) => entries.len(),
        _ => 0,
    };
    cursor.charge_values(tag.start, 2)?;
    let key = peek_key(reader, entry);
    let segment = || match key {
        Some(key) => Segment::Key(key),
        None => Segment::Index(position),
    };
    let mut inner = None;
    let pair = cursor.at(segment, |cursor| {
        tag.span(cursor, Some(&site.field.name));
        let mut reader = tag::read_delimited(cursor, reader)?;
        inner = Some(reader.clone());
        cursor.nested(tag.start, |cursor| {
            read_entry(site.schema, cursor, &mut reader, entry)
        })
    })?;
    let Some(pair) = pair else {
        // An unlisted number of a closed enum: the whole entry is unknown.
        let bytes = inner.map_or(Vec::new(), |inner| inner.rest().to_vec());
        return push_unknown(cursor, message, tag, UnknownValue::Bytes(bytes));
    };
    match message.slot(site.index) {
        Some(Value::Map(entries)) => entries.push(pair),
        slot => *slot = Some(Value::Map(vec![pair])),
    }
    Ok(())
}

/// Key and value of an entry; `None` when the value is an unlisted number of a closed enum.
fn read_entry(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'_>,
    entry: Entry<'_>,
) -> Result<Option<(Value, Value)>, Error> {
    let (mut key, mut value) = (None, None);
    let mut listed = true;
    while !reader.is_empty() {
        let tag = Tag::read(reader).map_err(|error| cursor.wire(error))?;
        match tag.number {
            1 if tag.wire_type == WireType::of(entry.key) => {
                tag.span(cursor, Some("key"));
                let ty = &entry.key_slot.ty;
                key = Some(scalar::read(
                    schema, cursor, reader, entry.key, ty, entry.utf8,
                )?);
            }
            2 if tag.wire_type == WireType::of(entry.value) => {
                tag.span(cursor, Some("value"));
                let ty = &entry.value_slot.ty;
                if let Type::Message(id) = ty {
                    value = Some(read_message(
                        schema,
                        cursor,
                        reader,
                        tag,
                        *id,
                        value.take(),
                    )?);
                    continue;
                }
                let read = scalar::read(schema, cursor, reader, entry.value, ty, entry.utf8)?;
                listed = is_listed(schema, ty, &read);
                value = Some(read);
            }
            // Nothing keeps the unknown fields of an entry: a map has no place for them.
            _ => {
                unknown::read(cursor, reader, tag)?;
            }
        }
    }
    if !listed {
        return Ok(None);
    }
    let key = key.unwrap_or_else(|| Value::default_of(schema, &entry.key_slot.ty));
    let value = match value {
        Some(value) => value,
        None => {
            if let Type::Message(id) = entry.value_slot.ty {
                let size = DynamicMessage::size_in_memory(schema, id);
                cursor.charge(reader.offset(), 1, size)?;
            }
            Value::default_of(schema, &entry.value_slot.ty)
        }
    };
    Ok(Some((key, value)))
}

/// The key of the entry that `reader` stands before, as text, so that the path names it even
/// where the value comes first. `None` when it can't be told without reading groups.
fn peek_key(reader: &Reader<'_>, entry: Entry<'_>) -> Option<String> {
    let mut reader = reader.clone();
    let len = reader.varint().ok()?;
    let mut reader = reader.sub(len).ok()?;
    let mut key = None;
    while !reader.is_empty() {
        let tag = Tag::read(&mut reader).ok()?;
        let is_key = tag.number == 1 && tag.wire_type == WireType::of(entry.key);
        let bits = match tag.wire_type {
            WireType::Varint => reader.varint().ok()?,
            WireType::Fixed64 => reader.u64().ok()?,
            WireType::Fixed32 => u64::from(reader.u32().ok()?),
            WireType::Len => {
                let len = reader.varint().ok()?;
                let text = reader.take(len).ok()?;
                if is_key {
                    key = Some(String::from_utf8_lossy(text).into_owned());
                }
                continue;
            }
            WireType::StartGroup | WireType::EndGroup => return key,
        };
        if is_key {
            let value = scalar::from_bits(entry.key, &entry.key_slot.ty, bits);
            key = Some(scalar::key_text(&value));
        }
    }
    // Without a key field, the key is the default.
    Some(key.unwrap_or_else(|| match entry.key {
        ProtoKind::String => String::new(),
        ProtoKind::Bool => "false".to_owned(),
        _ => "0".to_owned(),
    }))
}

/// Writes all entries, each with its tag, in the dialect's order.
pub(super) fn write<O: Output>(
    encoder: &mut Encoder<'_, O>,
    field: &Field,
    kinds: (ProtoKind, ProtoKind),
    entries: &[(Value, Value)],
) -> Result<(), Error> {
    let Some(entry) = Entry::of(field, kinds) else {
        return Err(refused("the field's type is no map"));
    };
    for position in order(encoder.dialect.map_order, entries) {
        let (key, value) = &entries[position];
        write_entry(encoder, field.number, entry, key, value)
            .map_err(|error| within(error, Segment::Key(scalar::key_text(key))))?;
    }
    Ok(())
}

fn write_entry<O: Output>(
    encoder: &mut Encoder<'_, O>,
    number: u32,
    entry: Entry<'_>,
    key: &Value,
    value: &Value,
) -> Result<(), Error> {
    let all = encoder.dialect.writes_entry_defaults;
    let is_default = |value: &Value, ty: &Type| {
        let empty = || Value::default_of(encoder.schema, ty);
        is_negative_zero(value) || *value == empty()
    };
    let writes_key = all || !is_default(key, &entry.key_slot.ty);
    let writes_value = all || !is_default(value, &entry.value_slot.ty);
    encoder.out.tag(number, WireType::Len);
    let mark = encoder.out.open();
    if writes_key {
        encoder.single(1, entry.key, &entry.key_slot.ty, entry.utf8, key)?;
    }
    if writes_value {
        encoder.single(2, entry.value, &entry.value_slot.ty, entry.utf8, value)?;
    }
    encoder.out.close(mark);
    Ok(())
}

/// Positions of `entries` in the order of writing.
fn order(map_order: MapOrder, entries: &[(Value, Value)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    match map_order {
        MapOrder::Stored => {}
        MapOrder::Sorted => order.sort_by_cached_key(|&at| entries[at].0.key()),
        MapOrder::SortedUtf16 => order.sort_by_cached_key(|&at| match &entries[at].0 {
            Value::String(text) => (text.encode_utf16().collect(), Key::Bool(false)),
            other => (Vec::new(), other.key()),
        }),
        MapOrder::SortedLongerFirst => {
            order.sort_by(|&a, &b| match (&entries[a].0, &entries[b].0) {
                (Value::String(a), Value::String(b)) => {
                    let common = a.len().min(b.len());
                    let shared = a.as_bytes()[..common].cmp(&b.as_bytes()[..common]);
                    shared.then(b.len().cmp(&a.len()))
                }
                (a, b) => a.key().cmp(&b.key()),
            })
        }
        MapOrder::ObjectProperties => {
            order.sort_by_key(|&at| match array_index(&entries[at].0) {
                Some(index) => (0, index),
                None => (1, at as u64),
            });
        }
    }
    order
}

/// The array index that a JavaScript property of this key is: a decimal number below 2^32 - 1
/// without sign or leading zeros (ECMA-262, "array index").
fn array_index(key: &Value) -> Option<u64> {
    let index = match key {
        Value::Int(value) => u64::try_from(*value).ok()?,
        Value::UInt(value) => *value,
        Value::String(text) => {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            let leading_zero = text.len() > 1 && text.starts_with('0');
            if !digits || leading_zero {
                return None;
            }
            text.parse().ok()?
        }
        _ => return None,
    };
    (index < u64::from(u32::MAX)).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(map_order: MapOrder, keys: &[&str]) -> Vec<String> {
        let entry = |key: &&str| (Value::String((*key).to_owned()), Value::Int(0));
        let entries: Vec<_> = keys.iter().map(entry).collect();
        let order = order(map_order, &entries);
        order.into_iter().map(|at| keys[at].to_owned()).collect()
    }

    #[test]
    fn object_properties_put_array_indices_first() {
        let keys = ["b", "10", "01", "a", "9", "4294967295"];
        assert_eq!(
            texts(MapOrder::ObjectProperties, &keys),
            ["9", "10", "b", "01", "a", "4294967295"]
        );
        assert_eq!(
            texts(MapOrder::Stored, &keys),
            ["b", "10", "01", "a", "9", "4294967295"]
        );
    }

    #[test]
    fn utf16_order_differs_above_the_surrogates() {
        let keys = ["\u{10000}", "\u{ffff}"];
        assert_eq!(texts(MapOrder::Sorted, &keys), ["\u{ffff}", "\u{10000}"]);
        assert_eq!(
            texts(MapOrder::SortedUtf16, &keys),
            ["\u{10000}", "\u{ffff}"]
        );
    }

    #[test]
    fn numbers_sort_by_value() {
        let entries: Vec<_> = [5, -1, 0].map(|n| (Value::Int(n), Value::Null)).into();
        assert_eq!(order(MapOrder::Sorted, &entries), [1, 2, 0]);
        assert_eq!(order(MapOrder::SortedUtf16, &entries), [1, 2, 0]);
    }
}
