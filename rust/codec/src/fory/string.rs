//! Strings (section "string"): a header of byte length and coder, then the text.

use interop_wire::{Error as WireError, ErrorKind as WireKind, Reader, Writer};

use super::StringRule;
use crate::{Cursor, Error, Part};

const LATIN1: u8 = 0;
const UTF16: u8 = 1;
const UTF8: u8 = 2;

/// Writes `text` in the encoding that `rule` chooses.
pub(super) fn write(out: &mut Writer, text: &str, rule: StringRule) {
    let coder = choose(text, rule);
    let header = |len: usize| (len as u64) << 2 | u64::from(coder);
    match coder {
        LATIN1 => {
            out.fory_varint64(header(text.chars().count()));
            for c in text.chars() {
                out.u8(c as u8);
            }
        }
        UTF16 => {
            out.fory_varint64(header(text.encode_utf16().count() * 2));
            for unit in text.encode_utf16() {
                out.u16(unit);
            }
        }
        _ => {
            out.fory_varint64(header(text.len()));
            out.bytes(text.as_bytes());
        }
    }
}

fn choose(text: &str, rule: StringRule) -> u8 {
    let latin1 = || text.chars().all(|c| (c as u32) < 0x100);
    match rule {
        StringRule::Utf8 => UTF8,
        StringRule::AsciiOrUtf8 if text.is_ascii() => LATIN1,
        StringRule::AsciiOrUtf8 => UTF8,
        _ if latin1() => LATIN1,
        StringRule::OneByteOrUtf16 => UTF16,
        StringRule::WidestChar if text.chars().all(|c| (c as u32) < 0x1_0000) => UTF16,
        StringRule::WidestChar => UTF8,
        StringRule::JavaSample if java_sample_is_ascii(text) => UTF8,
        StringRule::JavaSample => UTF16,
    }
}

/// Java looks at the first 128 bytes of the UTF-16 text. It counts ASCII chars in whole groups
/// of eight bytes, but as many groups as it has chars to spare for in bytes, so that it judges
/// all remaining chars by the first of them; UTF-8 asks for half as many ASCII chars as bytes.
fn java_sample_is_ascii(text: &str) -> bool {
    const SAMPLE_BYTES: usize = 128;
    let units: Vec<u16> = text.encode_utf16().take(SAMPLE_BYTES / 2).collect();
    let sample_bytes = units.len() * 2;
    let grouped = sample_bytes / 8 * 4;
    let is_ascii = |unit: &u16| *unit < 0x80;
    let mut ascii = units[..grouped]
        .iter()
        .filter(|unit| is_ascii(unit))
        .count();
    if units.get(grouped).is_some_and(|unit| is_ascii(unit)) {
        ascii += units.len() - grouped;
    }
    ascii * 2 >= sample_bytes
}

/// Reads a string in any of the three encodings.
pub(super) fn read(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>) -> Result<String, Error> {
    let start = reader.offset();
    let header = reader.fory_varint64().map_err(|e| cursor.wire(e))?;
    let (coder, len) = ((header & 3) as u8, header >> 2);
    let name = match coder {
        LATIN1 => "Latin-1",
        UTF16 => "UTF-16",
        UTF8 => "UTF-8",
        _ => return Err(cursor.malformed(start, "string header has the reserved coder 3")),
    };
    cursor.span(
        start,
        reader.offset(),
        Part::Framing,
        "string header",
        || format!("{name}, {len} bytes"),
    );
    let at = reader.offset();
    let bytes = reader.take(len).map_err(|e| cursor.wire(e))?;
    // Latin-1 and UTF-16 grow to at most twice their size.
    cursor.charge(at, bytes.len(), 1)?;
    let text = match coder {
        LATIN1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
        UTF16 => read_utf16(bytes).map_err(|(valid, text)| cursor.malformed(at + valid, text))?,
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                let valid_bytes = error.valid_up_to();
                let kind = WireKind::InvalidUtf8 { valid_bytes };
                return Err(cursor.wire(WireError::new(at, kind)));
            }
        },
    };
    cursor.span(at, reader.offset(), Part::Payload, "string", || {
        format!("{text:?}")
    });
    Ok(text)
}

fn read_utf16(bytes: &[u8]) -> Result<String, (usize, &'static str)> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err((pairs.len() * 2, "UTF-16 text has an odd number of bytes"));
    }
    let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    for c in char::decode_utf16(units) {
        let c = c.map_err(|_| (at, "UTF-16 text has a surrogate without its other half"))?;
        text.push(c);
        at += c.len_utf16() * 2;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeOptions;

    fn written(text: &str, rule: StringRule) -> Vec<u8> {
        let mut out = Writer::new();
        write(&mut out, text, rule);
        out.into_vec()
    }

    fn read_all(bytes: &[u8]) -> Result<String, Error> {
        let mut cursor = Cursor::new(DecodeOptions::default(), bytes.len())?;
        read(&mut Reader::new(bytes), &mut cursor)
    }

    #[test]
    fn every_rule_round_trips() {
        let rules = [
            StringRule::Utf8,
            StringRule::JavaSample,
            StringRule::WidestChar,
            StringRule::AsciiOrUtf8,
            StringRule::OneByteOrUtf16,
        ];
        for text in [
            "",
            "a",
            "é",
            "日本",
            "😀",
            &"x".repeat(200),
            "\u{0}\u{7f}\u{80}\u{ff}",
        ] {
            for rule in rules {
                assert_eq!(read_all(&written(text, rule)).unwrap(), *text, "{rule:?}");
            }
        }
    }

    #[test]
    fn java_judges_a_sample() {
        let coder = |text: &str| written(text, StringRule::JavaSample)[0] & 3;
        assert_eq!(coder("é"), LATIN1);
        assert_eq!(coder("abcdefghijkl\u{1234}"), UTF16);
        assert_eq!(coder(&format!("{}\u{1234}", "a".repeat(64))), UTF8);
        assert_eq!(coder(&format!("{}\u{1234}", "a".repeat(63))), UTF16);
        // The chars behind the last whole group are judged by the first of them.
        assert_eq!(coder("abcda\u{1234}"), UTF8);
        assert_eq!(coder("日本"), UTF16);
    }

    #[test]
    fn other_rules() {
        let first = |text, rule| written(text, rule)[0] & 3;
        assert_eq!(first("é", StringRule::AsciiOrUtf8), UTF8);
        assert_eq!(first("日", StringRule::WidestChar), UTF16);
        assert_eq!(first("日😀", StringRule::WidestChar), UTF8);
        assert_eq!(first("😀", StringRule::OneByteOrUtf16), UTF16);
        assert_eq!(written("", StringRule::Utf8), [2]);
        assert_eq!(written("", StringRule::JavaSample), [0]);
    }

    #[test]
    fn broken_text_is_refused() {
        assert!(read_all(&[0x0d, 0, 0xd8, 0x41]).is_err(), "odd length");
        assert!(read_all(&[0x09, 0x00, 0xd8]).is_err(), "lone surrogate");
        assert!(read_all(&[0x06, 0xff]).is_err(), "not UTF-8");
        assert!(read_all(&[0x07, 0x41]).is_err(), "coder 3");
        assert!(read_all(&[0xff, 0xff, 0xff, 0xff, 0x0f]).is_err(), "length");
    }
}
