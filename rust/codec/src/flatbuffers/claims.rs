//! Which bytes of a buffer belong to what.

use std::collections::HashMap;

/// Bytes that objects were found at, to notice what overlaps and what nothing refers to.
pub(super) struct Claims<O> {
    reserved: Vec<bool>,
    used: Vec<bool>,
    objects: HashMap<usize, O>,
}

/// What a place turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visit {
    /// Not seen before.
    First,
    /// The same object again.
    Again,
    /// Taken by something else.
    Overlap,
}

impl<O: PartialEq> Claims<O> {
    pub(super) fn new(len: usize) -> Self {
        Self {
            reserved: vec![false; len],
            used: vec![false; len],
            objects: HashMap::new(),
        }
    }

    /// Takes the bytes from `start` to `end`, which lie in the buffer, for `object`.
    pub(super) fn object(&mut self, start: usize, end: usize, object: O) -> Visit {
        if let Some(known) = self.objects.get(&start) {
            return match *known == object {
                true => Visit::Again,
                false => Visit::Overlap,
            };
        }
        if self.reserved[start..end].contains(&true) {
            return Visit::Overlap;
        }
        self.reserved[start..end].fill(true);
        self.objects.insert(start, object);
        Visit::First
    }

    /// Marks bytes inside an object as carrying something; false when they do already.
    pub(super) fn mark(&mut self, start: usize, end: usize) -> bool {
        if self.used[start..end].contains(&true) {
            return false;
        }
        self.used[start..end].fill(true);
        true
    }

    /// The runs of bytes that carry nothing, as start and end.
    pub(super) fn gaps(&self) -> Vec<(usize, usize)> {
        let mut gaps = Vec::new();
        let mut at = 0;
        for run in self.used.chunk_by(|a, b| a == b) {
            if !run[0] {
                gaps.push((at, at + run.len()));
            }
            at += run.len();
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_and_gaps_are_seen() {
        let mut claims = Claims::new(10);
        assert_eq!(claims.object(2, 6, 'a'), Visit::First);
        assert_eq!(claims.object(2, 6, 'a'), Visit::Again);
        assert_eq!(claims.object(2, 6, 'b'), Visit::Overlap);
        assert_eq!(claims.object(5, 7, 'b'), Visit::Overlap);
        assert!(claims.mark(3, 5));
        assert!(!claims.mark(4, 6));
        assert_eq!(claims.gaps(), [(0, 3), (5, 10)]);
    }
}
