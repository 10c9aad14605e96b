//! Fory's own Rust library.

use std::rc::Rc;

use crate::cell::{Cell, cell};
use crate::fory_models::{bench, registered, suite};

/// Version measured.
pub const VERSION: &str = "1.7.7";

/// The library's operations on the model named, from the bytes of its value.
///
/// # Errors
/// When the library reads or writes something else than these bytes.
pub fn fory(model: &str, bytes: &[u8], compatible: bool) -> Result<Option<Cell>, String> {
    macro_rules! models {
        ($($name:literal => $ty:ty),* $(,)?) => {
            match model {
                $($name => make::<$ty>(bytes, compatible).map(Some),)*
                _ => Ok(None),
            }
        };
    }
    models! {
        "NumericStruct" => bench::NumericStruct,
        "FixedNumericStruct" => bench::FixedNumericStruct,
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

fn make<M>(bytes: &[u8], compatible: bool) -> Result<Cell, String>
where
    M: fory::Serializer<Target = M> + Clone + PartialEq + 'static,
{
    let fory = registered(compatible).map_err(|error| format!("{error:?}"))?;
    let value: M = fory
        .deserialize(bytes)
        .map_err(|error| format!("{error:?}"))?;
    let written = fory
        .serialize(&value)
        .map_err(|error| format!("{error:?}"))?;
    let again: M = fory
        .deserialize(&written)
        .map_err(|error| format!("{error:?}"))?;
    // Hash maps have no order of their own: sizes and values must agree, bytes need not.
    if again != value || written.len() != bytes.len() {
        return Err(format!(
            "fory {}: reads {} bytes, writes {}",
            std::any::type_name::<M>(),
            bytes.len(),
            written.len()
        ));
    }
    let fory = Rc::new(fory);
    let (a, b, c) = (fory.clone(), fory.clone(), fory);
    Ok(cell(
        "fory",
        VERSION,
        value,
        bytes.to_vec(),
        move |value, out| {
            let _ = a.serialize_to(out, value);
        },
        move |value| b.serialize(value).unwrap_or_default(),
        move |bytes| c.deserialize::<M>(bytes),
    ))
}
