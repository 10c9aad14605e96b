//! The compiled codec as a contestant.

use interop_contestants::cell::{Cell, Op, Runner, cell, runner};
use interop_models::{Codec, Decode, Encode, Fory, ForyConsistent, Protobuf, View};
use interop_models::{protobuf as bench, suite};

use crate::floors;

/// Our operations, and what we write.
pub struct Ours {
    pub cell: Cell,
    pub encoded: Vec<u8>,
}

type Formats = Vec<(&'static str, Ours, Cell)>;

/// A loop that reads a view and drops it. The view holds every field: numbers decoded, text and
/// bytes checked and borrowed, runs of numbers checked; so the row is one pass over the message
/// that refuses all that reading an owned value refuses.
macro_rules! view_runner {
    ($module:ident::$view:ident, $format:ty, $input:expr) => {{
        let input = $input;
        Box::new(move |times: u32| {
            for _ in 0..times {
                let view = $module::$view::view::<$format>(std::hint::black_box(&input));
                std::hint::black_box(&view);
            }
        })
    }};
}

/// Our operations on the model named in each format, and the floors.
pub fn formats(model: &str, bytes: &[u8]) -> Result<Formats, String> {
    macro_rules! models {
        ($($name:literal => $module:ident::$ty:ident $view:ident),* $(,)?) => {
            match model {
                $($name => {
                    let mut formats = all::<$module::$ty>(bytes)?;
                    for (format, ours, _) in &mut formats {
                        let input = ours.encoded.clone();
                        let runner: Runner = match *format {
                            "fory" => view_runner!($module::$view, Fory, input),
                            "fory-consistent" => {
                                view_runner!($module::$view, ForyConsistent, input)
                            }
                            _ => view_runner!($module::$view, Protobuf, input),
                        };
                        ours.cell.ops.push((Op::ReadView, runner));
                    }
                    Ok(formats)
                })*
                _ => Err(format!("no model named {model}")),
            }
        };
    }
    models! {
        "NumericStruct" => bench::NumericStruct NumericStructView,
        "NumericStructList" => bench::NumericStructList NumericStructListView,
        "Sample" => bench::Sample SampleView,
        "SampleList" => bench::SampleList SampleListView,
        "MediaContent" => bench::MediaContent MediaContentView,
        "MediaContentList" => bench::MediaContentList MediaContentListView,
        "SimpleStruct" => suite::SimpleStruct SimpleStructView,
        "Person" => suite::Person PersonView,
        "Company" => suite::Company CompanyView,
        "ECommerceData" => suite::ECommerceData ECommerceDataView,
        "SystemData" => suite::SystemData SystemDataView,
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
        + 'static,
{
    let value = M::decode::<Protobuf>(bytes).map_err(|error| error.to_string())?;
    Ok(vec![
        one::<M, Fory>("fory", &value)?,
        one::<M, ForyConsistent>("fory-consistent", &value)?,
        one::<M, Protobuf>("protobuf", &value)?,
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
