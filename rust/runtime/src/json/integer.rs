//! The integer that a JSON number stands for, whatever its notation: 1.0, 1e2 and 1.5e1 are
//! integers.

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    Fraction,
    Range,
}

/// Exact, and linear in the text's length whatever its exponent says. `number` must follow the
/// number grammar.
pub(super) fn integer(number: &str) -> Result<i128, Misfit> {
    let magnitude = number.trim_start_matches('-');
    let negative = magnitude.len() < number.len();
    let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, saturating(exponent)),
        None => (magnitude, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let Some(leading) = digits().position(|digit| digit != b'0') else {
        return Ok(0);
    };
    let trailing = digits().rev().take_while(|digit| *digit == b'0').count();
    let significant = whole.len() + fraction.len() - leading - trailing;
    let scale = exponent.saturating_add(trailing as i64 - fraction.len() as i64);
    if scale < 0 {
        return Err(Misfit::Fraction);
    }
    if scale.saturating_add(significant as i64) > 20 {
        return Err(Misfit::Range);
    }
    let value = digits()
        .skip(leading)
        .take(significant)
        .fold(0, |value: i128, digit| {
            value * 10 + i128::from(digit - b'0')
        });
    let value = value * 10i128.pow(scale as u32);
    Ok(if negative { -value } else { value })
}

fn saturating(exponent: &str) -> i64 {
    let digits = exponent.trim_start_matches(['+', '-']);
    let magnitude = digits.bytes().fold(0i64, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    });
    if exponent.starts_with('-') {
        -magnitude
    } else {
        magnitude
    }
}
