use crate::{Error, ErrorKind};

/// A bounds-checked cursor over bytes. Offsets count from the start of the whole input, also
/// inside a sub-reader made by [`Reader::sub`].
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    input: &'a [u8],
    pos: usize,
    end: usize,
}

type Result<T> = std::result::Result<T, Error>;

impl<'a> Reader<'a> {
    /// A reader over all of `input`.
    pub fn new(input: &'a [u8]) -> Self {
        Self {
            input,
            pos: 0,
            end: input.len(),
        }
    }

    /// Offset of the next byte from the start of the whole input.
    #[inline]
    pub fn offset(&self) -> usize {
        self.pos
    }

    /// Offset one past the last byte that this reader may read.
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Bytes left.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.end - self.pos
    }

    /// True when nothing is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.pos == self.end
    }

    /// The bytes left, without reading them.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        &self.input[self.pos..self.end]
    }

    /// The whole input's bytes from `start` to `end`; both must lie inside the input.
    pub fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        &self.input[start..end]
    }

    /// Moves to an absolute offset inside this reader's bounds.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] when `offset` lies past the end.
    pub fn seek(&mut self, offset: usize) -> Result<()> {
        if offset > self.end {
            return Err(self.truncated(offset - self.pos.min(offset)));
        }
        self.pos = offset;
        Ok(())
    }

    /// Takes the next `len` bytes as a reader of their own and moves past them.
    ///
    /// # Errors
    /// [`ErrorKind::LengthExceedsInput`] when fewer than `len` bytes are left.
    pub fn sub(&mut self, len: u64) -> Result<Reader<'a>> {
        let start = self.pos;
        self.take(len)?;
        Ok(Reader {
            input: self.input,
            pos: start,
            end: self.pos,
        })
    }

    fn truncated(&self, needed: usize) -> Error {
        let kind = ErrorKind::Truncated {
            needed,
            remaining: self.remaining(),
        };
        Error::new(self.pos, kind)
    }

    /// The next byte without moving.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// The next byte.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] at the end of the input; so for all fixed-width reads.
    #[inline]
    pub fn u8(&mut self) -> Result<u8> {
        let byte = self.peek().ok_or_else(|| self.truncated(1))?;
        self.pos += 1;
        Ok(byte)
    }

    /// The next `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.rest().first_chunk::<N>();
        let bytes = *bytes.ok_or_else(|| self.truncated(N))?;
        self.pos += N;
        Ok(bytes)
    }

    /// The next two bytes, little endian.
    #[inline]
    pub fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// The next four bytes, little endian.
    #[inline]
    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next eight bytes, little endian.
    #[inline]
    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next `len` bytes, borrowed from the input.
    ///
    /// # Errors
    /// [`ErrorKind::LengthExceedsInput`] when fewer are left, so that a hostile length is
    /// refused before anything is reserved for it.
    #[inline]
    pub fn take(&mut self, len: u64) -> Result<&'a [u8]> {
        if len > self.remaining() as u64 {
            let kind = ErrorKind::LengthExceedsInput {
                declared: len,
                remaining: self.remaining(),
            };
            return Err(Error::new(self.pos, kind));
        }
        let start = self.pos;
        self.pos += len as usize;
        Ok(&self.input[start..self.pos])
    }

    /// A base-128 varint of at most ten bytes and 64 bits (protobuf).
    ///
    /// # Errors
    /// [`ErrorKind::VarintOverflow`], at the varint's first byte, when the tenth byte has the
    /// continuation bit or carries bits above 2^64; [`ErrorKind::Truncated`] at the end.
    pub fn varint(&mut self) -> Result<u64> {
        let start = self.pos;
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.u8()?;
            if shift == 63 && byte > 1 {
                return Err(Error::new(start, ErrorKind::VarintOverflow));
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }

    /// A base-128 varint of at most five bytes and 32 bits (Fory varuint32).
    ///
    /// # Errors
    /// As for [`Reader::varint`], at the fifth byte and 2^32.
    pub fn varint32(&mut self) -> Result<u32> {
        let start = self.pos;
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            if shift == 28 && byte > 0x0f {
                return Err(Error::new(start, ErrorKind::VarintOverflow));
            }
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }

    /// Fory's varint64: at most nine bytes, the ninth of which holds eight bits.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] at the end; no nine bytes are out of range.
    pub fn fory_varint64(&mut self) -> Result<u64> {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_byte_varint_is_refused_at_its_start() {
        let input = [
            0, 0xa1, 0xa1, 0xa1, 0xa1, 0xa1, 0xa1, 0xa1, 0xa1, 0xa1, 0xa1, 0x10,
        ];
        let mut reader = Reader::new(&input);
        reader.u8().unwrap();
        let error = reader.varint().unwrap_err();
        assert_eq!(error, Error::new(1, ErrorKind::VarintOverflow));
    }

    #[test]
    fn tenth_byte_may_hold_one_bit() {
        let mut max = [0xff; 10];
        max[9] = 1;
        assert_eq!(Reader::new(&max).varint().unwrap(), u64::MAX);
        max[9] = 2;
        assert!(Reader::new(&max).varint().is_err());
    }

    #[test]
    fn fory_ninth_byte_holds_eight_bits() {
        assert_eq!(Reader::new(&[0xff; 9]).fory_varint64().unwrap(), u64::MAX);
    }

    #[test]
    fn varint32_refuses_bits_above_32() {
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x0f])
                .varint32()
                .unwrap(),
            u32::MAX
        );
        assert!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f])
                .varint32()
                .is_err()
        );
    }

    #[test]
    fn offsets_inside_a_sub_reader_are_absolute() {
        let input = [9, 8, 7, 6];
        let mut reader = Reader::new(&input);
        reader.u8().unwrap();
        let mut sub = reader.sub(2).unwrap();
        assert_eq!((sub.offset(), sub.remaining(), reader.offset()), (1, 2, 3));
        assert_eq!(sub.u32().unwrap_err().offset, 1);
        let error = reader.sub(u64::MAX).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::LengthExceedsInput { .. }));
    }
}
