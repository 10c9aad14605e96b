use crate::Out;

/// Fields that the schema lacks, as they stood on the wire, in the order read. They are written
/// back behind the known ones.
///
/// One word while there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::box_collection)] // One word in every message, three only where needed.
pub struct UnknownFields(Option<Box<Vec<u8>>>);

impl UnknownFields {
    /// Tags and values, one after another.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Some(bytes) => bytes,
            None => &[],
        }
    }

    /// True when there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Forgets them.
    #[inline]
    pub fn clear(&mut self) {
        self.0 = None;
    }

    #[cold]
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.get_or_insert_default().extend_from_slice(bytes);
    }

    /// Length in bytes.
    #[doc(hidden)]
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Writes them back.
    ///
    /// # Safety
    /// Their length is reserved at `out`.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn write(&self, out: &mut Out) {
        if let Some(bytes) = &self.0 {
            // SAFETY: passed on to the caller.
            unsafe { out.bytes(bytes) }
        }
    }
}
