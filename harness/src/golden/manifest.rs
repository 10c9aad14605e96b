//! MANIFEST: JSON, one entry a line so that its diffs can be read.

use std::fmt::Write as _;

use interop_codec::Format;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::exit::{self, Failure};

/// The name under which our own codec is a writer.
pub const OWN_WRITER: &str = "interop";

/// All of MANIFEST.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this file's layout: 1.
    pub version: u32,
    /// What each model is called in which schema.
    pub models: Vec<Model>,
    /// Who wrote the files.
    pub implementations: Vec<Implementation>,
    /// The files that implementations wrote.
    pub files: Vec<File>,
    /// Values, schemas, vectors and recorded tables.
    pub data: Vec<DataFile>,
}

/// A model of a corpus and the message that it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// A family of files with one set of schemas: bench, suite, v2, types.
    pub corpus: String,
    /// The name in file names.
    pub model: String,
    /// The `.proto` file: one that is built in, or a path inside the golden directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<String>,
    /// The `.fdl` file, a path inside the golden directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fdl: Option<String>,
    /// Full name of the message.
    pub message: String,
    /// False where Fory identifies fields by name although the schema numbers them.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub field_ids: bool,
    /// The corpus that has the other version of this model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evolves: Option<String>,
}

/// A library in the role of a writer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implementation {
    /// The corpus that it wrote.
    pub corpus: String,
    /// The format that it wrote.
    #[serde(with = "format_name")]
    pub format: Format,
    /// Its name in file names.
    pub writer: String,
    /// Library, version, and settings that differ from the library's defaults.
    pub library: String,
    /// The machine it ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The day it ran, as YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// The command that wrote the files, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The dialect that reproduces it, where it is not called like the writer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
}

impl Implementation {
    /// Name of the dialect that reproduces this writer.
    pub fn dialect_name(&self) -> &str {
        self.dialect.as_deref().unwrap_or(&self.writer)
    }
}

/// A file that one or several implementations wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Path inside the golden directory, with `/`.
    pub file: String,
    /// Corpus.
    pub corpus: String,
    /// Format.
    #[serde(with = "format_name")]
    pub format: Format,
    /// Value set.
    pub set: String,
    /// Model.
    pub model: String,
    /// Everyone who wrote these bytes.
    pub writers: Vec<String>,
    /// The file of the value.
    pub values: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Hash, lower-case hex.
    pub sha256: String,
}

impl File {
    /// Path without writers and extension: what a cell's name starts with.
    pub fn case(&self) -> &str {
        let stem = self.file.strip_suffix(".bin").unwrap_or(&self.file);
        stem.split_once('@').map_or(stem, |(case, _)| case)
    }
}

/// A file that no implementation wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataFile {
    /// Path inside the golden directory, with `/`.
    pub file: String,
    /// What it holds.
    pub kind: DataKind,
    /// Length in bytes.
    pub bytes: u64,
    /// Hash, lower-case hex.
    pub sha256: String,
}

/// What a data file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataKind {
    /// A published throughput table.
    Recorded,
    /// A schema.
    Schema,
    /// The value of a case.
    Values,
    /// Test vectors.
    Vectors,
}

