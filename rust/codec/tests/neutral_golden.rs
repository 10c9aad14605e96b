//! The golden values are neutral JSON: each is read, and printed as it stands.

use std::path::{Path, PathBuf};

use interop_codec::neutral;
use interop_schema::{MessageId, Schema, fdl};
use interop_wire::Limits;
use serde_json::Value as Json;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden")
}

/// Every model whose schema is in Fory's language: name, schema, message.
fn models() -> Vec<(String, Schema, MessageId)> {
    let manifest = std::fs::read(golden().join("MANIFEST")).unwrap();
    let manifest: Json = serde_json::from_slice(&manifest).unwrap();
    let rows = manifest["models"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["corpus"] == "types").map(|row| {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let file = golden().join(text("fdl"));
        let mut schema = fdl::compile_files(&[file], &[]).unwrap();
        let id = schema.message_by_name(&text("message")).unwrap();
        if row["field_ids"] == false {
            schema.without_field_ids(id);
        }
        (text("model"), schema, id)
    });
    rows.collect()
}

#[test]
fn values_print_as_they_stand() {
    let models = models();
    let mut count = 0;
    for set in ["basic", "edge", "random"] {
        for entry in std::fs::read_dir(golden().join("types/values").join(set)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let (_, schema, id) = models.iter().find(|row| row.0 == name).unwrap();
            let text = std::fs::read(&path).unwrap();
            let value = neutral::parse(schema, *id, &text, Limits::DEFAULT)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let printed = neutral::print(schema, *id, &value).unwrap();
            assert!(!printed.contains('\n'));
            let (expected, found): (Json, Json) = (
                serde_json::from_slice(&text).unwrap(),
                serde_json::from_str(&printed).unwrap(),
            );
            assert_eq!(found, expected, "{}", path.display());
            let again = neutral::parse(schema, *id, printed.as_bytes(), Limits::DEFAULT);
            assert_eq!(again.unwrap(), value, "{}", path.display());
            count += 1;
        }
    }
    assert_eq!(count, 60);
}

#[test]
fn fields_without_ids_have_none_wherever_they_are_reached() {
    let models = models();
    for (name, schema, id) in &models {
        let ids = |id: MessageId| {
            schema
                .message(id)
                .fields
                .iter()
                .map(|f| f.fory.id.is_some())
        };
        let expected = name != "NamedFields";
        assert!(ids(*id).all(|has| has == expected), "{name}");
        if let Ok(leaf) = schema.message_by_name("my_ns.sub1.Leaf2") {
            assert!(ids(leaf).all(|has| has == expected), "{name}");
        }
    }
}
