//! MessagePack, ProtoJSON and FlatBuffers as format parameters. A value may have no form in
//! them, so writing can fail.

use interop_wire::Limits;

use crate::{Decode, Encode, EncodeError, Error, flatbuffers, json, msgpack};

/// MessagePack maps with field names, floats written as floats.
#[derive(Clone, Copy, Debug)]
pub struct MessagePack;

/// ProtoJSON: one compact line, names as in the schema, defaults left out.
#[derive(Clone, Copy, Debug)]
pub struct Json;

/// FlatBuffers over the schema that [`interop_schema`](https://docs.rs/interop-schema) derives;
/// -0.0 is kept.
#[derive(Clone, Copy, Debug)]
pub struct FlatBuffers;

/// A message that can be written in the format `F`, unless a value has no form there.
pub trait TryEncode<F> {
    /// Appends the encoded message to `out`, or nothing on error.
    ///
    /// # Errors
    /// With the field's full name.
    fn try_append_to(&self, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Length of the encoded message in bytes.
    ///
    /// # Errors
    /// As for [`TryEncode::try_append_to`].
    fn try_len_in(&self) -> Result<usize, EncodeError> {
        let mut out = Vec::new();
        self.try_append_to(&mut out)?;
        Ok(out.len())
    }
}

/// Writing that reports a value without a form in the format; the format is a type parameter.
/// [`crate::Codec`] has the same without the result.
pub trait TryCodec: Sized {
    /// Appends the encoded message to `out`, or nothing on error.
    ///
    /// # Errors
    /// With the field's full name.
    #[inline]
    fn try_encode_into<F>(&self, out: &mut Vec<u8>) -> Result<(), EncodeError>
    where
        Self: TryEncode<F>,
    {
        self.try_append_to(out)
    }

    /// The encoded message.
    ///
    /// # Errors
    /// With the field's full name.
    #[inline]
    fn try_encode_to_vec<F>(&self) -> Result<Vec<u8>, EncodeError>
    where
        Self: TryEncode<F>,
    {
        let mut out = Vec::new();
        self.try_append_to(&mut out)?;
        Ok(out)
    }
}

impl<T> TryCodec for T {}

macro_rules! format {
    ($format:ident, $module:ident, $(#[$panics:meta])*) => {
        impl<T: $module::Message> TryEncode<$format> for T {
            #[inline]
            fn try_append_to(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
                $module::encode(self, out)
            }
        }

        $(#[$panics])*
        impl<T: $module::Message> Encode<$format> for T {
            #[inline]
            #[track_caller]
            fn append_to(&self, out: &mut Vec<u8>) {
                if let Err(error) = $module::encode(self, out) {
                    no_form(stringify!($format), &error);
                }
            }

            fn len_in(&self) -> usize {
                $module::encoded_len(self)
            }
        }

        impl<T: $module::Message> Decode<$format> for T {
            #[inline]
            fn read_from(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
                $module::decode(self, bytes, limits)
            }
        }
    };
}

#[cold]
#[track_caller]
fn no_form(format: &str, error: &EncodeError) -> ! {
    panic!("the message has no form in {format} (try_encode_into reports this): {error}")
}

format!(MessagePack, msgpack,
    /// Panics for a message of 4 GiB or more; [`TryEncode`] reports it.
);
format!(Json, json,
    /// Panics for a Timestamp outside the years 1 to 9999, a Duration beyond 10,000 years or of
    /// mixed sign; [`TryEncode`] reports it.
);
format!(FlatBuffers, flatbuffers,
    /// Panics for a buffer of 2 GiB or more, and for an enum number that does not fit its byte;
    /// [`TryEncode`] reports it.
);
