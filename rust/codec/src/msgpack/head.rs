//! The first byte of every value and what belongs to it: type, and number or length. Formats as
//! in the specification's "Formats" section; multi-byte numbers are big endian.

use interop_wire::{Error, Reader};

/// Extension type of timestamps.
pub(super) const TIMESTAMP: i8 = -1;

/// What a value's first bytes say. For scalars that is all of it; the rest of the others follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Head {
    Nil,
    Bool(bool),
    /// Never negative zero or more: such numbers are `UInt`, whichever family they came in.
    Int(i64),
    UInt(u64),
    Float32(f32),
    Float64(f64),
    Str(u32),
    Bin(u32),
    Array(u32),
    Map(u32),
    Ext {
        len: u32,
        kind: i8,
    },
}

impl Head {
    /// Reads the type byte and its number or length, but no text, bytes or elements.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let start = reader.offset();
        let head = match reader.u8()? {
            byte @ 0x00..=0x7f => Self::UInt(byte.into()),
            byte @ 0x80..=0x8f => Self::Map(u32::from(byte & 0x0f)),
            byte @ 0x90..=0x9f => Self::Array(u32::from(byte & 0x0f)),
            byte @ 0xa0..=0xbf => Self::Str(u32::from(byte & 0x1f)),
            0xc0 => Self::Nil,
            0xc1 => return Err(Error::malformed(start, "byte c1 is never used")),
            0xc2 => Self::Bool(false),
            0xc3 => Self::Bool(true),
            0xc4 => Self::Bin(reader.u8()?.into()),
            0xc5 => Self::Bin(be16(reader)?.into()),
            0xc6 => Self::Bin(be32(reader)?),
            0xc7 => ext(reader.u8()?.into(), reader)?,
            0xc8 => ext(be16(reader)?.into(), reader)?,
            0xc9 => ext(be32(reader)?, reader)?,
            0xca => Self::Float32(f32::from_bits(be32(reader)?)),
            0xcb => Self::Float64(f64::from_bits(be64(reader)?)),
            0xcc => Self::UInt(reader.u8()?.into()),
            0xcd => Self::UInt(be16(reader)?.into()),
            0xce => Self::UInt(be32(reader)?.into()),
            0xcf => Self::UInt(be64(reader)?),
            0xd0 => signed((reader.u8()? as i8).into()),
            0xd1 => signed((be16(reader)? as i16).into()),
            0xd2 => signed((be32(reader)? as i32).into()),
            0xd3 => signed(be64(reader)? as i64),
            byte @ 0xd4..=0xd8 => ext(1 << (byte - 0xd4), reader)?,
            0xd9 => Self::Str(reader.u8()?.into()),
            0xda => Self::Str(be16(reader)?.into()),
            0xdb => Self::Str(be32(reader)?),
            0xdc => Self::Array(be16(reader)?.into()),
            0xdd => Self::Array(be32(reader)?),
            0xde => Self::Map(be16(reader)?.into()),
            0xdf => Self::Map(be32(reader)?),
            byte @ 0xe0..=0xff => Self::Int((byte as i8).into()),
        };
        Ok(head)
    }

    /// The family's name in the specification.
    pub(super) const fn family(self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::UInt(_) => "int",
            Self::Float32(_) => "float 32",
            Self::Float64(_) => "float 64",
            Self::Str(_) => "str",
            Self::Bin(_) => "bin",
            Self::Array(_) => "array",
            Self::Map(_) => "map",
            Self::Ext { .. } => "ext",
        }
    }
}

fn signed(value: i64) -> Head {
    match u64::try_from(value) {
        Ok(value) => Head::UInt(value),
        Err(_) => Head::Int(value),
    }
}

fn ext(len: u32, reader: &mut Reader<'_>) -> Result<Head, Error> {
    let kind = reader.u8()? as i8;
    Ok(Head::Ext { len, kind })
}

fn be16(reader: &mut Reader<'_>) -> Result<u16, Error> {
    reader.array().map(u16::from_be_bytes)
}

fn be32(reader: &mut Reader<'_>) -> Result<u32, Error> {
    reader.array().map(u32::from_be_bytes)
}

fn be64(reader: &mut Reader<'_>) -> Result<u64, Error> {
    reader.array().map(u64::from_be_bytes)
}

/// Where encoded bytes go: to a buffer, or only to be counted.
pub(super) trait Output {
    fn put(&mut self, bytes: &[u8]);
}

impl Output for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Counts bytes.
#[derive(Debug)]
pub(super) struct Counter(pub(super) usize);

impl Output for Counter {
    fn put(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }
}

fn put16(out: &mut impl Output, mark: u8, value: u16) {
    let [a, b] = value.to_be_bytes();
    out.put(&[mark, a, b]);
}

fn put32(out: &mut impl Output, mark: u8, value: u32) {
    out.put(&[mark]);
    out.put(&value.to_be_bytes());
}

fn put64(out: &mut impl Output, mark: u8, value: u64) {
    out.put(&[mark]);
    out.put(&value.to_be_bytes());
}

pub(super) fn put_uint(out: &mut impl Output, value: u64) {
    if value < 0x80 {
        out.put(&[value as u8]);
    } else if let Ok(value) = u8::try_from(value) {
        out.put(&[0xcc, value]);
    } else if let Ok(value) = u16::try_from(value) {
        put16(out, 0xcd, value);
    } else if let Ok(value) = u32::try_from(value) {
        put32(out, 0xce, value);
    } else {
        put64(out, 0xcf, value);
    }
}

