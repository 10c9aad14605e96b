//! The values that are measured, from `golden/`.

use std::path::{Path, PathBuf};

/// The models of `proto/bench.proto`.
const MODELS: [&str; 6] = [
    "NumericStruct",
    "Sample",
    "MediaContent",
    "NumericStructList",
    "SampleList",
    "MediaContentList",
];

/// The data types of `proto/suite.proto`.
const TYPES: [&str; 5] = [
    "SimpleStruct",
    "Person",
    "Company",
    "ECommerceData",
    "SystemData",
];

/// A value.
pub struct Case {
    /// Its type.
    pub model: &'static str,
    /// Set of values, or size.
    pub set: &'static str,
    /// It in protobuf.
    pub bytes: Vec<u8>,
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../golden")
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The canonical value of each model, as prost writes it.
///
/// # Errors
/// When a file is not there.
pub fn canonical() -> Result<Vec<Case>, String> {
    let dir = golden().join("protobuf/canonical");
    let listed = std::fs::read_dir(&dir).map_err(|error| error.to_string())?;
    let paths: Vec<PathBuf> = listed
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    let case = |model: &'static str| {
        let found = paths.iter().find(|path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let (name, writers) = stem.split_once('@').unwrap_or((&stem, "rust-prost"));
            name == model && writers.split('+').any(|writer| writer == "rust-prost")
        });
        let path = found.ok_or_else(|| format!("no golden file of {model}"))?;
        Ok(Case {
            model,
            set: "canonical",
            bytes: read(path)?,
        })
    };
    MODELS.into_iter().map(case).collect()
}

/// The data types in the sizes given: small, medium, large.
///
/// # Errors
/// When a file is not there.
pub fn suite(sizes: &[&'static str]) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for model in TYPES {
        for &set in sizes {
            let bytes = read(&golden().join(format!("suite/{model}-{set}.pb")))?;
            cases.push(Case { model, set, bytes });
        }
    }
    Ok(cases)
}
