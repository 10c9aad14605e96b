//! ProtoJSON text to values: messages, fields, lists, maps.

use std::borrow::Cow;
use std::collections::HashSet;

use interop_schema::{
    Message, MessageId, Presence, ProtoField, ProtoKind, ProtoShape, Schema, Slot, Type, WellKnown,
};
use interop_wire::{Error as WireError, ErrorKind as WireKind};

use super::ParseOptions;
use super::lexer::{Kind, Lexer, Token};
use crate::{Cursor, DecodeOptions, DynamicMessage, Error, Part, Segment, Value};

pub(super) struct Parser<'a, 's> {
    pub(super) lexer: Lexer<'a>,
    pub(super) schema: &'s Schema,
    pub(super) parse: ParseOptions,
}

/// A member's name.
pub(super) type Name<'a> = Token<Cow<'a, str>>;

pub(super) fn decode(
    schema: &Schema,
    id: MessageId,
    bytes: &[u8],
    options: DecodeOptions<'_>,
    parse: ParseOptions,
) -> Result<DynamicMessage, Error> {
    let mut cursor = Cursor::new(options, bytes.len())?;
    let mut parser = Parser {
        lexer: Lexer::new(bytes),
        schema,
        parse,
    };
    parser.space(&mut cursor);
    let message = parser.message(&mut cursor, id)?;
    parser.space(&mut cursor);
    match parser.lexer.remaining() {
        0 => Ok(message),
        count => {
            let kind = WireKind::TrailingBytes { count };
            Err(cursor.wire(WireError::new(parser.lexer.offset(), kind)))
        }
    }
}

