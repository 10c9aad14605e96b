//! Writing. Every value is followed by a comma, so that no writer asks whether it is the first;
//! what ends an object or array puts its bracket in the last comma's place.

use crate::{EncodeError, out};

use super::{bytes, float, time};

/// JSON text being written.
#[derive(Debug)]
pub struct Text<'b> {
    out: &'b mut Vec<u8>,
    failed: Option<EncodeError>,
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// A top bit for each byte that a string can't hold as it is: quote, backslash, below space.
/// Bits above the first one set may be wrong.
#[inline(always)]
pub(super) fn special(word: u64) -> u64 {
    let quote = word ^ (LOW * b'"' as u64);
    let backslash = word ^ (LOW * b'\\' as u64);
    let found = (quote.wrapping_sub(LOW) & !quote)
        | (backslash.wrapping_sub(LOW) & !backslash)
        | (word.wrapping_sub(LOW * 0x20) & !word);
    found & HIGH
}

impl<'b> Text<'b> {
    /// Behind what `out` holds.
    #[inline(always)]
    pub fn new(out: &'b mut Vec<u8>) -> Self {
        Self { out, failed: None }
    }

    /// Takes the last comma away.
    ///
    /// # Errors
    /// The first one noted; then everything behind `start` is taken away.
    #[inline(always)]
    pub(super) fn finish(self, start: usize) -> Result<(), EncodeError> {
        match self.failed {
            None => {
                self.out.pop();
                Ok(())
            }
            Some(error) => {
                self.out.truncate(start);
                Err(error)
            }
        }
    }

    /// Notes that `field` has a value without a form.
    #[cold]
    #[inline(never)]
    fn fail(&mut self, field: &'static str, reason: String) {
        self.failed
            .get_or_insert_with(|| EncodeError::new(field, reason));
    }

    /// Makes room for `count` bytes and gives the place behind the last.
    #[inline(always)]
    fn room(&mut self, count: usize) -> *mut u8 {
        self.out.reserve(count);
        // SAFETY: the length is inside the allocation.
        unsafe { self.out.as_mut_ptr().add(self.out.len()) }
    }

    /// Counts `count` more bytes as written.
    ///
    /// # Safety
    /// They are inside the room made, and written.
    #[inline(always)]
    unsafe fn wrote(&mut self, count: usize) {
        let len = self.out.len() + count;
        // SAFETY: passed on to the caller.
        unsafe { self.out.set_len(len) }
    }

    /// Punctuation and names as they are.
    #[inline(always)]
    pub fn raw<const N: usize>(&mut self, bytes: &[u8; N]) {
        let at = self.room(N);
        // SAFETY: `N` bytes of room.
        unsafe {
            at.cast::<[u8; N]>().write_unaligned(*bytes);
            self.wrote(N);
        }
    }

    /// `{` or `[`.
    #[inline(always)]
    pub fn open(&mut self, bracket: u8) {
        self.raw(&[bracket]);
    }

    /// `}` or `]` and a comma.
    #[inline(always)]
    pub fn close(&mut self, bracket: u8) {
        let at = self.room(2);
        // SAFETY: two bytes of room; something stands in front, at least the opening bracket.
        unsafe {
            let comma = usize::from(*at.sub(1) == b',');
            at.sub(comma)
                .cast::<[u8; 2]>()
                .write_unaligned([bracket, b',']);
            let len = self.out.len() + 2 - comma;
            self.out.set_len(len);
        }
    }

