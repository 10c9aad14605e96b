//! Writing a buffer from its end, unchecked behind one reservation.

use super::vtables::Vtables;
use crate::{EncodeError, Map};

/// Bound of a string beyond its text: length, terminator, padding.
pub const TEXT: usize = 8;
/// Bound of a vector of scalars beyond its elements: length, padding.
pub const SCALARS: usize = 14;
/// Bound of a vector of offsets beyond these: length, padding.
pub const OFFSETS: usize = 7;

/// A buffer that grows at its front. Places are counted in bytes from its end.
#[derive(Debug)]
pub struct Builder {
    /// First byte written.
    at: *mut u8,
    /// Behind the last.
    end: *mut u8,
    alignment: usize,
    vtables: Vtables,
    /// Elements of vectors that are not complete yet.
    pending: Vec<u32>,
    misfit: Option<(&'static str, i32)>,
}

impl Builder {
    /// Bytes in front of the first one written that a store may touch.
    const SLACK: usize = 16;
    /// Bound of the root's offset and the padding in front of it.
    pub(super) const ROOT: usize = 16;

    /// Room for `bound` bytes behind what `out` holds.
    #[inline(always)]
    pub(super) fn reserve(out: &mut Vec<u8>, bound: usize) -> Self {
        let room = bound + Self::SLACK;
        out.reserve(room);
        // SAFETY: the reservation ends there.
        let end = unsafe { out.as_mut_ptr().add(out.len() + room) };
        Self {
            at: end,
            end,
            alignment: 4,
            vtables: Vtables::new(),
            pending: Vec::new(),
            misfit: None,
        }
    }

    /// Puts the root's offset in front and moves everything to the end of what `out` holds.
    ///
    /// # Safety
    /// `self` comes from [`Builder::reserve`] of the same, otherwise untouched buffer, and no
    /// more than the bound was written.
    #[inline(always)]
    pub(super) unsafe fn finish(mut self, root: u32, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        // SAFETY: passed on to the caller.
        unsafe {
            self.align(self.alignment, 4);
            self.offset(root);
            if let Some((field, number)) = self.misfit {
                let text = format!("the enum's number {number} does not fit its byte");
                return Err(EncodeError::new(field, text));
            }
            let len = self.len() as usize;
            let start = out.len();
            std::ptr::copy(self.at, out.as_mut_ptr().add(start), len);
            out.set_len(start + len);
        }
        Ok(())
    }

    /// Bytes written.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        (self.end as usize - self.at as usize) as u32
    }

    /// True before the first byte.
    pub fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// Pads so that behind `more` bytes the front is aligned.
    ///
    /// # Safety
    /// As for all methods: the bound of all that is written is reserved.
    #[inline(always)]
    unsafe fn align(&mut self, alignment: usize, more: usize) {
        self.alignment = self.alignment.max(alignment);
        let padding = (self.len() as usize + more).wrapping_neg() & (alignment - 1);
        // SAFETY: padding is below eight; the eight bytes lie inside bound and slack.
        unsafe {
            self.at.sub(8).cast::<[u8; 8]>().write_unaligned([0; 8]);
            self.at = self.at.sub(padding);
        }
    }

    #[inline(always)]
    unsafe fn push<const N: usize>(&mut self, bytes: [u8; N]) {
        // SAFETY: passed on to the caller.
        unsafe {
            self.at = self.at.sub(N);
            self.at.cast::<[u8; N]>().write_unaligned(bytes);
        }
    }

    #[inline(always)]
    unsafe fn slice(&mut self, bytes: &[u8]) {
        // SAFETY: passed on to the caller; a slice can't overlap a buffer borrowed for writing.
        unsafe {
            self.at = self.at.sub(bytes.len());
            crate::out::copy(bytes.as_ptr(), self.at, bytes.len());
        }
    }

    /// A little-endian scalar, aligned to its size.
    ///
    /// # Safety
    /// The bound of all that is written is reserved; so for all methods below.
    #[inline(always)]
    pub unsafe fn scalar<const N: usize>(&mut self, bytes: [u8; N]) -> u32 {
        // SAFETY: passed on to the caller.
        unsafe {
            self.align(N, 0);
            self.push(bytes);
        }
        self.len()
    }

    /// An enum's number in a byte. One that does not fit is reported at the end, as a value of
    /// `field`.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    #[inline(always)]
    pub unsafe fn byte_enum(&mut self, number: i32, field: &'static str) -> u32 {
        if i8::try_from(number).is_err() {
            self.misfit.get_or_insert((field, number));
        }
        // SAFETY: passed on to the caller.
        unsafe { self.scalar([number as u8]) }
    }

    /// The distance from here to `target`.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    #[inline(always)]
    pub unsafe fn offset(&mut self, target: u32) -> u32 {
        // SAFETY: passed on to the caller.
        unsafe {
            self.align(4, 0);
            let distance = self.len() + 4 - target;
            self.push(distance.to_le_bytes());
        }
        self.len()
    }

