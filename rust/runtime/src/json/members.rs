//! Objects and arrays.

use std::hash::Hash;

use super::Message;
use super::string::{self, unexpected};
use crate::{Error, In, Map, Step};

type Result<T> = std::result::Result<T, Error>;

/// Moves past white space.
#[inline(always)]
pub fn space(input: &mut In<'_>) {
    if let Some(0..=b' ') = input.peek() {
        long_space(input);
    }
}

#[inline(never)]
fn long_space(input: &mut In<'_>) {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = input.peek() {
        input.advance(1);
    }
}

/// Moves past `null`, if it comes next.
///
/// # Errors
/// When an `n` comes next that does not begin it.
#[inline(always)]
pub fn is_null(input: &mut In<'_>) -> Result<bool> {
    if input.peek() != Some(b'n') {
        return Ok(false);
    }
    match input.next_are(b"null") {
        true => Ok(true),
        false => Err(unexpected(input, "null")),
    }
}

/// A member's name as it stands between its quotes.
#[derive(Debug)]
pub struct Name<'a>(std::borrow::Cow<'a, str>, usize);

impl Name<'_> {
    /// Unescaped.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The members of an object that are still to be read.
#[derive(Debug)]
pub struct Members {
    open: bool,
}

/// The byte behind a value: true for a comma, false for `close`.
#[inline(always)]
fn separator(input: &mut In<'_>, close: u8) -> Result<bool> {
    space(input);
    if input.next_is(b',') {
        space(input);
        return Ok(true);
    }
    if input.next_is(close) {
        return Ok(false);
    }
    Err(no_separator(input, close))
}

#[cold]
fn no_separator(input: &In<'_>, close: u8) -> Error {
    unexpected(input, &format!("',' or '{}'", char::from(close)))
}

impl Members {
    /// Moves past `{`.
    ///
    /// # Errors
    /// When anything else comes next.
    #[inline(always)]
    pub fn open(input: &mut In<'_>) -> Result<Self> {
        if !input.next_is(b'{') {
            return Err(unexpected(input, "an object"));
        }
        space(input);
        let open = !input.next_is(b'}');
        Ok(Self { open })
    }

    /// Moves past `name`, in quotes and with its colon, if another member begins with it.
    #[inline(always)]
    pub fn next_is<const N: usize>(&mut self, input: &mut In<'_>, name: &[u8; N]) -> bool {
        let is = self.open && input.next_are(name);
        if is {
            space(input);
        }
        is
    }

    /// Moves past the name of another member and its colon; none behind the last.
    ///
    /// # Errors
    /// When no string and colon come next.
    #[inline]
    pub fn next<'a>(&mut self, input: &mut In<'a>) -> Result<Option<Name<'a>>> {
        if !self.open {
            return Ok(None);
        }
        let start = input.offset();
        let name = string::raw(input)?.text()?;
        space(input);
        if !input.next_is(b':') {
            return Err(unexpected(input, "':'"));
        }
        space(input);
        Ok(Some(Name(name, start)))
    }

    /// Moves past what stands behind a value.
    ///
    /// # Errors
    /// When that is neither a comma nor the end of the object.
    #[inline(always)]
    pub fn separator(&mut self, input: &mut In<'_>) -> Result<()> {
        self.open = separator(input, b'}')?;
        Ok(())
    }

    /// True when members are left.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.open
    }
}

/// The error of a name that `message` has no field for.
#[cold]
pub fn unknown_field(name: &Name<'_>, message: &str) -> Error {
    let shown: String = name.text().chars().take(80).collect();
    Error::malformed(name.1, format!("{message} has no field {shown:?}"))
}

/// The error of a name given a second time.
#[cold]
pub fn repeated_field(name: &Name<'_>) -> Error {
    Error::malformed(name.1, "the field is given twice, under one name or both")
}

/// A sub-message, one level deeper.
///
/// # Errors
/// With byte offset and the path inside the message.
#[inline]
pub fn read_message<M: Message>(input: &mut In<'_>, message: &mut M) -> Result<()> {
    input.descend()?;
    message.read(input)?;
    input.ascend();
    Ok(())
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
    if !input.next_is(b'[') {
        return Err(unexpected(input, "an array"));
    }
    space(input);
    if input.next_is(b']') {
        return Ok(());
    }
    loop {
        input.charge(1, size_of::<T>())?;
        let index = values.len();
        let mut value = T::default();
        read(input, &mut value).map_err(|error| error.inside(Step::Index(index)))?;
        values.push(value);
        if !separator(input, b']')? {
            return Ok(());
        }
    }
}

/// An object into `map`; `read_key` reads a key from its text, `read_value` a value over the
/// default.
///
/// # Errors
/// When no object comes next, when it is cut off, when a key occurs twice, and those of the two.
#[inline]
pub fn read_map<K: Default + Eq + Hash, V: Default>(
    input: &mut In<'_>,
    map: &mut Map<K, V>,
    read_key: impl Fn(&str) -> std::result::Result<K, String>,
    read_value: impl Fn(&mut In<'_>, &mut V) -> Result<()>,
) -> Result<()> {
    let start = input.offset();
    let mut members = Members::open(input)?;
    let entries = map.raw();
    while let Some(name) = members.next(input)? {
        input.charge(1, size_of::<(K, V)>())?;
        let index = entries.len();
        let key = read_key(name.text()).map_err(|text| Error::malformed(name.1, text));
        let mut value = V::default();
        let key = key
            .and_then(|key| read_value(input, &mut value).map(|()| key))
            .map_err(|error| error.inside(Step::Entry(index)))?;
        entries.push((key, value));
        members.separator(input)?;
    }
    match map.first_repeated() {
        None => Ok(()),
        Some(index) => {
            Err(Error::malformed(start, "the map key is given twice").inside(Step::Entry(index)))
        }
    }
}
