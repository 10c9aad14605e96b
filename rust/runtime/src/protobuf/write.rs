//! Writing: sizes, bounds, and length-delimited parts.
//!
//! The length of a part is put in front of it once the part is written. How many bytes the
//! length will take is guessed from the part's bound, or from the length of the element
//! before; a wrong guess costs one move of the part.

use interop_wire::varint::varint_len;

use super::{Message, Write};
use crate::cpu;
use crate::out::length_bytes;
use crate::{Cpu, Out};

/// Longest form of a length, in bytes.
const LENGTH_BOUND: usize = 10;

/// Size of the varint of `value` in bytes.
#[inline(always)]
pub fn varint_size(value: u64) -> usize {
    varint_len(value)
}

/// Size of a length-delimited part of `len` bytes without its tag.
#[inline(always)]
pub fn len_size(len: usize) -> usize {
    varint_len(len as u64) + len
}

/// Bound of a length-delimited part of at most `bound` bytes without its tag.
#[inline(always)]
pub fn len_bound(bound: usize) -> usize {
    LENGTH_BOUND + bound
}

/// Sizes of the scalar kinds that vary.
pub struct Size;

impl Size {
    /// int32, enum: negative ones take ten bytes.
    #[inline(always)]
    pub fn i32(value: i32) -> usize {
        varint_len(i64::from(value) as u64)
    }

    /// int64.
    #[inline(always)]
    pub fn i64(value: i64) -> usize {
        varint_len(value as u64)
    }

    /// uint32.
    #[inline(always)]
    pub fn u32(value: u32) -> usize {
        varint_len(u64::from(value))
    }

    /// sint32.
    #[inline(always)]
    pub fn s32(value: i32) -> usize {
        varint_len(u64::from(interop_wire::zigzag32(value)))
    }

    /// sint64.
    #[inline(always)]
    pub fn s64(value: i64) -> usize {
        varint_len(interop_wire::zigzag64(value))
    }
}

/// A string or bytes field: tag, length, contents.
///
/// # Safety
/// Tag, ten bytes and the contents' length are reserved; so for all functions here.
#[inline(always)]
pub unsafe fn write_bytes<const T: usize>(out: &mut Out, tag: [u8; T], bytes: &[u8]) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.array(tag);
        out.length(bytes.len());
        out.bytes(bytes);
    }
}

/// A message field.
///
/// # Safety
/// See [`write_bytes`].
#[inline(always)]
pub unsafe fn write_message<C: Cpu, M: Message, const T: usize>(
    out: &mut Out,
    tag: [u8; T],
    message: &M,
) {
    let guess = length_bytes(message.bound());
    // SAFETY: passed on to the caller.
    unsafe {
        write_guessed::<C, M, T>(out, tag, message, guess);
    }
}

#[inline(always)]
unsafe fn write_guessed<C: Cpu, M: Message, const T: usize>(
    out: &mut Out,
    tag: [u8; T],
    message: &M,
    guess: usize,
) -> usize {
    // SAFETY: passed on to the caller.
    unsafe {
        out.array(tag);
        let start = out.begin(guess);
        *out = cpu::call::<C, _>(Write(message, *out));
        out.end(start, guess)
    }
}

/// A repeated message field. The first element's length is guessed to be short, that of each
/// other to be like the one before.
///
/// # Safety
/// See [`write_bytes`].
#[inline(always)]
pub unsafe fn write_repeated_messages<C: Cpu, M: Message, const T: usize>(
    out: &mut Out,
    tag: [u8; T],
    messages: &[M],
) {
    let mut guess = match messages.first() {
        Some(first) => length_bytes(first.bound()),
        None => return,
    };
    for message in messages {
        // SAFETY: passed on to the caller.
        guess = unsafe { write_guessed::<C, M, T>(out, tag, message, guess) };
    }
}

/// A packed field of elements that `write` puts down, `longest` bytes each at most.
///
/// # Safety
/// See [`write_bytes`].
#[inline(always)]
pub unsafe fn write_packed_varints<E: Copy, const T: usize>(
    out: &mut Out,
    tag: [u8; T],
    values: &[E],
    longest: usize,
    write: impl Fn(&mut Out, E),
) {
    if values.is_empty() {
        return;
    }
    // Most numbers are far shorter than the longest form.
    let guess = length_bytes(values.len() * longest / 2);
    // SAFETY: passed on to the caller.
    unsafe {
        out.array(tag);
        let start = out.begin(guess);
        for value in values {
            write(out, *value);
        }
        out.end(start, guess);
    }
}

/// A packed field of fixed-width elements.
///
/// # Safety
/// See [`write_bytes`].
#[inline(always)]
pub unsafe fn write_packed_fixed<E: crate::fory::Dense, const T: usize>(
    out: &mut Out,
    tag: [u8; T],
    values: &[E],
) {
    if values.is_empty() {
        return;
    }
    // SAFETY: passed on to the caller.
    unsafe {
        out.array(tag);
        out.length(size_of_val(values));
        E::write(out, values);
    }
}
