//! prost.

use prost::Message;

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::neutral::PROST_MODELS;
use crate::versions;

const LIBRARY: Library = Library {
    name: "prost",
    version: versions::PROST,
    format: "protobuf",
    writer: "rust-prost",
    models: PROST_MODELS,
};

/// prost.
pub fn listed() -> Vec<Listed> {
    vec![listed!(LIBRARY, prost_models, Prost)]
}

#[derive(Clone, Copy)]
struct Prost;

impl<M: Message + Default + 'static> Codec<M> for Prost {
    type Scratch = Vec<u8>;
    type Error = prost::DecodeError;

    fn write<'s>(&self, message: &M, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
        scratch.clear();
        let written = message.encode(scratch);
        written.map_err(|error| error.to_string())?;
        Ok(scratch)
    }

    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        Ok(message.encode_to_vec())
    }

    fn read(&self, bytes: &[u8]) -> Result<M, prost::DecodeError> {
        M::decode(bytes)
    }

    fn words(error: prost::DecodeError) -> String {
        error.to_string()
    }

    fn read_into(&self) -> Option<fn(&mut M, &[u8]) -> bool> {
        Some(|used, bytes| {
            used.clear();
            used.merge(bytes).is_ok()
        })
    }
}
