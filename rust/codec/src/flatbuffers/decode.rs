use std::collections::HashSet;

use interop_schema::{MessageId, Presence, Schema, Slot};
use interop_wire::{ErrorKind, Reader};

use super::claims::{Claims, Visit};
use super::plan::{self, Column, Element, Kind, Scalar, Table};
use crate::{Cursor, DynamicMessage, Error, Part, Segment, Value};

type Result<T> = std::result::Result<T, Error>;

/// What lies at a place; the same place can't be two things.
#[derive(PartialEq)]
enum Object<'s> {
    Root,
    Vtable,
    Table(Table<'s>),
    Text,
    Bytes,
    Vector(Element<'s>),
}

/// A vtable: where it starts and what it says.
struct Vtable {
    start: usize,
    slots: usize,
}

/// Reads and verifies a buffer.
pub(super) struct Decoder<'s, 'a> {
    schema: &'s Schema,
    bytes: &'a [u8],
    claims: Claims<Object<'s>>,
}

impl<'s, 'a> Decoder<'s, 'a> {
    pub(super) fn new(schema: &'s Schema, bytes: &'a [u8]) -> Self {
        Self {
            schema,
            bytes,
            claims: Claims::new(bytes.len()),
        }
    }

    pub(super) fn root(mut self, cursor: &mut Cursor<'_>, id: MessageId) -> Result<DynamicMessage> {
        let start = self.follow(cursor, 0, Part::Header, "root offset", |this, cursor| {
            this.claim(cursor, 0, 4, Object::Root)?;
            this.mark(cursor, 0, 4)?;
            Ok(true)
        })?;
        let message = self.message(cursor, start, id)?;
        for (start, end) in self.claims.gaps() {
            if let Some(at) = self.bytes[start..end].iter().position(|byte| *byte != 0) {
                let text = "nothing refers to this byte, and it is no zero padding";
                return Err(cursor.malformed(start + at, text));
            }
            let len = end - start;
            cursor.span(start, end, Part::Framing, "padding", || {
                format!("{len} bytes")
            });
        }
        Ok(message)
    }

    fn message(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        id: MessageId,
    ) -> Result<DynamicMessage> {
        let size = DynamicMessage::size_in_memory(self.schema, id);
        cursor.charge(start, 1, size)?;
        let values = self.table(cursor, start, Table::Message(id))?;
        let mut message = DynamicMessage::new(self.schema, id);
        let definition = self.schema.message(id);
        for (index, value) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            if let Some(oneof) = definition.fields[index].oneof {
                let oneof = &definition.oneofs[oneof];
                if let Some(&other) = oneof.fields.iter().find(|&&i| message.get(i).is_some()) {
                    let text = format!(
                        "{} and {} of oneof {} are both set",
                        definition.fields[other].name, definition.fields[index].name, oneof.name
                    );
                    return Err(cursor.mismatch(start, text));
                }
            }
            message.set(self.schema, index, value);
        }
        Ok(message)
    }

    /// The values of a table's slots.
    fn table(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        table: Table<'s>,
    ) -> Result<Vec<Option<Value>>> {
        let columns = plan::columns(self.schema, table);
        // Work, too, is bounded by the memory limit when objects are shared.
        cursor.charge_values(start, columns.len())?;
        let vtable = self.vtable(cursor, start)?;
        // Go's builder shares vtables between tables of the same offsets but another length, so
        // that the length there may be wrong: each field is taken for itself.
        let fresh = self.claim(cursor, start, start + 4, Object::Table(table))?;
        if fresh {
            self.mark(cursor, start, 4)?;
            cursor.span(start, start + 4, Part::Framing, "vtable offset", || {
                format!("vtable at {}", vtable.start)
            });
        }
        for slot in columns.len()..vtable.slots {
            if self.slot(&vtable, slot) != 0 {
                let at = vtable.start + 4 + 2 * slot;
                let text = format!("slot {slot} is set, but the schema has none");
                return Err(cursor.mismatch(at, text));
            }
        }
        cursor.nested(start, |cursor| {
            let mut values = Vec::with_capacity(columns.len());
            for (slot, column) in columns.iter().enumerate() {
                let field = || Segment::Field(column.name.to_owned());
                let value = cursor.at(field, |cursor| {
                    self.field(cursor, start, &vtable, slot, column, fresh)
                })?;
                values.push(value);
            }
            Ok(values)
        })
    }

    fn field(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        vtable: &Vtable,
        slot: usize,
        column: &Column<'s>,
        fresh: bool,
    ) -> Result<Option<Value>> {
        let distance = self.slot(vtable, slot);
        if distance == 0 {
            return match column.presence {
                Presence::Required => Err(cursor.mismatch(start, "required, but absent")),
                _ => Ok(None),
            };
        }
        let Some(kind) = column.kind else {
            let text = format!("{:?} has no FlatBuffers form", column.ty);
            return Err(cursor.mismatch(start, text));
        };
        let entry = vtable.start + 4 + 2 * slot;
        let size = kind.size();
        if distance < 4 || start + distance + size > self.bytes.len() {
            let text = format!("offset {distance} lies outside the buffer");
            return Err(cursor.malformed(entry, text));
        }
        let at = start + distance;
        if let Kind::Scalar(scalar) = kind {
            self.check_aligned(cursor, at, size)?;
            if fresh {
                self.mark(cursor, at, size)?;
            }
            return self.scalar(cursor, at, scalar, fresh).map(Some);
        }
        let target = self.follow(cursor, at, Part::Framing, "offset", |this, cursor| {
            if fresh {
                this.mark(cursor, at, 4)?;
            }
            Ok(fresh)
        })?;
        self.object(cursor, target, kind).map(Some)
    }

    fn object(&mut self, cursor: &mut Cursor<'_>, start: usize, kind: Kind<'s>) -> Result<Value> {
        cursor.charge_values(start, 1)?;
        match kind {
            Kind::Scalar(scalar) => self.scalar(cursor, start, scalar, true),
            Kind::Text => self.text(cursor, start),
            Kind::Bytes => self.byte_vector(cursor, start),
            Kind::Table(table) => self.table_value(cursor, start, table),
            Kind::Vector(Element::Table(Table::Entry(key, value))) => {
                self.map(cursor, start, key, value)
            }
            Kind::Vector(element) => self.vector(cursor, start, element),
        }
    }

    fn table_value(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        table: Table<'s>,
    ) -> Result<Value> {
        match table {
            Table::Message(id) => {
                let message = self.message(cursor, start, id)?;
                Ok(Value::Message(Box::new(message)))
            }
            Table::Item(slot) => {
                let value = self.table(cursor, start, table)?.pop().flatten();
                Ok(value.unwrap_or_else(|| self.absent(slot)))
            }
            Table::Entry(..) => Err(cursor.mismatch(start, "a map entry outside of a map")),
        }
    }

    fn absent(&self, slot: &Slot) -> Value {
        match slot.nullable {
            true => Value::Null,
            false => Value::default_of(self.schema, &slot.ty),
        }
    }

    fn vector(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        element: Element<'s>,
    ) -> Result<Value> {
        let size = element.size();
        let (count, fresh) = self.vector_head(cursor, start, size, Object::Vector(element))?;
        cursor.charge_values(start, count)?;
        let mut values = Vec::with_capacity(count);
        for index in 0..count {
            let at = start + 4 + index * size;
            let value = cursor.at(
                || Segment::Index(index),
                |cursor| match element {
                    Element::Scalar(scalar) => self.scalar(cursor, at, scalar, fresh),
                    Element::Text => {
                        let target = self.follow_element(cursor, at, fresh)?;
                        self.text(cursor, target)
                    }
                    Element::Table(table) => {
                        let target = self.follow_element(cursor, at, fresh)?;
                        self.table_value(cursor, target, table)
                    }
                },
            )?;
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn map(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        key: &'s Slot,
        value: &'s Slot,
    ) -> Result<Value> {
        let table = Table::Entry(key, value);
        let object = Object::Vector(Element::Table(table));
        let (count, fresh) = self.vector_head(cursor, start, 4, object)?;
        cursor.charge_values(start, count.saturating_mul(2))?;
        let mut entries = Vec::with_capacity(count);
        let mut seen = HashSet::new();
        for index in 0..count {
            let at = start + 4 + index * 4;
            let entry = cursor.at(
                || Segment::Index(index),
                |cursor| {
                    let target = self.follow_element(cursor, at, fresh)?;
                    let mut values = self.table(cursor, target, table)?;
                    let v = values.pop().flatten().unwrap_or_else(|| self.absent(value));
                    let k = values.pop().flatten().unwrap_or_else(|| self.absent(key));
                    match seen.insert(k.key()) {
                        true => Ok((k, v)),
                        false => Err(cursor.mismatch(target, "the key occurs twice")),
                    }
                },
            )?;
            entries.push(entry);
        }
        Ok(Value::Map(entries))
    }

    fn text(&mut self, cursor: &mut Cursor<'_>, start: usize) -> Result<Value> {
        let len = self.length(cursor, start)?;
        let text = start + 4;
        let end = text + len;
        if self.bytes.get(end) != Some(&0) {
            return Err(cursor.malformed(end, "the string has no NUL behind it"));
        }
        let parsed = std::str::from_utf8(&self.bytes[text..end]).map_err(|error| {
            let valid_bytes = error.valid_up_to();
            let kind = ErrorKind::InvalidUtf8 { valid_bytes };
            cursor.wire(interop_wire::Error::new(text + valid_bytes, kind))
        })?;
        cursor.charge(start, 1, len)?;
        if self.claim(cursor, start, end + 1, Object::Text)? {
            self.mark(cursor, start, len + 5)?;
            cursor.span(start, text, Part::Framing, "string length", || {
                format!("{len} bytes")
            });
            cursor.span(text, end, Part::Payload, "text", || format!("{parsed:?}"));
            cursor.span(end, end + 1, Part::Framing, "NUL", String::new);
        }
        Ok(Value::String(parsed.to_owned()))
    }

    fn byte_vector(&mut self, cursor: &mut Cursor<'_>, start: usize) -> Result<Value> {
        let (len, fresh) = self.vector_head(cursor, start, 1, Object::Bytes)?;
        cursor.charge(start, 1, len)?;
        let (start, end) = (start + 4, start + 4 + len);
        if fresh {
            cursor.span(start, end, Part::Payload, "bytes", || {
                format!("{len} bytes")
            });
        }
        Ok(Value::Bytes(self.bytes[start..end].to_vec()))
    }

    /// Checks and claims a vector: its number of elements, and whether it is seen first.
    fn vector_head(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        size: usize,
        object: Object<'s>,
    ) -> Result<(usize, bool)> {
        let count = self.length(cursor, start)?;
        let mut reader = Reader::new(self.bytes);
        let elements = start + 4;
        reader.seek(elements).map_err(|e| cursor.wire(e))?;
        cursor.check_count(&reader, start, count as u64, size)?;
        if count > 0 {
            self.check_aligned(cursor, elements, size)?;
        }
        let len = count * size;
        let fresh = self.claim(cursor, start, elements + len, object)?;
        if fresh {
            self.mark(cursor, start, 4 + len)?;
            cursor.span(start, elements, Part::Framing, "vector length", || {
                format!("{count} elements")
            });
        }
        Ok((count, fresh))
    }

    /// The length in front of a string or vector; no more than the bytes behind it.
    fn length(&self, cursor: &Cursor<'_>, start: usize) -> Result<usize> {
        let len = self.u32(cursor, start)?;
        let remaining = self.bytes.len() - start - 4;
        if len as usize > remaining {
            let kind = ErrorKind::LengthExceedsInput {
                declared: len.into(),
                remaining,
            };
            return Err(cursor.wire(interop_wire::Error::new(start, kind)));
        }
        Ok(len as usize)
    }

    fn vtable(&mut self, cursor: &mut Cursor<'_>, table: usize) -> Result<Vtable> {
        let distance = self.u32(cursor, table)? as i32;
        let start = table as i64 - i64::from(distance);
        let inside = usize::try_from(start)
            .ok()
            .filter(|start| self.bytes.len().checked_sub(4) >= Some(*start));
        let Some(start) = inside else {
            let text = format!("vtable at {start} lies outside the buffer");
            return Err(cursor.malformed(table, text));
        };
        self.check_aligned(cursor, start, 2)?;
        let len = usize::from(self.u16(start));
        let table_len = usize::from(self.u16(start + 2));
        if len < 4 || len % 2 != 0 || start + len > self.bytes.len() {
            let text = format!("{len} bytes are no length of a vtable here");
            return Err(cursor.malformed(start, text));
        }
        if table_len < 4 || table + table_len > self.bytes.len() {
            let text = format!("{table_len} bytes are no length of its table here");
            return Err(cursor.malformed(start + 2, text));
        }
        if self.claim(cursor, start, start + len, Object::Vtable)? {
            self.mark(cursor, start, len)?;
            cursor.span(start, start + len, Part::Metadata, "vtable", || {
                format!("{} slots, table of {table_len} bytes", len / 2 - 2)
            });
        }
        Ok(Vtable {
            start,
            slots: len / 2 - 2,
        })
    }

    fn slot(&self, vtable: &Vtable, slot: usize) -> usize {
        match slot < vtable.slots {
            true => self.u16(vtable.start + 4 + 2 * slot).into(),
            false => 0,
        }
    }

    fn follow_element(&mut self, cursor: &mut Cursor<'_>, at: usize, fresh: bool) -> Result<usize> {
        self.follow(cursor, at, Part::Framing, "offset", |_, _| Ok(fresh))
    }

    /// Where the offset at `at` leads. `claim` says whether its bytes are seen first.
    fn follow(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: usize,
        part: Part,
        meaning: &str,
        claim: impl FnOnce(&mut Self, &mut Cursor<'_>) -> Result<bool>,
    ) -> Result<usize> {
        let distance = self.u32(cursor, at)?;
        if claim(self, cursor)? {
            cursor.span(at, at + 4, part, meaning, || {
                format!("{distance}, to {}", at + distance as usize)
            });
        }
        let target = at + distance as usize;
        if distance == 0 || target >= self.bytes.len() {
            let text = format!("offset {distance} leads to nothing");
            return Err(cursor.malformed(at, text));
        }
        Ok(target)
    }

    fn scalar(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: usize,
        scalar: Scalar,
        fresh: bool,
    ) -> Result<Value> {
        let size = scalar.size();
        let mut word = [0; 8];
        word[..size].copy_from_slice(&self.bytes[at..at + size]);
        let bits = u64::from_le_bytes(word);
        let unused = 64 - 8 * size;
        let signed = (bits << unused) as i64 >> unused;
        let value = match scalar {
            Scalar::Bool if bits > 1 => {
                return Err(cursor.malformed(at, format!("{bits} is no bool")));
            }
            Scalar::Bool => Value::Bool(bits == 1),
            Scalar::Int { .. } => Value::Int(signed),
            Scalar::UInt { .. } => Value::UInt(bits),
            Scalar::Enum { id, .. } => {
                let definition = self.schema.enumeration(id);
                let number = signed as i32;
                if definition.closed && definition.name_of(number).is_none() {
                    let text = format!("{} has no value {number}", definition.full_name);
                    return Err(cursor.mismatch(at, text));
                }
                Value::Enum(number)
            }
            Scalar::Float16 => Value::Float16(bits as u16),
            Scalar::BFloat16 => Value::BFloat16(bits as u16),
            Scalar::Float32 => Value::Float32(f32::from_bits(bits as u32)),
            Scalar::Float64 => Value::Float64(f64::from_bits(bits)),
            Scalar::Date => Value::Date(signed),
        };
        if fresh {
            cursor.span(at, at + size, Part::Payload, value.kind(), || show(&value));
        }
        Ok(value)
    }

    /// Claims bytes for an object: true when it is seen first.
    fn claim(
        &mut self,
        cursor: &Cursor<'_>,
        start: usize,
        end: usize,
        object: Object<'s>,
    ) -> Result<bool> {
        match self.claims.object(start, end, object) {
            Visit::First => Ok(true),
            Visit::Again => Ok(false),
            Visit::Overlap => Err(cursor.malformed(start, "overlaps another object")),
        }
    }

    fn mark(&mut self, cursor: &Cursor<'_>, start: usize, len: usize) -> Result<()> {
        match self.claims.mark(start, start + len) {
            true => Ok(()),
            false => Err(cursor.malformed(start, "overlaps another field")),
        }
    }

    fn check_aligned(&self, cursor: &Cursor<'_>, at: usize, size: usize) -> Result<()> {
        match at.is_multiple_of(size) {
            true => Ok(()),
            false => Err(cursor.malformed(at, format!("not aligned to {size} bytes"))),
        }
    }

    /// An aligned 32-bit number.
    fn u32(&self, cursor: &Cursor<'_>, at: usize) -> Result<u32> {
        self.check_aligned(cursor, at, 4)?;
        let mut reader = Reader::new(self.bytes);
        let read = reader.seek(at).and_then(|()| reader.u32());
        read.map_err(|e| cursor.wire(e))
    }

    /// A 16-bit number that is known to lie in the buffer.
    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Date(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Enum(number) => number.to_string(),
        Value::Float32(value) => format!("{value:?}"),
        Value::Float64(value) => format!("{value:?}"),
        Value::Float16(bits) | Value::BFloat16(bits) => format!("bits {bits:#06x}"),
        other => other.kind().to_owned(),
    }
}
