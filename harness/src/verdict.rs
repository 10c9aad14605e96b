//! What a cell showed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a cell showed, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The very value read, or the very bytes written.
    Identical,
    /// The same value in other bytes that the format allows, cause named.
    EqualValue,
    /// Another value.
    DifferentValue,
    /// An error instead of a result.
    Refused,
    /// The implementation died.
    Crashed,
    /// No answer in time.
    Timeout,
    /// The implementation declares that it can't.
    Unsupported,
}

impl Verdict {
    /// All verdicts in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::Identical,
        Self::EqualValue,
        Self::DifferentValue,
        Self::Refused,
        Self::Crashed,
        Self::Timeout,
        Self::Unsupported,
    ];

    /// The word used in reports and in the file of known failures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::EqualValue => "equal-value",
            Self::DifferentValue => "different-value",
            Self::Refused => "refused",
            Self::Crashed => "crashed",
            Self::Timeout => "timeout",
            Self::Unsupported => "unsupported",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Verdict {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|verdict| verdict.name() == name);
        found.ok_or_else(|| format!("no verdict named {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.name().parse(), Ok(verdict));
            let json = serde_json::to_string(&verdict).unwrap();
            assert_eq!(json, format!("\"{verdict}\""));
        }
    }
}
