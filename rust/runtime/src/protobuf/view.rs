//! Views of protobuf messages. Named as the owning module's functions are, so that generated code
//! reads both in the same words.

use std::borrow::Cow;

use super::read::{self, skip};
use crate::cpu::{self, Task};
use crate::numbers::{Fixed, count_short_varints};
use crate::{Cpu, Error, FieldError, In, Numbers, Step};

pub use super::*;

type Result<T> = std::result::Result<T, Error>;

/// A generated view that protobuf can carry.
pub trait Message<'a>: Default {
    /// Reads fields up to the end of the part that `input` stands in, on top of what is there.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn merge<C: Cpu>(&mut self, input: &mut In<'a>) -> Result<()>;
}

struct Merge<'m, 'i, 'a, M>(&'m mut M, &'i mut In<'a>);

impl<'a, M: Message<'a>> Task for Merge<'_, '_, 'a, M> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<C: Cpu>(self) -> Self::Output {
        self.0.merge::<C>(self.1)
    }
}

/// The view that `bytes` hold.
///
/// # Errors
/// With byte offset and field path.
#[inline]
pub fn decode<'a, M: Message<'a>>(bytes: &'a [u8], limits: &'a interop_wire::Limits) -> Result<M> {
    let mut result = Ok(M::default());
    if let Ok(message) = &mut result {
        let merged =
            In::new(bytes, limits).and_then(|mut input| cpu::dispatch(Merge(message, &mut input)));
        if let Err(error) = merged {
            result = Err(error);
        }
    }
    result
}

/// Fields that the schema lacks, as they stand in the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::box_collection)] // One word in every view, three only where needed.
pub struct UnknownFields<'a>(Option<Box<Vec<&'a [u8]>>>);

impl<'a> UnknownFields<'a> {
    /// Each with its tag, in the order read.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().flat_map(|fields| fields.iter().copied())
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The same fields, owned.
    pub fn own(&self) -> super::UnknownFields {
        let mut owned = super::UnknownFields::default();
        for field in self.iter() {
            owned.push(field);
        }
        owned
    }
}

/// The value of a string field.
///
/// # Errors
/// When it is cut off or not UTF-8.
#[inline(always)]
pub fn read_string<'a, C: Cpu>(input: &mut In<'a>, text: &mut Cow<'a, str>) -> Result<()> {
    let len = input.varint64::<C>()?;
    *text = Cow::Borrowed(input.utf8(len)?);
    Ok(())
}

/// The value of a bytes field.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn read_bytes<'a, C: Cpu>(input: &mut In<'a>, bytes: &mut &'a [u8]) -> Result<()> {
    let len = input.varint64::<C>()?;
    *bytes = input.take(len)?;
    Ok(())
}

/// The value of a message field, merged into `message`.
///
/// # Errors
/// With byte offset and the path inside the message.
#[inline(always)]
pub fn merge_message<'a, C: Cpu, M: Message<'a>>(
    input: &mut In<'a>,
    message: &mut M,
) -> Result<()> {
    let len = input.varint64::<C>()?;
    input.descend()?;
    input.part(len, |input| cpu::call::<C, _>(Merge(message, input)))?;
    input.ascend();
    Ok(())
}

/// An element of a repeated string field.
///
/// # Errors
/// When it is cut off or not UTF-8.
#[inline(always)]
pub fn push_string<'a, C: Cpu, const T: usize>(
    input: &mut In<'a>,
    texts: &mut Vec<Cow<'a, str>>,
    tag: &[u8; T],
) -> Result<()> {
    input.charge(1, size_of::<Cow<'a, str>>())?;
    let index = texts.len();
    if index == texts.capacity() {
        read::room_for_run(input, texts, tag);
    }
    texts.push(Cow::Borrowed(""));
    read_string::<C>(input, &mut texts[index]).map_err(|error| error.inside(Step::Index(index)))
}

/// An element of a repeated bytes field.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn push_bytes<'a, C: Cpu, const T: usize>(
    input: &mut In<'a>,
    values: &mut Vec<&'a [u8]>,
    tag: &[u8; T],
) -> Result<()> {
    input.charge(1, size_of::<&[u8]>())?;
    let index = values.len();
    if index == values.capacity() {
        read::room_for_run(input, values, tag);
    }
    values.push(&[]);
    read_bytes::<C>(input, &mut values[index]).map_err(|error| error.inside(Step::Index(index)))
}

/// An element of a repeated message field.
///
/// # Errors
/// With byte offset and the path inside the message.
#[inline(always)]
pub fn push_message<'a, C: Cpu, M: Message<'a>, const T: usize>(
    input: &mut In<'a>,
    messages: &mut Vec<M>,
    tag: &[u8; T],
) -> Result<()> {
    input.charge(1, size_of::<M>())?;
    let index = messages.len();
    if index == messages.capacity() {
        read::room_for_run(input, messages, tag);
    }
    messages.push(M::default());
    merge_message::<C, M>(input, &mut messages[index])
        .map_err(|error| error.inside(Step::Index(index)))
}

/// A packed run of varints: borrowed if it is the field's first and none is longer than eight
/// bytes.
///
/// # Errors
/// With the byte offset.
#[inline(always)]
pub fn packed_varints<'a, C: Cpu, E: Copy>(
    input: &mut In<'a>,
    values: &mut Numbers<'a, E>,
    read: fn(u64) -> E,
) -> Result<()> {
    if values.is_empty() {
        let place = input.at;
        let len = input.varint64::<C>()?;
        let bytes = input.take(len)?;
        if let Some(count) = count_short_varints(bytes) {
            input.charge(count, size_of::<E>())?;
            *values = Numbers::varints(bytes, count, read);
            return Ok(());
        }
        input.at = place;
    }
    read::packed_varints::<C, E>(input, values.as_vec(), read)
}

/// A packed run of fixed-width numbers: borrowed if it is the field's first.
///
/// # Errors
/// When its length is no multiple of an element's.
#[inline(always)]
#[allow(private_bounds)] // For generated code; the types are those of the owning function.
pub fn packed_fixed<'a, C: Cpu, E: crate::fory::Dense + Fixed>(
    input: &mut In<'a>,
    values: &mut Numbers<'a, E>,
) -> Result<()> {
    let len = input.varint64::<C>()?;
    if values.is_empty() && len.is_multiple_of(E::SIZE as u64) {
        *values = Numbers::fixed(input.take(len)?);
        return Ok(());
    }
    E::append(input, len, values.as_vec())
}

/// Moves past a field that the schema lacks and keeps its place.
///
/// # Errors
/// When it is malformed or nested too deep.
#[cold]
#[inline(never)]
pub fn skip_or_keep<'a>(
    input: &mut In<'a>,
    tag: Tag,
    unknown: &mut UnknownFields<'a>,
) -> Result<()> {
    skip(input, tag.key).at("(unknown)")?;
    let bytes = input.since(tag.at);
    input.charge(1, bytes.len())?;
    unknown.0.get_or_insert_default().push(bytes);
    Ok(())
}
