use super::*;
use crate::{IntEncoding, Named, Presence, Registration, Slot, Type, auto_type_id};

fn schema(text: &str) -> Schema {
    compile_text("t.fdl", text).unwrap()
}

/// The error of `text` as it is shown; `t.fdl:` is left out.
fn refused(text: &str) -> String {
    let error = compile_text("t.fdl", text).unwrap_err().to_string();
    let shown = error.strip_prefix("t.fdl:");
    shown.unwrap_or(&error).to_owned()
}

fn field_of<'s>(schema: &'s Schema, message: &str, field: &str) -> &'s crate::Field {
    let message = schema.message(schema.message_by_name(message).unwrap());
    &message.fields[message.field_by_name(field).unwrap()]
}

#[test]
fn nullability_follows_from_the_type_and_the_modifiers() {
    let schema = schema(
        "package p; enum E { A = 3; } union U { int32 a = 0; }
         message M [id = 9, evolving=false] {
           int32 plain = 1; optional int32 maybe = 2; M message = 3; M sure = 4 [nullable = false];
           E e = 5; U u = 6; optional U mu = 7; any a = 8; string s = 9 [nullable=true];
           optional list<int32> l = 10; ref(weak = true) M r = 0;
         }",
    );
    let nullable = |name| field_of(&schema, "p.M", name).fory.nullable;
    for name in ["maybe", "message", "mu", "a", "s", "l", "r"] {
        assert!(nullable(name), "{name}");
        assert_eq!(field_of(&schema, "p.M", name).presence, Presence::Explicit);
    }
    for name in ["plain", "sure", "e", "u"] {
        assert!(!nullable(name), "{name}");
        assert_eq!(field_of(&schema, "p.M", name).presence, Presence::Implicit);
    }
    assert!(field_of(&schema, "p.M", "r").fory.reference);
    assert_eq!(field_of(&schema, "p.M", "r").fory.id, Some(0));
    let message = &schema.messages[0];
    assert_eq!(message.fory.registration, Registration::Id(9));
    assert!(!message.fory.evolving);
    assert_eq!(schema.enums[0].default_number(), 3);
}

#[test]
fn collections_carry_the_modifiers_of_their_positions() {
    let schema = schema(
        "message M { list<optional string> a = 1; repeated ref M b = 2; optional repeated int8 c = 3;
           map<string, ref M> d = 4; list<M> e = 5 [ref = true]; map<fixed int64, optional M> f = 6;
           array<uint16> g = 7; set<tagged int64> h = 8; list<map<date, list<array<bool>>>> i = 9; }",
    );
    let ty = |name| &field_of(&schema, "M", name).ty;
    let message = Type::Message(schema.message_by_name("M").unwrap());
    let slot = |ty: Type, nullable, reference| {
        Box::new(Slot {
            ty,
            nullable,
            reference,
        })
    };
    let plain = |ty| slot(ty, false, false);
    let int = |bits, encoding| Type::int(bits, true, encoding);
    assert_eq!(*ty("a"), Type::List(slot(Type::String, true, false)));
    assert_eq!(*ty("b"), Type::List(slot(message.clone(), false, true)));
    assert_eq!(*ty("e"), *ty("b"));
    assert_eq!(*ty("c"), Type::List(plain(int(8, IntEncoding::Fixed))));
    assert!(field_of(&schema, "M", "c").fory.nullable);
    let references = slot(message.clone(), false, true);
    assert_eq!(*ty("d"), Type::Map(plain(Type::String), references));
    let key = plain(int(64, IntEncoding::Fixed));
    assert_eq!(*ty("f"), Type::Map(key, slot(message, true, false)));
    let short = Type::int(16, false, IntEncoding::Fixed);
    assert_eq!(*ty("g"), Type::Array(Box::new(short)));
    assert_eq!(*ty("h"), Type::Set(plain(int(64, IntEncoding::Tagged))));
    let bools = plain(Type::List(plain(Type::Array(Box::new(Type::Bool)))));
    let map = Type::Map(plain(Type::Date), bools);
    assert_eq!(*ty("i"), Type::List(plain(map)));
}

