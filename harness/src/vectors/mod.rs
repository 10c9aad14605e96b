//! Test vectors: small inputs on which real libraries were wrong, with their right answers.
//!
//! A vector says what to do (`op`), with which bytes or JSON, under which schema or type, and
//! what must come out. Nothing here knows a vector by its id.

mod plain;
mod schema;
mod typed;

use std::path::PathBuf;

use interop_codec::Format;
use serde::Deserialize;
use serde_json::Value;

use crate::check::run::Outcome;
use crate::exit::{Failure, Result};
use crate::subject::Subject;
use crate::verdict::Verdict;

/// A vector as it stands in its file.
#[derive(Clone, Debug)]
pub struct Vector {
    /// Its name.
    pub id: String,
    /// Format; of `json` vectors the binary side is protobuf.
    pub format: Format,
    /// Everything else.
    pub body: Body,
}

/// The fields of a vector that its run depends on. Others (summary, authority, sources) are for
/// people.
#[derive(Clone, Debug, Deserialize)]
pub struct Body {
    /// The text of a .proto file; prose where `type` stands instead.
    #[serde(default)]
    pub schema: String,
    /// The message of the schema.
    pub message: Option<String>,
    /// What is read where there is no schema.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// Fory mode, as a format's name.
    pub mode: Option<String>,
    /// Fory: the number under which the message is registered.
    pub type_id: Option<u32>,
    /// Fory: whether numbers (else names) identify fields.
    pub field_ids: Option<bool>,
    /// The bare payload of a type, without a stream around it.
    #[serde(default)]
    pub payload_only: bool,
    /// What to do.
    pub op: Op,
    /// Bytes, or several.
    pub input_hex: Option<OneOrMany>,
    /// JSON text, or several.
    pub input_json: Option<OneOrMany>,
    /// What must come out.
    pub expect: Expect,
}

/// What to do with the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Bytes to a value.
    Decode,
    /// A value to bytes.
    Encode,
    /// Bytes to a value, and the value to the same bytes.
    Both,
    /// Bytes to a value to bytes.
    Reencode,
    /// ProtoJSON to protobuf.
    Jparse,
    /// Protobuf to ProtoJSON.
    Jprint,
    /// Bytes to their hash.
    Hash,
}

/// A string or a list of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several, each an input of its own.
    Many(Vec<String>),
}

impl OneOrMany {
    fn all(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// What must come out; all that is given must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The value as ProtoJSON.
    pub json: Option<Value>,
    /// The bytes.
    pub hex: Option<String>,
    /// One of these bytes.
    pub hex_any: Option<Vec<String>>,
    /// The plain value; `null` is a value too.
    #[serde(default, deserialize_with = "present")]
    pub value: Option<Value>,
    /// A refusal.
    #[serde(default)]
    pub error: bool,
    /// A refusal, or this value.
    #[serde(default, deserialize_with = "present")]
    pub error_or: Option<Value>,
}

fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// What a vector gives any reader to read.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The message.
    pub(crate) subject: Subject,
    /// Its schema as a serialized FileDescriptorSet.
    pub(crate) descriptor_set: Vec<u8>,
    /// The format of the inputs.
    pub(crate) format: Format,
    /// Each is a message of its own.
    pub(crate) inputs: Vec<Vec<u8>>,
}

/// What the vector gives any reader to read; `None` where it has no schema that a reader could
/// be brought, or asks for something else.
pub(crate) fn question(vector: &Vector) -> Option<Question> {
    if vector.body.ty.is_some() {
        return None;
    }
    schema::question(vector)
}

/// Reads vectors from files, one JSON object a line; blank lines are skipped.
///
/// # Errors
/// Exit 2 with file and line.
pub fn load(paths: &[PathBuf]) -> Result<Vec<Vector>> {
    let mut vectors = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                let vector = parse(line).map_err(|error| {
                    Failure::usage(format!("{}:{}: {error}", path.display(), index + 1))
                })?;
                vectors.push(vector);
            }
        }
    }
    Ok(vectors)
}

fn parse(line: &str) -> std::result::Result<Vector, String> {
    #[derive(Deserialize)]
    struct Head {
        id: String,
        format: String,
    }
    let head: Head = serde_json::from_str(line).map_err(|error| error.to_string())?;
    Ok(Vector {
        format: head.format.parse()?,
        body: serde_json::from_str(line).map_err(|error| format!("{}: {error}", head.id))?,
        id: head.id,
    })
}

