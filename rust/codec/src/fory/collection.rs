//! Writing lists, sets, maps and unions (sections "collection/list", "map", "Union").

use interop_schema::fory::{WireType, type_id as id};
use interop_schema::{Slot, Type, UnionId};

use super::encode::{Encoder, FIRST_OCCURRENCE, NOT_NULL, NULL};
use super::{ElementInfo, NullValueEntry, UnionStructFlag};
use crate::{Error, Segment, Value};

pub(super) const TRACKED: u8 = 1;
pub(super) const HAS_NULL: u8 = 2;
pub(super) const DECLARED: u8 = 4;
pub(super) const SAME_TYPE: u8 = 8;

pub(super) const KEY_TRACKED: u8 = 1;
pub(super) const KEY_NULL: u8 = 2;
pub(super) const KEY_DECLARED: u8 = 4;
pub(super) const VALUE_TRACKED: u8 = 8;
pub(super) const VALUE_NULL: u8 = 16;
pub(super) const VALUE_DECLARED: u8 = 32;
pub(super) const CHUNK_ENTRIES_MAX: usize = 255;

impl<'d> Encoder<'d> {
    pub(super) fn list(
        &mut self,
        slot: &Slot,
        wire: &WireType,
        values: &'d [Value],
    ) -> Result<(), Error> {
        self.list_with(slot, wire, values, ElementInfo::Declared)
    }

    fn list_with(
        &mut self,
        slot: &Slot,
        wire: &WireType,
        values: &'d [Value],
        leaf_elements: ElementInfo,
    ) -> Result<(), Error> {
        self.out.varint(values.len() as u64);
        if values.is_empty() {
            return Ok(());
        }
        if slot.ty == Type::Any {
            return self.dynamic_list(slot.reference, values);
        }
        let info = match (id::is_struct(wire.id), slot.reference) {
            (true, false) => self.dialect.list_structs,
            (true, true) => self.dialect.tracked_list_structs,
            (false, _) => leaf_elements,
        };
        let has_null = !slot.reference && values.iter().any(|v| matches!(v, Value::Null));
        let mut header = SAME_TYPE;
        if slot.reference {
            header |= TRACKED;
        }
        if has_null {
            header |= HAS_NULL;
        }
        if info == ElementInfo::Declared {
            header |= DECLARED;
        }
        self.out.u8(header);
        if info == ElementInfo::Written {
            self.type_info(&slot.ty, slot.reference)?;
        }
        for (index, value) in values.iter().enumerate() {
            self.at(Segment::Index(index), |encoder| {
                if matches!(value, Value::Null) && !slot.nullable && !slot.reference {
                    return Err(encoder.error("null in a position that is not nullable"));
                }
                match encoder.frame(has_null, slot.reference, value)? {
                    Some(value) => encoder.nested(&slot.ty, wire, value),
                    None => Ok(()),
                }
            })?;
        }
        Ok(())
    }

    /// A value inside a collection: as elsewhere, but for what writers do to lists in lists.
    fn nested(&mut self, ty: &Type, wire: &WireType, value: &'d Value) -> Result<(), Error> {
        match (ty, value) {
            (Type::List(slot) | Type::Set(slot), Value::List(values)) => {
                let info = self.dialect.nested_list_elements;
                self.list_with(slot, &wire.children[0], values, info)
            }
            _ => self.data(ty, wire, value),
        }
    }

    pub(super) fn map(
        &mut self,
        key: &Slot,
        value: &Slot,
        wires: &[WireType],
        entries: &'d [(Value, Value)],
    ) -> Result<(), Error> {
        self.out.varint(entries.len() as u64);
        if key.ty == Type::Any || value.ty == Type::Any {
            return self.dynamic_map(entries);
        }
        let is_null = |value: &Value| matches!(value, Value::Null);
        let mut rest = entries;
        while let Some((k, v)) = rest.first() {
            if is_null(k) || is_null(v) {
                self.null_entry(key, value, wires, k, v)?;
                rest = &rest[1..];
                continue;
            }
            let whole = rest.iter().take(CHUNK_ENTRIES_MAX);
            let count = whole
                .take_while(|(k, v)| !is_null(k) && !is_null(v))
                .count();
            self.chunk(key, value, wires, &rest[..count])?;
            rest = &rest[count..];
        }
        Ok(())
    }

