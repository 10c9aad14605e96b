//! The shared models of `proto/`, as `interop-codegen` generates them.
//!
//! ```
//! use interop_models::{Codec, Fory, Protobuf, suite::SimpleStruct};
//!
//! let value = SimpleStruct { id: 7, name: "seven".to_owned(), ..Default::default() };
//! let bytes = value.encode_to_vec::<Protobuf>();
//! assert_eq!(SimpleStruct::decode::<Protobuf>(&bytes).unwrap(), value);
//! let bytes = value.encode_to_vec::<Fory>();
//! assert_eq!(SimpleStruct::decode::<Fory>(&bytes).unwrap(), value);
//! ```

pub use interop_runtime::fory::dialect;
pub use interop_runtime::{
    Codec, Decode, Encode, EncodeError, Error, FlatBuffers, Fory, ForyConsistent, Json, Limits,
    MessagePack, Protobuf, TryCodec, TryEncode,
};

#[rustfmt::skip]
pub mod protobuf;
#[rustfmt::skip]
pub mod suite;

/// The well-known types that the models use.
pub mod google {
    #[rustfmt::skip]
    pub mod protobuf;
}
