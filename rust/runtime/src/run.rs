use crate::{Cpu, In};

/// Consecutive varints inside a window of 64 bytes.
///
/// Varints one after another form a chain: each must be read to know where the next begins.
/// Here the last byte of each is found for the whole window at once, so that the numbers
/// themselves are read independently. What is wrong with any of them is noticed by
/// [`Run::finish`], after which the caller reads again, one by one, to say what.
#[derive(Debug)]
pub struct Run {
    base: *const u8,
    /// A bit for each byte of the window without continuation bit.
    all: u64,
    /// The same, read ones cleared.
    stops: u64,
    /// Place of the next number in the window.
    at: usize,
    /// Last place from which eight bytes can be loaded.
    last_load: usize,
    /// Top bit: a number was too long. Bits 32 and up: one was too large.
    wrong: u64,
}

/// What is read where nothing counts.
static ZEROS: [u8; 8] = [0; 8];

impl Run {
    /// Longest run in bytes, whatever its numbers are.
    pub const WINDOW: usize = 64;

    /// A window at `input`'s place.
    #[inline(always)]
    pub fn new(input: &In<'_>) -> Self {
        let readable = input.readable();
        // SAFETY: that many bytes are readable at `at`.
        let stops = unsafe {
            if readable >= Self::WINDOW {
                stops(input.at)
            } else {
                stops_of_tail(input.at, readable)
            }
        };
        // Below eight bytes no stop is found, so that nothing read here counts; the loads
        // still need a place.
        let base = if readable >= 8 {
            input.at
        } else {
            ZEROS.as_ptr()
        };
        Self {
            base,
            all: stops,
            stops,
            at: 0,
            last_load: readable.saturating_sub(8),
            wrong: 0,
        }
    }

    /// The eight bytes from the next number on; past the input's end zeros.
    #[inline(always)]
    fn word(&self) -> u64 {
        // SAFETY: eight bytes are readable from `base` to `base + last_load`.
        unsafe {
            if self.at <= self.last_load {
                u64::from_le(self.base.add(self.at).cast::<u64>().read_unaligned())
            } else {
                let word = self.base.add(self.last_load).cast::<u64>().read_unaligned();
                let past = 8 * (self.at - self.last_load) as u32;
                u64::from_le(word).checked_shr(past).unwrap_or(0)
            }
        }
    }

    /// The next number. When no stop is left, the place becomes 65, past every window, and
    /// stays there.
    #[inline(always)]
    fn next<C: Cpu>(&mut self, longest: u32) -> u64 {
        let (value, len) = self.any::<C>();
        self.wrong |= u64::from(longest).wrapping_sub(u64::from(len)) & (1 << 63);
        value
    }

    /// The next number, however long, and its length.
    #[inline(always)]
    fn any<C: Cpu>(&mut self) -> (u64, u32) {
        let end = self.stops.trailing_zeros() as usize + 1;
        let len = end.wrapping_sub(self.at) as u32;
        let value = C::gather7(C::low_bits(self.word(), 8 * (len & 31)));
        self.at = end;
        self.stops &= self.stops.wrapping_sub(1);
        (value, len)
    }

    /// The next varint of 32 bits, in a run of such alone, which [`Run::finish_short`] ends:
    /// their lengths are looked at there, all at once.
    #[inline(always)]
    pub fn short_varint32<C: Cpu>(&mut self) -> u32 {
        let (value, _) = self.any::<C>();
        self.wrong |= value & !0xffff_ffff;
        value as u32
    }

    /// The next zigzag varint of 32 bits; as [`Run::short_varint32`].
    #[inline(always)]
    pub fn short_zigzag32<C: Cpu>(&mut self) -> i32 {
        interop_wire::unzigzag32(self.short_varint32::<C>())
    }

    /// As [`Run::finish`], for a run of short numbers.
    #[inline(always)]
    pub fn finish_short<C: Cpu>(mut self, input: &mut In<'_>) -> bool {
        let one = C::low_bits(!self.all, self.at as u32);
        let two = one & one >> 1;
        let four = two & two >> 2;
        // Five continuation bits on end: more than five bytes.
        self.wrong |= four & one >> 4;
        self.finish(input)
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
        let right = self.wrong == 0 && self.at <= input.remaining().min(Self::WINDOW);
        if right {
            input.advance(self.at);
        }
        right
    }
}

/// A packed field that fits one window and ends eight bytes before the input does, so that
/// every load is inside it.
pub(crate) struct Window {
    base: *const u8,
    stops: u64,
    at: usize,
}

