//! Values that borrow from the input.
//!
//! A view is read in one pass that checks all that the owning type checks, in the same order: what
//! one refuses, the other refuses at the same byte. Text and bytes stay in the input; text in a
//! coder other than UTF-8 is borrowed where it is ASCII and transcoded where it is not. Runs of
//! numbers are checked on the way in and read again when they are looked at ([`crate::Numbers`]).

use interop_wire::Limits;

use crate::fory::{Compatible, Consistent};
use crate::{Error, FlatBuffers, Fory, ForyConsistent, Protobuf, flatbuffers, fory, protobuf};

/// A generated view.
pub trait MessageView {
    /// The type that owns what this one borrows.
    type Owned;

    /// The same value, owned.
    fn own(&self) -> Self::Owned;
}

/// A view that can be read in the format `F`.
pub trait DecodeView<'a, F>: Default {
    /// What `bytes` hold.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn view_within(bytes: &'a [u8], limits: &'a Limits) -> Result<Self, Error>;
}

/// The methods of every generated view; the format is a type parameter.
pub trait View<'a>: Sized {
    /// What `bytes` hold, within the default limits. The memory limit counts views as large as
    /// they are, not as their owning types.
    ///
    /// # Errors
    /// With byte offset and field path.
    #[inline]
    fn view<F>(bytes: &'a [u8]) -> Result<Self, Error>
    where
        Self: DecodeView<'a, F>,
    {
        Self::view_within(bytes, &Limits::DEFAULT)
    }
}

impl<'a, T: MessageView> View<'a> for T {}

impl<'a, T: protobuf::view::Message<'a>> DecodeView<'a, Protobuf> for T {
    #[inline]
    fn view_within(bytes: &'a [u8], limits: &'a Limits) -> Result<Self, Error> {
        protobuf::view::decode(bytes, limits)
    }
}

impl<'a, T: fory::view::Struct<'a>, D> DecodeView<'a, Fory<D>> for T {
    #[inline]
    fn view_within(bytes: &'a [u8], limits: &'a Limits) -> Result<Self, Error> {
        fory::view::decode::<T, Compatible>(bytes, limits)
    }
}

impl<'a, T: fory::view::Struct<'a>, D> DecodeView<'a, ForyConsistent<D>> for T {
    #[inline]
    fn view_within(bytes: &'a [u8], limits: &'a Limits) -> Result<Self, Error> {
        fory::view::decode::<T, Consistent>(bytes, limits)
    }
}

impl<'a, T: flatbuffers::view::Message<'a>> DecodeView<'a, FlatBuffers> for T {
    #[inline]
    fn view_within(bytes: &'a [u8], limits: &'a Limits) -> Result<Self, Error> {
        flatbuffers::view::decode(bytes, limits)
    }
}
