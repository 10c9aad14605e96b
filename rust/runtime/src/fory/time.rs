//! Timestamps and durations: seconds, and nanoseconds in [0, 10^9) on top.

use crate::{Cpu, Error, In, Out};

const SECOND: i32 = 1_000_000_000;

/// A timestamp: eight bytes of seconds, four of nanoseconds.
///
/// # Errors
/// Nanoseconds past a second; the end of the input.
#[inline(always)]
pub fn timestamp(input: &mut In<'_>) -> Result<(i64, i32), Error> {
    let seconds = i64::from_le_bytes(input.array()?);
    nanos(input).map(|nanos| (seconds, nanos))
}

/// A duration: a varint of seconds, rounded down, and four bytes of nanoseconds. Protobuf gives
/// both parts the same sign.
///
/// # Errors
/// Nanoseconds past a second; the end of the input.
#[inline(always)]
pub fn duration<C: Cpu>(input: &mut In<'_>) -> Result<(i64, i32), Error> {
    let seconds = input.fory_zigzag64::<C>()?;
    let nanos = nanos(input)?;
    if seconds < 0 && nanos > 0 {
        return Ok((seconds + 1, nanos - SECOND));
    }
    Ok((seconds, nanos))
}

fn nanos(input: &mut In<'_>) -> Result<i32, Error> {
    let nanos = i32::from_le_bytes(input.array()?);
    if (0..SECOND).contains(&nanos) {
        return Ok(nanos);
    }
    Err(Error::malformed(
        input.offset() - 4,
        format!("{nanos} nanoseconds are not within a second"),
    ))
}

/// Seconds and nanoseconds with the latter brought into [0, 10^9).
fn normal(seconds: i64, nanos: i32) -> (i64, i32) {
    (
        seconds.wrapping_add(i64::from(nanos.div_euclid(SECOND))),
        nanos.rem_euclid(SECOND),
    )
}

impl Out {
    /// A timestamp.
    ///
    /// # Safety
    /// Twelve bytes are reserved; see [`Out::array`].
    #[inline(always)]
    pub unsafe fn timestamp(&mut self, seconds: i64, nanos: i32) {
        let (seconds, nanos) = normal(seconds, nanos);
        // SAFETY: passed on to the caller.
        unsafe {
            self.array(seconds.to_le_bytes());
            self.array(nanos.to_le_bytes());
        }
    }

    /// A duration.
    ///
    /// # Safety
    /// Thirteen bytes are reserved; see [`Out::array`].
    #[inline(always)]
    pub unsafe fn duration<C: Cpu>(&mut self, seconds: i64, nanos: i32) {
        let (seconds, nanos) = normal(seconds, nanos);
        // SAFETY: passed on to the caller.
        unsafe {
            self.fory_zigzag64::<C>(seconds);
            self.array(nanos.to_le_bytes());
        }
    }

    /// A tagged int64: four bytes, or a flag and eight.
    ///
    /// # Safety
    /// Nine bytes are reserved; see [`Out::array`].
    #[inline(always)]
    pub unsafe fn tagged_i64(&mut self, value: i64) {
        // SAFETY: passed on to the caller.
        unsafe {
            if (-(1 << 30)..1 << 30).contains(&value) {
                self.array(((value as i32) << 1).to_le_bytes());
            } else {
                self.u8(1);
                self.array(value.to_le_bytes());
            }
        }
    }

    /// A tagged uint64: four bytes, or a flag and eight.
    ///
    /// # Safety
    /// Nine bytes are reserved; see [`Out::array`].
    #[inline(always)]
    pub unsafe fn tagged_u64(&mut self, value: u64) {
        // SAFETY: passed on to the caller.
        unsafe {
            if value < 1 << 31 {
                self.array(((value as u32) << 1).to_le_bytes());
            } else {
                self.u8(1);
                self.array(value.to_le_bytes());
            }
        }
    }
}
