//! Floats to text in the layouts of the real writers.

use super::dialect::{Dialect, Float32Digits, NegativeZero, Notation};

/// Significant digits of a finite number: `d.ddd x 10^exponent`.
struct Decimal {
    digits: String,
    exponent: i32,
    /// The precision asked for, which decides C's `%g` between its two forms.
    precision: i32,
}

/// The JSON text of a `double`; a word in quotes where JSON has no number.
pub(super) fn print_float64(value: f64, dialect: &Dialect) -> String {
    print(
        value,
        dialect,
        || digits_of_double(value, dialect.notation),
        false,
    )
}

/// The JSON text of a `float`.
pub(super) fn print_float32(value: f32, dialect: &Dialect) -> String {
    let wide = f64::from(value);
    let decimal = || {
        let round_trips = |text: &str| text.parse() == Ok(value);
        match dialect.float32_digits {
            Float32Digits::Widened => digits_of_double(wide, dialect.notation),
            Float32Digits::Printf { last } => match scientific(wide, 6) {
                text if round_trips(&text) && !value.is_subnormal() => split(&text, 6),
                _ => split(&scientific(wide, last.into()), last.into()),
            },
            Float32Digits::FromSix => {
                let found = (6..9)
                    .map(|precision| (scientific(wide, precision), precision))
                    .find(|(text, _)| round_trips(text));
                let (text, precision) = found.unwrap_or_else(|| (scientific(wide, 9), 9));
                split(&text, precision)
            }
            Float32Digits::Shortest => match shortest(format!("{value:e}"), wide, round_trips) {
                one if dialect.notation == Notation::Java && one.digits.len() == 1 => {
                    split(&scientific(wide, 2), 2)
                }
                decimal => decimal,
            },
        }
    };
    print(wide, dialect, decimal, true)
}

fn digits_of_double(value: f64, notation: Notation) -> Decimal {
    let round_trips = |text: &str| text.parse() == Ok(value);
    match notation {
        Notation::Printf => {
            let text = scientific(value, 15);
            if text.parse() == Ok(value) {
                split(&text, 15)
            } else {
                split(&scientific(value, 17), 17)
            }
        }
        Notation::Java => match shortest(format!("{value:e}"), value, round_trips) {
            // Java never prints fewer than two digits, and chooses the nearest two.
            one if one.digits.len() == 1 => split(&scientific(value, 2), 2),
            decimal => decimal,
        },
        _ => shortest(format!("{value:e}"), value, round_trips),
    }
}

fn scientific(value: f64, precision: usize) -> String {
    format!("{value:.*e}", precision - 1)
}

/// `text` has the fewest digits that come back. Where two such numbers are equally near, as for
/// the float 471249.125, the real writers take the even one and Rust the larger.
fn shortest(text: String, value: f64, round_trips: impl Fn(&str) -> bool) -> Decimal {
    let decimal = split(&text, 17);
    let even = scientific(value, decimal.digits.len());
    match round_trips(&even) {
        true => split(&even, 17),
        false => decimal,
    }
}

/// Takes `-d.ddde-5` apart; trailing zeros go.
fn split(text: &str, precision: usize) -> Decimal {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits = mantissa.replace(['-', '.'], "");
    let significant = digits.trim_end_matches('0');
    Decimal {
        digits: if significant.is_empty() {
            "0".to_owned()
        } else {
            significant.to_owned()
        },
        exponent: exponent.parse().unwrap_or(0),
        precision: precision as i32,
    }
}

fn print(value: f64, dialect: &Dialect, decimal: impl FnOnce() -> Decimal, single: bool) -> String {
    if value.is_nan() {
        return "\"NaN\"".to_owned();
    }
    let negative = value.is_sign_negative();
    if value.is_infinite() {
        let word = if negative { "-Infinity" } else { "Infinity" };
        return format!("\"{word}\"");
    }
    let signless = value == 0.0 && dialect.negative_zero == NegativeZero::Lost;
    let sign = if negative && !signless { "-" } else { "" };
    format!("{sign}{}", layout(&decimal(), dialect.notation, single))
}

