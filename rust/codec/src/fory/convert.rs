//! Lossless conversion between scalar types of matched fields (section "List and Array
//! Semantics", from "may also read between direct top-level scalar schemas" on).

use interop_schema::fory::type_id as id;
use num_bigint::{BigInt, Sign};

use crate::Value;

const LITERAL_BYTES_MAX: usize = 320;
const DIGITS_MAX: usize = 256;
const SCALE_MAX: i64 = 256;

/// True for the types that take part: bool, string, numbers, decimal.
pub(super) const fn is_scalar(type_id: u8) -> bool {
    matches!(type_id, id::BOOL..=id::STRING | id::DECIMAL) && type_id != id::FLOAT8
}

/// An exact number: `unscaled` x 10^-`scale`, no trailing zeros; zero has scale 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Exact {
    unscaled: BigInt,
    scale: i64,
    negative_zero: bool,
}

/// A finite number or not.
enum Number {
    Finite(Exact),
    Infinite { negative: bool },
    NotANumber,
}

/// Converts `value`, read as `remote`, to the scalar type `local`.
///
/// # Errors
/// A sentence, when `local` can't hold the same value.
pub(super) fn convert(value: Value, remote: u8, local: u8) -> Result<Value, String> {
    if id::domain(remote) == id::domain(local) {
        return Ok(value);
    }
    let shown = short(&value);
    let fail = |why: &str| {
        let (remote, local) = (id::name(remote), id::name(local));
        format!("{remote} {shown} can't be read as {local}: {why}")
    };
    convert_inner(&value, local).map_err(|why| fail(&why))
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Float32(value) => format!("{value:?}"),
        Value::Float64(value) => format!("{value:?}"),
        Value::String(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
        other => other.kind().to_owned(),
    };
    text
}

fn convert_inner(value: &Value, local: u8) -> Result<Value, String> {
    match (value, local) {
        (Value::String(text), id::BOOL) => match text.as_str() {
            "0" | "false" => Ok(Value::Bool(false)),
            "1" | "true" => Ok(Value::Bool(true)),
            _ => Err("only 0, 1, false and true are bools".to_owned()),
        },
        (Value::Bool(value), id::STRING) => Ok(Value::String(value.to_string())),
        (Value::String(text), _) => {
            let number = parse(text)?;
            from_exact(&number, local, Domain::Text)
        }
        (_, id::STRING) => to_text(value).map(Value::String),
        _ => {
            let domain = match value {
                Value::Float16(_) | Value::BFloat16(_) | Value::Float32(_) | Value::Float64(_) => {
                    Domain::Float
                }
                _ => Domain::Exact,
            };
            match number_of(value)? {
                Number::Finite(exact) => from_exact(&exact, local, domain),
                Number::Infinite { negative } => infinite(local, negative),
                Number::NotANumber => Err("NaN is kept within one type only".to_owned()),
            }
        }
    }
}

/// What the number came from, which decides about the sign of zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Exact,
    Float,
    Text,
}

/// A floating format: significand bits with the hidden one, exponents of the highest and lowest
/// bit, total bits.
struct Format {
    precision: u64,
    exponent_max: i64,
    lowest_bit: i64,
    width: u32,
}

fn format_of(type_id: u8) -> Option<Format> {
    let (precision, exponent_max, lowest_bit, width) = match type_id {
        id::FLOAT16 => (11, 15, -24, 16),
        id::BFLOAT16 => (8, 127, -133, 16),
        id::FLOAT32 => (24, 127, -149, 32),
        id::FLOAT64 => (53, 1023, -1074, 64),
        _ => return None,
    };
    Some(Format {
        precision,
        exponent_max,
        lowest_bit,
        width,
    })
}

fn bits_of(value: &Value) -> Option<(u64, Format)> {
    let (bits, type_id) = match value {
        Value::Float16(bits) => (u64::from(*bits), id::FLOAT16),
        Value::BFloat16(bits) => (u64::from(*bits), id::BFLOAT16),
        Value::Float32(value) => (u64::from(value.to_bits()), id::FLOAT32),
        Value::Float64(value) => (value.to_bits(), id::FLOAT64),
        _ => return None,
    };
    format_of(type_id).map(|format| (bits, format))
}

