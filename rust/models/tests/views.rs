//! Views and owning types read alike: the same value of every golden file, and of each of its
//! truncations and byte flips either the same value or the same error at the same byte.

use std::path::{Path, PathBuf};

use interop_models::{
    Codec, Decode, DecodeView, Encode, FlatBuffers, Fory, ForyConsistent, MessageView, Protobuf,
    View,
};
use interop_models::{protobuf as bench, suite};

/// Files up to this length are tried at every byte, longer ones so that about this many bytes
/// squared are read.
const EVERY_BYTE_BYTES: usize = 600;

const MASKS: [u8; 3] = [0x01, 0x80, 0xff];

/// True when both read a value, false when both refuse.
fn same<'a, F, M, V>(bytes: &'a [u8], place: &str) -> bool
where
    M: Codec + Decode<F> + Encode<Protobuf>,
    V: View<'a> + MessageView<Owned = M> + DecodeView<'a, F>,
{
    match (M::decode::<F>(bytes), V::view::<F>(bytes)) {
        (Ok(owned), Ok(view)) => {
            // As bytes, so that NaN and -0.0 count.
            let view = view.own().encode_to_vec::<Protobuf>();
            assert_eq!(view, owned.encode_to_vec::<Protobuf>(), "{place}");
            true
        }
        (Err(owned), Err(view)) => {
            assert_eq!(view.to_string(), owned.to_string(), "{place}");
            false
        }
        (owned, view) => panic!(
            "{place}: owned {:?}, view {:?}",
            owned.map(drop),
            view.map(drop)
        ),
    }
}

/// What one file gave: whether it was read, and how many broken copies were refused.
struct Outcome {
    read: bool,
    refused: usize,
}

trait Check {
    fn check(bytes: &[u8], place: &str) -> Outcome;
}

macro_rules! check {
    ($name:ident, $format:ty) => {
        /// All of one format.
        struct $name<M>(std::marker::PhantomData<M>);

        check!(@ $name, $format, bench: NumericStruct NumericStructView, FixedNumericStruct
            FixedNumericStructView, Sample SampleView, MediaContent MediaContentView,
            NumericStructList NumericStructListView, SampleList SampleListView, MediaContentList
            MediaContentListView);
        check!(@ $name, $format, suite: SimpleStruct SimpleStructView, Person PersonView, Company
            CompanyView, ECommerceData ECommerceDataView, SystemData SystemDataView);
    };
    (@ $name:ident, $format:ty, $package:ident: $($model:ident $view:ident),*) => {$(
        impl Check for $name<$package::$model> {
            fn check(bytes: &[u8], place: &str) -> Outcome {
                let same = |bytes: &[u8], place: &str| {
                    same::<$format, $package::$model, $package::$view<'_>>(bytes, place)
                };
                let read = same(bytes, place);
                let step = if bytes.len() <= EVERY_BYTE_BYTES {
                    1
                } else {
                    (bytes.len() * bytes.len()).div_ceil(EVERY_BYTE_BYTES * EVERY_BYTE_BYTES)
                };
                let mut refused = 0;
                let mut broken = bytes.to_vec();
                for at in (0..bytes.len()).step_by(step) {
                    refused += usize::from(!same(&bytes[..at], &format!("{place} cut to {at}")));
                    for mask in MASKS {
                        broken[at] ^= mask;
                        let place = format!("{place} byte {at} ^ {mask:#04x}");
                        refused += usize::from(!same(&broken, &place));
                        broken[at] ^= mask;
                    }
                }
                Outcome { read, refused }
            }
        }
    )*};
}

check!(InProtobuf, Protobuf);
check!(InFory, Fory);
check!(InForyConsistent, ForyConsistent);
check!(InFlatBuffers, FlatBuffers);

macro_rules! by_model {
    ($name:ident, $model:expr) => {
        match $model {
            "NumericStruct" => $name::<bench::NumericStruct>::check,
            "FixedNumericStruct" => $name::<bench::FixedNumericStruct>::check,
            "Sample" => $name::<bench::Sample>::check,
            "MediaContent" => $name::<bench::MediaContent>::check,
            "NumericStructList" => $name::<bench::NumericStructList>::check,
            "SampleList" => $name::<bench::SampleList>::check,
            "MediaContentList" => $name::<bench::MediaContentList>::check,
            "SimpleStruct" => $name::<suite::SimpleStruct>::check,
            "Person" => $name::<suite::Person>::check,
            "Company" => $name::<suite::Company>::check,
            "ECommerceData" => $name::<suite::ECommerceData>::check,
            "SystemData" => $name::<suite::SystemData>::check,
            _ => return None,
        }
    };
}

fn checker(format: &str, model: &str) -> Option<fn(&[u8], &str) -> Outcome> {
    Some(match format {
        "protobuf" => by_model!(InProtobuf, model),
        "fory" => by_model!(InFory, model),
        "fory-consistent" => by_model!(InForyConsistent, model),
        _ => by_model!(InFlatBuffers, model),
    })
}

fn bin_files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bin_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "bin" || e == "pb") {
            found.push(path);
        }
    }
}

/// Checks all files below `golden/<dir>`; `all_read`: each must hold a value.
fn check_all(dir: &str, format: &str, at_least: usize, all_read: bool) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    let mut files = Vec::new();
    bin_files(&golden.join(dir), &mut files);
    let (mut checked, mut refused) = (0, 0);
    for path in files {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let model = stem.split(['@', '-']).next().unwrap();
        let Some(check) = checker(format, model) else {
            continue;
        };
        let place = path.display().to_string();
        let outcome = check(&std::fs::read(&path).unwrap(), &place);
        // Two writers of consistent mode have no hash, or one of other nullability.
        let foreign = stem.contains("cpp-default") || stem.contains("go-implicit-nullable");
        assert!(outcome.read || foreign || !all_read, "{place} is refused");
        checked += 1;
        refused += outcome.refused;
    }
    assert!(checked >= at_least, "only {checked} files");
    assert!(refused > checked, "hardly anything broken is refused");
}

#[test]
fn protobuf_views() {
    check_all("protobuf", "protobuf", 24, true);
    check_all("suite", "protobuf", 15, true);
}

#[test]
fn fory_views() {
    check_all("fory", "fory", 60, true);
}

/// Another version's TypeDefs: fields are matched one by one and scalars convert.
#[test]
fn fory_views_of_another_version() {
    check_all("v2/fory", "fory", 12, false);
}

#[test]
fn fory_consistent_views() {
    check_all("fory-consistent", "fory-consistent", 60, true);
}

#[test]
fn flatbuffers_views() {
    check_all("flatbuffers", "flatbuffers", 24, true);
}
