//! FlatBuffers: what generated code calls.
//!
//! A message is a table; the field at position n of the schema has slot n. Written is what
//! flatc's builders write when fields are added in schema order, except that -0.0 is kept. Reading
//! verifies all of the buffer: bounds, alignment, vtables, terminators, UTF-8, bools of 0 and 1,
//! overlaps, and that what nothing refers to is zero.

mod buffer;
mod builder;
mod claims;
mod value;
pub mod view;
mod vtables;

use interop_wire::Limits;

use crate::{EncodeError, Error, protobuf};

pub use buffer::{Buffer, Table};
pub use builder::{Builder, OFFSETS, SCALARS, TEXT};
pub use value::{
    Scalar, read_bytes, read_bytes_list, read_map, read_message, read_messages, read_scalars,
    read_string, read_strings,
};

/// A generated message that FlatBuffers can carry.
///
/// # Safety
/// [`Message::bound`] is at least the number of bytes that [`Message::write`] puts down, padding
/// and vtables included.
pub unsafe trait Message: protobuf::Message {
    /// The table's type, to tell whether two references mean the same.
    const KIND: u64;

    /// An upper bound of what the table takes with all that it refers to, in bytes.
    fn bound(&self) -> usize;

    /// Writes the table and, before it, all that it refers to. Returns the table's distance from
    /// the end of the buffer.
    ///
    /// # Safety
    /// [`Message::bound`] bytes are reserved in front of what `builder` wrote.
    unsafe fn write(&self, builder: &mut Builder) -> u32;

    /// Reads the table at `start` over the default.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read(&mut self, buffer: &mut Buffer<'_>, start: usize) -> Result<(), Error>;
}

/// Appends the encoded `message` to `out`. Alignment counts from the first byte appended.
///
/// # Errors
/// When an enum's number does not fit its byte, or the buffer may take 2 GiB or more. `out` is
/// unchanged.
#[inline]
pub fn encode<M: Message>(message: &M, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let bound = Message::bound(message).saturating_add(Builder::ROOT);
    if i32::try_from(bound).is_err() {
        return Err(EncodeError::new("", "the buffer may take 2 GiB or more"));
    }
    let mut builder = Builder::reserve(out, bound);
    // SAFETY: the bound is reserved; the builder comes from that reservation.
    unsafe {
        let root = Message::write(message, &mut builder);
        builder.finish(root, out)
    }
}

/// Length of the encoded `message` in bytes; no cheaper than writing it.
///
/// # Panics
/// Where [`encode`] reports an error.
pub fn encoded_len<M: Message>(message: &M) -> usize {
    crate::Codec::encode_to_vec::<crate::FlatBuffers>(message).len()
}

/// Replaces `message` by what `bytes` hold.
///
/// # Errors
/// With byte offset and field path.
#[inline]
pub fn decode<M: Message>(message: &mut M, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
    message.clear();
    let mut buffer = Buffer::new(bytes, limits)?;
    let start = buffer.root()?;
    message.read(&mut buffer, start)?;
    buffer.finish()
}
