//! Bytes as base64 (RFC 4648).

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

// Writers pad or not, and some leave bits over in the last character (the conformance suite's
// own "-_" does).
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD_ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const URL_SAFE_ENGINE: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// The standard alphabet, padded.
pub(super) fn print(bytes: &[u8]) -> String {
    STANDARD_ENGINE.encode(bytes)
}

/// Either alphabet, but not both in one text; padded or not.
///
/// # Errors
/// A sentence.
pub(super) fn parse(text: &str) -> Result<Vec<u8>, String> {
    let engine = if text.contains(['-', '_']) {
        &URL_SAFE_ENGINE
    } else {
        &STANDARD_ENGINE
    };
    let decoded = engine.decode(text);
    decoded.map_err(|error| format!("the text is not base64: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_padded_or_not() {
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            assert_eq!(parse(text).unwrap(), [0xfb, 0xff], "{text}");
        }
        assert_eq!(parse("-_").unwrap(), [0xfb]);
        assert!(parse("").unwrap().is_empty());
        assert_eq!(print(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn garbage_is_refused() {
        for text in [
            "QUJD!!!",
            "Q",
            "QUJDQ",
            "QUJD=",
            "QUI==",
            "QU=I",
            "QUJD QUJD",
            "QUJD\n",
            "=",
            "+_8=",
            "QUJ\u{e9}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
