//! Vectors with a schema.

use std::sync::Arc;

use interop_codec::{DecodeOptions, Dialect, Document, DynamicMessage, Format, Value};
use interop_schema::{Registration, Schema};
use serde_json::Value as Json;

use super::{Op, Vector, json_equal, judge_hex, unhex};
use crate::cli::JsonForm;
use crate::subject::{Subject, find_message, identify_fields_by_name};

type Answer<T> = std::result::Result<T, String>;

/// Runs a vector whose message is defined by a .proto text.
pub(super) fn answer(vector: &Vector) -> Answer<()> {
    let subject = subject(vector)?;
    let body = &vector.body;
    let formats = Formats::of(vector)?;
    let inputs: Vec<Vec<u8>> = match (&body.input_hex, &body.input_json) {
        (Some(hex), None) => hex.all().into_iter().map(unhex).collect::<Answer<_>>()?,
        (None, Some(json)) => json
            .all()
            .iter()
            .map(|text| text.as_bytes().to_vec())
            .collect(),
        _ => return Err("needs either input_hex or input_json".to_owned()),
    };
    let several = inputs.len() > 1;
    for (index, input) in inputs.iter().enumerate() {
        let judged = one(vector, &subject, &formats, input);
        judged.map_err(|error| {
            if several {
                format!("input {index}: {error}")
            } else {
                error
            }
        })?;
    }
    Ok(())
}

/// A vector's input as any reader of its schema may be asked to read it; `None` where the
/// schema is not all that a reader must know, or nothing is read.
pub(super) fn question(vector: &Vector) -> Option<super::Question> {
    let body = &vector.body;
    if body.type_id.is_some() || body.field_ids == Some(false) || body.op == Op::Encode {
        return None;
    }
    let inputs = match (&body.input_hex, &body.input_json) {
        (Some(hex), None) => {
            let bytes = hex.all().into_iter().map(unhex);
            bytes.collect::<Answer<_>>().ok()?
        }
        (None, Some(json)) => {
            let texts = json.all();
            texts.iter().map(|text| text.as_bytes().to_vec()).collect()
        }
        _ => return None,
    };
    Some(super::Question {
        subject: subject(vector).ok()?,
        descriptor_set: interop_schema::proto::descriptor_set_of_sources(&[(
            "schema.proto",
            &body.schema,
        )])
        .ok()?,
        format: Formats::of(vector).ok()?.input,
        inputs,
    })
}

/// What is read and what is written.
struct Formats {
    input: Format,
    output: Format,
}

impl Formats {
    fn of(vector: &Vector) -> Answer<Self> {
        let binary = match (vector.format, &vector.body.mode) {
            (Format::Json, _) => Format::Protobuf,
            (Format::Fory | Format::ForyConsistent, Some(mode)) => mode.parse()?,
            (format, _) => format,
        };
        let input = match vector.body.op {
            Op::Jparse | Op::Encode => Format::Json,
            _ if vector.body.input_json.is_some() => Format::Json,
            _ => binary,
        };
        let output = match vector.body.op {
            Op::Jprint => Format::Json,
            _ => binary,
        };
        Ok(Self { input, output })
    }
}

fn subject(vector: &Vector) -> Answer<Subject> {
    let body = &vector.body;
    let mut schema = interop_schema::proto::compile_text(&body.schema)
        .map_err(|error| format!("schema: {error}"))?;
    let name = body.message.as_deref().unwrap_or_default();
    let id = find_message(&schema, name).map_err(|failure| failure.text)?;
    if let Some(type_id) = body.type_id {
        register(&mut schema, id.0 as usize, type_id);
    }
    if body.field_ids == Some(false) {
        identify_fields_by_name(&mut schema);
    }
    Ok(Subject {
        schema: Arc::new(schema),
        id,
        form: JsonForm::Proto,
    })
}

fn register(schema: &mut Schema, message: usize, type_id: u32) {
    schema.messages[message].fory.registration = Registration::Id(type_id);
}

