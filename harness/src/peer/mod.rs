//! Peers: programs that wrap serialization libraries and speak the protocol of
//! `proto/peer.proto`. Nothing else in the harness starts a process.
//!
//! [`process`] holds one running program, [`supervise`] puts requests to it and decides who is
//! to blame when it dies, [`declare`] reads `peer.toml`, [`tree`] carries values across.

pub mod declare;
pub mod process;
#[allow(missing_docs, clippy::doc_markdown)]
#[rustfmt::skip]
pub mod proto;
pub mod supervise;
pub mod tree;
