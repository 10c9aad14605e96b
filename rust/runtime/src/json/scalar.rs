//! Scalars, enums and map keys.

use std::borrow::Cow;

use super::integer::{Misfit, integer};
use super::number::{self, is_number, short};
use super::{bytes, string};
use crate::{Error, In};

type Result<T> = std::result::Result<T, Error>;

/// A bool.
///
/// # Errors
/// When neither `true` nor `false` comes next.
#[inline(always)]
pub fn read_bool(input: &mut In<'_>) -> Result<bool> {
    if input.next_are(b"true") {
        Ok(true)
    } else if input.next_are(b"false") {
        Ok(false)
    } else {
        Err(string::unexpected(input, "true or false"))
    }
}

/// A string into `text`.
///
/// # Errors
/// When no string comes next, or a broken one.
#[inline(always)]
pub fn read_string(input: &mut In<'_>, text: &mut String) -> Result<()> {
    string::raw(input)?.text_into(text)
}

/// Bytes from base64, in either alphabet, padded or not.
///
/// # Errors
/// When no string comes next, or one that is not base64.
#[inline]
pub fn read_bytes(input: &mut In<'_>, value: &mut Vec<u8>) -> Result<()> {
    let raw = string::raw(input)?;
    let parsed = bytes::parse(&raw.text()?, value);
    parsed.map_err(|text| Error::malformed(raw.start, text))
}

/// The text of a number, be it in quotes or not; for a float also the three words.
#[inline(never)]
fn number_text<'a>(input: &mut In<'a>, float: bool) -> Result<Cow<'a, str>> {
    match input.peek() {
        Some(b'-' | b'0'..=b'9') => {
            let rest = input.rest();
            let len = number::lex(rest).map_err(|at| {
                Error::malformed(
                    input.offset() + at,
                    "a number lacks a digit here, or has a leading zero",
                )
            })?;
            input.advance(len);
            // All of it are ASCII digits and signs.
            Ok(String::from_utf8_lossy(&rest[..len]))
        }
        Some(b'"') => {
            let raw = string::raw(input)?;
            let text = raw.text()?;
            let word = matches!(&*text, "NaN" | "Infinity" | "-Infinity");
            if is_number(&text) || (float && word) {
                return Ok(text);
            }
            let shown: String = text.chars().take(40).collect();
            Err(Error::malformed(
                raw.start,
                format!("{shown:?} is no number"),
            ))
        }
        _ => Err(string::unexpected(input, "a number")),
    }
}

/// The integer that comes next, in quotes or not, if it is a short one.
#[inline(always)]
fn short_integer(input: &mut In<'_>) -> Option<i64> {
    let rest = input.rest();
    let quote = usize::from(rest.first() == Some(&b'"'));
    let number = short(&rest[quote..])?;
    let value = number.integer()?;
    if quote == 1 && rest.get(1 + number.len) != Some(&b'"') {
        return None;
    }
    input.advance(number.len + 2 * quote);
    Some(value)
}

#[inline(never)]
fn long_integer(input: &mut In<'_>, ty: &str) -> Result<i128> {
    let start = input.offset();
    let text = number_text(input, false)?;
    integer(&text).map_err(|misfit| misplaced(start, &text, misfit, ty))
}

#[cold]
fn misplaced(start: usize, text: &str, misfit: Misfit, ty: &str) -> Error {
    Error::malformed(start, sentence(text, misfit, ty))
}

fn sentence(text: &str, misfit: Misfit, ty: &str) -> String {
    let shown: String = text.chars().take(40).collect();
    match misfit {
        Misfit::Fraction => format!("{shown} is no integer, as {ty} asks for"),
        Misfit::Range => format!("{shown} is out of range of {ty}"),
    }
}

