use crate::Path;

/// What a byte is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Marks of the whole stream: Fory's bitmap and root flags, FlatBuffers' root offset.
    Header,
    /// Describes types: TypeDefs, type ids, schema hashes, vtables, field names in maps.
    Metadata,
    /// Holds the parts together: tags, lengths, counts, null flags, offsets, padding.
    Framing,
    /// The values themselves.
    Payload,
}

impl Part {
    /// All parts in the order in which they are shown.
    pub const ALL: [Part; 4] = [Part::Header, Part::Metadata, Part::Framing, Part::Payload];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Metadata => "metadata",
            Self::Framing => "framing",
            Self::Payload => "payload",
        }
    }
}

/// A run of bytes with one meaning. The spans of one decode do not overlap, and on good input
/// cover every byte; they may come out of order of offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte; larger than `start`.
    pub end: usize,
    /// What the bytes are for.
    pub part: Part,
    /// The field they belong to; empty for the root.
    pub path: Path,
    /// Meaning in the format's own terms: "tag", "string header", "TypeDef hash".
    pub meaning: String,
    /// What they say, as text: "field 3, varint", "UTF-8, 5 bytes", "\"abc\"".
    pub value: String,
}

/// Receives spans while a decoder reads.
pub trait SpanSink {
    /// Called once for each run of bytes.
    fn span(&mut self, span: Span);
}

impl SpanSink for Vec<Span> {
    fn span(&mut self, span: Span) {
        self.push(span);
    }
}
