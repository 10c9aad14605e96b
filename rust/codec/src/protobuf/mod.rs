//! The protobuf wire format of proto2, proto3 and edition 2023, after protobuf's "Encoding"
//! guide.
//!
//! Where the guide is silent or libraries are split, the strict reading is taken: a varint with
//! bits above 2^64 or more than ten bytes, a tag of more than five bytes, field number 0, wire
//! types 6 and 7, and groups that are not closed by their own number are refused. A known field
//! that arrives in another wire type is an unknown field; so is an unlisted number of a closed
//! enum. Unknown fields are kept in order and written behind the known ones.
//!
//! A string that its schema does not want checked (proto2, or `utf8_validation = NONE`) and that
//! is not UTF-8 is held as [`Value::Bytes`](crate::Value::Bytes), so that its bytes survive.
//!
//! ```
//! use interop_codec::{DecodeOptions, Value, protobuf};
//! use interop_schema::proto::compile_text;
//!
//! let schema = compile_text("syntax = \"proto3\"; message M { int32 a = 1; }").unwrap();
//! let m = schema.message_by_name("M").unwrap();
//! let value = protobuf::decode(&schema, m, &[0x08, 0x96, 0x01], DecodeOptions::default()).unwrap();
//! assert_eq!(value.get(0), Some(&Value::Int(150)));
//! let bytes = protobuf::encode(&schema, &value, &protobuf::Dialect::default()).unwrap();
//! assert_eq!(bytes, [0x08, 0x96, 0x01]);
//! ```

mod complete;
mod decode;
mod dialect;
mod encode;
mod map;
mod message_set;
mod output;
mod repeated;
mod scalar;
mod tag;
mod unknown;

pub use decode::decode;
pub use dialect::{Dialect, MapOrder, presets};
pub use encode::{encode, encoded_len};
