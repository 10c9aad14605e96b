//! Which bytes of a buffer belong to what: a bit for each byte.

use std::collections::HashMap;

/// Bytes taken by objects, bytes that carry something, and where objects begin.
#[derive(Debug)]
pub(super) struct Claims {
    /// First the used bytes' bits, then the reserved ones'.
    bits: Vec<u64>,
    words: usize,
    /// Start and kind of every object, until one is met twice.
    objects: Vec<(u32, u64)>,
    index: Option<HashMap<u32, u64>>,
}

/// What a place turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visit {
    First,
    Again,
    Overlap,
}

impl Claims {
    pub(super) fn new(len: usize) -> Self {
        let words = len.div_ceil(64);
        Self {
            bits: vec![0; 2 * words],
            words,
            objects: Vec::with_capacity(len / 32 + 4),
            index: None,
        }
    }

    /// Takes the bytes from `start` to `end`, which lie in the buffer and are some, for an object.
    #[inline(always)]
    pub(super) fn object(&mut self, start: usize, end: usize, kind: u64) -> Visit {
        if take(&mut self.bits[self.words..], start, end) {
            match &mut self.index {
                None => self.objects.push((start as u32, kind)),
                Some(index) => drop(index.insert(start as u32, kind)),
            }
            return Visit::First;
        }
        self.known(start, kind)
    }

    #[inline(never)]
    fn known(&mut self, start: usize, kind: u64) -> Visit {
        let objects = &mut self.objects;
        let index = self
            .index
            .get_or_insert_with(|| objects.drain(..).collect());
        match index.get(&(start as u32)) {
            Some(known) if *known == kind => Visit::Again,
            _ => Visit::Overlap,
        }
    }

    /// Marks bytes inside an object as carrying something; false when they do already.
    #[inline(always)]
    pub(super) fn mark(&mut self, start: usize, end: usize) -> bool {
        take(&mut self.bits[..self.words], start, end)
    }

    /// The first byte that carries nothing and is not zero.
    pub(super) fn stray(&self, bytes: &[u8]) -> Option<usize> {
        for (word, chunk) in self.bits[..self.words].iter().zip(bytes.chunks(64)) {
            if *word == u64::MAX {
                continue;
            }
            let stray = |i: &usize| word >> i & 1 == 0 && chunk[*i] != 0;
            if let Some(i) = (0..chunk.len()).find(stray) {
                let start = chunk.as_ptr() as usize - bytes.as_ptr() as usize;
                return Some(start + i);
            }
        }
        None
    }
}

/// Sets the bits from `start` to `end`, at least one; true when none was set.
#[inline(always)]
fn take(words: &mut [u64], start: usize, end: usize) -> bool {
    let (first, last) = (start / 64, (end - 1) / 64);
    let low = u64::MAX << (start % 64);
    let high = u64::MAX >> (63 - (end - 1) % 64);
    if first == last {
        let free = words[first] & low & high == 0;
        words[first] |= low & high;
        return free;
    }
    let mut seen = words[first] & low | words[last] & high;
    words[first] |= low;
    words[last] |= high;
    for word in &mut words[first + 1..last] {
        seen |= *word;
        *word = u64::MAX;
    }
    seen == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_and_strays_are_seen() {
        let mut claims = Claims::new(300);
        assert_eq!(claims.object(2, 200, 1), Visit::First);
        assert_eq!(claims.object(2, 200, 1), Visit::Again);
        assert_eq!(claims.object(2, 200, 2), Visit::Overlap);
        assert_eq!(claims.object(130, 140, 2), Visit::Overlap);
        assert_eq!(claims.object(200, 300, 2), Visit::First);
        assert_eq!(claims.object(299, 300, 2), Visit::Overlap);
        assert!(claims.mark(0, 128));
        assert!(!claims.mark(127, 129));
        let mut bytes = vec![1; 300];
        assert_eq!(claims.stray(&bytes), Some(129));
        bytes[128..].fill(0);
        assert_eq!(claims.stray(&bytes), None);
        bytes[299] = 1;
        assert_eq!(claims.stray(&bytes), Some(299));
    }
}
