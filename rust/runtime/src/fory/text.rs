//! Strings: header (byte length << 2 | coder), then the text.

use super::dialect::{ForyDialect, TextCoder};
use crate::text::{fits_latin1, from_latin1, from_utf16};
use crate::{Cpu, Error, In, Out};

pub(super) const LATIN1: usize = 0;
const UTF16: usize = 1;
pub(super) const UTF8: usize = 2;

/// Bound of a string's length in bytes, header included.
#[inline(always)]
pub fn string_bound<D: ForyDialect>(text: &str) -> usize {
    10 + text.len() * D::TEXT_FACTOR
}

/// A string in the dialect's coder.
///
/// # Safety
/// [`string_bound`] is reserved at `out`.
#[inline(always)]
pub unsafe fn write_string<D: ForyDialect>(out: &mut Out, text: &str) {
    // SAFETY: passed on to the caller.
    unsafe {
        if D::TEXT as u8 == TextCoder::Utf8 as u8 {
            // The empty string needs no case of its own: its header is the coder alone.
            out.length(text.len() << 2 | UTF8);
            out.bytes(text.as_bytes());
        } else if text.is_empty() {
            out.u8(D::EMPTY_TEXT);
        } else {
            *out = write_coded::<D>(*out, text);
        }
    }
}

unsafe fn write_coded<D: ForyDialect>(mut out: Out, text: &str) -> Out {
    let utf16 = match D::TEXT {
        TextCoder::Utf8 => false,
        TextCoder::Latin1OrUtf16 => true,
        TextCoder::Latin1OrShortest => text.chars().all(|c| u32::from(c) < 0x1_0000),
        TextCoder::AsciiOrUtf8 => false,
    };
    let latin1 = match D::TEXT {
        TextCoder::Utf8 => false,
        TextCoder::AsciiOrUtf8 => text.is_ascii(),
        _ => fits_latin1(text),
    };
    // SAFETY: passed on to the caller.
    unsafe {
        if latin1 {
            out.length(text.chars().count() << 2 | LATIN1);
            for c in text.chars() {
                out.u8(u32::from(c) as u8);
            }
        } else if utf16 {
            out.length((text.encode_utf16().count() * 2) << 2 | UTF16);
            for unit in text.encode_utf16() {
                out.array(unit.to_le_bytes());
            }
        } else {
            out.length(text.len() << 2 | UTF8);
            out.bytes(text.as_bytes());
        }
    }
    out
}

/// A string in any coder, into `text`.
///
/// # Errors
/// When it is cut off, not valid in its coder, or the coder is unknown.
#[inline(always)]
pub fn read_string<C: Cpu>(input: &mut In<'_>, text: &mut String) -> Result<(), Error> {
    let header = input.fory_varint64::<C>()?;
    if header & 3 == UTF8 as u64 {
        return input.utf8_into(header >> 2, text);
    }
    read_coded(input, header, text)
}

/// A string of its own: for map keys and values.
///
/// # Errors
/// As for [`read_string`].
#[inline(always)]
pub fn string<C: Cpu>(input: &mut In<'_>) -> Result<String, Error> {
    let mut text = String::new();
    read_string::<C>(input, &mut text)?;
    Ok(text)
}

#[inline(never)]
pub(super) fn read_coded(input: &mut In<'_>, header: u64, text: &mut String) -> Result<(), Error> {
    let len = header >> 2;
    let start = input.offset();
    match (header & 3) as usize {
        LATIN1 => {
            let bytes = input.take(len)?;
            if crate::text::is_ascii(bytes) {
                text.clear();
                text.reserve_exact(bytes.len());
                text.extend(std::str::from_utf8(bytes));
            } else {
                *text = from_latin1(bytes);
            }
            Ok(())
        }
        UTF16 => {
            let bytes = input.take(len)?;
            *text = from_utf16(bytes).ok_or_else(|| {
                Error::malformed(start, "UTF-16 text with a lone surrogate or half a unit")
            })?;
            Ok(())
        }
        coder => Err(Error::malformed(start, format!("string coder {coder}"))),
    }
}
