//! Meta strings: names packed into 5 or 6 bits a character (section "Meta String").

/// Encoding of a meta string; the numbers are those that follow a name in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Encoding {
    /// As it is.
    Utf8 = 0,
    /// Five bits: a-z and four signs.
    LowerSpecial = 1,
    /// Six bits: letters, digits and two signs.
    LowerUpperDigitSpecial = 2,
    /// Five bits, the first letter in upper case.
    FirstToLowerSpecial = 3,
    /// Five bits, `|` before each letter in upper case.
    AllToLowerSpecial = 4,
}

use Encoding::{
    AllToLowerSpecial, FirstToLowerSpecial, LowerSpecial, LowerUpperDigitSpecial, Utf8,
};

/// Where a meta string stands, which decides the encodings it may have and its two signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A namespace.
    Namespace,
    /// A type's name.
    TypeName,
    /// A field's name.
    FieldName,
}

impl Place {
    /// The encodings allowed, in the order of their numbers inside a TypeDef.
    pub const fn encodings(self) -> &'static [Encoding] {
        match self {
            Self::Namespace | Self::FieldName => &[Utf8, AllToLowerSpecial, LowerUpperDigitSpecial],
            Self::TypeName => &[
                Utf8,
                AllToLowerSpecial,
                LowerUpperDigitSpecial,
                FirstToLowerSpecial,
            ],
        }
    }

    const fn signs(self) -> [char; 2] {
        match self {
            Self::Namespace => ['.', '_'],
            Self::TypeName | Self::FieldName => ['$', '_'],
        }
    }
}

impl Encoding {
    /// The encoding of this number, as it follows a name in a stream.
    pub fn from_number(number: u8) -> Option<Self> {
        [
            Utf8,
            LowerSpecial,
            LowerUpperDigitSpecial,
            FirstToLowerSpecial,
            AllToLowerSpecial,
        ]
        .into_iter()
        .find(|encoding| *encoding as u8 == number)
    }
}

/// Encodes `text` the way every library does: digits ask for six bits, few capitals for five.
pub fn encode(text: &str, place: Place) -> (Encoding, Vec<u8>) {
    let encoding = choose(text, place);
    let signs = place.signs();
    let bytes = match encoding {
        Utf8 => text.as_bytes().to_vec(),
        LowerUpperDigitSpecial => pack(text.chars().filter_map(|c| six_bits(c, signs)), 6),
        FirstToLowerSpecial | LowerSpecial => {
            let lower = text.chars().map(|c| c.to_ascii_lowercase());
            pack(lower.filter_map(five_bits), 5)
        }
        AllToLowerSpecial => {
            let escaped = text.chars().flat_map(|c| {
                let bar = c.is_ascii_uppercase().then_some('|');
                bar.into_iter().chain([c.to_ascii_lowercase()])
            });
            pack(escaped.filter_map(five_bits), 5)
        }
    };
    (encoding, bytes)
}

fn choose(text: &str, place: Place) -> Encoding {
    let signs = place.signs();
    if text.is_empty() || !text.chars().all(|c| six_bits(c, signs).is_some()) {
        return Utf8;
    }
    let uppers = text.chars().filter(char::is_ascii_uppercase).count();
    if text.chars().any(|c| c.is_ascii_digit()) {
        return LowerUpperDigitSpecial;
    }
    let first = text.chars().next().is_some_and(|c| c.is_ascii_uppercase());
    if uppers == 1 && first && place.encodings().contains(&FirstToLowerSpecial) {
        return FirstToLowerSpecial;
    }
    if (text.len() + uppers) * 5 < text.len() * 6 {
        return AllToLowerSpecial;
    }
    LowerUpperDigitSpecial
}

/// Bits behind a first bit that says that the padding could hold one more character.
fn pack(codes: impl Iterator<Item = u8>, bits: usize) -> Vec<u8> {
    let codes: Vec<_> = codes.collect();
    let total = codes.len() * bits + 1;
    let mut bytes = vec![0u8; total.div_ceil(8)];
    let mut at = 1;
    for code in codes {
        for bit in (0..bits).rev() {
            if code >> bit & 1 == 1 {
                bytes[at / 8] |= 0x80 >> (at % 8);
            }
            at += 1;
        }
    }
    if bytes.len() * 8 >= total + bits {
        bytes[0] |= 0x80;
    }
    bytes
}

fn five_bits(c: char) -> Option<u8> {
    Some(match c {
        'a'..='z' => c as u8 - b'a',
        '.' => 26,
        '_' => 27,
        '$' => 28,
        '|' => 29,
        _ => return None,
    })
}

