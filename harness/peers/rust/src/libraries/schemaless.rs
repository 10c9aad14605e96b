//! Reference rows: libraries whose bytes only Rust programs with the same structs can read. They
//! are measured and never compared.

use bitcode::{Buffer, DecodeOwned, Encode};
use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;
use wincode::config::DefaultConfig;
use wincode::{SchemaRead, SchemaWrite};

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::neutral::PLAIN_MODELS;
use crate::versions;

/// The format of libraries that have one of their own.
pub const FORMAT: &str = "none";

const fn library(name: &'static str, version: &'static str) -> Library {
    Library {
        name,
        version,
        format: FORMAT,
        writer: "",
        models: PLAIN_MODELS,
    }
}
const BITCODE: Library = library("bitcode", versions::BITCODE);
const RKYV: Library = library("rkyv", versions::RKYV);
const WINCODE: Library = library("wincode", versions::WINCODE);

/// bitcode, rkyv and wincode.
pub fn listed() -> Vec<Listed> {
    vec![
        listed!(BITCODE, plain_models, Bitcode),
        listed!(RKYV, plain_models, Rkyv),
        listed!(WINCODE, plain_models, Wincode),
    ]
}

#[derive(Clone, Copy)]
struct Bitcode;

impl<M: Encode + DecodeOwned + 'static> Codec<M> for Bitcode {
    type Scratch = Buffer;
    type Error = bitcode::Error;

    fn write<'s>(&self, message: &M, scratch: &'s mut Buffer) -> Result<&'s [u8], String> {
        Ok(scratch.encode(message))
    }

    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        Ok(bitcode::encode(message))
    }

    fn read(&self, bytes: &[u8]) -> Result<M, bitcode::Error> {
        bitcode::decode(bytes)
    }

    fn words(error: bitcode::Error) -> String {
        error.to_string()
    }
}

#[derive(Clone, Copy)]
struct Rkyv;

impl<M> Codec<M> for Rkyv
where
    M: for<'a> rkyv::Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, rancor::Error>>
        + 'static,
    M::Archived: for<'a> CheckBytes<HighValidator<'a, rancor::Error>>
        + rkyv::Deserialize<M, HighDeserializer<rancor::Error>>,
{
    type Scratch = AlignedVec;
    type Error = rancor::Error;

    fn write<'s>(&self, message: &M, scratch: &'s mut AlignedVec) -> Result<&'s [u8], String> {
        let mut buffer = std::mem::take(scratch);
        buffer.clear();
        let written = rkyv::api::high::to_bytes_in::<_, rancor::Error>(message, buffer);
        *scratch = written.map_err(|error| error.to_string())?;
        Ok(scratch)
    }

    fn read(&self, bytes: &[u8]) -> Result<M, rancor::Error> {
        rkyv::from_bytes(bytes)
    }

    fn words(error: rancor::Error) -> String {
        error.to_string()
    }

    fn view(&self) -> Option<fn(&[u8]) -> bool> {
        Some(|bytes| {
            let archived = rkyv::access::<M::Archived, rancor::Error>(bytes);
            std::hint::black_box(&archived);
            archived.is_ok()
        })
    }
}

#[derive(Clone, Copy)]
struct Wincode;

impl<M> Codec<M> for Wincode
where
    M: SchemaWrite<DefaultConfig, Src = M> + for<'a> SchemaRead<'a, DefaultConfig, Dst = M> + 'static,
{
    type Scratch = Vec<u8>;
    type Error = wincode::ReadError;

    fn write<'s>(&self, message: &M, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
        scratch.clear();
        let written = wincode::serialize_into(&mut *scratch, message);
        written.map_err(|error| error.to_string())?;
        Ok(scratch)
    }

    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        wincode::serialize(message).map_err(|error| error.to_string())
    }

    fn read(&self, bytes: &[u8]) -> Result<M, wincode::ReadError> {
        wincode::deserialize(bytes)
    }

    fn words(error: wincode::ReadError) -> String {
        error.to_string()
    }
}
