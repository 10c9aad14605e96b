//! Every golden file that has a generated model: read in each format, written again where its
//! writers' dialect is one that the compiled engine has.

use std::path::{Path, PathBuf};

use interop_models::{Codec, Decode, Encode, Fory, ForyConsistent, Protobuf, dialect};
use interop_models::{protobuf as bench, suite};
use libtest_mimic::{Arguments, Failed, Trial};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden")
}

/// Writers of a file: those behind `@`, none where all agree.
fn writers(path: &Path) -> (String, Vec<String>) {
    let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
    match stem.split_once('@') {
        Some((model, writers)) => (
            model.to_owned(),
            writers.split('+').map(str::to_owned).collect(),
        ),
        None => (stem, Vec::new()),
    }
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

trait Model:
    Codec
    + std::fmt::Debug
    + Clone
    + PartialEq
    + Default
    + Encode<Protobuf>
    + Decode<Protobuf>
    + Encode<Fory<dialect::Rust>>
    + Decode<Fory<dialect::Rust>>
    + Encode<Fory<dialect::Java>>
    + Encode<Fory<dialect::Python>>
    + Encode<Fory<dialect::JavaScript>>
    + Encode<ForyConsistent<dialect::Rust>>
    + Decode<ForyConsistent<dialect::Rust>>
    + Encode<ForyConsistent<dialect::Java>>
    + Encode<ForyConsistent<dialect::Python>>
    + Encode<ForyConsistent<dialect::JavaScript>>
{
}

impl<T> Model for T where
    T: Codec
        + std::fmt::Debug
        + Clone
        + PartialEq
        + Default
        + Encode<Protobuf>
        + Decode<Protobuf>
        + Encode<Fory<dialect::Rust>>
        + Decode<Fory<dialect::Rust>>
        + Encode<Fory<dialect::Java>>
        + Encode<Fory<dialect::Python>>
        + Encode<Fory<dialect::JavaScript>>
        + Encode<ForyConsistent<dialect::Rust>>
        + Decode<ForyConsistent<dialect::Rust>>
        + Encode<ForyConsistent<dialect::Java>>
        + Encode<ForyConsistent<dialect::Python>>
        + Encode<ForyConsistent<dialect::JavaScript>>
{
}

fn same(label: &str, ours: &[u8], theirs: &[u8]) -> Result<(), Failed> {
    if ours == theirs {
        return Ok(());
    }
    let at = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
    Err(format!(
        "{label}: {} bytes written, {} expected, different from byte {at}: {:02x?} and {:02x?}",
        ours.len(),
        theirs.len(),
        &ours[at..ours.len().min(at + 8)],
        &theirs[at..theirs.len().min(at + 8)],
    )
    .into())
}

fn wrote(writers: &[String], name: &str) -> bool {
    writers.is_empty() || writers.iter().any(|writer| writer == name)
}

/// Writers of other schema hashes than ours: none at all, or of other nullability.
const REFUSED: &[&str] = &["cpp-default", "go-implicit-nullable"];

fn wrote_only(writers: &[String], names: &[&str]) -> bool {
    !writers.is_empty()
        && writers
            .iter()
            .all(|writer| names.contains(&writer.as_str()))
}

/// Reads `bytes` into a fresh and into a used message, and cut off at every byte.
fn read<F, M: Model + Decode<F>>(bytes: &[u8], truth: &M) -> Result<M, Failed> {
    let value = M::decode::<F>(bytes).map_err(|error| error.to_string())?;
    if value != *truth {
        return Err(format!("read {value:?}, wanted {truth:?}").into());
    }
    let mut used = truth.clone();
    used.decode_into::<F>(bytes)
        .map_err(|error| error.to_string())?;
    if used != *truth {
        return Err("a used message read another value".into());
    }
    let step = (bytes.len() / 300).max(1);
    for cut in (0..bytes.len()).step_by(step) {
        if let Ok(value) = M::decode::<F>(&bytes[..cut])
            && std::any::type_name::<F>() != std::any::type_name::<Protobuf>()
        {
            return Err(format!("cut to {cut} bytes, read {value:?}").into());
        }
    }
    for at in (0..bytes.len()).step_by(step) {
        for flip in [0x01, 0x80, 0xff] {
            let mut broken = bytes.to_vec();
            broken[at] ^= flip;
            let _ = M::decode::<F>(&broken);
        }
    }
    Ok(value)
}

fn check<M: Model>(format: &str, path: &Path, truth: &[u8]) -> Result<(), Failed> {
    let truth = M::decode::<Protobuf>(truth).map_err(|error| error.to_string())?;
    let bytes = std::fs::read(path)?;
    let (name, writers) = writers(path);
    if !(format == "fory-consistent" && wrote_only(&writers, REFUSED)) {
        let agreed = M::decode::<Protobuf>(&dynamic(format, &name, &bytes)?);
        if agreed.map_err(|error| error.to_string())? != truth {
            return Err("the dynamic engine reads another value".into());
        }
    }
    match format {
        "protobuf" => {
            // Maps are written in the order in which this file has them.
            let truth = read::<Protobuf, M>(&bytes, &truth)?;
            if wrote(&writers, "rust-prost") {
                same("rust", &truth.encode_to_vec::<Protobuf>(), &bytes)?;
                assert_eq!(truth.encoded_len::<Protobuf>(), bytes.len());
            }
        }
        "fory" => {
            // Maps are written in the order in which this file has them.
            let truth = read::<Fory, M>(&bytes, &truth)?;
            if wrote(&writers, "rust") {
                same("rust", &truth.encode_to_vec::<Fory>(), &bytes)?;
                assert_eq!(truth.encoded_len::<Fory>(), bytes.len());
            }
            if wrote(&writers, "java") && !java_scan_matters(path) {
                same(
                    "java",
                    &truth.encode_to_vec::<Fory<dialect::Java>>(),
                    &bytes,
                )?;
            }
            if wrote(&writers, "python") {
                same(
                    "python",
                    &truth.encode_to_vec::<Fory<dialect::Python>>(),
                    &bytes,
                )?;
            }
            if wrote(&writers, "javascript") {
                let ours = truth.encode_to_vec::<Fory<dialect::JavaScript>>();
                same("javascript", &ours, &bytes)?;
            }
        }
        _ => {
            if wrote_only(&writers, REFUSED) {
                let read = M::decode::<ForyConsistent>(&bytes);
                return read
                    .err()
                    .map(drop)
                    .ok_or_else(|| "a file with a wrong hash was read".into());
            }
            let truth = read::<ForyConsistent, M>(&bytes, &truth)?;
            if wrote(&writers, "rust") {
                same("rust", &truth.encode_to_vec::<ForyConsistent>(), &bytes)?;
            }
            if wrote(&writers, "java") && !java_scan_matters(path) {
                same(
                    "java",
                    &truth.encode_to_vec::<ForyConsistent<dialect::Java>>(),
                    &bytes,
                )?;
            }
            if wrote(&writers, "python") {
                same(
                    "python",
                    &truth.encode_to_vec::<ForyConsistent<dialect::Python>>(),
                    &bytes,
                )?;
            }
            if wrote(&writers, "javascript") {
                let ours = truth.encode_to_vec::<ForyConsistent<dialect::JavaScript>>();
                same("javascript", &ours, &bytes)?;
            }
        }
    }
    Ok(())
}

/// Java's scan of long strings mixes chars and bytes; the unicode set has such strings.
fn java_scan_matters(path: &Path) -> bool {
    path.to_string_lossy().contains("unicode")
}

fn trial(format: &'static str, path: PathBuf, truth: PathBuf) -> Option<Trial> {
    let (model, _) = writers(&path);
    let set = path.parent()?.file_name()?.to_string_lossy().into_owned();
    let file = path.file_name()?.to_string_lossy().into_owned();
    let check = match model.as_str() {
        "NumericStruct" => check::<bench::NumericStruct>,
        "FixedNumericStruct" => check::<bench::FixedNumericStruct>,
        "Sample" => check::<bench::Sample>,
        "MediaContent" => check::<bench::MediaContent>,
        "NumericStructList" => check::<bench::NumericStructList>,
        "SampleList" => check::<bench::SampleList>,
        "MediaContentList" => check::<bench::MediaContentList>,
        "SimpleStruct" => check::<suite::SimpleStruct>,
        "Person" => check::<suite::Person>,
        "Company" => check::<suite::Company>,
        "ECommerceData" => check::<suite::ECommerceData>,
        "SystemData" => check::<suite::SystemData>,
        _ => return None,
    };
    Some(Trial::test(format!("{format}/{set}/{file}"), move || {
        check(format, &path, &std::fs::read(&truth)?)
    }))
}

/// What the dynamic engine reads, written by it as protobuf.
fn dynamic(format: &str, name: &str, bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    let schema = schema();
    let package = match name {
        "SimpleStruct" | "Person" | "Company" | "ECommerceData" | "SystemData" => "suite",
        _ => "protobuf",
    };
    let id = schema
        .message_by_name(&format!("{package}.{name}"))
        .map_err(|e| e.to_string())?;
    let format: interop_codec::Format = format.parse().map_err(Failed::from)?;
    let read = interop_codec::decode(schema, id, format, bytes, Default::default());
    let document = read.map_err(|error| error.to_string())?;
    let protobuf = interop_codec::Format::Protobuf;
    let dialect = interop_codec::Dialect::default_of(protobuf);
    let written = interop_codec::encode(schema, &document, protobuf, &dialect);
    written.map_err(|error| error.to_string().into())
}

fn schema() -> &'static interop_schema::Schema {
    static SCHEMA: std::sync::OnceLock<interop_schema::Schema> = std::sync::OnceLock::new();
    SCHEMA.get_or_init(|| {
        let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
        let files = [proto.join("bench.proto"), proto.join("suite.proto")];
        interop_schema::proto::compile_files(&files, &[proto]).unwrap()
    })
}

/// The protobuf file with the value of a case.
fn truth(set: &str, model: &str) -> Option<PathBuf> {
    if matches!(set, "small" | "medium" | "large") {
        return Some(golden().join(format!("suite/{model}-{set}.pb")));
    }
    let found = files(&golden().join("protobuf").join(set));
    found.into_iter().find(|path| {
        let (name, writers) = writers(path);
        name == model && wrote(&writers, "rust-prost")
    })
}

fn main() {
    let mut trials = Vec::new();
    for format in ["protobuf", "fory", "fory-consistent"] {
        let sets = std::fs::read_dir(golden().join(format)).unwrap();
        for set in sets.map(|entry| entry.unwrap().path()) {
            let name = set.file_name().unwrap().to_string_lossy().into_owned();
            for path in files(&set) {
                let Some(truth) = truth(&name, &writers(&path).0) else {
                    continue;
                };
                trials.extend(trial(format, path, truth));
            }
        }
    }
    assert!(
        trials.len() > 150,
        "only {} golden files found",
        trials.len()
    );
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
