//! A testee of protobuf's official conformance suite. It speaks the runner's protocol on stdin
//! and stdout: a little-endian 32-bit length, then a ConformanceRequest or ConformanceResponse.
//! Both are read and written with our own codec.
//!
//! ```text
//! conformance_test_runner --enforce_recommended target/release/examples/conformance SCHEMA...
//! ```
//!
//! SCHEMA is a FileDescriptorSet made by protoc, or the directory with the suite's `.proto`
//! files. From a directory, editions are left out, and tests of their messages are skipped.

use std::error::Error;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use interop_codec::{DecodeOptions, DynamicMessage, Format, Value, json, protobuf};
use interop_schema::{MessageId, Schema, proto};

const PACKAGE: &str = "conformance";

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        return Err("usage: conformance DESCRIPTOR_SET|PROTO_DIRECTORY...".into());
    }
    let schemas = paths.iter().map(|path| load(path));
    let testee = Testee {
        schemas: schemas.collect::<Result<_, _>>()?,
    };
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = read_frame(&mut input)? {
        let response = testee.answer(&request)?;
        output.write_all(&u32::try_from(response.len())?.to_le_bytes())?;
        output.write_all(&response)?;
        output.flush()?;
    }
    Ok(())
}

fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut len = [0; 4];
    match input.read_exact(&mut len) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        result => result?,
    }
    let mut frame = vec![0; u32::from_le_bytes(len) as usize];
    input.read_exact(&mut frame)?;
    Ok(Some(frame))
}

fn load(path: &Path) -> Result<Schema, Box<dyn Error>> {
    if !path.is_dir() {
        return Ok(proto::from_descriptor_set(&std::fs::read(path)?)?);
    }
    let mut files = vec![path.join("conformance/conformance.proto")];
    for syntax in ["proto2", "proto3"] {
        files.push(path.join(format!("google/protobuf/test_messages_{syntax}.proto")));
    }
    Ok(proto::compile_files(&files, &[path.to_owned()])?)
}

struct Testee {
    schemas: Vec<Schema>,
}

/// A message with its schema, read by field names.
struct View<'a> {
    schema: &'a Schema,
    message: DynamicMessage,
}

impl View<'_> {
    fn get(&self, field: &str) -> Option<&Value> {
        let index = self.schema.message(self.message.id).field_by_name(field)?;
        self.message.get(index)
    }

    fn text(&self, field: &str) -> &str {
        match self.get(field) {
            Some(Value::String(text)) => text,
            _ => "",
        }
    }

    fn number(&self, field: &str) -> i32 {
        match self.get(field) {
            Some(Value::Enum(number)) => *number,
            _ => 0,
        }
    }
}

/// The field of ConformanceResponse to set, and its value.
type Answer = (&'static str, Value);

fn text(field: &'static str, text: impl Into<String>) -> Answer {
    (field, Value::String(text.into()))
}

impl Testee {
    fn find(&self, name: &str) -> Option<(&Schema, MessageId)> {
        let mut found = self.schemas.iter();
        found.find_map(|schema| Some((schema, schema.message_by_name(name).ok()?)))
    }

    fn suite(&self, name: &str) -> Result<(&Schema, MessageId), Box<dyn Error>> {
        let full_name = format!("{PACKAGE}.{name}");
        let found = self.find(&full_name);
        found.ok_or_else(|| format!("the schemas lack {full_name}").into())
    }

    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
        let (schema, id) = self.suite("ConformanceRequest")?;
        let message = protobuf::decode(schema, id, request, DecodeOptions::default())?;
        let (field, value) = self.run(&View { schema, message });
        let (schema, id) = self.suite("ConformanceResponse")?;
        let mut response = DynamicMessage::new(schema, id);
        let index = schema.message(id).field_by_name(field);
        response.set(schema, index.ok_or("no such result")?, value);
        let dialect = protobuf::Dialect::default();
        Ok(protobuf::encode(schema, &response, &dialect)?)
    }

    fn run(&self, request: &View<'_>) -> Answer {
        let message_type = request.text("message_type");
        if message_type == "conformance.FailureSet" {
            // The runner's opening question: which failures are expected. None.
            return ("protobuf_payload", Value::Bytes(Vec::new()));
        }
        let Some((schema, id)) = self.find(message_type) else {
            return text("skipped", format!("no schema for {message_type}"));
        };
        let (format, payload) = match request.get("protobuf_payload") {
            Some(Value::Bytes(bytes)) => (Format::Protobuf, bytes.as_slice()),
            _ => match request.get("json_payload") {
                Some(Value::String(text)) => (Format::Json, text.as_bytes()),
                _ => return text("skipped", "only protobuf and JSON input"),
            },
        };
        let output = match request.number("requested_output_format") {
            1 => Format::Protobuf,
            2 => Format::Json,
            _ => return text("skipped", "only protobuf and JSON output"),
        };
        // Test category 3 wants unknown fields and enum names of JSON passed over.
        let parse = json::ParseOptions {
            ignore_unknown: request.number("test_category") == 3,
        };
        let options = DecodeOptions::default();
        let message = match format {
            Format::Json => json::decode_with(schema, id, payload, options, parse),
            _ => protobuf::decode(schema, id, payload, options),
        };
        match message {
            Ok(message) => encode(schema, &message, output),
            Err(error) => text("parse_error", error.to_string()),
        }
    }
}

fn encode(schema: &Schema, message: &DynamicMessage, format: Format) -> Answer {
    let encoded = match format {
        Format::Json => {
            let dialect = json::Dialect {
                names: json::Names::LowerCamelCase,
                ..json::Dialect::default()
            };
            json::encode(schema, message, &dialect)
        }
        _ => protobuf::encode(schema, message, &protobuf::Dialect::default()),
    };
    match encoded {
        Err(error) => text("serialize_error", error.to_string()),
        Ok(bytes) if format == Format::Protobuf => ("protobuf_payload", Value::Bytes(bytes)),
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(json) => text("json_payload", json),
            Err(error) => text("serialize_error", error.to_string()),
        },
    }
}
