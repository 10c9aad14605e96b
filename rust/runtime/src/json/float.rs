//! Floats in Python's layout: an exponent of at least two digits below 1e-4 and from 1e16 on.

/// A `double` of any value; a word in quotes where JSON has no number.
#[cold]
#[inline(never)]
pub(super) fn print_f64(value: f64) -> String {
    match word(value) {
        Some(word) => word.to_owned(),
        None => layout(zmij::Buffer::new().format_finite(value)),
    }
}

/// A `float` of any value.
#[cold]
#[inline(never)]
pub(super) fn print_f32(value: f32) -> String {
    match word(value.into()) {
        Some(word) => word.to_owned(),
        None => layout(zmij::Buffer::new().format_finite(value)),
    }
}

fn word(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("\"NaN\"")
    } else if value == f64::INFINITY {
        Some("\"Infinity\"")
    } else if value == f64::NEG_INFINITY {
        Some("\"-Infinity\"")
    } else {
        None
    }
}

/// The number that `text` spells, anew.
fn layout(text: &str) -> String {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let zeros = all.len() - digits.len();
    let digits = digits.trim_end_matches('0');
    let written: i32 = exponent.parse().unwrap_or(0);
    // Of the first digit that is not zero.
    let exponent = written + whole.len() as i32 - 1 - zeros as i32;
    let (first, rest) = digits.split_at(digits.len().min(1));
    match exponent {
        0..16 => {
            let whole = exponent as usize + 1;
            if digits.len() <= whole {
                format!("{sign}{digits:0<whole$}.0")
            } else {
                format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
            }
        }
        -4..0 => format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
        _ => {
            let point = if rest.is_empty() { "" } else { "." };
            let minus = if exponent < 0 { '-' } else { '+' };
            format!(
                "{sign}{first}{point}{rest}e{minus}{:02}",
                exponent.unsigned_abs()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts() {
        for (value, text) in [
            (1e16, "1e+16"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (0.00001, "1e-05"),
            (-0.000012345, "-1.2345e-05"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "\"NaN\""),
            (f64::NEG_INFINITY, "\"-Infinity\""),
        ] {
            assert_eq!(print_f64(value), text);
        }
        for (value, text) in [
            (1e13, "10000000000000.0"),
            (1.5e15, "1500000000000000.0"),
            (3.4028235e38, "3.4028235e+38"),
            (0.00001, "1e-05"),
            (f32::from_bits(1), "1e-45"),
        ] {
            assert_eq!(print_f32(value), text);
        }
    }
}
