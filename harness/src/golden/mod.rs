//! The golden corpus on disk: bytes that named implementations wrote, with provenance.
//!
//! `MANIFEST` is the one list of what there is. A file that it does not name, or names but is
//! not there, or whose hash differs, is an error. Changes are made to a copy that takes the
//! place of the whole directory at once (`next`).

pub mod add;
mod change;
pub mod import;
mod live_writers;
mod manifest;
mod next;
pub mod regenerate;
mod regroup;
pub mod verify;

pub use manifest::{DataFile, DataKind, File, Implementation, Manifest, Model, OWN_WRITER};

use std::path::{Path, PathBuf};

use crate::exit::{Failure, Result};

/// A golden directory and its list.
#[derive(Debug)]
pub struct Store {
    /// The directory that holds MANIFEST.
    pub root: PathBuf,
    /// What MANIFEST says.
    pub manifest: Manifest,
}

impl Store {
    /// The store in `dir`, else in the first `golden/` from the working directory upwards.
    ///
    /// # Errors
    /// Exit 2 when there is none, or its MANIFEST does not parse.
    pub fn find(dir: Option<&Path>) -> Result<Self> {
        if let Some(dir) = dir {
            return Self::open(dir);
        }
        let here = std::env::current_dir()
            .map_err(|error| Failure::usage(format!("no working directory: {error}")))?;
        let found = here
            .ancestors()
            .map(|dir| dir.join("golden"))
            .find(|dir| dir.join("MANIFEST").is_file());
        match found {
            Some(dir) => Self::open(&dir),
            None => Err(Failure::usage(format!(
                "no golden/MANIFEST in {} or a directory above",
                here.display()
            ))
            .hint("run inside a checkout, or name the directory with --golden DIR")),
        }
    }

    fn open(dir: &Path) -> Result<Self> {
        let path = dir.join("MANIFEST");
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!("{}: {error}", path.display()))
                .hint("--golden takes the directory that holds MANIFEST")
        })?;
        let manifest = Manifest::parse(&text)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        Ok(Self {
            root: dir.to_owned(),
            manifest,
        })
    }

    /// Where a file of the list lies.
    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// Reads a file of the list.
    ///
    /// # Errors
    /// Exit 2 when it can't be read.
    pub fn read(&self, file: &str) -> Result<Vec<u8>> {
        let path = self.path(file);
        std::fs::read(&path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
    }

    /// The entry of a golden file given by any path to it.
    pub fn entry_of(&self, path: &Path) -> Option<&File> {
        let wanted = path.canonicalize().ok()?;
        let root = self.root.canonicalize().ok()?;
        let inside = wanted.strip_prefix(root).ok()?.to_str()?;
        self.manifest.files.iter().find(|file| file.file == inside)
    }
}
