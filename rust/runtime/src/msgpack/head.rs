//! The first byte of every value and what belongs to it ("Formats" in the specification).

use crate::{Error, In};

type Result<T> = std::result::Result<T, Error>;

/// Type of a value, with its number or length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Head {
    Nil,
    Bool(bool),
    /// Below zero.
    Int(i64),
    UInt(u64),
    Float32(f32),
    Float64(f64),
    Str(u32),
    Bin(u32),
    Array(u32),
    Map(u32),
    Ext,
}

impl Head {
    #[inline(never)]
    pub(super) fn read(input: &mut In<'_>) -> Result<Self> {
        let signed = |value: i64| match u64::try_from(value) {
            Ok(value) => Self::UInt(value),
            Err(_) => Self::Int(value),
        };
        Ok(match input.u8()? {
            byte @ 0x00..=0x7f => Self::UInt(byte.into()),
            byte @ 0x80..=0x8f => Self::Map(u32::from(byte & 0x0f)),
            byte @ 0x90..=0x9f => Self::Array(u32::from(byte & 0x0f)),
            byte @ 0xa0..=0xbf => Self::Str(u32::from(byte & 0x1f)),
            0xc0 => Self::Nil,
            0xc1 => {
                let offset = input.offset() - 1;
                return Err(Error::malformed(offset, "byte c1 is never used"));
            }
            0xc2 => Self::Bool(false),
            0xc3 => Self::Bool(true),
            0xc4 => Self::Bin(input.u8()?.into()),
            0xc5 => Self::Bin(be16(input)?.into()),
            0xc6 => Self::Bin(be32(input)?),
            0xc7..=0xc9 | 0xd4..=0xd8 => Self::Ext,
            0xca => Self::Float32(f32::from_bits(be32(input)?)),
            0xcb => Self::Float64(f64::from_bits(be64(input)?)),
            0xcc => Self::UInt(input.u8()?.into()),
            0xcd => Self::UInt(be16(input)?.into()),
            0xce => Self::UInt(be32(input)?.into()),
            0xcf => Self::UInt(be64(input)?),
            0xd0 => signed((input.u8()? as i8).into()),
            0xd1 => signed((be16(input)? as i16).into()),
            0xd2 => signed((be32(input)? as i32).into()),
            0xd3 => signed(be64(input)? as i64),
            0xd9 => Self::Str(input.u8()?.into()),
            0xda => Self::Str(be16(input)?.into()),
            0xdb => Self::Str(be32(input)?),
            0xdc => Self::Array(be16(input)?.into()),
            0xdd => Self::Array(be32(input)?),
            0xde => Self::Map(be16(input)?.into()),
            0xdf => Self::Map(be32(input)?),
            byte @ 0xe0..=0xff => Self::Int((byte as i8).into()),
        })
    }

    /// The family's name in the specification.
    const fn family(self) -> &'static str {
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
            Self::Ext => "ext",
        }
    }

    /// The error of finding this, at `start`, in place of `wanted`.
    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(self, start: usize, wanted: &str) -> Error {
        let text = format!("expected {wanted}, found {}", self.family());
        Error::malformed(start, text)
    }
}

fn be16(input: &mut In<'_>) -> Result<u16> {
    input.array().map(u16::from_be_bytes)
}

fn be32(input: &mut In<'_>) -> Result<u32> {
    input.array().map(u32::from_be_bytes)
}

fn be64(input: &mut In<'_>) -> Result<u64> {
    input.array().map(u64::from_be_bytes)
}

/// Moves past a nil, if one comes next.
#[inline(always)]
pub fn read_nil(input: &mut In<'_>) -> bool {
    input.next_is(0xc0)
}

/// Length of a str.
#[inline(always)]
pub(super) fn str_len(input: &mut In<'_>, wanted: &str) -> Result<u32> {
    if let Some(byte @ 0xa0..=0xbf) = input.peek() {
        input.advance(1);
        return Ok(u32::from(byte & 0x1f));
    }
    let start = input.offset();
    match Head::read(input)? {
        Head::Str(len) => Ok(len),
        other => Err(other.unexpected(start, wanted)),
    }
}

/// A str into `text`.
///
/// # Errors
/// When anything else comes next, when it is cut off, or not UTF-8.
#[inline(always)]
pub fn read_string(input: &mut In<'_>, text: &mut String) -> Result<()> {
    let len = str_len(input, "a str")?;
    input.utf8_into(len.into(), text)
}

/// A bin into `bytes`.
///
/// # Errors
/// When anything else comes next, or it is cut off.
#[inline]
pub fn read_bytes(input: &mut In<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    let start = input.offset();
    match Head::read(input)? {
        Head::Bin(len) => input.bytes_into(len.into(), bytes),
        other => Err(other.unexpected(start, "a bin")),
    }
}
