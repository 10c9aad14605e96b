//! Our borrowing views as an operation.

use std::hint::black_box;

use interop_contestants::cell::{Runner, runner};
use interop_models::{FlatBuffers, Fory, ForyConsistent, Protobuf, View};
use interop_models::{protobuf as bench, suite};

/// Reads a view of the model and drops it; `None` in a format without views.
///
/// A view holds every field: numbers decoded, text and bytes checked and borrowed, runs of
/// numbers checked. A row is one pass over the message that refuses all that reading an owned
/// value refuses.
pub fn reading(format: &str, model: &str, input: Vec<u8>) -> Option<Runner> {
    macro_rules! views {
        ($($name:literal => $module:ident::$view:ident),* $(,)?) => {
            match (model, format) {
                $(
                    ($name, "fory") => views!($module::$view, Fory),
                    ($name, "fory-consistent") => views!($module::$view, ForyConsistent),
                    ($name, "protobuf") => views!($module::$view, Protobuf),
                    ($name, "flatbuffers") => views!($module::$view, FlatBuffers),
                )*
                _ => return None,
            }
        };
        ($module:ident::$view:ident, $format:ty) => {
            runner(move || {
                let view = $module::$view::view::<$format>(black_box(&input));
                black_box(&view);
            })
        };
    }
    Some(views! {
        "NumericStruct" => bench::NumericStructView,
        "NumericStructList" => bench::NumericStructListView,
        "Sample" => bench::SampleView,
        "SampleList" => bench::SampleListView,
        "MediaContent" => bench::MediaContentView,
        "MediaContentList" => bench::MediaContentListView,
        "SimpleStruct" => suite::SimpleStructView,
        "Person" => suite::PersonView,
        "Company" => suite::CompanyView,
        "ECommerceData" => suite::ECommerceDataView,
        "SystemData" => suite::SystemDataView,
    })
}
