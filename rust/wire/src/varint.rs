//! Base-128 varints and zigzag, as protobuf's encoding guide and the Fory xlang specification
//! define them.

/// Length in bytes of the base-128 varint of `value`: 1 to 10.
#[inline]
pub const fn varint_len(value: u64) -> usize {
    // 9/64 per bit: exact for every bit width from 1 to 64.
    ((64 - (value | 1).leading_zeros() as usize) * 9 + 64) / 64
}

/// Length in bytes of Fory's varint64, whose ninth byte holds eight bits: 1 to 9.
#[inline]
pub const fn fory_varint64_len(value: u64) -> usize {
    let len = varint_len(value);
    if len > 9 { 9 } else { len }
}

/// Maps a signed number to an unsigned one so that small magnitudes stay small.
#[inline]
pub const fn zigzag32(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// Inverse of [`zigzag32`].
#[inline]
pub const fn unzigzag32(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// Maps a signed number to an unsigned one so that small magnitudes stay small.
#[inline]
pub const fn zigzag64(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Inverse of [`zigzag64`].
#[inline]
pub const fn unzigzag64(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_at_every_boundary() {
        for bits in 0..64u32 {
            let value = 1u64 << bits;
            assert_eq!(varint_len(value), bits as usize / 7 + 1, "2^{bits}");
            assert_eq!(varint_len(value - 1), (bits.max(1) as usize - 1) / 7 + 1);
        }
        assert_eq!(varint_len(u64::MAX), 10);
        assert_eq!(fory_varint64_len(u64::MAX), 9);
        assert_eq!(fory_varint64_len((1 << 56) - 1), 8);
    }

    #[test]
    fn zigzag_is_a_bijection_at_the_edges() {
        for value in [0, -1, 1, -2, i32::MIN, i32::MAX] {
            assert_eq!(unzigzag32(zigzag32(value)), value);
            assert_eq!(unzigzag64(zigzag64(i64::from(value))), i64::from(value));
        }
        assert_eq!(zigzag64(i64::MIN), u64::MAX);
        assert_eq!(unzigzag64(u64::MAX), i64::MIN);
    }
}
