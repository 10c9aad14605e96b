use std::fmt;

/// A place in a schema source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// File name as it was given.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

/// Why a schema can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The source text is wrong at a known place.
    Source {
        /// Where.
        location: Location,
        /// What is wrong there.
        message: String,
    },
    /// The schema compiler refused the files; its report is kept as it stands.
    Compile(String),
    /// A serialized FileDescriptorSet is broken or says something contradictory.
    Descriptor(String),
    /// A name that the schema does not define.
    UnknownName {
        /// The name asked for.
        name: String,
        /// Names that the schema does define.
        known: Vec<String>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source { location, message } => write!(
                f,
                "{}:{}:{}: {message}",
                location.file, location.line, location.column
            ),
            Self::Compile(text) => f.write_str(text),
            Self::Descriptor(text) => write!(f, "descriptor set: {text}"),
            Self::UnknownName { name, known } => {
                write!(f, "no message named {name}; known: {}", known.join(", "))
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<interop_wire::Error> for Error {
    fn from(error: interop_wire::Error) -> Self {
        Self::Descriptor(error.to_string())
    }
}
