//! The Rust libraries that are compared: each behind the same operations, each verified to hold
//! the same value before it may be measured.

// flatc's code names it.
extern crate alloc;

pub mod cell;
pub mod contestant;
pub(crate) mod fory_models;
pub(crate) mod json_types;
pub mod libraries;
pub mod neutral;

/// The messages of the peer protocol.
#[allow(missing_docs, clippy::all)]
pub mod protocol {
    include!(concat!(env!("OUT_DIR"), "/interop.peer.rs"));
}

/// The models' schema: a serialized `FileDescriptorSet` with all imports.
pub const SCHEMA: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schema.binpb"));

/// The compiler and its version.
pub const RUNTIME: &str = versions::RUSTC;

/// Versions of the libraries.
#[allow(dead_code)]
pub(crate) mod versions {
    include!(concat!(env!("OUT_DIR"), "/versions.rs"));
}

// Nothing outside may name the generated types: what is not used of them is not compiled then.

/// Types that prost generates.
#[allow(missing_docs, clippy::all, dead_code)]
pub(crate) mod prost_models {
    pub mod protobuf {
        include!(concat!(env!("OUT_DIR"), "/protobuf.rs"));
    }
    pub mod suite {
        include!(concat!(env!("OUT_DIR"), "/suite.rs"));
    }
}

/// Types that buffa generates.
#[allow(missing_docs, clippy::all, unused_imports, dead_code)]
pub(crate) mod buffa_models {
    include!(concat!(env!("OUT_DIR"), "/buffa/mod.rs"));
}

/// Types that pb-rs generates.
#[allow(missing_docs, clippy::all, unused_imports, dead_code, nonstandard_style)]
pub(crate) mod quick_models {
    include!(concat!(env!("OUT_DIR"), "/quick/mod.rs"));
}

/// Types that protoc generates for Google's crate.
#[cfg(google_protoc)]
#[allow(missing_docs, clippy::all, unused_imports, dead_code, nonstandard_style)]
pub(crate) mod google_models {
    include!(concat!(env!("OUT_DIR"), "/google/generated.rs"));
}

/// Types that flatc generates.
#[cfg(flatc)]
#[allow(missing_docs, clippy::all, unused_imports, dead_code, nonstandard_style, mismatched_lifetime_syntaxes)]
pub(crate) mod flatbuffers_models {
    include!(concat!(env!("OUT_DIR"), "/flatbuffers/mod.rs"));
}

/// Plain structs, for the libraries that derive their code.
#[allow(missing_docs, clippy::all)]
pub(crate) mod plain {
    include!(concat!(env!("OUT_DIR"), "/serde_types.rs"));
}
