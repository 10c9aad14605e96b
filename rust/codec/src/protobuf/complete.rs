//! What can be judged only when a whole message has been read, because copies of a sub-message
//! merge: required fields, and which of a map's equal keys came last.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use interop_schema::{Presence, Schema, Type};

use super::encode::segment;
use super::scalar::key_text;
use crate::{Cursor, DynamicMessage, Error, Segment, Value};

/// Refuses absent required fields, and leaves one entry a key in every map. `end` is the offset
/// past the last byte.
pub(super) fn complete(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    end: usize,
    message: &mut DynamicMessage,
) -> Result<(), Error> {
    for (index, field) in schema.message(message.id).fields.iter().enumerate() {
        let slot = message.slot(index);
        let inner = match (slot, &field.ty) {
            (None, _) if field.presence == Presence::Required => None,
            (Some(value @ Value::Map(_)), _) => Some(value),
            (Some(value), ty) if matches!(ty.element().unwrap_or(ty), Type::Message(_)) => {
                Some(value)
            }
            _ => continue,
        };
        cursor.at(
            || segment(field),
            |cursor| match inner {
                Some(value) => inside(schema, cursor, end, value),
                None => Err(cursor.mismatch(end, "required field is absent")),
            },
        )?;
    }
    Ok(())
}

fn inside(
    schema: &Schema,
    cursor: &mut Cursor<'_>,
    end: usize,
    value: &mut Value,
) -> Result<(), Error> {
    match value {
        Value::Message(message) => complete(schema, cursor, end, message),
        Value::List(values) => {
            for (position, value) in values.iter_mut().enumerate() {
                cursor.at(
                    || Segment::Index(position),
                    |cursor| inside(schema, cursor, end, value),
                )?;
            }
            Ok(())
        }
        Value::Map(entries) => {
            last_wins(entries);
            for (key, value) in entries {
                if let Value::Message(message) = value {
                    cursor.at(
                        || Segment::Key(key_text(key)),
                        |cursor| complete(schema, cursor, end, message),
                    )?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Leaves the last value of each key, in the place of the key's first entry.
fn last_wins(entries: &mut Vec<(Value, Value)>) {
    if entries.len() < 2 {
        return;
    }
    let mut places = HashMap::with_capacity(entries.len());
    let mut unique: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
    for entry in entries.drain(..) {
        match places.entry(entry.0.key()) {
            Entry::Occupied(place) => {
                let place: &usize = place.get();
                unique[*place] = entry;
            }
            Entry::Vacant(vacant) => {
                vacant.insert(unique.len());
                unique.push(entry);
            }
        }
    }
    *entries = unique;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_key_takes_the_place_of_the_first() {
        let entry = |k: i64, v: i64| (Value::Int(k), Value::Int(v));
        let mut entries = vec![entry(1, 1), entry(2, 2), entry(1, 3)];
        last_wins(&mut entries);
        assert_eq!(entries, [entry(1, 3), entry(2, 2)]);
    }
}
