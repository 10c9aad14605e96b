//! Escapes in descriptors.

/// The C escapes that descriptors use for defaults of bytes fields.
pub(crate) fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let escape = bytes.next()?;
        out.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    match bytes.peek() {
                        Some(digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                        _ => break,
                    }
                    bytes.next();
                }
                u8::try_from(value).ok()?
            }
            b'x' => {
                let mut value = 0;
                for _ in 0..2 {
                    let Some(digit) = bytes.peek().and_then(|b| (*b as char).to_digit(16)) else {
                        break;
                    };
                    value = value * 16 + digit;
                    bytes.next();
                }
                value as u8
            }
            other => other,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_of_bytes_are_unescaped() {
        assert_eq!(unescape(r"a\001\xff\n\\").unwrap(), b"a\x01\xff\n\\");
    }
}
