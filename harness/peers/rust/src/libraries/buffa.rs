//! buffa: protobuf and ProtoJSON.

use ::buffa::{DecodeError, HasMessageView, Message, MessageView};

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::neutral::BUFFA_MODELS;
use crate::versions;

const BINARY: Library = Library {
    name: "buffa",
    version: versions::BUFFA,
    format: "protobuf",
    writer: "rust-buffa",
    models: BUFFA_MODELS,
};
const JSON: Library = Library {
    format: "json",
    ..BINARY
};

/// buffa in both formats.
pub fn listed() -> Vec<Listed> {
    vec![
        listed!(BINARY, buffa_models, Binary),
        listed!(JSON, buffa_models, Json),
    ]
}

#[derive(Clone, Copy)]
struct Binary;

impl<M: Message + HasMessageView + Default + 'static> Codec<M> for Binary {
    type Scratch = Vec<u8>;
    type Error = DecodeError;

    fn write<'s>(&self, message: &M, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
        scratch.clear();
        message.encode(scratch);
        Ok(scratch)
    }

    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        Ok(message.encode_to_vec())
    }

    fn read(&self, bytes: &[u8]) -> Result<M, DecodeError> {
        M::decode_from_slice(bytes)
    }

    fn words(error: DecodeError) -> String {
        error.to_string()
    }

    fn read_into(&self) -> Option<fn(&mut M, &[u8]) -> bool> {
        Some(|used, bytes| {
            used.clear();
            used.merge_from_slice(bytes).is_ok()
        })
    }

    fn view(&self) -> Option<fn(&[u8]) -> bool> {
        Some(|bytes| {
            let view = M::View::<'_>::decode_view(bytes);
            std::hint::black_box(&view);
            view.is_ok()
        })
    }
}

#[derive(Clone, Copy)]
struct Json;

impl<M> Codec<M> for Json
where
    M: serde::Serialize + for<'a> serde::Deserialize<'a> + 'static,
{
    type Scratch = Vec<u8>;
    type Error = serde_json::Error;

    fn write<'s>(&self, message: &M, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
        scratch.clear();
        serde_json::to_writer(&mut *scratch, message).map_err(|error| error.to_string())?;
        Ok(scratch)
    }

    fn read(&self, bytes: &[u8]) -> Result<M, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    fn words(error: serde_json::Error) -> String {
        error.to_string()
    }
}
