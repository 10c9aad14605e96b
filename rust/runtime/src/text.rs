//! Text: copying with the ASCII test on the way, and the three coders of Fory.

/// Copies `len` bytes and says whether all of them are ASCII.
///
/// # Safety
/// `len` bytes are readable at `from` and writable at `to`, and don't overlap.
#[inline(always)]
pub(crate) unsafe fn copy_ascii(from: *const u8, to: *mut u8, len: usize) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    #[inline(always)]
    unsafe fn step(from: *const u8, to: *mut u8) -> u64 {
        // SAFETY: eight bytes are inside both ranges.
        unsafe {
            let word = from.cast::<u64>().read_unaligned();
            to.cast::<u64>().write_unaligned(word);
            word
        }
    }
    #[inline(always)]
    unsafe fn double(from: *const u8, to: *mut u8) -> u64 {
        // SAFETY: sixteen bytes are inside both ranges.
        unsafe { step(from, to) | step(from.add(8), to.add(8)) }
    }
    // SAFETY: each arm stays inside `len` bytes.
    unsafe {
        let seen = if len >= 16 {
            if len <= 32 {
                double(from, to) | double(from.add(len - 16), to.add(len - 16))
            } else if len <= 64 {
                double(from, to)
                    | double(from.add(16), to.add(16))
                    | double(from.add(len - 32), to.add(len - 32))
                    | double(from.add(len - 16), to.add(len - 16))
            } else {
                std::ptr::copy_nonoverlapping(from, to, len);
                return std::slice::from_raw_parts(from, len).is_ascii();
            }
        } else if len >= 8 {
            step(from, to) | step(from.add(len - 8), to.add(len - 8))
        } else if len >= 4 {
            let head = from.cast::<u32>().read_unaligned();
            let tail = from.add(len - 4).cast::<u32>().read_unaligned();
            to.cast::<u32>().write_unaligned(head);
            to.add(len - 4).cast::<u32>().write_unaligned(tail);
            u64::from(head | tail)
        } else if len > 0 {
            let (first, middle, last) = (*from, *from.add(len / 2), *from.add(len - 1));
            *to = first;
            *to.add(len / 2) = middle;
            *to.add(len - 1) = last;
            u64::from(first | middle | last)
        } else {
            0
        };
        seen & HIGH == 0
    }
}

/// True when all of `bytes` are ASCII.
#[inline(always)]
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = |at: usize| -> u64 {
        let bytes: [u8; 8] = bytes[at..at + 8].try_into().unwrap_or_default();
        u64::from_ne_bytes(bytes)
    };
    let len = bytes.len();
    match len {
        0..=7 => bytes.iter().fold(0, |seen, byte| seen | byte) < 0x80,
        8..=15 => (word(0) | word(len - 8)) & HIGH == 0,
        16..=32 => (word(0) | word(8) | word(len - 16) | word(len - 8)) & HIGH == 0,
        _ => bytes.is_ascii(),
    }
}

/// Latin-1 text as UTF-8.
pub(crate) fn from_latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// UTF-16 text, little endian, as UTF-8; `None` for a lone surrogate or half a unit.
pub(crate) fn from_utf16(bytes: &[u8]) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
    char::decode_utf16(units).collect::<Result<_, _>>().ok()
}

/// True when every char is below 256.
pub(crate) fn fits_latin1(text: &str) -> bool {
    text.chars().all(|c| u32::from(c) < 0x100)
}
