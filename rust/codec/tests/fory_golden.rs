//! Every Fory file of the golden tree: read to its value, written again to the same bytes under
//! the dialect of each of its writers. One test a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use interop_codec::fory::{self, Dialect, Mode};
use interop_codec::{DecodeOptions, Document, Format, json, neutral, protobuf};
use interop_schema::{MessageId, Schema, fdl, proto};
use interop_wire::Limits;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;

/// Faults of writers: files that can't be read, and what the refusal says.
const REFUSED: &[(&str, &str)] = &[
    // Python hashes a message without fields as the number 47, the hash's seed.
    ("Empty@python.bin", "schema hash of sink.Empty"),
    ("Nest@python.bin", "schema hash of sink.Empty"),
    // Python writes type information in front of a named struct's hash, where none belongs.
    ("NamedMsg@python.bin", "schema hash of my_ns.sub1.Leaf2"),
    ("NamedFields@python.bin", "schema hash of my_ns.sub1.Leaf2"),
];

/// Go's TypeDefs give names of more than 15 bytes a length that is one too high.
const REFUSED_COMPATIBLE: &[(&str, &str)] = &[("NamedFields@go.bin", "declared length")];

impl Case {
    /// What the refusal of a faulty file says.
    fn fault(&self) -> Option<&'static str> {
        let table = match self.mode {
            Mode::Consistent => REFUSED,
            Mode::Compatible => REFUSED_COMPATIBLE,
        };
        let row = table.iter().find(|(name, _)| self.file.ends_with(name))?;
        Some(row.1)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct Model {
    schema: Schema,
    id: MessageId,
}

fn text<'j>(row: &'j Json, key: &str) -> &'j str {
    row[key].as_str().unwrap_or_default()
}

fn models(manifest: &Json) -> HashMap<(String, String), Arc<Model>> {
    let proto_dir = root().join("proto");
    let mut models = HashMap::new();
    for row in manifest["models"].as_array().unwrap() {
        let mut schema = if row["fdl"].is_string() {
            fdl::compile_files(&[root().join("golden").join(text(row, "fdl"))], &[]).unwrap()
        } else {
            let file = proto_dir.join(text(row, "proto"));
            proto::compile_files(&[file], std::slice::from_ref(&proto_dir)).unwrap()
        };
        let id = schema.message_by_name(text(row, "message")).unwrap();
        if row["field_ids"] == false {
            schema.without_field_ids(id);
        }
        let key = (
            text(row, "corpus").to_owned(),
            text(row, "model").to_owned(),
        );
        models.insert(key, Arc::new(Model { schema, id }));
    }
    models
}

fn value_of(model: &Model, file: &str) -> Document {
    let bytes = std::fs::read(root().join("golden").join(file)).unwrap();
    let options = DecodeOptions::default();
    if file.ends_with(".pb") {
        Document::of(protobuf::decode(&model.schema, model.id, &bytes, options).unwrap())
    } else if file.starts_with("types/") {
        neutral::parse(&model.schema, model.id, &bytes, Limits::DEFAULT).unwrap()
    } else {
        Document::of(json::decode(&model.schema, model.id, &bytes, options).unwrap())
    }
}

struct Case {
    file: String,
    values: String,
    mode: Mode,
    model: Arc<Model>,
    dialects: Vec<(String, Dialect)>,
}

fn main() {
    let arguments = Arguments::from_args();
    let manifest = std::fs::read(root().join("golden/MANIFEST")).unwrap();
    let manifest: Json = serde_json::from_slice(&manifest).unwrap();
    let models = models(&manifest);
    let dialect_of = |corpus: &str, format: &str, writer: &str, mode| {
        let rows = manifest["implementations"].as_array().unwrap();
        let row = rows.iter().find(|row| {
            text(row, "corpus") == corpus
                && text(row, "format") == format
                && text(row, "writer") == writer
        });
        let name = row
            .and_then(|row| row["dialect"].as_str())
            .unwrap_or(writer);
        let preset = fory::presets(mode).into_iter().find(|p| p.name == name);
        preset
            .unwrap_or_else(|| panic!("no dialect {name}"))
            .dialect
    };
    let mut trials = Vec::new();
    for row in manifest["files"].as_array().unwrap() {
        let format = text(row, "format");
        let mode = match format.parse() {
            Ok(Format::Fory) => Mode::Compatible,
            Ok(Format::ForyConsistent) => Mode::Consistent,
            _ => continue,
        };
        let corpus = text(row, "corpus");
        let model = &models[&(corpus.to_owned(), text(row, "model").to_owned())];
        let writers = row["writers"].as_array().unwrap().iter();
        let dialects = writers.map(|writer| {
            let writer = writer.as_str().unwrap();
            (writer.to_owned(), dialect_of(corpus, format, writer, mode))
        });
        let case = Case {
            file: text(row, "file").to_owned(),
            values: text(row, "values").to_owned(),
            mode,
            model: Arc::clone(model),
            dialects: dialects.collect(),
        };
        let name = case.file.clone();
        trials.push(Trial::test(name, move || check(&case)));
    }
    assert!(trials.len() > 500, "only {} files", trials.len());
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(case: &Case) -> Result<(), Failed> {
    let path = root().join("golden").join(&case.file);
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let model = &case.model;
    let decode = |bytes: &[u8], options: DecodeOptions<'_>| {
        fory::decode(&model.schema, model.id, case.mode, bytes, options)
    };
    let mut spans = Vec::new();
    let found = decode(&bytes, DecodeOptions::traced(&mut spans));
    let found = match (found, case.fault()) {
        (Ok(found), _) => found,
        (Err(error), Some(fault)) if error.to_string().contains(fault) => return Ok(()),
        (Err(error), _) => return Err(error.to_string().into()),
    };
    let mut at = vec![0u8; bytes.len()];
    for span in &spans {
        for count in &mut at[span.start..span.end] {
            *count += 1;
        }
    }
    if let Some(offset) = at.iter().position(|count| *count != 1) {
        return Err(format!("byte {offset} has {} spans", at[offset]).into());
    }
    let expected = value_of(model, &case.values);
    if found != expected {
        return Err(format!("another value:\n{found:?}\n{expected:?}").into());
    }
    for (writer, dialect) in &case.dialects {
        let written = fory::encode(&model.schema, &found, case.mode, dialect);
        let written = written.map_err(|error| format!("{writer}: {error}"))?;
        if written != bytes {
            let place = written.iter().zip(&bytes).position(|(a, b)| a != b);
            let place = place.unwrap_or(written.len().min(bytes.len()));
            let near = |bytes: &[u8]| {
                let end = bytes.len().min(place + 24);
                let hex = bytes[place.saturating_sub(8).min(end)..end].iter();
                hex.map(|b| format!("{b:02x}")).collect::<String>()
            };
            return Err(format!(
                "{writer} differs at {place}: ours {}, theirs {}",
                near(&written),
                near(&bytes)
            )
            .into());
        }
    }
    Ok(())
}
