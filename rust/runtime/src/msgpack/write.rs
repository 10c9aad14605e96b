//! Writing: the shortest form of every number, length and text.

use crate::Out;

/// Longest forms in bytes: five for a length, nine for a number.
const LENGTH: usize = 5;

/// Bound of a text in bytes.
#[inline(always)]
pub fn text_bound(text: &str) -> usize {
    LENGTH + text.len()
}

/// Bound of bytes in bytes.
#[inline(always)]
pub fn bytes_bound(bytes: &[u8]) -> usize {
    LENGTH + bytes.len()
}

/// Encoded lengths in bytes.
#[derive(Debug)]
pub struct Size;

impl Size {
    /// Of an unsigned number.
    #[inline(always)]
    pub fn uint(value: u64) -> usize {
        match value {
            0..0x80 => 1,
            0x80..0x100 => 2,
            0x100..0x1_0000 => 3,
            0x1_0000..0x1_0000_0000 => 5,
            _ => 9,
        }
    }

    /// Of a signed number.
    #[inline(always)]
    pub fn int(value: i64) -> usize {
        match value {
            0.. => Self::uint(value as u64),
            -32..0 => 1,
            -0x80..-32 => 2,
            -0x8000..-0x80 => 3,
            -0x8000_0000..-0x8000 => 5,
            _ => 9,
        }
    }

    /// Of a text.
    #[inline(always)]
    pub fn text(text: &str) -> usize {
        let head = match text.len() {
            0..32 => 1,
            32..0x100 => 2,
            0x100..0x1_0000 => 3,
            _ => 5,
        };
        head + text.len()
    }

    /// Of bytes.
    #[inline(always)]
    pub fn bytes(bytes: &[u8]) -> usize {
        let head = match bytes.len() {
            0..0x100 => 2,
            0x100..0x1_0000 => 3,
            _ => 5,
        };
        head + bytes.len()
    }

    /// Of the head of an array or map.
    #[inline(always)]
    pub fn head(len: usize) -> usize {
        match len {
            0..16 => 1,
            16..0x1_0000 => 3,
            _ => 5,
        }
    }
}

macro_rules! put {
    ($($(#[$doc:meta])* $name:ident($out:ident, $value:ident: $ty:ty) $body:block)*) => {
        $($(#[$doc])*
        ///
        /// # Safety
        /// Room for the longest form and [`Out::SLACK`] is reserved.
        #[inline(always)]
        pub unsafe fn $name($out: &mut Out, $value: $ty) {
            // SAFETY: passed on to the caller.
            unsafe { $body }
        })*
    };
}

put! {
    /// A bool.
    put_bool(out, value: bool) { out.u8(0xc2 + u8::from(value)); }
    /// A 32-bit signed number: one to five bytes.
    put_i32(out, value: i32) {
        if (-32..0x80).contains(&value) {
            out.u8(value as u8);
        } else if value >= 0 {
            long_u32(out, value as u32);
        } else if value >= -0x80 {
            out.array([0xd0, value as u8]);
        } else if value >= -0x8000 {
            marked16(out, 0xd1, value as u16);
        } else {
            marked32(out, 0xd2, value as u32);
        }
    }
    /// A 64-bit signed number: one to nine bytes.
    put_i64(out, value: i64) {
        if let Ok(value) = i32::try_from(value) {
            put_i32(out, value);
        } else if value >= 0 {
            put_u64(out, value as u64);
        } else {
            marked64(out, 0xd3, value as u64);
        }
    }
    /// A 32-bit unsigned number: one to five bytes.
    put_u32(out, value: u32) {
        if value < 0x80 {
            out.u8(value as u8);
        } else {
            long_u32(out, value);
        }
    }
    /// A 64-bit unsigned number: one to nine bytes.
    put_u64(out, value: u64) {
        match u32::try_from(value) {
            Ok(value) => put_u32(out, value),
            Err(_) => marked64(out, 0xcf, value),
        }
    }
    /// A float 32.
    put_f32(out, value: f32) { marked32(out, 0xca, value.to_bits()); }
    /// A float 64.
    put_f64(out, value: f64) { marked64(out, 0xcb, value.to_bits()); }
    /// Text.
    put_string(out, text: &str) {
        let len = text.len();
        if len < 32 {
            out.u8(0xa0 | len as u8);
        } else if len < 0x100 {
            out.array([0xd9, len as u8]);
        } else if len < 0x1_0000 {
            marked16(out, 0xda, len as u16);
        } else {
            marked32(out, 0xdb, len as u32);
        }
        out.bytes(text.as_bytes());
    }
    /// Bytes.
    put_bytes(out, bytes: &[u8]) {
        let len = bytes.len();
        if len < 0x100 {
            out.array([0xc4, len as u8]);
        } else if len < 0x1_0000 {
            marked16(out, 0xc5, len as u16);
        } else {
            marked32(out, 0xc6, len as u32);
        }
        out.bytes(bytes);
    }
    /// Head of an array of `len` elements.
    put_list_head(out, len: usize) {
        if len < 16 {
            out.u8(0x90 | len as u8);
        } else if len < 0x1_0000 {
            marked16(out, 0xdc, len as u16);
        } else {
            marked32(out, 0xdd, len as u32);
        }
    }
    /// Head of a map of `len` entries.
    put_map_head(out, len: usize) {
        if len < 16 {
            out.u8(0x80 | len as u8);
        } else if len < 0x1_0000 {
            marked16(out, 0xde, len as u16);
        } else {
            marked32(out, 0xdf, len as u32);
        }
    }
}

/// Nil.
///
/// # Safety
/// Room for a byte and [`Out::SLACK`] is reserved; so for all below.
#[inline(always)]
pub unsafe fn put_nil(out: &mut Out) {
    // SAFETY: passed on to the caller.
    unsafe { out.u8(0xc0) }
}

#[inline(always)]
unsafe fn long_u32(out: &mut Out, value: u32) {
    // SAFETY: passed on to the caller.
    unsafe {
        if value < 0x100 {
            out.array([0xcc, value as u8]);
        } else if value < 0x1_0000 {
            marked16(out, 0xcd, value as u16);
        } else {
            marked32(out, 0xce, value);
        }
    }
}

#[inline(always)]
unsafe fn marked16(out: &mut Out, mark: u8, value: u16) {
    let [a, b] = value.to_be_bytes();
    // SAFETY: passed on to the caller.
    unsafe { out.array([mark, a, b]) }
}

#[inline(always)]
unsafe fn marked32(out: &mut Out, mark: u8, value: u32) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.u8(mark);
        out.array(value.to_be_bytes());
    }
}

#[inline(always)]
unsafe fn marked64(out: &mut Out, mark: u8, value: u64) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.u8(mark);
        out.array(value.to_be_bytes());
    }
}
