//! Tags: field number and wire type of what follows.

use interop_wire::{Error as WireError, Reader};

use crate::{Cursor, Error, Part};

/// The largest field number, 2^29 - 1.
pub(super) const MAX_NUMBER: u32 = (1 << 29) - 1;

/// How a field's value is laid out, by the names of the "Encoding" guide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireType {
    Varint = 0,
    Fixed64 = 1,
    Len = 2,
    StartGroup = 3,
    EndGroup = 4,
    Fixed32 = 5,
}

impl WireType {
    /// The wire type of a single value of `kind`.
    pub fn of(kind: interop_schema::ProtoKind) -> Self {
        match kind.wire_type() {
            1 => Self::Fixed64,
            2 => Self::Len,
            3 => Self::StartGroup,
            5 => Self::Fixed32,
            _ => Self::Varint,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Varint => "varint",
            Self::Fixed64 => "64-bit",
            Self::Len => "length-delimited",
            Self::StartGroup => "group start",
            Self::EndGroup => "group end",
            Self::Fixed32 => "32-bit",
        }
    }
}

/// A tag and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub number: u32,
    pub wire_type: WireType,
    /// Offset of the first byte.
    pub start: usize,
    /// Offset one past the last byte.
    pub end: usize,
}

impl Tag {
    /// Reads a tag: a varint of at most five bytes and 32 bits.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let start = reader.offset();
        let tag = reader.varint32()?;
        let number = tag >> 3;
        if number == 0 {
            return Err(WireError::malformed(start, "field number 0 is not allowed"));
        }
        let wire_type = match tag & 7 {
            0 => WireType::Varint,
            1 => WireType::Fixed64,
            2 => WireType::Len,
            3 => WireType::StartGroup,
            4 => WireType::EndGroup,
            5 => WireType::Fixed32,
            other => {
                let text = format!("wire type {other} of field {number} does not exist");
                return Err(WireError::malformed(start, text));
            }
        };
        Ok(Self {
            number,
            wire_type,
            start,
            end: reader.offset(),
        })
    }

    /// Reports the tag's bytes; `name` is the field's name, if the schema has it.
    pub fn span(&self, cursor: &mut Cursor<'_>, name: Option<&str>) {
        cursor.span(self.start, self.end, Part::Framing, "tag", || {
            let (number, wire_type) = (self.number, self.wire_type.name());
            match name {
                Some(name) => format!("field {number} ({name}), {wire_type}"),
                None => format!("field {number}, {wire_type}"),
            }
        });
    }
}

/// Reads a length prefix, reports it, and gives the bytes behind it as a reader.
pub(super) fn read_delimited<'a>(
    cursor: &mut Cursor<'_>,
    reader: &mut Reader<'a>,
) -> Result<Reader<'a>, Error> {
    let start = reader.offset();
    let len = reader.varint().map_err(|error| cursor.wire(error))?;
    let end = reader.offset();
    cursor.span(start, end, Part::Framing, "length", || {
        format!("{len} byte{}", if len == 1 { "" } else { "s" })
    });
    reader.sub(len).map_err(|error| cursor.wire(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Tag, WireError> {
        Tag::read(&mut Reader::new(bytes))
    }

    #[test]
    fn numbers_reach_29_bits() {
        let tag = read(&[0xf8, 0xff, 0xff, 0xff, 0x0f]).unwrap();
        assert_eq!((tag.number, tag.wire_type), (MAX_NUMBER, WireType::Varint));
        assert!(read(&[0xf8, 0xff, 0xff, 0xff, 0x1f]).is_err());
    }

    #[test]
    fn number_0_and_wire_types_6_and_7_and_long_forms_are_refused() {
        for bytes in [
            &[0x00][..],
            &[0x0e],
            &[0x0f],
            &[0x88, 0x80, 0x80, 0x80, 0x80, 0],
        ] {
            assert!(read(bytes).is_err(), "{bytes:02x?}");
        }
        assert_eq!(read(&[0x88, 0x80, 0]).unwrap().number, 1);
    }
}
