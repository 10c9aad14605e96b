//! Every schema beside the golden files compiles, and means what the golden files show.

use std::path::{Path, PathBuf};

use interop_schema::{Registration, Schema, Type, fdl, proto};

fn golden_types() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/types")
}

fn compiled(name: &str) -> Schema {
    fdl::compile_files(&[golden_types().join(name)], &[]).unwrap()
}

#[test]
fn every_schema_compiles() {
    let mut count = 0;
    for entry in std::fs::read_dir(golden_types()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ext| ext == "fdl") {
            let schema = fdl::compile_files(std::slice::from_ref(&path), &[]);
            assert!(!schema.unwrap().messages.is_empty(), "{}", path.display());
            count += 1;
        }
    }
    assert_eq!(count, 7);
}

/// The flags are those of the field headers in the TypeDefs that real writers sent.
#[test]
fn flags_are_those_on_the_wire() {
    let sink = compiled("sink.fdl");
    let field = |message: &str, name: &str| {
        let message = sink.message(sink.message_by_name(message).unwrap());
        message.fields[message.field_by_name(name).unwrap()].clone()
    };
    assert!(!field("sink.Unions", "s").fory.nullable);
    assert!(field("sink.OptUnion", "s").fory.nullable);
    assert!(field("sink.Fixed", "p").fory.nullable);
    assert!(!field("sink.Enums", "c").fory.nullable);
    assert!(field("sink.Optionals", "li").fory.nullable);
    assert_eq!(field("sink.BigTags", "e").fory.id, Some(2000));
    let fixed = sink.message(sink.message_by_name("sink.Fixed").unwrap());
    assert!(!fixed.fory.evolving);
    assert_eq!(fixed.fory.registration, Registration::Id(322));

    let refs = compiled("refs.fdl");
    let fields = &refs
        .message(refs.message_by_name("refs.Refs").unwrap())
        .fields;
    assert!(fields[0].fory.nullable && fields[0].fory.reference);
    let Type::List(element) = &fields[3].ty else {
        panic!("{:?}", fields[3].ty);
    };
    assert!(element.reference && !element.nullable);

    let named = compiled("named.fdl");
    let message = named.message(named.message_by_name("my_ns.sub1.NamedMsg").unwrap());
    assert_eq!(
        message.fory.registration,
        Registration::Name {
            namespace: "my_ns.sub1".to_owned(),
            name: "NamedMsg".to_owned()
        }
    );

    let protos = golden_types().join("../../proto");
    let suite = proto::compile_files(&[protos.join("suite.proto")], &[protos]).unwrap();
    let person = suite.message(suite.message_by_name("suite.Person").unwrap());
    let nullable = |name| {
        person.fields[person.field_by_name(name).unwrap()]
            .fory
            .nullable
    };
    assert!(nullable("address") && !nullable("created_at"));
}
