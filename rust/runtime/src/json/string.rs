//! Strings by RFC 8259, section 7. They hold Unicode text (RFC 7493, section 2.1), so half a
//! surrogate pair is refused.

use std::borrow::Cow;

use super::write::special;
use crate::{Error, In};

type Result<T> = std::result::Result<T, Error>;

/// What stands between the quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw<'a> {
    pub(super) bytes: &'a [u8],
    /// Byte offset of the first one.
    pub(super) start: usize,
    escaped: bool,
    ascii: bool,
}

/// A string, from its opening quote to behind the closing one; not yet checked but for
/// unescaped control characters.
#[inline(always)]
pub(super) fn raw<'a>(input: &mut In<'a>) -> Result<Raw<'a>> {
    if !input.next_is(b'"') {
        return Err(unexpected(input, "a string"));
    }
    let rest = input.rest();
    let mut seen = 0;
    let mut done = 0;
    while let Some(chunk) = rest.get(done..done + 8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        let found = special(word);
        if found != 0 {
            let bits = found.trailing_zeros() / 8 * 8;
            done += bits as usize / 8;
            seen |= word & !(u64::MAX << bits);
            break;
        }
        seen |= word;
        done += 8;
    }
    let mut ascii = seen & 0x8080_8080_8080_8080 == 0;
    loop {
        match rest.get(done) {
            Some(b'"') => break,
            Some(b'\\') => return escaped(input, rest, done),
            Some(byte @ 0..0x20) => return Err(control(input, done, *byte)),
            Some(byte) => {
                ascii &= byte.is_ascii();
                done += 1;
            }
            None => return Err(input.truncated(rest.len() + 1)),
        }
    }
    let start = input.offset();
    input.advance(done + 1);
    Ok(Raw {
        bytes: &rest[..done],
        start,
        escaped: false,
        ascii,
    })
}

/// The rest of [`raw`] from the first backslash on.
#[inline(never)]
fn escaped<'a>(input: &mut In<'a>, rest: &'a [u8], mut done: usize) -> Result<Raw<'a>> {
    loop {
        match rest.get(done) {
            Some(b'"') => break,
            Some(b'\\') => done += 2,
            Some(byte @ 0..0x20) => return Err(control(input, done, *byte)),
            Some(_) => done += 1,
            None => return Err(input.truncated(rest.len() + 1)),
        }
    }
    let start = input.offset();
    input.advance(done + 1);
    Ok(Raw {
        bytes: &rest[..done],
        start,
        escaped: true,
        ascii: false,
    })
}

#[cold]
fn control(input: &In<'_>, at: usize, byte: u8) -> Error {
    let text = format!("control character {byte:#04x} in a string, not escaped");
    Error::malformed(input.offset() + at, text)
}

/// The error of finding the next byte in place of `wanted`.
#[cold]
#[inline(never)]
pub(super) fn unexpected(input: &In<'_>, wanted: &str) -> Error {
    match input.peek() {
        None => input.truncated(1),
        Some(_) if input.starts_with(b"\xef\xbb\xbf") => input.malformed(format!(
            "expected {wanted}, found a byte order mark, which JSON forbids"
        )),
        Some(byte @ 0x20..=0x7e) => {
            input.malformed(format!("expected {wanted}, found '{}'", char::from(byte)))
        }
        Some(byte) => input.malformed(format!("expected {wanted}, found byte {byte:#04x}")),
    }
}

impl<'a> Raw<'a> {
    /// The text, unescaped.
    #[inline(always)]
    pub(super) fn text(self) -> Result<Cow<'a, str>> {
        if self.escaped {
            return self.unescape().map(Cow::Owned);
        }
        self.plain().map(Cow::Borrowed)
    }

    /// The text, unescaped, in place of what `text` holds.
    #[inline(always)]
    pub(super) fn text_into(self, text: &mut String) -> Result<()> {
        if self.escaped {
            *text = self.unescape()?;
            return Ok(());
        }
        let plain = self.plain()?;
        text.clear();
        text.reserve_exact(plain.len());
        text.push_str(plain);
        Ok(())
    }

    #[inline(always)]
    fn plain(self) -> Result<&'a str> {
        if self.ascii {
            // SAFETY: no byte has its top bit set.
            return Ok(unsafe { std::str::from_utf8_unchecked(self.bytes) });
        }
        self.checked()
    }

    #[inline(never)]
    fn checked(self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            let valid_bytes = error.valid_up_to();
            Error::new(
                self.start,
                interop_wire::ErrorKind::InvalidUtf8 { valid_bytes },
            )
        })
    }

    #[cold]
    #[inline(never)]
    fn unescape(self) -> Result<String> {
        let text = self.checked()?;
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((plain, escape)) = rest.split_once('\\') {
            out.push_str(plain);
            let at = self.start + text.len() - escape.len() - 1;
            let (c, len) =
                unescaped(escape.as_bytes()).map_err(|what| Error::malformed(at, what))?;
            out.push(c);
            rest = &escape[len..];
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// The character that the bytes behind a backslash stand for, and how many of them do.
fn unescaped(escape: &[u8]) -> std::result::Result<(char, usize), String> {
    let c = match escape.first() {
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(escape),
        _ => return Err("expected one of \"\\/bfnrtu behind a backslash".to_owned()),
    };
    Ok((c, 1))
}

fn unicode(escape: &[u8]) -> std::result::Result<(char, usize), String> {
    let hex = |digits: Option<&[u8]>| {
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let text = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        text.and_then(|text| u32::from_str_radix(text, 16).ok())
    };
    let first = hex(escape.get(1..5)).ok_or("expected four hexadecimal digits behind \\u")?;
    let (code, len) = match first {
        0xd800..0xdc00 if escape.get(5..7) == Some(b"\\u") => {
            let second = hex(escape.get(7..11));
            match second.ok_or("expected four hexadecimal digits behind \\u")? {
                second @ 0xdc00..0xe000 => {
                    (0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), 11)
                }
                _ => (first, 5),
            }
        }
        _ => (first, 5),
    };
    let c = char::from_u32(code);
    c.map(|c| (c, len))
        .ok_or_else(|| format!("\\u{first:04x} is half a surrogate pair"))
}
