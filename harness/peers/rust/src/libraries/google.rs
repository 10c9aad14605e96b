//! Google's protobuf crate, over upb.

use protobuf::{ClearAndParse, Parse, ParseError, Serialize};

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::neutral::GOOGLE_MODELS;
use crate::versions;

const LIBRARY: Library = Library {
    name: "protobuf",
    version: versions::PROTOBUF,
    format: "protobuf",
    writer: "rust-protobuf",
    models: GOOGLE_MODELS,
};

/// Google's protobuf.
pub fn listed() -> Vec<Listed> {
    vec![listed!(LIBRARY, google_models, Google)]
}

#[derive(Clone, Copy)]
struct Google;

impl<M: Parse + Serialize + ClearAndParse + 'static> Codec<M> for Google {
    // It always allocates what it writes to.
    type Scratch = Vec<u8>;
    type Error = ParseError;

    fn write<'s>(&self, message: &M, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
        *scratch = message.serialize().map_err(|error| error.to_string())?;
        Ok(scratch)
    }

    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        message.serialize().map_err(|error| error.to_string())
    }

    fn read(&self, bytes: &[u8]) -> Result<M, ParseError> {
        M::parse(bytes)
    }

    fn words(error: ParseError) -> String {
        error.to_string()
    }

    fn read_into(&self) -> Option<fn(&mut M, &[u8]) -> bool> {
        Some(|used, bytes| used.clear_and_parse(bytes).is_ok())
    }
}
