//! Where an encoder's bytes go: into a buffer, or just into their count. One encoder serves
//! both, so that the length told is the length written.

use interop_wire::{Patch, Writer, varint::varint_len};

use super::tag::WireType;

pub(super) trait Output {
    /// A length-delimited part that is not yet complete.
    type Mark;

    fn varint(&mut self, value: u64);
    fn fixed32(&mut self, value: u32);
    fn fixed64(&mut self, value: u64);
    fn bytes(&mut self, bytes: &[u8]);

    /// Starts a length-delimited part.
    fn open(&mut self) -> Self::Mark;
    /// Ends it; its length stands in front of it.
    fn close(&mut self, mark: Self::Mark);

    /// `number` is a field number of 29 bits at most.
    fn tag(&mut self, number: u32, wire_type: WireType) {
        self.varint(u64::from(number) << 3 | wire_type as u64);
    }
}

impl Output for Writer {
    type Mark = Patch;

    fn varint(&mut self, value: u64) {
        Writer::varint(self, value);
    }

    fn fixed32(&mut self, value: u32) {
        self.u32(value);
    }

    fn fixed64(&mut self, value: u64) {
        self.u64(value);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        Writer::bytes(self, bytes);
    }

    fn open(&mut self) -> Patch {
        self.reserve_length()
    }

    fn close(&mut self, mark: Patch) {
        self.fill_length(mark);
    }
}

/// Counts bytes.
#[derive(Debug, Default)]
pub(super) struct Length {
    pub bytes: usize,
}

impl Output for Length {
    type Mark = usize;

    fn varint(&mut self, value: u64) {
        self.bytes += varint_len(value);
    }

    fn fixed32(&mut self, _: u32) {
        self.bytes += 4;
    }

    fn fixed64(&mut self, _: u64) {
        self.bytes += 8;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
    }

    fn open(&mut self) -> usize {
        self.bytes
    }

    fn close(&mut self, mark: usize) {
        self.bytes += varint_len((self.bytes - mark) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(out: &mut impl Output, inner_bytes: usize) {
        out.tag(2048, WireType::Len);
        let outer = out.open();
        let inner = out.open();
        out.bytes(&vec![1; inner_bytes]);
        out.close(inner);
        out.fixed32(1);
        out.fixed64(1);
        out.close(outer);
    }

    #[test]
    fn counted_and_written_bytes_agree() {
        for inner_bytes in [0, 113, 114, 127, 128, 16_383, 16_384] {
            let (mut writer, mut length) = (Writer::new(), Length::default());
            fill(&mut writer, inner_bytes);
            fill(&mut length, inner_bytes);
            assert_eq!(writer.len(), length.bytes);
        }
    }
}
