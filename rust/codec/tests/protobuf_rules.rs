//! The rules of the wire format one by one, on bytes written by hand, and the vectors from public
//! bug reports.

use std::path::Path;

use interop_codec::protobuf::{self, Dialect};
use interop_codec::{
    DecodeOptions, DynamicMessage, Error, ErrorKind, Span, UnknownField, UnknownValue, Value, json,
};
use interop_schema::{Schema, proto::compile_text};
use interop_wire::ErrorKind as WireKind;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|byte| *byte != b' ').collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A schema whose message `M` is read and written.
struct Case(Schema);

impl Case {
    fn new(text: &str) -> Self {
        Self(compile_text(text).unwrap())
    }

    fn proto3(text: &str) -> Self {
        Self::new(&format!("syntax = \"proto3\"; {text}"))
    }

    fn proto2(text: &str) -> Self {
        Self::new(&format!("syntax = \"proto2\"; {text}"))
    }

    fn decode(&self, input: &[u8]) -> Result<DynamicMessage, Error> {
        let id = self.0.message_by_name("M").unwrap();
        protobuf::decode(&self.0, id, input, DecodeOptions::default())
    }

    fn encode(&self, message: &DynamicMessage) -> Vec<u8> {
        protobuf::encode(&self.0, message, &Dialect::default()).unwrap()
    }

    /// The input decoded and encoded again; every byte of it must be explained once.
    #[track_caller]
    fn again(&self, input: &str) -> String {
        let input = bytes(input);
        let message = self.decode(&input).unwrap();
        let mut spans: Vec<Span> = Vec::new();
        let id = self.0.message_by_name("M").unwrap();
        protobuf::decode(&self.0, id, &input, DecodeOptions::traced(&mut spans)).unwrap();
        spans.sort_by_key(|span| span.start);
        let mut end = 0;
        for span in spans {
            assert_eq!(span.start, end, "{span:?}");
            end = span.end;
        }
        assert_eq!(end, input.len());
        hex(&self.encode(&message))
    }

    #[track_caller]
    fn refused(&self, input: &str) -> Error {
        self.decode(&bytes(input)).unwrap_err()
    }
}

#[test]
fn sub_messages_merge_also_in_oneofs_and_map_values() {
    let case = Case::proto3(
        "message I { int32 a = 1; int32 b = 2; repeated int32 r = 3; map<int32, int32> m = 4; }
         message M { I i = 1; oneof o { I x = 2; string s = 3; } map<string, I> p = 4; }",
    );
    assert_eq!(
        case.again("0a05080a1a0107 0a0510021a0109"),
        "0a08080a10021a020709"
    );
    assert_eq!(case.again("1202080a 12021002"), "1204080a1002");
    assert_eq!(case.again("1202080a 1a017a 12021002"), "12021002");
    assert_eq!(case.again("1202080a 1a017a"), "1a017a");
    assert_eq!(
        case.again("220b 0a016b 1202080a 12021002"),
        "22090a016b1204080a1002"
    );
    // Entries of one key replace one another; so do the entries of a merged map.
    assert_eq!(
        case.again("22070a016b1202080a 22070a016b12021002"),
        "22070a016b12021002"
    );
    assert_eq!(
        case.again("0a06220408011001 0a06220408011002"),
        "0a06220408011002"
    );
}

#[test]
fn many_copies_of_a_map_in_a_merged_message_stay_linear() {
    let case = Case::proto3("message I { map<int32, int32> m = 1; } message M { I i = 1; }");
    let copies = 200_000u32;
    let mut input = Vec::new();
    for key in 0..copies {
        let tail = key % 100;
        input.extend([0x0a, 6, 0x0a, 4, 8, tail as u8, 0x10, 1]);
    }
    let started = std::time::Instant::now();
    let message = case.decode(&input).unwrap();
    assert!(started.elapsed().as_secs() < 20);
    assert_eq!(case.encode(&message).len(), 3 + 100 * 6);
}

