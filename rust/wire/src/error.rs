use std::fmt;

/// What is wrong with the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends before what is read there is complete; `needed` bytes were asked for.
    Truncated {
        /// Bytes asked for.
        needed: usize,
        /// Bytes left.
        remaining: usize,
    },
    /// A varint goes on past its longest form, or carries bits above its width.
    VarintOverflow,
    /// A declared length or count is larger than what is left of the input.
    LengthExceedsInput {
        /// The declared length in bytes, or count of elements of at least one byte.
        declared: u64,
        /// Bytes left.
        remaining: usize,
    },
    /// Text that is not valid UTF-8, at `valid_bytes` bytes into the text.
    InvalidUtf8 {
        /// Length of the longest valid prefix in bytes.
        valid_bytes: usize,
    },
    /// Bytes are left after the value is complete.
    TrailingBytes {
        /// Number of bytes left.
        count: usize,
    },
    /// Nesting deeper than [`crate::Limits::depth`].
    DepthLimit {
        /// The limit in force.
        limit: u32,
    },
    /// The input is larger than [`crate::Limits::message_bytes`].
    SizeLimit {
        /// The limit in force, in bytes.
        limit: usize,
    },
    /// Decoded values would take more memory than [`crate::Limits::expansion_bytes`] allows.
    ExpansionLimit {
        /// The limit in force, in bytes.
        limit: usize,
    },
    /// Anything a format forbids; the text says what was found and what is allowed.
    Malformed(String),
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, remaining } => {
                write!(f, "input ends: {needed} bytes needed, {remaining} left")
            }
            Self::VarintOverflow => f.write_str("varint is longer than its type allows"),
            Self::LengthExceedsInput {
                declared,
                remaining,
            } => write!(
                f,
                "declared length {declared} exceeds the {remaining} bytes left"
            ),
            Self::InvalidUtf8 { valid_bytes } => {
                write!(f, "text is not valid UTF-8 after {valid_bytes} bytes")
            }
            Self::TrailingBytes { count } => write!(f, "{count} bytes left after the value"),
            Self::DepthLimit { limit } => {
                write!(
                    f,
                    "nesting exceeds the depth limit of {limit} (raise `depth`)"
                )
            }
            Self::SizeLimit { limit } => {
                write!(
                    f,
                    "input exceeds the size limit of {limit} bytes (raise `message_bytes`)"
                )
            }
            Self::ExpansionLimit { limit } => write!(
                f,
                "decoded values exceed the memory limit of {limit} bytes beyond the input's size (raise `expansion_bytes`)"
            ),
            Self::Malformed(text) => f.write_str(text),
        }
    }
}

/// An error at a byte offset from the start of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Offset from the start of the whole input, in bytes.
    pub offset: usize,
    /// What is wrong there.
    pub kind: ErrorKind,
}

impl Error {
    /// An error of `kind` at `offset`.
    pub fn new(offset: usize, kind: ErrorKind) -> Self {
        Self { offset, kind }
    }

    /// A [`ErrorKind::Malformed`] error at `offset`.
    pub fn malformed(offset: usize, text: impl Into<String>) -> Self {
        Self::new(offset, ErrorKind::Malformed(text.into()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.kind)
    }
}

impl std::error::Error for Error {}
