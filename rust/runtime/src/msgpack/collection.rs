//! Messages, lists and maps. Each is a level of its own for the depth limit.

use std::hash::Hash;

use super::Message;
use super::head::{Head, str_len};
use crate::{Error, In, Map, Step};

type Result<T> = std::result::Result<T, Error>;

/// Entries of a message's map that are still to be read.
#[derive(Debug)]
pub struct Members {
    left: u32,
}

impl Members {
    /// The head of a message's map; one level down until [`Members::close`].
    ///
    /// # Errors
    /// When no map comes next, or the level is too deep.
    #[inline(always)]
    pub fn open(input: &mut In<'_>) -> Result<Self> {
        let left = match input.peek() {
            Some(byte @ 0x80..=0x8f) => {
                input.advance(1);
                u32::from(byte & 0x0f)
            }
            _ => long_map(input)?,
        };
        input.descend()?;
        Ok(Self { left })
    }

    /// Moves past `key`, as its shortest form is spelled, if another entry begins with it.
    #[inline(always)]
    pub fn next_is<const N: usize>(&mut self, input: &mut In<'_>, key: &[u8; N]) -> bool {
        let is = self.left > 0 && input.next_are(key);
        self.left -= u32::from(is);
        is
    }

    /// The key of another entry, and its byte offset; none behind the last.
    ///
    /// # Errors
    /// When it is no str, or not UTF-8.
    pub fn next<'a>(&mut self, input: &mut In<'a>) -> Result<Option<(usize, &'a [u8])>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let start = input.offset();
        let len = str_len(input, "a str as key")?;
        let key = input.take(len.into())?;
        input.check_utf8(key)?;
        Ok(Some((start, key)))
    }

    /// True when entries are left.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.left > 0
    }

    /// Back up from [`Members::open`].
    #[inline(always)]
    pub fn close(self, input: &mut In<'_>) {
        input.ascend();
    }
}

#[cold]
#[inline(never)]
fn long_map(input: &mut In<'_>) -> Result<u32> {
    let start = input.offset();
    match Head::read(input)? {
        Head::Map(count) => Ok(count),
        other => Err(other.unexpected(start, "a map")),
    }
}

/// The error of a key that names no field of `message`, at `start`.
#[cold]
pub fn unknown_key(start: usize, key: &[u8], message: &str) -> Error {
    let name: String = String::from_utf8_lossy(key).chars().take(80).collect();
    Error::malformed(start, format!("{message} has no field {name:?}"))
}

/// A sub-message into `message`, which holds the default.
///
/// # Errors
/// With byte offset and the path inside the message.
#[inline]
pub fn read_message<M: Message>(input: &mut In<'_>, message: &mut M) -> Result<()> {
    message.read(input)
}

/// An array into `values`; `read` reads an element over the default.
///
/// # Errors
/// When no array comes next, when it is cut off, and those of `read`.
#[inline]
pub fn read_list<T: Default>(
    input: &mut In<'_>,
    values: &mut Vec<T>,
    read: impl Fn(&mut In<'_>, &mut T) -> Result<()>,
) -> Result<()> {
    let start = input.offset();
    let count = match Head::read(input)? {
        Head::Array(count) => count,
        other => return Err(other.unexpected(start, "an array")),
    };
    input.check_count(count.into(), 1)?;
    input.charge(count as usize, size_of::<T>())?;
    input.descend()?;
    values.reserve_exact(count as usize);
    for index in 0..count as usize {
        let mut value = T::default();
        read(input, &mut value).map_err(|error| error.inside(Step::Index(index)))?;
        values.push(value);
    }
    input.ascend();
    Ok(())
}

/// A map into `map`; `read_key` and `read_value` read over the default.
///
/// # Errors
/// When no map comes next, when it is cut off, when a key occurs twice, and those of the two.
#[inline]
pub fn read_map<K: Default + Eq + Hash, V: Default>(
    input: &mut In<'_>,
    map: &mut Map<K, V>,
    read_key: impl Fn(&mut In<'_>, &mut K) -> Result<()>,
    read_value: impl Fn(&mut In<'_>, &mut V) -> Result<()>,
) -> Result<()> {
    let start = input.offset();
    let count = match Head::read(input)? {
        Head::Map(count) => count,
        other => return Err(other.unexpected(start, "a map")),
    };
    input.check_count(count.into(), 2)?;
    input.charge(count as usize, size_of::<(K, V)>())?;
    input.descend()?;
    let entries = map.raw();
    entries.reserve_exact(count as usize);
    for index in 0..count as usize {
        let (mut key, mut value) = (K::default(), V::default());
        read_key(input, &mut key)
            .and_then(|()| read_value(input, &mut value))
            .map_err(|error| error.inside(Step::Entry(index)))?;
        entries.push((key, value));
    }
    if let Some(index) = map.first_repeated() {
        return Err(Error::malformed(start, "the key occurs twice").inside(Step::Entry(index)));
    }
    input.ascend();
    Ok(())
}