#[test]
fn entries_lack_or_repeat_or_exceed_their_parts() {
    let case = Case::proto3("message I { int32 a = 1; } message M { map<int32, I> m = 1; }");
    assert_eq!(case.again("0a00"), "0a0408001200");
    assert_eq!(case.again("0a021200"), "0a0408001200");
    assert_eq!(case.again("0a0212000a020805"), "0a04080012000a0408051200");
    assert_eq!(case.again("0a0608051200 0806"), "0a0408061200");
    // An unknown field and a key of another wire type, value before key.
    assert_eq!(case.again("0a09 1200 0d01000000 0805"), "0a0408051200");
    assert_eq!(case.again("0a06 1b08011c 0807"), "0a0408071200");
    let error = case.refused("0a0612010a");
    assert!(error.offset.is_some());
}

#[test]
fn map_paths_name_the_key_even_behind_the_value() {
    let case = Case::proto3("message I { string s = 1; } message M { map<string, I> m = 1; }");
    let error = case.refused("0a0a 12030a01ff 0a036b6579");
    assert_eq!(error.path.to_string(), "m[\"key\"].s");
    assert_eq!(error.offset, Some(6));
    assert!(matches!(
        error.kind,
        ErrorKind::Wire(WireKind::InvalidUtf8 { valid_bytes: 0 })
    ));
}

#[test]
fn unlisted_numbers_of_closed_enums_are_unknown_fields() {
    let case = Case::proto2(
        "enum E { A = 1; B = -1; }
         message M { optional E e = 1; repeated E r = 2; repeated E p = 3 [packed = true];
           map<string, E> m = 4; oneof o { E x = 5; int32 y = 6; } }",
    );
    assert_eq!(case.again("0805"), "0805");
    assert_eq!(case.again("0801 0805"), "08010805");
    assert_eq!(case.again("1001 1009 1001"), "100110011009");
    assert_eq!(case.again("1a03010901"), "1a0201011809");
    assert_eq!(case.again("1a020908"), "18091808");
    assert_eq!(case.again("12020109"), "10011009");
    assert_eq!(
        case.again("22050a016b1009 22050a016c1001"),
        "22050a016c100122050a016b1009"
    );
    // The other member stays set: an unknown field is no member.
    assert_eq!(case.again("3007 2809"), "30072809");
    // The default of the value is the first number listed.
    assert_eq!(case.again("22030a016b"), "22050a016b1001");
    assert_eq!(
        case.again("08ffffffffffffffffff01 08feffffffffffffffff01"),
        "08ffffffffffffffffff0108feffffffffffffffff01"
    );
}

#[test]
fn open_enums_keep_any_number() {
    let case = Case::proto3("enum E { A = 0; } message M { E e = 1; repeated E r = 2; }");
    assert_eq!(case.again("0805 12020907"), "080512020907");
    // The low 32 bits count.
    assert_eq!(case.again("08ffffffff0f"), "08ffffffffffffffffff01");
}

#[test]
fn fields_of_another_wire_type_are_unknown() {
    let case = Case::proto3(
        "message M { int32 i = 1; string s = 2; repeated int32 r = 3; M m = 4;
           map<int32, int32> p = 5; repeated string t = 6; }",
    );
    for input in [
        "0d01000000",
        "0a0101",
        "1001",
        "1d01000000",
        "2001",
        "23082a24",
        "2801",
        "3001",
        "0b08010c",
    ] {
        let message = case.decode(&bytes(input)).unwrap();
        assert_eq!(message.iter().count(), 0, "{input}");
        assert_eq!(message.unknown.len(), 1, "{input}");
        assert_eq!(case.again(input), input);
    }
}

#[test]
fn unknown_fields_keep_their_order_behind_the_known() {
    let case = Case::proto3("message I {} message M { int32 i = 5; I m = 6; }");
    assert_eq!(
        case.again("0801 2807 0a020203 320408011002 0804 0b10010c 3d01000000"),
        "2807320408011002 0801 0a020203 0804 0b10010c 3d01000000".replace(' ', "")
    );
}

