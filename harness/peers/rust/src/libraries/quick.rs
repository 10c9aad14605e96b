//! quick-protobuf.

use quick_protobuf::{BytesReader, Error, MessageRead, MessageWrite, Writer};

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::neutral::QUICK_MODELS;
use crate::versions;

const LIBRARY: Library = Library {
    name: "quick-protobuf",
    version: versions::QUICK_PROTOBUF,
    format: "protobuf",
    writer: "rust-quick-protobuf",
    models: QUICK_MODELS,
};

/// quick-protobuf, with messages that own their strings.
pub fn listed() -> Vec<Listed> {
    vec![listed!(LIBRARY, quick_models, Quick)]
}

#[derive(Clone, Copy)]
struct Quick;

impl<M> Codec<M> for Quick
where
    M: MessageWrite + for<'a> MessageRead<'a> + 'static,
{
    type Scratch = Vec<u8>;
    type Error = Error;

    fn write<'s>(&self, message: &M, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
        scratch.clear();
        let written = message.write_message(&mut Writer::new(&mut *scratch));
        written.map_err(|error| error.to_string())?;
        Ok(scratch)
    }

    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::with_capacity(message.get_size());
        let written = message.write_message(&mut Writer::new(&mut bytes));
        written.map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    fn read(&self, bytes: &[u8]) -> Result<M, Error> {
        M::from_reader(&mut BytesReader::from_bytes(bytes), bytes)
    }

    fn words(error: Error) -> String {
        error.to_string()
    }
}
