//! Version 2 of the models, read by version 1: one int32 of each was widened to int64.

use std::path::{Path, PathBuf};

use interop_models::{Codec, Decode, Fory, Protobuf, protobuf as bench};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden")
}

fn files(dir: &Path, model: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let of_model = |path: &PathBuf| {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        stem.split('@').next() == Some(model)
    };
    entries.filter(of_model).collect()
}

fn check<M>(model: &str, widened: &str)
where
    M: Codec + Decode<Fory> + Decode<Protobuf> + PartialEq + std::fmt::Debug,
{
    let truth = files(&golden().join("protobuf/canonical"), model);
    let truth = M::decode::<Protobuf>(&std::fs::read(&truth[0]).unwrap()).unwrap();
    let canonical = files(&golden().join("v2/fory/canonical"), model);
    assert!(!canonical.is_empty(), "{model}");
    for path in canonical {
        let value = M::decode::<Fory>(&std::fs::read(&path).unwrap());
        assert_eq!(
            value.as_ref().ok(),
            Some(&truth),
            "{}: {value:?}",
            path.display()
        );
    }
    let wide = files(&golden().join("v2/fory/wide"), model);
    assert!(!wide.is_empty(), "{model}");
    for path in wide {
        let error = M::decode::<Fory>(&std::fs::read(&path).unwrap())
            .unwrap_err()
            .to_string();
        assert!(error.contains(widened), "{}: {error}", path.display());
    }
}

#[test]
fn numeric_struct() {
    check::<bench::NumericStruct>("NumericStruct", "field f1");
    check::<bench::NumericStructList>("NumericStructList", "field struct_list[0].f1");
}

#[test]
fn sample() {
    check::<bench::Sample>("Sample", "field int_value");
    check::<bench::SampleList>("SampleList", "field sample_list[0].int_value");
}

#[test]
fn media_content() {
    check::<bench::MediaContent>("MediaContent", "field media.width");
    check::<bench::MediaContentList>(
        "MediaContentList",
        "field media_content_list[0].media.width",
    );
}
