//! `golden verify`: is everything in the golden directory what MANIFEST says?

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Store;
use super::manifest::sha256_hex;
use crate::exit::{Failure, Result};

/// Files that live in the golden directory without being listed: the list itself, and the two
/// files that people edit.
pub const UNLISTED: [&str; 4] = [
    "MANIFEST",
    "known-failures.toml",
    "value-neutral-flips.txt",
    "support.toml",
];

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Path inside the golden directory.
    pub file: String,
    /// What is wrong.
    pub fault: String,
}

/// The fault of a listed file's bytes, if they are not those recorded.
pub fn hash_fault(recorded_bytes: u64, recorded_sha256: &str, bytes: &[u8]) -> Option<String> {
    if bytes.len() as u64 != recorded_bytes {
        return Some(format!(
            "{} bytes long, MANIFEST says {recorded_bytes}",
            bytes.len()
        ));
    }
    let actual = sha256_hex(bytes);
    (actual != recorded_sha256)
        .then(|| format!("sha256 is {actual}, MANIFEST says {recorded_sha256}"))
}

/// Files that are there but not listed.
///
/// # Errors
/// Exit 2 when a directory can't be read.
pub fn orphans(store: &Store) -> Result<Vec<Fault>> {
    let listed: HashSet<&str> = store.manifest.listed().map(|(file, ..)| file).collect();
    let mut found = Vec::new();
    walk(&store.root, "", &mut |file| {
        if !listed.contains(file) && !UNLISTED.contains(&file) {
            found.push(Fault {
                file: file.to_owned(),
                fault: "not listed in MANIFEST".to_owned(),
            });
        }
    })?;
    found.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(found)
}

fn walk(dir: &Path, prefix: &str, visit: &mut dyn FnMut(&str)) -> Result<()> {
    let fail = |error| Failure::usage(format!("{}: {error}", dir.display()));
    for entry in std::fs::read_dir(dir).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let path = format!("{prefix}{}", name.to_string_lossy());
        if entry.file_type().map_err(fail)?.is_dir() {
            walk(&entry.path(), &format!("{path}/"), visit)?;
        } else {
            visit(&path);
        }
    }
    Ok(())
}

/// Every fault: hashes, missing files, files listed twice, files not listed.
///
/// # Errors
/// Exit 2 when a directory can't be read.
pub fn verify(store: &Store) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let mut seen = HashSet::new();
    for (file, recorded_bytes, recorded_sha256) in store.manifest.listed() {
        let fault = if !seen.insert(file) {
            Some("listed twice in MANIFEST".to_owned())
        } else {
            match std::fs::read(store.path(file)) {
                Ok(bytes) => hash_fault(recorded_bytes, recorded_sha256, &bytes),
                Err(error) => Some(error.to_string()),
            }
        };
        faults.extend(fault.map(|fault| Fault {
            file: file.to_owned(),
            fault,
        }));
    }
    faults.extend(orphans(store)?);
    Ok(faults)
}
