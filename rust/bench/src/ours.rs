//! The compiled codec as a contestant.

use interop_contestants::cell::{Cell, Op, cell, runner};
use interop_models::{
    Codec, Decode, Encode, FlatBuffers, Fory, ForyConsistent, Json, MessagePack, Protobuf,
};
use interop_models::{protobuf as bench, suite};

use crate::floors;

/// Our operations, and what we write.
pub struct Ours {
    pub cell: Cell,
    pub encoded: Vec<u8>,
}

type Formats = Vec<(&'static str, Ours, Cell)>;

/// Our operations on the model named in each format, and the floors.
pub fn formats(model: &str, bytes: &[u8]) -> Result<Formats, String> {
    macro_rules! models {
        ($($name:literal => $ty:ty),* $(,)?) => {
            match model {
                $($name => all::<$ty>(bytes),)*
                _ => Err(format!("no model named {model}")),
            }
        };
    }
    models! {
        "NumericStruct" => bench::NumericStruct,
        "NumericStructList" => bench::NumericStructList,
        "Sample" => bench::Sample,
        "SampleList" => bench::SampleList,
        "MediaContent" => bench::MediaContent,
        "MediaContentList" => bench::MediaContentList,
        "SimpleStruct" => suite::SimpleStruct,
        "Person" => suite::Person,
        "Company" => suite::Company,
        "ECommerceData" => suite::ECommerceData,
        "SystemData" => suite::SystemData,
    }
}

fn all<M>(bytes: &[u8]) -> Result<Formats, String>
where
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
        + 'static,
{
    let value = M::decode::<Protobuf>(bytes).map_err(|error| error.to_string())?;
    Ok(vec![
        one::<M, Fory>("fory", &value)?,
        one::<M, ForyConsistent>("fory-consistent", &value)?,
        one::<M, Protobuf>("protobuf", &value)?,
        one::<M, Json>("json", &value)?,
        one::<M, MessagePack>("msgpack", &value)?,
        one::<M, FlatBuffers>("flatbuffers", &value)?,
    ])
}

fn one<M, F>(format: &'static str, value: &M) -> Result<(&'static str, Ours, Cell), String>
where
    M: Codec + Clone + PartialEq + Encode<F> + Decode<F> + 'static,
    F: 'static,
{
    let encoded = value.encode_to_vec::<F>();
    let again = M::decode::<F>(&encoded).map_err(|error| error.to_string())?;
    if again != *value {
        return Err(format!("{format}: we write another value than we read"));
    }
    let mut cell = cell(
        "interop",
        env!("CARGO_PKG_VERSION"),
        value.clone(),
        encoded.clone(),
        |value: &M, out| value.encode_into::<F>(out),
        |value| value.encode_to_vec::<F>(),
        |bytes| M::decode::<F>(bytes),
    );
    let (input, mut used) = (encoded.clone(), value.clone());
    cell.ops.push((
        Op::ReadReused,
        runner(move || used.decode_into::<F>(std::hint::black_box(&input)).is_ok()),
    ));
    let floor = floors::cell(value.clone(), encoded.clone());
    Ok((format, Ours { cell, encoded }, floor))
}
