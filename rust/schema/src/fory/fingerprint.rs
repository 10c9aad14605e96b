//! The schema hash of consistent mode (section "Same-schema mode").

use std::fmt::Write as _;

use interop_wire::murmur3;

use super::layout::{FieldKey, StructLayout, compare_keys};
use super::{WireType, layout, type_id as id};
use crate::{MessageId, Schema};

/// How a nullable field that is no primitive enters the hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OptionalHash {
    /// As nullable: the specification's rule.
    #[default]
    Nullable,
    /// As not nullable: Go, for pointer fields without an explicit tag.
    Plain,
}

const HASH_SEED: u64 = 47;

/// The text that is hashed: `id,type,reference,nullable;` for each field, by identifier.
pub fn fingerprint(layout: &StructLayout, optional: OptionalHash) -> String {
    let mut fields: Vec<_> = layout.fields.iter().collect();
    fields.sort_by(|a, b| compare_keys(&a.key, &b.key));
    let mut text = String::new();
    for field in fields {
        let _ = match &field.key {
            FieldKey::Id(id) => write!(text, "{id},"),
            FieldKey::Name(name) => write!(text, "{name},"),
        };
        let nullable = field.wire.nullable && optional == OptionalHash::Nullable;
        push_type(&mut text, &field.wire, field.wire.reference, nullable);
        text.push(';');
    }
    text
}

/// Enums, structs, unions and dynamic values count as type 0, and the flags of nested types as 0.
fn push_type(text: &mut String, wire: &WireType, reference: bool, nullable: bool) {
    let opaque = id::is_enum(wire.id) || id::is_struct(wire.id) || id::is_union(wire.id);
    let type_id = if opaque { id::UNKNOWN } else { wire.id };
    let _ = write!(
        text,
        "{type_id},{},{}",
        u8::from(reference),
        u8::from(nullable)
    );
    for (i, child) in wire.children.iter().enumerate() {
        text.push(if i == 0 { '[' } else { '|' });
        push_type(text, child, false, false);
    }
    if !wire.children.is_empty() {
        text.push(']');
    }
}

/// The four-byte hash in front of a struct's fields in consistent mode.
pub fn schema_hash(schema: &Schema, message: MessageId, optional: OptionalHash) -> u32 {
    let text = fingerprint(&layout(schema, message, false), optional);
    murmur3::x64_128(text.as_bytes(), HASH_SEED).0 as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::compile_text;

    #[test]
    fn nested_flags_do_not_count_and_structs_are_opaque() {
        let schema = compile_text(
            "syntax = \"proto3\"; message M { map<string, M> m = 3; repeated M r = 2; optional int32 o = 1; }",
        )
        .unwrap();
        let layout = layout(&schema, MessageId(0), false);
        assert_eq!(
            fingerprint(&layout, OptionalHash::Nullable),
            "1,5,0,1;2,22,0,0[0,0,0];3,24,0,0[21,0,0|0,0,0];"
        );
        assert_eq!(
            fingerprint(&layout, OptionalHash::Plain),
            "1,5,0,0;2,22,0,0[0,0,0];3,24,0,0[21,0,0|0,0,0];"
        );
    }
}
