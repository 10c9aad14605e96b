use std::fmt;

/// Why no code can be generated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A message, field or enum that generated code can't express.
    Unsupported {
        /// Its full name.
        name: String,
        /// What about it.
        what: &'static str,
    },
    /// No message in the packages asked for.
    Empty,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { name, what } => {
                write!(
                    f,
                    "{name}: {what} have no generated form; use the dynamic engine"
                )
            }
            Self::Empty => f.write_str("no message in the packages asked for"),
        }
    }
}

impl std::error::Error for Error {}
