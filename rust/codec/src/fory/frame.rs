//! Reading flags: null, references, and the objects that references name (section "Reference
//! Meta").

use interop_schema::fory::WireType;

use super::decode::Decoder;
use super::encode::{FIRST_OCCURRENCE, NOT_NULL, NULL, REFERENCE};
use super::refs;
use crate::{Cursor, Error, Part, Value};

/// An object that a later reference may name.
pub(super) enum Object {
    /// Still being read.
    Open,
    /// A node of the document.
    Node(usize),
    /// A value at a position that is not tracked.
    Inline(Value),
}

/// What a flag said.
pub(super) enum Flag {
    Null,
    Present,
    First(usize),
    Again(usize),
}

/// Which flags stand in front of a position, and whether it becomes a reference here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) wire: WireFrame,
    pub(super) tracked: bool,
}

/// Which flags stand in front of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireFrame {
    /// None.
    None,
    /// Null or not.
    Nullable,
    /// All four.
    Tracked,
}

impl WireFrame {
    pub(super) fn of(wire: &WireType) -> Self {
        Self::from_flags(wire.nullable, wire.reference)
    }

    pub(super) fn from_flags(nullable: bool, tracked: bool) -> Self {
        match (nullable, tracked) {
            (_, true) => Self::Tracked,
            (true, false) => Self::Nullable,
            (false, false) => Self::None,
        }
    }
}

impl Decoder<'_> {
    pub(super) fn flag(
        &mut self,
        cursor: &mut Cursor<'_>,
        part: Part,
        meaning: &str,
    ) -> Result<Flag, Error> {
        let start = self.reader.offset();
        let byte = self.reader.u8().map_err(|e| cursor.wire(e))?;
        let (flag, text) = match byte {
            NULL => (Flag::Null, "null"),
            NOT_NULL => (Flag::Present, "not null"),
            FIRST_OCCURRENCE => {
                cursor.charge(start, 1, size_of::<Object>())?;
                self.objects.push(Object::Open);
                (Flag::First(self.objects.len() - 1), "first occurrence")
            }
            REFERENCE => (Flag::Again(0), "reference"),
            other => {
                let text = format!("no reference flag is {other:#04x}");
                return Err(cursor.malformed(start, text));
            }
        };
        cursor.span(start, self.reader.offset(), part, meaning, || {
            text.to_owned()
        });
        if let Flag::Again(_) = flag {
            let at = self.reader.offset();
            let number = self.reader.varint32().map_err(|e| cursor.wire(e))?;
            let end = self.reader.offset();
            cursor.span(at, end, Part::Framing, "object number", || {
                number.to_string()
            });
            if number as usize >= self.objects.len() {
                return Err(cursor.malformed(at, format!("no object has the number {number}")));
            }
            return Ok(Flag::Again(number as usize));
        }
        Ok(flag)
    }

    pub(super) fn reserve_node(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: usize,
    ) -> Result<usize, Error> {
        cursor.charge_values(at, 1)?;
        self.nodes.push(Value::Null);
        Ok(self.nodes.len() - 1)
    }

    /// Reads the flag of a position, then the value where one follows. `tracked` positions
    /// become references into the document's nodes.
    pub(super) fn framed(
        &mut self,
        cursor: &mut Cursor<'_>,
        frame: Frame,
        read: impl FnOnce(&mut Self, &mut Cursor<'_>) -> Result<Value, Error>,
    ) -> Result<Value, Error> {
        if frame.wire == WireFrame::None {
            return read(self, cursor);
        }
        let at = self.reader.offset();
        match self.flag(cursor, Part::Framing, "null flag")? {
            Flag::Null => Ok(Value::Null),
            Flag::Present => read(self, cursor),
            Flag::First(_) | Flag::Again(_) if frame.wire == WireFrame::Nullable => {
                Err(cursor.malformed(at, "a reference in a position that is not tracked"))
            }
            Flag::First(object) if frame.tracked => {
                let node = self.reserve_node(cursor, at)?;
                self.objects[object] = Object::Node(node);
                let value = read(self, cursor)?;
                self.nodes[node] = value;
                Ok(Value::Reference(node))
            }
            Flag::First(object) => {
                let value = read(self, cursor)?;
                refs::charge(cursor, at, &value)?;
                self.objects[object] = Object::Inline(value.clone());
                Ok(value)
            }
            Flag::Again(object) => self.again(cursor, at, object, frame.tracked),
        }
    }

    fn again(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: usize,
        object: usize,
        tracked: bool,
    ) -> Result<Value, Error> {
        match (&self.objects[object], tracked) {
            (Object::Node(node), true) => Ok(Value::Reference(*node)),
            (Object::Node(node), false) => {
                let value = self.nodes[*node].clone();
                refs::charge(cursor, at, &value)?;
                Ok(value)
            }
            (Object::Inline(value), false) => {
                let value = value.clone();
                refs::charge(cursor, at, &value)?;
                Ok(value)
            }
            (Object::Inline(value), true) => {
                let value = value.clone();
                refs::charge(cursor, at, &value)?;
                let node = self.reserve_node(cursor, at)?;
                self.nodes[node] = value.clone();
                self.objects[object] = Object::Node(node);
                Ok(Value::Reference(node))
            }
            (Object::Open, _) => {
                Err(cursor.malformed(at, "reference to an object that contains it"))
            }
        }
    }
}
