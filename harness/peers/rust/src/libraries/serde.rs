//! Formats behind serde: MessagePack of plain structs, and JSON of structs whose serde form is
//! ProtoJSON.

use serde::{Deserialize, Serialize};

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::neutral::{JSON_MODELS, PLAIN_MODELS};
use crate::versions;

const RMP: Library = Library {
    name: "rmp-serde",
    version: versions::RMP_SERDE,
    format: "msgpack",
    writer: "rust",
    models: PLAIN_MODELS,
};
const SERDE_JSON: Library = Library {
    name: "serde_json",
    version: versions::SERDE_JSON,
    format: "json",
    writer: "rust-serde-json",
    models: JSON_MODELS,
};
const SONIC: Library = Library {
    name: "sonic-rs",
    version: versions::SONIC_RS,
    format: "json",
    writer: "rust-sonic",
    models: JSON_MODELS,
};

/// rmp-serde, serde_json and sonic-rs.
pub fn listed() -> Vec<Listed> {
    vec![
        listed!(RMP, plain_models, Rmp),
        listed!(SERDE_JSON, json_models, SerdeJson),
        listed!(SONIC, json_models, Sonic),
    ]
}

macro_rules! serde_codec {
    ($name:ident, $error:ty, |$message:ident, $out:ident| $write:expr, |$bytes:ident| $read:expr) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl<M> Codec<M> for $name
        where
            M: Serialize + for<'a> Deserialize<'a> + 'static,
        {
            type Scratch = Vec<u8>;
            type Error = $error;

            fn write<'s>(&self, $message: &M, $out: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
                $out.clear();
                $write.map_err(|error| error.to_string())?;
                Ok($out)
            }

            fn write_fresh(&self, $message: &M) -> Result<Vec<u8>, String> {
                let mut bytes = Vec::new();
                let $out = &mut bytes;
                $write.map_err(|error| error.to_string())?;
                Ok(bytes)
            }

            fn read(&self, $bytes: &[u8]) -> Result<M, $error> {
                $read
            }

            fn words(error: $error) -> String {
                error.to_string()
            }
        }
    };
}

// Structs as maps with field names, which is what the other languages write.
serde_codec!(
    Rmp,
    rmp_serde::decode::Error,
    |message, out| message.serialize(&mut rmp_serde::Serializer::new(&mut *out).with_struct_map()),
    |bytes| rmp_serde::from_slice(bytes)
);
serde_codec!(
    SerdeJson,
    serde_json::Error,
    |message, out| serde_json::to_writer(&mut *out, message),
    |bytes| serde_json::from_slice(bytes)
);
serde_codec!(
    Sonic,
    sonic_rs::Error,
    |message, out| sonic_rs::to_writer(&mut *out, message),
    |bytes| sonic_rs::from_slice(bytes)
);
