/// Growing output bytes. Little endian throughout.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    buffer: Vec<u8>,
}

/// Where a length was reserved with [`Writer::reserve_length`].
#[derive(Clone, Copy, Debug)]
pub struct Patch(usize);

impl Writer {
    /// An empty output.
    pub fn new() -> Self {
        Self::default()
    }

    /// An output that appends to `buffer`.
    pub fn from_vec(buffer: Vec<u8>) -> Self {
        Self { buffer }
    }

    /// The bytes written.
    pub fn into_vec(self) -> Vec<u8> {
        self.buffer
    }

    /// The bytes written so far.
    pub fn as_slice(&self) -> &[u8] {
        &self.buffer
    }

    /// Bytes written so far, to overwrite in place.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// Number of bytes written.
    #[inline]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// True when nothing is written.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self, value: u8) {
        self.buffer.push(value);
    }

    /// Two bytes.
    #[inline]
    pub fn u16(&mut self, value: u16) {
        self.bytes(&value.to_le_bytes());
    }

    /// Four bytes.
    #[inline]
    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Eight bytes.
    #[inline]
    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// `bytes` as they are.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// A base-128 varint of 1 to 10 bytes.
    #[inline]
    pub fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.u8(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8);
    }

    /// Fory's varint64 of 1 to 9 bytes; the ninth holds eight bits.
    #[inline]
    pub fn fory_varint64(&mut self, mut value: u64) {
        for _ in 0..8 {
            if value < 0x80 {
                break;
            }
            self.u8(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8);
    }

    /// Starts a length-delimited part. [`Writer::fill_length`] must follow.
    pub fn reserve_length(&mut self) -> Patch {
        self.u8(0);
        Patch(self.buffer.len())
    }

    /// Ends a length-delimited part: puts the varint of its length in front of it, moving the
    /// part only where the length takes more than one byte.
    pub fn fill_length(&mut self, patch: Patch) {
        let len = self.buffer.len() - patch.0;
        if len < 0x80 {
            self.buffer[patch.0 - 1] = len as u8;
            return;
        }
        let mut prefix = Writer::new();
        prefix.varint(len as u64);
        self.buffer
            .splice(patch.0 - 1..patch.0, prefix.buffer.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;

    #[test]
    fn lengths_are_filled_in_afterwards() {
        for len in [0usize, 127, 128, 20_000] {
            let mut out = Writer::new();
            out.u8(7);
            let patch = out.reserve_length();
            out.bytes(&vec![1; len]);
            out.fill_length(patch);
            let mut reader = Reader::new(out.as_slice());
            assert_eq!(reader.u8().unwrap(), 7);
            assert_eq!(reader.varint().unwrap(), len as u64);
            assert_eq!(reader.remaining(), len);
        }
    }

    #[test]
    fn fory_varint64_round_trips_at_the_edges() {
        for value in [0, 127, 128, (1 << 56) - 1, 1 << 56, u64::MAX] {
            let mut out = Writer::new();
            out.fory_varint64(value);
            assert_eq!(out.len(), crate::varint::fory_varint64_len(value));
            assert_eq!(Reader::new(out.as_slice()).fory_varint64().unwrap(), value);
        }
    }
}
