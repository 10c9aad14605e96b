use interop_wire::{Error as WireError, ErrorKind as WireKind, Limits, Reader};

use crate::{Error, ErrorKind, Part, Path, Segment, Span, SpanSink, Value};

/// How to decode.
#[derive(Default)]
pub struct DecodeOptions<'k> {
    /// Bounds on depth, size and memory.
    pub limits: Limits,
    /// Receives a span for every byte read.
    pub sink: Option<&'k mut dyn SpanSink>,
}

impl<'k> DecodeOptions<'k> {
    /// Default limits, spans to `sink`.
    pub fn traced(sink: &'k mut dyn SpanSink) -> Self {
        Self {
            limits: Limits::DEFAULT,
            sink: Some(sink),
        }
    }
}

/// What all decoders share: the path to the value being read, the limits with what is used up
/// of them, and the sink for spans.
pub struct Cursor<'k> {
    path: Path,
    limits: Limits,
    depth: u32,
    expansion_left: usize,
    sink: Option<&'k mut dyn SpanSink>,
}

impl<'k> Cursor<'k> {
    /// A cursor at the root of an input of `input_len` bytes.
    ///
    /// # Errors
    /// When the input is larger than the limit.
    pub fn new(options: DecodeOptions<'k>, input_len: usize) -> Result<Self, Error> {
        let limits = options.limits;
        let cursor = Self {
            path: Path::default(),
            limits,
            depth: 0,
            expansion_left: limits
                .expansion_bytes
                .saturating_add(input_len.saturating_mul(4)),
            sink: options.sink,
        };
        if input_len > limits.message_bytes {
            let limit = limits.message_bytes;
            return Err(cursor.wire(WireError::new(0, WireKind::SizeLimit { limit })));
        }
        Ok(cursor)
    }

    /// The path to the value being read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Places a wire error at the current path.
    pub fn wire(&self, error: WireError) -> Error {
        Error {
            offset: Some(error.offset),
            path: self.path.clone(),
            kind: ErrorKind::Wire(error.kind),
        }
    }

    /// A malformed-input error at `offset` and the current path.
    pub fn malformed(&self, offset: usize, text: impl Into<String>) -> Error {
        self.wire(WireError::malformed(offset, text))
    }

    /// An error for bytes that are well-formed but don't fit the schema.
    pub fn mismatch(&self, offset: usize, text: impl Into<String>) -> Error {
        Error {
            offset: Some(offset),
            path: self.path.clone(),
            kind: ErrorKind::Schema(text.into()),
        }
    }

    /// Runs `inner` one path segment further in.
    ///
    /// # Errors
    /// Those of `inner`.
    pub fn at<T>(
        &mut self,
        segment: impl FnOnce() -> Segment,
        inner: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.path.segments.push(segment());
        let result = inner(self);
        self.path.segments.pop();
        result
    }

    /// Runs `inner` one nesting level deeper, which `offset` opens.
    ///
    /// # Errors
    /// Past the depth limit; else those of `inner`.
    pub fn nested<T>(
        &mut self,
        offset: usize,
        inner: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let limit = self.limits.depth;
        if self.depth >= limit {
            return Err(self.wire(WireError::new(offset, WireKind::DepthLimit { limit })));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Charges `count` values of `size` bytes each against the memory limit, before they are
    /// made.
    ///
    /// # Errors
    /// When the limit would be exceeded.
    pub fn charge(&mut self, offset: usize, count: usize, size: usize) -> Result<(), Error> {
        match self.expansion_left.checked_sub(count.saturating_mul(size)) {
            Some(left) => {
                self.expansion_left = left;
                Ok(())
            }
            None => {
                let limit = self.limits.expansion_bytes;
                Err(self.wire(WireError::new(offset, WireKind::ExpansionLimit { limit })))
            }
        }
    }

    /// Charges for `count` values; see [`Cursor::charge`].
    ///
    /// # Errors
    /// When the limit would be exceeded.
    pub fn charge_values(&mut self, offset: usize, count: usize) -> Result<(), Error> {
        self.charge(offset, count, size_of::<Value>())
    }

    /// Refuses a count of elements that take at least `min_bytes` each but exceed what is left.
    ///
    /// # Errors
    /// [`WireKind::LengthExceedsInput`].
    pub fn check_count(
        &self,
        reader: &Reader<'_>,
        offset: usize,
        count: u64,
        min_bytes: usize,
    ) -> Result<(), Error> {
        if count.saturating_mul(min_bytes as u64) > reader.remaining() as u64 {
            let kind = WireKind::LengthExceedsInput {
                declared: count,
                remaining: reader.remaining(),
            };
            return Err(self.wire(WireError::new(offset, kind)));
        }
        Ok(())
    }

    /// True when spans are wanted; guards work that only they need.
    pub fn traces(&self) -> bool {
        self.sink.is_some()
    }

    /// Reports the bytes from `start` to `end`, if there are any and spans are wanted.
    pub fn span(
        &mut self,
        start: usize,
        end: usize,
        part: Part,
        meaning: &str,
        value: impl FnOnce() -> String,
    ) {
        if let Some(sink) = &mut self.sink
            && end > start
        {
            sink.span(Span {
                start,
                end,
                part,
                path: self.path.clone(),
                meaning: meaning.to_owned(),
                value: value(),
            });
        }
    }
}
