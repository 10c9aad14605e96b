//! Writing a buffer from its end.

use std::collections::HashMap;

/// Where something starts, counted in bytes from the end of the buffer, which stays the same
/// while the buffer grows at its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FromEnd(usize);

/// A table under construction.
pub(super) struct TableStart {
    at: usize,
    slots: Vec<Option<usize>>,
}

/// A buffer that grows at its front. Bytes are kept in reverse, so that growing is pushing.
#[derive(Debug)]
pub(super) struct Builder {
    reversed: Vec<u8>,
    alignment: usize,
    vtables: HashMap<Vec<u8>, usize>,
    align_empty: bool,
}

impl Builder {
    /// An empty buffer; `align_empty` says whether empty vectors are aligned for elements.
    pub(super) fn new(align_empty: bool) -> Self {
        Self {
            reversed: Vec::new(),
            alignment: 1,
            vtables: HashMap::new(),
            align_empty,
        }
    }

    /// Bytes written.
    pub(super) fn len(&self) -> usize {
        self.reversed.len()
    }

    /// Pads so that after `more` bytes the front is aligned. Alignment from the end is alignment
    /// from the start, since the whole buffer is a multiple of the largest one in the end.
    fn align(&mut self, alignment: usize, more: usize) {
        self.alignment = self.alignment.max(alignment);
        let padded = (self.len() + more).next_multiple_of(alignment) - more;
        self.reversed.resize(padded, 0);
    }

    fn push_raw(&mut self, bytes: &[u8]) {
        self.reversed.extend(bytes.iter().rev());
    }

    /// A little-endian scalar, aligned to its size.
    pub(super) fn scalar(&mut self, bytes: &[u8]) -> FromEnd {
        self.align(bytes.len(), 0);
        self.push_raw(bytes);
        FromEnd(self.len())
    }

    /// The distance from here to `target`.
    pub(super) fn offset(&mut self, target: FromEnd) -> FromEnd {
        self.align(4, 0);
        let distance = self.len() + 4 - target.0;
        self.scalar(&(distance as u32).to_le_bytes())
    }

    pub(super) fn string(&mut self, text: &str) -> FromEnd {
        self.align(4, text.len() + 1);
        self.push_raw(&[0]);
        self.push_raw(text.as_bytes());
        self.scalar(&(text.len() as u32).to_le_bytes())
    }

    /// A vector of `count` scalars of `size` bytes each, whose little-endian bytes are `bytes`.
    pub(super) fn scalars(&mut self, count: usize, size: usize, bytes: &[u8]) -> FromEnd {
        if count > 0 || self.align_empty {
            self.align(4, bytes.len());
            self.align(size, bytes.len());
        }
        self.push_raw(bytes);
        self.scalar(&(count as u32).to_le_bytes())
    }

    /// A vector of offsets.
    pub(super) fn offsets(&mut self, targets: &[FromEnd]) -> FromEnd {
        self.align(4, targets.len() * 4);
        for target in targets.iter().rev() {
            self.offset(*target);
        }
        self.scalar(&(targets.len() as u32).to_le_bytes())
    }

    pub(super) fn start_table(&self, slots: usize) -> TableStart {
        TableStart {
            at: self.len(),
            slots: vec![None; slots],
        }
    }

    /// Ends a table: its vtable offset in front of its fields, and its vtable in front of that
    /// unless an equal one is in the buffer. `None` when the table or its vtable is too large for
    /// the 16 bits of its size.
    pub(super) fn end_table(&mut self, mut table: TableStart) -> Option<FromEnd> {
        let start = self.scalar(&[0; 4]).0;
        while table.slots.last() == Some(&None) {
            table.slots.pop();
        }
        let vtable_len = u16::try_from(4 + 2 * table.slots.len()).ok()?;
        let table_len = u16::try_from(start - table.at).ok()?;
        let mut vtable = Vec::with_capacity(vtable_len.into());
        vtable.extend(vtable_len.to_le_bytes());
        vtable.extend(table_len.to_le_bytes());
        for slot in &table.slots {
            let distance = slot.map_or(0, |slot| start - slot);
            vtable.extend((distance as u16).to_le_bytes());
        }
        let at = match self.vtables.get(&vtable) {
            Some(at) => *at,
            None => {
                self.push_raw(&vtable);
                self.vtables.insert(vtable, self.len());
                self.len()
            }
        };
        let distance = at as i64 - start as i64;
        let bytes = (distance as i32).to_be_bytes();
        self.reversed[start - 4..start].copy_from_slice(&bytes);
        Some(FromEnd(start))
    }

    /// Ends the buffer with the offset of its root table at the front.
    pub(super) fn finish(mut self, root: FromEnd) -> Vec<u8> {
        self.align(self.alignment.max(4), 4);
        self.offset(root);
        self.reversed.reverse();
        self.reversed
    }
}

impl TableStart {
    /// Notes that the field of `slot` was just written at `at`.
    pub(super) fn set(&mut self, slot: usize, at: FromEnd) {
        self.slots[slot] = Some(at.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_table_is_twelve_bytes() {
        let mut builder = Builder::new(true);
        let table = builder.start_table(3);
        let root = builder.end_table(table).unwrap();
        let bytes = builder.finish(root);
        assert_eq!(bytes, [8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0]);
    }

    #[test]
    fn equal_vtables_are_stored_once() {
        let mut builder = Builder::new(true);
        let mut tables = Vec::new();
        for value in [1u8, 2, 3] {
            let mut table = builder.start_table(2);
            let at = builder.scalar(&[value]);
            table.set(1, at);
            tables.push(builder.end_table(table).unwrap());
        }
        assert_eq!(builder.vtables.len(), 1);
        assert_eq!(builder.len(), 3 * 8 + 8);
    }

    #[test]
    fn oversized_tables_are_refused() {
        let mut builder = Builder::new(true);
        let table = builder.start_table(0);
        builder.scalars(70_000, 1, &[1; 70_000]);
        assert_eq!(builder.end_table(table), None);
    }
}
