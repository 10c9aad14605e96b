//! Reading and verifying a buffer.

use interop_wire::{ErrorKind, Limits};

use super::claims::{Claims, Visit};
use crate::Error;

type Result<T> = std::result::Result<T, Error>;

/// Kinds of objects that no schema names. Generated kinds are hashes, which are larger.
const ROOT: u64 = 0;
const VTABLE: u64 = 1;
pub(super) const TEXT: u64 = 2;
pub(super) const BYTES: u64 = 3;

/// A buffer being read.
#[derive(Debug)]
pub struct Buffer<'a> {
    bytes: &'a [u8],
    claims: Claims,
    depth_left: u32,
    expansion_left: usize,
    limits: &'a Limits,
    /// The vtable met last; tables in a row share one.
    last: Vtable,
}

#[derive(Clone, Copy, Debug, Default)]
struct Vtable {
    /// 0, where the root's offset lies, for none.
    start: usize,
    slots: usize,
    table_len: usize,
}

/// A table whose vtable is verified.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    start: usize,
    vtable: Vtable,
    fresh: bool,
}

impl<'a> Buffer<'a> {
    /// # Errors
    /// When `bytes` are more than `limits` allow.
    pub(super) fn new(bytes: &'a [u8], limits: &'a Limits) -> Result<Self> {
        if bytes.len() > limits.message_bytes || u32::try_from(bytes.len()).is_err() {
            let limit = limits.message_bytes.min(u32::MAX as usize);
            return Err(Error::new(0, ErrorKind::SizeLimit { limit }));
        }
        Ok(Self {
            bytes,
            claims: Claims::new(bytes.len()),
            depth_left: limits.depth,
            expansion_left: limits
                .expansion_bytes
                .saturating_add(bytes.len().saturating_mul(4)),
            limits,
            last: Vtable::default(),
        })
    }

    /// Place of the root table.
    pub(super) fn root(&mut self) -> Result<usize> {
        let root = self.target(0)?;
        self.claim(0, 4, ROOT)?;
        self.mark(0, 4)?;
        Ok(root)
    }

    /// Refuses bytes that nothing refers to and that are no zero padding.
    pub(super) fn finish(&self) -> Result<()> {
        match self.claims.stray(self.bytes) {
            None => Ok(()),
            Some(at) => {
                let text = "nothing refers to this byte, and it is no zero padding";
                Err(Error::malformed(at, text))
            }
        }
    }

    #[inline(always)]
    fn word(&self, at: usize) -> Option<[u8; 4]> {
        self.bytes.get(at..at + 4)?.try_into().ok()
    }

    /// An aligned 32-bit number.
    #[inline(always)]
    fn u32(&self, at: usize) -> Result<u32> {
        self.check_aligned(at, 4)?;
        match self.word(at) {
            Some(word) => Ok(u32::from_le_bytes(word)),
            None => Err(self.truncated(at)),
        }
    }

    #[cold]
    fn truncated(&self, at: usize) -> Error {
        let remaining = self.bytes.len().saturating_sub(at);
        let kind = ErrorKind::Truncated {
            needed: 4,
            remaining,
        };
        Error::new(at, kind)
    }

