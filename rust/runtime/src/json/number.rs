//! The grammar of numbers (RFC 8259, section 6), and the short forms that most of them have.

/// Length of the number that `bytes` begin with, or where it goes wrong.
pub(super) fn lex(bytes: &[u8]) -> Result<usize, usize> {
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let digits = |at: usize| {
        let count = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if count == 0 { Err(at) } else { Ok(at + count) }
    };
    let whole = at;
    at = digits(at)?;
    if bytes[whole] == b'0' && at > whole + 1 {
        return Err(whole);
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits(at)?;
    }
    Ok(at)
}

/// True when `text` is one number and nothing else.
pub(super) fn is_number(text: &str) -> bool {
    lex(text.as_bytes()) == Ok(text.len())
}

/// A number without exponent and of at most 18 digits: sign, digits, how many of them stand
/// behind the point, and its length. None for all others, right or wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    pub(super) negative: bool,
    pub(super) digits: u64,
    pub(super) scale: usize,
    pub(super) len: usize,
}

/// Reads the number that `bytes` begin with if it is short.
#[inline(always)]
pub(super) fn short(bytes: &[u8]) -> Option<Short> {
    let negative = bytes.first() == Some(&b'-');
    let first = usize::from(negative);
    let mut at = first;
    let mut digits = 0u64;
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        if at - first >= 18 {
            return None;
        }
        digits = digits * 10 + u64::from(digit - b'0');
        at += 1;
    }
    let whole = at - first;
    if whole == 0 || (whole > 1 && bytes[first] == b'0') {
        return None;
    }
    let mut scale = 0;
    match bytes.get(at) {
        Some(b'.') => {
            at += 1;
            while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
                if whole + scale >= 18 {
                    return None;
                }
                digits = digits * 10 + u64::from(digit - b'0');
                scale += 1;
                at += 1;
            }
            if scale == 0 || matches!(bytes.get(at), Some(b'e' | b'E')) {
                return None;
            }
        }
        Some(b'e' | b'E') => return None,
        _ => {}
    }
    Some(Short {
        negative,
        digits,
        scale,
        len: at,
    })
}

impl Short {
    /// The value, for one without digits behind the point.
    #[inline(always)]
    pub(super) fn integer(self) -> Option<i64> {
        let value = self.digits as i64;
        (self.scale == 0).then_some(if self.negative { -value } else { value })
    }

    /// The nearest double, where one division of two exact doubles gives it.
    #[inline(always)]
    pub(super) fn f64(self) -> Option<f64> {
        static POWERS: [f64; 19] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
            1e16, 1e17, 1e18,
        ];
        if self.digits > 1 << 53 {
            return None;
        }
        let value = self.digits as f64 / POWERS[self.scale];
        Some(if self.negative { -value } else { value })
    }

    /// The nearest float, where one division of two exact floats gives it.
    #[inline(always)]
    pub(super) fn f32(self) -> Option<f32> {
        static POWERS: [f32; 11] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];
        if self.digits > 1 << 24 {
            return None;
        }
        let value = self.digits as f32 / POWERS.get(self.scale)?;
        Some(if self.negative { -value } else { value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammar() {
        for good in ["0", "-0", "10", "1.5", "-1.5e-10", "1E5", "1e+05", "0e0"] {
            assert!(is_number(good), "{good}");
        }
        for bad in [
            "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", " 1", "1 ", "1_0", "NaN",
            "1.e5", "00",
        ] {
            assert!(!is_number(bad), "{bad}");
            assert!(
                short(bad.as_bytes()).is_none_or(|short| short.len < bad.len()),
                "{bad}"
            );
        }
    }

    #[test]
    fn short_floats_are_the_nearest() {
        for text in [
            "0.1",
            "-12.345",
            "123456789.0123",
            "0.000001",
            "-0.0",
            "9007199254740992",
        ] {
            let number = short(text.as_bytes()).unwrap();
            let wanted: f64 = text.parse().unwrap();
            assert_eq!(number.f64().unwrap().to_bits(), wanted.to_bits(), "{text}");
            if let Some(value) = number.f32() {
                let wanted: f32 = text.parse().unwrap();
                assert_eq!(value.to_bits(), wanted.to_bits(), "{text}");
            }
        }
    }
}
