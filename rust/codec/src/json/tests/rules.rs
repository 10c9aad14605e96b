//! The rules of the mapping: what is read to what, what is refused, what is printed.

use interop_schema::proto::compile_text;

use super::*;
use crate::{ErrorKind, Path};

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

fn schema() -> (Schema, MessageId) {
    let schema = compile_text(SCHEMA).unwrap();
    let id = schema.message_by_name("p.M").unwrap();
    (schema, id)
}

/// Each input is read, and printed again as the second text.
fn assert_prints(cases: &[(&str, &str)]) {
    let (schema, id) = schema();
    for (input, output) in cases {
        let message = parse(&schema, id, input).unwrap_or_else(|e| panic!("{input}: {e}"));
        let printed = print(&schema, &message).unwrap_or_else(|e| panic!("{input}: {e}"));
        assert_eq!(&printed, output, "{input}");
        assert_eq!(parse(&schema, id, &printed).unwrap(), message, "{input}");
    }
}

fn assert_refused(cases: &[&str]) {
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
fn times_masks_and_wrappers() {
    assert_prints(&[
        (
            r#"{"ts":"1970-01-01T00:00:00.5+00:00"}"#,
            r#"{"ts":"1970-01-01T00:00:00.500Z"}"#,
        ),
        (
            r#"{"ts":"1970-01-01T00:00:00Z"}"#,
            r#"{"ts":"1970-01-01T00:00:00Z"}"#,
        ),
        (r#"{"dur":"-0.5s"}"#, r#"{"dur":"-0.500s"}"#),
        (r#"{"mask":"fooBar,a.b"}"#, r#"{"mask":"fooBar,a.b"}"#),
        (r#"{"mask":""}"#, r#"{"mask":""}"#),
        (
            r#"{"w64":1,"ws":"","wb":false,"wby":"QQ"}"#,
            r#"{"w64":"1","ws":"","wb":false,"wby":"QQ=="}"#,
        ),
        (r#"{"empty":{}}"#, r#"{"empty":{}}"#),
    ]);
    assert_refused(&[
        r#"{"ts":0}"#,
        r#"{"ts":"0000-01-01T00:00:00Z"}"#,
        r#"{"ts":{}}"#,
        r#"{"dur":1}"#,
        r#"{"dur":"1"}"#,
        r#"{"dur":"315576000001s"}"#,
        r#"{"mask":"snake_case"}"#,
        r#"{"mask":["a"]}"#,
        r#"{"mask":"a,"}"#,
        r#"{"mask":"a,,b"}"#,
        r#"{"mask":"a, b"}"#,
        r#"{"w64":"x"}"#,
        r#"{"w64":{"value":1}}"#,
        r#"{"wb":"true"}"#,
        r#"{"empty":{"a":1}}"#,
        r#"{"empty":[]}"#,
        r#"{"empty":""}"#,
    ]);
}

#[test]
fn structs() {
    assert_prints(&[
        (r#"{"v":null}"#, r#"{"v":null}"#),
        (
            r#"{"v":{"a":[1,"x",true,null,{}]}}"#,
            r#"{"v":{"a":[1.0,"x",true,null,{}]}}"#,
        ),
        (r#"{"v":"NaN"}"#, r#"{"v":"NaN"}"#),
        (r#"{"v":[]}"#, r#"{"v":[]}"#),
        (r#"{"v":-0.0}"#, r#"{"v":-0.0}"#),
        (r#"{"st":{"k":null}}"#, r#"{"st":{"k":null}}"#),
        (r#"{"lv":[null,[[]]]}"#, r#"{"lv":[null,[[]]]}"#),
        (
            r#"{"rv":[null,1],"mv":{"a":null}}"#,
            r#"{"rv":[null,1.0],"mv":{"a":null}}"#,
        ),
        (
            r#"{"nv":null,"rn":[null,"NULL_VALUE",0]}"#,
            r#"{"rn":[null,null,null]}"#,
        ),
    ]);
    assert_refused(&[
        r#"{"st":[]}"#,
        r#"{"st":{"a":1,"a":2}}"#,
        r#"{"lv":{}}"#,
        r#"{"v":1e400}"#,
        r#"{"v":}"#,
        r#"{"st":{"a"}}"#,
        r#"{"nv":"NULL"}"#,
    ]);
}

#[test]
fn any_holds_any_message_of_the_schema() {
    assert_prints(&[
        (r#"{"any":{}}"#, r#"{"any":{}}"#),
        (
            r#"{"any":{"@type":"type.googleapis.com/p.M","i32":1}}"#,
            r#"{"any":{"@type":"type.googleapis.com/p.M","i32":1}}"#,
        ),
        (
            r#"{"any":{"i32":1,"m":{"r":[1]},"@type":"x/y/p.M"}}"#,
            r#"{"any":{"@type":"x/y/p.M","i32":1,"m":{"r":[1]}}}"#,
        ),
        (
            r#"{"any":{"value":"1.5s","@type":"/google.protobuf.Duration"}}"#,
            r#"{"any":{"@type":"/google.protobuf.Duration","value":"1.500s"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Any","value":{"@type":"a/p.M","fooBar":1}}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Any","value":{"@type":"a/p.M","foo_bar":1}}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Value","value":null}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Value","value":null}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Int64Value","value":5}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Int64Value","value":"5"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Empty","value":{}}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Empty"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Empty"}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Empty"}}"#,
        ),
        (
            r#"{"any":{"@type":"a/google.protobuf.Struct","value":{"@type":"x","b":1}}}"#,
            r#"{"any":{"@type":"a/google.protobuf.Struct","value":{"@type":"x","b":1.0}}}"#,
        ),
        (
            r#"{"ra":[{"@type":"a/p.M","any":{"i32":1,"@type":"a/p.M"}},{}],"any":null}"#,
            r#"{"ra":[{"@type":"a/p.M","any":{"@type":"a/p.M","i32":1}},{}]}"#,
        ),
    ]);
    assert_refused(&[
        r#"{"any":{"@type":"p.M"}}"#,
        r#"{"any":{"@type":""}}"#,
        r#"{"any":{"@type":"a/p.X"}}"#,
        r#"{"any":{"@type":"a/p.E"}}"#,
        r#"{"any":{"@type":1}}"#,
        r#"{"any":{"i32":1}}"#,
        r#"{"any":{"@type":"a/p.M","@type":"a/p.M"}}"#,
        r#"{"any":{"@type":"a/p.M","x":1}}"#,
        r#"{"any":{"@type":"a/p.M","value":{"i32":1}}}"#,
        r#"{"any":[]}"#,
        r#"{"any":"x"}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration"}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":"1s","x":1}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":"1s","value":"1s"}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":null}}"#,
        r#"{"any":{"x":,"@type":"a/p.M"}}"#,
        r#"{"any":{"@type":"a/p.M""#,
        r#"{"any":{"@type":null}}"#,
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
fn nesting_is_bounded() {
    let (schema, id) = schema();
    let read = |open: &str, inner: &str, close: &str, depth: usize| {
        let json = open.repeat(depth) + inner + &close.repeat(depth);
        parse(&schema, id, &json)
    };
    assert!(read(r#"{"m":"#, "{}", "}", 100).is_ok());
    assert!(read(r#"{"rm":["#, "{}", "]}", 100).is_ok());
    assert!(read(r#"{"mim":{"1":"#, "{}", "}}", 100).is_ok());
    let error = read(r#"{"m":"#, "{}", "}", 101).unwrap_err();
    assert!(error.to_string().contains("depth limit of 100"), "{error}");
    for depth in [101, 100_000] {
        assert!(read(r#"{"m":"#, "{}", "}", depth).is_err());
        assert!(read(r#"{"v":["#, "", "]}", depth).is_err());
        let lists = format!(r#"{{"v":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&schema, id, &lists).is_err());
        let any = r#"{"any":{"@type":"a/google.protobuf.Any","value":"#;
        assert!(read(any, "{}", "}}", depth).is_err());
        let any = r#"{"any":{"x":"#;
        assert!(read(any, "{}", "}}", depth).is_err());
        let options = ParseOptions {
            ignore_unknown: true,
        };
        let skipped = format!(r#"{{"x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let bytes = skipped.as_bytes();
        assert!(decode_with(&schema, id, bytes, DecodeOptions::default(), options).is_err());
    }
    let lists = format!(r#"{{"v":{}{}}}"#, "[".repeat(100), "]".repeat(100));
    let deep = parse(&schema, id, &lists).unwrap();
    assert_eq!(print(&schema, &deep).unwrap(), lists);
}

#[test]
fn an_any_in_an_any_cannot_outgrow_the_depth_limit() {
    let schema = compile_text(
        "syntax = \"proto3\"; import \"google/protobuf/any.proto\"; message M { google.protobuf.Any a = 1; }",
    )
    .unwrap();
    let any = schema.message_by_name("google.protobuf.Any").unwrap();
    let nested = |depth: usize| {
        let mut message = DynamicMessage::new(&schema, any);
        for _ in 0..depth {
            let dialect = crate::protobuf::Dialect::default();
            let bytes = crate::protobuf::encode(&schema, &message, &dialect).unwrap();
            let url = "a/google.protobuf.Any".to_owned();
            message.set(&schema, 0, crate::Value::String(url));
            message.set(&schema, 1, crate::Value::Bytes(bytes));
        }
        print(&schema, &message)
    };
    let json = nested(50).unwrap();
    assert!(parse(&schema, any, &json).is_ok());
    assert!(nested(1000).is_err());
}

#[test]
fn memory_is_bounded() {
    let (schema, id) = schema();
    let json = format!(r#"{{"rm":[{}{{}}]}}"#, "{},".repeat(1_000_000));
    let error = parse(&schema, id, &json).unwrap_err();
    assert!(error.to_string().contains("expansion_bytes"), "{error}");
}

#[test]
fn values_without_a_form_are_not_printed() {
    let (schema, id) = schema();
    for hex in [
        // Timestamp: past year 9999, before year 1, nanos negative and too large.
        "9a0209088083d1ffaf071000",
        "9a020d08ff91b8c398feffffff011000",
        "9a020d080010ffffffffffffffffff01",
        "9a02080800108094ebdc03",
        // Duration: signs differ, nanos too large, seconds too large.
        "ea010d080110ffffffffffffffffff01",
        "ea010d08ffffffffffffffffff011001",
        "ea01080800108094ebdc03",
        "ea01090881bcaece97091000",
        // FieldMask: abc_, aB, a_1, nothing, a,b.
        "fa01060a046162635f",
        "fa01040a026142",
        "fa01050a03615f31",
        "fa01020a00",
        "fa01050a03612c62",
        // Value: no kind, NaN, Infinity; no kind inside a list.
        "8a0200",
        "8a020911000000000000f87f",
        "8a020911000000000000f07f",
        "9202020a00",
        // Any: unknown type, no slash, no type, bytes that are no message, a Duration of no form.
        "e201050a03612f62",
        "e201050a03702e4d",
        "e20103120108",
        "e2010a0a05612f702e4d1201ff",
        "e2012b0a1a612f676f6f676c652e70726f746f6275662e4475726174696f6e120d080110ffffffffffffffffff01",
    ] {
        let bytes = unhex(hex);
        let options = DecodeOptions::default();
        let message = crate::protobuf::decode(&schema, id, &bytes, options)
            .unwrap_or_else(|error| panic!("{hex}: {error}"));
        let error = print(&schema, &message).unwrap_err();
        assert!(!error.path.is_root() && error.offset.is_none(), "{error}");
        assert!(matches!(error.kind, ErrorKind::Value(_)), "{error}");
    }
}

fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    digits
        .chunks(2)
        .map(|pair| (pair[0] * 16 + pair[1]) as u8)
        .collect()
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

#[test]
fn a_schema_may_redefine_well_known_types() {
    for definition in [
        "message Timestamp { string seconds = 1; } message M { Timestamp t = 1; }",
        "message Timestamp {} message M { Timestamp t = 1; }",
    ] {
        let text = format!("syntax = \"proto3\"; package google.protobuf; {definition}");
        let schema = compile_text(&text).unwrap();
        let id = schema.message_by_name("google.protobuf.M").unwrap();
        let error = parse(&schema, id, r#"{"t":"1970-01-01T00:00:01Z"}"#).unwrap_err();
        assert_eq!(error.path.to_string(), "t");
        let mut message = DynamicMessage::new(&schema, id);
        let inner = schema.message_by_name("google.protobuf.Timestamp").unwrap();
        let inner = DynamicMessage::new(&schema, inner);
        message.set(&schema, 0, crate::Value::Message(Box::new(inner)));
        assert_ne!(print(&schema, &message).unwrap_err().path, Path::default());
    }
}
