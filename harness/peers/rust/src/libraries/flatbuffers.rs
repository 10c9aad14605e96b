//! FlatBuffers: flatc's object API to write and to own, its tables to look at.

use ::flatbuffers::{FlatBufferBuilder, Follow, InvalidFlatbuffer, Verifiable, WIPOffset, root};

use super::{Listed, listed};
use crate::contestant::{Codec, Library};
use crate::neutral::FLATBUFFERS_MODELS;
use crate::versions;

const LIBRARY: Library = Library {
    name: "flatbuffers",
    version: versions::FLATBUFFERS,
    format: "flatbuffers",
    writer: "rust",
    models: FLATBUFFERS_MODELS,
};

/// FlatBuffers.
pub fn listed() -> Vec<Listed> {
    vec![listed!(LIBRARY, flatbuffers_models, Tables)]
}

/// A type of the object API, with the table that it stands for.
pub trait Table: Sized {
    /// The table.
    type View<'a>: Follow<'a, Inner = Self::View<'a>> + Verifiable + 'a;

    /// Writes the table and all that it refers to.
    fn pack_into<'b>(&self, builder: &mut FlatBufferBuilder<'b>) -> WIPOffset<Self::View<'b>>;

    /// Reads everything to an object.
    fn unpack_from(view: Self::View<'_>) -> Self;

    /// Looks at every field; gives something that depends on them.
    fn walk_view(view: Self::View<'_>) -> u64;
}

#[derive(Clone, Copy)]
struct Tables;

impl<M: Table + 'static> Codec<M> for Tables {
    type Scratch = FlatBufferBuilder<'static>;
    type Error = InvalidFlatbuffer;

    fn write<'s>(
        &self,
        message: &M,
        scratch: &'s mut FlatBufferBuilder<'static>,
    ) -> Result<&'s [u8], String> {
        scratch.reset();
        let table = message.pack_into(scratch);
        scratch.finish(table, None);
        Ok(scratch.finished_data())
    }

    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        let mut builder = FlatBufferBuilder::new();
        let table = message.pack_into(&mut builder);
        builder.finish(table, None);
        Ok(builder.finished_data().to_vec())
    }

    fn read(&self, bytes: &[u8]) -> Result<M, InvalidFlatbuffer> {
        root::<M::View<'_>>(bytes).map(M::unpack_from)
    }

    fn words(error: InvalidFlatbuffer) -> String {
        error.to_string()
    }

    fn view(&self) -> Option<fn(&[u8]) -> bool> {
        Some(|bytes| {
            let seen = root::<M::View<'_>>(bytes).map(M::walk_view);
            std::hint::black_box(&seen);
            seen.is_ok()
        })
    }
}
