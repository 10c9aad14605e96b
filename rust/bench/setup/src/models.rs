//! The generated type behind a model's name.

use interop_models::{
    Codec, Decode, Encode, FlatBuffers, Fory, ForyConsistent, Json, MessagePack, Protobuf,
};
use interop_models::{protobuf as bench, suite};

/// What every generated message can do.
pub trait Model:
    Codec
    + Clone
    + PartialEq
    + Encode<Protobuf>
    + Decode<Protobuf>
    + Encode<Fory>
    + Decode<Fory>
    + Encode<ForyConsistent>
    + Decode<ForyConsistent>
    + Encode<Json>
    + Decode<Json>
    + Encode<MessagePack>
    + Decode<MessagePack>
    + Encode<FlatBuffers>
    + Decode<FlatBuffers>
    + 'static
{
}

impl<M> Model for M where
    M: Codec
        + Clone
        + PartialEq
        + Encode<Protobuf>
        + Decode<Protobuf>
        + Encode<Fory>
        + Decode<Fory>
        + Encode<ForyConsistent>
        + Decode<ForyConsistent>
        + Encode<Json>
        + Decode<Json>
        + Encode<MessagePack>
        + Decode<MessagePack>
        + Encode<FlatBuffers>
        + Decode<FlatBuffers>
        + 'static
{
}

/// Work that needs a model's type.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it for `M`.
    fn visit<M: Model>(self) -> Self::Output;
}

/// Does `visitor`'s work for the model named.
///
/// # Errors
/// When there is none of that name.
pub fn visit<V: Visitor>(model: &str, visitor: V) -> Result<V::Output, String> {
    Ok(match model {
        "NumericStruct" => visitor.visit::<bench::NumericStruct>(),
        "NumericStructList" => visitor.visit::<bench::NumericStructList>(),
        "Sample" => visitor.visit::<bench::Sample>(),
        "SampleList" => visitor.visit::<bench::SampleList>(),
        "MediaContent" => visitor.visit::<bench::MediaContent>(),
        "MediaContentList" => visitor.visit::<bench::MediaContentList>(),
        "SimpleStruct" => visitor.visit::<suite::SimpleStruct>(),
        "Person" => visitor.visit::<suite::Person>(),
        "Company" => visitor.visit::<suite::Company>(),
        "ECommerceData" => visitor.visit::<suite::ECommerceData>(),
        "SystemData" => visitor.visit::<suite::SystemData>(),
        _ => return Err(format!("no model named {model}")),
    })
}
