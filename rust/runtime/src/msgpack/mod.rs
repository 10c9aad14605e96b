//! MessagePack: what generated code calls.
//!
//! A message is a map from field names to values, in the order of the schema: every field is
//! written, nil where one of explicit presence is absent. Readers take keys in any order and
//! numbers in any width that says the same number; they refuse unknown and repeated keys, nil
//! where the schema has none, and numbers that the field can't hold exactly.

mod collection;
mod head;
mod number;
mod write;

use interop_wire::Limits;

use crate::{EncodeError, Error, In, Out, protobuf};

pub use collection::{Members, read_list, read_map, read_message, unknown_key};
pub use head::{read_bytes, read_nil, read_string};
pub use number::{read_bool, read_f32, read_f64, read_i32, read_i64, read_u32, read_u64};
pub use write::{
    Size, bytes_bound, put_bool, put_bytes, put_f32, put_f64, put_i32, put_i64, put_list_head,
    put_map_head, put_nil, put_string, put_u32, put_u64, text_bound,
};

/// A generated message that MessagePack can carry.
///
/// # Safety
/// [`Message::bound`] is at least the number of bytes that [`Message::write`] puts down.
pub unsafe trait Message: protobuf::Message {
    /// An upper bound of the encoded length in bytes, cheaper than the length itself.
    fn bound(&self) -> usize;

    /// The encoded length in bytes.
    fn encoded_len(&self) -> usize;

    /// Writes the map. Lengths above 2^32 - 1 are not written right; [`encode`] sees to it that
    /// there are none.
    ///
    /// # Safety
    /// [`Message::bound`] bytes and [`Out::SLACK`] are reserved at `out`.
    unsafe fn write(&self, out: Out) -> Out;

    /// Reads the map into the message, which holds the default.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read(&mut self, input: &mut In<'_>) -> Result<(), Error>;
}

/// Appends the encoded `message` to `out`.
///
/// # Errors
/// When it takes 4 GiB or more, so that a length may not fit its 32 bits. `out` is unchanged.
#[inline]
pub fn encode<M: Message>(message: &M, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let bound = Message::bound(message);
    if u32::try_from(bound).is_err() && u32::try_from(Message::encoded_len(message)).is_err() {
        return Err(EncodeError::new("", "the message takes 4 GiB or more"));
    }
    let place = Out::reserve(out, bound);
    // SAFETY: the bound is reserved, and `end` comes from that reservation.
    unsafe {
        let end = Message::write(message, place);
        end.finish(out);
    }
    Ok(())
}

/// Replaces `message` by what `bytes` hold.
///
/// # Errors
/// With byte offset and field path.
#[inline]
pub fn decode<M: Message>(message: &mut M, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
    message.clear();
    let mut input = In::new(bytes, limits)?;
    message.read(&mut input)?;
    input.finish()
}

/// The encoded length of `message` in bytes.
pub fn encoded_len<M: Message>(message: &M) -> usize {
    Message::encoded_len(message)
}
