//! Views of FlatBuffers tables. Named as the owning module's functions are, so that generated code
//! reads both in the same words.

use std::borrow::Cow;

use interop_wire::Limits;

use super::buffer::BYTES;
use super::value::{self, read_offsets};
use crate::{Error, Numbers};

pub use super::*;

type Result<T> = std::result::Result<T, Error>;

/// A generated view that FlatBuffers can carry.
pub trait Message<'a>: Default {
    /// The table's type, to tell whether two references mean the same.
    const KIND: u64;

    /// Reads the table at `start` over the default.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read(&mut self, buffer: &mut Buffer<'a>, start: usize) -> Result<()>;
}

/// The view that `bytes` hold.
///
/// # Errors
/// With byte offset and field path.
#[inline]
pub fn decode<'a, M: Message<'a>>(bytes: &'a [u8], limits: &'a Limits) -> Result<M> {
    let mut message = M::default();
    let mut buffer = Buffer::new(bytes, limits)?;
    let start = buffer.root()?;
    message.read(&mut buffer, start)?;
    buffer.finish()?;
    Ok(message)
}

/// The string at `start` into `text`.
///
/// # Errors
/// When it is broken or overlaps something else; so for all below.
#[inline(always)]
pub fn read_string<'a>(
    buffer: &mut Buffer<'a>,
    start: usize,
    text: &mut Cow<'a, str>,
) -> Result<()> {
    *text = Cow::Borrowed(buffer.text(start)?);
    Ok(())
}

/// The vector of bytes at `start` into `bytes`.
///
/// # Errors
/// See [`read_string`].
pub fn read_bytes<'a>(buffer: &mut Buffer<'a>, start: usize, bytes: &mut &'a [u8]) -> Result<()> {
    *bytes = buffer.vector(start, 1, BYTES)?;
    Ok(())
}

/// The table at `start` into `message`.
///
/// # Errors
/// See [`read_string`].
#[inline]
pub fn read_message<'a, M: Message<'a>>(
    buffer: &mut Buffer<'a>,
    start: usize,
    message: &mut M,
) -> Result<()> {
    message.read(buffer, start)
}

/// The vector of scalars at `start` into `values`; `convert` makes the field's type of them.
///
/// # Errors
/// See [`read_string`].
#[inline]
pub fn read_scalars<'a, S: Scalar<N>, T: Copy, const N: usize>(
    buffer: &mut Buffer<'a>,
    start: usize,
    values: &mut Numbers<'a, T>,
    kind: u64,
    convert: impl Fn(S) -> T,
) -> Result<()> {
    value::read_scalars(buffer, start, values.as_vec(), kind, convert)
}

/// The vector of strings at `start` into `values`.
///
/// # Errors
/// See [`read_string`].
pub fn read_strings<'a>(
    buffer: &mut Buffer<'a>,
    start: usize,
    values: &mut Vec<Cow<'a, str>>,
    kind: u64,
) -> Result<()> {
    read_offsets(buffer, start, values, kind, read_string)
}

/// The vector of tables at `start` into `values`.
///
/// # Errors
/// See [`read_string`].
#[inline]
pub fn read_messages<'a, M: Message<'a>>(
    buffer: &mut Buffer<'a>,
    start: usize,
    values: &mut Vec<M>,
    kind: u64,
) -> Result<()> {
    read_offsets(buffer, start, values, kind, read_message)
}

/// The vector of tables of one field each, the bytes; `item` is the kind of these tables.
///
/// # Errors
/// See [`read_string`].
pub fn read_bytes_list<'a>(
    buffer: &mut Buffer<'a>,
    start: usize,
    values: &mut Vec<&'a [u8]>,
    kind: u64,
    item: u64,
) -> Result<()> {
    read_offsets(buffer, start, values, kind, |buffer, start, value| {
        let table = buffer.table(start, item, 1, size_of::<Vec<u8>>())?;
        if let Some(start) = table.target(buffer, 0)? {
            read_bytes(buffer, start, value)?;
        }
        buffer.close();
        Ok(())
    })
}
