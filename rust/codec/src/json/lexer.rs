//! Tokens of RFC 8259, read from bytes with their offsets. Nothing is looked at twice and nothing
//! recurses, so time is linear in the input; nesting is the caller's.

use std::borrow::Cow;

use interop_wire::{Error, ErrorKind};

type Result<T> = std::result::Result<T, Error>;

/// The next token by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

impl Kind {
    /// With its article, for messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::True => "true",
            Self::False => "false",
            Self::Null => "null",
        }
    }
}

/// A string or number with its place; a string's `start` and `end` include the quotes.
#[derive(Clone, Debug)]
pub(super) struct Token<T> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: T,
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    input: &'a [u8],
    pos: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a [u8]) -> Self {
        Self { input, pos: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.pos
    }

    pub(super) fn remaining(&self) -> usize {
        self.input.len() - self.pos
    }

    /// The input from `start` to `end`.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        &self.input[start..end]
    }

    fn byte(&self) -> Option<u8> {
        self.input.get(self.pos).copied()
    }

    fn truncated(&self) -> Error {
        let kind = ErrorKind::Truncated {
            needed: 1,
            remaining: 0,
        };
        Error::new(self.input.len(), kind)
    }

    /// An error for the next byte, which is none of `expected`.
    pub(super) fn unexpected(&self, expected: &str) -> Error {
        match self.byte() {
            None => self.truncated(),
            Some(_) if self.input[self.pos..].starts_with(b"\xef\xbb\xbf") => Error::malformed(
                self.pos,
                format!("expected {expected}, found a byte order mark, which JSON forbids"),
            ),
            Some(byte @ 0x20..=0x7e) => Error::malformed(
                self.pos,
                format!("expected {expected}, found '{}'", char::from(byte)),
            ),
            Some(byte) => Error::malformed(
                self.pos,
                format!("expected {expected}, found byte {byte:#04x}"),
            ),
        }
    }

    /// Moves past white space.
    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.pos += 1;
        }
    }

    /// The byte at the position, without moving.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] at the end of the input; so for everything below.
    pub(super) fn peek(&self) -> Result<u8> {
        self.byte().ok_or_else(|| self.truncated())
    }

    /// What value starts here, by its first byte.
    pub(super) fn kind(&self) -> Result<Kind> {
        Ok(match self.peek()? {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b'-' | b'0'..=b'9' => Kind::Number,
            b't' => Kind::True,
            b'f' => Kind::False,
            b'n' => Kind::Null,
            _ => return Err(self.unexpected("a value")),
        })
    }

    /// Moves past `byte`.
    pub(super) fn punctuation(&mut self, byte: u8) -> Result<()> {
        if self.byte() != Some(byte) {
            return Err(self.unexpected(&format!("'{}'", char::from(byte))));
        }
        self.pos += 1;
        Ok(())
    }

    /// Moves past `true`, `false` or `null`.
    pub(super) fn literal(&mut self, word: &'static str) -> Result<()> {
        for expected in word.bytes() {
            if self.byte() != Some(expected) {
                return Err(self.unexpected(&format!("the rest of {word}")));
            }
            self.pos += 1;
        }
        Ok(())
    }

    /// A number by RFC 8259, section 6: no plus sign, no leading zero, digits on both sides of
    /// the point.
    pub(super) fn number(&mut self) -> Result<Token<&'a str>> {
        let start = self.pos;
        if self.byte() == Some(b'-') {
            self.pos += 1;
        }
        if self.byte() == Some(b'0') {
            self.pos += 1;
            if let Some(b'0'..=b'9') = self.byte() {
                return Err(Error::malformed(start, "a number has a leading zero"));
            }
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.pos += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.pos += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.pos += 1;
            }
            self.digits()?;
        }
        Ok(Token {
            start,
            end: self.pos,
            text: self.utf8(start, self.pos)?,
        })
    }

    fn digits(&mut self) -> Result<()> {
        if !matches!(self.byte(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        while let Some(b'0'..=b'9') = self.byte() {
            self.pos += 1;
        }
        Ok(())
    }

    fn utf8(&self, start: usize, end: usize) -> Result<&'a str> {
        std::str::from_utf8(&self.input[start..end]).map_err(|error| {
            let valid_bytes = error.valid_up_to();
            Error::new(start, ErrorKind::InvalidUtf8 { valid_bytes })
        })
    }

    /// A string by RFC 8259, section 7, unescaped. Strings hold Unicode text (RFC 7493, section
    /// 2.1), so a surrogate escape without its other half is refused.
    pub(super) fn string(&mut self) -> Result<Token<Cow<'a, str>>> {
        let start = self.pos;
        self.punctuation(b'"')?;
        let mut text = Cow::Borrowed(self.plain()?);
        while self.peek()? == b'\\' {
            let escaped = self.escape()?;
            let text = text.to_mut();
            text.push(escaped);
            text.push_str(self.plain()?);
        }
        self.pos += 1;
        Ok(Token {
            start,
            end: self.pos,
            text,
        })
    }

    /// Characters up to the closing quote or the next escape.
    fn plain(&mut self) -> Result<&'a str> {
        let start = self.pos;
        let rest = &self.input[start..];
        let stop = rest
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
        self.pos = start + stop.unwrap_or(rest.len());
        let text = self.utf8(start, self.pos)?;
        match self.peek()? {
            byte @ 0..0x20 => {
                let text = format!("control character {byte:#04x} in a string, not escaped");
                Err(Error::malformed(self.pos, text))
            }
            _ => Ok(text),
        }
    }

    fn escape(&mut self) -> Result<char> {
        let start = self.pos;
        self.pos += 1;
        let escape = self.peek()?;
        self.pos += 1;
        Ok(match escape {
            b'"' | b'\\' | b'/' => char::from(escape),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex4()?;
                let code = match first {
                    0xd800..0xdc00 => {
                        let second = if self.input[self.pos..].starts_with(b"\\u") {
                            self.pos += 2;
                            self.hex4()?
                        } else {
                            0
                        };
                        match second {
                            0xdc00..0xe000 => {
                                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                            }
                            _ => first,
                        }
                    }
                    _ => first,
                };
                char::from_u32(code).ok_or_else(|| {
                    Error::malformed(start, format!("\\u{first:04x} is half a surrogate pair"))
                })?
            }
            _ => {
                self.pos -= 1;
                return Err(self.unexpected("one of \"\\/bfnrtu behind a backslash"));
            }
        })
    }

    fn hex4(&mut self) -> Result<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = char::from(self.peek()?).to_digit(16);
            code = code * 16 + digit.ok_or_else(|| self.unexpected("a hexadecimal digit"))?;
            self.pos += 1;
        }
        Ok(code)
    }
}

