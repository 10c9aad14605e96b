//! Tests of the whole format.

mod generated;
mod golden;
mod limits;
mod rules;
mod vectors;
mod well_known;

use interop_schema::{MessageId, Schema};

use super::*;
use crate::DecodeOptions;

fn parse(schema: &Schema, id: MessageId, json: &str) -> Result<DynamicMessage, Error> {
    decode(schema, id, json.as_bytes(), DecodeOptions::default())
}

fn print(schema: &Schema, message: &DynamicMessage) -> Result<String, Error> {
    let json = encode(schema, message, &Dialect::default())?;
    assert_eq!(
        encoded_len(schema, message, &Dialect::default())?,
        json.len()
    );
    Ok(String::from_utf8(json).unwrap())
}
