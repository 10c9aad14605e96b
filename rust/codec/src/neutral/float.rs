//! Floats as text.

use half::{bf16, f16};
use interop_schema::Type;

use crate::Value;

/// The text of a float, `None` for any other value.
pub(super) fn print(value: &Value) -> Option<String> {
    let (value, bits, quiet_nan) = match value {
        Value::Float16(bits) => (f16::from_bits(*bits).to_f64(), u64::from(*bits), 0x7e00),
        Value::BFloat16(bits) => (bf16::from_bits(*bits).to_f64(), u64::from(*bits), 0x7fc0),
        Value::Float32(v) => (f64::from(*v), u64::from(v.to_bits()), 0x7fc0_0000),
        Value::Float64(v) => (*v, v.to_bits(), 0x7ff8_0000_0000_0000),
        _ => return None,
    };
    Some(if value.is_nan() {
        if bits == quiet_nan {
            "NaN".to_owned()
        } else {
            format!("NaN({bits:x})")
        }
    } else if value.is_infinite() {
        let text = if value > 0.0 { "Infinity" } else { "-Infinity" };
        text.to_owned()
    } else {
        decimal(value)
    })
}

/// The fewest digits that name `value`, positional where the exponent lies in [-4, 16).
fn decimal(value: f64) -> String {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        // `Debug` is positional here too, and keeps the `.0` of a whole number.
        let text = format!("{value}");
        return if text.contains('.') {
            text
        } else {
            text + ".0"
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// The float of type `ty` that `text` names: the nearest one for decimal digits.
///
/// # Errors
/// What is wrong, as a sentence.
pub(super) fn parse(ty: &Type, text: &str) -> Result<Value, String> {
    if let Some(bits) = nan_bits(text) {
        return nan(ty, bits).ok_or_else(|| format!("{text:?} is not a NaN of this width"));
    }
    let value = match text {
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        "NaN" => f64::NAN,
        _ if is_decimal(text) => text.parse().map_err(|_| format!("{text:?} is no number"))?,
        _ => return Err(format!("{text:?} is no number")),
    };
    let named = !is_decimal(text);
    let (value, finite) = match ty {
        Type::Float16 => {
            let v = f16::from_f64(value);
            let bits = if v.is_nan() { 0x7e00 } else { v.to_bits() };
            (Value::Float16(bits), v.is_finite())
        }
        Type::BFloat16 => {
            let v = bf16::from_f64(value);
            let bits = if v.is_nan() { 0x7fc0 } else { v.to_bits() };
            (Value::BFloat16(bits), v.is_finite())
        }
        Type::Float32 => {
            // Decimal text is rounded once, at its own width.
            let v = if named {
                value as f32
            } else {
                text.parse().unwrap_or(f32::NAN)
            };
            let v = if v.is_nan() {
                f32::from_bits(0x7fc0_0000)
            } else {
                v
            };
            (Value::Float32(v), v.is_finite())
        }
        Type::Float64 => {
            let v = if value.is_nan() {
                f64::from_bits(0x7ff8_0000_0000_0000)
            } else {
                value
            };
            (Value::Float64(v), v.is_finite())
        }
        _ => return Err("the type is no float".to_owned()),
    };
    if !named && !finite {
        return Err(format!("{text} is out of the type's range"));
    }
    Ok(value)
}

fn nan_bits(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("NaN(")?.strip_suffix(')')?;
    let digits = hex.bytes().all(|b| b.is_ascii_hexdigit());
    digits.then(|| u64::from_str_radix(hex, 16).ok()).flatten()
}

fn nan(ty: &Type, bits: u64) -> Option<Value> {
    let (value, is_nan) = match ty {
        Type::Float16 => {
            let bits = u16::try_from(bits).ok()?;
            (Value::Float16(bits), f16::from_bits(bits).is_nan())
        }
        Type::BFloat16 => {
            let bits = u16::try_from(bits).ok()?;
            (Value::BFloat16(bits), bf16::from_bits(bits).is_nan())
        }
        Type::Float32 => {
            let value = f32::from_bits(u32::try_from(bits).ok()?);
            (Value::Float32(value), value.is_nan())
        }
        Type::Float64 => {
            let value = f64::from_bits(bits);
            (Value::Float64(value), value.is_nan())
        }
        _ => return None,
    };
    is_nan.then_some(value)
}

/// `-?digits(.digits)?(e[+-]?digits)?`
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa_fits = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa),
    };
    let exponent_fits =
        exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)));
    mantissa_fits && exponent_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> String {
        print(&Value::Float64(value)).unwrap()
    }

    #[test]
    fn few_digits_positional_or_with_an_exponent() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(double(value), text);
        }
        assert_eq!(print(&Value::Float32(0.1)).unwrap(), "0.10000000149011612");
        assert_eq!(print(&Value::Float16(0x7bff)).unwrap(), "65504.0");
        assert_eq!(
            print(&Value::Float16(0x8001)).unwrap(),
            "-5.960464477539063e-08"
        );
        assert_eq!(
            print(&Value::BFloat16(0x7f7f)).unwrap(),
            "3.3895313892515355e+38"
        );
    }

    #[test]
    fn every_half_survives() {
        for bits in 0..=u16::MAX {
            for (ty, value) in [
                (Type::Float16, Value::Float16(bits)),
                (Type::BFloat16, Value::BFloat16(bits)),
            ] {
                let text = print(&value).unwrap();
                assert_eq!(parse(&ty, &text), Ok(value), "{text}");
            }
        }
    }

    #[test]
    fn only_decimal_text_in_range() {
        for text in [
            "", "-", "1.", ".5", "+1", "inf", "nan", "-NaN", "1e", "0x1", "1_0", " 1", "NaN()",
            "NaN(0)", "NaN(+1)", "infinity", "1e5.0",
        ] {
            assert!(parse(&Type::Float64, text).is_err(), "{text}");
        }
        for (ty, text) in [
            (Type::Float64, "1e309"),
            (Type::Float32, "3.5e38"),
            (Type::Float16, "65520"),
            (Type::BFloat16, "3.4e38"),
        ] {
            assert!(parse(&ty, text).unwrap_err().contains("range"), "{text}");
        }
        assert_eq!(parse(&Type::Float32, "1E2"), Ok(Value::Float32(100.0)));
        assert_eq!(
            parse(&Type::Float32, "-Infinity"),
            Ok(Value::Float32(f32::NEG_INFINITY))
        );
    }
}
