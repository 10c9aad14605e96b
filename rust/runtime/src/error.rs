use std::fmt;

use interop_wire::ErrorKind;

/// A step from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field by name.
    Field(&'static str),
    /// An element by position.
    Index(usize),
    /// A map entry by its position on the wire.
    Entry(usize),
}

/// An error of decoding: byte offset, field path, reason. One word wide, so that a result in a
/// register says whether all is well.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    offset: usize,
    /// Innermost step first.
    steps: Vec<Step>,
    kind: ErrorKind,
}

impl Error {
    /// An error of `kind` at `offset`, in bytes from the start of the input.
    #[cold]
    #[inline(never)]
    pub fn new(offset: usize, kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            offset,
            steps: Vec::new(),
            kind,
        }))
    }

    /// An error that `text` describes.
    #[cold]
    #[inline(never)]
    pub fn malformed(offset: usize, text: impl Into<String>) -> Self {
        Self::new(offset, ErrorKind::Malformed(text.into()))
    }

    /// Where, in bytes from the start of the input.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// What is wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Steps from the root to the field.
    pub fn path(&self) -> impl Iterator<Item = &Step> {
        self.0.steps.iter().rev()
    }

    /// The same error, seen from one step further out.
    #[cold]
    #[inline(never)]
    pub fn inside(mut self, step: Step) -> Self {
        self.0.steps.push(step);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}", self.0.offset)?;
        for (i, step) in self.path().enumerate() {
            match step {
                Step::Field(name) if i == 0 => write!(f, ", field {name}")?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Index(index) | Step::Entry(index) => write!(f, "[{index}]")?,
            }
        }
        write!(f, ": {}", self.0.kind)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// Adds the field's name to an error on its way out.
pub trait FieldError: Sized {
    /// The error's path starts with `name`.
    fn at(self, name: &'static str) -> Self;
}

impl<T> FieldError for Result<T, Error> {
    #[inline(always)]
    fn at(self, name: &'static str) -> Self {
        self.map_err(|error| error.inside(Step::Field(name)))
    }
}