#[test]
fn groups_are_fields_and_must_be_closed_by_their_own_number() {
    let case = Case::proto2(
        "message M { optional group G = 1 { optional int32 a = 1; } repeated group R = 2 {
           optional M m = 1; } }",
    );
    assert_eq!(case.again("0b 0801 0c 0b 1005 0c"), "0b080110050c");
    assert_eq!(case.again("13 0a 02 0b0c 14 13 14"), "130a020b0c141314");
    for input in [
        "0b", "0b0801", "0b080114", "0c", "0b13", "0b130c14", "1b080114", "1c",
    ] {
        case.refused(input);
    }
    // A group may not reach past the message that holds it.
    case.refused("13 0a01 0b 0c 14");
}

#[test]
fn extensions_are_fields_of_the_extended_message() {
    let case = Case::proto2(
        "message M { extensions 100 to max; optional int32 a = 50; }
         message N { extend M { repeated M inner = 536870911; } }
         extend M { optional string s = 100; }",
    );
    assert_eq!(
        case.again("faffffff0f04a2060161 900301 a2060162"),
        "900301 a2060162 faffffff0f04a2060161".replace(' ', "")
    );
}

#[test]
fn message_sets_are_items_of_type_id_and_message() {
    let case = Case::proto2(
        "message M { option message_set_wire_format = true; extensions 4 to max; }
         message X { extend M { optional X x = 1000; } optional int32 a = 1; optional int32 b = 2; }",
    );
    let item = "0b 10e807 1a020801 0c".replace(' ', "");
    assert_eq!(case.again(&item), item);
    assert_eq!(case.again("0b 1a020801 10e807 0c"), item);
    assert_eq!(
        case.again(&format!("{item} 0b10e8071a0210020c")),
        "0b10e8071a04080110020c"
    );
    // The plain form is read too; unknown items are kept as items.
    assert_eq!(case.again("c23e020801"), item);
    assert_eq!(case.again("0b 1005 1a020801 0c"), "0b10051a0208010c");
    // An item without a type id belongs to nothing.
    assert_eq!(case.again("0b 1a020801 0c"), "");
    case.refused("0b 1000 1a00 0c");
    case.refused("0b 10e807 1a0108 0c");
}

#[test]
fn required_fields_may_come_in_pieces_but_must_come() {
    let case = Case::proto2(
        "message I { required int32 a = 1; required int32 b = 2; }
         message M { optional I i = 1; repeated I r = 2; map<int32, I> m = 3; }",
    );
    assert_eq!(case.again("0a020801 0a021002"), "0a0408011002");
    assert_eq!(case.refused("0a020801").path.to_string(), "i.b");
    assert_eq!(case.refused("1204080110021200").path.to_string(), "r[1].a");
    assert_eq!(case.refused("1a020807").path.to_string(), "m[\"7\"].a");
}

#[test]
fn text_is_checked_where_the_schema_says_so() {
    let strict = Case::proto3(
        "message M { string s = 1; repeated string r = 2; map<string, string> m = 3; bytes b = 4; }",
    );
    for input in [
        "0a02f080",
        "0a03eda0bd",
        "12026180",
        "1a030a01ff",
        "1a031201ff",
    ] {
        let error = strict.refused(input);
        assert!(matches!(
            error.kind,
            ErrorKind::Wire(WireKind::InvalidUtf8 { .. })
        ));
    }
    assert_eq!(strict.again("2201ff"), "2201ff");
    let lax = Case::proto2("message M { optional string s = 1; map<string, string> m = 3; }");
    assert_eq!(
        lax.again("0a02f080 1a050a01ff1200"),
        "0a02f0801a050a01ff1200"
    );
}

#[test]
fn only_positive_zero_is_the_default() {
    let case = Case::proto3("message M { double d = 1; float f = 2; }");
    let negative = "0900000000000000801500000080";
    assert_eq!(case.again(negative), negative);
    assert_eq!(case.again("0900000000000000001500000000"), "");
    // The last one wins, also when it is the default.
    assert_eq!(case.again("09000000000000f03f 090000000000000000"), "");
}

