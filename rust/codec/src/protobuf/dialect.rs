//! What protobuf leaves to its writers, and what each real writer chose.

use crate::{Choice, Preset};

/// Choices of a writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Singular fields of implicit presence are written when they hold their default too.
    /// Default: false.
    pub writes_defaults: bool,
    /// A map entry's key and value are written when they are the default too. Default: true.
    pub writes_entry_defaults: bool,
    /// -0.0 in a field of implicit presence is written. Default: true, as the language guide
    /// says that only +0 is the default.
    pub writes_negative_zero: bool,
    /// Fields that the schema lacks are written. Default: true.
    pub writes_unknown: bool,
    /// Order of a map's entries. Default: sorted.
    pub map_order: MapOrder,
}

/// Order of a map's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapOrder {
    /// By key: numbers by value, false before true, text by its UTF-8 bytes.
    Sorted,
    /// By key, text by its UTF-16 code units.
    SortedUtf16,
    /// By key, but of two texts of which one begins the other the longer one first.
    SortedLongerFirst,
    /// As properties of a JavaScript object: keys that are array indices ascending, then the
    /// others in the order stored.
    ObjectProperties,
    /// In the order stored.
    Stored,
}

impl MapOrder {
    const fn name(self) -> &'static str {
        match self {
            Self::Sorted => "sorted",
            Self::SortedUtf16 => "sorted by UTF-16",
            Self::SortedLongerFirst => "sorted, longer text first",
            Self::ObjectProperties => "object properties",
            Self::Stored => "stored",
        }
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            writes_defaults: false,
            writes_entry_defaults: true,
            writes_negative_zero: true,
            writes_unknown: true,
            map_order: MapOrder::Sorted,
        }
    }
}

impl Dialect {
    /// The named choices.
    pub fn choices(&self) -> Vec<Choice> {
        let written = |yes| if yes { "written" } else { "omitted" };
        let choice = |name, value: &str| Choice {
            name,
            value: value.to_owned(),
        };
        vec![
            choice("implicit defaults", written(self.writes_defaults)),
            choice("map entry defaults", written(self.writes_entry_defaults)),
            choice("implicit -0.0", written(self.writes_negative_zero)),
            choice("unknown fields", written(self.writes_unknown)),
            choice("map order", self.map_order.name()),
        ]
    }
}

/// The dialects of the real writers. Map orders are those of deterministic output where the
/// library offers it.
pub fn presets() -> Vec<Preset<Dialect>> {
    let preset = |name, implementation, dialect| Preset {
        name,
        implementation,
        dialect,
    };
    let ordered = |map_order| Dialect {
        map_order,
        ..Dialect::default()
    };
    vec![
        preset("cpp", "libprotobuf C++ 3.21.12", Dialect::default()),
        preset("go", "protobuf-go 1.36.12", Dialect::default()),
        preset(
            "java",
            "protobuf-java 4.36.2",
            ordered(MapOrder::SortedUtf16),
        ),
        preset(
            "javascript-es",
            "@bufbuild/protobuf 2.17.0",
            ordered(MapOrder::ObjectProperties),
        ),
        preset(
            "javascript-protobufjs",
            "protobufjs 7.6.5",
            Dialect {
                writes_defaults: true,
                writes_unknown: false,
                map_order: MapOrder::ObjectProperties,
                ..Dialect::default()
            },
        ),
        preset(
            "python",
            "protobuf (Python, upb) 7.36.2",
            ordered(MapOrder::SortedLongerFirst),
        ),
        preset(
            "rust-prost",
            "prost 0.14.6",
            Dialect {
                writes_entry_defaults: false,
                writes_negative_zero: false,
                writes_unknown: false,
                ..Dialect::default()
            },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_names_of_their_own_and_show_every_choice() {
        let presets = presets();
        let mut names: Vec<_> = presets.iter().map(|preset| preset.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 7);
        let defaults = |name: &str| {
            let preset = presets.iter().find(|preset| preset.name == name).unwrap();
            preset.dialect.choices()[0].value.clone()
        };
        assert_eq!(defaults("javascript-protobufjs"), "written");
        assert_eq!(defaults("cpp"), "omitted");
    }
}
