//! Our compiled codec.

use std::marker::PhantomData;

use interop_models::{
    Codec as _, Decode, Encode, Error, FlatBuffers, Fory, ForyConsistent, Json, MessagePack,
    Protobuf, TryCodec as _, TryEncode,
};

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::neutral::OURS_MODELS;

const fn library(format: &'static str) -> Library {
    Library {
        name: "interop-compiled",
        version: env!("CARGO_PKG_VERSION"),
        format,
        writer: "interop-compiled",
        models: OURS_MODELS,
    }
}
const PROTOBUF: Library = library("protobuf");
const FORY: Library = library("fory");
const FORY_CONSISTENT: Library = library("fory-consistent");
const JSON: Library = library("json");
const MSGPACK: Library = library("msgpack");
const FLATBUFFERS: Library = library("flatbuffers");

/// The compiled codec in all formats.
pub fn listed() -> Vec<Listed> {
    vec![
        listed!(PROTOBUF, ours_models, Total::<Protobuf>(PhantomData)),
        listed!(FORY, ours_models, Total::<Fory>(PhantomData)),
        listed!(FORY_CONSISTENT, ours_models, Total::<ForyConsistent>(PhantomData)),
        listed!(JSON, ours_models, Partial::<Json>(PhantomData)),
        listed!(MSGPACK, ours_models, Partial::<MessagePack>(PhantomData)),
        listed!(FLATBUFFERS, ours_models, Partial::<FlatBuffers>(PhantomData)),
    ]
}

/// A format in which every value has a form.
struct Total<F>(PhantomData<F>);

/// A format in which a value may have none.
struct Partial<F>(PhantomData<F>);

macro_rules! codec {
    ($name:ident, $bound:ident, |$message:ident, $out:ident| $write:expr) => {
        impl<F> Clone for $name<F> {
            fn clone(&self) -> Self {
                Self(PhantomData)
            }
        }

        impl<F: 'static, M> Codec<M> for $name<F>
        where
            M: $bound<F> + Decode<F> + 'static,
        {
            type Scratch = Vec<u8>;
            type Error = Error;

            fn write<'s>(&self, $message: &M, $out: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
                $out.clear();
                $write;
                Ok($out)
            }

            fn read(&self, bytes: &[u8]) -> Result<M, Error> {
                M::decode::<F>(bytes)
            }

            fn words(error: Error) -> String {
                error.to_string()
            }

            fn read_into(&self) -> Option<fn(&mut M, &[u8]) -> bool> {
                Some(|used, bytes| used.decode_into::<F>(bytes).is_ok())
            }

            fn write_fresh(&self, $message: &M) -> Result<Vec<u8>, String> {
                let mut bytes = Vec::new();
                let $out = &mut bytes;
                $write;
                Ok(bytes)
            }
        }
    };
}

codec!(Total, Encode, |message, out| message.encode_into::<F>(out));
codec!(Partial, TryEncode, |message, out| {
    let written = message.try_encode_into::<F>(out);
    written.map_err(|error| error.to_string())?
});
