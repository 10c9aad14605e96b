//! Numbers from their JSON text, exactly.

/// Why a text has no value of the type asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// Has a fraction.
    Fraction,
    /// Beyond the type's range.
    Range,
}

/// The integer that a JSON number stands for: 1.0, 1e2 and 1.5e1 are integers. Exact, and linear
/// in the text's length whatever its exponent says. `number` must follow the number grammar.
///
/// # Errors
/// [`Misfit::Fraction`], or [`Misfit::Range`] past 20 digits.
pub(super) fn integer(number: &str) -> Result<i128, Misfit> {
    let (negative, magnitude) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number),
    };
    let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, saturating_exponent(exponent)),
        None => (magnitude, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let count = whole.len() + fraction.len();
    let Some(first) = digits().position(|digit| digit != b'0') else {
        return Ok(0);
    };
    let trailing = digits().rev().take_while(|digit| *digit == b'0').count();
    // value = significant digits x 10^scale, neither end of the digits being zero.
    let scale = exponent.saturating_add(trailing as i64 - fraction.len() as i64);
    if scale < 0 {
        return Err(Misfit::Fraction);
    }
    let significant = count - first - trailing;
    if scale.saturating_add(significant as i64) > 20 {
        return Err(Misfit::Range);
    }
    let mut value: i128 = 0;
    for digit in digits().skip(first).take(significant) {
        value = value * 10 + i128::from(digit - b'0');
    }
    value *= 10i128.pow(scale as u32);
    Ok(if negative { -value } else { value })
}

/// An exponent, kept within bounds that no text's length can make up for.
fn saturating_exponent(text: &str) -> i64 {
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let magnitude = digits.iter().fold(0i64, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    });
    if negative { -magnitude } else { magnitude }
}

/// The nearest double. `number` must follow the number grammar.
///
/// # Errors
/// [`Misfit::Range`] when it rounds to infinity.
pub(super) fn float64(number: &str) -> Result<f64, Misfit> {
    match number.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(Misfit::Range),
    }
}

/// The nearest float, rounded from the text itself and not by way of a double. The range is
/// checked after rounding, so that 3.4028235e+38, which several writers print for the largest
/// float and which lies above it, is read back.
///
/// # Errors
/// As for [`float64`].
pub(super) fn float32(number: &str) -> Result<f32, Misfit> {
    match number.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(Misfit::Range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_any_notation() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("0.000", 0),
            ("0e999999999999999999999", 0),
            ("1.0", 1),
            ("1e2", 100),
            ("1.5e1", 15),
            ("-1.50e+1", -15),
            ("1000e-3", 1),
            ("0.001e3", 1),
            ("18446744073709551615", u64::MAX as i128),
            ("1.8446744073709551615e19", u64::MAX as i128),
            ("-9223372036854775808.0", i64::MIN as i128),
        ] {
            assert_eq!(integer(text), Ok(value), "{text}");
        }
        for text in ["0.5", "1e-1", "1.5", "15e-1", "1e-1000000000000000000000"] {
            assert_eq!(integer(text), Err(Misfit::Fraction), "{text}");
        }
        for text in ["1e1000000000", "1e20", "123456789012345678901"] {
            assert_eq!(integer(text), Err(Misfit::Range), "{text}");
        }
    }

    #[test]
    fn a_million_digits_take_no_time() {
        let zeros = "0".repeat(1_000_000);
        assert_eq!(integer(&format!("1{zeros}e-1000000")), Ok(1));
        assert_eq!(integer(&format!("0.{zeros}1")), Err(Misfit::Fraction));
    }

    #[test]
    fn floats_round_before_their_range_is_checked() {
        assert_eq!(float32("3.4028235e+38"), Ok(f32::MAX));
        assert_eq!(float32("3.4028235677973366e38"), Ok(f32::MAX));
        assert_eq!(float32("3.4028235677973367e38"), Err(Misfit::Range));
        assert_eq!(float32("-3.5e38"), Err(Misfit::Range));
        assert_eq!(float64("1.7976931348623157e308"), Ok(f64::MAX));
        assert_eq!(float64("1.7976931348623159e308"), Err(Misfit::Range));
        assert_eq!(float64("1e1000000000"), Err(Misfit::Range));
        assert_eq!(float32("-0").map(f32::to_bits), Ok((-0.0f32).to_bits()));
        assert_eq!(float64("1e-400"), Ok(0.0));
        // Rounding through a double first would give 1.
        let above_tie = float32("1.00000005960464477539062500001");
        assert_eq!(above_tie, Ok(1.0 + f32::EPSILON));
    }
}
