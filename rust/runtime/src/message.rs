use std::marker::PhantomData;

use interop_wire::Limits;

use crate::fory::dialect::{self, ForyDialect};
use crate::{Error, fory, protobuf};

/// Protocol Buffers binary.
#[derive(Clone, Copy, Debug)]
pub struct Protobuf;

/// Apache Fory xlang, compatible mode, written in the dialect `D`. Every dialect is read.
#[derive(Clone, Copy, Debug)]
pub struct Fory<D = dialect::Rust>(PhantomData<D>);

/// Apache Fory xlang, schema-consistent mode, written in the dialect `D`.
#[derive(Clone, Copy, Debug)]
pub struct ForyConsistent<D = dialect::Rust>(PhantomData<D>);

/// A message that can be written in the format `F`.
pub trait Encode<F> {
    /// Appends the encoded message to `out`.
    fn append_to(&self, out: &mut Vec<u8>);

    /// Length of the encoded message in bytes.
    fn len_in(&self) -> usize;
}

/// A message that can be read in the format `F`.
pub trait Decode<F>: Default {
    /// Replaces the message by what `bytes` hold, keeping allocations where the format lets
    /// it. After an error the message is valid, but of no particular value.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read_from(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), Error>;
}

/// The methods of every generated message; the format is a type parameter.
pub trait Codec: Sized {
    /// Appends the encoded message to `out`.
    #[inline]
    fn encode_into<F>(&self, out: &mut Vec<u8>)
    where
        Self: Encode<F>,
    {
        self.append_to(out);
    }

    /// The encoded message.
    #[inline]
    fn encode_to_vec<F>(&self) -> Vec<u8>
    where
        Self: Encode<F>,
    {
        let mut out = Vec::new();
        self.append_to(&mut out);
        out
    }

    /// Length of the encoded message in bytes.
    #[inline]
    fn encoded_len<F>(&self) -> usize
    where
        Self: Encode<F>,
    {
        self.len_in()
    }

    /// The message that `bytes` hold, within the default limits.
    ///
    /// # Errors
    /// With byte offset and field path.
    #[inline]
    fn decode<F>(bytes: &[u8]) -> Result<Self, Error>
    where
        Self: Decode<F>,
    {
        Self::decode_within(bytes, &Limits::DEFAULT)
    }

    /// The message that `bytes` hold, within `limits`.
    ///
    /// # Errors
    /// With byte offset and field path.
    #[inline]
    fn decode_within<F>(bytes: &[u8], limits: &Limits) -> Result<Self, Error>
    where
        Self: Decode<F>,
    {
        // The message is read where the caller will find it: moving it afterwards would wait
        // for the stores just made.
        let mut result = Ok(Self::default());
        if let Ok(message) = &mut result
            && let Err(error) = message.read_from(bytes, limits)
        {
            result = Err(error);
        }
        result
    }

    /// Replaces the message by what `bytes` hold, keeping allocations where the format lets it.
    ///
    /// # Errors
    /// With byte offset and field path; the message is then valid, but of no particular value.
    #[inline]
    fn decode_into<F>(&mut self, bytes: &[u8]) -> Result<(), Error>
    where
        Self: Decode<F>,
    {
        self.read_from(bytes, &Limits::DEFAULT)
    }
}

impl<T> Codec for T {}

impl<T: protobuf::Message> Encode<Protobuf> for T {
    #[inline]
    fn append_to(&self, out: &mut Vec<u8>) {
        protobuf::encode(self, out);
    }

    fn len_in(&self) -> usize {
        protobuf::Message::encoded_len(self)
    }
}

impl<T: protobuf::Message> Decode<Protobuf> for T {
    #[inline]
    fn read_from(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
        protobuf::decode(self, bytes, limits)
    }
}

impl<T: fory::Struct, D: ForyDialect> Encode<Fory<D>> for T {
    #[inline]
    fn append_to(&self, out: &mut Vec<u8>) {
        fory::encode::<T, D, fory::Compatible>(self, out);
    }

    fn len_in(&self) -> usize {
        self.encode_to_vec::<Fory<D>>().len()
    }
}

impl<T: fory::Struct, D> Decode<Fory<D>> for T {
    #[inline]
    fn read_from(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
        fory::decode::<T, fory::Compatible>(self, bytes, limits)
    }
}

impl<T: fory::Struct, D: ForyDialect> Encode<ForyConsistent<D>> for T {
    #[inline]
    fn append_to(&self, out: &mut Vec<u8>) {
        fory::encode::<T, D, fory::Consistent>(self, out);
    }

    fn len_in(&self) -> usize {
        self.encode_to_vec::<ForyConsistent<D>>().len()
    }
}

impl<T: fory::Struct, D> Decode<ForyConsistent<D>> for T {
    #[inline]
    fn read_from(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
        fory::decode::<T, fory::Consistent>(self, bytes, limits)
    }
}
