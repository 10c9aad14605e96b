//! Writing: the state of one stream, framing, structs and their type information.

use std::collections::HashMap;
use std::rc::Rc;

use interop_schema::fory::{
    self as rules, StructLayout, WireType, meta_string, schema_hash, type_def, type_id as id,
};
use interop_schema::{MessageId, Registration, Schema, Type};
use interop_wire::{Writer, murmur3};

use super::{Dialect, Mode, number, string, temporal};
use crate::{Document, DynamicMessage, Error, Path, Segment, Value};

pub(super) const NULL: u8 = 0xfd;
pub(super) const REFERENCE: u8 = 0xfe;
pub(super) const NOT_NULL: u8 = 0xff;
pub(super) const FIRST_OCCURRENCE: u8 = 0;
pub(super) const XLANG: u8 = 1;

/// Values nested deeper are refused, so that no value can exhaust the stack.
const DEPTH_MAX: u32 = 400;

pub(super) struct Encoder<'d> {
    pub(super) schema: &'d Schema,
    pub(super) mode: Mode,
    pub(super) dialect: &'d Dialect,
    pub(super) out: Writer,
    nodes: &'d [Value],
    path: Path,
    depth: u32,
    layouts: HashMap<MessageId, Rc<StructLayout>>,
    type_defs: HashMap<(MessageId, bool), u32>,
    names: Vec<(meta_string::Encoding, Vec<u8>)>,
    written_nodes: HashMap<usize, u32>,
    next_reference: u32,
    tracking: bool,
}

impl<'d> Encoder<'d> {
    pub(super) fn new(
        schema: &'d Schema,
        nodes: &'d [Value],
        mode: Mode,
        dialect: &'d Dialect,
    ) -> Self {
        Self {
            schema,
            mode,
            dialect,
            out: Writer::new(),
            nodes,
            path: Path::default(),
            depth: 0,
            layouts: HashMap::new(),
            type_defs: HashMap::new(),
            names: Vec::new(),
            written_nodes: HashMap::new(),
            next_reference: 0,
            tracking: false,
        }
    }

    /// Writes a whole stream.
    pub(super) fn document(mut self, document: &'d Document) -> Result<Vec<u8>, Error> {
        self.out.u8(XLANG);
        let message = match &document.root {
            Value::Message(message) => Some(message),
            Value::Reference(node) => match self.nodes.get(*node) {
                Some(Value::Message(message)) => Some(message),
                _ => None,
            },
            _ => None,
        };
        match message {
            Some(message) => {
                self.tracking = rules::tracks_references(self.schema, message.id);
                if let Some(root) = self.frame(false, self.tracking, &document.root)? {
                    if !self.tracking {
                        self.out.u8(NOT_NULL);
                    }
                    let ty = Type::Message(message.id);
                    self.type_info(&ty, false)?;
                    let wire = WireType::of(self.schema, &ty, self.compatible());
                    self.data(&ty, &wire, root)?;
                }
            }
            None => self.dynamic(&document.root)?,
        }
        Ok(self.out.into_vec())
    }

    pub(super) fn compatible(&self) -> bool {
        self.mode == Mode::Compatible
    }

    pub(super) fn error(&self, text: impl Into<String>) -> Error {
        Error::value(&self.path, text)
    }

    /// Runs `inner` one path segment further in.
    pub(super) fn at<T>(
        &mut self,
        segment: Segment,
        inner: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.path.segments.push(segment);
        let result = inner(self);
        self.path.segments.pop();
        result
    }

