//! Reading: the state of one stream, its root, values by their type.

use std::collections::HashMap;
use std::rc::Rc;

use interop_schema::fory::{StructLayout, WireType, meta_string, type_id as id};
use interop_schema::{MessageId, Registration, Schema, Type};
use interop_wire::{Error as WireError, ErrorKind as WireKind, Reader};

use super::adapt::Action;
use super::encode::XLANG;
use super::frame::{Flag, Object};
use super::type_info::{RemoteDef, TypeInfo, describe};
use super::{Mode, number, string, temporal};
use crate::{Cursor, Document, DynamicMessage, Error, Part, Value};

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

pub(super) struct Decoder<'d> {
    pub(super) schema: &'d Schema,
    mode: Mode,
    pub(super) struct_hash: bool,
    pub(super) reader: Reader<'d>,
    pub(super) defs: Vec<Rc<RemoteDef>>,
    pub(super) names: Vec<(meta_string::Encoding, Vec<u8>)>,
    pub(super) layouts: HashMap<MessageId, Rc<StructLayout>>,
    pub(super) hashes: HashMap<MessageId, [u32; 2]>,
    pub(super) actions: HashMap<(usize, MessageId), Rc<[Action]>>,
    pub(super) objects: Vec<Object>,
    pub(super) nodes: Vec<Value>,
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
}
