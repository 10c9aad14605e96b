//! What neutral JSON accepts, what it refuses and with which words.

use interop_codec::{Document, DynamicMessage, UnknownField, UnknownValue, Value, neutral};
use interop_schema::{MessageId, Schema, fdl, proto};
use interop_wire::Limits;

const TYPES: &str = "package t;
    enum Color { RED = 0; BLUE = 5; }
    union Shape { string text = 1; int32 code = 0; Leaf leaf = 3; }
    message Leaf { int32 v = 1; }
    message M {
        int8 i8 = 1; int16 i16 = 2; int32 i32 = 3; int64 i64 = 4;
        uint8 u8 = 5; uint16 u16 = 6; uint32 u32 = 7; uint64 u64 = 8;
        bool b = 9; string s = 10; bytes by = 11; float32 f = 12; float64 d = 13;
        timestamp ts = 14; duration du = 15; date da = 16; decimal de = 17;
        Color c = 18; Shape sh = 19; optional int32 oi = 20; Leaf leaf = 21;
        list<int32> li = 22; set<string> se = 23; array<int16> ar = 24;
        map<int32, string> ma = 25; list<optional string> los = 26; any an = 27;
        Leaf sure = 28 [nullable = false];
    }";

fn types() -> (Schema, MessageId) {
    let schema = fdl::compile_text("t.fdl", TYPES).unwrap();
    let id = schema.message_by_name("t.M").unwrap();
    (schema, id)
}

fn parse(text: &str) -> Result<Document, String> {
    let (schema, id) = types();
    let parsed = neutral::parse(&schema, id, text.as_bytes(), Limits::DEFAULT);
    parsed.map_err(|error| error.to_string())
}

fn field(text: &str, name: &str) -> Option<Value> {
    let (schema, id) = types();
    let document = parse(text).unwrap();
    let index = schema.message(id).field_by_name(name).unwrap();
    document.message().unwrap().get(index).cloned()
}

#[test]
fn each_width_takes_its_range_and_no_more() {
    for (name, low, high, quoted) in [
        ("i8", -128, 127, false),
        ("i16", -32_768, 32_767, false),
        ("i32", -2_147_483_648, 2_147_483_647, false),
        ("i64", i128::from(i64::MIN), i128::from(i64::MAX), true),
        ("u8", 0, 255, false),
        ("u16", 0, 65_535, false),
        ("u32", 0, 4_294_967_295, false),
        ("u64", 0, i128::from(u64::MAX), true),
    ] {
        let text = |value: i128| match quoted {
            true => format!("{{\"{name}\":\"{value}\"}}"),
            false => format!("{{\"{name}\":{value}}}"),
        };
        for value in [low, high] {
            assert!(parse(&text(value)).is_ok(), "{name} {value}");
        }
        for value in [low - 1, high + 1] {
            let error = parse(&text(value)).unwrap_err();
            assert!(
                error.starts_with(&format!("field {name}: {value} is out of the range of")),
                "{error}"
            );
        }
    }
    assert_eq!(field("{\"i64\":5}", "i64"), Some(Value::Int(5)));
    assert_eq!(
        field("{\"u64\":18446744073709551615}", "u64"),
        Some(Value::UInt(u64::MAX))
    );
}

#[test]
fn absent_null_and_default() {
    assert_eq!(field("{}", "i32"), None);
    assert_eq!(field("{\"i32\":0}", "i32"), None);
    assert_eq!(field("{\"oi\":0}", "oi"), Some(Value::Int(0)));
    assert_eq!(field("{\"oi\":null}", "oi"), None);
    assert_eq!(field("{\"leaf\":null}", "leaf"), None);
    assert_eq!(field("{\"sh\":null}", "sh"), None);
    assert_eq!(field("{\"d\":\"0.0\"}", "d"), None);
    assert_eq!(field("{\"d\":\"-0.0\"}", "d"), Some(Value::Float64(-0.0)));
    // 0 of a float field is its default also when it is spelled another way.
    assert_eq!(field("{\"f\":\"0e5\"}", "f"), None);
}