fn float_value(type_id: u8, bits: u64) -> Value {
    match type_id {
        id::FLOAT16 => Value::Float16(bits as u16),
        id::BFLOAT16 => Value::BFloat16(bits as u16),
        id::FLOAT32 => Value::Float32(f32::from_bits(bits as u32)),
        _ => Value::Float64(f64::from_bits(bits)),
    }
}

fn infinite(local: u8, negative: bool) -> Result<Value, String> {
    let format = format_of(local).ok_or("it is not finite")?;
    let fraction_bits = format.precision - 1;
    let exponent = (format.exponent_max.cast_unsigned() << 1) + 1;
    let sign = u64::from(negative) << (format.width - 1);
    Ok(float_value(local, sign | exponent << fraction_bits))
}

fn number_of(value: &Value) -> Result<Number, String> {
    let exact = |unscaled: BigInt, scale: i64| Number::Finite(Exact::new(unscaled, scale, false));
    Ok(match value {
        Value::Bool(value) => exact(BigInt::from(u8::from(*value)), 0),
        Value::Int(value) => exact(BigInt::from(*value), 0),
        Value::UInt(value) => exact(BigInt::from(*value), 0),
        Value::Decimal { unscaled, scale } => exact(unscaled.clone(), i64::from(*scale)),
        value => {
            let Some((bits, format)) = bits_of(value) else {
                return Err(format!("a {} is no scalar", value.kind()));
            };
            float_number(bits, &format)
        }
    })
}

fn float_number(bits: u64, format: &Format) -> Number {
    let fraction_bits = format.precision - 1;
    let negative = bits >> (format.width - 1) & 1 == 1;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let exponent_mask = (1u64 << (u64::from(format.width) - format.precision)) - 1;
    let biased = bits >> fraction_bits & exponent_mask;
    if biased == exponent_mask {
        return if fraction == 0 {
            Number::Infinite { negative }
        } else {
            Number::NotANumber
        };
    }
    let (significand, exponent) = if biased == 0 {
        (fraction, format.lowest_bit)
    } else {
        let exponent = format.lowest_bit + biased.cast_signed() - 1;
        (fraction | 1 << fraction_bits, exponent)
    };
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    let significand = BigInt::from_biguint(sign, significand.into());
    // m x 2^-e is m x 5^e x 10^-e.
    let exact = if exponent >= 0 {
        Exact::new(significand << exponent.cast_unsigned(), 0, negative)
    } else {
        let power = BigInt::from(5u8).pow(exponent.unsigned_abs() as u32);
        Exact::new(significand * power, -exponent, negative)
    };
    Number::Finite(exact)
}

impl Exact {
    /// Brings the number to its normal form; `negative` only counts for zero.
    fn new(mut unscaled: BigInt, mut scale: i64, negative: bool) -> Self {
        let zero = unscaled == BigInt::ZERO;
        if zero {
            scale = 0;
        }
        let ten = BigInt::from(10u8);
        // Large powers first: stripping ten thousand digits one by one would be quadratic.
        let mut step = 256u32;
        while !zero && step > 0 {
            let power = ten.pow(step);
            while &unscaled % &power == BigInt::ZERO {
                unscaled /= &power;
                scale -= i64::from(step);
            }
            step /= 2;
        }
        Self {
            unscaled,
            scale,
            negative_zero: zero && negative,
        }
    }

    fn digits(&self) -> String {
        self.unscaled.magnitude().to_string()
    }

    /// The bounds of a converted decimal, checked before any large power of ten is made.
    fn check_bounds(&self) -> Result<(), String> {
        // A decimal digit takes more than 3.3 bits: cheap refusal before making digits.
        if self.unscaled.bits() > 3400 || !(-SCALE_MAX..=SCALE_MAX).contains(&self.scale) {
            return Err("it needs more digits than a conversion may have".to_owned());
        }
        let digits = self.digits().len();
        let written = digits as i64 + (-self.scale).max(0);
        if digits > DIGITS_MAX || written > DIGITS_MAX as i64 {
            return Err(format!("it needs more than {DIGITS_MAX} digits"));
        }
        Ok(())
    }

    /// The number as an integer, if it is one of at most `digits_max` digits.
    fn integer(&self, digits_max: i64) -> Option<BigInt> {
        let zeros = u32::try_from(-self.scale).ok()?;
        (i64::from(zeros) <= digits_max).then(|| &self.unscaled * BigInt::from(10u8).pow(zeros))
    }
}

