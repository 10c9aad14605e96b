//! Bytes as base64 (RFC 4648): written in the standard alphabet, padded; read in either.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

// Writers pad or not, and some leave bits over in the last character.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
static STANDARD_ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
static URL_SAFE_ENGINE: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

pub(super) fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    let len = base64::encoded_len(bytes.len(), true).unwrap_or_default();
    out.resize(start + len, 0);
    // The slice has the length that the library itself asks for.
    let written = STANDARD_ENGINE.encode_slice(bytes, &mut out[start..]);
    debug_assert_eq!(written, Ok(len));
}

/// # Errors
/// A sentence.
pub(super) fn parse(text: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
    let url_safe = text.bytes().any(|byte| matches!(byte, b'-' | b'_'));
    let engine = if url_safe {
        &URL_SAFE_ENGINE
    } else {
        &STANDARD_ENGINE
    };
    bytes.clear();
    let decoded = engine.decode_vec(text, bytes);
    decoded.map_err(|error| format!("the text is not base64: {error}"))
}
