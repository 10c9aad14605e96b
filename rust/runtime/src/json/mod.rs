//! ProtoJSON: what generated code calls.
//!
//! Written is one compact line with names as in the schema and defaults left out. Read is all of
//! <https://protobuf.dev/programming-guides/json/> over the strict grammar of RFC 8259: both names
//! of a field, numbers in quotes or not, null as absent. Unknown fields and enum names, repeated
//! fields, and anything behind the value are refused.

mod bytes;
mod float;
mod integer;
mod members;
mod number;
mod scalar;
mod string;
mod time;
mod write;

use interop_wire::Limits;

use crate::{EncodeError, Error, In, protobuf};

pub use members::{
    Members, Name, is_null, read_list, read_map, read_message, repeated_field, space, unknown_field,
};
pub use scalar::{
    key_bool, key_fixed32, key_fixed64, key_i32, key_i64, key_string, key_u32, key_u64, read_bool,
    read_bytes, read_enum, read_f32, read_f64, read_fixed32, read_fixed64, read_i32, read_i64,
    read_string, read_u32, read_u64,
};
pub use time::{read_duration, read_timestamp};
pub use write::Text;

/// A generated message that ProtoJSON can carry.
pub trait Message: protobuf::Message {
    /// Writes the message in the form that its type has, and a comma.
    fn write(&self, text: &mut Text<'_>);

    /// Reads the message, at its first byte, over the default.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read(&mut self, input: &mut In<'_>) -> Result<(), Error>;
}

/// Appends the encoded `message` to `out`.
///
/// # Errors
/// When a Timestamp or Duration is out of range. `out` is unchanged.
#[inline]
pub fn encode<M: Message>(message: &M, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let start = out.len();
    let mut text = Text::new(out);
    Message::write(message, &mut text);
    text.finish(start)
}

/// Length of the encoded `message` in bytes; no cheaper than writing it.
///
/// # Panics
/// Where [`encode`] reports an error.
pub fn encoded_len<M: Message>(message: &M) -> usize {
    crate::Codec::encode_to_vec::<crate::Json>(message).len()
}

/// Replaces `message` by what `bytes` hold.
///
/// # Errors
/// With byte offset and field path.
#[inline]
pub fn decode<M: Message>(message: &mut M, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
    message.clear();
    let mut input = In::new(bytes, limits)?;
    space(&mut input);
    message.read(&mut input)?;
    space(&mut input);
    input.finish()
}