impl Manifest {
    /// Parses MANIFEST's text.
    ///
    /// # Errors
    /// A sentence with line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if manifest.version != 1 {
            return Err(format!(
                "layout version {}, this program reads version 1",
                manifest.version
            ));
        }
        Ok(manifest)
    }

    /// The text of MANIFEST.
    pub fn print(&self) -> String {
        fn list<T: Serialize>(out: &mut String, name: &str, entries: &[T]) {
            let lines: Vec<_> = entries
                .iter()
                .map(|entry| serde_json::to_string(entry).expect("plain data serializes"))
                .collect();
            // Writing to a String does not fail.
            let _ = write!(out, ",\n\"{name}\":[\n{}\n]", lines.join(",\n"));
        }
        let mut out = format!("{{\"version\":{}", self.version);
        list(&mut out, "models", &self.models);
        list(&mut out, "implementations", &self.implementations);
        list(&mut out, "files", &self.files);
        list(&mut out, "data", &self.data);
        out.push_str("\n}\n");
        out
    }

    /// The implementation that wrote `file` under the name `writer`.
    pub fn implementation(&self, file: &File, writer: &str) -> Option<&Implementation> {
        self.implementations.iter().find(|implementation| {
            implementation.corpus == file.corpus
                && implementation.format == file.format
                && implementation.writer == writer
        })
    }

    /// The model called `model` in `corpus`.
    pub fn model(&self, corpus: &str, model: &str) -> Option<&Model> {
        self.models
            .iter()
            .find(|entry| entry.corpus == corpus && entry.model == model)
    }

    /// The model that `file` is of.
    ///
    /// # Errors
    /// Exit 2 when it is not listed.
    pub fn model_of(&self, file: &File) -> exit::Result<&Model> {
        self.model(&file.corpus, &file.model).ok_or_else(|| {
            Failure::usage(format!(
                "MANIFEST lists no model {} in {}",
                file.model, file.corpus
            ))
        })
    }

    /// Lists a file, in place of one of the same name or among those of its kind, which stand in
    /// the order of set, model and name.
    pub fn insert(&mut self, entry: File) {
        let same = |file: &&mut File| file.file == entry.file;
        if let Some(file) = self.files.iter_mut().find(same) {
            *file = entry;
            return;
        }
        let kind = |file: &File| file.corpus == entry.corpus && file.format == entry.format;
        let behind = |file: &File| {
            kind(file)
                && (&file.set, &file.model, &file.file) > (&entry.set, &entry.model, &entry.file)
        };
        let place = self.files.iter().position(behind);
        let place = place
            .or_else(|| self.files.iter().rposition(kind).map(|last| last + 1))
            .unwrap_or(self.files.len());
        self.files.insert(place, entry);
    }

    /// Lists an implementation, in place of what was said of the same one.
    pub fn provide(&mut self, entry: Implementation) {
        let same = |known: &&mut Implementation| {
            known.corpus == entry.corpus
                && known.format == entry.format
                && known.writer == entry.writer
        };
        match self.implementations.iter_mut().find(same) {
            Some(known) => *known = entry,
            None => self.implementations.push(entry),
        }
    }

    /// Every path listed, with length and hash.
    pub fn listed(&self) -> impl Iterator<Item = (&str, u64, &str)> {
        let files = self.files.iter();
        let files = files.map(|file| (file.file.as_str(), file.bytes, file.sha256.as_str()));
        let data = self.data.iter();
        files.chain(data.map(|file| (file.file.as_str(), file.bytes, file.sha256.as_str())))
    }
}

/// SHA-256 as lower-case hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn yes() -> bool {
    true
}

// serde asks for a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_yes(value: &bool) -> bool {
    *value
}

mod format_name {
    use super::{Deserialize, Deserializer, Format, Serializer};

    // serde asks for a reference.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn serialize<S: Serializer>(format: &Format, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(format.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"version":1,
"models":[
{"corpus":"bench","model":"M","proto":"bench.proto","message":"p.M"},
{"corpus":"types","model":"N","fdl":"types/n.fdl","message":"n.M","field_ids":false}
],
"implementations":[
{"corpus":"bench","format":"fory","writer":"cpp","library":"L 1","host":"h","made":"2026-11-30","dialect":"x"}
],
"files":[
{"file":"fory/s/M@cpp+go.bin","corpus":"bench","format":"fory","set":"s","model":"M","writers":["cpp","go"],"values":"values/s/M.json","bytes":1,"sha256":"aa"}
],
"data":[
{"file":"values/s/M.json","kind":"values","bytes":2,"sha256":"bb"}
]
}
"#;

    #[test]
    fn prints_what_it_parsed() {
        let manifest = Manifest::parse(TEXT).unwrap();
        assert_eq!(manifest.print(), TEXT);
        assert_eq!(manifest.files[0].case(), "fory/s/M");
        assert!(!manifest.models[1].field_ids);
        let by = manifest.implementation(&manifest.files[0], "cpp").unwrap();
        assert_eq!(by.dialect_name(), "x");
    }

    #[test]
    fn another_layout_is_refused() {
        let text = TEXT.replace("\"version\":1", "\"version\":2");
        assert!(Manifest::parse(&text).unwrap_err().contains("version 2"));
        let text = TEXT.replace("\"bytes\"", "\"size\"");
        assert!(Manifest::parse(&text).unwrap_err().contains("size"));
    }
}