/// Runs a vector; the error says what came out instead.
///
/// # Errors
/// What is wrong, in a sentence.
pub fn answer(vector: &Vector) -> std::result::Result<(), String> {
    if vector.body.ty.is_some() && vector.body.message.is_none() {
        typed::answer(vector)
    } else {
        schema::answer(vector)
    }
}

/// A vector's answer as the outcome of a cell.
pub fn outcome(vector: &Vector) -> Outcome {
    match answer(vector) {
        Ok(()) => Outcome::plain(Verdict::Identical, Verdict::Identical),
        Err(message) => Outcome::saying(Verdict::DifferentValue, Verdict::Identical, message),
    }
}

/// Bytes from hex text.
fn unhex(text: &str) -> std::result::Result<Vec<u8>, String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            c.to_digit(16)
                .ok_or_else(|| format!("{c:?} is no hex digit"))
        })
        .collect::<std::result::Result<_, _>>()?;
    if !digits.len().is_multiple_of(2) {
        return Err("odd number of hex digits".to_owned());
    }
    Ok(digits
        .chunks(2)
        .map(|pair| (pair[0] << 4 | pair[1]) as u8)
        .collect())
}

/// Holds what came out against the bytes that must come out.
fn judge_hex(expect: &Expect, bytes: &[u8]) -> std::result::Result<(), String> {
    let wanted: Vec<&String> = expect
        .hex
        .iter()
        .chain(expect.hex_any.iter().flatten())
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    for hex in &wanted {
        if unhex(hex)? == bytes {
            return Ok(());
        }
    }
    let wanted: Vec<_> = wanted.iter().map(|hex| hex.as_str()).collect();
    Err(format!(
        "bytes {} instead of {}",
        crate::value_diff::hex(bytes),
        wanted.join(" or ")
    ))
}

/// Equality of JSON values: numbers by value, strings exactly, objects without regard to order
/// and to the style of field names.
fn json_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let whole = |n: &serde_json::Number| {
                n.as_i64()
                    .map(i128::from)
                    .or_else(|| n.as_u64().map(i128::from))
            };
            match (whole(a), whole(b)) {
                (Some(a), Some(b)) => a == b,
                _ => a.as_f64().map(f64::to_bits) == b.as_f64().map(f64::to_bits),
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, a)| {
                    let found = b.get(name).or_else(|| {
                        b.iter()
                            .find(|(other, _)| plain_name(other) == plain_name(name))
                            .map(|(_, value)| value)
                    });
                    found.is_some_and(|b| json_equal(a, b))
                })
        }
        _ => a == b,
    }
}

fn plain_name(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(line: Value) -> std::result::Result<(), String> {
        answer(&parse(&line.to_string()).unwrap())
    }

    #[test]
    fn a_wrong_expectation_is_noticed() {
        let vector = |expect: Value| {
            json!({
                "id": "x", "format": "protobuf", "op": "decode", "input_hex": "0805",
                "schema": "syntax=\"proto3\"; message M { int32 a = 1; }", "message": "M",
                "expect": expect,
            })
        };
        assert_eq!(run(vector(json!({"json": {"a": 5}}))), Ok(()));
        assert!(run(vector(json!({"json": {"a": 6}}))).is_err());
        assert!(run(vector(json!({"json": {}}))).is_err());
        assert!(run(vector(json!({"error": true}))).is_err());
        assert!(run(vector(json!({"hex": "0806"}))).is_err());
        assert_eq!(run(vector(json!({"hex": "0805"}))), Ok(()));
        assert!(
            run(vector(json!({}))).is_err(),
            "no expectation is no vector"
        );
    }

    #[test]
    fn json_equality() {
        assert!(json_equal(&json!({"a_b": 1}), &json!({"aB": 1})));
        assert!(json_equal(&json!(1.5), &json!(1.5)));
        assert!(!json_equal(&json!(0.0), &json!(-0.0)));
        assert!(!json_equal(&json!([1]), &json!([1, 2])));
        assert!(!json_equal(&json!("1"), &json!(1)));
    }

    #[test]
    fn hex_is_checked() {
        assert_eq!(unhex("0aFf"), Ok(vec![10, 255]));
        assert!(unhex("0").is_err());
        assert!(unhex("zz").is_err());
    }
}
