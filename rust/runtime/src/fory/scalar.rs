//! Scalars of another type than the field's: the conversions of "type disambiguation" in the
//! xlang specification. A conversion succeeds only where the same value results.

/// A scalar as read.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Boolean.
    Bool(bool),
    /// An integer of any width and sign.
    Int(i128),
    /// A float of `bits` bits.
    Float {
        /// The value, exact.
        value: f64,
        /// 16 (binary16), 17 (bfloat16), 32 or 64.
        bits: u8,
    },
    /// Text.
    Text(String),
}

fn no(value: &Scalar, target: &str) -> String {
    format!("{value:?} has no equal {target}")
}

impl Scalar {
    /// As a bool: 0 and 1, "0", "1", "false" and "true" only.
    ///
    /// # Errors
    /// A sentence.
    pub fn to_bool(&self) -> Result<bool, String> {
        match self {
            Self::Bool(value) => Ok(*value),
            Self::Int(0) => Ok(false),
            Self::Int(1) => Ok(true),
            Self::Float { value: 0.0, .. } => Ok(false),
            Self::Float { value: 1.0, .. } => Ok(true),
            Self::Text(text) if text == "0" || text == "false" => Ok(false),
            Self::Text(text) if text == "1" || text == "true" => Ok(true),
            _ => Err(no(self, "bool")),
        }
    }

    fn to_i128(&self) -> Option<i128> {
        match self {
            Self::Bool(value) => Some(i128::from(*value)),
            Self::Int(value) => Some(*value),
            Self::Float { value, .. } => {
                // 2^64 bounds every integer type; below it the cast is exact.
                (value.fract() == 0.0 && value.abs() < 2e19).then_some(*value as i128)
            }
            Self::Text(text) => Literal::parse(text)?.to_integer(),
        }
    }

    /// As an integer of any type.
    ///
    /// # Errors
    /// A sentence.
    pub fn to_int<T: TryFrom<i128>>(&self) -> Result<T, String> {
        let value = self.to_i128().and_then(|value| T::try_from(value).ok());
        value.ok_or_else(|| no(self, std::any::type_name::<T>()))
    }

    /// As a double.
    ///
    /// # Errors
    /// A sentence.
    pub fn to_f64(&self) -> Result<f64, String> {
        let value = match self {
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Int(value) => (*value as f64 as i128 == *value).then_some(*value as f64),
            Self::Float { value, bits } => (*bits == 64 || !value.is_nan()).then_some(*value),
            Self::Text(text) => Literal::parse(text).and_then(|literal| literal.to_float()),
        };
        value.ok_or_else(|| no(self, "double"))
    }

    /// As a float.
    ///
    /// # Errors
    /// A sentence.
    pub fn to_f32(&self) -> Result<f32, String> {
        let value = match self {
            Self::Bool(value) => Some(f32::from(u8::from(*value))),
            Self::Int(value) => (*value as f32 as i128 == *value).then_some(*value as f32),
            Self::Float { value, bits } => {
                let narrow = *value as f32;
                let same = f64::from(narrow).to_bits() == value.to_bits();
                (*bits == 32 || (same && !value.is_nan())).then_some(narrow)
            }
            Self::Text(text) => Literal::parse(text)
                .and_then(|literal| literal.to_float())
                .filter(|value| f64::from(*value as f32) == *value)
                .map(|value| value as f32),
        };
        value.ok_or_else(|| no(self, "float"))
    }

    /// As text: canonical, without exponent.
    ///
    /// # Errors
    /// A sentence.
    pub fn to_text(&self) -> Result<String, String> {
        match self {
            Self::Bool(value) => Ok(value.to_string()),
            Self::Int(value) => Ok(value.to_string()),
            Self::Float { value, .. } if value.is_finite() => exact_text(*value)
                .filter(|text| text.len() <= 320)
                .ok_or_else(|| no(self, "text")),
            Self::Float { .. } => Err(no(self, "text")),
            Self::Text(text) => Ok(text.clone()),
        }
    }
}

/// The exact decimal digits of a finite float, with a point and no exponent.
fn exact_text(value: f64) -> Option<String> {
    // 1074 fractional digits write every double exactly.
    let text = format!("{value:.1074}");
    let text = text.trim_end_matches('0');
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let fraction = text.split('.').nth(1).map_or(0, str::len);
    let text = if text.ends_with('.') {
        format!("{text}0")
    } else {
        text.to_owned()
    };
    // More than 256 fractional or significant digits are outside the conversion.
    (fraction <= 256 && digits <= 512).then_some(text)
}

/// A numeric literal: sign, digits of the mantissa, power of ten.
struct Literal<'a> {
    text: &'a str,
    negative: bool,
    digits: String,
    exponent: i64,
}

