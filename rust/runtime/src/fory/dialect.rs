//! The choices that Fory leaves to its writers, as types: each dialect is compiled on its own
//! and costs the others nothing.

/// How text is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextCoder {
    /// Always UTF-8.
    Utf8,
    /// Latin-1 where it fits, else UTF-16.
    Latin1OrUtf16,
    /// Latin-1 where it fits, else UTF-16 inside the basic plane, else UTF-8.
    Latin1OrShortest,
    /// Latin-1 for ASCII, else UTF-8.
    AsciiOrUtf8,
}

/// What a writer chooses.
pub trait ForyDialect: Copy + 'static {
    /// How text is coded.
    const TEXT: TextCoder = TextCoder::Utf8;
    /// Header of the empty string.
    const EMPTY_TEXT: u8 = 2;
    /// Consistent mode: a list of structs says "declared type" and names none.
    const DECLARED_ELEMENTS: bool = false;
    /// A map's struct values say "declared type" and name none, consistent mode.
    const DECLARED_VALUES: bool = false;
    /// Which of [`super::Info::type_defs`] is written.
    const TYPE_DEF: usize = 0;
    /// Bytes a byte of UTF-8 may become.
    const TEXT_FACTOR: usize = match Self::TEXT {
        TextCoder::Utf8 | TextCoder::AsciiOrUtf8 => 1,
        // An ASCII char in front of one above U+00FF takes two.
        TextCoder::Latin1OrUtf16 | TextCoder::Latin1OrShortest => 2,
    };
}

/// As the Rust crate writes; our own choice too.
#[derive(Clone, Copy, Debug)]
pub struct Rust;

impl ForyDialect for Rust {}

/// As Fory's Java library writes text that is Latin-1 or has no long ASCII lead, and metadata.
#[derive(Clone, Copy, Debug)]
pub struct Java;

impl ForyDialect for Java {
    const TEXT: TextCoder = TextCoder::Latin1OrUtf16;
    const EMPTY_TEXT: u8 = 0;
    const DECLARED_ELEMENTS: bool = true;
    const TYPE_DEF: usize = 1;
}

/// As pyfory writes.
#[derive(Clone, Copy, Debug)]
pub struct Python;

impl ForyDialect for Python {
    const TEXT: TextCoder = TextCoder::Latin1OrShortest;
    const EMPTY_TEXT: u8 = 0;
    const DECLARED_VALUES: bool = true;
}

/// As Fory's JavaScript library writes on Node 20.
#[derive(Clone, Copy, Debug)]
pub struct JavaScript;

impl ForyDialect for JavaScript {
    const TEXT: TextCoder = TextCoder::AsciiOrUtf8;
    const EMPTY_TEXT: u8 = 0;
    const DECLARED_VALUES: bool = true;
    const TYPE_DEF: usize = 2;
}
