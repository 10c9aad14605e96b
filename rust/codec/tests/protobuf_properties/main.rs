//! Properties of the protobuf codec over random schemas and values, with prost-reflect as an
//! independent reader and writer.

mod oracle;
mod plan;
mod tape;
mod values;

use interop_codec::protobuf::{self, Dialect};
use interop_codec::{DecodeOptions, DynamicMessage, Error, Span};
use interop_schema::{MessageId, Schema};
use plan::Plan;
use proptest::prelude::*;
use prost::Message as _;
use prost_reflect::DescriptorPool;
use tape::Tape;

const ROOT: MessageId = MessageId(0);

fn encode(schema: &Schema, message: &DynamicMessage) -> Vec<u8> {
    let dialect = Dialect::default();
    let bytes = protobuf::encode(schema, message, &dialect).unwrap();
    let len = protobuf::encoded_len(schema, message, &dialect).unwrap();
    assert_eq!(len, bytes.len());
    bytes
}

fn decode(schema: &Schema, bytes: &[u8]) -> Result<DynamicMessage, Error> {
    protobuf::decode(schema, ROOT, bytes, DecodeOptions::default())
}

fn theirs(plan: &Plan, bytes: &[u8]) -> prost_reflect::DynamicMessage {
    let pool = DescriptorPool::decode(plan.descriptor_set().as_slice()).unwrap();
    let descriptor = pool.get_message_by_name("g.M0").unwrap();
    prost_reflect::DynamicMessage::decode(descriptor, bytes).unwrap()
}

fn tapes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..1500)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn values_cross_to_the_oracle_and_back(bytes in tapes()) {
        let mut tape = Tape::new(&bytes);
        let plan = Plan::from_tape(&mut tape);
        let schema = plan.schema();
        let value = values::message(&mut tape, &schema, ROOT);
        let encoded = encode(&schema, &value);
        prop_assert_eq!(&decode(&schema, &encoded).unwrap(), &value);
        let oracle = theirs(&plan, &encoded);
        prop_assert!(oracle::same(&schema, &value, &oracle));
        let back = decode(&schema, &oracle.encode_to_vec()).unwrap();
        prop_assert_eq!(back, value);
    }

    #[test]
    fn messages_behind_one_another_merge_as_in_the_oracle(bytes in tapes()) {
        let mut tape = Tape::new(&bytes);
        let plan = Plan::from_tape(&mut tape);
        let schema = plan.schema();
        let mut encoded = Vec::new();
        for _ in 0..3 {
            encoded.extend(encode(&schema, &values::message(&mut tape, &schema, ROOT)));
        }
        let merged = decode(&schema, &encoded).unwrap();
        prop_assert!(oracle::same(&schema, &merged, &theirs(&plan, &encoded)));
    }

    #[test]
    fn both_packings_are_read(bytes in tapes()) {
        let mut tape = Tape::new(&bytes);
        let plan = Plan::from_tape(&mut tape);
        let schema = plan.schema();
        let value = values::message(&mut tape, &schema, ROOT);
        let flipped = encode(&plan.with_packing_flipped().schema(), &value);
        prop_assert_eq!(decode(&schema, &flipped).unwrap(), value);
    }

    #[test]
    fn a_relay_that_knows_less_loses_nothing(bytes in tapes()) {
        let mut tape = Tape::new(&bytes);
        let plan = Plan::from_tape(&mut tape);
        let schema = plan.schema();
        let reduced = plan.reduced(&mut tape).schema();
        let value = values::message(&mut tape, &schema, ROOT);
        let relayed = encode(&reduced, &decode(&reduced, &encode(&schema, &value)).unwrap());
        prop_assert_eq!(decode(&schema, &relayed).unwrap(), value);
    }

    #[test]
    fn edition_2023_says_the_same_as_the_syntax_it_came_from(bytes in tapes()) {
        let mut tape = Tape::new(&bytes);
        let plan = Plan::from_tape(&mut tape);
        let (schema, edition) = (plan.schema(), plan.edition_schema());
        for (message, twin) in schema.messages.iter().zip(&edition.messages) {
            for (field, twin) in message.fields.iter().zip(&twin.fields) {
                prop_assert_eq!(field.proto, twin.proto, "{}", field.name);
                prop_assert_eq!(field.presence, twin.presence, "{}", field.name);
                prop_assert_eq!(field.oneof, twin.oneof);
            }
        }
        prop_assert_eq!(schema.enums[0].closed, edition.enums[0].closed);
        let value = values::message(&mut tape, &schema, ROOT);
        let encoded = encode(&schema, &value);
        prop_assert_eq!(&encode(&edition, &value), &encoded);
        prop_assert_eq!(decode(&edition, &encoded).unwrap(), value);
    }

    #[test]
    fn spans_cover_every_byte_once(bytes in tapes()) {
        let mut tape = Tape::new(&bytes);
        let plan = Plan::from_tape(&mut tape);
        let schema = plan.schema();
        let encoded = encode(&schema, &values::message(&mut tape, &schema, ROOT));
        for schema in [&schema, &plan.reduced(&mut tape).schema()] {
            let mut spans: Vec<Span> = Vec::new();
            let options = DecodeOptions::traced(&mut spans);
            protobuf::decode(schema, ROOT, &encoded, options).unwrap();
            spans.sort_by_key(|span| span.start);
            let mut end = 0;
            for span in spans {
                prop_assert_eq!(span.start, end, "{:?}", span);
                end = span.end;
            }
            prop_assert_eq!(end, encoded.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn broken_bytes_give_a_value_that_encodes_or_an_error_with_its_place(bytes in tapes()) {
        let mut tape = Tape::new(&bytes);
        let plan = Plan::from_tape(&mut tape);
        let schema = plan.schema();
        let mut encoded = encode(&schema, &values::message(&mut tape, &schema, ROOT));
        encoded.truncate(600);
        let check = |bytes: &[u8]| match decode(&schema, bytes) {
            Ok(value) => {
                let again = encode(&schema, &value);
                assert_eq!(decode(&schema, &again).unwrap(), value);
            }
            Err(error) => assert!(error.offset.unwrap() <= bytes.len()),
        };
        for len in 0..encoded.len() {
            check(&encoded[..len]);
        }
        for at in 0..encoded.len() {
            for mask in [0x01, 0x08, 0x80, 0xff] {
                encoded[at] ^= mask;
                check(&encoded);
                encoded[at] ^= mask;
            }
        }
    }

    #[test]
    fn bytes_without_a_plan_give_a_value_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), schema in tapes()) {
        let schema = Plan::from_tape(&mut Tape::new(&schema)).schema();
        if let Ok(value) = decode(&schema, &bytes) {
            let again = encode(&schema, &value);
            prop_assert_eq!(decode(&schema, &again).unwrap(), value);
        }
    }
}