#[test]
fn depth_counts_known_and_unknown_messages_groups_and_entries() {
    let case = Case::proto2(
        "message M { optional M m = 1; optional group G = 2 { optional M m = 1; }
           map<int32, M> p = 3; }",
    );
    let nest = |levels: usize, open: &[u8], close: &[u8]| {
        let mut input = open.repeat(levels);
        input.extend(close.repeat(levels));
        input
    };
    let messages = |levels: usize| {
        let mut input = Vec::new();
        for _ in 0..levels {
            let mut outer = vec![0x0a];
            let mut len = input.len();
            while len >= 0x80 {
                outer.push(len as u8 | 0x80);
                len >>= 7;
            }
            outer.push(len as u8);
            outer.extend(input);
            input = outer;
        }
        input
    };
    let entries = |levels: usize| {
        let mut input = Vec::new();
        for _ in 0..levels {
            let value = [&[0x12, input.len() as u8], input.as_slice()].concat();
            input = [&[0x1a, value.len() as u8], value.as_slice()].concat();
        }
        input
    };
    let (at_limit, past_limit) = (entries(31), entries(32));
    let id = case.0.message_by_name("M").unwrap();
    let limited = |input: &[u8]| {
        let mut options = DecodeOptions::default();
        options.limits.depth = 62;
        protobuf::decode(&case.0, id, input, options)
    };
    assert!(limited(&at_limit).is_ok());
    assert!(limited(&past_limit).is_err());
    case.decode(&messages(100)).unwrap();
    case.decode(&nest(100, &[0x4b], &[0x4c])).unwrap();
    for input in [
        messages(101),
        messages(10_000),
        nest(101, &[0x4b], &[0x4c]),
        nest(101, &[0x13, 0x4b], &[0x4c, 0x14]),
        nest(100_000, &[0x4b], &[]),
    ] {
        let error = case.decode(&input).unwrap_err();
        let ErrorKind::Wire(WireKind::DepthLimit { limit: 100 }) = error.kind else {
            panic!("{error}");
        };
    }
}

#[test]
fn two_byte_messages_do_not_take_memory_without_bound() {
    let case = Case::proto3(
        "message I { string s = 1; repeated I k = 2; } message M { repeated I r = 1; }",
    );
    let error = case.decode(&[0x0a, 0].repeat(2 << 20)).unwrap_err();
    assert!(
        matches!(error.kind, ErrorKind::Wire(WireKind::ExpansionLimit { .. })),
        "{error}"
    );
    assert!(case.decode(&[0x0a, 0].repeat(1000)).is_ok());
}

#[test]
fn numbers_are_cut_to_their_width_and_varints_to_ten_bytes() {
    let case = Case::proto3(
        "message M { int32 i = 1; uint32 u = 2; sint32 s = 3; bool b = 4; uint64 x = 5; fixed32 f = 6; }",
    );
    assert_eq!(case.again("08ffffffff0f"), "08ffffffffffffffffff01");
    assert_eq!(case.again("10d295fcd8ceb1aaaaab01"), "10d295fcd80e");
    assert_eq!(case.again("1881808080f001"), "1801");
    assert_eq!(case.again("208080808010"), "2001");
    assert_eq!(case.again("2881808000"), "2801");
    for input in [
        "28ffffffffffffffffff7f",
        "28ffffffffffffffffff02",
        "28a1a1a1a1a1a1a1a1a1a110",
        "20ffffffffffffffffffff01",
        "08808080",
        "35010203",
        "0a",
        "0aff",
        "00",
        "0e01",
        "0f01",
        "0700",
        "888080808000 01",
        "8080808010 00",
    ] {
        case.refused(input);
    }
}

#[test]
fn packed_runs_must_end_with_their_last_element() {
    let case = Case::proto3("message M { repeated fixed32 f = 1; repeated int32 i = 2; }");
    case.refused("0a0501000000ff");
    case.refused("12018001");
    // An empty run is no element.
    assert_eq!(case.again("0a00 1200"), "");
    assert_eq!(
        case.again("0d01000000 0a0402000000 0d03000000"),
        "0a0c010000000200000003000000"
    );
}