impl Window {
    /// The part that `input` stands in, if it is short and far enough from the input's end.
    #[inline(always)]
    pub(crate) fn of_part(input: &In<'_>) -> Option<Self> {
        let (len, readable) = (input.remaining(), input.readable());
        if len > Run::WINDOW || readable < len + 8 {
            return None;
        }
        // SAFETY: that many bytes are readable at `at`.
        let stops = unsafe {
            if readable >= Run::WINDOW {
                stops(input.at)
            } else {
                stops_of_tail(input.at, readable)
            }
        };
        let inside = if len == Run::WINDOW {
            u64::MAX
        } else {
            (1 << len) - 1
        };
        Some(Self {
            base: input.at,
            stops: stops & inside,
            at: 0,
        })
    }

    /// Number of bytes that end a number.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.stops.count_ones() as usize
    }

    /// Number of bytes of the numbers read.
    #[inline(always)]
    pub(crate) fn read(&self) -> usize {
        self.at
    }

    /// The next number of at most 64 bits; none at the end, and at one that is too long.
    #[inline(always)]
    pub(crate) fn next<C: Cpu>(&mut self) -> Option<u64> {
        if self.stops == 0 {
            return None;
        }
        let end = self.stops.trailing_zeros() as usize + 1;
        let len = end - self.at;
        // SAFETY: the number begins inside the part, behind which eight bytes are readable.
        let word = unsafe { self.base.add(self.at).cast::<u64>().read_unaligned() };
        let mut value = C::gather7(C::low_bits(u64::from_le(word), 8 * len as u32));
        if len > 8 {
            // SAFETY: both bytes lie before the stop that was found.
            let (ninth, last) = unsafe { (*self.base.add(self.at + 8), *self.base.add(end - 1)) };
            if len > 10 || (len == 10 && last > 1) {
                return None;
            }
            value |=
                u64::from(ninth & 0x7f) << 56 | u64::from(len == 10) << 63 & u64::from(last) << 63;
        }
        self.at = end;
        self.stops &= self.stops - 1;
        Some(value)
    }
}

/// Numbers of a packed field inside a window, as many as there are.
pub(crate) struct Numbers {
    run: Run,
}

impl Numbers {
    /// A window at `input`'s place, not past the end of its part, of which eight bytes remain.
    #[inline(always)]
    pub(crate) fn new(input: &In<'_>) -> Self {
        let mut run = Run::new(input);
        let remaining = input.remaining();
        if remaining < Run::WINDOW {
            run.stops &= (1 << remaining) - 1;
        }
        Self { run }
    }

    /// The next number of at most 64 bits.
    #[inline(always)]
    pub(crate) fn next<C: Cpu>(&mut self) -> Option<u64> {
        let run = &mut self.run;
        if run.stops == 0 {
            return None;
        }
        let end = run.stops.trailing_zeros() as usize + 1;
        let len = end - run.at;
        let mut value = C::gather7(C::low_bits(run.word(), 8 * len as u32));
        if len > 8 {
            // SAFETY: both bytes lie before the stop that was found.
            let (ninth, last) = unsafe { (*run.base.add(run.at + 8), *run.base.add(end - 1)) };
            value |= u64::from(ninth & 0x7f) << 56;
            if len > 9 {
                value |= u64::from(last) << 63;
                if len > 10 || last > 1 {
                    // The number is left to the reader that says what is wrong.
                    run.wrong = u64::MAX;
                    run.stops = 0;
                    return None;
                }
            }
        }
        run.at = end;
        run.stops &= run.stops - 1;
        Some(value)
    }

    /// Moves `input` behind the numbers read; false when there were none.
    #[inline(always)]
    pub(crate) fn finish(self, input: &mut In<'_>) -> bool {
        input.advance(self.run.at);
        self.run.at > 0 && self.run.wrong == 0
    }
}

/// Number of bytes without continuation bit in the part that `input` stands in.
#[inline(always)]
pub(crate) fn count(input: &In<'_>) -> usize {
    let len = input.remaining();
    if len <= 16 {
        // SAFETY: the part's bytes are inside the input.
        let bytes = unsafe { std::slice::from_raw_parts(input.at, len) };
        return bytes.iter().map(|byte| usize::from(*byte < 0x80)).sum();
    }
    let mut total = 0;
    let mut at = 0;
    // SAFETY: all blocks lie inside the part.
    unsafe {
        while len - at >= 64 {
            total += stops(input.at.add(at)).count_ones();
            at += 64;
        }
        if len - at >= 8 {
            total += stops_of_tail(input.at.add(at), len - at).count_ones();
        } else {
            for i in at..len {
                total += u32::from(*input.at.add(i) < 0x80);
            }
        }
    }
    total as usize
}

