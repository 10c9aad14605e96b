//! Every golden file of MessagePack, ProtoJSON and FlatBuffers that has a generated model: read
//! by the compiled engine, and written again where its writers choose as that engine does.

use std::path::{Path, PathBuf};

use interop_models::protobuf as bench;
use interop_models::{Codec, Decode, Encode, FlatBuffers, Json, MessagePack, Protobuf};
use libtest_mimic::{Arguments, Failed, Trial};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden")
}

/// Model and writers of a file: those behind `@`, none where all agree.
fn name(path: &Path) -> (String, Vec<String>) {
    let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
    let (model, writers) = stem.split_once('@').unwrap_or((&stem, ""));
    let writers = writers.split('+').filter(|writer| !writer.is_empty());
    (model.to_owned(), writers.map(str::to_owned).collect())
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|p| p.extension().is_some_and(|e| e == "bin"))
        .collect();
    files.sort();
    files
}

fn check<F, M>(format: &str, set: &str, path: &Path, truth: &Path) -> Result<(), Failed>
where
    M: Codec + Clone + PartialEq + std::fmt::Debug + Decode<Protobuf> + Encode<F> + Decode<F>,
{
    let truth = M::decode::<Protobuf>(&std::fs::read(truth)?).map_err(|e| e.to_string())?;
    let bytes = std::fs::read(path)?;
    let (model, writers) = name(path);
    let wrote =
        |names: &[&str]| writers.is_empty() || writers.iter().any(|w| names.contains(&w.as_str()));
    let value = M::decode::<F>(&bytes).map_err(|error| error.to_string())?;
    if value != truth {
        return Err(format!("read {value:?}, wanted {truth:?}").into());
    }
    let mut used = truth.clone();
    used.decode_into::<F>(&bytes)
        .map_err(|error| error.to_string())?;
    assert_eq!(used, truth);
    // The real writers of FlatBuffers drop a -0.0, and Python has its own digits for some floats;
    // of both the extreme samples have some.
    let extreme = set == "extreme" && model.starts_with("Sample");
    let ours = match format {
        "msgpack" => wrote(&["rust"]),
        "flatbuffers" => wrote(&["python"]) && !extreme,
        _ => wrote(&["python-utf8"]) && !extreme,
    };
    if ours {
        let written = truth.encode_to_vec::<F>();
        let at = written
            .iter()
            .zip(&bytes)
            .take_while(|(a, b)| a == b)
            .count();
        if written != bytes {
            let theirs = bytes.len();
            return Err(format!(
                "{} bytes, not {theirs}; different from byte {at}",
                written.len()
            )
            .into());
        }
        assert_eq!(truth.encoded_len::<F>(), bytes.len());
    }
    let step = (bytes.len() / 300).max(1);
    for cut in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
        // A buffer of FlatBuffers may end in padding, which nobody misses.
        let padding = format == "flatbuffers" && bytes.len() - cut < 8;
        match M::decode::<F>(&bytes[..cut]) {
            Ok(value) => assert!(padding && value == truth, "cut to {cut}"),
            Err(error) => assert!(error.offset() <= bytes.len(), "{error}"),
        }
        for flip in [0x01, 0x80, 0xff] {
            let mut broken = bytes.clone();
            broken[cut] ^= flip;
            let _ = M::decode::<F>(&broken);
        }
    }
    Ok(())
}

fn trial<F: 'static>(format: &'static str, set: String, path: PathBuf) -> Option<Trial>
where
    bench::NumericStruct: Encode<F> + Decode<F>,
    bench::Sample: Encode<F> + Decode<F>,
    bench::MediaContent: Encode<F> + Decode<F>,
    bench::NumericStructList: Encode<F> + Decode<F>,
    bench::SampleList: Encode<F> + Decode<F>,
    bench::MediaContentList: Encode<F> + Decode<F>,
{
    let (model, _) = name(&path);
    let candidates = files(&golden().join("protobuf").join(&set));
    let truth = candidates.into_iter().find(|path| name(path).0 == model)?;
    let check = match model.as_str() {
        "NumericStruct" => check::<F, bench::NumericStruct>,
        "Sample" => check::<F, bench::Sample>,
        "MediaContent" => check::<F, bench::MediaContent>,
        "NumericStructList" => check::<F, bench::NumericStructList>,
        "SampleList" => check::<F, bench::SampleList>,
        "MediaContentList" => check::<F, bench::MediaContentList>,
        _ => return None,
    };
    let file = path.file_name()?.to_string_lossy().into_owned();
    let trial = Trial::test(format!("{format}/{set}/{file}"), move || {
        check(format, &set, &path, &truth)
    });
    Some(trial)
}

fn main() {
    let mut trials = Vec::new();
    for format in ["msgpack", "json", "flatbuffers"] {
        let sets = std::fs::read_dir(golden().join(format)).unwrap();
        for dir in sets.map(|entry| entry.unwrap().path()) {
            let set = dir.file_name().unwrap().to_string_lossy().into_owned();
            for path in files(&dir) {
                trials.extend(match format {
                    "msgpack" => trial::<MessagePack>(format, set.clone(), path),
                    "json" => trial::<Json>(format, set.clone(), path),
                    _ => trial::<FlatBuffers>(format, set.clone(), path),
                });
            }
        }
    }
    assert!(
        trials.len() > 90,
        "only {} golden files found",
        trials.len()
    );
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
