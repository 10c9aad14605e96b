//! Reading: the state of one stream, flags, structs with and without TypeDefs.

use std::collections::HashMap;
use std::rc::Rc;

use interop_schema::fory::{
    self as rules, FieldKey, OptionalHash, StructLayout, WireType, meta_string, schema_hash,
    type_id as id,
};
use interop_schema::{MessageId, Registration, Schema, Type};
use interop_wire::{Error as WireError, ErrorKind as WireKind, Reader};

use super::adapt::{self, Action};
use super::encode::{FIRST_OCCURRENCE, NOT_NULL, NULL, REFERENCE, XLANG};
use super::type_info::{RemoteDef, TypeInfo, describe};
use super::{Mode, number, string, temporal};
use crate::{Cursor, Document, DynamicMessage, Error, Part, Segment, Value};

/// What a value is read for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'t> {
    /// A position of this type.
    Typed(&'t Type),
    /// A position that takes any type; registered types become what the schema says.
    Any,
    /// Nothing: the value is read to get past it.
    Skip,
}

/// An object that a later reference may name.
enum Object {
    /// Still being read.
    Open,
    /// A node of the document.
    Node(usize),
    /// A value at a position that is not tracked.
    Inline(Value),
}

pub(super) struct Decoder<'d> {
    pub(super) schema: &'d Schema,
    mode: Mode,
    struct_hash: bool,
    pub(super) reader: Reader<'d>,
    pub(super) defs: Vec<Rc<RemoteDef>>,
    pub(super) names: Vec<(meta_string::Encoding, Vec<u8>)>,
    layouts: HashMap<MessageId, Rc<StructLayout>>,
    hashes: HashMap<MessageId, [u32; 2]>,
    actions: HashMap<(usize, MessageId), Rc<[Action]>>,
    objects: Vec<Object>,
    pub(super) nodes: Vec<Value>,
}

/// What a flag said.
enum Flag {
    Null,
    Present,
    First(usize),
    Again(usize),
}

impl<'d> Decoder<'d> {
    pub(super) fn new(schema: &'d Schema, mode: Mode, bytes: &'d [u8], struct_hash: bool) -> Self {
        Self {
            schema,
            mode,
            struct_hash,
            reader: Reader::new(bytes),
            defs: Vec::new(),
            names: Vec::new(),
            layouts: HashMap::new(),
            hashes: HashMap::new(),
            actions: HashMap::new(),
            objects: Vec::new(),
            nodes: Vec::new(),
        }
    }

    pub(super) fn compatible(&self) -> bool {
        self.mode == Mode::Compatible
    }

    /// Reads a whole stream.
    pub(super) fn document(
        mut self,
        cursor: &mut Cursor<'_>,
        target: Target<'_>,
    ) -> Result<Document, Error> {
        let start = self.reader.offset();
        let bitmap = self.reader.u8().map_err(|e| cursor.wire(e))?;
        cursor.span(start, self.reader.offset(), Part::Header, "bitmap", || {
            format!("{bitmap:#04x}")
        });
        if bitmap != XLANG {
            let text = format!("bitmap is {bitmap:#04x}; only xlang, 0x01, can be read");
            return Err(cursor.malformed(start, text));
        }
        let at = self.reader.offset();
        let flag = self.flag(cursor, Part::Header, "root flag")?;
        let root = match flag {
            Flag::Null => {
                if let Target::Typed(_) = target {
                    return Err(cursor.mismatch(at, "the root is null"));
                }
                Value::Null
            }
            Flag::Again(_) => return Err(cursor.malformed(at, "the root is a reference")),
            Flag::Present => self.any_value(cursor, target)?,
            Flag::First(object) => {
                // The root becomes a node only when something refers to it.
                let node = self.reserve_node(cursor, at)?;
                self.objects[object] = Object::Node(node);
                let value = self.any_value(cursor, target)?;
                self.nodes[node] = value;
                Value::Reference(node)
            }
        };
        if !self.reader.is_empty() {
            let count = self.reader.remaining();
            let kind = WireKind::TrailingBytes { count };
            return Err(cursor.wire(WireError::new(self.reader.offset(), kind)));
        }
        super::refs::normalise(Document {
            root,
            nodes: self.nodes,
        })
        .map_err(|text| cursor.malformed(at, text))
    }

