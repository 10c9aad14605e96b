//! Reading: tags, scalars, length-delimited parts, and what the schema lacks.

use std::hash::Hash;

use interop_wire::{unzigzag32, unzigzag64};

use super::{Merge, Message, UnknownFields};
use crate::cpu::Routine;
use crate::fory::Dense;
use crate::run::{self, Numbers};
use crate::{Cpu, Error, FieldError, In, Map, Step, cpu};

type Result<T> = std::result::Result<T, Error>;

/// A field's tag as read: number and wire type, and where it began.
#[derive(Clone, Copy, Debug)]
pub struct Tag {
    /// `number << 3 | wire type`.
    pub key: u32,
    pub(super) at: *const u8,
}

impl Tag {
    /// The next tag.
    ///
    /// # Errors
    /// A field number of 0 or past 2^29 - 1; a wire type of 6 or 7.
    #[inline(always)]
    pub fn read<C: Cpu>(input: &mut In<'_>) -> Result<Self> {
        let at = input.at;
        let key = input.varint64::<C>()?;
        if !(8..=u64::from(u32::MAX)).contains(&key) || key & 7 > 5 {
            return Err(wrong_tag(input, at, key));
        }
        let key = key as u32;
        Ok(Self { key, at })
    }
}

#[cold]
#[inline(never)]
fn wrong_tag(input: &In<'_>, at: *const u8, key: u64) -> Error {
    let offset = input.offset() - (input.at as usize - at as usize);
    Error::malformed(
        offset,
        format!(
            "tag {key:#x}: field number {} and wire type {} don't exist",
            key >> 3,
            key & 7
        ),
    )
}

macro_rules! scalars {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = |$input:ident| $read:expr;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// With the byte offset.
        #[inline(always)]
        pub fn $name<C: Cpu>($input: &mut In<'_>) -> Result<$ty> {
            $read
        })*
    };
}

scalars! {
    /// int32 and enum: the low 32 bits of a varint.
    i32_: i32 = |input| input.varint64::<C>().map(|value| value as i32);
    /// int64.
    i64_: i64 = |input| input.varint64::<C>().map(|value| value as i64);
    /// uint32: the low 32 bits of a varint.
    u32_: u32 = |input| input.varint64::<C>().map(|value| value as u32);
    /// sint32.
    zigzag32: i32 = |input| input.varint64::<C>().map(|value| unzigzag32(value as u32));
    /// sint64.
    zigzag64: i64 = |input| input.varint64::<C>().map(unzigzag64);
    /// bool: any number but 0 is true.
    bool_: bool = |input| input.varint64::<C>().map(|value| value != 0);
    /// fixed32.
    fixed32: u32 = |input| input.array().map(u32::from_le_bytes);
    /// fixed64.
    fixed64: u64 = |input| input.array().map(u64::from_le_bytes);
    /// sfixed32.
    sfixed32: i32 = |input| input.array().map(i32::from_le_bytes);
    /// sfixed64.
    sfixed64: i64 = |input| input.array().map(i64::from_le_bytes);
    /// float.
    float: f32 = |input| input.array().map(f32::from_le_bytes);
    /// double.
    double: f64 = |input| input.array().map(f64::from_le_bytes);
    /// uint64.
    u64_: u64 = |input| input.varint64::<C>();
}

/// The value of a string field.
///
/// # Errors
/// When it is cut off or not UTF-8.
#[inline(always)]
pub fn read_string<C: Cpu>(input: &mut In<'_>, text: &mut String) -> Result<()> {
    let len = input.varint64::<C>()?;
    input.utf8_into(len, text)
}

/// The value of a bytes field.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn read_bytes<C: Cpu>(input: &mut In<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    let len = input.varint64::<C>()?;
    input.bytes_into(len, bytes)
}

/// The value of a message field, merged into `message`.
///
/// # Errors
/// With byte offset and the path inside the message.
#[inline(always)]
pub fn merge_message<C: Cpu, M: Message>(input: &mut In<'_>, message: &mut M) -> Result<()> {
    let len = input.varint64::<C>()?;
    input.descend()?;
    input.part(len, |input| cpu::call::<C, _>(Merge(message, input)))?;
    input.ascend();
    Ok(())
}

/// Room for the element that `input` stands in, behind its tag, and for those that follow it
/// under the same tag: they are counted by their lengths, so that there is one allocation and
/// its size is right.
#[inline(never)]
pub(super) fn room_for_run<E, const T: usize>(input: &In<'_>, values: &mut Vec<E>, tag: &[u8; T]) {
    let count = run_len(input.rest(), tag);
    // Past the memory limit elements are refused one by one, as they come.
    if !input.can_charge(count, size_of::<E>()) {
        return;
    }
    if values.is_empty() {
        *values = Vec::with_capacity(count);
    } else {
        values.reserve(count);
    }
}