impl<'a> Parser<'a, '_> {
    /// White space, if there is any.
    pub(super) fn space(&mut self, cursor: &mut Cursor<'_>) {
        let start = self.lexer.offset();
        self.lexer.skip_space();
        let end = self.lexer.offset();
        cursor.span(start, end, Part::Framing, "white space", String::new);
    }

    /// What comes next, behind white space.
    pub(super) fn kind(&mut self, cursor: &mut Cursor<'_>) -> Result<Kind, Error> {
        self.space(cursor);
        self.lexer.kind().map_err(|error| cursor.wire(error))
    }

    pub(super) fn punctuation(&mut self, cursor: &mut Cursor<'_>, byte: u8) -> Result<(), Error> {
        self.space(cursor);
        let start = self.lexer.offset();
        let read = self.lexer.punctuation(byte);
        read.map_err(|error| cursor.wire(error))?;
        cursor.span(start, start + 1, Part::Framing, "punctuation", || {
            char::from(byte).to_string()
        });
        Ok(())
    }

    /// Moves past `byte` if it comes next.
    fn optional(&mut self, cursor: &mut Cursor<'_>, byte: u8) -> Result<bool, Error> {
        self.space(cursor);
        let found = self.lexer.peek().map_err(|error| cursor.wire(error))? == byte;
        if found {
            self.punctuation(cursor, byte)?;
        }
        Ok(found)
    }

    /// Reads a member's name and leaves the span to whoever knows what it names.
    fn name(&mut self, cursor: &mut Cursor<'_>) -> Result<Name<'a>, Error> {
        self.space(cursor);
        if self.lexer.peek() != Ok(b'"') {
            let error = self.lexer.unexpected("a member's name in quotes");
            return Err(cursor.wire(error));
        }
        self.lexer.string().map_err(|error| cursor.wire(error))
    }

    /// Reports a member's name and reads the colon behind it.
    pub(super) fn named(
        &mut self,
        cursor: &mut Cursor<'_>,
        name: &Name<'a>,
        part: Part,
        meaning: &str,
    ) -> Result<(), Error> {
        cursor.span(name.start, name.end, part, meaning, || {
            format!("{:?}", name.text)
        });
        self.punctuation(cursor, b':')
    }

    /// An object; `member` reads each value, from its colon on.
    pub(super) fn object(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut member: impl FnMut(&mut Self, &mut Cursor<'_>, Name<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.punctuation(cursor, b'{')?;
        if self.optional(cursor, b'}')? {
            return Ok(());
        }
        loop {
            let name = self.name(cursor)?;
            member(self, cursor, name)?;
            if !self.separator(cursor, b'}')? {
                return Ok(());
            }
        }
    }

    /// An array; `element` reads each value.
    pub(super) fn array(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut element: impl FnMut(&mut Self, &mut Cursor<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.punctuation(cursor, b'[')?;
        if self.optional(cursor, b']')? {
            return Ok(());
        }
        for index in 0.. {
            self.space(cursor);
            cursor.at(|| Segment::Index(index), |cursor| element(self, cursor))?;
            if !self.separator(cursor, b']')? {
                break;
            }
        }
        Ok(())
    }

    /// True for a comma, false for the closing byte.
    fn separator(&mut self, cursor: &mut Cursor<'_>, close: u8) -> Result<bool, Error> {
        if self.optional(cursor, close)? {
            return Ok(false);
        }
        if self.lexer.peek() != Ok(b',') {
            let expected = format!("',' or '{}'", char::from(close));
            return Err(cursor.wire(self.lexer.unexpected(&expected)));
        }
        self.punctuation(cursor, b',')?;
        Ok(true)
    }

    /// Refuses what comes next, unless it is a `wanted`.
    pub(super) fn require(
        &mut self,
        cursor: &mut Cursor<'_>,
        wanted: Kind,
        what: &str,
    ) -> Result<(), Error> {
        let found = self.kind(cursor)?;
        if found == wanted {
            return Ok(());
        }
        let text = format!(
            "expected {} for {what}, found {}",
            wanted.name(),
            found.name()
        );
        Err(cursor.mismatch(self.lexer.offset(), text))
    }

    /// Moves past a value that nobody wants, checking its grammar, without spans.
    pub(super) fn skip(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        self.lexer.skip_space();
        let offset = self.lexer.offset();
        let kind = self.lexer.kind().map_err(|error| cursor.wire(error))?;
        let skipped = match kind {
            Kind::String => self.lexer.string().map(|_| ()),
            Kind::Number => self.lexer.number().map(|_| ()),
            Kind::True => self.lexer.literal("true"),
            Kind::False => self.lexer.literal("false"),
            Kind::Null => self.lexer.literal("null"),
            Kind::Object => {
                return cursor.nested(offset, |cursor| {
                    self.skip_items(cursor, b'{', b'}', |parser, cursor| {
                        let name = parser.lexer.string();
                        name.map_err(|error| cursor.wire(error))?;
                        parser.lexer.skip_space();
                        let colon = parser.lexer.punctuation(b':');
                        colon.map_err(|error| cursor.wire(error))?;
                        parser.skip(cursor)
                    })
                });
            }
            Kind::Array => {
                return cursor.nested(offset, |cursor| {
                    self.skip_items(cursor, b'[', b']', |parser, cursor| parser.skip(cursor))
                });
            }
        };
        skipped.map_err(|error| cursor.wire(error))
    }

    pub(super) fn skip_items(
        &mut self,
        cursor: &mut Cursor<'_>,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self, &mut Cursor<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let opened = self.lexer.punctuation(open);
        opened.map_err(|error| cursor.wire(error))?;
        self.lexer.skip_space();
        if self.lexer.peek() == Ok(close) {
            let closed = self.lexer.punctuation(close);
            return closed.map_err(|error| cursor.wire(error));
        }
        loop {
            self.lexer.skip_space();
            item(self, cursor)?;
            self.lexer.skip_space();
            let byte = self.lexer.peek().map_err(|error| cursor.wire(error))?;
            if byte != b',' && byte != close {
                let expected = format!("',' or '{}'", char::from(close));
                return Err(cursor.wire(self.lexer.unexpected(&expected)));
            }
            let moved = self.lexer.punctuation(byte);
            moved.map_err(|error| cursor.wire(error))?;
            if byte == close {
                return Ok(());
            }
        }
    }

    /// [`Parser::skip`] with one span for all of it.
    pub(super) fn ignore(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        self.space(cursor);
        let start = self.lexer.offset();
        self.skip(cursor)?;
        let end = self.lexer.offset();
        cursor.span(start, end, Part::Payload, "ignored value", String::new);
        Ok(())
    }

    /// A message in whichever form its type has.
    pub(super) fn message(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
    ) -> Result<DynamicMessage, Error> {
        let message = self.schema.message(id);
        let offset = self.lexer.offset();
        cursor.charge(offset, 1, DynamicMessage::size_in_memory(self.schema, id))?;
        match message.well_known {
            None | Some(WellKnown::Empty) => {
                let mut fields = Fields::new(self.schema, id);
                self.require(cursor, Kind::Object, &message.full_name)?;
                self.object(cursor, |parser, cursor, name| {
                    parser.member(cursor, &mut fields, &name)
                })?;
                self.finish(cursor, offset, fields)
            }
            Some(well_known) => self.well_known(cursor, id, well_known),
        }
    }

    /// Checks what only a whole message shows.
    pub(super) fn finish(
        &self,
        cursor: &Cursor<'_>,
        offset: usize,
        fields: Fields,
    ) -> Result<DynamicMessage, Error> {
        let message = self.schema.message(fields.message.id);
        for (index, field) in message.fields.iter().enumerate() {
            if field.presence == Presence::Required && fields.message.get(index).is_none() {
                let text = format!("required field {} is missing", field.name);
                return Err(cursor.mismatch(offset, text));
            }
        }
        Ok(fields.message)
    }

    /// A member of a message's object, from its colon on.
    pub(super) fn member(
        &mut self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
        name: &Name<'a>,
    ) -> Result<(), Error> {
        let schema = self.schema;
        let message = schema.message(fields.message.id);
        let Some(index) = message.field_by_name(&name.text) else {
            if !self.parse.ignore_unknown {
                let text = format!("{} has no field {:?}", message.full_name, name.text);
                return Err(cursor.mismatch(name.start, text));
            }
            self.named(cursor, name, Part::Metadata, "name of an unknown field")?;
            return self.ignore(cursor);
        };
        let field = &message.fields[index];
        let segment = || Segment::Field(path_name(message, index));
        cursor.at(segment, |cursor| {
            self.named(cursor, name, Part::Metadata, "field name")?;
            if std::mem::replace(&mut fields.seen[index], true) {
                let text = "the field is given twice, under one name or both";
                return Err(cursor.mismatch(name.start, text));
            }
            if self.kind(cursor)? == Kind::Null && !takes_null(schema, &field.ty) {
                return self.null(cursor, "absent");
            }
            if let Some(oneof) = field.oneof
                && std::mem::replace(&mut fields.seen_oneofs[oneof], true)
            {
                let text = format!(
                    "another member of oneof {} is set already",
                    message.oneofs[oneof].name
                );
                return Err(cursor.mismatch(name.start, text));
            }
            if let Some(value) = self.field_value(cursor, &field.ty, field.proto)? {
                fields.message.set(schema, index, value);
            }
            Ok(())
        })
    }

    pub(super) fn null(&mut self, cursor: &mut Cursor<'_>, meaning: &str) -> Result<(), Error> {
        let start = self.lexer.offset();
        let read = self.lexer.literal("null");
        read.map_err(|error| cursor.wire(error))?;
        let end = self.lexer.offset();
        cursor.span(start, end, Part::Payload, meaning, || "null".to_owned());
        Ok(())
    }

    /// A field's whole value; none when an unknown enum name is to be ignored.
    pub(super) fn field_value(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        proto: Option<ProtoField>,
    ) -> Result<Option<Value>, Error> {
        let shape = proto.map(|proto| proto.shape);
        match ty {
            Type::List(slot) | Type::Set(slot) => {
                let kind = element_kind(shape);
                self.list(cursor, &slot.ty, slot.nullable, kind).map(Some)
            }
            Type::Array(element) => {
                let kind = element_kind(shape);
                self.list(cursor, element, false, kind).map(Some)
            }
            Type::Map(key, value) => {
                let kinds = match shape {
                    Some(ProtoShape::Map { key, value }) => (Some(key), Some(value)),
                    _ => (None, None),
                };
                self.map(cursor, key, value, kinds).map(Some)
            }
            _ => {
                let kind = match shape {
                    Some(ProtoShape::Singular(kind)) => Some(kind),
                    _ => None,
                };
                self.value(cursor, ty, kind)
            }
        }
    }

    fn list(
        &mut self,
        cursor: &mut Cursor<'_>,
        element: &Type,
        nullable: bool,
        kind: Option<ProtoKind>,
    ) -> Result<Value, Error> {
        self.require(cursor, Kind::Array, "a repeated field")?;
        let mut values = Vec::new();
        self.array(cursor, |parser, cursor| {
            cursor.charge_values(parser.lexer.offset(), 1)?;
            let value = parser.item(cursor, element, nullable, kind, "a list")?;
            values.extend(value);
            Ok(())
        })?;
        Ok(Value::List(values))
    }

    fn map(
        &mut self,
        cursor: &mut Cursor<'_>,
        key: &Slot,
        value: &Slot,
        (key_kind, value_kind): (Option<ProtoKind>, Option<ProtoKind>),
    ) -> Result<Value, Error> {
        self.require(cursor, Kind::Object, "a map field")?;
        let mut seen = HashSet::new();
        let mut entries = Vec::new();
        self.object(cursor, |parser, cursor, name| {
            let segment = || Segment::Key(name.text.to_string());
            cursor.at(segment, |cursor| {
                cursor.charge_values(name.start, 4)?;
                let read = parser.map_key(cursor, &key.ty, key_kind, &name)?;
                if !seen.insert(read.key()) {
                    return Err(cursor.mismatch(name.start, "the map key is given twice"));
                }
                parser.named(cursor, &name, Part::Payload, "map key")?;
                parser.space(cursor);
                let item = parser.item(cursor, &value.ty, value.nullable, value_kind, "a map")?;
                entries.extend(item.map(|item| (read, item)));
                Ok(())
            })
        })?;
        Ok(Value::Map(entries))
    }

    /// An element of a list or a value of a map.
    fn item(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        nullable: bool,
        kind: Option<ProtoKind>,
        inside: &str,
    ) -> Result<Option<Value>, Error> {
        if self.kind(cursor)? == Kind::Null && !takes_null(self.schema, ty) {
            if nullable {
                self.null(cursor, "null")?;
                return Ok(Some(Value::Null));
            }
            let text = format!("null is not allowed in {inside}");
            return Err(cursor.mismatch(self.lexer.offset(), text));
        }
        match ty {
            Type::List(_) | Type::Set(_) | Type::Array(_) | Type::Map(..) => {
                let offset = self.lexer.offset();
                cursor.nested(offset, |cursor| self.field_value(cursor, ty, None))
            }
            _ => self.value(cursor, ty, kind),
        }
    }

    /// A sub-message, one level deeper.
    pub(super) fn sub_message(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
    ) -> Result<Value, Error> {
        self.space(cursor);
        let offset = self.lexer.offset();
        let message = cursor.nested(offset, |cursor| self.message(cursor, id))?;
        Ok(Value::Message(Box::new(message)))
    }
}

/// A message being read, and which of its fields and oneofs were named already.
pub(super) struct Fields {
    pub(super) message: DynamicMessage,
    seen: Vec<bool>,
    seen_oneofs: Vec<bool>,
}

impl Fields {
    pub(super) fn new(schema: &Schema, id: MessageId) -> Self {
        let message = schema.message(id);
        Self {
            message: DynamicMessage::new(schema, id),
            seen: vec![false; message.fields.len()],
            seen_oneofs: vec![false; message.oneofs.len()],
        }
    }
}

/// The name of a field in paths: as in the schema, and in brackets for an extension.
pub(super) fn path_name(message: &Message, index: usize) -> String {
    let field = &message.fields[index];
    match field.extension {
        Some(_) => field.json_name.clone(),
        None => field.name.clone(),
    }
}

/// True for the types in which JSON's null is a value: `google.protobuf.Value` and
/// `google.protobuf.NullValue`.
fn takes_null(schema: &Schema, ty: &Type) -> bool {
    match ty {
        Type::Message(id) => schema.message(*id).well_known == Some(WellKnown::Value),
        Type::Enum(id) => schema.enumeration(*id).full_name == super::NULL_VALUE,
        _ => false,
    }
}

fn element_kind(shape: Option<ProtoShape>) -> Option<ProtoKind> {
    match shape {
        Some(ProtoShape::Repeated { kind, .. }) => Some(kind),
        _ => None,
    }
}
