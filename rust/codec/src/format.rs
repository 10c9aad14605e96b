use std::fmt;
use std::str::FromStr;

/// A wire format. Serializes as its name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Protocol Buffers binary.
    Protobuf,
    /// Apache Fory xlang, compatible mode (the library's xlang default).
    Fory,
    /// Apache Fory xlang, schema-consistent mode.
    ForyConsistent,
    /// FlatBuffers.
    Flatbuffers,
    /// MessagePack maps with field names.
    Msgpack,
    /// ProtoJSON.
    Json,
}

impl Format {
    /// All formats in the order in which they are shown.
    pub const ALL: [Format; 6] = [
        Format::Protobuf,
        Format::Fory,
        Format::ForyConsistent,
        Format::Flatbuffers,
        Format::Msgpack,
        Format::Json,
    ];

    /// The name on the command line and in the golden tree.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Protobuf => "protobuf",
            Self::Fory => "fory",
            Self::ForyConsistent => "fory-consistent",
            Self::Flatbuffers => "flatbuffers",
            Self::Msgpack => "msgpack",
            Self::Json => "json",
        }
    }

    /// False for JSON, which is compared by value only.
    pub const fn is_binary(self) -> bool {
        !matches!(self, Self::Json)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|f| f.name()).collect();
            format!("no format named {name}; known: {}", names.join(", "))
        })
    }
}
