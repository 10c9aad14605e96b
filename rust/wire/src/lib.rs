//! Bytes and nothing else: the reader and writer under every format of interop-check.
//!
//! All multi-byte numbers are little endian unless a name says otherwise. Readers never panic
//! and never read past their input; every error carries the byte offset where it was noticed.
//!
//! ```
//! use interop_wire::{Reader, Writer};
//!
//! let mut out = Writer::new();
//! out.varint(300);
//! assert_eq!(out.as_slice(), [0xac, 0x02]);
//! assert_eq!(Reader::new(out.as_slice()).varint().unwrap(), 300);
//! ```

mod error;
mod limits;
pub mod murmur3;
mod reader;
pub mod varint;
mod writer;

pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use reader::Reader;
pub use varint::{unzigzag32, unzigzag64, zigzag32, zigzag64};
pub use writer::{Patch, Writer};