pub(super) fn put_int(out: &mut impl Output, value: i64) {
    if let Ok(value) = u64::try_from(value) {
        put_uint(out, value);
    } else if value >= -32 {
        out.put(&[value as u8]);
    } else if let Ok(value) = i8::try_from(value) {
        out.put(&[0xd0, value as u8]);
    } else if let Ok(value) = i16::try_from(value) {
        put16(out, 0xd1, value as u16);
    } else if let Ok(value) = i32::try_from(value) {
        put32(out, 0xd2, value as u32);
    } else {
        put64(out, 0xd3, value as u64);
    }
}

pub(super) fn put_nil(out: &mut impl Output) {
    out.put(&[0xc0]);
}

pub(super) fn put_bool(out: &mut impl Output, value: bool) {
    out.put(&[0xc2 + u8::from(value)]);
}

pub(super) fn put_float32(out: &mut impl Output, value: f32) {
    put32(out, 0xca, value.to_bits());
}

pub(super) fn put_float64(out: &mut impl Output, value: f64) {
    put64(out, 0xcb, value.to_bits());
}

pub(super) fn put_str_head(out: &mut impl Output, len: u32) {
    if len < 32 {
        out.put(&[0xa0 | len as u8]);
    } else if let Ok(len) = u8::try_from(len) {
        out.put(&[0xd9, len]);
    } else if let Ok(len) = u16::try_from(len) {
        put16(out, 0xda, len);
    } else {
        put32(out, 0xdb, len);
    }
}

pub(super) fn put_bin_head(out: &mut impl Output, len: u32) {
    if let Ok(len) = u8::try_from(len) {
        out.put(&[0xc4, len]);
    } else if let Ok(len) = u16::try_from(len) {
        put16(out, 0xc5, len);
    } else {
        put32(out, 0xc6, len);
    }
}

pub(super) fn put_array_head(out: &mut impl Output, len: u32) {
    if len < 16 {
        out.put(&[0x90 | len as u8]);
    } else if let Ok(len) = u16::try_from(len) {
        put16(out, 0xdc, len);
    } else {
        put32(out, 0xdd, len);
    }
}

pub(super) fn put_map_head(out: &mut impl Output, len: u32) {
    if len < 16 {
        out.put(&[0x80 | len as u8]);
    } else if let Ok(len) = u16::try_from(len) {
        put16(out, 0xde, len);
    } else {
        put32(out, 0xdf, len);
    }
}

/// A timestamp in the shortest of its three forms ("Timestamp extension type").
pub(super) fn put_timestamp(out: &mut impl Output, seconds: i64, nanos: u32) {
    let kind = TIMESTAMP as u8;
    match u64::try_from(seconds) {
        Ok(seconds) if nanos == 0 && seconds >> 32 == 0 => {
            out.put(&[0xd6, kind]);
            out.put(&(seconds as u32).to_be_bytes());
        }
        Ok(seconds) if seconds >> 34 == 0 => {
            out.put(&[0xd7, kind]);
            out.put(&(u64::from(nanos) << 34 | seconds).to_be_bytes());
        }
        _ => {
            out.put(&[0xc7, 12, kind]);
            out.put(&nanos.to_be_bytes());
            out.put(&seconds.to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Head {
        let mut reader = Reader::new(bytes);
        let head = Head::read(&mut reader).unwrap();
        assert!(reader.is_empty());
        head
    }

    #[test]
    fn ints_are_shortest_at_every_boundary() {
        for (value, len) in [
            (0, 1),
            (127, 1),
            (128, 2),
            (255, 2),
            (256, 3),
            (65_535, 3),
            (65_536, 5),
            (i64::from(u32::MAX), 5),
            (1 << 32, 9),
            (i64::MAX, 9),
            (-1, 1),
            (-32, 1),
            (-33, 2),
            (-128, 2),
            (-129, 3),
            (-32_768, 3),
            (-32_769, 5),
            (i64::from(i32::MIN), 5),
            (i64::from(i32::MIN) - 1, 9),
            (i64::MIN, 9),
        ] {
            let mut out = Vec::new();
            put_int(&mut out, value);
            assert_eq!(out.len(), len, "{value}");
            assert_eq!(read(&out), signed(value));
        }
    }

    #[test]
    fn lengths_switch_family_at_their_limits() {
        for len in [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536, u32::MAX] {
            let mut out = Vec::new();
            put_str_head(&mut out, len);
            assert_eq!(read(&out), Head::Str(len));
            out.clear();
            put_bin_head(&mut out, len);
            assert_eq!(read(&out), Head::Bin(len));
            out.clear();
            put_array_head(&mut out, len);
            assert_eq!(read(&out), Head::Array(len));
            out.clear();
            put_map_head(&mut out, len);
            assert_eq!(read(&out), Head::Map(len));
        }
    }

    #[test]
    fn every_first_byte_but_c1_has_a_meaning() {
        for byte in 0..=255 {
            let mut input = [0; 16];
            input[0] = byte;
            let head = Head::read(&mut Reader::new(&input));
            assert_eq!(head.is_err(), byte == 0xc1);
        }
    }
}
