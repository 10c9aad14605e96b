use crate::Cpu;

/// A place in a reserved buffer. Every method stores at it and moves it on, unchecked: the
/// caller has reserved [`Out::SLACK`] bytes more than all that it writes.
#[derive(Clone, Copy, Debug)]
pub struct Out {
    at: *mut u8,
}

/// Continuation bits and length of a varint.
struct Shape {
    continuation: u64,
    len: usize,
}

/// By the number of leading zero bits of the value.
static SHAPES: [Shape; 65] = shapes(10);

/// The same for Fory's varint64, whose ninth byte holds eight bits.
static FORY_SHAPES: [Shape; 65] = shapes(9);

const fn shapes(longest: usize) -> [Shape; 65] {
    let mut table = [const {
        Shape {
            continuation: 0,
            len: 0,
        }
    }; 65];
    let mut zeros = 0;
    while zeros <= 64 {
        let bits: usize = if zeros == 64 { 1 } else { 64 - zeros };
        let len = bits.div_ceil(7);
        let continued = if len > 8 { 8 } else { len - 1 };
        let low = if continued == 8 {
            u64::MAX
        } else {
            (1 << (8 * continued)) - 1
        };
        table[zeros] = Shape {
            continuation: 0x8080_8080_8080_8080 & low,
            len: if len > longest { longest } else { len },
        };
        zeros += 1;
    }
    table
}

impl Out {
    /// Bytes past the last one written that a store may touch.
    pub const SLACK: usize = 16;

    /// At the end of `buffer`'s contents, with room for `bound` bytes and the slack.
    /// [`Out::finish`] makes them part of it.
    #[inline(always)]
    pub fn reserve(buffer: &mut Vec<u8>, bound: usize) -> Self {
        // A bound near the address space's end can't be reached by values in memory.
        let room = bound.saturating_add(Self::SLACK);
        if buffer.capacity() == 0 {
            // Growing from nothing takes a longer way than a plain allocation.
            *buffer = Vec::with_capacity(room);
        } else {
            buffer.reserve(room);
        }
        // SAFETY: the length is inside the allocation.
        let at = unsafe { buffer.as_mut_ptr().add(buffer.len()) };
        Self { at }
    }

    /// Makes everything written part of `buffer`.
    ///
    /// # Safety
    /// `self` comes from [`Out::reserve`] of the same, otherwise untouched buffer.
    #[inline(always)]
    pub unsafe fn finish(self, buffer: &mut Vec<u8>) {
        // SAFETY: both pointers lie in the buffer's allocation, and all bytes between them
        // are written.
        unsafe {
            let len = self.at.offset_from(buffer.as_ptr());
            buffer.set_len(len as usize);
        }
    }

    /// Number of bytes from `start` to here.
    #[inline(always)]
    pub fn since(self, start: Out) -> usize {
        self.at as usize - start.at as usize
    }

    /// Stores `bytes`.
    ///
    /// # Safety
    /// As for all methods: room for the bytes written and [`Out::SLACK`] is reserved.
    #[inline(always)]
    pub unsafe fn array<const N: usize>(&mut self, bytes: [u8; N]) {
        // SAFETY: the caller reserved the room.
        unsafe {
            self.at.cast::<[u8; N]>().write_unaligned(bytes);
            self.at = self.at.add(N);
        }
    }

