//! What a writer may choose in ProtoJSON.

use crate::{Choice, Preset};

/// Choices of a writer. The default is ours: names as in the schema, one compact line, absent
/// fields left out, shortest numbers that come back to the same bits, no escape but the needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Names of fields.
    pub names: Names,
    /// Fields of implicit presence that hold their default.
    pub defaults: Defaults,
    /// Order of a message's fields.
    pub order: FieldOrder,
    /// Order of a map's entries.
    pub map_order: MapOrder,
    /// Digits of a `float`.
    pub float32_digits: Float32Digits,
    /// Layout of a number with a fraction or an exponent.
    pub notation: Notation,
    /// The sign of -0.0.
    pub negative_zero: NegativeZero,
    /// Characters written as escapes beyond those that JSON demands.
    pub escapes: Escapes,
    /// White space.
    pub spacing: Spacing,
}

/// Names of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// As in the schema.
    Original,
    /// lowerCamelCase, or the `json_name` option.
    LowerCamelCase,
}

/// Fields of implicit presence that hold their default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defaults {
    /// Left out.
    Omit,
    /// Written, empty lists and maps too.
    Print,
}

/// Order of a message's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldOrder {
    /// By number.
    Number,
    /// As declared, extensions last.
    Declaration,
}

/// Order of a map's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapOrder {
    /// As the value holds them.
    AsGiven,
    /// By key: false before true, numbers by size, strings by bytes.
    ByKey,
}

/// Digits of a `float`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float32Digits {
    /// The fewest that come back to the same float.
    Shortest,
    /// Those of the same value as a double, shortest for a double.
    Widened,
    /// C's `%.Ng` with N = 6, or `last` where 6 digits give another float or the float is
    /// subnormal (C's `strtof` reports those as out of range, and the writer retries).
    Printf {
        /// Precision where the first does not do.
        last: u8,
    },
    /// C's `%.Ng` with the least N from 6 on that comes back to the same float.
    FromSix,
}

/// Layout of a number. `exp` is the decimal exponent of the first digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// C's `%g` of 15 digits, or 17 where 15 give another double: an exponent of at least two
    /// digits below 1e-4 and from the precision on; no ".0".
    Printf,
    /// ECMAScript's Number to string, which Go's JSON follows: an exponent below 1e-6 and from
    /// 1e21 on; no ".0".
    EcmaScript,
    /// Python's repr: an exponent of at least two digits below 1e-4 and from 1e16 on; ".0".
    Python,
    /// Java's Double.toString as of JDK 19: `E` below 1e-3 and from 1e7 on; always a point and a
    /// digit behind it.
    Java,
    /// serde_json's: an exponent below 1e-5 (`float` 1e-6) and from 1e16 (`float` 1e13) on; ".0".
    Serde,
}

/// The sign of -0.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegativeZero {
    /// Kept.
    Kept,
    /// Lost: another value, so such a file is a known failure of its writer.
    Lost,
}

/// Characters written as escapes beyond quote, backslash and controls below U+0020.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// None.
    Needed,
    /// U+007F and all beyond ASCII.
    NonAscii,
    /// `< > & = '`, U+2028 and U+2029.
    Html,
    /// `< >`, U+007F to U+009F, and format characters: soft hyphen, joiners and direction marks,
    /// line separators, and the like.
    HtmlAndFormat,
}

/// White space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// None.
    Compact,
    /// One blank behind each comma and colon.
    Spaced,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            names: Names::Original,
            defaults: Defaults::Omit,
            order: FieldOrder::Number,
            map_order: MapOrder::AsGiven,
            float32_digits: Float32Digits::Shortest,
            notation: Notation::Python,
            negative_zero: NegativeZero::Kept,
            escapes: Escapes::Needed,
            spacing: Spacing::Compact,
        }
    }
}

