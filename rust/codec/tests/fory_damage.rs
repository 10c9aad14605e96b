//! Damaged Fory files: every truncation is refused, and what a changed byte can do without
//! being noticed is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interop_codec::fory::{self, Mode};
use interop_codec::{DecodeOptions, Span};
use interop_schema::{MessageId, Schema, fdl, proto};
use serde_json::Value as Json;

const LEN_BYTES_MAX: usize = 256;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct File {
    name: String,
    schema: usize,
    id: MessageId,
    mode: Mode,
    bytes: Vec<u8>,
}

fn files() -> (Vec<Schema>, Vec<File>) {
    let text = |row: &Json, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let manifest = std::fs::read(root().join("golden/MANIFEST")).unwrap();
    let manifest: Json = serde_json::from_slice(&manifest).unwrap();
    let mut schemas = Vec::new();
    let mut models = BTreeMap::new();
    for row in manifest["models"].as_array().unwrap() {
        let mut schema = if row["fdl"].is_string() {
            fdl::compile_files(&[root().join("golden").join(text(row, "fdl"))], &[]).unwrap()
        } else {
            let dir = root().join("proto");
            proto::compile_files(&[dir.join(text(row, "proto"))], std::slice::from_ref(&dir))
                .unwrap()
        };
        let id = schema.message_by_name(&text(row, "message")).unwrap();
        if row["field_ids"] == false {
            schema.without_field_ids(id);
        }
        models.insert(
            (text(row, "corpus"), text(row, "model")),
            (schemas.len(), id),
        );
        schemas.push(schema);
    }
    let mut files = Vec::new();
    for row in manifest["files"].as_array().unwrap() {
        let mode = match text(row, "format").as_str() {
            "fory" => Mode::Compatible,
            "fory-consistent" => Mode::Consistent,
            _ => continue,
        };
        let (schema, id) = models[&(text(row, "corpus"), text(row, "model"))];
        let name = text(row, "file");
        let bytes = std::fs::read(root().join("golden").join(&name)).unwrap();
        // Long files only repeat what short ones have, and the work grows with the square.
        if bytes.len() <= LEN_BYTES_MAX {
            files.push(File {
                name,
                schema,
                id,
                mode,
                bytes,
            });
        }
    }
    assert!(files.len() > 300, "only {} files", files.len());
    (schemas, files)
}

#[test]
fn truncations_are_refused() {
    let (schemas, files) = files();
    for file in &files {
        let schema = &schemas[file.schema];
        for len in 0..file.bytes.len() {
            let options = DecodeOptions::default();
            let found = fory::decode(schema, file.id, file.mode, &file.bytes[..len], options);
            // Nothing but its hash follows the type of a message without fields, and streams
            // without hashes exist.
            let empty = schema.message(file.id).fields.is_empty() && len + 4 == file.bytes.len();
            let empty = empty && file.mode == Mode::Consistent;
            assert_eq!(found.is_ok(), empty, "{} cut to {len} bytes", file.name);
        }
    }
}

/// What a byte may say in another way without changing the value. All of them are choices of
/// writers, so that the file is no longer what its writer writes, and the check notices.
const OTHER_FORMS: &[&str] = &[
    // ASCII is the same in Latin-1 and UTF-8, and nothing is so in all three.
    "string header",
    // The only element of a list is of the same type as all others.
    "elements header",
    // The absent value of a null entry may be of its declared type.
    "chunk header",
];

#[test]
fn flips_are_noticed_or_another_form_of_the_same_value() {
    let (schemas, files) = files();
    let mut silent: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for file in &files {
        let schema = &schemas[file.schema];
        let mut spans: Vec<Span> = Vec::new();
        let options = DecodeOptions::traced(&mut spans);
        let Ok(value) = fory::decode(schema, file.id, file.mode, &file.bytes, options) else {
            continue;
        };
        let mut bytes = file.bytes.clone();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                let options = DecodeOptions::default();
                let found = fory::decode(schema, file.id, file.mode, &bytes, options);
                if found.is_ok_and(|found| found == value) {
                    let span = spans.iter().find(|s| s.start <= at && at < s.end).unwrap();
                    let entry = silent.entry(span.meaning.clone()).or_default();
                    entry.0 += 1;
                    entry.1 = format!("{} byte {at} bit {bit}: {}", file.name, span.value);
                }
                bytes[at] ^= 1 << bit;
            }
        }
    }
    let unknown: Vec<_> = silent
        .iter()
        .filter(|(meaning, _)| !OTHER_FORMS.contains(&meaning.as_str()))
        .collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}
