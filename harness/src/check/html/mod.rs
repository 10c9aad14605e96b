//! The check's result as one HTML page that needs nothing beside it: what every writer and
//! reader did with every case, why, and the bytes in question.
//!
//! The page holds its data as JSON ([`data`]) and draws it itself. Cells that passed are a
//! letter each; only those that deviate carry words, and only files in question their bytes
//! ([`annotated`]).

mod annotated;
mod data;

use std::path::Path;

use super::digest::summary;
use super::judge::Report;
use crate::exit::{Failure, Result};
use crate::golden::Store;
use crate::values::write_atomically;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Writes `index.html` into the directory, which is made where it is missing.
///
/// # Errors
/// Exit 2 when it can't be written, or a golden file in question can't be read.
pub fn write(directory: &Path, report: &Report, store: &Store) -> Result<()> {
    let page = page(report, store)?;
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::usage(format!("{}: {error}", directory.display())))?;
    write_atomically(&directory.join("index.html"), page.as_bytes())
}

/// The page's text.
///
/// # Errors
/// Exit 2 when a golden file in question has no readable schema.
pub fn page(report: &Report, store: &Store) -> Result<String> {
    let data = data::of(report, store)?;
    // Inside a script element only its end tag and comment openings mean anything.
    let data = data.to_string().replace('<', "\\u003c");
    let conclusion = report.conclusion().name();
    let summary = escape(&summary(report));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>interop-check: {conclusion}</title>\n<style>\n{STYLE}</style></head>\n\
         <body class=\"{conclusion}\">\n\
         <header><h1>interop-check <span class=\"conclusion\">{conclusion}</span></h1>\n\
         <p>{summary}; {} ms; version {}</p></header>\n\
         <noscript><p>The tables need JavaScript.</p></noscript>\n\
         <main id=\"main\"></main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>\n{SCRIPT}</script>\n</body></html>\n",
        report.elapsed_ms,
        env!("CARGO_PKG_VERSION"),
    ))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
