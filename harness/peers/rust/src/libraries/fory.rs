//! Fory's own Rust library.

use std::rc::Rc;

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::fory_models::registered;
use crate::neutral::FORY_MODELS;
use crate::versions;

const fn library(format: &'static str) -> Library {
    Library {
        name: "fory",
        version: versions::FORY,
        format,
        writer: "rust",
        models: FORY_MODELS,
    }
}
const COMPATIBLE: Library = library("fory");
const CONSISTENT: Library = library("fory-consistent");

/// Fory in both modes.
pub fn listed() -> Vec<Listed> {
    vec![
        listed!(COMPATIBLE, fory_models, Fory::shared(true)),
        listed!(CONSISTENT, fory_models, Fory::shared(false)),
    ]
}

#[derive(Clone)]
struct Fory(Rc<Result<fory::Fory, String>>);

impl Fory {
    /// One instance a mode serves all contestants of this thread, as a program would have it.
    fn shared(compatible: bool) -> Self {
        thread_local! {
            static SHARED: [Fory; 2] = [false, true].map(|compatible| {
                Fory(Rc::new(registered(compatible).map_err(|error| error.to_string())))
            });
        }
        SHARED.with(|shared| shared[usize::from(compatible)].clone())
    }

    fn library(&self) -> Result<&fory::Fory, String> {
        self.0.as_ref().as_ref().map_err(Clone::clone)
    }
}

impl<M> Codec<M> for Fory
where
    M: fory::Serializer<Target = M> + 'static,
{
    type Scratch = Vec<u8>;
    type Error = String;

    fn write<'s>(&self, message: &M, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], String> {
        scratch.clear();
        let written = self.library()?.serialize_to(scratch, message);
        written.map_err(|error| error.to_string())?;
        Ok(scratch)
    }

    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        let written = self.library()?.serialize(message);
        written.map_err(|error| error.to_string())
    }

    fn read(&self, bytes: &[u8]) -> Result<M, String> {
        let read = self.library()?.deserialize::<M>(bytes);
        read.map_err(|error| error.to_string())
    }

    fn words(error: String) -> String {
        error
    }
}