fn layout(decimal: &Decimal, notation: Notation, single: bool) -> String {
    // Decimal form for exponents in [low, high), a ".0" for whole numbers, digits of exponent.
    let (low, high, point, width) = match notation {
        Notation::Printf => (-4, decimal.precision, false, 2),
        Notation::EcmaScript => (-6, 21, false, 1),
        Notation::Python => (-4, 16, true, 2),
        Notation::Java => (-3, 7, true, 1),
        Notation::Serde if single => (-6, 13, true, 1),
        Notation::Serde => (-5, 16, true, 1),
    };
    let Decimal {
        digits, exponent, ..
    } = decimal;
    if (low..high).contains(exponent) {
        return positional(digits, *exponent, point);
    }
    let (first, rest) = digits.split_at(1);
    let java = notation == Notation::Java;
    let fraction = match rest {
        "" if java => ".0".to_owned(),
        "" => String::new(),
        rest => format!(".{rest}"),
    };
    let mark = if java { "E" } else { "e" };
    let sign = match *exponent {
        ..0 => "-",
        _ if java => "",
        _ => "+",
    };
    let magnitude = exponent.unsigned_abs();
    format!("{first}{fraction}{mark}{sign}{magnitude:0width$}")
}

fn positional(digits: &str, exponent: i32, point: bool) -> String {
    let tail = if point { ".0" } else { "" };
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        let zeros = "0".repeat(whole - digits.len());
        return format!("{digits}{zeros}{tail}");
    }
    let (whole, fraction) = digits.split_at(whole);
    format!("{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::presets;
    use proptest::prelude::*;

    fn dialect(name: &str) -> Dialect {
        let found = presets().into_iter().find(|preset| preset.name == name);
        found.unwrap().dialect
    }

    #[test]
    fn each_writer_lays_out_its_own_way() {
        for (name, value, text) in [
            ("cpp", 1e6, "1000000"),
            ("cpp", 1e15, "1e+15"),
            ("cpp", 0.0001, "0.0001"),
            ("cpp", 0.00001, "1e-05"),
            ("cpp", 5e-324, "4.94065645841247e-324"),
            ("cpp", -0.0, "-0"),
            ("go", 1e20, "100000000000000000000"),
            ("go", 1e21, "1e+21"),
            ("go", 1e-7, "1e-7"),
            ("go", 0.000001, "0.000001"),
            ("javascript-es", -0.0, "0"),
            ("java", 1e7, "1.0E7"),
            ("java", 1234567.0, "1234567.0"),
            ("java", 0.001, "0.001"),
            ("java", 0.0001, "1.0E-4"),
            ("java", 5e-324, "4.9E-324"),
            ("python", 1e16, "1e+16"),
            ("python", 123456789012345680.0, "1.2345678901234568e+17"),
            ("python", 1e15, "1000000000000000.0"),
            ("python", 0.00001, "1e-05"),
            ("python", -0.0, "-0.0"),
            ("rust-buffa", 12.0, "12.0"),
            ("rust-buffa", 1e16, "1e+16"),
            ("rust-buffa", 5e-324, "5e-324"),
        ] {
            assert_eq!(print_float64(value, &dialect(name)), text, "{name}");
        }
        for (name, value, text) in [
            ("cpp", f32::MAX, "3.40282347e+38"),
            ("cpp", 1234567.0, "1234567"),
            ("cpp", 1e6, "1e+06"),
            ("cpp", 12.3, "12.3"),
            ("go", f32::MAX, "3.4028235e+38"),
            ("javascript-es", f32::MAX, "3.4028234663852886e+38"),
            ("python", f32::from_bits(1), "1.4013e-45"),
            ("python", 12.345, "12.345"),
            ("go", 471_249.12, "471249.12"),
            ("java", 471_249.12, "471249.12"),
            ("java", f32::from_bits(1), "1.4E-45"),
            ("java", f32::MAX, "3.4028235E38"),
        ] {
            assert_eq!(print_float32(value, &dialect(name)), text, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_dialect_comes_back_to_the_same_bits(bits: u64) {
            let double = f64::from_bits(bits);
            let float = f32::from_bits(bits as u32);
            for preset in presets() {
                if double.is_finite() {
                    let text = print_float64(double, &preset.dialect);
                    prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits, "{}", preset.name);
                }
                if float.is_finite() {
                    let text = print_float32(float, &preset.dialect);
                    prop_assert_eq!(text.parse::<f32>().unwrap().to_bits(), bits as u32, "{}", preset.name);
                }
            }
        }
    }
}