#[test]
fn types_without_an_id_are_hashed_or_named() {
    let hashed = schema(
        "package a.b alias c; message M { enum E { X = 0; } } message N [alias=\"Q\"] {}
         message O [alias=\"x.Y\"] {}",
    );
    let id = |index: usize| hashed.messages[index].fory.registration.clone();
    assert_eq!(id(0), Registration::Id(auto_type_id("c.M")));
    assert_eq!(id(1), Registration::Id(auto_type_id("c.Q")));
    assert_eq!(id(2), Registration::Id(auto_type_id("x.Y")));
    assert_eq!(hashed.enums[0].full_name, "a.b.M.E");
    assert_eq!(
        hashed.enums[0].registration,
        Registration::Id(auto_type_id("c.M.E"))
    );

    let named = schema(
        "package a.b; option enable_auto_type_id = false; option evolving = false;
         message M { message Inner [namespace=\"n\"] {} union U [id=0] { bool b = 1; } }",
    );
    let name = |namespace: &str, name: &str| Registration::Name {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    assert_eq!(named.messages[0].fory.registration, name("a.b", "M"));
    assert!(!named.messages[0].fory.evolving);
    assert_eq!(named.messages[1].fory.registration, name("n", "M.Inner"));
    assert_eq!(named.unions[0].registration, Registration::Id(0));
}

#[test]
fn names_resolve_from_the_inside_out() {
    let schema = schema(
        "package p; message A { message A2 { B b = 1; A.B c = 2; p.B d = 3; } message B {} }
         message B { A.A2 deep = 1; }",
    );
    let target = |message, field| match field_of(&schema, message, field).ty {
        Type::Message(id) => schema.message(id).full_name.as_str(),
        _ => "",
    };
    assert_eq!(target("p.A.A2", "b"), "p.A.B");
    assert_eq!(target("p.A.A2", "c"), "p.A.B");
    assert_eq!(target("p.A.A2", "d"), "p.B");
    assert_eq!(target("p.B", "deep"), "p.A.A2");
}

#[test]
fn keywords_may_name_fields_and_services_are_read_over() {
    let schema = schema(
        "option java_package = \"x\";
         message M { string message = 1; bool optional = 2; int32 list = 3; M reserved2 = 4;
           reserved 7, 9 to 11, 100 to max; reserved \"old\", \"older\"; fixed int32 to = 5; }
         service S { rpc Get (M) returns (stream M) { option deprecated = true; } rpc P (stream M) returns (M); }",
    );
    let names: Vec<_> = schema.messages[0].fields.iter().map(|f| &f.name).collect();
    assert_eq!(names, ["message", "optional", "list", "reserved2", "to"]);
    assert_eq!(
        schema.lookup("M"),
        Some(Named::Message(crate::MessageId(0)))
    );
}

#[test]
fn syntax_errors_name_the_place_and_what_belongs_there() {
    for (text, error) in [
        (
            "message M {\n  int32 a = 1\n  int32 b = 2;\n}",
            "3:3: expected `;` after the field, found `int32`",
        ),
        (
            "message M { int32 = 1; }",
            "1:19: expected a field name, found `=`",
        ),
        (
            "message M { int32 a; }",
            "1:20: expected `=` after the field name, found `;`",
        ),
        (
            "message M { int32 a = x; }",
            "1:23: expected the field's number, found `x`",
        ),
        (
            "message M { int32 a = -1; }",
            "1:23: the field's number must lie in 0..=4294967295, not -1",
        ),
        (
            "message M { int32 a = 4294967296; }",
            "1:23: the field's number must lie in 0..=4294967295, not 4294967296",
        ),
        (
            "message M [id=-1] {}",
            "1:15: a type id lies in 1..=4294967294",
        ),
        (
            "message M [id=0] {}",
            "1:15: a type id lies in 1..=4294967294",
        ),
        (
            "enum E [id=4294967295] {A=0;}",
            "1:12: a type id lies in 1..=4294967294",
        ),
        (
            "message M [ident=1] {}",
            "1:12: unknown option `ident`; known here: id, alias, evolving, namespace, deprecated, use_record_for_java",
        ),
        (
            "message M [id=1, id=2] {}",
            "1:18: option `id` is given twice",
        ),
        (
            "message M { optional optional int32 a = 1; }",
            "1:22: this modifier stands here twice",
        ),
        (
            "message M { list int32 a = 1; }",
            "1:18: expected `<` after `list`, found `int32`",
        ),
        (
            "message M { map<string> a = 1; }",
            "1:23: expected `,` after the key type, found `>`",
        ),
        (
            "message M { option a = 1; }",
            "1:13: options of message stand in brackets behind its name, not in its body",
        ),
        (
            "message M {",
            "1:12: expected a type, found the end of the file",
        ),
        (
            "enum E { A; }",
            "1:11: expected `=` after the value name, found `;`",
        ),
        (
            "enum E { A = 2147483648; }",
            "1:14: an enum's numbers have 32 bits, not 2147483648",
        ),
        (
            "package a; package b;",
            "1:12: the file has a package already",
        ),
        (
            "enum E {A=0;} package b;",
            "1:15: the package must stand before all types",
        ),
        (
            "import public \"a.fdl\";",
            "1:8: `public` imports are protobuf's; write `import \"file.fdl\";`",
        ),
        (
            "option evolving = 3;",
            "1:19: option `evolving` is true or false",
        ),
        (
            "struct M {}",
            "1:1: expected `package`, `option`, `import`, `message`, `enum`, `union` or `service`, found `struct`",
        ),
        (
            "message M { fixed int8 a = 1; }",
            "1:13: `fixed` does not go with `int8`: fixed and varint take 32 and 64 bit integers, tagged takes 64 bit ones",
        ),
        (
            "message M { reserved 5 to 2; }",
            "1:27: the range ends before it starts",
        ),
    ] {
        assert_eq!(refused(text), error, "{text}");
    }
}

#[test]
fn contradictions_name_the_place_and_the_other_side() {
    for (text, error) in [
        (
            "message M {} enum M {A=0;}",
            "1:19: `M` is defined already, in t.fdl",
        ),
        (
            "package p; message M [id=3] {}\nenum E [id=3] {A=0;}",
            "2:6: type id 3 of `p.E` is taken by `p.M`",
        ),
        (
            "message M { int32 a = 1; int32 b = 1; }",
            "1:36: number 1 is taken by `a`",
        ),
        (
            "message M { int32 a = 1; int32 a = 2; }",
            "1:32: `a` is there already, with number 1",
        ),
        ("enum E { A = 1; B = 1; }", "1:21: number 1 is taken by `A`"),
        (
            "union U { int32 a = 1; bool a = 2; }",
            "1:29: `a` is there already, with number 1",
        ),
        (
            "message M { reserved 2 to 4; int32 a = 3; }",
            "1:40: number 3 is reserved",
        ),
        (
            "message M { int32 a = 3; reserved \"a\"; }",
            "1:19: the name `a` is reserved",
        ),
        (
            "message M { Missing a = 1; }",
            "1:13: unknown type `Missing`",
        ),
        (
            "message M { list<int24> a = 1; }",
            "1:18: unknown type `int24`",
        ),
        ("enum E { }", "1:6: enum `E` has no values"),
        ("union U { }", "1:7: union `U` has no cases"),
        (
            "union U { optional int32 a = 1; }",
            "1:11: a union's cases are neither optional nor references",
        ),
        (
            "message M { array<fixed int32> a = 1; }",
            "1:19: elements of a dense array have a fixed width already; leave the encoding out",
        ),
        (
            "message M { array<optional int32> a = 1; }",
            "1:19: elements of a dense array are neither optional nor references; use list<..>",
        ),
        (
            "message M { array<ref M> a = 1; }",
            "1:19: elements of a dense array are neither optional nor references; use list<..>",
        ),
        (
            "message M { array<string> a = 1; }",
            "1:19: elements of a dense array are bool or numbers; use list<..>",
        ),
        (
            "message M { array<bytes> a = 1; }",
            "1:19: elements of a dense array are bool or numbers; use list<..>",
        ),
        (
            "message M { array<timestamp> a = 1; }",
            "1:19: elements of a dense array are bool or numbers; use list<..>",
        ),
        (
            "message M { array<M> a = 1; }",
            "1:19: elements of a dense array are bool or numbers; use list<..>",
        ),
        (
            "message M { array<any> a = 1; }",
            "1:19: elements of a dense array are bool or numbers; use list<..>",
        ),
        (
            "message M { array<map<int32, int32>> a = 1; }",
            "1:19: elements of a dense array are bool or numbers; use list<..>",
        ),
        (
            "message M { map<bytes, int32> a = 1; }",
            "1:17: map keys are bool, integers, string, enums, date, timestamp or duration",
        ),
        (
            "message M { map<float64, int32> a = 1; }",
            "1:17: map keys are bool, integers, string, enums, date, timestamp or duration",
        ),
        (
            "message M { map<M, int32> a = 1; }",
            "1:17: map keys are bool, integers, string, enums, date, timestamp or duration",
        ),
        (
            "message M { map<list<int32>, int32> a = 1; }",
            "1:17: map keys are bool, integers, string, enums, date, timestamp or duration",
        ),
        (
            "message M { map<optional string, int32> a = 1; }",
            "1:17: map keys are neither optional nor references",
        ),
        (
            "message M { optional any a = 1; }",
            "1:13: `any` can be null as it is; leave `optional` out",
        ),
        (
            "message M { any a = 1 [nullable=true]; }",
            "1:17: an `any` field is always nullable; leave the option out",
        ),
        (
            "message M { ref int32 a = 1; }",
            "1:13: `ref` is for messages and unions",
        ),
        (
            "message M { ref list<M> a = 1; }",
            "1:13: `ref` goes inside the collection: list<ref T>, map<K, ref V>",
        ),
        (
            "message M { optional int32 a = 1 [nullable=false]; }",
            "1:13: the field is both optional and nullable = false",
        ),
        (
            "enum E {A=0;} service S { rpc A (E) returns (E); }",
            "1:34: `E` is an enum; methods take messages and unions",
        ),
        (
            "import \"gone.fdl\";",
            "1:8: no file \"gone.fdl\" to import",
        ),
    ] {
        assert_eq!(refused(text), error, "{text}");
    }
}

#[test]
fn imports_bring_types_into_sight() {
    let base = (
        "common/base.fdl",
        "package common; enum Status { A = 0; } message Address {}",
    );
    let middle = (
        "common/mid.fdl",
        "package mid; import \"base.fdl\"; message Mid { Address a = 1; }",
    );
    let user = (
        "user.fdl",
        "package user; import \"common/mid.fdl\"; message Address {}
         message User { Address own = 1; common.Address theirs = 2; Status s = 3; Mid m = 4; }",
    );
    let schema = compile_sources(&[user, middle, base]).unwrap();
    let target = |field| match field_of(&schema, "user.User", field).ty {
        Type::Message(id) => schema.message(id).full_name.as_str(),
        _ => "",
    };
    assert_eq!(target("own"), "user.Address");
    assert_eq!(target("theirs"), "common.Address");
    assert_eq!(target("m"), "mid.Mid");

    let error = |sources: &[(&str, &str)]| compile_sources(sources).unwrap_err().to_string();
    assert_eq!(
        error(&[
            ("a.fdl", "import 'b.fdl';"),
            ("b.fdl", "\nimport \"a.fdl\";")
        ]),
        "b.fdl:2:8: the imports run in a circle: a.fdl -> b.fdl -> a.fdl"
    );
    assert_eq!(
        error(&[("a.fdl", "message M { Address a = 1; }"), base]),
        "a.fdl:1:13: type `Address` is not in sight here: import its file"
    );
    assert_eq!(
        error(&[
            base,
            ("b.fdl", "package b; message Address {}"),
            (
                "c.fdl",
                "import 'common/base.fdl'; import 'b.fdl'; message M { Address a = 1; }"
            )
        ]),
        "c.fdl:1:55: `Address` could be `common.Address` or `b.Address`; write the full name"
    );
}

#[test]
fn files_are_found_beside_the_importer_and_in_the_includes() {
    let dir = std::env::temp_dir().join(format!("interop-fdl-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("lib")).unwrap();
    std::fs::create_dir_all(dir.join("app")).unwrap();
    std::fs::write(
        dir.join("lib/base.fdl"),
        "package base; message B [id=2] {}",
    )
    .unwrap();
    std::fs::write(
        dir.join("app/near.fdl"),
        "package near; import \"base.fdl\"; message N { B b = 1; }",
    )
    .unwrap();
    std::fs::write(
        dir.join("app/main.fdl"),
        "import \"near.fdl\"; import '../lib/base.fdl'; message M { N n = 1; B b = 2; }",
    )
    .unwrap();
    let main = [dir.join("app/main.fdl")];
    let schema = compile_files(&main, &[dir.join("lib")]).unwrap();
    // `base.fdl` is reached by two paths and read once.
    assert_eq!(schema.messages.len(), 3);
    let error = compile_files(&main, &[]).unwrap_err().to_string();
    assert!(
        error.contains("near.fdl:1:22: no file \"base.fdl\""),
        "{error}"
    );
    assert!(compile_files(&[dir.join("none.fdl")], &[]).is_err());
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn nesting_is_bounded() {
    let deep = |depth| {
        format!(
            "message M {{ {}int32{} a = 1; }}",
            "list<".repeat(depth),
            ">".repeat(depth)
        )
    };
    assert!(compile_text("t.fdl", &deep(60)).is_ok());
    assert!(refused(&deep(100_000)).contains("collections nest deeper than 64"));
    let open = "message M { ".repeat(100_000);
    assert!(refused(&open).contains("messages nest deeper than 64"));
}

#[test]
fn field_ids_can_be_taken_from_a_message_and_what_it_reaches() {
    let mut schema = schema(
        "message A { list<map<string, B>> b = 1; A a = 2; } message B { U u = 1; }
         union U { C c = 1; } message C { int32 x = 1; } message D { int32 x = 1; }",
    );
    let id = schema.message_by_name("A").unwrap();
    schema.without_field_ids(id);
    let ids = |name| {
        schema.message(schema.message_by_name(name).unwrap()).fields[0]
            .fory
            .id
    };
    assert_eq!(
        [ids("A"), ids("B"), ids("C"), ids("D")],
        [None, None, None, Some(1)]
    );
}
