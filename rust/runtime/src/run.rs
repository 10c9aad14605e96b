use std::mem::MaybeUninit;

use crate::{Cpu, In};

/// Room for a copy of the input's last bytes, so that wide loads never leave it.
#[derive(Debug)]
#[repr(align(32))]
pub struct Scratch(MaybeUninit<[u8; Scratch::LEN]>);

impl Scratch {
    const LEN: usize = 96;

    /// Not yet used.
    #[inline(always)]
    pub fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// A zero-padded copy of `len` bytes, at most [`Run::REACH`] of them.
    ///
    /// # Safety
    /// `len` bytes are readable at `from`.
    #[inline(always)]
    unsafe fn fill(&mut self, from: *const u8, len: usize) -> *const u8 {
        debug_assert!(len <= Run::REACH);
        let to = self.0.as_mut_ptr().cast::<u8>();
        // SAFETY: all of it lies inside the scratch: 73 <= 96.
        unsafe {
            to.cast::<[u8; Self::LEN]>().write([0; Self::LEN]);
            crate::out::copy(from, to, len);
        }
        to
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

/// Consecutive varints inside a window of 64 bytes.
///
/// Varints one after another form a chain: each must be read to know where the next begins.
/// Here the last byte of each is found for the whole window at once, so that the numbers
/// themselves are read independently. What is wrong with any of them is noticed by
/// [`Run::finish`], after which the caller reads again, one by one, to say what.
#[derive(Debug)]
pub struct Run {
    base: *const u8,
    /// A bit for each byte of the window without continuation bit, read ones cleared.
    stops: u64,
    /// Place of the next number in the window.
    at: u32,
    /// Top bit: a number was too long. Bits 32 and up: one was too large.
    wrong: u64,
}

impl Run {
    /// Longest run in bytes, whatever its numbers are.
    pub const WINDOW: usize = 64;
    /// Bytes that the loads may touch.
    const REACH: usize = 73;

    /// A window at `input`'s place.
    #[inline(always)]
    pub fn new(input: &In<'_>, scratch: &mut Scratch) -> Self {
        let readable = input.readable();
        let base = if readable >= Self::REACH {
            input.at
        } else {
            // SAFETY: that many bytes are readable.
            unsafe { scratch.fill(input.at, readable) }
        };
        Self {
            base,
            // SAFETY: 64 bytes are readable at `base`.
            stops: unsafe { stops(base) },
            at: 0,
            wrong: 0,
        }
    }

    #[inline(always)]
    fn next<C: Cpu>(&mut self, longest: u32) -> u64 {
        let end = self.stops.trailing_zeros() + 1;
        let len = end - self.at;
        // SAFETY: `at` is at most 65, where it ends up when no stop is left, and 73 bytes are
        // readable at `base`.
        let word = unsafe { self.base.add(self.at as usize).cast::<u64>().read_unaligned() };
        let value = C::gather7(C::low_bits(u64::from_le(word), 8 * len));
        self.at = end;
        self.stops &= self.stops.wrapping_sub(1);
        self.wrong |= u64::from(longest).wrapping_sub(u64::from(len)) & (1 << 63);
        value
    }

    /// The next varint of 32 bits.
    #[inline(always)]
    pub fn varint32<C: Cpu>(&mut self) -> u32 {
        let value = self.next::<C>(5);
        self.wrong |= value & !0xffff_ffff;
        value as u32
    }

    /// The next zigzag varint of 32 bits.
    #[inline(always)]
    pub fn zigzag32<C: Cpu>(&mut self) -> i32 {
        interop_wire::unzigzag32(self.varint32::<C>())
    }

    /// The next varint of 64 bits, if it is no longer than eight bytes.
    #[inline(always)]
    pub fn varint64<C: Cpu>(&mut self) -> u64 {
        self.next::<C>(8)
    }

    /// The next zigzag varint of 64 bits, if it is no longer than eight bytes.
    #[inline(always)]
    pub fn zigzag64<C: Cpu>(&mut self) -> i64 {
        interop_wire::unzigzag64(self.varint64::<C>())
    }

    /// Moves `input` behind the numbers read, and says whether all of them were right. If not,
    /// `input` stays.
    #[inline(always)]
    pub fn finish(self, input: &mut In<'_>) -> bool {
        let right = self.wrong == 0 && self.at as usize <= input.remaining().min(Self::WINDOW);
        if right {
            input.advance(self.at as usize);
        }
        right
    }
}

/// A bit for each of the 64 bytes at `at` whose top bit is clear.
///
/// # Safety
/// 64 bytes are readable at `at`.
#[inline(always)]
unsafe fn stops(at: *const u8) -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
        // SAFETY: SSE2 belongs to the architecture, and 64 bytes are readable.
        let part = |i: usize| unsafe {
            let bytes = _mm_loadu_si128(at.add(16 * i).cast());
            u64::from(_mm_movemask_epi8(bytes) as u16) << (16 * i)
        };
        !(part(0) | part(1) | part(2) | part(3))
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        let mut stops = 0;
        for i in 0..8 {
            // SAFETY: 64 bytes are readable.
            let word = unsafe { at.add(8 * i).cast::<u64>().read_unaligned() };
            // The multiplication collects the eight top bits in the top byte.
            let tops = (!u64::from_le(word) & 0x8080_8080_8080_8080) >> 7;
            stops |= (tops.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
        }
        stops
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{self, Task};
    use interop_wire::{Limits, Writer};

    struct Read<'a>(&'a [u8], usize);

    impl Task for Read<'_> {
        type Output = (Vec<u64>, bool, usize);

        #[inline(always)]
        fn run<C: Cpu>(self) -> Self::Output {
            let limits = Limits::DEFAULT;
            let mut input = In::new(self.0, &limits).unwrap();
            let mut scratch = Scratch::new();
            let mut run = Run::new(&input, &mut scratch);
            let values = (0..self.1)
                .map(|i| {
                    if i % 2 == 0 {
                        u64::from(run.varint32::<C>())
                    } else {
                        run.varint64::<C>()
                    }
                })
                .collect();
            let right = run.finish(&mut input);
            (values, right, input.offset())
        }
    }

    fn read(bytes: &[u8], count: usize) -> (Vec<u64>, bool, usize) {
        let result = Read(bytes, count).run::<cpu::Portable>();
        assert_eq!(result, cpu::dispatch(Read(bytes, count)));
        result
    }

    #[test]
    fn runs_of_every_length_at_every_distance_from_the_end() {
        let values = [0, 1, 300, (1 << 56) - 1, u64::from(u32::MAX), 77, 1 << 31, 1 << 48];
        let mut out = Writer::new();
        for value in values {
            out.varint(value);
        }
        let len = out.len();
        for extra in 0..80 {
            let mut bytes = out.as_slice().to_vec();
            bytes.extend(std::iter::repeat_n(0xff, extra));
            assert_eq!(read(&bytes, 8), (values.to_vec(), true, len));
        }
        for cut in 0..len {
            assert!(!read(&out.as_slice()[..cut], 8).1, "cut to {cut}");
        }
    }

    #[test]
    fn too_long_and_too_large_are_noticed() {
        assert!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f], 1).1);
        assert!(!read(&[0xff, 0xff, 0xff, 0xff, 0x1f], 1).1);
        assert!(!read(&[0x80, 0x80, 0x80, 0x80, 0x80, 0], 1).1);
        let mut nine = vec![0];
        nine.extend([0x80; 8]);
        nine.push(1);
        assert!(!read(&nine, 2).1);
        assert!(!read(&[0x80; 100], 13).1);
        assert!(!read(&[], 1).1);
    }
}
