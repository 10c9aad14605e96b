//! The libraries.

pub mod buffa;
#[cfg(flatc)]
pub mod flatbuffers;
pub mod fory;
#[cfg(google_protoc)]
pub mod google;
pub mod ours;
pub mod prost;
pub mod quick;
pub mod schemaless;
pub mod serde;

use crate::contestant::{Contestant, Library};

/// A library in a format, and what makes a contestant of it with the message named.
pub struct Listed {
    /// The library.
    pub library: Library,
    /// None for a message that it does not serve.
    pub with: fn(&str) -> Option<Box<dyn Contestant>>,
}

/// Every library in every format that it has.
pub fn all() -> Vec<Listed> {
    let mut all = ours::listed();
    all.extend(fory::listed());
    all.extend(prost::listed());
    all.extend(buffa::listed());
    #[cfg(google_protoc)]
    all.extend(google::listed());
    all.extend(quick::listed());
    all.extend(serde::listed());
    #[cfg(flatc)]
    all.extend(flatbuffers::listed());
    all.extend(schemaless::listed());
    all
}

/// Libraries that are left out of this build, with the reason.
pub fn unavailable() -> Vec<(&'static str, &'static str)> {
    [
        ("protobuf", "not built: protoc 36.2 was missing", cfg!(google_protoc)),
        ("flatbuffers", "not built: flatc 25.12.19 was missing", cfg!(flatc)),
    ]
    .into_iter()
    .filter(|(.., built)| !built)
    .map(|(name, why, _)| (name, why))
    .collect()
}

/// Full names of all models.
pub const MODELS: &[&str] = crate::neutral::PLAIN_MODELS;

/// A `fn` that pairs the codec given with the type of the model named.
macro_rules! listed {
    ($library:expr, $models:ident, $codec:expr) => {
        $crate::libraries::Listed {
            library: $library,
            with: |model| {
                macro_rules! make {
                    ($ty:ty) => {
                        $crate::contestant::Pair::<_, $ty>::boxed($codec, $library)
                    };
                }
                $crate::neutral::$models!(model, make)
            },
        }
    };
}
pub(crate) use listed;
