//! The `.fdl` text derived from a `.proto` file means the same to Fory as the `.proto` file.

use std::path::{Path, PathBuf};

use interop_schema::{
    ForyField, ForyMessage, Registration, Schema, Slot, Type, WellKnown, emit, fdl, proto,
};

fn protos() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto")
}

/// A type with names for ids, as Fory sees it: protobuf's times are Fory's, and elements of a
/// dense array have one width however a single value is written.
fn shown(schema: &Schema, ty: &Type) -> String {
    let slot = |slot: &Slot| {
        let inner = shown(schema, &slot.ty);
        format!("{inner} nullable={} ref={}", slot.nullable, slot.reference)
    };
    match ty {
        Type::Message(id) => match schema.message(*id).well_known {
            Some(WellKnown::Timestamp) => "Timestamp".to_owned(),
            Some(WellKnown::Duration) => "Duration".to_owned(),
            _ => schema.message(*id).full_name.clone(),
        },
        Type::Enum(id) => schema.enumeration(*id).full_name.clone(),
        Type::Union(id) => schema.union(*id).full_name.clone(),
        Type::List(element) => format!("list<{}>", slot(element)),
        Type::Set(element) => format!("set<{}>", slot(element)),
        Type::Array(element) => match &**element {
            Type::Int { bits, signed, .. } => format!("array<{bits} {signed}>"),
            other => format!("array<{other:?}>"),
        },
        Type::Map(key, value) => format!("map<{}, {}>", slot(key), slot(value)),
        scalar => format!("{scalar:?}"),
    }
}

type Row = (String, ForyMessage, Vec<(ForyField, String)>);

fn messages(schema: &Schema, package: &str) -> Vec<Row> {
    let messages = schema.messages.iter().filter(|m| m.package == package);
    let mut rows: Vec<Row> = messages
        .map(|message| {
            let fields = message.fields.iter();
            let fields = fields.map(|f| (f.fory, shown(schema, &f.ty))).collect();
            (message.full_name.clone(), message.fory.clone(), fields)
        })
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

fn enums(schema: &Schema, package: &str) -> Vec<(String, Registration, Vec<i32>)> {
    let enums = schema.enums.iter().filter(|e| e.package == package);
    let mut rows: Vec<_> = enums
        .map(|e| {
            let numbers = e.values.iter().map(|v| v.number).collect();
            (e.full_name.clone(), e.registration.clone(), numbers)
        })
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

type Cases = Vec<(String, u32, String)>;

fn unions(schema: &Schema) -> Vec<(String, Registration, Cases)> {
    let unions = schema.unions.iter().map(|u| {
        let cases = u.cases.iter();
        let cases = cases.map(|c| (c.name.clone(), c.number, shown(schema, &c.ty)));
        (u.full_name.clone(), u.registration.clone(), cases.collect())
    });
    unions.collect()
}

fn same_meaning(schema: &Schema, package: &str) {
    let text = emit::fdl::emit(schema, package).unwrap();
    let derived =
        fdl::compile_text("derived.fdl", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(messages(&derived, package), messages(schema, package));
    assert_eq!(enums(&derived, package), enums(schema, package));
    assert_eq!(unions(&derived), unions(schema));
    // And once more: what is derived from the derived text is the same text.
    assert_eq!(emit::fdl::emit(&derived, package).unwrap(), text);
}

#[test]
fn proto_packages_keep_their_meaning() {
    for (file, package, count) in [
        ("bench.proto", "protobuf", 11),
        ("suite.proto", "suite", 13),
        ("evolution/v2/bench.proto", "protobuf", 8),
    ] {
        let schema = proto::compile_files(&[protos().join(file)], &[protos()]).unwrap();
        assert_eq!(messages(&schema, package).len(), count, "{file}");
        same_meaning(&schema, package);
    }
}

#[test]
fn fory_schemas_keep_their_meaning() {
    let golden = protos().join("../golden/types");
    for (name, package) in [
        ("sink", "sink"),
        ("nested", "nested"),
        ("optree", "optree"),
        ("refs", "refs"),
        ("ev1", "ev1"),
        ("ev2", "ev2"),
        ("named", "my_ns.sub1"),
    ] {
        let file = golden.join(name).with_extension("fdl");
        let schema = fdl::compile_files(&[file], &[]).unwrap();
        same_meaning(&schema, package);
    }
}

/// Version 2 is version 1 with one int32 widened in each of four messages.
#[test]
fn version_2_widens_one_field_a_message() {
    let compile = |file: &str| proto::compile_files(&[protos().join(file)], &[protos()]).unwrap();
    let (one, two) = (compile("bench.proto"), compile("evolution/v2/bench.proto"));
    let mut widened = Vec::new();
    for message in two.messages.iter().filter(|m| m.package == "protobuf") {
        let before = one.message(one.message_by_name(&message.full_name).unwrap());
        assert_eq!(message.fory, before.fory);
        assert_eq!(message.fields.len(), before.fields.len());
        for (new, old) in message.fields.iter().zip(&before.fields) {
            assert_eq!(
                (new.number, &new.name, new.fory),
                (old.number, &old.name, old.fory)
            );
            let (now, then) = (shown(&two, &new.ty), shown(&one, &old.ty));
            if now != then {
                assert!(
                    then.contains("bits: 32") && now == then.replace("32", "64"),
                    "{then}"
                );
                widened.push(format!("{}.{}", message.name(), new.name));
            }
        }
    }
    widened.sort();
    assert_eq!(
        widened,
        [
            "Image.width",
            "Media.width",
            "NumericStruct.f1",
            "Sample.int_value"
        ]
    );
}
