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
//!
//! A view borrows text, bytes and runs of numbers from the input:
//!
//! ```
//! use interop_models::{Codec, Fory, View, suite::{SimpleStruct, SimpleStructView}};
//!
//! let value = SimpleStruct { id: 7, name: "seven".to_owned(), ..Default::default() };
//! let bytes = value.encode_to_vec::<Fory>();
//! let view = SimpleStructView::view::<Fory>(&bytes).unwrap();
//! assert_eq!((view.id, &*view.name), (7, "seven"));
//! assert_eq!(view.to_owned(), value);
//! ```

pub use interop_runtime::fory::dialect;
pub use interop_runtime::{
    Codec, Decode, DecodeView, Encode, EncodeError, Error, FlatBuffers, Fory, ForyConsistent, Json,
    Limits, MessagePack, MessageView, Numbers, Protobuf, TryCodec, TryEncode, View,
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