    /// Whether the hash behind the root's type is one of those expected; none when the stream
    /// does not get that far.
    pub(super) fn root_hash_fits(
        &mut self,
        cursor: &mut Cursor<'_>,
        message: MessageId,
    ) -> Option<bool> {
        self.reader.u8().ok()?;
        self.reader.u8().ok()?;
        let at = self.reader.offset();
        let info = self.type_info(cursor).ok()?;
        self.check_info(cursor, at, &info, &Type::Message(message))
            .ok()?;
        // A stream without hashes may be shorter than one.
        let hash = self.reader.u32().ok();
        Some(hash.is_some_and(|hash| self.expected_hashes(message).contains(&hash)))
    }

    /// A value that starts with its type.
    fn any_value(&mut self, cursor: &mut Cursor<'_>, target: Target<'_>) -> Result<Value, Error> {
        let at = self.reader.offset();
        let info = self.type_info(cursor)?;
        self.value_of(cursor, at, &info, target)
    }

    /// The bytes of a value whose type information, at `at`, has been read.
    pub(super) fn value_of(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: usize,
        info: &TypeInfo,
        target: Target<'_>,
    ) -> Result<Value, Error> {
        let mut wire = WireType::plain(info.type_id);
        if let Target::Typed(ty) = target {
            if *ty == Type::Any {
                return self.data(cursor, &wire, Some(info), Target::Any);
            }
            self.check_info(cursor, at, info, ty)?;
            wire.children = WireType::of(self.schema, ty, self.compatible()).children;
        }
        self.data(cursor, &wire, Some(info), target)
    }

    /// Refuses type information, read at `at`, that is not about values of type `ty`.
    pub(super) fn check_info(
        &self,
        cursor: &Cursor<'_>,
        at: usize,
        info: &TypeInfo,
        ty: &Type,
    ) -> Result<(), Error> {
        if *ty == Type::Any {
            return Ok(());
        }
        let declared = WireType::of(self.schema, ty, self.compatible());
        let fits = if id::is_struct(info.type_id) {
            info.type_id == declared.id
        } else {
            (id::is_union(info.type_id) && id::is_union(declared.id))
                || (id::is_enum(info.type_id) && id::is_enum(declared.id))
                || id::domain(info.type_id) == id::domain(declared.id)
        };
        let expected = self.registration_of(ty);
        let named = info.registration.as_ref();
        let unnamed_union = info.type_id == id::UNION;
        if !fits || (!unnamed_union && expected.is_some() && expected != named) {
            let expected = expected.map_or(String::new(), |r| format!(" {}", describe(r)));
            let text = format!(
                "expected {}{expected}, found {}",
                id::name(declared.id),
                info.describe()
            );
            return Err(cursor.mismatch(at, text));
        }
        Ok(())
    }

