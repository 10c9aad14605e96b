//! The page that `explain` prints, and its JSON.

use std::io::Write;

use interop_codec::{Format, Part, Span};
use serde_json::{Value, json};

use super::Trace;
use crate::exit::Result;
use crate::value_diff::{hex, shorten};

/// Bytes shown of a span before the rest is counted only.
const MAX_SHOWN_BYTES: usize = 16;

/// Prints the split, then every span.
///
/// # Errors
/// When the output can't be written.
pub fn print_human(
    out: &mut dyn Write,
    title: &str,
    format: Format,
    bytes: &[u8],
    trace: &Trace,
) -> Result<()> {
    writeln!(out, "{title}")?;
    writeln!(out, "{format}, {} bytes", bytes.len())?;
    let explained: usize = trace.split().iter().sum();
    for (part, count) in Part::ALL.into_iter().zip(trace.split()) {
        if count > 0 {
            let share = 100.0 * count as f64 / bytes.len().max(1) as f64;
            writeln!(out, "  {:<9} {count:>6}  {share:>5.1} %", part.name())?;
        }
    }
    if explained < bytes.len() {
        writeln!(out, "  {:<9} {:>6}", "unread", bytes.len() - explained)?;
    }
    writeln!(out)?;
    let rows: Vec<_> = trace
        .spans
        .iter()
        .map(|span| Row::of(span, bytes))
        .collect();
    let width = |cell: fn(&Row) -> &str, most: usize| {
        let widest = rows.iter().map(|row| cell(row).chars().count()).max();
        widest.unwrap_or(0).min(most)
    };
    let (bytes_width, path_width, meaning_width) = (
        width(|row| &row.bytes, 2 * MAX_SHOWN_BYTES + 8),
        width(|row| &row.path, 40),
        width(|row| &row.meaning, 28),
    );
    writeln!(
        out,
        "{:>6}  {:<9}  {:<bytes_width$}  {:<path_width$}  {:<meaning_width$}  value",
        "offset", "part", "bytes", "field", "meaning"
    )?;
    for row in &rows {
        let line = format!(
            "{:>6}  {:<9}  {:<bytes_width$}  {:<path_width$}  {:<meaning_width$}  {}",
            row.offset, row.part, row.bytes, row.path, row.meaning, row.value
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    if let Err(error) = &trace.result {
        writeln!(out, "\nbreaks {error}")?;
        if let Some(offset) = error.offset
            && offset < bytes.len()
        {
            let end = bytes.len().min(offset + MAX_SHOWN_BYTES);
            writeln!(out, "{offset:>6}  {}", show_bytes(&bytes[offset..end]))?;
        }
    }
    Ok(())
}

struct Row {
    offset: usize,
    part: &'static str,
    bytes: String,
    path: String,
    meaning: String,
    value: String,
}

impl Row {
    fn of(span: &Span, bytes: &[u8]) -> Self {
        Self {
            offset: span.start,
            part: span.part.name(),
            bytes: show_bytes(&bytes[span.start..span.end]),
            path: if span.path.is_root() {
                "-".to_owned()
            } else {
                span.path.to_string()
            },
            meaning: span.meaning.clone(),
            value: shorten(&span.value),
        }
    }
}

/// Hex of the first bytes, and how many follow.
pub fn show_bytes(bytes: &[u8]) -> String {
    if bytes.len() <= MAX_SHOWN_BYTES {
        return hex(bytes);
    }
    let more = bytes.len() - MAX_SHOWN_BYTES;
    format!("{}... +{more}", hex(&bytes[..MAX_SHOWN_BYTES]))
}

/// The same as JSON: `{subject, format, bytes, split, spans, error}`.
pub fn to_json(title: &str, format: Format, bytes: &[u8], trace: &Trace) -> Value {
    let split: serde_json::Map<_, _> = Part::ALL
        .into_iter()
        .zip(trace.split())
        .map(|(part, count)| (part.name().to_owned(), json!(count)))
        .collect();
    let spans: Vec<_> = trace
        .spans
        .iter()
        .map(|span| {
            json!({
                "offset": span.start,
                "end": span.end,
                "part": span.part.name(),
                "bytes": hex(&bytes[span.start..span.end]),
                "path": span.path.to_string(),
                "meaning": span.meaning,
                "value": span.value,
            })
        })
        .collect();
    let error = trace.result.as_ref().err().map(error_to_json);
    json!({
        "subject": title,
        "format": format.name(),
        "bytes": bytes.len(),
        "split": split,
        "spans": spans,
        "error": error,
    })
}

/// A codec error as `{offset, path, message}`.
pub fn error_to_json(error: &interop_codec::Error) -> Value {
    json!({
        "offset": error.offset,
        "path": error.path.to_string(),
        "message": error.kind.to_string(),
    })
}