#[test]
fn errors_stand_at_byte_and_path() {
    let case = Case::proto3("message I { repeated int64 r = 1; } message M { repeated I i = 2; }");
    let error = case.refused("1200 1204 0a020180");
    assert_eq!(
        error.to_string(),
        "at byte 8, field i[1].r[1]: input ends: 1 bytes needed, 0 left"
    );
    let error = case.refused("1200 1204 08");
    assert_eq!(error.path.to_string(), "i[1]");
}

#[test]
fn an_unknown_group_is_a_tree() {
    let case = Case::proto3("message M {}");
    let message = case.decode(&bytes("0b 1005 1b 2d01000000 1c 0c")).unwrap();
    let inner = vec![
        UnknownField {
            number: 2,
            value: UnknownValue::Varint(5),
        },
        UnknownField {
            number: 3,
            value: UnknownValue::Group(vec![UnknownField {
                number: 5,
                value: UnknownValue::Fixed32(1),
            }]),
        },
    ];
    let value = UnknownValue::Group(inner);
    assert_eq!(message.unknown, [UnknownField { number: 1, value }]);
}

#[test]
fn vectors_from_public_bug_reports() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/vectors/vectors.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut count = 0;
    for line in text.lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        let (Some("protobuf"), Some(input)) =
            (vector["format"].as_str(), vector["input_hex"].as_str())
        else {
            continue;
        };
        let id = vector["id"].as_str().unwrap();
        let schema = compile_text(vector["schema"].as_str().unwrap()).unwrap();
        let root = schema
            .message_by_name(vector["message"].as_str().unwrap())
            .unwrap();
        let result = protobuf::decode(&schema, root, &bytes(input), DecodeOptions::default());
        let expect = &vector["expect"];
        count += 1;
        if expect["error"].as_bool() == Some(true) {
            assert!(result.is_err(), "{id}");
            continue;
        }
        let message = result.unwrap_or_else(|error| panic!("{id}: {error}"));
        let again = hex(&protobuf::encode(&schema, &message, &Dialect::default()).unwrap());
        if expect["json"].is_object() {
            let json = expect["json"].to_string();
            let value = json::decode(&schema, root, json.as_bytes(), DecodeOptions::default());
            let mut known = message.clone();
            known.unknown.clear();
            assert_eq!(known, value.unwrap(), "{id}");
        }
        if let Some(hex) = expect["hex"].as_str() {
            assert_eq!(again, hex, "{id}");
        }
        if let Some(any) = expect["hex_any"].as_array() {
            assert!(any.iter().any(|hex| hex == &again), "{id}: {again}");
        }
    }
    assert!(count >= 25, "{count}");
}

#[test]
fn numbers_of_29_bits_reach_their_fields() {
    let case = Case::proto3("message M { int32 a = 536870911; int32 b = 268435456; }");
    let message = case.decode(&bytes("808080800802f8ffffff0f07")).unwrap();
    assert_eq!(message.get(0), Some(&Value::Int(7)));
    assert_eq!(message.get(1), Some(&Value::Int(2)));
}

#[test]
fn the_prost_dialect_writes_map_entries_as_prost_does() {
    use prost::encoding::{btree_map, double, int32};

    let case = Case::proto3("message M { map<int32, double> m = 7; }");
    let preset = protobuf::presets()
        .into_iter()
        .find(|preset| preset.name == "rust-prost")
        .unwrap();
    let pairs = [(-1, 1.5), (0, 2.5), (1, 0.0), (2, -0.0)];
    let entries = pairs.map(|(key, value)| (Value::Int(key), Value::Float64(value)));
    let root = case.0.message_by_name("M").unwrap();
    let mut message = DynamicMessage::new(&case.0, root);
    message.set(&case.0, 0, Value::Map(entries.into()));
    let ours = protobuf::encode(&case.0, &message, &preset.dialect).unwrap();
    let map = pairs.map(|(key, value)| (key as i32, value)).into();
    let mut theirs = Vec::new();
    btree_map::encode(
        int32::encode,
        int32::encoded_len,
        double::encode,
        double::encoded_len,
        7,
        &map,
        &mut theirs,
    );
    assert_eq!(hex(&ours), hex(&theirs));
    // All other writers write both parts of every entry.
    assert!(case.encode(&message).len() > ours.len());
}