fn six_bits(c: char, signs: [char; 2]) -> Option<u8> {
    Some(match c {
        'a'..='z' => c as u8 - b'a',
        'A'..='Z' => c as u8 - b'A' + 26,
        '0'..='9' => c as u8 - b'0' + 52,
        c if c == signs[0] => 62,
        c if c == signs[1] => 63,
        _ => return None,
    })
}

/// Decodes `bytes`.
///
/// # Errors
/// A sentence: not UTF-8, a code without a character, a wrong escape.
pub fn decode(bytes: &[u8], encoding: Encoding, place: Place) -> Result<String, String> {
    if encoding == Utf8 {
        let text = std::str::from_utf8(bytes);
        return text
            .map(str::to_owned)
            .map_err(|_| "meta string is not UTF-8".to_owned());
    }
    let bits = if encoding == LowerUpperDigitSpecial {
        6
    } else {
        5
    };
    let signs = place.signs();
    let mut text = String::new();
    let mut upper = encoding == FirstToLowerSpecial;
    for code in unpack(bytes, bits)? {
        let c = if bits == 5 {
            match code {
                0..=25 => char::from(b'a' + code),
                26 => '.',
                27 => '_',
                28 => '$',
                29 => '|',
                _ => return Err(format!("meta string holds the undefined code {code}")),
            }
        } else {
            match code {
                0..=25 => char::from(b'a' + code),
                26..=51 => char::from(b'A' + code - 26),
                52..=61 => char::from(b'0' + code - 52),
                62 => signs[0],
                _ => signs[1],
            }
        };
        if encoding == AllToLowerSpecial && c == '|' && !upper {
            upper = true;
            continue;
        }
        if upper && !c.is_ascii_lowercase() {
            return Err("meta string marks a sign as upper case".to_owned());
        }
        text.push(if upper { c.to_ascii_uppercase() } else { c });
        upper = false;
    }
    if upper {
        return Err("meta string ends in an escape".to_owned());
    }
    Ok(text)
}

fn unpack(bytes: &[u8], bits: usize) -> Result<Vec<u8>, String> {
    let Some(first) = bytes.first() else {
        return Err("packed meta string without bytes".to_owned());
    };
    let room = (bytes.len() * 8 - 1) / bits;
    let count = room - usize::from(first & 0x80 != 0).min(room);
    let mut codes = Vec::with_capacity(count);
    for i in 0..count {
        let at = 1 + i * bits;
        let code = (at..at + bits).fold(0, |code, bit| {
            code << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1)
        });
        codes.push(code);
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_round_trips() {
        for (text, place, encoding) in [
            ("very_long_field_name", Place::FieldName, AllToLowerSpecial),
            ("my_ns.sub1", Place::Namespace, LowerUpperDigitSpecial),
            ("my.pkg", Place::Namespace, AllToLowerSpecial),
            ("Leaf", Place::TypeName, FirstToLowerSpecial),
            ("NamedMsg", Place::TypeName, LowerUpperDigitSpecial),
            ("LongishNamedMessage", Place::TypeName, AllToLowerSpecial),
            ("straße", Place::FieldName, Utf8),
            ("a.b", Place::TypeName, Utf8),
            ("", Place::Namespace, Utf8),
        ] {
            let (chosen, bytes) = encode(text, place);
            assert_eq!(chosen, encoding, "{text}");
            assert_eq!(decode(&bytes, chosen, place).unwrap(), text);
        }
    }

    #[test]
    fn bytes_of_real_libraries() {
        let name = [0xce, 0x01, 0x82, 0x07, 0x32, 0x43, 0x00];
        assert_eq!(encode("NamedMsg", Place::TypeName).1, name);
    }

    #[test]
    fn every_length_round_trips() {
        for len in 1..40 {
            let text = "x".repeat(len);
            let (encoding, bytes) = encode(&text, Place::FieldName);
            assert_eq!(decode(&bytes, encoding, Place::FieldName).unwrap(), text);
            let text = "7".repeat(len);
            let (encoding, bytes) = encode(&text, Place::FieldName);
            assert_eq!(decode(&bytes, encoding, Place::FieldName).unwrap(), text);
        }
    }

    #[test]
    fn wrong_codes_are_refused() {
        assert!(decode(&[0x7f, 0xff], AllToLowerSpecial, Place::FieldName).is_err());
        assert!(decode(&[], LowerSpecial, Place::FieldName).is_err());
        assert!(decode(&[0xff], Utf8, Place::FieldName).is_err());
    }
}
