//! Why bytes are what they are: every byte of an encoding with its field, meaning and value,
//! and two encodings side by side.
//!
//! The decoder itself reports the spans; nothing here parses a format.

mod cause;
mod decide;
mod diff;
pub mod page;

pub use cause::Cause;
pub use diff::{Comparison, Difference, Side, compare};

use interop_codec::{DecodeOptions, Document, Error, Format, Part, Span};
use interop_wire::Limits;

use crate::subject::Subject;

/// What the decoder said of an input: spans in order of offset, up to the end or the error.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Spans in order of offset. On good input they cover every byte exactly once.
    pub spans: Vec<Span>,
    /// The value, or why there is none.
    pub result: Result<Document, Error>,
    /// Length of the input in bytes.
    pub input_bytes: usize,
}

impl Trace {
    /// Decodes `bytes` and keeps what the decoder says of them.
    pub fn of(subject: &Subject, format: Format, bytes: &[u8], limits: Limits) -> Self {
        let mut spans: Vec<Span> = Vec::new();
        let options = DecodeOptions {
            limits,
            sink: Some(&mut spans),
        };
        let result = interop_codec::decode(&subject.schema, subject.id, format, bytes, options);
        // A decoder that jumps (FlatBuffers) reports out of order.
        spans.sort_by_key(|span| (span.start, span.end));
        Self {
            spans,
            result,
            input_bytes: bytes.len(),
        }
    }

    /// Bytes of each part, in the order of [`Part::ALL`].
    pub fn split(&self) -> [usize; 4] {
        Part::ALL.map(|part| {
            let spans = self.spans.iter().filter(|span| span.part == part);
            spans.map(|span| span.end - span.start).sum()
        })
    }

    /// Ranges that no span covers, and ranges that two spans cover; both empty on good input.
    pub fn coverage_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut covered = 0;
        for span in &self.spans {
            if span.start > covered {
                faults.push(format!("bytes {covered}..{} unexplained", span.start));
            }
            if span.start < covered {
                let end = span.end.min(covered);
                faults.push(format!("bytes {}..{end} explained twice", span.start));
            }
            covered = covered.max(span.end);
        }
        if self.result.is_ok() && covered < self.input_bytes {
            faults.push(format!("bytes {covered}..{} unexplained", self.input_bytes));
        }
        faults
    }

    /// The first byte that belongs to the field at `path`.
    pub fn offset_of(&self, path: &interop_codec::Path) -> Option<usize> {
        // The value's own bytes say more than the tag or length in front of it.
        let own = |part: Option<Part>| {
            self.spans
                .iter()
                .filter(|span| part.is_none_or(|part| span.part == part))
                .find(|span| span.path.segments.starts_with(&path.segments))
                .map(|span| span.start)
        };
        own(Some(Part::Payload)).or_else(|| own(None))
    }
}
