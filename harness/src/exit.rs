//! Exit codes, and the one error type of the program: a sentence, a hint, and the code to leave
//! with.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// Everything asked for holds.
pub const COMPATIBLE: u8 = 0;
/// A difference that is not known: other bytes, another value, a refusal, a changed golden file.
pub const DIFFERENT: u8 = 1;
/// The question could not be put: bad usage, a broken configuration, or an empty selection.
pub const USAGE: u8 = 2;
/// The harness itself failed; nothing was learnt about compatibility.
pub const HARNESS: u8 = 3;

/// The code that the process leaves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(pub u8);

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.0)
    }
}

/// Why a command ended without an answer.
#[derive(Debug)]
pub struct Failure {
    /// The exit code: [`DIFFERENT`], [`USAGE`] or [`HARNESS`].
    pub code: u8,
    /// What is wrong, in a sentence.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Set when the reader of our output has gone away, which is no failure of ours.
    pipe_closed: bool,
}

/// The result of everything that can end the program.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    fn new(code: u8, text: impl Into<String>) -> Self {
        Self {
            code,
            text: text.into(),
            hint: None,
            pipe_closed: false,
        }
    }

    /// Input that was refused: exit 1.
    pub fn refused(text: impl Into<String>) -> Self {
        Self::new(DIFFERENT, text)
    }

    /// Bad usage or configuration: exit 2.
    pub fn usage(text: impl Into<String>) -> Self {
        Self::new(USAGE, text)
    }

    /// The harness failed: exit 3.
    pub fn harness(text: impl Into<String>) -> Self {
        Self::new(HARNESS, text)
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Writing to standard output is the only I/O whose errors come without a path.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let pipe_closed = error.kind() == io::ErrorKind::BrokenPipe;
        Self {
            pipe_closed,
            ..Self::harness(format!("cannot write the output: {error}"))
        }
    }
}

/// Turns a command's outcome into the code to leave with; says on stderr what failed.
pub fn report(outcome: Result<u8>) -> Exit {
    match outcome {
        Ok(code) => Exit(code),
        Err(failure) if failure.pipe_closed => Exit(COMPATIBLE),
        Err(failure) => {
            eprintln!("error: {failure}");
            Exit(failure.code)
        }
    }
}
