use std::marker::PhantomData;

use interop_wire::{ErrorKind, Limits};

use crate::{Cpu, Error, text};

type Result<T> = std::result::Result<T, Error>;

/// A place in the input. Never reads outside it, whatever the bytes say.
///
/// Invariant: `start <= at <= end <= stop`, and all of `start..stop` is one live slice.
#[derive(Debug)]
pub struct In<'a> {
    pub(crate) at: *const u8,
    /// End of the part being read.
    pub(crate) end: *const u8,
    /// End of the input: wide loads may reach it.
    pub(crate) stop: *const u8,
    start: *const u8,
    depth_left: u32,
    expansion_left: usize,
    limits: &'a Limits,
    bytes: PhantomData<&'a [u8]>,
}

/// End of the part around the one being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End(*const u8);

impl<'a> In<'a> {
    /// All of `bytes`.
    ///
    /// # Errors
    /// When they are more than `limits` allow.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], limits: &'a Limits) -> Result<Self> {
        if bytes.len() > limits.message_bytes {
            let limit = limits.message_bytes;
            return Err(Error::new(0, ErrorKind::SizeLimit { limit }));
        }
        let range = bytes.as_ptr_range();
        Ok(Self {
            at: range.start,
            end: range.end,
            stop: range.end,
            start: range.start,
            depth_left: limits.depth,
            expansion_left: limits
                .expansion_bytes
                .saturating_add(bytes.len().saturating_mul(4)),
            limits,
            bytes: PhantomData,
        })
    }

    /// Bytes from the start of the input.
    #[inline(always)]
    pub fn offset(&self) -> usize {
        self.at as usize - self.start as usize
    }

    /// Bytes left of the part being read.
    #[inline(always)]
    pub fn remaining(&self) -> usize {
        self.end as usize - self.at as usize
    }

    /// Bytes left of the whole input: loads of up to so many are inside it.
    #[inline(always)]
    pub(crate) fn readable(&self) -> usize {
        self.stop as usize - self.at as usize
    }

    /// True at the end of the part being read.
    #[inline(always)]
    pub fn is_at_end(&self) -> bool {
        self.at == self.end
    }

    /// An error at this place.
    #[cold]
    pub fn malformed(&self, text: impl Into<String>) -> Error {
        Error::malformed(self.offset(), text)
    }

    /// The error of an input that ends within `needed` bytes from here.
    #[cold]
    #[inline(never)]
    pub(crate) fn truncated(&self, needed: usize) -> Error {
        let remaining = self.remaining();
        Error::new(self.offset(), ErrorKind::Truncated { needed, remaining })
    }

    #[cold]
    #[inline(never)]
    fn too_long(&self, declared: u64) -> Error {
        let remaining = self.remaining();
        let kind = ErrorKind::LengthExceedsInput {
            declared,
            remaining,
        };
        Error::new(self.offset(), kind)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn overflow_at(&self, at: *const u8) -> Error {
        let offset = at as usize - self.start as usize;
        Error::new(offset, ErrorKind::VarintOverflow)
    }

    /// One level deeper; [`In::ascend`] must follow.
    ///
    /// # Errors
    /// Past the depth limit.
    #[inline(always)]
    pub fn descend(&mut self) -> Result<()> {
        match self.depth_left.checked_sub(1) {
            Some(left) => {
                self.depth_left = left;
                Ok(())
            }
            None => {
                let limit = self.limits.depth;
                Err(Error::new(self.offset(), ErrorKind::DepthLimit { limit }))
            }
        }
    }

    /// Back from [`In::descend`].
    #[inline(always)]
    pub fn ascend(&mut self) {
        self.depth_left += 1;
    }

    /// Charges `count` values of `size` bytes against the memory limit, before they are made.
    ///
    /// # Errors
    /// When the limit would be exceeded.
    #[inline(always)]
    pub fn charge(&mut self, count: usize, size: usize) -> Result<()> {
        match self.expansion_left.checked_sub(count.saturating_mul(size)) {
            Some(left) => {
                self.expansion_left = left;
                Ok(())
            }
            None => {
                let limit = self.limits.expansion_bytes;
                Err(Error::new(
                    self.offset(),
                    ErrorKind::ExpansionLimit { limit },
                ))
            }
        }
    }

    /// True when [`In::charge`] of the same would succeed.
    #[inline(always)]
    pub(crate) fn can_charge(&self, count: usize, size: usize) -> bool {
        count.saturating_mul(size) <= self.expansion_left
    }

    /// The next byte without moving.
    #[inline(always)]
    pub fn peek(&self) -> Option<u8> {
        if self.at < self.end {
            // SAFETY: `at` is inside the input.
            Some(unsafe { *self.at })
        } else {
            None
        }
    }

    /// Moves past the next byte if it is `byte`.
    #[inline(always)]
    pub fn next_is(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        if is {
            self.advance(1);
        }
        is
    }

    /// Moves past the next `N` bytes if they are `bytes`.
    #[inline(always)]
    pub fn next_are<const N: usize>(&mut self, bytes: &[u8; N]) -> bool {
        // SAFETY: `N` bytes are inside the input when that many remain.
        let are = self.remaining() >= N
            && unsafe { self.at.cast::<[u8; N]>().read_unaligned() } == *bytes;
        if are {
            self.advance(N);
        }
        are
    }

    /// True when `bytes` come next.
    #[inline(always)]
    pub(crate) fn starts_with(&self, bytes: &[u8]) -> bool {
        // SAFETY: that many bytes are inside the input.
        self.remaining() >= bytes.len()
            && unsafe { std::slice::from_raw_parts(self.at, bytes.len()) } == bytes
    }

    /// All that is left of the part being read.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &'a [u8] {
        // SAFETY: these bytes lie in a slice that lives for 'a.
        unsafe { std::slice::from_raw_parts(self.at, self.remaining()) }
    }

    /// What was read since `place`, a place of this input that was passed.
    pub(crate) fn since(&self, place: *const u8) -> &'a [u8] {
        debug_assert!(self.start <= place && place <= self.at);
        // SAFETY: these bytes lie in a slice that lives for 'a.
        unsafe { std::slice::from_raw_parts(place, self.at as usize - place as usize) }
    }

    /// Moves `count` bytes on; they must remain.
    #[inline(always)]
    pub(crate) fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.remaining());
        // SAFETY: all callers have checked that `count` bytes remain.
        self.at = unsafe { self.at.add(count) };
    }

    /// The next byte.
    ///
    /// # Errors
    /// At the end; so for all fixed-width reads.
    #[inline(always)]
    pub fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// At the end.
    #[inline(always)]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        if self.remaining() < N {
            return Err(self.truncated(N));
        }
        // SAFETY: `N` bytes remain.
        let bytes = unsafe { self.at.cast::<[u8; N]>().read_unaligned() };
        self.advance(N);
        Ok(bytes)
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline(always)]
    pub fn take(&mut self, len: u64) -> Result<&'a [u8]> {
        if len > self.remaining() as u64 {
            return Err(self.too_long(len));
        }
        // SAFETY: `len` bytes remain, in a slice that lives for 'a.
        let bytes = unsafe { std::slice::from_raw_parts(self.at, len as usize) };
        self.advance(len as usize);
        Ok(bytes)
    }

    /// Refuses a count of elements that take at least `min_bytes` each but exceed what is left.
    ///
    /// # Errors
    /// When they do.
    #[inline(always)]
    pub fn check_count(&self, count: u64, min_bytes: u64) -> Result<()> {
        if count.saturating_mul(min_bytes) > self.remaining() as u64 {
            return Err(self.too_long(count));
        }
        Ok(())
    }

    /// Runs `inner` on the next `len` bytes as a part of their own, which it must use up.
    ///
    /// # Errors
    /// When fewer are left; else those of `inner`.
    #[inline(always)]
    pub fn part<T>(&mut self, len: u64, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = self.enter(len)?;
        let result = inner(self);
        self.leave(outer);
        result
    }

    /// The next `len` bytes become the part being read. Returns the end of the part around
    /// it, which [`In::leave`] takes.
    #[inline(always)]
    pub(crate) fn enter(&mut self, len: u64) -> Result<End> {
        if len > self.remaining() as u64 {
            return Err(self.too_long(len));
        }
        let outer = End(self.end);
        // SAFETY: `len` bytes remain.
        self.end = unsafe { self.at.add(len as usize) };
        Ok(outer)
    }

    /// Back to the part around the one that [`In::enter`] began.
    #[inline(always)]
    pub(crate) fn leave(&mut self, outer: End) {
        self.end = outer.0;
    }

    /// Refuses bytes behind the value.
    ///
    /// # Errors
    /// When there are any.
    #[inline(always)]
    pub fn finish(&self) -> Result<()> {
        if self.is_at_end() {
            return Ok(());
        }
        let count = self.remaining();
        Err(Error::new(
            self.offset(),
            ErrorKind::TrailingBytes { count },
        ))
    }

    /// A base-128 varint of one to ten bytes (protobuf).
    ///
    /// # Errors
    /// Past ten bytes or 64 bits; at the end of the input.
    #[inline(always)]
    pub fn varint64<C: Cpu>(&mut self) -> Result<u64> {
        if let Some(byte) = self.peek()
            && byte < 0x80
        {
            self.advance(1);
            return Ok(u64::from(byte));
        }
        self.long_varint64::<C>()
    }

    #[inline(always)]
    fn long_varint64<C: Cpu>(&mut self) -> Result<u64> {
        if self.readable() >= 10 {
            // SAFETY: ten bytes are readable.
            let word = u64::from_le(unsafe { self.at.cast::<u64>().read_unaligned() });
            let stops = !word & 0x8080_8080_8080_8080;
            if stops != 0 {
                let bits = stops.trailing_zeros() + 1;
                let len = bits as usize / 8;
                if len <= self.remaining() {
                    self.advance(len);
                    return Ok(C::gather7(C::low_bits(word, bits)));
                }
            } else if self.remaining() >= 10 {
                // SAFETY: as above.
                let (ninth, tenth) = unsafe { (*self.at.add(8), *self.at.add(9)) };
                let low = C::gather7(word);
                if ninth < 0x80 {
                    self.advance(9);
                    return Ok(low | u64::from(ninth) << 56);
                }
                if tenth < 2 {
                    self.advance(10);
                    return Ok(low | u64::from(ninth & 0x7f) << 56 | u64::from(tenth) << 63);
                }
            }
        }
        self.slow_varint64()
    }

    #[cold]
    #[inline(never)]
    fn slow_varint64(&mut self) -> Result<u64> {
        let start = self.at;
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.u8()?;
            if shift == 63 && byte > 1 {
                return Err(self.overflow_at(start));
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }

    /// A base-128 varint of one to five bytes and 32 bits (Fory).
    ///
    /// # Errors
    /// Past five bytes or 32 bits; at the end of the input.
    #[inline(always)]
    pub fn varint32<C: Cpu>(&mut self) -> Result<u32> {
        if let Some(byte) = self.peek()
            && byte < 0x80
        {
            self.advance(1);
            return Ok(u32::from(byte));
        }
        if self.remaining() >= 8 {
            // SAFETY: eight bytes remain.
            let word = u64::from_le(unsafe { self.at.cast::<u64>().read_unaligned() });
            let stops = !word & 0x80_8080_8080;
            if stops != 0 {
                let bits = stops.trailing_zeros() + 1;
                let value = C::gather7(C::low_bits(word, bits));
                if value >> 32 == 0 {
                    self.advance(bits as usize / 8);
                    return Ok(value as u32);
                }
            }
        }
        self.slow_varint32()
    }

    #[cold]
    #[inline(never)]
    fn slow_varint32(&mut self) -> Result<u32> {
        let start = self.at;
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            if shift == 28 && byte > 0x0f {
                return Err(self.overflow_at(start));
            }
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }

    /// A zigzag varint of 32 bits.
    ///
    /// # Errors
    /// As for [`In::varint32`].
    #[inline(always)]
    pub fn zigzag32<C: Cpu>(&mut self) -> Result<i32> {
        self.varint32::<C>().map(interop_wire::unzigzag32)
    }

    /// Fory's varint64 of one to nine bytes.
    ///
    /// # Errors
    /// At the end of the input.
    #[inline(always)]
    pub fn fory_varint64<C: Cpu>(&mut self) -> Result<u64> {
        if let Some(byte) = self.peek()
            && byte < 0x80
        {
            self.advance(1);
            return Ok(u64::from(byte));
        }
        if self.remaining() >= 9 {
            // SAFETY: nine bytes remain.
            let (word, ninth) = unsafe {
                let word = self.at.cast::<u64>().read_unaligned();
                (u64::from_le(word), *self.at.add(8))
            };
            let stops = !word & 0x8080_8080_8080_8080;
            if stops != 0 {
                let bits = stops.trailing_zeros() + 1;
                self.advance(bits as usize / 8);
                return Ok(C::gather7(C::low_bits(word, bits)));
            }
            self.advance(9);
            return Ok(C::gather7(word) | u64::from(ninth) << 56);
        }
        self.slow_fory_varint64()
    }

    #[cold]
    #[inline(never)]
    fn slow_fory_varint64(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..56).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Ok(value | u64::from(self.u8()?) << 56)
    }

    /// Fory's zigzag varint64.
    ///
    /// # Errors
    /// At the end of the input.
    #[inline(always)]
    pub fn fory_zigzag64<C: Cpu>(&mut self) -> Result<i64> {
        self.fory_varint64::<C>().map(interop_wire::unzigzag64)
    }

    /// The next `len` bytes, which must be UTF-8, into `text`.
    ///
    /// # Errors
    /// When fewer are left or they are not UTF-8.
    #[inline(always)]
    pub fn utf8_into(&mut self, len: u64, text: &mut String) -> Result<()> {
        let bytes = self.take(len)?;
        let len = bytes.len();
        if text.capacity() < len {
            *text = String::with_capacity(len);
        }
        // SAFETY: the string's length is set to zero first and only raised over bytes that
        // are copied and were found to be ASCII or UTF-8.
        unsafe {
            let target = text.as_mut_vec();
            target.set_len(0);
            let ascii = text::copy_ascii(bytes.as_ptr(), target.as_mut_ptr(), len);
            if !ascii {
                self.check_utf8(bytes)?;
            }
            target.set_len(len);
        }
        Ok(())
    }

    /// The next `len` bytes, which must be UTF-8.
    ///
    /// # Errors
    /// When fewer are left or they are not UTF-8.
    #[inline(always)]
    pub(crate) fn utf8(&mut self, len: u64) -> Result<&'a str> {
        let bytes = self.take(len)?;
        if !text::is_ascii(bytes) {
            self.check_utf8(bytes)?;
        }
        // SAFETY: they were found to be ASCII or UTF-8.
        Ok(unsafe { std::str::from_utf8_unchecked(bytes) })
    }

    #[inline(never)]
    pub(crate) fn check_utf8(&self, bytes: &[u8]) -> Result<()> {
        match std::str::from_utf8(bytes) {
            Ok(_) => Ok(()),
            Err(error) => {
                let valid_bytes = error.valid_up_to();
                let start = self.offset() - bytes.len();
                Err(Error::new(start, ErrorKind::InvalidUtf8 { valid_bytes }))
            }
        }
    }

    /// The next `len` bytes into `bytes`.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline(always)]
    pub fn bytes_into(&mut self, len: u64, bytes: &mut Vec<u8>) -> Result<()> {
        let source = self.take(len)?;
        bytes.clear();
        make_room(bytes, source.len());
        bytes.extend_from_slice(source);
        Ok(())
    }
}

/// Room for `count` more values: a plain allocation where there is nothing to keep.
#[inline(always)]
pub(crate) fn make_room<T>(values: &mut Vec<T>, count: usize) {
    if values.capacity() - values.len() < count {
        if values.is_empty() {
            *values = Vec::with_capacity(count);
        } else {
            values.reserve_exact(count);
        }
    }
}