    fn chunk(
        &mut self,
        key: &Slot,
        value: &Slot,
        wires: &[WireType],
        entries: &'d [(Value, Value)],
    ) -> Result<(), Error> {
        let key_declared = !id::is_struct(wires[0].id);
        let value_declared = self.map_value_declared(&wires[1]);
        let mut header = 0;
        for (set, bit) in [
            (key.reference, KEY_TRACKED),
            (key_declared, KEY_DECLARED),
            (value.reference, VALUE_TRACKED),
            (value_declared, VALUE_DECLARED),
        ] {
            header |= if set { bit } else { 0 };
        }
        self.out.u8(header);
        self.out.u8(entries.len() as u8);
        if !key_declared {
            self.type_info(&key.ty, key.reference)?;
        }
        if !value_declared {
            self.type_info(&value.ty, value.reference)?;
        }
        for (k, v) in entries {
            self.at(Segment::Key(super::key_text(k)), |encoder| {
                if let Some(k) = encoder.frame(false, key.reference, k)? {
                    encoder.nested(&key.ty, &wires[0], k)?;
                }
                match encoder.frame(false, value.reference, v)? {
                    Some(v) => encoder.nested(&value.ty, &wires[1], v),
                    None => Ok(()),
                }
            })?;
        }
        Ok(())
    }

    fn map_value_declared(&self, wire: &WireType) -> bool {
        !id::is_struct(wire.id) || self.dialect.map_structs == ElementInfo::Declared
    }

    /// An entry with a null on one side or both: a chunk of its own, without a size.
    fn null_entry(
        &mut self,
        key: &Slot,
        value: &Slot,
        wires: &[WireType],
        k: &'d Value,
        v: &'d Value,
    ) -> Result<(), Error> {
        let (key_null, value_null) = (matches!(k, Value::Null), matches!(v, Value::Null));
        if (key_null && !key.nullable) || (value_null && !value.nullable) {
            return Err(self.error("null in a map that does not allow it"));
        }
        if key_null && value_null {
            self.out.u8(KEY_NULL | VALUE_NULL);
            return Ok(());
        }
        let (slot, wire, present) = if value_null {
            (key, &wires[0], k)
        } else {
            (value, &wires[1], v)
        };
        let value_declared = self.map_value_declared(&wires[1]);
        let mut declared = if value_null {
            !id::is_struct(wire.id)
        } else {
            value_declared
        };
        let mut header = if value_null { VALUE_NULL } else { KEY_NULL };
        match self.dialect.null_value_entry {
            NullValueEntry::BothDeclared if value_null && value_declared => {
                header |= VALUE_DECLARED;
            }
            NullValueEntry::KeyWrittenBesideStructs if id::is_struct(wires[1].id) => {
                declared = false;
            }
            _ => {}
        }
        if declared {
            header |= if value_null {
                KEY_DECLARED
            } else {
                VALUE_DECLARED
            };
        }
        if slot.reference {
            header |= if value_null {
                KEY_TRACKED
            } else {
                VALUE_TRACKED
            };
        }
        self.out.u8(header);
        let Some(present) = self.frame(false, slot.reference, present)? else {
            return Ok(());
        };
        if !declared {
            self.type_info(&slot.ty, slot.reference)?;
        }
        self.nested(&slot.ty, wire, present)
    }

    /// Case number, then the case's value with flag and type information.
    pub(super) fn union(
        &mut self,
        union: UnionId,
        case: u32,
        value: &'d Value,
    ) -> Result<(), Error> {
        let Some(known) = self.schema.union(union).case(case) else {
            return Err(self.error(format!("the union has no case {case}")));
        };
        self.out.varint(u64::from(case));
        let segment = Segment::Field(known.name.clone());
        self.at(segment, |encoder| {
            if let Value::Null = value {
                encoder.out.u8(NULL);
                return Ok(());
            }
            if known.ty == Type::Any {
                return encoder.dynamic(value);
            }
            let wire = WireType::of(encoder.schema, &known.ty, encoder.compatible());
            let tracked = encoder.tracking() && id::is_struct(wire.id);
            let value = if tracked {
                match encoder.frame(false, true, value)? {
                    Some(value) => value,
                    None => return Ok(()),
                }
            } else {
                let first = id::is_struct(wire.id)
                    && encoder.dialect.union_struct_flag == UnionStructFlag::FirstOccurrence;
                encoder
                    .out
                    .u8(if first { FIRST_OCCURRENCE } else { NOT_NULL });
                value
            };
            encoder.type_info(&known.ty, false)?;
            encoder.data(&known.ty, &wire, value)
        })
    }
}
