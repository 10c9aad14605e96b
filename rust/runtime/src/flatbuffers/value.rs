//! Strings, vectors and maps, read over the default.

use std::hash::Hash;

use super::Message;
use super::buffer::{BYTES, Buffer};
use crate::{Error, Map, Step};

type Result<T> = std::result::Result<T, Error>;

/// Conversion of a vector's elements.
pub trait Scalar<const N: usize>: Sized {
    /// The value of little-endian bytes; none for what is no value.
    fn of(bytes: [u8; N]) -> Option<Self>;
}

macro_rules! scalar {
    ($($ty:ty, $size:literal;)*) => {
        $(impl Scalar<$size> for $ty {
            #[inline(always)]
            fn of(bytes: [u8; $size]) -> Option<Self> {
                Some(Self::from_le_bytes(bytes))
            }
        })*
    };
}

scalar! { i32, 4; i64, 8; u32, 4; u64, 8; f32, 4; f64, 8; i8, 1; }

impl Scalar<1> for bool {
    #[inline(always)]
    fn of([byte]: [u8; 1]) -> Option<Self> {
        (byte < 2).then_some(byte == 1)
    }
}

/// The string at `start` into `text`.
///
/// # Errors
/// When it is broken or overlaps something else; so for all below.
#[inline(always)]
pub fn read_string(buffer: &mut Buffer<'_>, start: usize, text: &mut String) -> Result<()> {
    let read = buffer.text(start)?;
    text.clear();
    text.reserve_exact(read.len());
    text.push_str(read);
    Ok(())
}

/// The vector of bytes at `start` into `bytes`.
///
/// # Errors
/// See [`read_string`].
pub fn read_bytes(buffer: &mut Buffer<'_>, start: usize, bytes: &mut Vec<u8>) -> Result<()> {
    let read = buffer.vector(start, 1, BYTES)?;
    buffer.charge(start, 1, read.len())?;
    bytes.clear();
    bytes.extend_from_slice(read);
    Ok(())
}

/// The table at `start` into `message`.
///
/// # Errors
/// See [`read_string`].
#[inline]
pub fn read_message<M: Message>(
    buffer: &mut Buffer<'_>,
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
pub fn read_scalars<S: Scalar<N>, T, const N: usize>(
    buffer: &mut Buffer<'_>,
    start: usize,
    values: &mut Vec<T>,
    kind: u64,
    convert: impl Fn(S) -> T,
) -> Result<()> {
    let (elements, _) = buffer.vector(start, N, kind)?.as_chunks::<N>();
    buffer.charge(start, elements.len(), size_of::<T>())?;
    values.reserve_exact(elements.len());
    for (index, element) in elements.iter().enumerate() {
        match S::of(*element) {
            Some(value) => values.push(convert(value)),
            None => {
                let error = Error::malformed(start + 4 + N * index, "the byte is no bool");
                return Err(error.inside(Step::Index(index)));
            }
        }
    }
    Ok(())
}

/// The vector of offsets at `start` into `values`; `read` reads what each leads to.
#[inline(always)]
pub(super) fn read_offsets<'a, T: Default>(
    buffer: &mut Buffer<'a>,
    start: usize,
    values: &mut Vec<T>,
    kind: u64,
    read: impl Fn(&mut Buffer<'a>, usize, &mut T) -> Result<()>,
) -> Result<()> {
    let count = buffer.vector(start, 4, kind)?.len() / 4;
    buffer.charge(start, count, size_of::<T>())?;
    values.reserve_exact(count);
    for index in 0..count {
        let mut value = T::default();
        let target = buffer.target(start + 4 + 4 * index);
        target
            .and_then(|target| read(buffer, target, &mut value))
            .map_err(|error| error.inside(Step::Index(index)))?;
        values.push(value);
    }
    Ok(())
}

/// The vector of strings at `start` into `values`.
///
/// # Errors
/// See [`read_string`].
pub fn read_strings(
    buffer: &mut Buffer<'_>,
    start: usize,
    values: &mut Vec<String>,
    kind: u64,
) -> Result<()> {
    read_offsets(buffer, start, values, kind, read_string)
}

/// The vector of tables at `start` into `values`.
///
/// # Errors
/// See [`read_string`].
#[inline]
pub fn read_messages<M: Message>(
    buffer: &mut Buffer<'_>,
    start: usize,
    values: &mut Vec<M>,
    kind: u64,
) -> Result<()> {
    read_offsets(
        buffer,
        start,
        values,
        kind,
        |buffer, start, message: &mut M| message.read(buffer, start),
    )
}

/// The vector of tables of one field each, the bytes; `item` is the kind of these tables.
///
/// # Errors
/// See [`read_string`].
pub fn read_bytes_list(
    buffer: &mut Buffer<'_>,
    start: usize,
    values: &mut Vec<Vec<u8>>,
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

/// The vector of entries at `start` into `map`; `read` reads the table of each.
///
/// # Errors
/// See [`read_string`]; when a key occurs twice.
#[inline]
pub fn read_map<'a, K: Default + Eq + Hash, V: Default>(
    buffer: &mut Buffer<'a>,
    start: usize,
    map: &mut Map<K, V>,
    kind: u64,
    read: impl Fn(&mut Buffer<'a>, usize, &mut (K, V)) -> Result<()>,
) -> Result<()> {
    read_offsets(buffer, start, map.raw(), kind, read)?;
    match map.first_repeated() {
        None => Ok(()),
        Some(index) => {
            Err(Error::malformed(start, "the key occurs twice").inside(Step::Index(index)))
        }
    }
}
