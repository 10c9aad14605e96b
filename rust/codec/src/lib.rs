//! Five wire formats over one schema model: protobuf, Apache Fory xlang (compatible and
//! consistent mode), ProtoJSON, MessagePack and FlatBuffers.
//!
//! This is the dynamic engine: it interprets the schema model, serves any schema, and is
//! correct first. Nothing here does I/O.
//!
//! Every decoder takes [`DecodeOptions`]: limits, and a sink that receives a [`Span`] for every
//! byte it reads. Every encoder takes the format's dialect: the legal choices that one real
//! writer makes where the format leaves room.

mod decode;
mod dialect;
mod error;
mod format;
mod path;
mod trace;
mod value;

pub mod flatbuffers;
pub mod fory;
pub mod json;
pub mod msgpack;
pub mod neutral;
pub mod protobuf;

pub use decode::{Cursor, DecodeOptions};
pub use dialect::{Choice, Dialect, Preset, decode, encode, preset, presets};
pub use error::{Error, ErrorKind};
pub use format::Format;
pub use path::{Path, Segment};
pub use trace::{Part, Span, SpanSink};
pub use value::{Document, DynamicMessage, Key, UnknownField, UnknownValue, Value};
