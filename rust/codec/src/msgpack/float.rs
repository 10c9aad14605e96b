//! Conversions between float widths that keep every bit or say that they can't. `as` casts
//! would round, and may change the payload of a NaN.

/// A binary32 of the same number as a binary16, NaN payloads included.
pub(super) fn widen_float16(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let mantissa = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => (mantissa as f32 / 16_777_216.0).to_bits(),
        0x1f => 0x7f80_0000 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The binary16 of the same number, if there is one.
pub(super) fn narrow_float16(value: f32) -> Option<u16> {
    let bits = value.to_bits();
    let exponent = bits >> 23 & 0xff;
    let mantissa = (bits >> 13 & 0x3ff) as u16;
    let magnitude = match exponent {
        0xff => 0x7c00 | mantissa,
        113..=142 => ((exponent - 112) << 10) as u16 | mantissa,
        _ => (value.abs() * 16_777_216.0).min(1023.0) as u16,
    };
    let narrow = (bits >> 16 & 0x8000) as u16 | magnitude;
    (widen_float16(narrow).to_bits() == bits).then_some(narrow)
}

/// A binary32 of the same number as a bfloat16.
pub(super) fn widen_bfloat16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// The bfloat16 of the same number, if there is one.
pub(super) fn narrow_bfloat16(value: f32) -> Option<u16> {
    let bits = value.to_bits();
    (bits & 0xffff == 0).then_some((bits >> 16) as u16)
}

/// A binary64 of the same number, NaN payloads included.
pub(super) fn widen_float32(value: f32) -> f64 {
    if !value.is_nan() {
        return value.into();
    }
    let bits = u64::from(value.to_bits());
    f64::from_bits(bits >> 31 << 63 | 0x7ff << 52 | (bits & 0x7f_ffff) << 29)
}

/// The binary32 nearest to a binary64; none where a finite number would become infinite or a
/// NaN would lose its payload.
pub(super) fn round_float64(value: f64) -> Option<f32> {
    match value.is_nan() {
        true => narrow_float64(value),
        false => Some(value as f32).filter(|narrow| narrow.is_finite() || value.is_infinite()),
    }
}

/// The binary32 of the same number, if there is one.
pub(super) fn narrow_float64(value: f64) -> Option<f32> {
    let narrow = if value.is_nan() {
        let bits = value.to_bits();
        f32::from_bits((bits >> 63 << 31) as u32 | 0x7f80_0000 | (bits >> 29) as u32 & 0x7f_ffff)
    } else {
        value as f32
    };
    (widen_float32(narrow).to_bits() == value.to_bits()).then_some(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_narrow_float_survives_widening() {
        for bits in 0..=u16::MAX {
            assert_eq!(
                narrow_float16(widen_float16(bits)),
                Some(bits),
                "{bits:04x}"
            );
            assert_eq!(narrow_bfloat16(widen_bfloat16(bits)), Some(bits));
        }
        assert_eq!(widen_float16(0x3c00), 1.0);
        assert_eq!(widen_float16(0x0001), 2f32.powi(-24));
        assert_eq!(widen_float16(0x7bff), 65_504.0);
    }

    #[test]
    fn numbers_between_two_narrow_ones_are_none() {
        assert_eq!(narrow_float16(65_520.0), None);
        assert_eq!(narrow_float16(1e-30), None);
        assert_eq!(narrow_bfloat16(1.001), None);
        assert_eq!(narrow_float64(0.1), None);
        assert_eq!(narrow_float64(f64::MAX), None);
        assert_eq!(narrow_float64(f64::from_bits(0x7ff0_0000_0000_0001)), None);
    }

    #[test]
    fn float32_survives_float64() {
        for bits in [0, 1, 0x8000_0000, 0x7f80_0001, 0xffc0_0000, 0x7f7f_ffff] {
            let value = f32::from_bits(bits);
            let back = narrow_float64(widen_float32(value)).unwrap();
            assert_eq!(back.to_bits(), bits);
        }
    }
}