fn from_exact(number: &Exact, local: u8, domain: Domain) -> Result<Value, String> {
    const INTEGER_DIGITS_MAX: i64 = 20;
    match local {
        id::BOOL => match (u8::try_from(&number.unscaled), number.scale) {
            (Ok(bit @ (0 | 1)), 0) => Ok(Value::Bool(bit == 1)),
            _ => Err("only 0 and 1 are bools".to_owned()),
        },
        id::DECIMAL => {
            number.check_bounds()?;
            let (unscaled, scale) = match number.integer(SCALE_MAX) {
                Some(integer) => (integer, 0),
                None => (number.unscaled.clone(), number.scale as i32),
            };
            Ok(Value::Decimal { unscaled, scale })
        }
        id::FLOAT16 | id::BFLOAT16 | id::FLOAT32 | id::FLOAT64 => {
            let negative_zero = domain != Domain::Exact && number.negative_zero;
            to_float(number, local, negative_zero)
        }
        _ => {
            if domain != Domain::Text && number.scale > 0 {
                return Err("it has a fraction".to_owned());
            }
            let integer = number.integer(INTEGER_DIGITS_MAX);
            let integer = integer.ok_or_else(|| "it is no integer in range".to_owned())?;
            to_integer(&integer, local).ok_or_else(|| "it is out of range".to_owned())
        }
    }
}

fn to_integer(integer: &BigInt, local: u8) -> Option<Value> {
    let bits = id::width_bytes(local) as u32 * 8;
    if local >= id::UINT8 {
        let value = u64::try_from(integer).ok()?;
        return (bits == 64 || value >> bits == 0).then_some(Value::UInt(value));
    }
    let value = i64::try_from(integer).ok()?;
    let limit = 1i128 << (bits - 1);
    (-limit..limit)
        .contains(&i128::from(value))
        .then_some(Value::Int(value))
}

/// The float that is exactly `number`.
fn to_float(number: &Exact, local: u8, negative_zero: bool) -> Result<Value, String> {
    let inexact = || "it is not exactly a number of that type".to_owned();
    let format = format_of(local).ok_or_else(inexact)?;
    let fraction_bits = format.precision - 1;
    if number.unscaled == BigInt::ZERO {
        let sign = u64::from(negative_zero) << (format.width - 1);
        return Ok(float_value(local, sign));
    }
    // No float has an exponent past a few hundred, nor a fraction longer than this.
    if !(-400..=1100).contains(&number.scale) {
        return Err(inexact());
    }
    let (integer, mut exponent) = if number.scale > 0 {
        let power = BigInt::from(5u8).pow(number.scale as u32);
        if &number.unscaled % &power != BigInt::ZERO {
            return Err(inexact());
        }
        (&number.unscaled / power, -number.scale)
    } else {
        let power = BigInt::from(10u8).pow(number.scale.unsigned_abs() as u32);
        (&number.unscaled * power, 0)
    };
    let magnitude = integer.magnitude();
    let zeros = magnitude.trailing_zeros().unwrap_or(0);
    let odd = magnitude >> zeros;
    exponent += zeros.cast_signed();
    let highest = exponent + odd.bits().cast_signed() - 1;
    if odd.bits() > format.precision
        || exponent < format.lowest_bit
        || highest > format.exponent_max
    {
        return Err(inexact());
    }
    let odd = u64::try_from(&odd).map_err(|_| inexact())?;
    let lowest_normal = format.lowest_bit + fraction_bits.cast_signed();
    let bits = if highest < lowest_normal {
        odd << (exponent - format.lowest_bit)
    } else {
        let aligned = odd << (exponent - (highest - fraction_bits.cast_signed()));
        let biased = (highest - lowest_normal + 1).cast_unsigned();
        biased << fraction_bits | aligned & ((1 << fraction_bits) - 1)
    };
    let sign = u64::from(integer.sign() == Sign::Minus) << (format.width - 1);
    Ok(float_value(local, sign | bits))
}

