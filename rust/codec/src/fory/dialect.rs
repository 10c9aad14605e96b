//! What writers are free to choose, and what each real one chooses.

use interop_schema::fory::{ElementNullable, ElementReference, OptionalHash, TypeDefStyle};

use super::Mode;
use crate::{Choice, Preset};

/// Choices of a writer. The default is what the Rust library writes, in either mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Encoding of strings.
    pub strings: StringRule,
    /// Consistent mode: structs carry their schema hash.
    pub struct_hash: bool,
    /// Consistent mode: how nullable fields enter the schema hash.
    pub optional_hash: OptionalHash,
    /// Compatible mode: flags in TypeDefs.
    pub type_defs: TypeDefStyle,
    /// Compatible mode: the TypeDef of a struct is written again for tracked list elements.
    pub tracked_element_type_def_again: bool,
    /// List elements of struct type that are not tracked.
    pub list_structs: ElementInfo,
    /// List elements of struct type that are tracked.
    pub tracked_list_structs: ElementInfo,
    /// Map values of struct type.
    pub map_structs: ElementInfo,
    /// Elements of lists that are themselves elements or values of a collection.
    pub nested_list_elements: ElementInfo,
    /// Header of a map entry with a null value.
    pub null_value_entry: NullValueEntry,
    /// Reference flag of a struct inside a union, reference tracking being off.
    pub union_struct_flag: UnionStructFlag,
    /// Consistent mode: a type name that was written before.
    pub repeated_names: RepeatedNames,
}

/// Which of the three string encodings a writer chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StringRule {
    /// Always UTF-8.
    Utf8,
    /// Java with compact strings: Latin-1 if every char is below 256; else UTF-8 if a sample of
    /// the first 64 chars seems to be ASCII, UTF-16 if not.
    JavaSample,
    /// Python: Latin-1 if every char is below 256, UTF-16 if every char is in the BMP, else UTF-8.
    WidestChar,
    /// JavaScript before native one-byte detection: Latin-1 if ASCII, else UTF-8.
    AsciiOrUtf8,
    /// JavaScript with it: Latin-1 if every char is below 256, else UTF-16.
    OneByteOrUtf16,
}

/// Whether a collection says of which type its elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementInfo {
    /// Type information follows the header.
    Written,
    /// The header says "declared type", and nothing follows.
    Declared,
}

/// The header of a map entry whose value is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NullValueEntry {
    /// Marks the null and the key's declared type.
    KeyDeclared,
    /// Marks the declared types of key and of the absent value.
    BothDeclared,
    /// As `KeyDeclared`, but writes the key's type where values are structs.
    KeyWrittenBesideStructs,
}

/// The flag in front of a struct inside a union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnionStructFlag {
    /// "Not null".
    NotNull,
    /// "First occurrence", as if references were tracked.
    FirstOccurrence,
}

/// A type name that was written before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepeatedNames {
    /// By its number.
    BackReference,
    /// In full, when the whole of namespace and name is new; else by number.
    InFull,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            strings: StringRule::Utf8,
            struct_hash: true,
            optional_hash: OptionalHash::Nullable,
            type_defs: TypeDefStyle::default(),
            tracked_element_type_def_again: false,
            list_structs: ElementInfo::Written,
            tracked_list_structs: ElementInfo::Written,
            map_structs: ElementInfo::Written,
            nested_list_elements: ElementInfo::Declared,
            null_value_entry: NullValueEntry::KeyDeclared,
            union_struct_flag: UnionStructFlag::FirstOccurrence,
            repeated_names: RepeatedNames::BackReference,
        }
    }
}

