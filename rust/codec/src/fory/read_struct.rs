//! Reading structs: by the local schema in consistent mode, by their TypeDef in compatible mode
//! (section "struct").

use std::rc::Rc;

use interop_schema::fory::{
    self as rules, FieldKey, OptionalHash, StructLayout, WireType, schema_hash, type_id as id,
};
use interop_schema::{MessageId, Registration, Type};

use super::adapt::{self, Action};
use super::decode::{Decoder, Target};
use super::frame::{Frame, WireFrame};
use super::type_info::{RemoteDef, TypeInfo};
use crate::{Cursor, DynamicMessage, Error, Part, Segment, Value};

impl Decoder<'_> {
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

    pub(super) fn structure(
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
