//! A part of the check for one of several machines, and what makes parts fit together again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::judge::Report;
use super::plan::{Cell, Op};
use crate::cli::CheckArgs;
use crate::exit::{Failure, Result};
use crate::golden::Store;

/// Shard K of N, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Which, from 1 to `count`.
    pub index: u32,
    /// Of how many.
    pub count: u32,
}

impl Shard {
    /// The most shards that a check is cut into.
    pub const MAX_COUNT: u32 = 10_000;

    /// True when the cells of this case belong to the shard. All cells of a case go together,
    /// so that a live shard writes and reads only what is its own; and a case keeps its shard
    /// when others are added.
    pub fn takes(self, corpus: &str, set: &str, model: &str) -> bool {
        let mut hash = Sha256::new();
        for part in [corpus, set, model] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        let digest = hash.finalize();
        let mut head = [0; 8];
        head.copy_from_slice(&digest[..8]);
        u64::from_be_bytes(head) % u64::from(self.count) == u64::from(self.index - 1)
    }

    /// True when the cell belongs to the shard; vectors are cases of their own.
    pub fn takes_cell(self, cell: &Cell) -> bool {
        let set = match cell.op {
            Op::Answer => &cell.name,
            _ => &cell.set,
        };
        self.takes(&cell.corpus, set, &cell.model)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wanted = || {
            let most = Self::MAX_COUNT;
            format!("a shard is K/N with 1 <= K <= N <= {most}, such as 2/4")
        };
        let (index, count) = text.split_once('/').ok_or_else(wanted)?;
        let (Ok(index), Ok(count)) = (index.parse(), count.parse()) else {
            return Err(wanted());
        };
        if index < 1 || index > count || count > Self::MAX_COUNT {
            return Err(wanted());
        }
        Ok(Self { index, count })
    }
}

/// What a shard's JSON carries for `merge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which part.
    #[serde(flatten)]
    pub shard: Shard,
    /// Hash of what was asked and of the files that decide the plan: equal in all parts of one
    /// check.
    pub run: String,
    /// Hash of MANIFEST, to which the report's indices refer.
    pub manifest: String,
    /// What the part found.
    pub report: Report,
}

impl Part {
    /// The part that a check of a shard is.
    ///
    /// # Errors
    /// Exit 2 when the golden directory's lists can't be read.
    pub fn new(shard: Shard, args: &CheckArgs, store: &Store, report: &Report) -> Result<Self> {
        let known = match &args.known_failures {
            Some(path) => path.clone(),
            None => store.path("known-failures.toml"),
        };
        let asked = format!(
            "{} {:?} {:?} {:?} {:?} {}",
            env!("CARGO_PKG_VERSION"),
            args.filters,
            args.live.live,
            args.live.require,
            args.live.target,
            args.no_verify_hash
        );
        let mut hash = Sha256::new();
        hash.update(asked.as_bytes());
        for file in [store.path("MANIFEST"), store.path("support.toml"), known] {
            // What may be missing is missing in all parts alike.
            let bytes = std::fs::read(file).unwrap_or_default();
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(&bytes);
        }
        Ok(Self {
            shard,
            run: hex(&hash.finalize()[..8]),
            manifest: manifest_hash(store)?,
            report: report.clone(),
        })
    }
}

/// Hash of the store's MANIFEST.
///
/// # Errors
/// Exit 2 when it can't be read.
pub fn manifest_hash(store: &Store) -> Result<String> {
    let path = store.path("MANIFEST");
    let bytes = std::fs::read(&path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Ok(hex(&Sha256::digest(bytes)[..8]))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_in_exactly_one_shard() {
        for count in [1, 2, 3, 7] {
            for case in 0..200 {
                let model = format!("M{case}");
                let takers = (1..=count)
                    .map(|index| Shard { index, count })
                    .filter(|shard| shard.takes("bench", "zero", &model));
                assert_eq!(takers.count(), 1);
            }
        }
    }

    #[test]
    fn names_parse() {
        let shard: Shard = "2/4".parse().unwrap();
        assert_eq!(shard, Shard { index: 2, count: 4 });
        assert_eq!(shard.to_string(), "2/4");
        for bad in ["", "2", "0/4", "5/4", "1/0", "a/b", "1/10001", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