/// A bit for each of the `len` bytes at `at`, fewer than 64, whose top bit is clear. Below eight
/// bytes no bit at all.
///
/// # Safety
/// `len` bytes are readable at `at`.
#[inline(always)]
unsafe fn stops_of_tail(at: *const u8, len: usize) -> u64 {
    // Two blocks that overlap cover any length between one block and two.
    // SAFETY: both blocks lie inside the `len` bytes.
    unsafe {
        match len {
            0..=7 => 0,
            8..=15 => stops_of_8(at) | stops_of_8(at.add(len - 8)) << (len - 8),
            16..=31 => stops_of_16(at) | stops_of_16(at.add(len - 16)) << (len - 16),
            _ => {
                let head = stops_of_16(at) | stops_of_16(at.add(16)) << 16;
                let tail = at.add(len - 32);
                let tail = stops_of_16(tail) | stops_of_16(tail.add(16)) << 16;
                head | tail << (len - 32)
            }
        }
    }
}

/// The same for the eight bytes at `at`.
///
/// # Safety
/// Eight bytes are readable at `at`.
#[inline(always)]
unsafe fn stops_of_8(at: *const u8) -> u64 {
    // SAFETY: passed on to the caller.
    let word = unsafe { at.cast::<u64>().read_unaligned() };
    // The multiplication collects the eight top bits in the top byte.
    let tops = (!u64::from_le(word) & 0x8080_8080_8080_8080) >> 7;
    tops.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The same for the sixteen bytes at `at`.
///
/// # Safety
/// Sixteen bytes are readable at `at`.
#[inline(always)]
unsafe fn stops_of_16(at: *const u8) -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
        // SAFETY: SSE2 belongs to the architecture; the bytes are readable.
        let tops = unsafe { _mm_movemask_epi8(_mm_loadu_si128(at.cast())) };
        u64::from(!tops as u16)
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        // SAFETY: passed on to the caller.
        unsafe { stops_of_8(at) | stops_of_8(at.add(8)) << 8 }
    }
}

/// A bit for each of the 64 bytes at `at` whose top bit is clear.
///
/// # Safety
/// 64 bytes are readable at `at`.
#[inline(always)]
unsafe fn stops(at: *const u8) -> u64 {
    // SAFETY: passed on to the caller.
    unsafe {
        stops_of_16(at)
            | stops_of_16(at.add(16)) << 16
            | stops_of_16(at.add(32)) << 32
            | stops_of_16(at.add(48)) << 48
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{self, Task};
    use interop_wire::{Limits, Writer};

    struct Short<'a>(&'a [u8], usize);

    impl Task for Short<'_> {
        type Output = (Vec<u32>, bool, usize);

        #[inline(always)]
        fn run<C: Cpu>(self) -> Self::Output {
            let limits = Limits::DEFAULT;
            let mut input = In::new(self.0, &limits).unwrap();
            let mut run = Run::new(&input);
            let values = (0..self.1).map(|_| run.short_varint32::<C>()).collect();
            let right = run.finish_short::<C>(&mut input);
            (values, right, input.offset())
        }
    }

    #[test]
    fn short_runs_are_right_where_each_number_is() {
        let numbers: [&[u8]; 7] = [
            &[0],
            &[0x80, 0],
            &[0xff, 0xff, 0xff, 0xff, 0x0f],
            &[0xff, 0xff, 0xff, 0xff, 0x1f],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        ];
        let mut state = 7u64;
        for _ in 0..5_000 {
            let mut bytes = Vec::new();
            let mut right = true;
            for _ in 0..5 {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let odd = if (state >> 40).is_multiple_of(8) {
                    7
                } else {
                    3
                };
                let pick = (state >> 33) as usize % odd;
                right &= pick < 3;
                bytes.extend(numbers[pick]);
            }
            let len = bytes.len();
            // Whatever follows doesn't count.
            bytes.extend([0xff; 9]);
            let portable = Short(&bytes, 5).run::<cpu::Portable>();
            assert_eq!(portable, cpu::dispatch(Short(&bytes, 5)));
            assert_eq!(
                (portable.1, portable.2),
                (right, if right { len } else { 0 })
            );
        }
    }

    struct Read<'a>(&'a [u8], usize);

    impl Task for Read<'_> {
        type Output = (Vec<u64>, bool, usize);

        #[inline(always)]
        fn run<C: Cpu>(self) -> Self::Output {
            let limits = Limits::DEFAULT;
            let mut input = In::new(self.0, &limits).unwrap();
            let mut run = Run::new(&input);
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
        let values = [
            0,
            1,
            300,
            (1 << 56) - 1,
            u64::from(u32::MAX),
            77,
            1 << 31,
            1 << 48,
        ];
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
        assert!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0], 1).1);
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