    /// The registration that type information about a value of type `ty` must have.
    fn registration_of(&self, ty: &Type) -> Option<&'d Registration> {
        match ty {
            Type::Enum(id) => Some(&self.schema.enumeration(*id).registration),
            Type::Union(id) => Some(&self.schema.union(*id).registration),
            Type::Message(message) => {
                let wire = WireType::of(self.schema, ty, self.compatible());
                id::is_struct(wire.id).then(|| &self.schema.message(*message).fory.registration)
            }
            _ => None,
        }
    }

    fn flag(&mut self, cursor: &mut Cursor<'_>, part: Part, meaning: &str) -> Result<Flag, Error> {
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

    fn reserve_node(&mut self, cursor: &mut Cursor<'_>, at: usize) -> Result<usize, Error> {
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
                super::refs::charge(cursor, at, &value)?;
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
                super::refs::charge(cursor, at, &value)?;
                Ok(value)
            }
            (Object::Inline(value), false) => {
                let value = value.clone();
                super::refs::charge(cursor, at, &value)?;
                Ok(value)
            }
            (Object::Inline(value), true) => {
                let value = value.clone();
                super::refs::charge(cursor, at, &value)?;
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

    /// The bytes of a value behind flags and type information. `info` is there when the stream
    /// said the type; else structs, enums and unions are those of the target.
    pub(super) fn data(
        &mut self,
        cursor: &mut Cursor<'_>,
        wire: &WireType,
        info: Option<&TypeInfo>,
        target: Target<'_>,
    ) -> Result<Value, Error> {
        let start = self.reader.offset();
        match wire.id {
            id::UNKNOWN => {
                let info = self.type_info(cursor)?;
                if info.type_id == id::UNKNOWN {
                    return Err(cursor.malformed(start, "a value of unknown type"));
                }
                cursor.nested(start, |cursor| self.value_of(cursor, start, &info, target))
            }
            id::NONE => Ok(Value::Null),
            id::STRING => string::read(&mut self.reader, cursor).map(Value::String),
            id::BINARY => self.bytes(cursor).map(Value::Bytes),
            id::DURATION | id::TIMESTAMP | id::DATE | id::DECIMAL => {
                let value = temporal::read(&mut self.reader, cursor, wire.id)?;
                Ok(match target {
                    Target::Typed(Type::Message(message)) => {
                        cursor.charge(
                            start,
                            1,
                            DynamicMessage::size_in_memory(self.schema, *message),
                        )?;
                        temporal::to_message(self.schema, *message, &value)
                    }
                    _ => value,
                })
            }
            id::ENUM | id::NAMED_ENUM => self.enumeration(cursor, target),
            id::LIST | id::SET => cursor.nested(start, |cursor| self.list(cursor, wire, target)),
            id::MAP => cursor.nested(start, |cursor| self.map(cursor, wire, target)),
            id::STRUCT..=id::NAMED_COMPATIBLE_STRUCT => {
                cursor.nested(start, |cursor| self.structure(cursor, info, target))
            }
            id::UNION | id::TYPED_UNION | id::NAMED_UNION => {
                cursor.nested(start, |cursor| self.union(cursor, info, target))
            }
            type_id => match id::array_element(type_id) {
                Some(element) => {
                    number::read_array(&mut self.reader, cursor, element).map(Value::List)
                }
                None => number::read(&mut self.reader, cursor, type_id),
            },
        }
    }

    fn bytes(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Error> {
        let start = self.reader.offset();
        let len = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let at = self.reader.offset();
        cursor.span(start, at, Part::Framing, "length", || {
            format!("{len} bytes")
        });
        let bytes = self
            .reader
            .take(u64::from(len))
            .map_err(|e| cursor.wire(e))?;
        cursor.charge(at, bytes.len(), 1)?;
        cursor.span(at, self.reader.offset(), Part::Payload, "bytes", || {
            let shown: String = bytes.iter().take(16).map(|b| format!("{b:02x}")).collect();
            if bytes.len() > 16 {
                shown + "..."
            } else {
                shown
            }
        });
        Ok(bytes.to_vec())
    }

    fn enumeration(&mut self, cursor: &mut Cursor<'_>, target: Target<'_>) -> Result<Value, Error> {
        let start = self.reader.offset();
        let number = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let enumeration = match target {
            Target::Typed(Type::Enum(id)) => Some(self.schema.enumeration(*id)),
            _ => None,
        };
        let signed = i32::try_from(number)
            .map_err(|_| cursor.malformed(start, format!("enum number {number} is too large")))?;
        let name = enumeration.and_then(|e| e.name_of(signed));
        cursor.span(start, self.reader.offset(), Part::Payload, "enum", || {
            format!("{number}, {}", name.unwrap_or("not listed"))
        });
        if name.is_none() && enumeration.is_some_and(|e| e.closed) {
            let text = format!("{number} is no value of a closed enum");
            return Err(cursor.mismatch(start, text));
        }
        Ok(Value::Enum(signed))
    }

    pub(super) fn layout(&mut self, message: MessageId) -> Rc<StructLayout> {
        let compatible = self.compatible();
        let layout = self
            .layouts
            .entry(message)
            .or_insert_with(|| Rc::new(rules::layout(self.schema, message, compatible)));
        Rc::clone(layout)
    }

    /// The message that the schema registers so.
    fn registered(&self, registration: &Registration) -> Option<MessageId> {
        let messages = &self.schema.messages;
        let index = messages
            .iter()
            .position(|m| m.fory.registration == *registration)?;
        Some(MessageId(index as u32))
    }

    fn structure(
        &mut self,
        cursor: &mut Cursor<'_>,
        info: Option<&TypeInfo>,
        target: Target<'_>,
    ) -> Result<Value, Error> {
        let start = self.reader.offset();
        let def = info.and_then(|info| info.def.as_ref());
        let registration = info.and_then(|info| info.registration.as_ref());
        let message = match (target, def) {
            (Target::Typed(Type::Message(message)), _) => Some(*message),
            // Skipped structs need no place in the schema as long as a TypeDef describes them.
            (Target::Skip, Some(_)) => None,
            _ => registration.and_then(|registration| self.registered(registration)),
        };
        match (message, def) {
            (Some(message), Some(def)) => self.by_def(cursor, start, message, &Rc::clone(def)),
            (Some(message), None) => self.by_layout(cursor, start, message),
            (None, Some(def)) => self.generic(cursor, start, &Rc::clone(def)),
            (None, None) => {
                let name = info.map_or("a struct".to_owned(), TypeInfo::describe);
                let text =
                    format!("{name} is not in the schema and the stream does not describe it");
                Err(cursor.mismatch(start, text))
            }
        }
    }

    /// Fields as the local schema orders them, behind the schema hash in consistent mode.
    fn by_layout(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        message: MessageId,
    ) -> Result<Value, Error> {
        if !self.compatible() && self.struct_hash {
            self.check_hash(cursor, message)?;
        }
        cursor.charge(
            start,
            1,
            DynamicMessage::size_in_memory(self.schema, message),
        )?;
        let mut value = DynamicMessage::new(self.schema, message);
        let layout = self.layout(message);
        for field in &layout.fields {
            let name = &self.schema.message(message).fields[field.index].name;
            cursor.at(
                || Segment::Field(name.clone()),
                |cursor| {
                    self.matched(
                        cursor,
                        &field.wire,
                        &mut value,
                        field.index,
                        Action::Direct(field.index),
                    )
                },
            )?;
        }
        Ok(Value::Message(Box::new(value)))
    }

    fn check_hash(&mut self, cursor: &mut Cursor<'_>, message: MessageId) -> Result<(), Error> {
        let start = self.reader.offset();
        let hash = self.reader.u32().map_err(|e| cursor.wire(e))?;
        let end = self.reader.offset();
        cursor.span(start, end, Part::Metadata, "schema hash", || {
            format!("{hash:#010x}")
        });
        let expected = self.expected_hashes(message);
        if !expected.contains(&hash) {
            let name = &self.schema.message(message).full_name;
            let text = format!(
                "schema hash of {name} is {hash:#010x} in the stream and {:#010x} here",
                expected[0]
            );
            return Err(cursor.mismatch(start, text));
        }
        Ok(())
    }

    /// The hash by the specification, and the one that Go writes for untagged pointers.
    pub(super) fn expected_hashes(&mut self, message: MessageId) -> [u32; 2] {
        let schema = self.schema;
        *self.hashes.entry(message).or_insert_with(|| {
            [OptionalHash::Nullable, OptionalHash::Plain]
                .map(|optional| schema_hash(schema, message, optional))
        })
    }

    /// Fields as the TypeDef orders them, each matched to a local one or skipped.
    fn by_def(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        message: MessageId,
        def: &RemoteDef,
    ) -> Result<Value, Error> {
        let actions = match self.actions.get(&(def.index, message)) {
            Some(actions) => Rc::clone(actions),
            None => {
                let layout = self.layout(message);
                let planned = adapt::plan(self.schema, message, &layout, def);
                let actions: Rc<[Action]> =
                    planned.map_err(|text| cursor.mismatch(start, text))?.into();
                self.actions
                    .insert((def.index, message), Rc::clone(&actions));
                actions
            }
        };
        cursor.charge(
            start,
            1,
            DynamicMessage::size_in_memory(self.schema, message),
        )?;
        let mut value = DynamicMessage::new(self.schema, message);
        for (field, action) in def.fields.iter().zip(actions.iter()) {
            match action.index() {
                Some(index) => {
                    let name = &self.schema.message(message).fields[index].name;
                    cursor.at(
                        || Segment::Field(name.clone()),
                        |cursor| self.matched(cursor, &field.wire, &mut value, index, *action),
                    )?;
                }
                None => {
                    cursor.at(
                        || segment(&field.key),
                        |cursor| self.field_value(cursor, &field.wire, Target::Skip, false),
                    )?;
                }
            }
        }
        Ok(Value::Message(Box::new(value)))
    }

    /// A struct that the schema lacks: a map from field name, or `#id`, to value.
    fn generic(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: usize,
        def: &RemoteDef,
    ) -> Result<Value, Error> {
        cursor.charge_values(start, def.fields.len() * 2)?;
        let mut entries = Vec::with_capacity(def.fields.len());
        for field in &def.fields {
            let value = cursor.at(
                || segment(&field.key),
                |cursor| self.field_value(cursor, &field.wire, Target::Skip, false),
            )?;
            let name = match &field.key {
                FieldKey::Id(number) => format!("#{number}"),
                FieldKey::Name(name) => name.clone(),
            };
            entries.push((Value::String(name), value));
        }
        Ok(Value::Map(entries))
    }

    /// Reads a remote field into the local field `index` of `message`.
    fn matched(
        &mut self,
        cursor: &mut Cursor<'_>,
        wire: &WireType,
        message: &mut DynamicMessage,
        index: usize,
        action: Action,
    ) -> Result<(), Error> {
        let start = self.reader.offset();
        let field = &self.schema.message(message.id).fields[index];
        let tracked = field.fory.reference;
        let value = match action {
            Action::Direct(_) | Action::Skip => {
                self.field_value(cursor, wire, Target::Typed(&field.ty), tracked)?
            }
            Action::ListToArray(_) => {
                let elements = adapt::list_of_elements(&field.ty);
                self.field_value(cursor, wire, Target::Typed(&elements), false)?
            }
            Action::Scalar(_) | Action::ArrayToList(_) | Action::Bytes(_) => {
                let value = self.field_value(cursor, wire, Target::Skip, false)?;
                let converted = adapt::convert(value, wire.id, &field.ty);
                converted.map_err(|text| cursor.mismatch(start, text))?
            }
        };
        match value {
            // A null for a field that can't be null is as if the field were missing.
            Value::Null => {}
            // Members of a oneof clear each other: the last one read stays.
            value => message.set(self.schema, index, value),
        }
        Ok(())
    }

    /// Flag, type information where structs and dynamic values have it, value.
    fn field_value(
        &mut self,
        cursor: &mut Cursor<'_>,
        wire: &WireType,
        target: Target<'_>,
        tracked: bool,
    ) -> Result<Value, Error> {
        let frame = Frame {
            wire: WireFrame::of(wire),
            tracked,
        };
        self.framed(cursor, frame, |decoder, cursor| {
            if id::is_struct(wire.id) && decoder.compatible() {
                let at = decoder.reader.offset();
                let info = decoder.type_info(cursor)?;
                if !id::is_struct(info.type_id) {
                    let text = format!("expected a struct, found {}", info.describe());
                    return Err(cursor.mismatch(at, text));
                }
                return decoder.value_of(cursor, at, &info, target);
            }
            decoder.data(cursor, wire, None, target)
        })
    }
}

fn segment(key: &FieldKey) -> Segment {
    match key {
        FieldKey::Id(number) => Segment::Unknown(*number),
        FieldKey::Name(name) => Segment::Field(name.clone()),
    }
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
