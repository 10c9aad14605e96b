//! Reading lists, sets, maps and unions.

use std::collections::HashMap;

use interop_schema::fory::{WireType, type_id as id};
use interop_schema::{Slot, Type};

use super::collection::{
    DECLARED, HAS_NULL, KEY_DECLARED, KEY_NULL, KEY_TRACKED, SAME_TYPE, TRACKED, VALUE_DECLARED,
    VALUE_NULL, VALUE_TRACKED,
};
use super::decode::{Decoder, Frame, Target, WireFrame};
use super::key_text;
use super::type_info::TypeInfo;
use crate::{Cursor, Error, Key, Part, Segment, Value};

/// One side of a map, or the elements of a list: what the schema and the stream say of it.
struct Side<'t> {
    wire: WireType,
    info: Option<TypeInfo>,
    slot: Option<&'t Slot>,
    target: Target<'t>,
    tracked: bool,
}

impl<'t> Side<'t> {
    fn new(wire: Option<&WireType>, slot: Option<&'t Slot>, target: Target<'t>) -> Self {
        Self {
            wire: wire
                .cloned()
                .unwrap_or_else(|| WireType::plain(id::UNKNOWN)),
            info: None,
            slot,
            target: slot.map_or(target, |slot| Target::Typed(&slot.ty)),
            tracked: false,
        }
    }

    fn allows_null(&self) -> bool {
        self.slot
            .is_none_or(|slot| slot.nullable || slot.reference || slot.ty == Type::Any)
    }

    fn wants_reference(&self) -> bool {
        self.slot.is_some_and(|slot| slot.reference)
    }

    /// False for types whose values may take no bytes at all.
    fn takes_bytes(&self) -> bool {
        !id::is_struct(self.wire.id) && self.wire.id != id::NONE
    }
}