    /// One byte.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn u8(&mut self, value: u8) {
        // SAFETY: passed on to the caller; so in all methods below.
        unsafe { self.array([value]) }
    }

    /// Eight bytes, of which `len` count.
    #[inline(always)]
    unsafe fn word(&mut self, word: u64, len: usize) {
        // SAFETY: see `array`; stores past `len` stay within the slack.
        unsafe {
            self.at
                .cast::<[u8; 8]>()
                .write_unaligned(word.to_le_bytes());
            self.at = self.at.add(len);
        }
    }

    /// A base-128 varint of a 32-bit number: one to five bytes.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn varint32<C: Cpu>(&mut self, value: u32) {
        let value = u64::from(value);
        let shape = &SHAPES[value.leading_zeros() as usize];
        // SAFETY: see `array`.
        unsafe { self.word(C::spread7(value) | shape.continuation, shape.len) }
    }

    /// A zigzag varint of a signed 32-bit number: one to five bytes.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn zigzag32<C: Cpu>(&mut self, value: i32) {
        // SAFETY: see `array`.
        unsafe { self.varint32::<C>(interop_wire::zigzag32(value)) }
    }

    /// A base-128 varint of one to ten bytes (protobuf).
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn varint64<C: Cpu>(&mut self, value: u64) {
        let shape = &SHAPES[value.leading_zeros() as usize];
        let high = ((value >> 56) as u16 & 0x7f) | ((value >> 63) as u16 * 0x180);
        // SAFETY: see `array`; ten bytes at most are touched.
        unsafe {
            let start = self.at;
            start.add(8).cast::<u16>().write_unaligned(high.to_le());
            self.word(C::spread7(value) | shape.continuation, shape.len);
        }
    }

    /// A zigzag varint of a signed 64-bit number: one to ten bytes (protobuf).
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn zigzag64<C: Cpu>(&mut self, value: i64) {
        // SAFETY: see `array`.
        unsafe { self.varint64::<C>(interop_wire::zigzag64(value)) }
    }

    /// The varint of a 32-bit number extended to 64 bits by its sign: one to five, or ten bytes.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn varint_i32<C: Cpu>(&mut self, value: i32) {
        let value = i64::from(value) as u64;
        let shape = &SHAPES[value.leading_zeros() as usize];
        // SAFETY: see `array`. Only negative numbers reach bytes 8 and 9, and those are the
        // same for all of them.
        unsafe {
            let start = self.at;
            start.add(8).cast::<[u8; 2]>().write_unaligned([0xff, 0x01]);
            self.word(C::spread7(value) | shape.continuation, shape.len);
        }
    }

    /// Fory's varint64: one to nine bytes.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn fory_varint64<C: Cpu>(&mut self, value: u64) {
        let shape = &FORY_SHAPES[value.leading_zeros() as usize];
        // SAFETY: see `array`.
        unsafe {
            let start = self.at;
            start.add(8).write((value >> 56) as u8);
            self.word(C::spread7(value) | shape.continuation, shape.len);
        }
    }

    /// Fory's zigzag varint64: one to nine bytes.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn fory_zigzag64<C: Cpu>(&mut self, value: i64) {
        // SAFETY: see `array`.
        unsafe { self.fory_varint64::<C>(interop_wire::zigzag64(value)) }
    }

    /// A length or count as a varint.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn length(&mut self, value: usize) {
        // SAFETY: see `array`.
        unsafe {
            if value < 0x80 {
                self.u8(value as u8);
            } else if value < 0x4000 {
                self.array([value as u8 | 0x80, (value >> 7) as u8]);
            } else {
                *self = self.long_length(value as u64);
            }
        }
    }

    // By value, as all that is not inlined: whose address is taken, lives in memory, and then
    // every store waits for the one before.
    #[cold]
    #[inline(never)]
    unsafe fn long_length(mut self, mut value: u64) -> Out {
        // SAFETY: see `array`.
        unsafe {
            while value >= 0x80 {
                self.u8(value as u8 | 0x80);
                value >>= 7;
            }
            self.u8(value as u8);
        }
        self
    }

    /// `bytes` as they are.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn bytes(&mut self, bytes: &[u8]) {
        // SAFETY: see `array`; the source is a slice of that length and can't overlap a
        // buffer that is borrowed for writing.
        unsafe {
            copy(bytes.as_ptr(), self.at, bytes.len());
            self.at = self.at.add(bytes.len());
        }
    }

    /// Starts a length-delimited part whose length, as is guessed, takes `length_bytes` bytes.
    ///
    /// # Safety
    /// See [`Out::array`].
    #[inline(always)]
    pub unsafe fn begin(&mut self, length_bytes: usize) -> Out {
        let start = *self;
        // SAFETY: see `array`.
        self.at = unsafe { self.at.add(length_bytes) };
        start
    }

    /// Ends the part that began at `start`: puts its length in front, and moves it where the
    /// guess of `length_bytes` was wrong. Returns the number of bytes that the length takes.
    ///
    /// # Safety
    /// See [`Out::array`]; `start` and `length_bytes` are those of the matching
    /// [`Out::begin`]. The reservation counts ten bytes for the length.
    #[inline(always)]
    pub unsafe fn end(&mut self, start: Out, length_bytes: usize) -> usize {
        let len = self.since(start) - length_bytes;
        // SAFETY: the length's bytes lie between `start` and the part, or `shift` makes
        // room for them.
        unsafe {
            if length_bytes == 1 && len < 0x80 {
                start.at.write(len as u8);
                1
            } else if length_bytes == 2 && (0x80..0x4000).contains(&len) {
                let prefix = [len as u8 | 0x80, (len >> 7) as u8];
                start.at.cast::<[u8; 2]>().write_unaligned(prefix);
                2
            } else {
                let needed;
                (*self, needed) = shift(start, length_bytes, len);
                needed
            }
        }
    }
}

/// Moves the part of `len` bytes that began at `start` to where its length leaves off. Returns
/// its end and the number of bytes that the length takes.
#[cold]
#[inline(never)]
unsafe fn shift(start: Out, guessed: usize, len: usize) -> (Out, usize) {
    let needed = length_bytes(len);
    // SAFETY: the part's `len` bytes move inside the reservation, which counts ten bytes
    // for the length.
    unsafe {
        let from = start.at.add(guessed);
        std::ptr::copy(from, start.at.add(needed), len);
        start.long_length(len as u64);
        let at = start.at.add(needed + len);
        (Out { at }, needed)
    }
}

/// Number of bytes of the varint of `len`.
#[inline(always)]
pub const fn length_bytes(len: usize) -> usize {
    if len < 0x80 {
        1
    } else if len < 0x4000 {
        2
    } else {
        interop_wire::varint::varint_len(len as u64)
    }
}