/// True when `text` is exactly one JSON number.
pub(super) fn is_number(text: &str) -> bool {
    let mut lexer = Lexer::new(text.as_bytes());
    lexer.number().is_ok() && lexer.remaining() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(json: &str) -> Result<String> {
        Lexer::new(json.as_bytes())
            .string()
            .map(|token| token.text.into_owned())
    }

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(
            string(r#""a\"\\\/\b\f\n\r\t\u00e9\uD83d\uDE00z""#).unwrap(),
            "a\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{1f600}z"
        );
    }

    #[test]
    fn half_a_surrogate_pair_is_refused() {
        for json in [
            r#""\ud83d""#,
            r#""\ude00""#,
            r#""\ud83dx""#,
            r#""\ud83d\u0041""#,
            r#""\ud83d\ud83d""#,
            r#""\ud83d\n""#,
        ] {
            let error = string(json).unwrap_err();
            assert!(error.to_string().contains("surrogate"), "{json}: {error}");
        }
    }

    #[test]
    fn broken_strings_are_refused() {
        for json in [
            "\"a\nb\"",
            "\"\u{0}\"",
            r#""\x41""#,
            r#""\u12g4""#,
            r#""\u+123""#,
        ] {
            assert!(string(json).is_err(), "{json:?}");
        }
        let truncated = string("\"abc").unwrap_err();
        assert!(matches!(truncated.kind, ErrorKind::Truncated { .. }));
        let error = Lexer::new(b"\"ab\xff\"").string().unwrap_err();
        assert_eq!(
            error,
            Error::new(1, ErrorKind::InvalidUtf8 { valid_bytes: 2 })
        );
        // UTF-8 of a surrogate, and an overlong slash.
        assert!(Lexer::new(b"\"\xed\xa0\x80\"").string().is_err());
        assert!(Lexer::new(b"\"\xc0\xaf\"").string().is_err());
    }

    #[test]
    fn number_grammar() {
        for good in ["0", "-0", "10", "1.5", "-1.5e-10", "1E5", "1e+05", "0e0"] {
            assert!(is_number(good), "{good}");
        }
        for bad in [
            "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", " 1", "1 ", "1_0", "NaN",
            "1.e5", "00",
        ] {
            assert!(!is_number(bad), "{bad}");
        }
    }
}