impl Decoder<'_> {
    /// Reads the type information of a side that is not of its declared type.
    fn side_info(&mut self, cursor: &mut Cursor<'_>, side: &mut Side<'_>) -> Result<(), Error> {
        let at = self.reader.offset();
        let info = self.type_info(cursor)?;
        if let Some(slot) = side.slot {
            self.check_info(cursor, at, &info, &slot.ty)?;
        }
        let children = match side.slot {
            Some(slot) => WireType::of(self.schema, &slot.ty, self.compatible()).children,
            None => Vec::new(),
        };
        side.wire = WireType {
            children,
            ..WireType::plain(info.type_id)
        };
        side.info = Some(info);
        Ok(())
    }

    fn side_value(&mut self, cursor: &mut Cursor<'_>, side: &Side<'_>) -> Result<Value, Error> {
        self.data(cursor, &side.wire, side.info.as_ref(), side.target)
    }

    pub(super) fn list(
        &mut self,
        cursor: &mut Cursor<'_>,
        wire: &WireType,
        target: Target<'_>,
    ) -> Result<Value, Error> {
        let start = self.reader.offset();
        let len = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let end = self.reader.offset();
        cursor.span(start, end, Part::Framing, "length", || {
            format!("{len} elements")
        });
        if len == 0 {
            return Ok(Value::List(Vec::new()));
        }
        let slot = match target {
            Target::Typed(Type::List(slot) | Type::Set(slot)) => Some(&**slot),
            _ => None,
        };
        let mut side = Side::new(wire.children.first(), slot, target);
        let header = self.header(cursor, 0x0f, "elements header", |header| {
            let mut words = Vec::new();
            for (bit, word) in [
                (SAME_TYPE, "same type"),
                (DECLARED, "declared type"),
                (HAS_NULL, "has null"),
                (TRACKED, "tracked"),
            ] {
                if header & bit != 0 {
                    words.push(word);
                }
            }
            words.join(", ")
        })?;
        let same = header & SAME_TYPE != 0;
        if header & DECLARED != 0 && !same {
            return Err(cursor.malformed(end, "elements are of the declared type but not the same"));
        }
        let dynamic = side.wire.id == id::UNKNOWN;
        if same && header & DECLARED == 0 {
            self.side_info(cursor, &mut side)?;
        } else if same && dynamic {
            return Err(cursor.malformed(end, "elements of a declared type, but none is declared"));
        }
        let wire_frame = WireFrame::from_flags(header & HAS_NULL != 0, header & TRACKED != 0);
        let min_bytes = usize::from(!same || wire_frame != WireFrame::None || side.takes_bytes());
        cursor.check_count(&self.reader, start, u64::from(len), min_bytes)?;
        cursor.charge_values(start, len as usize)?;
        let frame = Frame {
            wire: wire_frame,
            tracked: side.wants_reference(),
        };
        let mut values = Vec::with_capacity(len as usize);
        for index in 0..len as usize {
            let value = cursor.at(
                || Segment::Index(index),
                |cursor| self.element(cursor, &side, frame, same),
            )?;
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn element(
        &mut self,
        cursor: &mut Cursor<'_>,
        side: &Side<'_>,
        frame: Frame,
        same: bool,
    ) -> Result<Value, Error> {
        let at = self.reader.offset();
        let value = self.framed(cursor, frame, |decoder, cursor| {
            if same {
                return decoder.side_value(cursor, side);
            }
            let at = decoder.reader.offset();
            let info = decoder.type_info(cursor)?;
            decoder.value_of(cursor, at, &info, side.target)
        })?;
        if matches!(value, Value::Null) && !side.allows_null() {
            return Err(cursor.mismatch(at, "null in a position that is not nullable"));
        }
        Ok(value)
    }

    fn header(
        &mut self,
        cursor: &mut Cursor<'_>,
        known_bits: u8,
        meaning: &str,
        text: impl FnOnce(u8) -> String,
    ) -> Result<u8, Error> {
        let start = self.reader.offset();
        let header = self.reader.u8().map_err(|e| cursor.wire(e))?;
        if header & !known_bits != 0 {
            let text = format!("reserved bits of the {meaning} {header:#04x} are set");
            return Err(cursor.malformed(start, text));
        }
        cursor.span(start, self.reader.offset(), Part::Framing, meaning, || {
            format!("{header:#04x}: {}", text(header))
        });
        Ok(header)
    }

    pub(super) fn map(
        &mut self,
        cursor: &mut Cursor<'_>,
        wire: &WireType,
        target: Target<'_>,
    ) -> Result<Value, Error> {
        let start = self.reader.offset();
        let len = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let end = self.reader.offset();
        cursor.span(start, end, Part::Framing, "length", || {
            format!("{len} entries")
        });
        // An entry of two nulls takes one byte, entries of empty structs even none.
        let mut entries: Vec<(Value, Value)> = Vec::new();
        let mut places = HashMap::new();
        let (key_slot, value_slot) = match target {
            Target::Typed(Type::Map(key, value)) => (Some(&**key), Some(&**value)),
            _ => (None, None),
        };
        let mut left = len as usize;
        while left > 0 {
            let at = self.reader.offset();
            let mut key = Side::new(wire.children.first(), key_slot, target);
            let mut value = Side::new(wire.children.get(1), value_slot, target);
            let header = self.header(cursor, 0x3f, "chunk header", chunk_text)?;
            key.tracked = header & KEY_TRACKED != 0;
            value.tracked = header & VALUE_TRACKED != 0;
            let (key_null, value_null) = (header & KEY_NULL != 0, header & VALUE_NULL != 0);
            if (key_null && !key.allows_null()) || (value_null && !value.allows_null()) {
                return Err(cursor.mismatch(at, "null in a map that does not allow it"));
            }
            let count = if key_null || value_null {
                1
            } else {
                self.chunk_size(cursor, left)?
            };
            cursor.charge(
                at,
                count,
                size_of::<(Value, Value)>() + size_of::<(Key, usize)>(),
            )?;
            if key_null || value_null {
                let entry = self.null_entry(cursor, header, &mut key, &mut value)?;
                insert(&mut entries, &mut places, entry);
            } else {
                if header & KEY_DECLARED == 0 {
                    self.side_info(cursor, &mut key)?;
                }
                if header & VALUE_DECLARED == 0 {
                    self.side_info(cursor, &mut value)?;
                }
                for _ in 0..count {
                    let k = self.side(cursor, &key)?;
                    let v = cursor.at(
                        || Segment::Key(key_text(&k)),
                        |cursor| self.side(cursor, &value),
                    )?;
                    insert(&mut entries, &mut places, (k, v));
                }
            }
            left -= count;
        }
        Ok(Value::Map(entries))
    }

    fn chunk_size(&mut self, cursor: &mut Cursor<'_>, left: usize) -> Result<usize, Error> {
        let start = self.reader.offset();
        let size = usize::from(self.reader.u8().map_err(|e| cursor.wire(e))?);
        cursor.span(
            start,
            self.reader.offset(),
            Part::Framing,
            "chunk size",
            || format!("{size} entries"),
        );
        if size == 0 || size > left {
            let text = format!("chunk of {size} entries where 1 to {left} are left");
            return Err(cursor.malformed(start, text));
        }
        Ok(size)
    }

    /// A key or value of a chunk without nulls.
    fn side(&mut self, cursor: &mut Cursor<'_>, side: &Side<'_>) -> Result<Value, Error> {
        let at = self.reader.offset();
        let frame = Frame {
            wire: WireFrame::from_flags(false, side.tracked),
            tracked: side.wants_reference(),
        };
        let value = self.framed(cursor, frame, |decoder, cursor| {
            decoder.side_value(cursor, side)
        })?;
        if matches!(value, Value::Null) && !side.allows_null() {
            return Err(cursor.mismatch(at, "null in a map that does not allow it"));
        }
        Ok(value)
    }

    /// The rest of an entry with a null: the other side, flag first, then its type.
    fn null_entry<'t>(
        &mut self,
        cursor: &mut Cursor<'_>,
        header: u8,
        key: &mut Side<'t>,
        value: &mut Side<'t>,
    ) -> Result<(Value, Value), Error> {
        let value_null = header & VALUE_NULL != 0;
        if header & KEY_NULL != 0 && value_null {
            return Ok((Value::Null, Value::Null));
        }
        let (side, declared) = if value_null {
            (key, header & KEY_DECLARED != 0)
        } else {
            (value, header & VALUE_DECLARED != 0)
        };
        let frame = Frame {
            wire: WireFrame::from_flags(false, side.tracked),
            tracked: side.wants_reference(),
        };
        let present = self.framed(cursor, frame, |decoder, cursor| {
            if !declared {
                decoder.side_info(cursor, side)?;
            }
            decoder.side_value(cursor, side)
        })?;
        Ok(if value_null {
            (present, Value::Null)
        } else {
            (Value::Null, present)
        })
    }

    /// Case number, then a value that names its own type.
    pub(super) fn union(
        &mut self,
        cursor: &mut Cursor<'_>,
        info: Option<&TypeInfo>,
        target: Target<'_>,
    ) -> Result<Value, Error> {
        let start = self.reader.offset();
        let case = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let union = match target {
            Target::Typed(Type::Union(union)) => Some(self.schema.union(*union)),
            Target::Any => {
                let registration = info.and_then(|info| info.registration.as_ref());
                let unions = self.schema.unions.iter();
                unions
                    .into_iter()
                    .find(|u| Some(&u.registration) == registration)
            }
            _ => None,
        };
        let known = union.and_then(|union| union.case(case));
        cursor.span(start, self.reader.offset(), Part::Framing, "case", || {
            format!("{case}, {}", known.map_or("unknown", |case| &case.name))
        });
        let inner = match (known, target) {
            (Some(case), _) => Target::Typed(&case.ty),
            (None, Target::Skip) => Target::Skip,
            (None, Target::Any) => Target::Any,
            (None, Target::Typed(_)) => {
                let text = format!("the union has no case {case}");
                return Err(cursor.mismatch(start, text));
            }
        };
        let frame = Frame {
            wire: WireFrame::Tracked,
            tracked: false,
        };
        let read = |cursor: &mut Cursor<'_>| {
            self.framed(cursor, frame, |decoder, cursor| {
                let at = decoder.reader.offset();
                let info = decoder.type_info(cursor)?;
                decoder.value_of(cursor, at, &info, inner)
            })
        };
        let value = match known {
            Some(case) => cursor.at(|| Segment::Field(case.name.clone()), read)?,
            None => cursor.at(|| Segment::Unknown(case), read)?,
        };
        Ok(Value::Union(case, Box::new(value)))
    }
}

fn chunk_text(header: u8) -> String {
    let mut words = Vec::new();
    for (bit, word) in [
        (KEY_TRACKED, "key tracked"),
        (KEY_NULL, "key null"),
        (KEY_DECLARED, "key declared"),
        (VALUE_TRACKED, "value tracked"),
        (VALUE_NULL, "value null"),
        (VALUE_DECLARED, "value declared"),
    ] {
        if header & bit != 0 {
            words.push(word);
        }
    }
    words.join(", ")
}

/// Keys are unique: a later entry takes the place of an earlier one, as in every library's map.
fn insert(
    entries: &mut Vec<(Value, Value)>,
    places: &mut HashMap<Key, usize>,
    entry: (Value, Value),
) {
    match places.entry(entry.0.key()) {
        std::collections::hash_map::Entry::Occupied(place) => entries[*place.get()] = entry,
        std::collections::hash_map::Entry::Vacant(place) => {
            place.insert(entries.len());
            entries.push(entry);
        }
    }
}
