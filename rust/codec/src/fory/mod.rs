//! Apache Fory xlang.

use interop_schema::{MessageId, Schema};

use crate::{Choice, DecodeOptions, Document, Error, Path, Preset};

/// Which of Fory's two struct layouts a stream uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Schema evolution: structs carry a shared TypeDef.
    Compatible,
    /// Same schema on both sides: structs carry a four-byte schema hash.
    Consistent,
}

/// Choices of a writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialect {}

impl Dialect {
    /// The named choices.
    pub fn choices(&self) -> Vec<Choice> {
        Vec::new()
    }
}

/// The dialects of the real writers.
pub fn presets(_: Mode) -> Vec<Preset<Dialect>> {
    Vec::new()
}

/// Encodes a document.
///
/// # Errors
/// When a value has no form in this format.
pub fn encode(_: &Schema, _: &Document, _: Mode, _: &Dialect) -> Result<Vec<u8>, Error> {
    Err(Error::value(&Path::default(), "format not available"))
}

/// Decodes a document.
///
/// # Errors
/// With byte offset and field path.
pub fn decode(
    _: &Schema,
    _: MessageId,
    _: Mode,
    _: &[u8],
    _: DecodeOptions<'_>,
) -> Result<Document, Error> {
    Err(Error::value(&Path::default(), "format not available"))
}