#[test]
fn refusals_name_the_field_and_the_form() {
    for (text, error) in [
        ("[]", "message takes an object, found a list"),
        ("{\"x\":1}", "message t.M has no field \"x\""),
        (
            "{\"i32\":1,\"i32\":1}",
            "at byte 13: key \"i32\" is given twice",
        ),
        (
            "{\"i32\":\"1\"}",
            "field i32: int32 takes an integer, as a number, found a string",
        ),
        (
            "{\"i32\":1.0}",
            "field i32: int32 takes an integer, as a number, found a number that is no 64 bit integer",
        ),
        (
            "{\"i32\":null}",
            "field i32: null, but the field is not nullable",
        ),
        ("{\"i64\":\"01\"}", "field i64: \"01\" is no 64 bit integer"),
        ("{\"i64\":\"-0\"}", "field i64: \"-0\" is no 64 bit integer"),
        ("{\"i64\":\"+1\"}", "field i64: \"+1\" is no 64 bit integer"),
        ("{\"i64\":\"\"}", "field i64: \"\" is no 64 bit integer"),
        (
            "{\"b\":1}",
            "field b: bool takes true or false, found an integer",
        ),
        (
            "{\"s\":1}",
            "field s: string takes a string, found an integer",
        ),
        (
            "{\"by\":\"0\"}",
            "field by: bytes are pairs of hexadecimal digits",
        ),
        (
            "{\"by\":\"0g\"}",
            "field by: bytes are pairs of hexadecimal digits",
        ),
        (
            "{\"f\":1}",
            "field f: float32 takes a number, as a string, found an integer",
        ),
        (
            "{\"f\":\"1e39\"}",
            "field f: 1e39 is out of the type's range",
        ),
        ("{\"d\":\"inf\"}", "field d: \"inf\" is no number"),
        (
            "{\"ts\":{\"seconds\":\"1\"}}",
            "field ts: a timestamp has members seconds and nanos",
        ),
        (
            "{\"ts\":{\"seconds\":\"1\",\"nanos\":1000000000}}",
            "field ts: nanos is a number in 0..1000000000",
        ),
        (
            "{\"du\":{\"seconds\":\"1\",\"nanos\":-1}}",
            "field du: nanos is a number in 0..1000000000",
        ),
        (
            "{\"du\":{\"seconds\":\"1\",\"nanos\":0,\"x\":0}}",
            "field du: a duration has no member \"x\"",
        ),
        (
            "{\"da\":\"1\"}",
            "field da: date takes an integer, as a number, found a string",
        ),
        (
            "{\"de\":{\"unscaled\":\"1.5\",\"scale\":0}}",
            "field de: unscaled is an integer, as a string",
        ),
        (
            "{\"de\":{\"unscaled\":\"1\",\"scale\":2147483648}}",
            "field de: scale is a number of 32 bits",
        ),
        (
            "{\"c\":\"GREEN\"}",
            "field c: enum t.Color has no value \"GREEN\"",
        ),
        (
            "{\"c\":2147483648}",
            "field c: 2147483648 is out of an enum's 32 bits",
        ),
        (
            "{\"sh\":{\"case\":\"none\",\"value\":1}}",
            "field sh: union t.Shape has no case \"none\"",
        ),
        (
            "{\"sh\":{\"case\":\"leaf\",\"value\":{\"v\":true}}}",
            "field sh.leaf.v: int32 takes an integer, as a number, found a bool",
        ),
        (
            "{\"sh\":{\"case\":\"leaf\",\"value\":null}}",
            "field sh.leaf: message takes an object, found null",
        ),
        (
            "{\"li\":[1,null]}",
            "field li[1]: null, but elements are not nullable",
        ),
        (
            "{\"se\":[\"a\",\"a\"]}",
            "field se[1]: the set has this element already",
        ),
        (
            "{\"ar\":[32768]}",
            "field ar[0]: 32768 is out of the range of int16",
        ),
        (
            "{\"ma\":{\"1\":\"a\"}}",
            "field ma: map takes a list of [key, value], found an object",
        ),
        (
            "{\"ma\":[[1,\"a\",2]]}",
            "field ma[0]: an entry of a map is [key, value]",
        ),
        (
            "{\"ma\":[[1,\"a\"],[1,\"b\"]]}",
            "field ma[1]: the map has this key already",
        ),
        (
            "{\"ma\":[[null,\"a\"]]}",
            "field ma[0]: null, but elements are not nullable",
        ),
        (
            "{\"an\":{\"type\":\"t.Gone\",\"value\":1}}",
            "field an: there is no type \"t.Gone\"",
        ),
        ("{\"nodes\":[]}", "message t.M has no field \"nodes\""),
        ("{\"i32\":1", "at byte 7: EOF while parsing an object"),
    ] {
        assert_eq!(parse(text).unwrap_err(), error, "{text}");
    }
}

