//! Protocol Buffers binary: what generated code calls.

mod read;
mod unknown;
pub mod view;
mod write;

use interop_wire::Limits;

use crate::cpu::{self, Task};
use crate::{Cpu, Error, In, Out};

pub use crate::out::length_bytes;
pub use interop_wire::{unzigzag32, unzigzag64};
pub use read::{
    Packed, Tag, bool_, double, fixed32, fixed64, float, i32_, i64_, merge_entry, merge_message,
    packed_fixed, packed_varints, push_bytes, push_message, push_string, read_bytes, read_string,
    sfixed32, sfixed64, skip_or_keep, u32_, u64_, zigzag32, zigzag64,
};
pub use unknown::UnknownFields;
pub use write::{
    Size, len_bound, len_size, varint_size, write_bytes, write_message, write_packed_fixed,
    write_packed_varints, write_repeated_messages,
};

/// A generated message that protobuf can carry.
///
/// # Safety
/// [`Message::bound`] is at least the number of bytes that [`Message::write`] puts down, with ten
/// for the length of each length-delimited part.
pub unsafe trait Message: Default {
    /// An upper bound of the encoded length in bytes, cheaper than the length itself.
    fn bound(&self) -> usize;

    /// The encoded length in bytes.
    fn encoded_len(&self) -> usize;

    /// Writes all fields.
    ///
    /// # Safety
    /// [`Message::bound`] bytes and [`Out::SLACK`] are reserved at `out`.
    unsafe fn write<C: Cpu>(&self, out: Out) -> Out;

    /// Reads fields up to the end of the part that `input` stands in, on top of what is there.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn merge<C: Cpu>(&mut self, input: &mut In<'_>) -> Result<(), Error>;

    /// Back to the default, keeping allocations.
    fn clear(&mut self);
}

struct Write<'m, M>(&'m M, Out);

impl<M: Message> Task for Write<'_, M> {
    type Output = Out;

    #[inline(always)]
    fn run<C: Cpu>(self) -> Out {
        // SAFETY: whoever makes the task has reserved the bound.
        unsafe { self.0.write::<C>(self.1) }
    }
}

struct Merge<'m, 'i, 'a, M>(&'m mut M, &'i mut In<'a>);

impl<M: Message> Task for Merge<'_, '_, '_, M> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<C: Cpu>(self) -> Self::Output {
        self.0.merge::<C>(self.1)
    }
}

/// Appends the encoded `message` to `out`.
#[inline]
pub fn encode<M: Message>(message: &M, out: &mut Vec<u8>) {
    let place = Out::reserve(out, message.bound());
    let end = cpu::dispatch(Write(message, place));
    // SAFETY: `end` comes from the reservation above.
    unsafe { end.finish(out) }
}

/// Replaces `message` by what `bytes` hold.
///
/// # Errors
/// With byte offset and field path.
#[inline]
pub fn decode<M: Message>(message: &mut M, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
    message.clear();
    let mut input = In::new(bytes, limits)?;
    cpu::dispatch(Merge(message, &mut input))
}
