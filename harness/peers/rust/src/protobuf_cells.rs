//! The protobuf libraries.

use crate::cell::{Cell, Op, cell, runner};

/// The libraries' operations on the model named, from the bytes of its value.
///
/// # Errors
/// When a library reads or writes something else than these bytes.
pub fn protobuf(model: &str, bytes: &[u8]) -> Result<Vec<Cell>, String> {
    macro_rules! models {
        ($($name:ident / $view:ident in $package:ident),* $(,)?) => {
            match model {
                $(stringify!($name) => Ok(vec![
                    prost_cell::<crate::prost_models::$package::$name>(bytes)?,
                    {
                        let mut cell =
                            buffa_cell::<crate::buffa_models::$package::$name>(bytes)?;
                        let input = bytes.to_vec();
                        cell.ops.push((Op::ReadView, runner(move || {
                            use buffa::MessageView as _;
                            let input = std::hint::black_box(&input[..]);
                            // Consumed inside: a view can't leave its input.
                            let view =
                                crate::buffa_models::$package::$view::decode_view(input);
                            std::hint::black_box(&view);
                            view.is_ok()
                        })));
                        cell
                    },
                ]),)*
                _ => Ok(Vec::new()),
            }
        };
    }
    models! {
        NumericStruct / NumericStructView in protobuf,
        FixedNumericStruct / FixedNumericStructView in protobuf,
        NumericStructList / NumericStructListView in protobuf,
        Sample / SampleView in protobuf,
        SampleList / SampleListView in protobuf,
        MediaContent / MediaContentView in protobuf,
        MediaContentList / MediaContentListView in protobuf,
        SimpleStruct / SimpleStructView in suite,
        Person / PersonView in suite,
        Company / CompanyView in suite,
        ECommerceData / ECommerceDataView in suite,
        SystemData / SystemDataView in suite,
    }
}

fn prost_cell<M>(bytes: &[u8]) -> Result<Cell, String>
where
    M: prost::Message + Default + Clone + PartialEq + 'static,
{
    let value = M::decode(bytes).map_err(|error| error.to_string())?;
    // Bytes may differ: prost leaves defaults out of map entries.
    let written = value.encode_to_vec();
    let again = M::decode(&written[..]).map_err(|error| error.to_string())?;
    if again != value {
        return Err("prost writes another value than it reads".to_owned());
    }
    let mut cell = cell(
        "prost",
        "0.14.6",
        value.clone(),
        bytes.to_vec(),
        |value, out| value.encode(out).unwrap_or_default(),
        |value| value.encode_to_vec(),
        |bytes| M::decode(bytes),
    );
    let (input, mut used) = (bytes.to_vec(), value);
    cell.ops.push((
        Op::ReadReused,
        runner(move || {
            used.clear();
            used.merge(std::hint::black_box(&input[..])).is_ok()
        }),
    ));
    Ok(cell)
}

fn buffa_cell<M>(bytes: &[u8]) -> Result<Cell, String>
where
    M: buffa::Message + Default + Clone + PartialEq + 'static,
{
    let value = M::decode_from_slice(bytes).map_err(|error| error.to_string())?;
    // Bytes may differ: prost leaves defaults out of map entries.
    let written = value.encode_to_vec();
    let again = M::decode_from_slice(&written).map_err(|error| error.to_string())?;
    if again != value {
        return Err("buffa writes another value than it reads".to_owned());
    }
    let mut cell = cell(
        "buffa",
        "0.9.2",
        value.clone(),
        bytes.to_vec(),
        |value, out| value.encode(out),
        |value| value.encode_to_vec(),
        |bytes| M::decode_from_slice(bytes),
    );
    let (input, mut used) = (bytes.to_vec(), value);
    cell.ops.push((
        Op::ReadReused,
        runner(move || {
            used.clear();
            used.merge_from_slice(std::hint::black_box(&input)).is_ok()
        }),
    ));
    Ok(cell)
}