impl Dialect {
    /// The named choices.
    pub fn choices(&self) -> Vec<Choice> {
        let defs = self.type_defs;
        let choices: [(&'static str, String); 14] = [
            ("strings", format!("{:?}", self.strings)),
            ("struct_hash", self.struct_hash.to_string()),
            ("optional_hash", format!("{:?}", self.optional_hash)),
            ("element_nullable", format!("{:?}", defs.element_nullable)),
            ("element_reference", format!("{:?}", defs.element_reference)),
            (
                "element_struct_plain",
                defs.element_struct_plain.to_string(),
            ),
            (
                "tracked_element_type_def_again",
                self.tracked_element_type_def_again.to_string(),
            ),
            ("list_structs", format!("{:?}", self.list_structs)),
            (
                "tracked_list_structs",
                format!("{:?}", self.tracked_list_structs),
            ),
            ("map_structs", format!("{:?}", self.map_structs)),
            (
                "nested_list_elements",
                format!("{:?}", self.nested_list_elements),
            ),
            ("null_value_entry", format!("{:?}", self.null_value_entry)),
            ("union_struct_flag", format!("{:?}", self.union_struct_flag)),
            ("repeated_names", format!("{:?}", self.repeated_names)),
        ];
        let named = choices.into_iter();
        named.map(|(name, value)| Choice { name, value }).collect()
    }
}

/// The dialects of the real writers in one mode. `go` and `cpp` are hand-written models,
/// `go-foryc` and `cpp-foryc` what Fory's schema compiler generates.
pub fn presets(mode: Mode) -> Vec<Preset<Dialect>> {
    let consistent = mode == Mode::Consistent;
    let only_consistent = |info| {
        if consistent {
            info
        } else {
            ElementInfo::Written
        }
    };
    let rust = Dialect::default();
    let cpp = Dialect {
        type_defs: TypeDefStyle {
            element_reference: ElementReference::NullableInstead,
            ..TypeDefStyle::default()
        },
        union_struct_flag: UnionStructFlag::NotNull,
        ..rust.clone()
    };
    let go = Dialect {
        map_structs: ElementInfo::Declared,
        tracked_element_type_def_again: true,
        union_struct_flag: UnionStructFlag::NotNull,
        repeated_names: RepeatedNames::InFull,
        ..rust.clone()
    };
    let go_default_elements = Dialect {
        type_defs: TypeDefStyle {
            element_nullable: ElementNullable::UnlessTracked,
            ..TypeDefStyle::default()
        },
        ..go.clone()
    };
    let java = Dialect {
        strings: StringRule::JavaSample,
        type_defs: TypeDefStyle {
            element_nullable: ElementNullable::Always,
            ..TypeDefStyle::default()
        },
        list_structs: only_consistent(ElementInfo::Declared),
        tracked_list_structs: only_consistent(ElementInfo::Declared),
        nested_list_elements: ElementInfo::Written,
        null_value_entry: if consistent {
            NullValueEntry::KeyDeclared
        } else {
            NullValueEntry::KeyWrittenBesideStructs
        },
        union_struct_flag: UnionStructFlag::NotNull,
        ..rust.clone()
    };
    let javascript = Dialect {
        strings: StringRule::AsciiOrUtf8,
        type_defs: TypeDefStyle {
            element_reference: ElementReference::NullableToo,
            element_struct_plain: true,
            ..TypeDefStyle::default()
        },
        map_structs: only_consistent(ElementInfo::Declared),
        null_value_entry: NullValueEntry::BothDeclared,
        union_struct_flag: UnionStructFlag::NotNull,
        repeated_names: RepeatedNames::InFull,
        ..rust.clone()
    };
    let python = Dialect {
        strings: StringRule::WidestChar,
        map_structs: only_consistent(ElementInfo::Declared),
        union_struct_flag: UnionStructFlag::NotNull,
        ..rust.clone()
    };
    let preset = |name, implementation, dialect| Preset {
        name,
        implementation,
        dialect,
    };
    let mut presets = vec![
        preset(
            "cpp",
            "Apache Fory C++ 1.7.0-SNAPSHOT, hand-written models",
            cpp.clone(),
        ),
        preset(
            "go",
            "Apache Fory Go 1.6.1, elements tagged nullable=false",
            go.clone(),
        ),
        preset(
            "java",
            "Apache Fory Java 1.7.0-SNAPSHOT, JDK 9 or later",
            java,
        ),
        preset(
            "javascript",
            "Apache Fory JavaScript 1.7.0-alpha.0, Node 20",
            javascript.clone(),
        ),
        preset(
            "javascript-node22",
            "Apache Fory JavaScript 1.7.0-alpha.0, Node 22",
            Dialect {
                strings: StringRule::OneByteOrUtf16,
                ..javascript
            },
        ),
        preset("python", "pyfory 1.7.7", python),
        preset("rust", "fory crate 1.7.7", rust),
        preset(
            "go-implicit-nullable",
            "Apache Fory Go 1.6.1, pointer fields and elements without tags",
            Dialect {
                optional_hash: OptionalHash::Plain,
                ..go_default_elements.clone()
            },
        ),
        preset(
            "go-default-elements",
            "Apache Fory Go 1.6.1, elements without the nullable=false tag",
            go_default_elements.clone(),
        ),
        preset(
            "go-foryc",
            "Apache Fory Go 1.6.1, code generated by foryc 1.7.7",
            go_default_elements,
        ),
        preset(
            "cpp-foryc",
            "Apache Fory C++ 1.7.0-SNAPSHOT, code generated by foryc 1.7.7",
            Dialect {
                list_structs: ElementInfo::Declared,
                map_structs: ElementInfo::Declared,
                ..cpp.clone()
            },
        ),
    ];
    if consistent {
        presets.push(preset(
            "cpp-default",
            "Apache Fory C++ 1.7.0-SNAPSHOT, check_struct_version off",
            Dialect {
                struct_hash: false,
                ..cpp
            },
        ));
    }
    presets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_rust_preset_and_names_are_unique() {
        for mode in [Mode::Compatible, Mode::Consistent] {
            let presets = presets(mode);
            let rust = presets.iter().find(|p| p.name == "rust").unwrap();
            assert_eq!(rust.dialect, Dialect::default());
            let mut names: Vec<_> = presets.iter().map(|p| p.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), presets.len());
        }
    }
}
