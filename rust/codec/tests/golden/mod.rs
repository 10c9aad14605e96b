//! The golden tree as test input: files of a format with their writers, and the values of each
//! set, read from their ProtoJSON independently of the codec.

use std::fs;
use std::path::{Path, PathBuf};

use interop_codec::{DynamicMessage, Value};
use interop_schema::{MessageId, Schema, Type, proto};

/// A golden file.
#[derive(Clone)]
pub struct File {
    pub set: String,
    pub model: String,
    /// Empty when all writers wrote it.
    pub writers: Vec<String>,
    pub bytes: Vec<u8>,
    pub label: String,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn schema() -> Schema {
    let proto = root().join("proto");
    proto::compile_files(&[proto.join("bench.proto")], &[proto]).unwrap()
}

/// All golden files of a format.
pub fn files(format: &str) -> Vec<File> {
    let mut files = Vec::new();
    for set in fs::read_dir(root().join("golden").join(format)).unwrap() {
        let set = set.unwrap();
        for file in fs::read_dir(set.path()).unwrap() {
            let path = file.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let (model, writers) = stem.split_once('@').unwrap_or((stem, ""));
            let set = set.file_name().into_string().unwrap();
            files.push(File {
                label: format!("{format}/{set}/{stem}"),
                set,
                model: model.to_owned(),
                writers: writers
                    .split('+')
                    .filter(|writer| !writer.is_empty())
                    .map(str::to_owned)
                    .collect(),
                bytes: fs::read(&path).unwrap(),
            });
        }
    }
    files.sort_by(|a, b| a.label.cmp(&b.label));
    files
}

pub fn model_id(schema: &Schema, model: &str) -> MessageId {
    schema
        .message_by_name(&format!("protobuf.{model}"))
        .unwrap()
}

/// The value of a model in a set.
pub fn value(schema: &Schema, set: &str, model: &str) -> DynamicMessage {
    let path = root().join(format!("golden/values/{set}/{model}.json"));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    message(schema, model_id(schema, model), &json)
}

fn message(schema: &Schema, id: MessageId, json: &serde_json::Value) -> DynamicMessage {
    let mut message = DynamicMessage::new(schema, id);
    let definition = schema.message(id);
    for (name, json) in json.as_object().unwrap() {
        let index = definition.field_by_name(name).unwrap();
        let field = convert(schema, &definition.fields[index].ty, json);
        message.set(schema, index, field);
    }
    message
}

fn convert(schema: &Schema, ty: &Type, json: &serde_json::Value) -> Value {
    match ty {
        Type::Bool => Value::Bool(json.as_bool().unwrap()),
        Type::Int { signed: true, .. } => Value::Int(match json.as_str() {
            Some(text) => text.parse().unwrap(),
            None => json.as_i64().unwrap(),
        }),
        Type::Float32 => Value::Float32(float(json) as f32),
        Type::Float64 => Value::Float64(float(json)),
        Type::String => Value::String(json.as_str().unwrap().to_owned()),
        Type::Enum(id) => {
            let definition = schema.enumeration(*id);
            Value::Enum(definition.number_of(json.as_str().unwrap()).unwrap())
        }
        Type::Message(id) => Value::Message(Box::new(message(schema, *id, json))),
        Type::List(_) | Type::Array(_) => {
            let element = ty.element().unwrap();
            let elements = json.as_array().unwrap();
            Value::List(
                elements
                    .iter()
                    .map(|j| convert(schema, element, j))
                    .collect(),
            )
        }
        other => panic!("no golden value has a {other:?}"),
    }
}

fn float(json: &serde_json::Value) -> f64 {
    match json.as_str() {
        Some("Infinity") => f64::INFINITY,
        Some("-Infinity") => f64::NEG_INFINITY,
        Some("NaN") => f64::NAN,
        Some(text) => text.parse().unwrap(),
        None => json.as_f64().unwrap(),
    }
}
