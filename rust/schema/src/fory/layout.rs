//! The order in which a struct's fields go over the wire, and the wire type of each (section
//! "Field order").

use std::cmp::Ordering;
use std::collections::HashSet;

use super::type_id as id;
use crate::{Field, Message, MessageId, Registration, Schema, Slot, Type, WellKnown};

/// A type as TypeDefs describe it: a type id, flags, and the types of elements or of key and value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireType {
    /// Internal type id.
    pub id: u8,
    /// A null flag may precede the value.
    pub nullable: bool,
    /// References are tracked.
    pub reference: bool,
    /// Element of a list or set; key and value of a map.
    pub children: Vec<WireType>,
}

/// What identifies a field between schema versions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldKey {
    /// The tag id.
    Id(u32),
    /// The snake_case name of a field without one.
    Name(String),
}

/// A field in the order of the wire.
#[derive(Clone, Debug)]
pub struct LayoutField {
    /// Index in [`Message::fields`].
    pub index: usize,
    /// How the field is identified.
    pub key: FieldKey,
    /// Its wire type.
    pub wire: WireType,
}

/// A struct's fields in the order of the wire.
#[derive(Clone, Debug)]
pub struct StructLayout {
    /// Fields.
    pub fields: Vec<LayoutField>,
}

impl WireType {
    /// A non-null, untracked type without children.
    pub fn plain(id: u8) -> Self {
        Self {
            id,
            nullable: false,
            reference: false,
            children: Vec::new(),
        }
    }

    /// The wire type of `ty`; `compatible` chooses between the two struct ids.
    pub fn of(schema: &Schema, ty: &Type, compatible: bool) -> Self {
        let slot = |slot: &Slot| Self {
            nullable: slot.nullable,
            reference: slot.reference,
            ..Self::of(schema, &slot.ty, compatible)
        };
        let plain = match ty {
            Type::Enum(_) => id::ENUM,
            Type::Union(_) => id::UNION,
            Type::Message(message) => struct_id(schema.message(*message), compatible),
            _ => id::of_type(ty),
        };
        let children = match ty {
            Type::List(element) | Type::Set(element) => vec![slot(element)],
            Type::Map(key, value) => vec![slot(key), slot(value)],
            _ => Vec::new(),
        };
        Self {
            children,
            ..Self::plain(plain)
        }
    }
}

/// The type id of a message: protobuf's Timestamp and Duration are Fory's own types, all others
/// are structs.
fn struct_id(message: &Message, compatible: bool) -> u8 {
    match message.well_known {
        Some(WellKnown::Timestamp) => return id::TIMESTAMP,
        Some(WellKnown::Duration) => return id::DURATION,
        _ => {}
    }
    let by_name = matches!(message.fory.registration, Registration::Name { .. });
    match (compatible && message.fory.evolving, by_name) {
        (true, false) => id::COMPATIBLE_STRUCT,
        (true, true) => id::NAMED_COMPATIBLE_STRUCT,
        (false, false) => id::STRUCT,
        (false, true) => id::NAMED_STRUCT,
    }
}

/// The field's identifier.
pub(super) fn key_of(field: &Field) -> FieldKey {
    match field.fory.id {
        Some(id) => FieldKey::Id(id),
        None => FieldKey::Name(snake_case(&field.name)),
    }
}

/// Ids first, by number; then names, by their bytes.
pub(super) fn compare_keys(a: &FieldKey, b: &FieldKey) -> Ordering {
    match (a, b) {
        (FieldKey::Id(a), FieldKey::Id(b)) => a.cmp(b),
        (FieldKey::Id(_), FieldKey::Name(_)) => Ordering::Less,
        (FieldKey::Name(_), FieldKey::Id(_)) => Ordering::Greater,
        (FieldKey::Name(a), FieldKey::Name(b)) => a.cmp(b),
    }
}

