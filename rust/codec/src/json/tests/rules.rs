//! The rules of the mapping: what is read to what, what is refused, what is printed.

use interop_schema::proto::compile_text;

use super::*;

const SCHEMA: &str = r#"
    syntax = "proto3";
    package p;
    import "fory/options.proto";
    import "google/protobuf/any.proto";
    import "google/protobuf/duration.proto";
    import "google/protobuf/empty.proto";
    import "google/protobuf/field_mask.proto";
    import "google/protobuf/struct.proto";
    import "google/protobuf/timestamp.proto";
    import "google/protobuf/wrappers.proto";
    enum E { ZERO = 0; ONE = 1; ALIAS = 1; option allow_alias = true; NEG = -1; }
    message M {
      int32 i32 = 1; uint32 u32 = 2; int64 i64 = 3; uint64 u64 = 4;
      sint32 s32 = 5; fixed32 f32x = 6; sfixed64 sf64 = 7;
      float f = 8; double d = 9; bool b = 10; string s = 11; bytes by = 12; E e = 13;
      M m = 14; repeated int32 r = 15; repeated M rm = 16; repeated E re = 17;
      map<string, int32> msi = 18; map<bool, string> mbs = 19; map<int64, M> mim = 20;
      map<string, E> mse = 21;
      oneof o { int32 oi = 22; string os = 23; google.protobuf.NullValue on = 24;
                google.protobuf.Value ov = 25; M om = 26; }
      optional int32 opt = 27;
      google.protobuf.Any any = 28; google.protobuf.Duration dur = 29;
      google.protobuf.Empty empty = 30; google.protobuf.FieldMask mask = 31;
      google.protobuf.Struct st = 32; google.protobuf.Value v = 33;
      google.protobuf.ListValue lv = 34; google.protobuf.Timestamp ts = 35;
      google.protobuf.Int64Value w64 = 36; google.protobuf.StringValue ws = 37;
      google.protobuf.BoolValue wb = 38; google.protobuf.NullValue nv = 39;
      repeated google.protobuf.Value rv = 40; map<string, google.protobuf.Value> mv = 41;
      repeated google.protobuf.NullValue rn = 42; int32 foo_bar = 43;
      int32 named = 44 [json_name = "other name"];
      fixed32 signed = 45 [(fory.field).type = "fixed int32"];
      repeated google.protobuf.Any ra = 46; google.protobuf.FloatValue wf = 47;
      uint32 __u = 48; map<uint32, string> mus = 49; google.protobuf.BytesValue wby = 50;
      repeated fixed64 signed64 = 51 [(fory.field).type = "array<fixed int64>"];
    }"#;

pub(super) fn schema() -> (Schema, MessageId) {
    let schema = compile_text(SCHEMA).unwrap();
    let id = schema.message_by_name("p.M").unwrap();
    (schema, id)
}

/// Each input is read, and printed again as the second text.
pub(super) fn assert_prints(cases: &[(&str, &str)]) {
    let (schema, id) = schema();
    for (input, output) in cases {
        let message = parse(&schema, id, input).unwrap_or_else(|e| panic!("{input}: {e}"));
        let printed = print(&schema, &message).unwrap_or_else(|e| panic!("{input}: {e}"));
        assert_eq!(&printed, output, "{input}");
        assert_eq!(parse(&schema, id, &printed).unwrap(), message, "{input}");
    }
}

pub(super) fn assert_refused(cases: &[&str]) {
    let (schema, id) = schema();
    for input in cases {
        match parse(&schema, id, input) {
            Ok(message) => panic!("{input} was read as {:?}", print(&schema, &message)),
            Err(error) => assert!(error.offset.is_some_and(|o| o <= input.len()), "{error}"),
        }
    }
}

