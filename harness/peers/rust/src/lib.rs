//! The Rust libraries that are compared: each behind the same operations, each verified to hold
//! the same value before it may be measured.

pub mod cell;
pub mod fory_cells;
pub mod fory_models;
pub mod protobuf_cells;

/// Types that prost generates.
#[allow(missing_docs, clippy::all)]
pub mod prost_models {
    pub mod protobuf {
        include!(concat!(env!("OUT_DIR"), "/protobuf.rs"));
    }
    pub mod suite {
        include!(concat!(env!("OUT_DIR"), "/suite.rs"));
    }
}

/// Types that buffa generates.
#[allow(missing_docs, clippy::all, unused_imports, dead_code)]
pub mod buffa_models {
    include!(concat!(env!("OUT_DIR"), "/buffa/mod.rs"));
}