fn one(vector: &Vector, subject: &Subject, formats: &Formats, input: &[u8]) -> Answer<()> {
    let (body, expect) = (&vector.body, &vector.body.expect);
    if body.op == Op::Hash {
        return Err("a hash needs a type, not a schema".to_owned());
    }
    if expect.value.is_some() {
        return Err("a plain value needs a type, not a schema".to_owned());
    }
    let converts = matches!(body.op, Op::Encode | Op::Reencode | Op::Jparse | Op::Jprint);
    let result = decode(subject, formats.input, input).and_then(|document| {
        // What the operation writes is part of what may be refused.
        let written = converts
            .then(|| encode(subject, formats.output, &document))
            .transpose()?;
        Ok((document, written))
    });
    let (document, written) = match (result, expect.error, &expect.error_or) {
        (Err(_), true, _) | (Err(_), _, Some(_)) => return Ok(()),
        (Err(error), false, None) => return Err(format!("refused {error}")),
        (Ok((document, _)), true, _) => {
            return Err(format!("accepted as {}", print(subject, &document)));
        }
        (Ok(done), false, _) => done,
    };
    let mut judged = false;
    if let Some(wanted) = expect.json.as_ref().or(expect.error_or.as_ref()) {
        judged = true;
        match (&written, formats.output) {
            (Some(text), Format::Json) => {
                let found: Json = serde_json::from_slice(text)
                    .map_err(|error| format!("printed what is no JSON: {error}"))?;
                if !json_equal(wanted, &found) {
                    return Err(format!("printed {found} instead of {wanted}"));
                }
            }
            _ => judge_value(subject, &document, wanted)?,
        }
    }
    let has_hex = expect.hex.is_some() || expect.hex_any.is_some();
    if has_hex {
        judged = true;
        let bytes = match (&written, formats.output) {
            (Some(bytes), format) if format != Format::Json => bytes.clone(),
            _ => encode(subject, formats.output, &document)?,
        };
        judge_hex(expect, &bytes)?;
    }
    if body.op == Op::Both && !has_hex {
        judged = true;
        // The other direction starts from the value that was expected, not from what was read.
        let start = match &expect.json {
            Some(json) => decode(subject, Format::Json, json.to_string().as_bytes())?,
            None => document,
        };
        let bytes = encode(subject, formats.output, &start)?;
        if bytes != input {
            return Err(format!(
                "written back as {} instead of {}",
                crate::value_diff::hex(&bytes),
                crate::value_diff::hex(input)
            ));
        }
    }
    if judged {
        Ok(())
    } else {
        Err("expects nothing that this operation yields".to_owned())
    }
}

/// The value read against ProtoJSON: as printed text where it can be printed, else as a value.
fn judge_value(subject: &Subject, document: &Document, wanted: &Json) -> Answer<()> {
    if let Ok(text) = encode(subject, Format::Json, document)
        && let Ok(found) = serde_json::from_slice::<Json>(&text)
        && json_equal(wanted, &found)
    {
        return Ok(());
    }
    // The same value in other words: "1" for 1, a default spelled out.
    let expected = decode(subject, Format::Json, wanted.to_string().as_bytes())
        .map_err(|error| format!("the expected value does not parse: {error}"))?;
    let mut known = document.clone();
    if let Value::Message(message) = &mut known.root {
        drop_unknown(message);
    }
    if known == expected {
        return Ok(());
    }
    Err(format!(
        "read {} instead of {wanted}",
        print(subject, document)
    ))
}

/// ProtoJSON has no words for unknown fields of the root.
fn drop_unknown(message: &mut DynamicMessage) {
    message.unknown.clear();
}

fn print(subject: &Subject, document: &Document) -> String {
    match encode(subject, Format::Json, document) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) => format!("a value that is not JSON ({error})"),
    }
}

fn decode(subject: &Subject, format: Format, bytes: &[u8]) -> Answer<Document> {
    let options = DecodeOptions::default();
    interop_codec::decode(&subject.schema, subject.id, format, bytes, options)
        .map_err(|error| error.to_string())
}

fn encode(subject: &Subject, format: Format, document: &Document) -> Answer<Vec<u8>> {
    let dialect = Dialect::default_of(format);
    interop_codec::encode(&subject.schema, document, format, &dialect)
        .map_err(|error| error.to_string())
}