#[test]
fn grammar() {
    assert_prints(&[
        ("{}", "{}"),
        (" \t\r\n{ } \n", "{}"),
        (
            r#"{ "i32" : 1 , "r" : [ 1 , 2 ] }"#,
            r#"{"i32":1,"r":[1,2]}"#,
        ),
        (r#"{"\u0069\u00332":1}"#, r#"{"i32":1}"#),
    ]);
    assert_refused(&[
        "",
        " ",
        "null",
        "1",
        "[]",
        "{",
        "}",
        "{}x",
        "{} {}",
        "{}\0",
        r#"{"i32":1,}"#,
        r#"{,"i32":1}"#,
        r#"{"r":[1,]}"#,
        r#"{"r":[,1]}"#,
        r#"{"r":[1 2]}"#,
        r#"{"i32" 1}"#,
        r#"{i32:1}"#,
        r#"{'i32':1}"#,
        r#"{"i32":1 "u32":1}"#,
        r#"{"":}"#,
        r#"{"i32":}"#,
        "{/**/}",
        "{}//x",
        "\u{feff}{}",
        r#"{"b":True}"#,
        r#"{"b":tru}"#,
        r#"{"i32":01}"#,
        r#"{"i32":+1}"#,
        r#"{"i32":.5e1}"#,
        r#"{"i32":5.}"#,
        r#"{"i32":0x10}"#,
        r#"{"f":NaN}"#,
        r#"{"f":Infinity}"#,
        r#"{"f":-Infinity}"#,
        "{\"s\":\"a\nb\"}",
        r#"{"s":"\ud800"}"#,
        "{\u{a0}}",
        r#"{"i32":nul}"#,
        r#"{"i32":nulll}"#,
    ]);
}

#[test]
fn integers() {
    assert_prints(&[
        (r#"{"i32":-2147483648}"#, r#"{"i32":-2147483648}"#),
        (r#"{"i32":"2147483647"}"#, r#"{"i32":2147483647}"#),
        (
            r#"{"i32":1.0,"u32":1e2,"s32":-1.5e1}"#,
            r#"{"i32":1,"u32":100,"s32":-15}"#,
        ),
        (
            r#"{"i32":"1.0","u32":"1e2","i64":"15E-1e"}"#.replace("15E-1e", "150e-1").as_str(),
            r#"{"i32":1,"u32":100,"i64":"15"}"#,
        ),
        (
            r#"{"u64":18446744073709551615}"#,
            r#"{"u64":"18446744073709551615"}"#,
        ),
        (
            r#"{"i64":-9223372036854775808}"#,
            r#"{"i64":"-9223372036854775808"}"#,
        ),
        (
            r#"{"i64":9.223372036854775807e18}"#,
            r#"{"i64":"9223372036854775807"}"#,
        ),
        (r#"{"u32":-0}"#, "{}"),
        (r#"{"signed":4294967295}"#, r#"{"signed":-1}"#),
        (r#"{"signed":-2147483648}"#, r#"{"signed":-2147483648}"#),
        (
            r#"{"signed64":["18446744073709551615",-1]}"#,
            r#"{"signed64":["-1","-1"]}"#,
        ),
    ]);
    assert_refused(&[
        r#"{"i32":2147483648}"#,
        r#"{"i32":-2147483649}"#,
        r#"{"u32":-1}"#,
        r#"{"u32":4294967296}"#,
        r#"{"i64":9223372036854775808}"#,
        r#"{"u64":18446744073709551616}"#,
        r#"{"u64":"-1"}"#,
        r#"{"i32":0.5}"#,
        r#"{"i32":1e-1}"#,
        r#"{"i32":""}"#,
        r#"{"i32":" 1"}"#,
        r#"{"i32":"1 "}"#,
        r#"{"i32":"+1"}"#,
        r#"{"i32":"01"}"#,
        r#"{"i32":"0x1"}"#,
        r#"{"i32":"1."}"#,
        r#"{"i32":"NaN"}"#,
        r#"{"i32":true}"#,
        r#"{"i32":[1]}"#,
        r#"{"i32":{}}"#,
        r#"{"u64":""}"#,
        r#"{"i32":1e1000000000}"#,
        r#"{"u64":1e99999999999999999999}"#,
        r#"{"i32":"1e1000000000"}"#,
        r#"{"i32":1e-1000000000}"#,
        r#"{"signed":4294967296}"#,
        r#"{"f32x":-1}"#,
        r#"{"u64":18446744073709551615.5}"#,
    ]);
}

#[test]
fn floats() {
    assert_prints(&[
        (r#"{"f":3.4028235e+38}"#, r#"{"f":3.4028235e+38}"#),
        (
            r#"{"f":"3.4028234663852886e+38"}"#,
            r#"{"f":3.4028235e+38}"#,
        ),
        (r#"{"f":-0.0,"d":-0}"#, r#"{"f":-0.0,"d":-0.0}"#),
        (r#"{"f":0,"d":0.0}"#, "{}"),
        (
            r#"{"f":"NaN","d":"-Infinity"}"#,
            r#"{"f":"NaN","d":"-Infinity"}"#,
        ),
        (
            r#"{"f":"Infinity","d":"1.5"}"#,
            r#"{"f":"Infinity","d":1.5}"#,
        ),
        (r#"{"d":1e-400,"f":12}"#, r#"{"f":12.0}"#),
        (
            r#"{"d":1.7976931348623157e308}"#,
            r#"{"d":1.7976931348623157e+308}"#,
        ),
        (r#"{"wf":-0.0}"#, r#"{"wf":-0.0}"#),
    ]);
    assert_refused(&[
        r#"{"f":3.5e38}"#,
        r#"{"f":-3.5e38}"#,
        r#"{"f":"3.5e38"}"#,
        r#"{"d":1.8e308}"#,
        r#"{"d":1e1000000000}"#,
        r#"{"d":""}"#,
        r#"{"d":"nan"}"#,
        r#"{"d":"inf"}"#,
        r#"{"d":"+Infinity"}"#,
        r#"{"d":"-NaN"}"#,
        r#"{"d":" 1"}"#,
        r#"{"d":"1x"}"#,
        r#"{"d":true}"#,
        r#"{"d":"1_0"}"#,
        r#"{"d":".5"}"#,
    ]);
}

#[test]
fn strings_bytes_bools_and_enums() {
    assert_prints(&[
        (
            r#"{"s":"\u00e9\ud83d\ude00\u0000\/"}"#,
            "{\"s\":\"\u{e9}\u{1f600}\\u0000/\"}",
        ),
        (r#"{"by":"-_8"}"#, r#"{"by":"+/8="}"#),
        (r#"{"b":true,"by":""}"#, r#"{"b":true}"#),
        (r#"{"e":"ALIAS"}"#, r#"{"e":"ONE"}"#),
        (r#"{"e":-1}"#, r#"{"e":"NEG"}"#),
        (
            r#"{"e":77,"re":["ONE",2,1.0,"ZERO"]}"#,
            r#"{"e":77,"re":["ONE",2,"ONE","ZERO"]}"#,
        ),
    ]);
    assert_refused(&[
        r#"{"s":1}"#,
        r#"{"s":true}"#,
        r#"{"by":"QUJD!!!"}"#,
        r#"{"by":1}"#,
        r#"{"by":[1]}"#,
        r#"{"b":"true"}"#,
        r#"{"b":1}"#,
        r#"{"b":0}"#,
        r#"{"e":"one"}"#,
        r#"{"e":"TWO"}"#,
        r#"{"e":""}"#,
        r#"{"e":"1"}"#,
        r#"{"e":1.5}"#,
        r#"{"e":2147483648}"#,
        r#"{"e":true}"#,
        r#"{"re":["TWO"]}"#,
        r#"{"mse":{"a":"TWO"}}"#,
    ]);
}

#[test]
fn names_and_presence() {
    assert_prints(&[
        (
            r#"{"fooBar":1,"other name":2}"#,
            r#"{"foo_bar":1,"named":2}"#,
        ),
        (r#"{"foo_bar":1,"named":2}"#, r#"{"foo_bar":1,"named":2}"#),
        (r#"{"U":1}"#, r#"{"__u":1}"#),
        (
            r#"{"opt":0,"i32":0,"m":{},"r":[],"msi":{}}"#,
            r#"{"m":{},"opt":0}"#,
        ),
        (
            r#"{"i32":null,"m":null,"r":null,"msi":null,"oi":null,"ts":null,"w64":null}"#,
            "{}",
        ),
    ]);
    assert_refused(&[
        r#"{"fooBar":1,"foo_bar":2}"#,
        r#"{"i32":1,"i32":1}"#,
        r#"{"i32":null,"i32":1}"#,
        r#"{"FooBar":1}"#,
        r#"{"foobar":1}"#,
        r#"{"unknown":1}"#,
        r#"{"":1}"#,
        r#"{"named2":1}"#,
        r#"{"1":1}"#,
        r#"{"i32 ":1}"#,
        r#"{"@type":"x"}"#,
        r#"{"m":[]}"#,
        r#"{"m":1}"#,
        r#"{"m":""}"#,
    ]);
}

#[test]
fn oneofs() {
    assert_prints(&[
        (r#"{"oi":null,"os":"test"}"#, r#"{"os":"test"}"#),
        (r#"{"os":"","oi":null}"#, r#"{"os":""}"#),
        (r#"{"oi":0}"#, r#"{"oi":0}"#),
        (r#"{"on":null}"#, r#"{"on":null}"#),
        (r#"{"ov":null}"#, r#"{"ov":null}"#),
        (r#"{"om":null,"ov":1}"#, r#"{"ov":1.0}"#),
    ]);
    assert_refused(&[
        r#"{"oi":1,"os":"test"}"#,
        r#"{"oi":1,"os":""}"#,
        r#"{"on":null,"oi":1}"#,
        r#"{"ov":null,"oi":1}"#,
        r#"{"om":{},"on":null}"#,
    ]);
}

#[test]
fn lists_and_maps() {
    assert_prints(&[
        (r#"{"rm":[{},{"i32":1}]}"#, r#"{"rm":[{},{"i32":1}]}"#),
        (r#"{"msi":{"":0,"a":1}}"#, r#"{"msi":{"":0,"a":1}}"#),
        (
            r#"{"mbs":{"true":"t","false":"f"}}"#,
            r#"{"mbs":{"true":"t","false":"f"}}"#,
        ),
        (
            r#"{"mim":{"-9223372036854775808":{}}}"#,
            r#"{"mim":{"-9223372036854775808":{}}}"#,
        ),
        (
            r#"{"mse":{"a":"ONE","b":5}}"#,
            r#"{"mse":{"a":"ONE","b":5}}"#,
        ),
    ]);
    assert_refused(&[
        r#"{"r":1}"#,
        r#"{"r":{}}"#,
        r#"{"r":[null]}"#,
        r#"{"r":[[1]]}"#,
        r#"{"rm":[null]}"#,
        r#"{"re":[null]}"#,
        r#"{"msi":[]}"#,
        r#"{"msi":{"a":null}}"#,
        r#"{"msi":{"a":1,"a":2}}"#,
        r#"{"msi":{1:1}}"#,
        r#"{"mim":{"1":{},"1":{}}}"#,
        r#"{"mim":{"a":{}}}"#,
        r#"{"mim":{"":{}}}"#,
        r#"{"mim":{" 1":{}}}"#,
        r#"{"mim":{"1.0":{}}}"#,
        r#"{"mim":{"1":null}}"#,
        r#"{"mim":{"9223372036854775808":{}}}"#,
        r#"{"mus":{"-1":"a"}}"#,
        r#"{"mbs":{"TRUE":""}}"#,
        r#"{"mbs":{"1":""}}"#,
        r#"{"msi":{"\u0061":1,"a":2}}"#,
    ]);
}

#[test]
fn unknown_names_are_ignored_on_request() {
    let (schema, id) = schema();
    let options = ParseOptions {
        ignore_unknown: true,
    };
    let read = |json: &str| {
        let mut spans = Vec::new();
        let traced = DecodeOptions::traced(&mut spans);
        let message = decode_with(&schema, id, json.as_bytes(), traced, options)?;
        assert_eq!(
            spans
                .iter()
                .map(|span| span.end - span.start)
                .sum::<usize>(),
            json.len()
        );
        print(&schema, &message)
    };
    for (input, output) in [
        (r#"{"x":{"y":[1,{"z":null}]}, "i32":1}"#, r#"{"i32":1}"#),
        (
            r#"{"e":"TWO","re":["ONE","TWO"],"mse":{"a":"TWO","b":"ONE"}}"#,
            r#"{"re":["ONE"],"mse":{"b":"ONE"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/p.M","x":1}}"#,
            r#"{"any":{"@type":"a/p.M"}}"#,
        ),
    ] {
        assert_eq!(read(input).unwrap(), output);
    }
    for refused in [
        r#"{"x":}"#,
        r#"{"x":[1,]}"#,
        r#"{"x":{"a":1,}}"#,
        r#"{"x":01}"#,
        r#"{"x":"\ud800"}"#,
        r#"{"x":1"#,
        r#"{"x":{1:2}}"#,
        r#"{"":}"#,
        r#"{"x":{"a" 1}}"#,
    ] {
        assert!(read(refused).is_err(), "{refused}");
    }
}

#[test]
fn errors_name_offset_and_path() {
    let (schema, id) = schema();
    for (json, text) in [
        (
            r#"{"rm":[{},{"i32":"x"}]}"#,
            r#"at byte 17, field rm[1].i32: "x" is no int32"#,
        ),
        (
            r#"{"msi":{"a":1.5}}"#,
            r#"at byte 12, field msi["a"]: 1.5 is no integer, as int32 asks for"#,
        ),
        (
            r#"{"m":{"nope":1}}"#,
            r#"at byte 6, field m: p.M has no field "nope""#,
        ),
        (
            "\u{feff}{}",
            "at byte 0: expected a value, found a byte order mark, which JSON forbids",
        ),
        ("{", "at byte 1: input ends: 1 bytes needed, 0 left"),
    ] {
        assert_eq!(parse(&schema, id, json).unwrap_err().to_string(), text);
    }
}

#[test]
fn defaults_are_printed_on_request() {
    let text =
        "syntax = \"proto3\"; enum E { A = 0; } message M { int64 i = 1; string s = 2; E e = 3;
        repeated int32 r = 4; map<int32, M> m = 5; M sub = 6; optional int32 o = 7; float f = 8;
        oneof x { int32 y = 9; } bytes b = 10; bool t = 11; }";
    let schema = compile_text(text).unwrap();
    let id = schema.message_by_name("M").unwrap();
    let dialect = Dialect {
        defaults: Defaults::Print,
        spacing: Spacing::Spaced,
        ..Dialect::default()
    };
    let json = encode(&schema, &DynamicMessage::new(&schema, id), &dialect).unwrap();
    assert_eq!(
        String::from_utf8(json).unwrap(),
        r#"{"i": "0", "s": "", "e": "A", "r": [], "m": {}, "f": 0.0, "b": "", "t": false}"#
    );
}

#[test]
fn order_and_names_by_choice() {
    let text = "syntax = \"proto3\"; message M { map<sint32, bool> m_m = 2; int32 a_b = 1; }";
    let schema = compile_text(text).unwrap();
    let id = schema.message_by_name("M").unwrap();
    let message = parse(&schema, id, r#"{"aB":1,"mM":{"2":true,"-1":false}}"#).unwrap();
    let printed = |name: &str| {
        let preset = presets().into_iter().find(|preset| preset.name == name);
        let json = encode(&schema, &message, &preset.unwrap().dialect).unwrap();
        String::from_utf8(json).unwrap()
    };
    assert_eq!(printed("java"), r#"{"a_b":1,"m_m":{"2":true,"-1":false}}"#);
    assert_eq!(printed("go"), r#"{"m_m":{"-1":false,"2":true},"a_b":1}"#);
    assert_eq!(
        printed("rust-buffa"),
        r#"{"mM":{"2":true,"-1":false},"aB":1}"#
    );
}

#[test]
fn proto2_extensions_required_and_closed_enums() {
    let schema = compile_text(
        "syntax = \"proto2\"; package p; enum E { A = 1; B = 2; }
         message M { required int32 r = 1; optional E e = 2 [default = B]; repeated E es = 3;
           optional group G = 4 { optional int32 x = 1; } extensions 100 to 200;
           extend M { optional int32 inner = 101; } optional string s = 5; }
         extend M { optional string x_y = 100; repeated M ms = 102; }",
    )
    .unwrap();
    let id = schema.message_by_name("p.M").unwrap();
    let text =
        r#"{"r":0,"e":"A","g":{"x":1},"s":"","[p.x_y]":"","[p.M.inner]":5,"[p.ms]":[{"r":1}]}"#;
    let message = parse(&schema, id, text).unwrap();
    assert_eq!(print(&schema, &message).unwrap(), text);
    for refused in [
        "{}",
        r#"{"r":null}"#,
        r#"{"r":1,"e":3}"#,
        r#"{"r":1,"es":[3]}"#,
        r#"{"r":1,"[p.ms]":[{}]}"#,
        r#"{"r":1,"x_y":""}"#,
        r#"{"r":1,"[p.xY]":""}"#,
        r#"{"r":1,"[p.nope]":""}"#,
        r#"{"r":1,"[p.x_y]":"","[p.x_y]":""}"#,
    ] {
        assert!(parse(&schema, id, refused).is_err(), "{refused}");
    }
    let error = print(&schema, &DynamicMessage::new(&schema, id)).unwrap_err();
    assert_eq!(error.to_string(), "field r: required field is not set");
}
