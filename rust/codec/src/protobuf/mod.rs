//! The protobuf format.

use interop_schema::{MessageId, Schema};

use crate::{Choice, DecodeOptions, DynamicMessage, Error, Path, Preset};

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
pub fn presets() -> Vec<Preset<Dialect>> {
    Vec::new()
}

/// Encodes a message.
///
/// # Errors
/// When a value has no form in this format.
pub fn encode(_: &Schema, _: &DynamicMessage, _: &Dialect) -> Result<Vec<u8>, Error> {
    Err(Error::value(&Path::default(), "format not available"))
}

/// Decodes a message.
///
/// # Errors
/// With byte offset and field path.
pub fn decode(
    _: &Schema,
    _: MessageId,
    _: &[u8],
    _: DecodeOptions<'_>,
) -> Result<DynamicMessage, Error> {
    Err(Error::value(&Path::default(), "format not available"))
}