    /// A string.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    #[inline(always)]
    pub unsafe fn string(&mut self, text: &str) -> u32 {
        // SAFETY: passed on to the caller.
        unsafe {
            self.align(4, text.len() + 1);
            self.push([0]);
            self.slice(text.as_bytes());
            self.push((text.len() as u32).to_le_bytes());
        }
        self.len()
    }

    /// A vector of bytes.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    #[inline(always)]
    pub unsafe fn bytes(&mut self, bytes: &[u8]) -> u32 {
        // SAFETY: passed on to the caller.
        unsafe {
            self.align(4, bytes.len());
            self.slice(bytes);
            self.push((bytes.len() as u32).to_le_bytes());
        }
        self.len()
    }

    /// A vector of scalars of `N` bytes.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    #[inline(always)]
    pub unsafe fn scalars<T: Copy, const N: usize>(
        &mut self,
        values: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) -> u32 {
        let len = N * values.len();
        // SAFETY: passed on to the caller; the elements fill the `len` bytes made room for.
        unsafe {
            self.align(N.max(4), len);
            self.at = self.at.sub(len);
            let first = self.at.cast::<[u8; N]>();
            for (i, value) in values.iter().enumerate() {
                first.add(i).write_unaligned(bytes(*value));
            }
            self.align(4, 0);
            self.push((values.len() as u32).to_le_bytes());
        }
        self.len()
    }

    /// A vector of enums' numbers in a byte each; see [`Builder::byte_enum`].
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    pub unsafe fn byte_enums<T: Copy>(
        &mut self,
        values: &[T],
        number: impl Fn(T) -> i32,
        field: &'static str,
    ) -> u32 {
        let numbers = values.iter().map(|value| number(*value));
        if let Some(misfit) = numbers.into_iter().find(|n| i8::try_from(*n).is_err()) {
            self.misfit.get_or_insert((field, misfit));
        }
        // SAFETY: passed on to the caller.
        unsafe { self.scalars(values, |value| [number(value) as u8]) }
    }

    /// A vector of offsets to what `write` writes for each of `values`.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    #[inline]
    pub unsafe fn offsets<T>(&mut self, values: &[T], write: impl Fn(&mut Self, &T) -> u32) -> u32 {
        let first = self.pending.len();
        for value in values {
            let target = write(self, value);
            self.pending.push(target);
        }
        // SAFETY: passed on to the caller.
        unsafe { self.end_offsets(first) }
    }

    unsafe fn end_offsets(&mut self, first: usize) -> u32 {
        let count = self.pending.len() - first;
        // SAFETY: passed on to the caller.
        unsafe {
            self.align(4, 4 * count);
            while self.pending.len() > first
                && let Some(target) = self.pending.pop()
            {
                self.offset(target);
            }
            self.push((count as u32).to_le_bytes());
        }
        self.len()
    }

    /// A vector of entries, which `write` writes, by key.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    pub unsafe fn map<K: Ord + Eq + std::hash::Hash, V>(
        &mut self,
        map: &Map<K, V>,
        write: impl Fn(&mut Self, &K, &V) -> u32,
    ) -> u32 {
        let entries = map.as_slice();
        // SAFETY: passed on to the caller.
        unsafe {
            if entries.is_sorted_by(|a, b| a.0 <= b.0) {
                return self.offsets(entries, |builder, (key, value)| write(builder, key, value));
            }
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            self.offsets(&sorted, |builder, (key, value)| write(builder, key, value))
        }
    }

    /// A vector of tables of one field each, the bytes.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    pub unsafe fn bytes_list(&mut self, values: &[Vec<u8>]) -> u32 {
        // SAFETY: passed on to the caller.
        unsafe {
            self.offsets(values, |builder, value| {
                let child = builder.bytes(value);
                let start = builder.len();
                let slot = builder.offset(child);
                builder.end_table(start, &[slot])
            })
        }
    }

    /// Ends the table whose fields were written from `start` on, at the places in `slots` (0 for
    /// none): its vtable's offset in front of it, and its vtable in front of that unless an equal
    /// one is in the buffer.
    ///
    /// # Safety
    /// See [`Builder::scalar`].
    #[inline(always)]
    pub unsafe fn end_table(&mut self, start: u32, slots: &[u32]) -> u32 {
        // SAFETY: passed on to the caller; the vtable lies inside the bound.
        unsafe {
            let table = self.scalar([0; 4]);
            let used = slots.len() - slots.iter().rev().take_while(|slot| **slot == 0).count();
            let len = 4 + 2 * used;
            self.at = self.at.sub(len);
            let words = self.at.cast::<[u8; 2]>();
            words.write((len as u16).to_le_bytes());
            words.add(1).write(((table - start) as u16).to_le_bytes());
            for (i, slot) in slots[..used].iter().enumerate() {
                let distance = if *slot == 0 { 0 } else { table - slot };
                words.add(2 + i).write((distance as u16).to_le_bytes());
            }
            let vtable = self.vtables.place(self.end, self.len());
            if vtable != self.len() {
                self.at = self.at.add(len);
            }
            let distance = vtable as i32 - table as i32;
            let place = self.end.sub(table as usize).cast::<[u8; 4]>();
            place.write_unaligned(distance.to_le_bytes());
            table
        }
    }
}
