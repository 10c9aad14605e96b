//! Golden files with what their bytes mean, for the page.

use std::collections::BTreeSet;

use interop_codec::{Format, Part};
use interop_wire::Limits;
use serde_json::{Map, Value, json};

use crate::exit::Result;
use crate::explain::Trace;
use crate::golden::Store;
use crate::subject::Catalog;
use crate::value_diff::{hex, shorten};

/// Bytes shown of one file.
const MAX_FILE_BYTES: usize = 4096;
/// Size of all annotations, after which no more files are added.
const MAX_TOTAL_CHARS: usize = 3_000_000;

/// The annotated files, by path in the golden directory.
#[derive(Default)]
pub struct Annotated {
    /// `{format, bytes, shown, split, hex, spans: [[start, end, part, path, meaning, value]],
    /// error}` by path.
    pub files: Map<String, Value>,
    seen: BTreeSet<String>,
    catalog: Catalog,
    total_chars: usize,
}

impl Annotated {
    /// Adds a file, unless it is there, can't be read, or the page is full.
    ///
    /// # Errors
    /// Exit 2 when its schema is unusable.
    pub fn add(&mut self, store: &Store, path: &str) -> Result<()> {
        if self.total_chars >= MAX_TOTAL_CHARS || !self.seen.insert(path.to_owned()) {
            return Ok(());
        }
        let Some(file) = store.manifest.files.iter().find(|file| file.file == path) else {
            return Ok(());
        };
        // That it can't be read is a problem that the page names anyway.
        let Ok(bytes) = std::fs::read(store.path(path)) else {
            return Ok(());
        };
        let model = store.manifest.model_of(file)?;
        let subject = self.catalog.subject(store, model)?;
        let trace = Trace::of(&subject, file.format, &bytes, Limits::DEFAULT);
        let shown = bytes.len().min(MAX_FILE_BYTES);
        let spans: Vec<Value> = trace
            .spans
            .iter()
            .filter(|span| span.start < shown)
            .map(|span| {
                let part = Part::ALL.into_iter().position(|part| part == span.part);
                json!([
                    span.start,
                    span.end.min(shown),
                    part,
                    span.path.to_string(),
                    span.meaning,
                    shorten(&span.value),
                ])
            })
            .collect();
        let error = trace.result.as_ref().err().map(ToString::to_string);
        let value = json!({
            "format": file.format.name(),
            "writers": file.writers,
            "bytes": bytes.len(),
            "shown": shown,
            "split": trace.split(),
            "hex": hex(&bytes[..shown]).replace(' ', ""),
            "spans": spans,
            "error": error,
        });
        self.total_chars += value.to_string().len();
        self.files.insert(path.to_owned(), value);
        Ok(())
    }
}

/// The smallest struct in every format: an example to compare the formats by.
pub fn example_files(store: &Store) -> Vec<String> {
    let of = |format: Format| {
        let mut files = store.manifest.files.iter();
        files.find(|file| {
            file.format == format
                && file.corpus == "bench"
                && file.model == "NumericStruct"
                && file.set == "canonical"
        })
    };
    let files = Format::ALL.into_iter().filter_map(of);
    files.map(|file| file.file.clone()).collect()
}