impl<'a> Literal<'a> {
    /// By the grammar of the specification; texts past 320 bytes are refused.
    fn parse(text: &'a str) -> Option<Self> {
        if text.len() > 320 {
            return None;
        }
        let unsigned = text.strip_prefix('-');
        let negative = unsigned.is_some();
        let (mantissa, exponent) = match unsigned.unwrap_or(text).split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned.unwrap_or(text), None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let decimal = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let integer = |text: &str| decimal(text) && (text == "0" || !text.starts_with('0'));
        if !integer(whole) || fraction.is_some_and(|text| !decimal(text)) {
            return None;
        }
        let exponent = match exponent {
            None => 0,
            Some(text) => {
                if !integer(text.strip_prefix('-').unwrap_or(text)) {
                    return None;
                }
                text.parse::<i64>().ok()?
            }
        };
        let fraction = fraction.unwrap_or_default();
        let digits = format!("{whole}{fraction}");
        let exponent = exponent.checked_sub(fraction.len() as i64)?;
        Some(Self {
            text,
            negative,
            digits,
            exponent,
        })
    }

    fn to_integer(&self) -> Option<i128> {
        let digits = self.digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(0);
        }
        let trimmed = digits.trim_end_matches('0');
        let exponent = self.exponent + (digits.len() - trimmed.len()) as i64;
        if !(0..=30).contains(&exponent) || trimmed.len() as i64 + exponent > 30 {
            return None;
        }
        let value = trimmed.parse::<i128>().ok()? * 10i128.pow(exponent as u32);
        Some(if self.negative { -value } else { value })
    }

    /// The float whose exact value the literal is.
    fn to_float(&self) -> Option<f64> {
        let value: f64 = self.text.parse().ok()?;
        if !value.is_finite() {
            return None;
        }
        if value == 0.0 {
            let zero = self.digits.bytes().all(|digit| digit == b'0');
            return zero.then_some(value);
        }
        // Exact only if the float's own digits are those of the literal.
        let exact = format!("{:.1074}", value.abs());
        let (whole, fraction) = exact.split_once('.')?;
        let theirs = format!("{whole}{fraction}");
        let strip = |text: &str| text.trim_matches('0').to_owned();
        let same_digits = strip(&theirs) == strip(&self.digits);
        let magnitude = |digits: &str, exponent: i64| {
            let leading = digits.len() - digits.trim_start_matches('0').len();
            digits.len() as i64 - leading as i64 + exponent
        };
        let same = same_digits
            && magnitude(&theirs, -(fraction.len() as i64))
                == magnitude(&self.digits, self.exponent);
        same.then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Scalar {
        Scalar::Text(text.to_owned())
    }

    #[test]
    fn integers_keep_their_value_or_fail() {
        assert_eq!(Scalar::Int(7).to_int::<i32>(), Ok(7));
        assert!(Scalar::Int((1 << 40) + 7).to_int::<i32>().is_err());
        assert!(Scalar::Int(-1).to_int::<u64>().is_err());
        let half = Scalar::Float {
            value: 0.5,
            bits: 64,
        };
        assert!(half.to_int::<i32>().is_err());
        assert_eq!(text("1.50e1").to_int::<i32>(), Ok(15));
        for wrong in ["+1", " 1", "01", "1.", ".5", "0x1", "1e+2", "NaN", ""] {
            assert!(text(wrong).to_int::<i32>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn floats_are_exact() {
        assert_eq!(Scalar::Int(1 << 53).to_f64(), Ok(9_007_199_254_740_992.0));
        assert!(Scalar::Int((1 << 53) + 1).to_f64().is_err());
        assert_eq!(text("0.5").to_f64(), Ok(0.5));
        assert!(text("0.1").to_f64().is_err());
        let tenth = Scalar::Float {
            value: 0.1,
            bits: 64,
        };
        assert!(tenth.to_f32().is_err());
        let zero = Scalar::Float {
            value: -0.0,
            bits: 64,
        };
        assert!(zero.to_f32().unwrap().is_sign_negative());
        assert_eq!(zero.to_text().unwrap(), "-0.0");
        assert_eq!(half_text(), "0.5");
    }

    fn half_text() -> String {
        Scalar::Float {
            value: 0.5,
            bits: 32,
        }
        .to_text()
        .unwrap()
    }

    #[test]
    fn bools_are_zero_or_one() {
        assert_eq!(Scalar::Int(1).to_bool(), Ok(true));
        assert!(Scalar::Int(2).to_bool().is_err());
        assert_eq!(text("false").to_bool(), Ok(false));
        assert!(text("True").to_bool().is_err());
    }
}