/// Number of length-delimited elements in `bytes`, which begin with a length: one, and as many
/// as follow under the same tag. Whatever is wrong with them is left to the reader.
#[inline(always)]
fn run_len<const T: usize>(bytes: &[u8], tag: &[u8; T]) -> usize {
    let mut count = 1;
    let mut rest = bytes;
    loop {
        let (len, head) = match rest {
            [a @ ..0x80, ..] => (usize::from(*a), 1),
            [a, b @ ..0x80, ..] => (usize::from(a & 0x7f) | usize::from(*b) << 7, 2),
            [a, b, c @ ..0x80, ..] => {
                let low = usize::from(a & 0x7f) | usize::from(b & 0x7f) << 7;
                (low | usize::from(*c) << 14, 3)
            }
            _ => return count,
        };
        match rest.get(head + len..).and_then(<[u8]>::split_first_chunk) {
            Some((next, behind)) if next == tag => rest = behind,
            _ => return count,
        }
        count += 1;
    }
}

/// An element of a repeated string field, behind its `tag`.
///
/// # Errors
/// When it is cut off or not UTF-8.
#[inline(always)]
pub fn push_string<C: Cpu, const T: usize>(
    input: &mut In<'_>,
    texts: &mut Vec<String>,
    tag: &[u8; T],
) -> Result<()> {
    input.charge(1, size_of::<String>())?;
    let index = texts.len();
    if index == texts.capacity() {
        room_for_run(input, texts, tag);
    }
    texts.push(String::new());
    read_string::<C>(input, &mut texts[index]).map_err(|error| error.inside(Step::Index(index)))
}

/// An element of a repeated bytes field, behind its `tag`.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn push_bytes<C: Cpu, const T: usize>(
    input: &mut In<'_>,
    values: &mut Vec<Vec<u8>>,
    tag: &[u8; T],
) -> Result<()> {
    input.charge(1, size_of::<Vec<u8>>())?;
    let index = values.len();
    if index == values.capacity() {
        room_for_run(input, values, tag);
    }
    values.push(Vec::new());
    read_bytes::<C>(input, &mut values[index]).map_err(|error| error.inside(Step::Index(index)))
}

/// An entry of a map field, behind its `tag` and those in `map`; what is left out is the default. The
/// caller sees to it that keys are unique once all are read.
///
/// # Errors
/// With byte offset and the entry's place.
#[inline(always)]
pub fn merge_entry<'a, C: Cpu, K: Default + Eq + Hash, V: Default, const T: usize>(
    input: &mut In<'a>,
    map: &mut Map<K, V>,
    tag: &[u8; T],
    key_tag: u8,
    value_tag: u8,
    read_key: impl Fn(&mut In<'a>, &mut K) -> Result<()>,
    read_value: impl Fn(&mut In<'a>, &mut V) -> Result<()>,
) -> Result<()> {
    input.charge(1, size_of::<(K, V)>())?;
    let entries = map.raw();
    let index = entries.len();
    if index == entries.capacity() {
        room_for_run(input, entries, tag);
    }
    let len = input.varint64::<C>()?;
    entries.push(Default::default());
    let (key, value) = &mut entries[index];
    let read = input.part(len, |input| {
        if input.next_is(key_tag) {
            read_key(input, key)?;
        }
        if input.next_is(value_tag) {
            read_value(input, value)?;
        }
        while !input.is_at_end() {
            let tag = Tag::read::<cpu::Portable>(input)?;
            if tag.key == u32::from(key_tag) {
                read_key(input, key)?;
            } else if tag.key == u32::from(value_tag) {
                read_value(input, value)?;
            } else {
                skip(input, tag.key)?;
            }
        }
        Ok(())
    });
    read.map_err(|error| error.inside(Step::Entry(index)))
}

/// An element of a repeated message field, behind its `tag`.
///
/// # Errors
/// With byte offset and the path inside the message.
#[inline(always)]
pub fn push_message<C: Cpu, M: Message, const T: usize>(
    input: &mut In<'_>,
    messages: &mut Vec<M>,
    tag: &[u8; T],
) -> Result<()> {
    input.charge(1, size_of::<M>())?;
    let index = messages.len();
    if index == messages.capacity() {
        room_for_run(input, messages, tag);
    }
    messages.push(M::default());
    merge_message::<C, M>(input, &mut messages[index])
        .map_err(|error| error.inside(Step::Index(index)))
}

/// Elements of a packed run.
pub trait Packed: Copy {}

impl<T: Copy> Packed for T {}

/// A packed run of varints: one allocation, sized by counting the bytes that end a varint.
///
/// # Errors
/// With the byte offset.
#[inline(always)]
pub fn packed_varints<C: Cpu, E: Packed>(
    input: &mut In<'_>,
    values: &mut Vec<E>,
    read: impl Fn(u64) -> E,
) -> Result<()> {
    // A function of its own: its loop wants all registers.
    cpu::call_routine::<C, PackedVarints, _, _, _>(input, values, read)
}

struct PackedVarints;

impl<E: Packed, F: Fn(u64) -> E> Routine<&mut In<'_>, &mut Vec<E>, F> for PackedVarints {
    type Output = Result<()>;

    #[inline(always)]
    fn run<C: Cpu>(input: &mut In<'_>, values: &mut Vec<E>, read: F) -> Result<()> {
        // No closure around this: it would be compiled without the CPU's instructions.
        let len = input.varint64::<C>()?;
        let outer = input.enter(len)?;
        let window = run::Window::of_part(input);
        let count = match &window {
            Some(window) => window.count(),
            None => run::count(input),
        };
        input.charge(count, size_of::<E>())?;
        crate::input::make_room(values, count);
        let written = values.len();
        if count == input.remaining() {
            // Each number is one byte.
            let bytes = input.rest();
            // SAFETY: room for `count` numbers was reserved behind the length.
            unsafe {
                let to = values.as_mut_ptr().add(written);
                for (i, byte) in bytes.iter().enumerate() {
                    to.add(i).write(read(u64::from(*byte)));
                }
                values.set_len(written + count);
            }
            input.advance(count);
        } else if let Some(mut window) = window {
            // SAFETY: each number ends with one of the `count` bytes counted above, for which
            // room was reserved.
            unsafe {
                let start = values.as_mut_ptr().add(written);
                let mut to = start;
                while let Some(value) = window.next::<C>() {
                    to.write(read(value));
                    to = to.add(1);
                }
                values.set_len(written + to.offset_from(start) as usize);
            }
            input.advance(window.read());
        } else {
            long_run::<C, E>(input, values, &read);
        }
        while !input.is_at_end() {
            values.push(read(input.varint64::<C>()?));
        }
        input.leave(outer);
        Ok(())
    }
}