/// Canonical text of a finite number.
fn to_text(value: &Value) -> Result<String, String> {
    let number = match number_of(value)? {
        Number::Finite(number) => number,
        _ => return Err("it is not finite".to_owned()),
    };
    let float = bits_of(value).is_some();
    number.check_bounds()?;
    let negative = number.negative_zero || number.unscaled.sign() == Sign::Minus;
    let mut text = if negative { "-" } else { "" }.to_owned();
    let digits = number.digits();
    if number.scale <= 0 {
        text.push_str(&digits);
        text.extend(std::iter::repeat_n(
            '0',
            number.scale.unsigned_abs() as usize,
        ));
        text.push_str(if float { ".0" } else { "" });
        return Ok(text);
    }
    let scale = number.scale as usize;
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    text.push_str(whole);
    text.push('.');
    text.push_str(fraction);
    Ok(text)
}

/// Parses a numeric literal of the compatible grammar.
fn parse(text: &str) -> Result<Exact, String> {
    let wrong = || "it is no number of the allowed form".to_owned();
    if text.len() > LITERAL_BYTES_MAX {
        return Err(format!("it is longer than {LITERAL_BYTES_MAX} bytes"));
    }
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let plain = |text: &str| digits(text) && (text == "0" || !text.starts_with('0'));
    let exponent_fits = |text: &str| plain(text.strip_prefix('-').unwrap_or(text));
    if !plain(whole)
        || fraction.is_some_and(|fraction| !digits(fraction))
        || exponent.is_some_and(|exponent| !exponent_fits(exponent))
    {
        return Err(wrong());
    }
    let fraction = fraction.unwrap_or("");
    let unscaled: BigInt = format!("{whole}{fraction}").parse().map_err(|_| wrong())?;
    let unscaled = if negative { -unscaled } else { unscaled };
    let mut scale = fraction.len() as i64;
    if let Some(exponent) = exponent.filter(|_| unscaled != BigInt::ZERO) {
        // An exponent past all bounds is refused by them.
        let exponent: i64 = exponent.parse().unwrap_or(i64::MAX / 2);
        scale = scale.saturating_sub(exponent);
    }
    let number = Exact::new(unscaled, scale, negative);
    number.check_bounds()?;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Value {
        Value::String(value.to_owned())
    }

    fn to(value: Value, remote: u8, local: u8) -> Option<Value> {
        convert(value, remote, local).ok()
    }

    fn decimal(unscaled: i64, scale: i32) -> Value {
        Value::Decimal {
            unscaled: unscaled.into(),
            scale,
        }
    }

    #[test]
    fn integers_keep_their_value_or_fail() {
        let narrow = |value| to(Value::Int(value), id::VARINT64, id::VARINT32);
        assert_eq!(narrow(7), Some(Value::Int(7)));
        assert_eq!(narrow((1 << 40) + 7), None);
        assert_eq!(
            narrow(i64::from(i32::MIN)),
            Some(Value::Int(i64::from(i32::MIN)))
        );
        assert_eq!(to(Value::Int(-1), id::INT8, id::UINT64), None);
        let max = Value::UInt(u64::MAX);
        assert_eq!(to(max.clone(), id::UINT64, id::INT64), None);
        assert_eq!(to(max, id::UINT64, id::FLOAT64), None);
        let power = Value::UInt(1 << 63);
        assert_eq!(
            to(power, id::UINT64, id::FLOAT32),
            Some(Value::Float32(2f32.powi(63)))
        );
    }

    #[test]
    fn floats_convert_only_exactly() {
        let to32 = |value| to(Value::Float64(value), id::FLOAT64, id::FLOAT32);
        assert_eq!(to32(0.5), Some(Value::Float32(0.5)));
        assert_eq!(to32(0.1), None);
        assert_eq!(to32(-0.0), Some(Value::Float32(-0.0)));
        assert_eq!(to32(f64::from(f32::MAX)), Some(Value::Float32(f32::MAX)));
        assert_eq!(
            to32(f64::from(f32::from_bits(1))),
            Some(Value::Float32(f32::from_bits(1)))
        );
        assert_eq!(
            to32(f64::NEG_INFINITY),
            Some(Value::Float32(f32::NEG_INFINITY))
        );
        assert_eq!(to32(f64::NAN), None);
        assert_eq!(to32(f64::MIN_POSITIVE), None);
        let half = to(Value::Float32(1.5), id::FLOAT32, id::FLOAT16);
        assert_eq!(half, Some(Value::Float16(0x3e00)));
        let wide = to(Value::BFloat16(0x4049), id::BFLOAT16, id::FLOAT64);
        assert_eq!(wide, Some(Value::Float64(3.140625)));
        assert_eq!(
            to(Value::Float64(3.0), id::FLOAT64, id::INT8),
            Some(Value::Int(3))
        );
        assert_eq!(to(Value::Float64(3.5), id::FLOAT64, id::INT8), None);
        assert_eq!(to(Value::Float64(1e300), id::FLOAT64, id::INT64), None);
    }

    #[test]
    fn bools_are_zero_and_one() {
        for (input, expected) in [("1", true), ("0", false), ("true", true), ("false", false)] {
            assert_eq!(
                to(text(input), id::STRING, id::BOOL),
                Some(Value::Bool(expected))
            );
        }
        for input in ["True", " 1", "+1", "01", "", "2"] {
            assert_eq!(to(text(input), id::STRING, id::BOOL), None);
        }
        assert_eq!(
            to(Value::Float32(-0.0), id::FLOAT32, id::BOOL),
            Some(Value::Bool(false))
        );
        assert_eq!(
            to(decimal(100, 2), id::DECIMAL, id::BOOL),
            Some(Value::Bool(true))
        );
        assert_eq!(to(Value::Int(2), id::INT8, id::BOOL), None);
        assert_eq!(
            to(Value::Bool(true), id::BOOL, id::STRING),
            Some(text("true"))
        );
        assert_eq!(
            to(Value::Bool(true), id::BOOL, id::FLOAT64),
            Some(Value::Float64(1.0))
        );
    }

    #[test]
    fn numbers_become_canonical_text() {
        for (value, remote, expected) in [
            (Value::Int(-5), id::INT32, "-5"),
            (Value::Float64(-0.0), id::FLOAT64, "-0.0"),
            (
                Value::Float64(1e21),
                id::FLOAT64,
                "1000000000000000000000.0",
            ),
            (
                Value::Float32(0.1),
                id::FLOAT32,
                "0.100000001490116119384765625",
            ),
            (decimal(1200, 3), id::DECIMAL, "1.2"),
            (decimal(12, -3), id::DECIMAL, "12000"),
            (decimal(0, 5), id::DECIMAL, "0"),
            (decimal(-5, 3), id::DECIMAL, "-0.005"),
        ] {
            assert_eq!(to(value, remote, id::STRING), Some(text(expected)));
        }
        assert_eq!(to(Value::Float64(f64::NAN), id::FLOAT64, id::STRING), None);
        assert_eq!(to(decimal(1, -256), id::DECIMAL, id::STRING), None);
    }

    #[test]
    fn text_becomes_numbers_by_a_strict_grammar() {
        let number = |input: &str| to(text(input), id::STRING, id::DECIMAL);
        assert_eq!(number("1.50"), Some(decimal(15, 1)));
        assert_eq!(number("15e1"), Some(decimal(150, 0)));
        assert_eq!(number("-0"), Some(decimal(0, 0)));
        assert_eq!(number("0e999999999999"), Some(decimal(0, 0)));
        for input in [
            "",
            "-",
            "+1",
            "01",
            "1.",
            ".5",
            "1e",
            "1e+5",
            "1e05",
            " 1",
            "1 ",
            "1_0",
            "0x1",
            "NaN",
            "Infinity",
            "١",
            "1e999999999999",
            "1e-257",
        ] {
            assert_eq!(number(input), None, "{input}");
        }
        assert_eq!(number(&"1".repeat(321)), None);
        assert_eq!(number(&"1".repeat(257)), None);
        assert!(number(&"1".repeat(256)).is_some());
        assert_eq!(to(text("0.1"), id::STRING, id::FLOAT64), None);
        assert_eq!(
            to(text("0.25"), id::STRING, id::FLOAT32),
            Some(Value::Float32(0.25))
        );
        assert_eq!(
            to(text("-0.0"), id::STRING, id::FLOAT64),
            Some(Value::Float64(-0.0))
        );
        assert_eq!(to(text("300"), id::STRING, id::UINT8), None);
        assert_eq!(
            to(text("1e2"), id::STRING, id::UINT8),
            Some(Value::UInt(100))
        );
    }
}