impl Dialect {
    /// The named choices.
    pub fn choices(&self) -> Vec<Choice> {
        let choice = |name, value: &str| Choice {
            name,
            value: value.to_owned(),
        };
        let float32_digits = match self.float32_digits {
            Float32Digits::Shortest => "shortest".to_owned(),
            Float32Digits::Widened => "those of the double".to_owned(),
            Float32Digits::Printf { last } => format!("6, else {last}"),
            Float32Digits::FromSix => "least from 6 on".to_owned(),
        };
        vec![
            choice(
                "names",
                match self.names {
                    Names::Original => "original",
                    Names::LowerCamelCase => "lowerCamelCase",
                },
            ),
            choice(
                "defaults",
                match self.defaults {
                    Defaults::Omit => "omitted",
                    Defaults::Print => "printed",
                },
            ),
            choice(
                "field order",
                match self.order {
                    FieldOrder::Number => "number",
                    FieldOrder::Declaration => "declaration",
                },
            ),
            choice(
                "map order",
                match self.map_order {
                    MapOrder::AsGiven => "as given",
                    MapOrder::ByKey => "by key",
                },
            ),
            choice("digits of float", &float32_digits),
            choice(
                "number notation",
                match self.notation {
                    Notation::Printf => "printf %g",
                    Notation::EcmaScript => "ECMAScript",
                    Notation::Python => "Python repr",
                    Notation::Java => "Java toString",
                    Notation::Serde => "serde_json",
                },
            ),
            choice(
                "-0.0",
                match self.negative_zero {
                    NegativeZero::Kept => "kept",
                    NegativeZero::Lost => "sign lost",
                },
            ),
            choice(
                "escapes",
                match self.escapes {
                    Escapes::Needed => "needed only",
                    Escapes::NonAscii => "all non-ASCII",
                    Escapes::Html => "HTML",
                    Escapes::HtmlAndFormat => "HTML and format characters",
                },
            ),
            choice(
                "spacing",
                match self.spacing {
                    Spacing::Compact => "compact",
                    Spacing::Spaced => "spaced",
                },
            ),
        ]
    }
}

/// The dialects of the real writers, as their golden files show them; those were written with
/// original names (buffa aside, which has no such setting) and stripped of white space.
pub fn presets() -> Vec<Preset<Dialect>> {
    let preset = |name, implementation, dialect| Preset {
        name,
        implementation,
        dialect,
    };
    let own = Dialect::default;
    let python = Dialect {
        float32_digits: Float32Digits::FromSix,
        ..own()
    };
    vec![
        preset(
            "cpp",
            "libprotobuf C++ 3.21.12 MessageToJsonString",
            Dialect {
                float32_digits: Float32Digits::Printf { last: 9 },
                notation: Notation::Printf,
                escapes: Escapes::HtmlAndFormat,
                ..own()
            },
        ),
        preset(
            "go",
            "protojson 1.36.12",
            Dialect {
                order: FieldOrder::Declaration,
                map_order: MapOrder::ByKey,
                notation: Notation::EcmaScript,
                ..own()
            },
        ),
        preset(
            "java",
            "JsonFormat 4.36.2",
            Dialect {
                notation: Notation::Java,
                escapes: Escapes::Html,
                ..own()
            },
        ),
        preset(
            "javascript-es",
            "@bufbuild/protobuf 2.17.0 toJson",
            Dialect {
                float32_digits: Float32Digits::Widened,
                notation: Notation::EcmaScript,
                negative_zero: NegativeZero::Lost,
                ..own()
            },
        ),
        preset(
            "python",
            "json_format 7.36.2",
            Dialect {
                escapes: Escapes::NonAscii,
                ..python.clone()
            },
        ),
        preset(
            "python-utf8",
            "json_format 7.36.2, ensure_ascii off",
            python,
        ),
        preset(
            "rust-buffa",
            "buffa 0.9.2",
            Dialect {
                names: Names::LowerCamelCase,
                order: FieldOrder::Declaration,
                notation: Notation::Serde,
                ..own()
            },
        ),
    ]
}
