//! Case names as Fory's own benchmarks spell them: `BM_Fory_NumericStruct_Serialize`.

use interop_codec::Format;
use regex::Regex;

use super::record::Operation;
use crate::exit::{Failure, Result};

/// The case that prints sizes instead of timing anything.
pub const PRINT_SIZES: &str = "BM_PrintSerializedSizes";

/// The well-known names of a case: with the model's name, and with the short one where the
/// model has one; the three sizes of a data type are told apart behind it.
pub fn well_known(format: Format, model: &str, set: &str, operation: Operation) -> Vec<String> {
    let format = match format {
        Format::Protobuf => "Protobuf",
        Format::Fory => "Fory",
        Format::ForyConsistent => "ForyConsistent",
        Format::Flatbuffers => "Flatbuffers",
        Format::Msgpack => "Msgpack",
        Format::Json => "Json",
    };
    let operation = match operation {
        Operation::Serialize => "Serialize",
        Operation::Deserialize => "Deserialize",
        Operation::Roundtrip => "RoundTrip",
    };
    let size = match set {
        "canonical" => String::new(),
        set => format!("/{set}"),
    };
    let short = match model {
        "NumericStruct" => Some("Struct"),
        "NumericStructList" => Some("StructList"),
        _ => None,
    };
    [Some(model), short]
        .into_iter()
        .flatten()
        .map(|model| format!("BM_{format}_{model}_{operation}{size}"))
        .collect()
}

/// What `--filter` takes.
#[derive(Debug, Default)]
pub struct Filter(Option<Regex>);

impl Filter {
    /// Reads a regular expression; nothing takes everything.
    ///
    /// # Errors
    /// Exit 2 with what the parser says.
    pub fn new(pattern: Option<&str>) -> Result<Self> {
        let compile = |pattern: &str| {
            Regex::new(pattern).map_err(|error| {
                Failure::usage(format!("--filter: {error}")).hint(
                    "--filter takes a regular expression over names such as \
                     BM_Fory_Sample_Serialize or fory/canonical/Sample/serialize@go/fory-go",
                )
            })
        };
        Ok(Self(pattern.map(compile).transpose()?))
    }

    /// True when any of the names matches.
    pub fn takes<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> bool {
        match &self.0 {
            None => true,
            Some(regex) => names.into_iter().any(|name| regex.is_match(name)),
        }
    }

    /// True when the filter was given and asks for the sizes.
    pub fn wants_sizes(&self) -> bool {
        self.0.is_some() && self.takes([PRINT_SIZES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_a_name() {
        assert_eq!(
            well_known(
                Format::Fory,
                "NumericStruct",
                "canonical",
                Operation::Serialize
            ),
            [
                "BM_Fory_NumericStruct_Serialize",
                "BM_Fory_Struct_Serialize"
            ]
        );
        assert_eq!(
            well_known(Format::Json, "Person", "small", Operation::Deserialize),
            ["BM_Json_Person_Deserialize/small"]
        );
    }

    #[test]
    fn filters_match_anywhere_and_tell_what_is_wrong() {
        let filter = Filter::new(Some("Fory_.*Serialize$")).unwrap();
        assert!(filter.takes(["x", "BM_Fory_Sample_Serialize"]));
        assert!(!filter.takes(["BM_Fory_Sample_Deserialize"]));
        assert!(!filter.wants_sizes());
        assert!(Filter::new(Some("^BM_Print")).unwrap().wants_sizes());
        assert!(!Filter::default().wants_sizes());
        let failure = Filter::new(Some("(")).unwrap_err();
        assert_eq!(failure.code, crate::exit::USAGE);
        assert!(failure.hint.is_some());
    }
}
