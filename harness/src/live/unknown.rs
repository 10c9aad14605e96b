//! Fields that a schema lacks, as protobuf keeps them: put into every message of a value, and
//! taken out again.

use interop_codec::{Document, UnknownField, UnknownValue, Value};
use interop_schema::Schema;

/// The first number from which on no field of the message's schema is looked for; numbers of
/// two bytes and more on the wire, as those of a later version may be.
const FIRST_NUMBER: u32 = 20_001;

/// The document with fields of every wire type added to each of its messages, as a later version
/// of the schema might have them.
pub(super) fn with_unknown(schema: &Schema, document: &Document) -> Document {
    let mut document = document.clone();
    for value in std::iter::once(&mut document.root).chain(&mut document.nodes) {
        visit(schema, value, &mut |unknown| {
            let values = [
                UnknownValue::Varint(u64::MAX),
                UnknownValue::Fixed64(0x8000_0000_0000_0000),
                UnknownValue::Bytes("später".as_bytes().to_vec()),
                UnknownValue::Fixed32(0x8000_0000),
                UnknownValue::Bytes(vec![0x08, 0x96, 0x01]),
            ];
            unknown.extend(
                values
                    .into_iter()
                    .zip(FIRST_NUMBER..)
                    .map(|(value, number)| UnknownField { number, value }),
            );
        });
    }
    document
}

/// The document without fields that its schema lacks.
pub(super) fn without_unknown(schema: &Schema, document: &Document) -> Document {
    let mut document = document.clone();
    for value in std::iter::once(&mut document.root).chain(&mut document.nodes) {
        visit(schema, value, &mut |unknown| unknown.clear());
    }
    document
}

/// Shows `change` the unknown fields of every message in the value.
fn visit(schema: &Schema, value: &mut Value, change: &mut impl FnMut(&mut Vec<UnknownField>)) {
    match value {
        Value::Message(message) => {
            change(&mut message.unknown);
            for index in 0..schema.message(message.id).fields.len() {
                if let Some(value) = message.slot(index) {
                    visit(schema, value, change);
                }
            }
        }
        Value::List(values) => values
            .iter_mut()
            .for_each(|value| visit(schema, value, change)),
        Value::Map(entries) => entries
            .iter_mut()
            .for_each(|(_, value)| visit(schema, value, change)),
        Value::Union(_, inner) => visit(schema, inner, change),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Subject;
    use interop_codec::{DecodeOptions, Format, decode};

    #[test]
    fn every_message_gets_them_and_loses_them_again() {
        let subject = Subject::built_in("MediaContent").unwrap();
        let json = br#"{"media":{"uri":"u"},"images":[{"uri":"i"},{"width":1}]}"#;
        let options = DecodeOptions::default();
        let plain = decode(&subject.schema, subject.id, Format::Json, json, options).unwrap();
        let more = with_unknown(&subject.schema, &plain);
        let text = format!("{more:?}");
        assert_eq!(
            text.matches("Fixed64").count(),
            4,
            "the root and three inside"
        );
        assert_ne!(more, plain);
        assert_eq!(without_unknown(&subject.schema, &more), plain);
    }
}