/// The fields of `message` in the order of the wire.
pub fn layout(schema: &Schema, message: MessageId, compatible: bool) -> StructLayout {
    let fields = schema.message(message).fields.iter().enumerate();
    let mut fields: Vec<_> = fields
        .map(|(index, field)| LayoutField {
            index,
            key: key_of(field),
            wire: WireType {
                nullable: field.fory.nullable,
                reference: field.fory.reference,
                ..WireType::of(schema, &field.ty, compatible)
            },
        })
        .collect();
    fields.sort_by(|a, b| {
        let rank = |field: &LayoutField| {
            let wire = &field.wire;
            if !id::is_primitive(wire.id) {
                return (2, false, 0, 0);
            }
            let narrowness = 8 - id::width_bytes(wire.id);
            let group = u8::from(wire.nullable);
            (group, id::is_compressed(wire.id), narrowness, wire.id)
        };
        rank(a)
            .cmp(&rank(b))
            .then_with(|| compare_keys(&a.key, &b.key))
            .then(a.index.cmp(&b.index))
    });
    StructLayout { fields }
}

/// True when a struct that `message` reaches has a tracked position, so that writers turn
/// reference tracking on for it.
pub fn tracks_references(schema: &Schema, message: MessageId) -> bool {
    fn visit(schema: &Schema, ty: &Type, seen: &mut HashSet<Visited>) -> bool {
        match ty {
            Type::Message(id) => {
                seen.insert(Visited::Message(id.0))
                    && schema
                        .message(*id)
                        .fields
                        .iter()
                        .any(|field| field.fory.reference || visit(schema, &field.ty, seen))
            }
            Type::Union(id) => {
                seen.insert(Visited::Union(id.0))
                    && schema
                        .union(*id)
                        .cases
                        .iter()
                        .any(|case| visit(schema, &case.ty, seen))
            }
            Type::List(slot) | Type::Set(slot) => slot.reference || visit(schema, &slot.ty, seen),
            Type::Map(key, value) => [key, value]
                .into_iter()
                .any(|slot| slot.reference || visit(schema, &slot.ty, seen)),
            _ => false,
        }
    }
    visit(schema, &Type::Message(message), &mut HashSet::new())
}

#[derive(PartialEq, Eq, Hash)]
enum Visited {
    Message(u32),
    Union(u32),
}

/// A field name in the form that identifies it across languages: an underscore before each
/// upper-case letter that starts a word, then lower case. `userId` is `user_id`, `HTTPServer` is
/// `http_server`.
pub fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (i, c) in chars.iter().enumerate() {
        if !c.is_ascii_uppercase() {
            out.push(*c);
            continue;
        }
        if i > 0 {
            let after_upper = chars[i - 1].is_ascii_uppercase();
            let before_upper = chars.get(i + 1).is_none_or(char::is_ascii_uppercase);
            if !(after_upper && before_upper) {
                out.push('_');
            }
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::compile_text;

    #[test]
    fn primitives_go_first_by_width_and_the_rest_by_id() {
        let schema = compile_text(
            "syntax = \"proto3\"; message M { string s = 1; int64 v = 2; bool b = 3; double d = 4;
             optional float f = 5; int32 i = 6; M m = 7; repeated int32 r = 8; fixed64 x = 9; }",
        )
        .unwrap();
        let layout = layout(&schema, MessageId(0), true);
        let names: Vec<_> = layout
            .fields
            .iter()
            .map(|f| schema.messages[0].fields[f.index].name.as_str())
            .collect();
        assert_eq!(names, ["x", "d", "b", "v", "i", "f", "s", "m", "r"]);
    }

    #[test]
    fn names_become_snake_case() {
        for (name, expected) in [
            ("userId", "user_id"),
            ("HTTPServer", "http_server"),
            ("a1_b2", "a1_b2"),
            ("ID", "id"),
            ("getX", "get_x"),
        ] {
            assert_eq!(snake_case(name), expected);
        }
    }

    #[test]
    fn recursion_does_not_hide_or_invent_references() {
        let text = "syntax = \"proto3\"; import \"fory/options.proto\";
            message A { A next = 1; B b = 2; } message B { C c = 1 [(fory.field).ref = true]; }
            message C { int32 v = 1; C c = 2; }";
        let schema = compile_text(text).unwrap();
        let tracks = |name| tracks_references(&schema, schema.message_by_name(name).unwrap());
        assert!(tracks("A") && tracks("B") && !tracks("C"));
    }
}
