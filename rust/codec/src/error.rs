use std::fmt;

use crate::Path;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input bytes are wrong.
    Wire(interop_wire::ErrorKind),
    /// The bytes are well-formed, but don't fit the schema.
    Schema(String),
    /// A value can't be written in this format, or has no place in the schema.
    Value(String),
}

/// An error with its place: byte offset (decoding), field path, reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Offset from the start of the input, in bytes; `None` when encoding.
    pub offset: Option<usize>,
    /// Field path from the root message.
    pub path: Path,
    /// Reason.
    pub kind: ErrorKind,
}

impl Error {
    /// An error of encoding `path`: its value does not fit.
    pub fn value(path: &Path, text: impl Into<String>) -> Self {
        Self {
            offset: None,
            path: path.clone(),
            kind: ErrorKind::Value(text.into()),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(kind) => kind.fmt(f),
            Self::Schema(text) | Self::Value(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(offset) = self.offset {
            write!(f, "at byte {offset}")?;
        }
        if !self.path.is_root() {
            let lead = if self.offset.is_some() { ", " } else { "" };
            write!(f, "{lead}field {}", self.path)?;
        }
        if self.offset.is_some() || !self.path.is_root() {
            f.write_str(": ")?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for Error {}
