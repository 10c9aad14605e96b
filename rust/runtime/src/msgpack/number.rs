//! Numbers: in any width and family that says the same number, or refused.

use super::head::Head;
use crate::{Error, In};

type Result<T> = std::result::Result<T, Error>;

/// A bool.
///
/// # Errors
/// When anything else comes next.
#[inline(always)]
pub fn read_bool(input: &mut In<'_>) -> Result<bool> {
    let start = input.offset();
    match input.peek() {
        Some(byte @ 0xc2..=0xc3) => {
            input.advance(1);
            Ok(byte == 0xc3)
        }
        _ => Err(Head::read(input)?.unexpected(start, "a bool")),
    }
}

macro_rules! int {
    ($(#[$doc:meta])* $name:ident, $any:ident: $ty:ident, $negative:expr) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// When no int comes next, or one out of range.
        #[inline(always)]
        pub fn $name(input: &mut In<'_>) -> Result<$ty> {
            if let Some(byte) = input.peek() {
                if byte < 0x80 {
                    input.advance(1);
                    return Ok(byte as $ty);
                }
                if $negative && byte >= 0xe0 {
                    input.advance(1);
                    return Ok(byte as i8 as $ty);
                }
            }
            $any(input)
        }

        #[inline(never)]
        fn $any(input: &mut In<'_>) -> Result<$ty> {
            let start = input.offset();
            let value = match Head::read(input)? {
                Head::Int(value) => $ty::try_from(value).ok(),
                Head::UInt(value) => $ty::try_from(value).ok(),
                other => return Err(other.unexpected(start, "an int")),
            };
            value.ok_or_else(|| out_of_range(start, stringify!($ty)))
        }
    };
}

int!(
    /// An int for an `i32`.
    read_i32, any_i32: i32, true
);
int!(
    /// An int for an `i64`.
    read_i64, any_i64: i64, true
);
int!(
    /// An int for a `u32`.
    read_u32, any_u32: u32, false
);
int!(
    /// An int for a `u64`.
    read_u64, any_u64: u64, false
);

#[cold]
fn out_of_range(start: usize, ty: &str) -> Error {
    Error::malformed(start, format!("the int is out of range for {ty}"))
}

/// A float or int for an `f32`.
///
/// # Errors
/// When no number comes next, or one that an `f32` can't hold exactly.
#[inline(always)]
pub fn read_f32(input: &mut In<'_>) -> Result<f32> {
    if input.peek() == Some(0xca) && input.remaining() >= 5 {
        input.advance(1);
        return input.array().map(f32::from_be_bytes);
    }
    any_f32(input)
}

#[inline(never)]
fn any_f32(input: &mut In<'_>) -> Result<f32> {
    let start = input.offset();
    let exact = |value: i128| Some(value as f32).filter(|float| *float as i128 == value);
    let value = match Head::read(input)? {
        Head::Float32(value) => Some(value),
        // The nearest float, as for the dynamic engine: a double may be all that a writer has.
        Head::Float64(value) if !value.is_nan() => {
            Some(value as f32).filter(|narrow| narrow.is_finite() || value.is_infinite())
        }
        Head::Float64(value) => narrow(value),
        Head::Int(value) => exact(value.into()),
        Head::UInt(value) => exact(value.into()),
        other => return Err(other.unexpected(start, "a float")),
    };
    value.ok_or_else(|| Error::malformed(start, "a float can't hold this number exactly"))
}

/// A float or int for an `f64`.
///
/// # Errors
/// When no number comes next, or an int that an `f64` can't hold exactly.
#[inline(always)]
pub fn read_f64(input: &mut In<'_>) -> Result<f64> {
    if input.peek() == Some(0xcb) && input.remaining() >= 9 {
        input.advance(1);
        return input.array().map(f64::from_be_bytes);
    }
    any_f64(input)
}

#[inline(never)]
fn any_f64(input: &mut In<'_>) -> Result<f64> {
    let start = input.offset();
    let exact = |value: i128| Some(value as f64).filter(|float| *float as i128 == value);
    let value = match Head::read(input)? {
        Head::Float32(value) => Some(widen(value)),
        Head::Float64(value) => Some(value),
        Head::Int(value) => exact(value.into()),
        Head::UInt(value) => exact(value.into()),
        other => return Err(other.unexpected(start, "a float")),
    };
    value.ok_or_else(|| Error::malformed(start, "a double can't hold this number exactly"))
}

/// The same number with the payload of a NaN kept, which a cast may change.
fn widen(value: f32) -> f64 {
    if !value.is_nan() {
        return value.into();
    }
    let bits = u64::from(value.to_bits());
    f64::from_bits(bits >> 31 << 63 | 0x7ff << 52 | (bits & 0x7f_ffff) << 29)
}

fn narrow(value: f64) -> Option<f32> {
    let narrow = if value.is_nan() {
        let bits = value.to_bits();
        f32::from_bits((bits >> 63 << 31) as u32 | 0x7f80_0000 | (bits >> 29) as u32 & 0x7f_ffff)
    } else {
        value as f32
    };
    (widen(narrow).to_bits() == value.to_bits()).then_some(narrow)
}