#[test]
fn every_form_prints_as_it_was_read() {
    let (schema, id) = types();
    let text = concat!(
        r#"{"i8":-1,"i16":0,"i32":7,"i64":"-9","u8":255,"u16":0,"u32":4294967295,"u64":"0","#,
        r#""b":true,"s":"a\"\u0001é","by":"00ff","f":"0.10000000149011612","d":"NaN(7ff8000000000001)","#,
        r#""ts":{"seconds":"-1","nanos":999999999},"du":{"seconds":"0","nanos":1},"da":-1,"#,
        r#""de":{"unscaled":"-123456789012345678901234567890","scale":-3},"c":7,"#,
        r#""sh":{"case":"code","value":0},"oi":0,"leaf":{"v":0},"li":[1,0],"se":["b","a"],"#,
        r#""ar":[-32768],"ma":[[2,"b"],[1,""]],"los":[null,""],"#,
        r#""an":{"type":"t.Leaf","value":{"v":3}},"sure":{"v":1}}"#
    );
    let value = neutral::parse(&schema, id, text.as_bytes(), Limits::DEFAULT).unwrap();
    assert_eq!(neutral::print(&schema, id, &value).unwrap(), text);
    let empty = neutral::print(&schema, id, &parse("{}").unwrap()).unwrap();
    assert!(
        empty.contains(r#""c":"RED","sh":null,"oi":null,"leaf":null,"#),
        "{empty}"
    );
    assert!(empty.ends_with(r#""an":null,"sure":null}"#), "{empty}");
}

#[test]
fn proto_schemas_oneofs_extensions_and_unknown_fields() {
    let schema = proto::compile_text(
        "syntax = \"proto2\"; package p;
         message M { optional int32 fooBar = 1; oneof o { int32 a = 2; string b = 3; }
           extensions 100 to 200; repeated fixed32 r = 4; map<string, M> m = 5; }
         extend M { optional int32 x = 100; }",
    )
    .unwrap();
    let id = schema.message_by_name("p.M").unwrap();
    let parse = |text: &str| neutral::parse(&schema, id, text.as_bytes(), Limits::DEFAULT);
    let text = r#"{"fooBar":0,"a":null,"b":"","r":[5],"m":[["k",{"fooBar":null,"a":1,"b":null,"r":[],"m":[],"[p.x]":null}]],"[p.x]":3,"@unknown":[{"number":7,"varint":"18446744073709551615"},{"number":8,"group":[{"number":1,"bytes":"ff"},{"number":2,"fixed32":1},{"number":3,"fixed64":"2"}]}]}"#;
    let value = parse(text).unwrap();
    assert_eq!(neutral::print(&schema, id, &value).unwrap(), text);
    let first = UnknownField {
        number: 7,
        value: UnknownValue::Varint(u64::MAX),
    };
    assert_eq!(value.message().unwrap().unknown[0], first);
    let error = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(
        error(r#"{"a":1,"b":""}"#),
        "b and a are both members of oneof o"
    );
    assert_eq!(error(r#"{"x":1}"#), "message p.M has no field \"x\"");
    assert_eq!(
        error(r#"{"foo_bar":1}"#),
        "message p.M has no field \"foo_bar\""
    );
    for unknown in [
        "1",
        "[1]",
        r#"[{"number":0,"varint":"1"}]"#,
        r#"[{"number":1,"varint":"x"}]"#,
        r#"[{"number":1}]"#,
    ] {
        let text = format!("{{\"@unknown\":{unknown}}}");
        assert!(error(&text).starts_with("@unknown: expected"), "{text}");
    }
}

#[test]
fn references_share_nodes_and_may_run_in_circles() {
    let schema = fdl::compile_text(
        "r.fdl",
        "message Node { int32 v = 1; ref Node next = 2; map<string, ref Leaf> m = 3; }
         message Leaf { string s = 1; }
         message Root { ref Node a = 1; list<ref Node> l = 2; int32 nodes = 3; }",
    )
    .unwrap();
    let id = schema.message_by_name("Root").unwrap();
    let parse = |text: &str| neutral::parse(&schema, id, text.as_bytes(), Limits::DEFAULT);
    let text = r#"{"nodes_":[{"v":1,"next":1,"m":[["x",2],["y",2]]},{"v":2,"next":0,"m":[]},{"s":"leaf"}],"a":0,"l":[1,0,null],"nodes":4}"#;
    let value = parse(text).unwrap();
    assert_eq!(value.nodes.len(), 3);
    assert_eq!(neutral::print(&schema, id, &value).unwrap(), text);
    // An object in place of an index is a value that nothing else refers to.
    let inline = r#"{"nodes_":[],"a":{"v":1,"next":null,"m":[]},"l":[],"nodes":0}"#;
    assert_eq!(
        neutral::print(&schema, id, &parse(inline).unwrap()).unwrap(),
        inline
    );
    let error = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(error(r#"{"a":0}"#), "field a: no such node: there are 0");
    assert_eq!(
        error(r#"{"nodes_":[{}],"a":-1}"#),
        "field a: no such node: there are 1"
    );
    assert_eq!(
        error(r#"{"nodes_":[{}]}"#),
        "field nodes_: nothing refers to node 0"
    );
    assert_eq!(
        error(r#"{"nodes_":1}"#),
        "field nodes_: expected a list of objects, found an integer"
    );
    assert_eq!(
        error(r#"{"nodes_":[{"m":[["k",0]]}],"a":0}"#),
        "field nodes_[0].m[0]: node 0 is referred to as two types"
    );
    assert_eq!(
        error(r#"{"nodes_":[5],"a":0}"#),
        "field nodes_[0]: message takes an object, found an integer"
    );

    let mut wrong = value;
    wrong.nodes.pop();
    let printed = neutral::print(&schema, id, &wrong).unwrap_err().to_string();
    assert_eq!(printed, "field nodes_[0].m[0]: there is no node 2");
}

#[test]
fn values_that_do_not_fit_the_schema_are_not_printed() {
    let (schema, id) = types();
    let with = |name: &str, value: Value| {
        let mut message = DynamicMessage::new(&schema, id);
        message.set(
            &schema,
            schema.message(id).field_by_name(name).unwrap(),
            value,
        );
        let printed = neutral::print(&schema, id, &Document::of(message));
        printed.unwrap_err().to_string()
    };
    assert_eq!(
        with("i8", Value::Int(128)),
        "field i8: 128 does not fit 8 bits"
    );
    assert_eq!(
        with("u16", Value::UInt(65_536)),
        "field u16: 65536 does not fit 16 bits"
    );
    assert_eq!(
        with("i32", Value::UInt(1)),
        "field i32: unsigned integer is no value of type int32"
    );
    assert_eq!(
        with("leaf", Value::Reference(0)),
        "field leaf: a reference where the schema tracks none"
    );
    assert_eq!(
        with("sh", Value::Union(9, Box::new(Value::Null))),
        "field sh: union t.Shape has no case 9"
    );
    assert_eq!(
        with("li", Value::List(vec![Value::Null])),
        "field li[0]: null is no value of type int32"
    );
    let other = schema.message_by_name("t.Leaf").unwrap();
    let leaf = Document::of(DynamicMessage::new(&schema, other));
    assert!(neutral::print(&schema, id, &leaf).is_err());
}

#[test]
fn depth_and_memory_are_bounded() {
    let schema = fdl::compile_text("t.fdl", "message T { int32 v = 1; list<T> c = 2; }").unwrap();
    let parse = |depth: usize, limits| {
        let text = format!("{}{{}}{}", "{\"c\":[".repeat(depth), "]}".repeat(depth));
        neutral::parse(&schema, MessageId(0), text.as_bytes(), limits)
    };
    assert!(parse(49, Limits::DEFAULT).is_ok());
    let error = parse(51, Limits::DEFAULT).unwrap_err().to_string();
    assert!(error.contains("raise `depth`"), "{error}");
    assert!(parse(100_000, Limits::DEFAULT).is_err());

    let fields: String = (1..=1000).map(|i| format!("int32 f{i} = {i}; ")).collect();
    let text = format!("message W {{ {fields} }} message L {{ list<W> l = 1; }}");
    let wide = fdl::compile_text("w.fdl", &text).unwrap();
    let id = wide.message_by_name("L").unwrap();
    let limits = Limits {
        expansion_bytes: 1 << 20,
        ..Limits::DEFAULT
    };
    let text = format!("{{\"l\":[{}{{}}]}}", "{},".repeat(10_000));
    let error = neutral::parse(&wide, id, text.as_bytes(), limits).unwrap_err();
    assert!(
        error.to_string().contains("raise `expansion_bytes`"),
        "{error}"
    );
}
