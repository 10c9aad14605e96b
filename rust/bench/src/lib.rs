//! The compiled codec beside every Rust library it is compared with: what is measured, for the
//! interleaved rounds of this package's program and for its Criterion suite.

pub mod allocations;
pub mod contestants;
mod floors;
mod ours;
mod views;