    /// A string, quoted and escaped where JSON demands it, and `end`.
    #[inline(always)]
    fn string_then(&mut self, text: &str, end: u8) {
        let bytes = text.as_bytes();
        let len = bytes.len();
        let at = self.room(len + 3 + 8);
        // SAFETY: the room holds the text, quotes, `end`, and a whole word past them; loads of
        // eight bytes lie inside the text, shorter ones go through `tail`.
        unsafe {
            at.write(b'"');
            let to = at.add(1);
            let mut done = 0;
            while done + 8 <= len {
                let word = bytes.as_ptr().add(done).cast::<u64>().read_unaligned();
                to.add(done).cast::<u64>().write_unaligned(word);
                let found = special(u64::from_le(word));
                if found != 0 {
                    self.wrote(1 + done + found.trailing_zeros() as usize / 8);
                    let rest = &bytes[done + found.trailing_zeros() as usize / 8..];
                    return self.escaped(rest, end);
                }
                done += 8;
            }
            let word = tail(&bytes[done..]);
            to.add(done).cast::<u64>().write_unaligned(word.to_le());
            // Bytes behind the text are zero, and so found: they don't count.
            let found = special(word) & !(u64::MAX << (8 * (len - done)));
            if found != 0 {
                self.wrote(1 + done + found.trailing_zeros() as usize / 8);
                let rest = &bytes[done + found.trailing_zeros() as usize / 8..];
                return self.escaped(rest, end);
            }
            to.add(len).cast::<[u8; 2]>().write_unaligned([b'"', end]);
            self.wrote(len + 3);
        }
    }

    /// The rest of a string from its first byte that needs an escape.
    #[cold]
    #[inline(never)]
    fn escaped(&mut self, bytes: &[u8], end: u8) {
        let mut run = 0;
        for (i, byte) in bytes.iter().enumerate() {
            let short = match byte {
                b'"' | b'\\' => *byte,
                0x08 => b'b',
                b'\t' => b't',
                b'\n' => b'n',
                0x0c => b'f',
                b'\r' => b'r',
                0..0x20 => b'u',
                _ => continue,
            };
            self.out.extend_from_slice(&bytes[run..i]);
            run = i + 1;
            self.raw(&[b'\\', short]);
            if short == b'u' {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                let (high, low) = (byte >> 4, byte & 0x0f);
                self.raw(&[b'0', b'0', DIGITS[high as usize], DIGITS[low as usize]]);
            }
        }
        self.out.extend_from_slice(&bytes[run..]);
        self.raw(&[b'"', end]);
    }

    /// A string.
    #[inline]
    pub fn string(&mut self, text: &str) {
        self.string_then(text, b',');
    }

    /// A string as a member's name.
    #[inline]
    pub fn key_string(&mut self, text: &str) {
        self.string_then(text, b':');
    }

    /// ASCII `text` of a known short length, and `end` bytes behind it.
    #[inline(always)]
    fn short<const N: usize>(&mut self, text: &str, end: &[u8; N]) {
        let at = self.room(text.len() + N);
        // SAFETY: that much room.
        unsafe {
            out::copy(text.as_ptr(), at, text.len());
            at.add(text.len()).cast::<[u8; N]>().write_unaligned(*end);
            self.wrote(text.len() + N);
        }
    }

    /// A bool.
    #[inline(always)]
    pub fn bool(&mut self, value: bool) {
        if value {
            self.raw(b"true,");
        } else {
            self.raw(b"false,");
        }
    }

    /// A bool as a member's name.
    pub fn key_bool(&mut self, value: bool) {
        if value {
            self.raw(b"\"true\":");
        } else {
            self.raw(b"\"false\":");
        }
    }

    /// A number of 32 bits.
    #[inline(always)]
    pub fn int(&mut self, value: impl itoa::Integer) {
        self.short(itoa::Buffer::new().format(value), b",");
    }

    /// A number of 64 bits, in quotes as ProtoJSON has it.
    #[inline(always)]
    pub fn quoted(&mut self, value: impl itoa::Integer) {
        self.raw(b"\"");
        self.short(itoa::Buffer::new().format(value), b"\",");
    }

    /// A number of any width as a member's name.
    #[inline(always)]
    pub fn key_int(&mut self, value: impl itoa::Integer) {
        self.raw(b"\"");
        self.short(itoa::Buffer::new().format(value), b"\":");
    }