/// The numbers of a run that is longer than a window or close to the input's end, in windows.
/// Room for all of them is reserved; what is malformed is left.
#[inline(always)]
fn long_run<C: Cpu, E: Packed>(input: &mut In<'_>, values: &mut Vec<E>, read: &impl Fn(u64) -> E) {
    let mut written = values.len();
    let to = values.as_mut_ptr();
    while input.remaining() >= 8 {
        let mut numbers = Numbers::new(input);
        while let Some(value) = numbers.next::<C>() {
            // SAFETY: each number ends with one of the bytes that were counted, for which room
            // was reserved.
            unsafe { to.add(written).write(read(value)) };
            written += 1;
        }
        if !numbers.finish(input) {
            break;
        }
    }
    // SAFETY: all of them were written.
    unsafe { values.set_len(written) };
}

/// A packed run of fixed-width numbers.
///
/// # Errors
/// When its length is no multiple of an element's.
#[inline(always)]
pub fn packed_fixed<C: Cpu, E: Dense>(input: &mut In<'_>, values: &mut Vec<E>) -> Result<()> {
    let len = input.varint64::<C>()?;
    E::append(input, len, values)
}

/// Moves past a field that the schema lacks and keeps its bytes.
///
/// # Errors
/// When it is malformed or nested too deep.
#[cold]
#[inline(never)]
pub fn skip_or_keep(input: &mut In<'_>, tag: Tag, unknown: &mut UnknownFields) -> Result<()> {
    skip(input, tag.key).at("(unknown)")?;
    let bytes = input.since(tag.at);
    input.charge(1, bytes.len())?;
    unknown.push(bytes);
    Ok(())
}

pub(super) fn skip(input: &mut In<'_>, key: u32) -> Result<()> {
    type C = cpu::Portable;
    match key & 7 {
        0 => input.varint64::<C>().map(drop),
        1 => input.array::<8>().map(drop),
        2 => {
            let len = input.varint64::<C>()?;
            input.take(len).map(drop)
        }
        3 => {
            input.descend()?;
            loop {
                let tag = Tag::read::<C>(input)?;
                if tag.key == key + 1 {
                    break;
                }
                skip(input, tag.key)?;
            }
            input.ascend();
            Ok(())
        }
        5 => input.array::<4>().map(drop),
        _ => Err(input.malformed("end of a group that did not begin")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_under_one_tag_are_counted() {
        let tag = &[0x82, 0x01];
        let mut bytes = vec![2, 7, 7];
        for len in [0usize, 127, 128, 20_000] {
            bytes.extend(tag);
            let mut out = interop_wire::Writer::new();
            out.varint(len as u64);
            bytes.extend(out.as_slice());
            bytes.extend(std::iter::repeat_n(9, len));
        }
        assert_eq!(run_len(&bytes, tag), 5);
        // What is cut off is counted up to the element that lacks bytes.
        for (cut, count) in [(0, 1), (1, 1), (3, 1), (4, 1), (5, 2), (6, 2), (8, 3)] {
            assert_eq!(run_len(&bytes[..cut], tag), count, "cut to {cut}");
        }
        bytes.extend([0x8a, 0x01, 0]);
        assert_eq!(run_len(&bytes, tag), 5);
        assert_eq!(run_len(&[0xff; 20], tag), 1);
    }
}
