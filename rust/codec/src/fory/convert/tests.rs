//! Tests of scalar conversion.

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
