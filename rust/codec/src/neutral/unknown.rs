//! Protobuf fields that the schema lacks: `[{"number": 5, "varint": "1"}, ...]`, with `fixed64`
//! (string), `fixed32` (number), `bytes` (hexadecimal) or `group` (such a list) for `varint`.

use std::fmt::Write as _;

use crate::{UnknownField, UnknownValue};

use super::tree::Json;

pub(super) fn print(fields: &[UnknownField], out: &mut String) {
    out.push('[');
    for (i, field) in fields.iter().enumerate() {
        let lead = if i == 0 { "" } else { "," };
        let _ = write!(out, "{lead}{{\"number\":{},", field.number);
        let _ = match &field.value {
            UnknownValue::Varint(value) => write!(out, "\"varint\":\"{value}\""),
            UnknownValue::Fixed64(value) => write!(out, "\"fixed64\":\"{value}\""),
            UnknownValue::Fixed32(value) => write!(out, "\"fixed32\":{value}"),
            UnknownValue::Bytes(bytes) => write!(out, "\"bytes\":\"{}\"", hex(bytes)),
            UnknownValue::Group(inner) => {
                out.push_str("\"group\":");
                print(inner, out);
                Ok(())
            }
        };
        out.push('}');
    }
    out.push(']');
}

pub(super) fn parse(json: &Json) -> Result<Vec<UnknownField>, String> {
    let Json::List(fields) = json else {
        return Err(format!("expected a list of fields, found {}", json.kind()));
    };
    fields.iter().map(parse_field).collect()
}

fn parse_field(json: &Json) -> Result<UnknownField, String> {
    let wrong = || "expected {\"number\": ..., kind: ...}".to_owned();
    let Json::Object(members) = json else {
        return Err(wrong());
    };
    let [(number_key, Json::Int(number)), (kind, value)] = members.as_slice() else {
        return Err(wrong());
    };
    let number = u32::try_from(*number).ok();
    let number = number.filter(|n| number_key == "number" && (1..1 << 29).contains(n));
    let digits = |text: &str| {
        let plain = text.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| text.parse::<u64>().ok()).flatten()
    };
    let value = match (kind.as_str(), value) {
        ("varint", Json::Text(text)) => digits(text).map(UnknownValue::Varint),
        ("fixed64", Json::Text(text)) => digits(text).map(UnknownValue::Fixed64),
        ("fixed32", Json::Int(value)) => u32::try_from(*value).ok().map(UnknownValue::Fixed32),
        ("bytes", Json::Text(text)) => unhex(text).map(UnknownValue::Bytes),
        ("group", inner) => Some(UnknownValue::Group(parse(inner)?)),
        _ => None,
    };
    match (number, value) {
        (Some(number), Some(value)) => Ok(UnknownField { number, value }),
        _ => Err(wrong()),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2).map(|pair| match *pair {
        [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
        _ => None,
    });
    pairs.collect()
}