    /// Writes the flag that a position asks for; the value to go on with, or none when the flag
    /// said it all.
    pub(super) fn frame(
        &mut self,
        nullable: bool,
        reference: bool,
        value: &'d Value,
    ) -> Result<Option<&'d Value>, Error> {
        match value {
            Value::Null if nullable || reference => {
                self.out.u8(NULL);
                Ok(None)
            }
            Value::Null => Err(self.error("null in a position that is not nullable")),
            Value::Reference(node) => {
                if !reference {
                    return Err(self.error("a reference in a position that is not tracked"));
                }
                if let Some(number) = self.written_nodes.get(node) {
                    self.out.u8(REFERENCE);
                    self.out.varint(u64::from(*number));
                    return Ok(None);
                }
                let Some(target) = self.nodes.get(*node) else {
                    return Err(self.error(format!("the document has no node {node}")));
                };
                self.written_nodes.insert(*node, self.next_reference);
                self.first_occurrence();
                Ok(Some(target))
            }
            value => {
                if reference {
                    self.first_occurrence();
                } else if nullable {
                    self.out.u8(NOT_NULL);
                }
                Ok(Some(value))
            }
        }
    }

    fn first_occurrence(&mut self) {
        self.out.u8(FIRST_OCCURRENCE);
        self.next_reference += 1;
    }

    /// The value's bytes behind flags and type information.
    pub(super) fn data(
        &mut self,
        ty: &Type,
        wire: &WireType,
        value: &'d Value,
    ) -> Result<(), Error> {
        self.deeper(|encoder| encoder.data_inner(ty, wire, value))
    }

    /// Runs `inner` one nesting level further in.
    pub(super) fn deeper(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error(format!("value nested deeper than {DEPTH_MAX} levels")));
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn data_inner(&mut self, ty: &Type, wire: &WireType, value: &'d Value) -> Result<(), Error> {
        let written = match (ty, value) {
            (Type::Message(expected), Value::Message(message)) if *expected == message.id => {
                if id::is_struct(wire.id) {
                    return self.structure(message);
                }
                let converted = temporal::from_message(self.schema, message);
                converted.and_then(|value| temporal::write(&mut self.out, wire.id, &value))
            }
            (Type::String, Value::String(text)) => {
                string::write(&mut self.out, text, self.dialect.strings);
                Ok(())
            }
            (Type::Bytes, Value::Bytes(bytes)) => {
                self.out.varint(bytes.len() as u64);
                self.out.bytes(bytes);
                Ok(())
            }
            (Type::Enum(_), Value::Enum(number)) => match u32::try_from(*number) {
                Ok(number) => {
                    self.out.varint(u64::from(number));
                    Ok(())
                }
                Err(_) => Err(format!("enum number {number} is negative")),
            },
            (Type::Union(union), Value::Union(case, value)) => {
                return self.union(*union, *case, value);
            }
            (Type::List(slot) | Type::Set(slot), Value::List(values)) => {
                return self.list(slot, &wire.children[0], values);
            }
            (Type::Map(key, value), Value::Map(entries)) => {
                return self.map(key, value, &wire.children, entries);
            }
            (Type::Array(_), Value::List(values)) => {
                let element = id::array_element(wire.id).unwrap_or(id::UNKNOWN);
                number::write_array(&mut self.out, element, values)
            }
            (Type::Timestamp | Type::Duration | Type::Date | Type::Decimal, value) => {
                temporal::write(&mut self.out, wire.id, value)
            }
            (_, value) if id::is_primitive(wire.id) => number::write(&mut self.out, wire.id, value),
            (_, value) => Err(format!("a {} does not fit the schema's type", value.kind())),
        };
        written.map_err(|text| self.error(text))
    }

    pub(super) fn layout(&mut self, message: MessageId) -> Rc<StructLayout> {
        let compatible = self.compatible();
        let layout = self
            .layouts
            .entry(message)
            .or_insert_with(|| Rc::new(rules::layout(self.schema, message, compatible)));
        Rc::clone(layout)
    }

    fn structure(&mut self, message: &'d DynamicMessage) -> Result<(), Error> {
        if !self.compatible() && self.dialect.struct_hash {
            let optional = self.dialect.optional_hash;
            self.out.u32(schema_hash(self.schema, message.id, optional));
        }
        let layout = self.layout(message.id);
        for field in &layout.fields {
            let schema_field = &self.schema.message(message.id).fields[field.index];
            let segment = Segment::Field(schema_field.name.clone());
            self.at(segment, |encoder| {
                encoder.field(message, field.index, &field.wire)
            })?;
        }
        Ok(())
    }

    fn field(
        &mut self,
        message: &'d DynamicMessage,
        index: usize,
        wire: &WireType,
    ) -> Result<(), Error> {
        let field = &self.schema.message(message.id).fields[index];
        let Some(value) = message.get(index) else {
            if (wire.nullable || wire.reference)
                && field.presence != interop_schema::Presence::Implicit
            {
                self.out.u8(NULL);
                return Ok(());
            }
            return self.default_field(&field.ty, wire, message, index);
        };
        if field.ty == Type::Any {
            return self.dynamic_framed(wire.nullable, wire.reference, value);
        }
        let Some(value) = self.frame(wire.nullable, wire.reference, value)? else {
            return Ok(());
        };
        if self.compatible() && id::is_struct(wire.id) {
            self.type_info(&field.ty, false)?;
        }
        self.data(&field.ty, wire, value)
    }

    /// An absent field that is not nullable goes out as its default.
    fn default_field(
        &mut self,
        ty: &Type,
        wire: &WireType,
        message: &DynamicMessage,
        index: usize,
    ) -> Result<(), Error> {
        let value = message.get_or_default(self.schema, index);
        if let Value::Null = value {
            return Err(self.error("no value in a field that is not nullable"));
        }
        // A default holds no references, and lives only as long as this call.
        let mut inner = Encoder::new(self.schema, &[], self.mode, self.dialect);
        std::mem::swap(&mut inner.out, &mut self.out);
        std::mem::swap(&mut inner.type_defs, &mut self.type_defs);
        std::mem::swap(&mut inner.names, &mut self.names);
        inner.path = self.path.clone();
        inner.depth = self.depth + 1;
        inner.next_reference = self.next_reference;
        let result = if inner.depth > DEPTH_MAX {
            Err(self.error("a message that contains itself has no default"))
        } else {
            inner.default_value(ty, wire, &value)
        };
        self.next_reference = inner.next_reference;
        self.out = std::mem::take(&mut inner.out);
        self.type_defs = std::mem::take(&mut inner.type_defs);
        self.names = std::mem::take(&mut inner.names);
        result
    }

    fn default_value(&mut self, ty: &Type, wire: &WireType, value: &'d Value) -> Result<(), Error> {
        self.frame(wire.nullable, wire.reference, value)?;
        if self.compatible() && id::is_struct(wire.id) {
            self.type_info(ty, false)?;
        }
        self.data(ty, wire, value)
    }

    /// Says which type a value of static type `ty` has. `tracked_element` marks the one place
    /// where some writers repeat TypeDefs.
    pub(super) fn type_info(&mut self, ty: &Type, tracked_element: bool) -> Result<(), Error> {
        let wire = WireType::of(self.schema, ty, self.compatible());
        match ty {
            Type::Message(message) if id::is_struct(wire.id) => {
                self.out.u8(wire.id);
                let shared = self.compatible() && wire.id != id::STRUCT;
                if shared {
                    self.type_def(*message, tracked_element);
                } else {
                    let registration = &self.schema.message(*message).fory.registration;
                    self.registration(registration);
                }
            }
            Type::Enum(enumeration) => {
                let registration = &self.schema.enumeration(*enumeration).registration;
                self.named_kind(id::ENUM, id::NAMED_ENUM, registration);
            }
            Type::Union(union) => {
                let registration = &self.schema.union(*union).registration;
                self.named_kind(id::TYPED_UNION, id::NAMED_UNION, registration);
            }
            _ => self.out.u8(wire.id),
        }
        Ok(())
    }

    /// Type information of an enum or union, which in compatible mode carries a TypeDef without
    /// fields when it is registered by name.
    fn named_kind(&mut self, by_id: u8, by_name: u8, registration: &Registration) {
        match registration {
            Registration::Id(_) => self.out.u8(by_id),
            Registration::Name { .. } => self.out.u8(by_name),
        }
        self.registration(registration);
    }

    fn registration(&mut self, registration: &Registration) {
        match registration {
            Registration::Id(user_id) => self.out.varint(u64::from(*user_id)),
            Registration::Name { namespace, name } => {
                let fresh = !self.knows(name, meta_string::Place::TypeName);
                self.name(namespace, meta_string::Place::Namespace, fresh);
                self.name(name, meta_string::Place::TypeName, fresh);
            }
        }
    }

    fn knows(&self, text: &str, place: meta_string::Place) -> bool {
        self.names.contains(&meta_string::encode(text, place))
    }

    /// A meta string outside a TypeDef: a length, eight bytes of hash or one of encoding, the
    /// bytes; or the number of an earlier one.
    fn name(&mut self, text: &str, place: meta_string::Place, fresh: bool) {
        const SHORT_BYTES: usize = 16;
        let (encoding, bytes) = meta_string::encode(text, place);
        let written = self
            .names
            .iter()
            .position(|(e, b)| *e == encoding && *b == bytes);
        let again = fresh && self.dialect.repeated_names == super::RepeatedNames::InFull;
        if let Some(position) = written.filter(|_| !again) {
            self.out.varint((position as u64 + 1) << 1 | 1);
            return;
        }
        self.out.varint((bytes.len() as u64) << 1);
        if bytes.len() > SHORT_BYTES {
            self.out.u64(name_hash(&bytes, encoding));
        } else if !bytes.is_empty() {
            self.out.u8(encoding as u8);
        }
        self.out.bytes(&bytes);
        self.names.push((encoding, bytes));
    }

    fn type_def(&mut self, message: MessageId, tracked_element: bool) {
        let again = tracked_element && self.dialect.tracked_element_type_def_again;
        if let Some(index) = self.type_defs.get(&(message, again)) {
            self.out.varint(u64::from(*index) << 1 | 1);
            return;
        }
        let index = self.type_defs.len() as u32;
        self.type_defs.insert((message, again), index);
        self.out.varint(u64::from(index) << 1);
        let layout = self.layout(message);
        let style = self.dialect.type_defs;
        let bytes = type_def(self.schema.message(message), &layout, style, true);
        self.out.bytes(&bytes);
    }

    pub(super) fn tracking(&self) -> bool {
        self.tracking
    }
}

/// The hash that stands in front of a long meta string: the lowest byte is the encoding.
pub(super) fn name_hash(bytes: &[u8], encoding: meta_string::Encoding) -> u64 {
    const SEED: u64 = 47;
    let hash = murmur3::x64_128(bytes, SEED).0.cast_signed();
    let mut hash = hash.wrapping_abs().cast_unsigned();
    if hash == 0 {
        hash += 256;
    }
    hash & !0xff | u64::from(encoding as u8)
}