macro_rules! int {
    ($($(#[$doc:meta])* $name:ident, $key:ident: $ty:ident, $narrow:expr;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// When no integer comes next, or one out of range.
        #[inline(always)]
        pub fn $name(input: &mut In<'_>) -> Result<$ty> {
            let start = input.offset();
            let narrow: fn(i128) -> Option<$ty> = $narrow;
            let value = match short_integer(input) {
                Some(value) => match $ty::try_from(value) {
                    Ok(value) => return Ok(value),
                    Err(_) => value.into(),
                },
                None => long_integer(input, stringify!($ty))?,
            };
            narrow(value)
                .ok_or_else(|| misplaced(start, &value.to_string(), Misfit::Range, stringify!($ty)))
        }

        /// A map key: digits without point or exponent.
        ///
        /// # Errors
        /// A sentence.
        pub fn $key(text: &str) -> std::result::Result<$ty, String> {
            let narrow: fn(i128) -> Option<$ty> = $narrow;
            if !is_number(text) || text.contains(['.', 'e', 'E']) {
                let shown: String = text.chars().take(40).collect();
                return Err(format!("{shown:?} is no map key of type {}", stringify!($ty)));
            }
            let value = integer(text).ok().and_then(narrow);
            value.ok_or_else(|| sentence(text, Misfit::Range, stringify!($ty)))
        })*
    };
}

int! {
    /// An int32.
    read_i32, key_i32: i32, |value| value.try_into().ok();
    /// An int64.
    read_i64, key_i64: i64, |value| value.try_into().ok();
    /// A uint32.
    read_u32, key_u32: u32, |value| value.try_into().ok();
    /// A uint64.
    read_u64, key_u64: u64, |value| value.try_into().ok();
    /// A fixed32 whose values the schema declares signed: writers that know only the protobuf
    /// type spell the same bits without a sign.
    read_fixed32, key_fixed32: i32, |value| {
        value.try_into().ok().or_else(|| u32::try_from(value).ok().map(|bits| bits as i32))
    };
    /// A fixed64 whose values the schema declares signed.
    read_fixed64, key_fixed64: i64, |value| {
        value.try_into().ok().or_else(|| u64::try_from(value).ok().map(|bits| bits as i64))
    };
}

/// A map key that is a string.
///
/// # Errors
/// None.
pub fn key_string(text: &str) -> std::result::Result<String, String> {
    Ok(text.to_owned())
}

/// A map key that is a bool.
///
/// # Errors
/// A sentence.
pub fn key_bool(text: &str) -> std::result::Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!(
            "{:?} is no map key of type bool",
            text.chars().take(40).collect::<String>()
        )),
    }
}

macro_rules! float {
    ($($(#[$doc:meta])* $name:ident, $long:ident: $ty:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// When no number comes next, or one that rounds to infinity.
        #[inline(always)]
        pub fn $name(input: &mut In<'_>) -> Result<$ty> {
            if let Some(number) = short(input.rest())
                && let Some(value) = number.$ty()
            {
                input.advance(number.len);
                return Ok(value);
            }
            $long(input)
        }

        #[inline(never)]
        fn $long(input: &mut In<'_>) -> Result<$ty> {
            let start = input.offset();
            let text = number_text(input, true)?;
            match &*text {
                "NaN" => return Ok($ty::NAN),
                "Infinity" => return Ok($ty::INFINITY),
                "-Infinity" => return Ok($ty::NEG_INFINITY),
                _ => {}
            }
            // Rounded from the text itself; the range is checked after rounding.
            let value = text.parse::<$ty>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| misplaced(start, &text, Misfit::Range, stringify!($ty)))
        })*
    };
}

float! {
    /// A float.
    read_f32, long_f32: f32;
    /// A double.
    read_f64, long_f64: f64;
}

/// An enum's number, from a name that `lookup` knows or from a number.
///
/// # Errors
/// When neither comes next.
#[inline(always)]
pub fn read_enum<E>(
    input: &mut In<'_>,
    lookup: impl Fn(&str) -> Option<E>,
    from_number: impl Fn(i32) -> E,
) -> Result<E> {
    if input.peek() != Some(b'"') {
        if !matches!(input.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(string::unexpected(
                input,
                "the name or number of an enum's value",
            ));
        }
        return read_i32(input).map(from_number);
    }
    let raw = string::raw(input)?;
    let name = raw.text()?;
    lookup(&name).ok_or_else(|| unknown_enum_value(raw.start, &name))
}

/// The error of a name that no value of the enum has.
#[cold]
fn unknown_enum_value(start: usize, name: &str) -> Error {
    let shown: String = name.chars().take(80).collect();
    Error::malformed(start, format!("the enum has no value {shown:?}"))
}