    /// A `float`.
    #[inline]
    pub fn f32(&mut self, value: f32) {
        // Where zmij's layout is Python's: no exponent in either.
        if (1e-4..1e13).contains(&value.abs()) || value == 0.0 {
            self.short(zmij::Buffer::new().format_finite(value), b",");
        } else {
            self.short(&float::print_f32(value), b",");
        }
    }

    /// A `double`.
    #[inline]
    pub fn f64(&mut self, value: f64) {
        if (1e-4..1e16).contains(&value.abs()) || value == 0.0 {
            self.short(zmij::Buffer::new().format_finite(value), b",");
        } else {
            self.short(&float::print_f64(value), b",");
        }
    }

    /// Bytes in base64.
    pub fn bytes(&mut self, value: &[u8]) {
        self.raw(b"\"");
        bytes::append(self.out, value);
        self.raw(b"\",");
    }

    /// An enum: its name in the schema, or the number that has none.
    #[inline(always)]
    pub fn enumeration(&mut self, name: Option<&'static str>, number: i32) {
        match name {
            Some(name) => {
                self.raw(b"\"");
                self.short(name, b"\",");
            }
            None => self.int(number),
        }
    }

    /// A Timestamp.
    #[inline]
    pub fn timestamp(&mut self, seconds: i64, nanos: i32) {
        match time::print_timestamp(seconds, nanos) {
            Ok((text, len)) => {
                self.raw(b"\"");
                let at = self.room(text.len());
                // SAFETY: room for all of the array, of which `len` bytes count.
                unsafe {
                    at.cast::<[u8; time::LONGEST]>().write_unaligned(text);
                    self.wrote(len);
                }
                self.raw(b"\",");
            }
            Err(reason) => {
                self.fail("google.protobuf.Timestamp", reason);
                self.raw(b"0,");
            }
        }
    }

    /// A Duration.
    pub fn duration(&mut self, seconds: i64, nanos: i32) {
        match time::print_duration(seconds, nanos) {
            Ok(text) => {
                self.raw(b"\"");
                self.short(&text, b"\",");
            }
            Err(reason) => {
                self.fail("google.protobuf.Duration", reason);
                self.raw(b"0,");
            }
        }
    }
}

/// Up to seven bytes as a little-endian word, zeros behind them.
#[inline(always)]
fn tail(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let at = bytes.as_ptr();
    // SAFETY: each load lies inside the slice.
    unsafe {
        if len >= 4 {
            let head = u64::from(u32::from_le(at.cast::<u32>().read_unaligned()));
            let back = u64::from(u32::from_le(at.add(len - 4).cast::<u32>().read_unaligned()));
            head | back << (8 * (len - 4))
        } else if len > 0 {
            let (first, middle, last) = (*at, *at.add(len / 2), *at.add(len - 1));
            u64::from(first)
                | u64::from(middle) << (8 * (len / 2))
                | u64::from(last) << (8 * (len - 1))
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_bytes_are_found_at_every_place_of_every_length() {
        for len in 0..40usize {
            for at in 0..=len {
                for byte in [b'"', b'\\', 0, 0x1f, b'\n', 0x20, 0x7f, b'!', b'['] {
                    let mut text: Vec<u8> = (0..len).map(|i| b'a' + i as u8 % 26).collect();
                    if at < len {
                        text[at] = byte;
                    }
                    let text = String::from_utf8(text).unwrap();
                    let mut out = Vec::new();
                    Text::new(&mut out).string(&text);
                    let wanted = match byte {
                        _ if at == len => format!("\"{text}\","),
                        b'"' | b'\\' | b'\n' => format!("{text:?},"),
                        0 | 0x1f => {
                            let escape = format!("\\u{byte:04x}");
                            format!("\"{}\",", text.replace(char::from(byte), &escape))
                        }
                        _ => format!("\"{text}\","),
                    };
                    assert_eq!(String::from_utf8(out).unwrap(), wanted);
                }
            }
        }
    }
}
