//! The compiled codec as a contestant.

use interop_bench_setup::models::{Model, Visitor, visit};
use interop_contestants::cell::{Cell, Op, cell, runner};
use interop_models::{
    Decode, Encode, FlatBuffers, Fory, ForyConsistent, Json, MessagePack, Protobuf,
};

use crate::{floors, views};

/// Our operations, and what we write.
pub struct Ours {
    pub cell: Cell,
    pub encoded: Vec<u8>,
}

type Formats = Vec<(&'static str, Ours, Cell)>;

/// Our operations on the model named in each format, and the floors.
pub fn formats(model: &str, bytes: &[u8]) -> Result<Formats, String> {
    let mut formats = visit(model, Value { bytes })??;
    for (format, ours, _) in &mut formats {
        let view = views::reading(format, model, ours.encoded.clone());
        ours.cell.ops.extend(view.map(|view| (Op::ReadView, view)));
    }
    Ok(formats)
}

/// A value in protobuf.
struct Value<'a> {
    bytes: &'a [u8],
}

impl Visitor for Value<'_> {
    type Output = Result<Formats, String>;

    fn visit<M: Model>(self) -> Self::Output {
        let value = M::decode::<Protobuf>(self.bytes).map_err(|error| error.to_string())?;
        Ok(vec![
            one::<M, Fory>("fory", &value)?,
            one::<M, ForyConsistent>("fory-consistent", &value)?,
            one::<M, Protobuf>("protobuf", &value)?,
            one::<M, Json>("json", &value)?,
            one::<M, MessagePack>("msgpack", &value)?,
            one::<M, FlatBuffers>("flatbuffers", &value)?,
        ])
    }
}

fn one<M, F>(format: &'static str, value: &M) -> Result<(&'static str, Ours, Cell), String>
where
    M: Model + Encode<F> + Decode<F>,
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