/// `copy_nonoverlapping`, inline for the lengths that strings in messages have: a call costs
/// more than moving thirty bytes.
///
/// # Safety
/// `len` bytes are readable at `from` and writable at `to`, and don't overlap.
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // Words, not arrays: arrays of bytes would take a detour over the stack.
    #[inline(always)]
    unsafe fn ends<W: Copy>(from: *const u8, to: *mut u8, len: usize) {
        let last = len - size_of::<W>();
        // SAFETY: a word is no longer than the range and at least half as long, so both lie
        // inside it and cover it.
        unsafe {
            let head = from.cast::<W>().read_unaligned();
            let tail = from.add(last).cast::<W>().read_unaligned();
            to.cast::<W>().write_unaligned(head);
            to.add(last).cast::<W>().write_unaligned(tail);
        }
    }
    // SAFETY: each arm's words fit the length.
    unsafe {
        if len >= 16 {
            if len <= 32 {
                ends::<u128>(from, to, len);
            } else if len <= 64 {
                ends::<u128>(from, to, 32);
                ends::<u128>(from.add(len - 32), to.add(len - 32), 32);
            } else {
                std::ptr::copy_nonoverlapping(from, to, len);
            }
        } else if len >= 8 {
            ends::<u64>(from, to, len);
        } else if len >= 4 {
            ends::<u32>(from, to, len);
        } else if len > 0 {
            // First, middle, last: for 1 to 3 bytes these are all of them.
            let (first, middle, last) = (*from, *from.add(len / 2), *from.add(len - 1));
            *to = first;
            *to.add(len / 2) = middle;
            *to.add(len - 1) = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{self, Task};

    struct Varints(u64);

    impl Task for Varints {
        type Output = [Vec<u8>; 4];

        #[inline(always)]
        fn run<C: Cpu>(self) -> Self::Output {
            let write = |f: &dyn Fn(&mut Out)| {
                let mut buffer = Vec::new();
                let mut out = Out::reserve(&mut buffer, 10);
                f(&mut out);
                // SAFETY: same buffer.
                unsafe { out.finish(&mut buffer) };
                buffer
            };
            // SAFETY: ten bytes are reserved.
            unsafe {
                [
                    write(&|out| out.varint64::<C>(self.0)),
                    write(&|out| out.fory_varint64::<C>(self.0)),
                    write(&|out| out.varint32::<C>(self.0 as u32)),
                    write(&|out| out.varint_i32::<C>(self.0 as i32)),
                ]
            }
        }
    }

    fn expected(value: u64) -> [Vec<u8>; 4] {
        let write = |f: &dyn Fn(&mut interop_wire::Writer)| {
            let mut out = interop_wire::Writer::new();
            f(&mut out);
            out.into_vec()
        };
        [
            write(&|out| out.varint(value)),
            write(&|out| out.fory_varint64(value)),
            write(&|out| out.varint(u64::from(value as u32))),
            write(&|out| out.varint(i64::from(value as i32) as u64)),
        ]
    }

    #[test]
    fn varints_at_every_width() {
        for shift in 0..64 {
            for low in [0u64, 1, 0x5a5a_5a5a_5a5a_5a5a, u64::MAX] {
                let value = (1u64 << shift) ^ (low & ((1 << shift) - 1));
                for value in [value, value.wrapping_neg(), !value] {
                    let wanted = expected(value);
                    assert_eq!(Varints(value).run::<cpu::Portable>(), wanted, "{value:#x}");
                    assert_eq!(cpu::dispatch(Varints(value)), wanted, "{value:#x}");
                }
            }
        }
    }

    #[test]
    fn lengths_are_patched_whatever_was_guessed() {
        for len in [0usize, 1, 127, 128, 16_383, 16_384, 70_000] {
            for guess in 1..=3 {
                let body: Vec<u8> = (0..len).map(|i| i as u8).collect();
                let mut buffer = vec![9];
                let mut out = Out::reserve(&mut buffer, len + 10);
                // SAFETY: reserved above.
                unsafe {
                    let start = out.begin(guess);
                    out.bytes(&body);
                    out.end(start, guess);
                    out.finish(&mut buffer);
                }
                let mut reader = interop_wire::Reader::new(&buffer);
                assert_eq!(reader.u8().unwrap(), 9);
                assert_eq!(reader.varint().unwrap(), len as u64);
                assert_eq!(reader.rest(), body);
            }
        }
    }

    #[test]
    fn copies_of_every_short_length() {
        let from: Vec<u8> = (1..=100).collect();
        for len in 0..=100 {
            let mut to = vec![0u8; 101];
            // SAFETY: both are longer than `len`.
            unsafe { copy(from.as_ptr(), to.as_mut_ptr(), len) };
            assert_eq!(to[..len], from[..len]);
            assert!(to[len..].iter().all(|byte| *byte == 0));
        }
    }
}