    #[inline(always)]
    fn u16(&self, at: usize) -> usize {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]).into()
    }

    #[inline(always)]
    pub(super) fn check_aligned(&self, at: usize, size: usize) -> Result<()> {
        if at.is_multiple_of(size) {
            return Ok(());
        }
        Err(Error::malformed(at, format!("not aligned to {size} bytes")))
    }

    /// Where the offset at `at` leads.
    #[inline(always)]
    pub(super) fn target(&self, at: usize) -> Result<usize> {
        let distance = self.u32(at)? as usize;
        let target = at + distance;
        if distance == 0 || target >= self.bytes.len() {
            return Err(Error::malformed(
                at,
                format!("offset {distance} leads to nothing"),
            ));
        }
        Ok(target)
    }

    /// Claims bytes for an object: true when it is seen first.
    #[inline(always)]
    pub(super) fn claim(&mut self, start: usize, end: usize, kind: u64) -> Result<bool> {
        match self.claims.object(start, end, kind) {
            Visit::First => Ok(true),
            Visit::Again => Ok(false),
            Visit::Overlap => Err(Error::malformed(start, "overlaps another object")),
        }
    }

    #[inline(always)]
    pub(super) fn mark(&mut self, start: usize, len: usize) -> Result<()> {
        match self.claims.mark(start, start + len) {
            true => Ok(()),
            false => Err(Error::malformed(start, "overlaps another field")),
        }
    }

    /// Charges `count` values of `size` bytes, which `at` announces, against the memory limit.
    #[inline(always)]
    pub(super) fn charge(&mut self, at: usize, count: usize, size: usize) -> Result<()> {
        match self.expansion_left.checked_sub(count.saturating_mul(size)) {
            Some(left) => {
                self.expansion_left = left;
                Ok(())
            }
            None => {
                let limit = self.limits.expansion_bytes;
                Err(Error::new(at, ErrorKind::ExpansionLimit { limit }))
            }
        }
    }

    /// The length in front of a string or vector; no more than the bytes behind it.
    #[inline(always)]
    fn length(&self, start: usize) -> Result<usize> {
        let len = self.u32(start)? as usize;
        self.check_count(start, len, 1)?;
        Ok(len)
    }

    #[inline(always)]
    fn check_count(&self, start: usize, count: usize, size: usize) -> Result<()> {
        let remaining = self.bytes.len() - start - 4;
        if count.saturating_mul(size) > remaining {
            let declared = count as u64;
            let kind = ErrorKind::LengthExceedsInput {
                declared,
                remaining,
            };
            return Err(Error::new(start, kind));
        }
        Ok(())
    }

    /// The text of the string at `start`.
    #[inline(always)]
    pub(super) fn text(&mut self, start: usize) -> Result<&'a str> {
        let len = self.length(start)?;
        let (first, end) = (start + 4, start + 4 + len);
        if self.bytes.get(end) != Some(&0) {
            return Err(Error::malformed(end, "the string has no NUL behind it"));
        }
        let bytes: &'a [u8] = &self.bytes[first..end];
        let text = if crate::text::is_ascii(bytes) {
            // SAFETY: ASCII is UTF-8.
            unsafe { std::str::from_utf8_unchecked(bytes) }
        } else {
            std::str::from_utf8(bytes).map_err(|error| {
                let valid_bytes = error.valid_up_to();
                Error::new(first + valid_bytes, ErrorKind::InvalidUtf8 { valid_bytes })
            })?
        };
        self.charge(start, 1, len)?;
        if self.claim(start, end + 1, TEXT)? {
            self.mark(start, len + 5)?;
        }
        Ok(text)
    }

    /// The elements of the vector at `start`, of `size` bytes each.
    #[inline(always)]
    pub(super) fn vector(&mut self, start: usize, size: usize, kind: u64) -> Result<&'a [u8]> {
        let count = self.length(start)?;
        self.check_count(start, count, size)?;
        let first = start + 4;
        if count > 0 {
            self.check_aligned(first, size)?;
        }
        let len = count * size;
        if self.claim(start, first + len, kind)? {
            self.mark(start, 4 + len)?;
        }
        Ok(&self.bytes[first..first + len])
    }

    /// The table at `start`: `kind` is its type, `slots` the number of fields in the schema,
    /// `size` the memory that it takes when read, in bytes. One level down until
    /// [`Buffer::close`].
    ///
    /// # Errors
    /// When it is broken, overlaps something else, or sets a slot that the schema lacks.
    #[inline(always)]
    pub fn table(&mut self, start: usize, kind: u64, slots: usize, size: usize) -> Result<Table> {
        self.charge(start, 1, size)?;
        let vtable = self.vtable(start)?;
        if vtable.table_len > self.bytes.len() - start {
            return Err(self.wrong_table_len(vtable));
        }
        // Go's builder shares vtables between tables of the same offsets but another length, so
        // that the length there may be wrong: each field is taken for itself.
        let fresh = self.claim(start, start + 4, kind)?;
        if fresh {
            self.mark(start, 4)?;
        }
        for slot in slots..vtable.slots {
            let at = vtable.start + 4 + 2 * slot;
            if self.u16(at) != 0 {
                let text = format!("slot {slot} is set, but the schema has none");
                return Err(Error::malformed(at, text));
            }
        }
        match self.depth_left.checked_sub(1) {
            Some(left) => self.depth_left = left,
            None => {
                let limit = self.limits.depth;
                return Err(Error::new(start, ErrorKind::DepthLimit { limit }));
            }
        }
        Ok(Table {
            start,
            vtable,
            fresh,
        })
    }

    /// Back up from [`Buffer::table`].
    #[inline(always)]
    pub fn close(&mut self) {
        self.depth_left += 1;
    }

    #[cold]
    fn wrong_table_len(&self, vtable: Vtable) -> Error {
        let text = format!("{} bytes are no length of its table here", vtable.table_len);
        Error::malformed(vtable.start + 2, text)
    }

    #[inline(always)]
    fn vtable(&mut self, table: usize) -> Result<Vtable> {
        let distance = i64::from(self.u32(table)? as i32);
        let start = table as i64 - distance;
        if start as usize == self.last.start && self.last.start != 0 {
            return Ok(self.last);
        }
        let vtable = self.other_vtable(table, start)?;
        self.last = vtable;
        Ok(vtable)
    }

    fn other_vtable(&mut self, table: usize, start: i64) -> Result<Vtable> {
        let inside = usize::try_from(start)
            .ok()
            .filter(|start| start + 4 <= self.bytes.len());
        let Some(start) = inside else {
            let text = format!("vtable at {start} lies outside the buffer");
            return Err(Error::malformed(table, text));
        };
        self.check_aligned(start, 2)?;
        let len = self.u16(start);
        let table_len = self.u16(start + 2);
        if len < 4 || !len.is_multiple_of(2) || start + len > self.bytes.len() {
            let text = format!("{len} bytes are no length of a vtable here");
            return Err(Error::malformed(start, text));
        }
        let vtable = Vtable {
            start,
            slots: len / 2 - 2,
            table_len,
        };
        if table_len < 4 {
            return Err(self.wrong_table_len(vtable));
        }
        if self.claim(start, start + len, VTABLE)? {
            self.mark(start, len)?;
        }
        Ok(vtable)
    }
}

impl Table {
    /// Place of the field of `slot`, a scalar of `size` bytes; none where it is absent.
    ///
    /// # Errors
    /// When it lies outside the buffer, is not aligned, or overlaps another.
    #[inline(always)]
    pub fn field(
        &self,
        buffer: &mut Buffer<'_>,
        slot: usize,
        size: usize,
    ) -> Result<Option<usize>> {
        if slot >= self.vtable.slots {
            return Ok(None);
        }
        let entry = self.vtable.start + 4 + 2 * slot;
        let distance = buffer.u16(entry);
        if distance == 0 {
            return Ok(None);
        }
        if distance < 4 || self.start + distance + size > buffer.bytes.len() {
            let text = format!("offset {distance} lies outside the buffer");
            return Err(Error::malformed(entry, text));
        }
        let at = self.start + distance;
        buffer.check_aligned(at, size)?;
        if self.fresh {
            buffer.mark(at, size)?;
        }
        Ok(Some(at))
    }

    /// The scalar of `slot`; none where it is absent.
    ///
    /// # Errors
    /// As for [`Table::field`].
    #[inline(always)]
    pub fn scalar<const N: usize>(
        &self,
        buffer: &mut Buffer<'_>,
        slot: usize,
    ) -> Result<Option<[u8; N]>> {
        let at = self.field(buffer, slot, N)?;
        Ok(at.and_then(|at| buffer.bytes.get(at..at + N)?.try_into().ok()))
    }

    /// The bool of `slot`; none where it is absent.
    ///
    /// # Errors
    /// As for [`Table::field`]; a number other than 0 and 1.
    #[inline(always)]
    pub fn bool(&self, buffer: &mut Buffer<'_>, slot: usize) -> Result<Option<bool>> {
        let Some(at) = self.field(buffer, slot, 1)? else {
            return Ok(None);
        };
        match buffer.bytes[at] {
            0 => Ok(Some(false)),
            1 => Ok(Some(true)),
            other => Err(Error::malformed(at, format!("{other} is no bool"))),
        }
    }

    /// Where the offset of `slot` leads; none where it is absent.
    ///
    /// # Errors
    /// As for [`Table::field`]; an offset that leads outside the buffer.
    #[inline(always)]
    pub fn target(&self, buffer: &mut Buffer<'_>, slot: usize) -> Result<Option<usize>> {
        match self.field(buffer, slot, 4)? {
            None => Ok(None),
            Some(at) => buffer.target(at).map(Some),
        }
    }
}
