//! Changing the golden directory: the next one is built beside it, then the two change places.
//!
//! Several files and MANIFEST change together, so that replacing them one by one would leave a
//! mixture when the program is interrupted. Here the directory is the old one or the new one at
//! any moment, whoever looks at it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Manifest, Store};
use crate::exit::{Failure, Result};
use crate::values::write_atomically;

/// What the names of unfinished directories start with; the process that builds one follows.
const PREFIX: &str = ".golden-next-";

/// A golden directory in the making. Dropped without [`Next::take`], it leaves nothing.
pub(super) struct Next {
    /// The directory that is to be replaced.
    current: PathBuf,
    next: PathBuf,
}

impl Next {
    /// Starts with the files of `store`, which are shared and not copied where the file system
    /// can.
    ///
    /// # Errors
    /// Exit 2 when the directory beside `store` can't be made.
    pub(super) fn of(store: &Store) -> Result<Self> {
        let fail =
            |path: &Path, error: io::Error| Failure::usage(format!("{}: {error}", path.display()));
        let current = fs::canonicalize(&store.root).map_err(|error| fail(&store.root, error))?;
        let parent = current.parent().ok_or_else(|| {
            Failure::usage(format!("{}: no directory beside it", current.display()))
        })?;
        remove_abandoned(parent);
        let next = parent.join(format!("{PREFIX}{}", std::process::id()));
        let made = Self { current, next };
        copy(&made.current, &made.next).map_err(|error| fail(&made.next, error))?;
        Ok(made)
    }

    /// Adds or replaces a file.
    ///
    /// # Errors
    /// Exit 2 when it can't be written.
    pub(super) fn put(&self, file: &str, bytes: &[u8]) -> Result<()> {
        let path = self.next.join(file);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)
                .map_err(|error| Failure::usage(format!("{}: {error}", dir.display())))?;
        }
        // By way of a rename: the file that is there may be that of the current directory.
        write_atomically(&path, bytes)
    }

    /// Leaves a file out.
    ///
    /// # Errors
    /// Exit 2 when it can't be removed.
    pub(super) fn remove(&self, file: &str) -> Result<()> {
        let path = self.next.join(file);
        fs::remove_file(&path)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
    }

    /// Writes MANIFEST and lets the directory take the place of the current one.
    ///
    /// # Errors
    /// Exit 2 when that can't be done; the current directory is then as it was.
    pub(super) fn take(self, manifest: &Manifest) -> Result<()> {
        self.put("MANIFEST", manifest.print().as_bytes())?;
        exchange(&self.next, &self.current).map_err(|error| {
            Failure::usage(format!(
                "{} and its next version can't change places: {error}",
                self.current.display()
            ))
            .hint("nothing was changed; work on a copy in another file system, with --golden")
        })
        // What lies under the name of the next one now is the old one, and goes with `self`.
    }
}

impl Drop for Next {
    fn drop(&mut self) {
        // What can't be removed now is removed by the next one.
        let _ = fs::remove_dir_all(&self.next);
    }
}

/// Removes what processes that are gone left behind.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let gone = |process: &str| {
            process.parse::<u32>().is_ok_and(|id| {
                // Where the system does not list processes, nothing counts as gone but our own.
                id == std::process::id()
                    || (Path::new("/proc/self").exists()
                        && !Path::new(&format!("/proc/{process}")).exists())
            })
        };
        if process.is_some_and(gone) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to)?;
        } else if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

/// Elsewhere no call exchanges two directories; between these two there is a moment without.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    let aside = a.with_extension("old");
    fs::rename(b, &aside)?;
    if let Err(error) = fs::rename(a, b) {
        fs::rename(&aside, b)?;
        return Err(error);
    }
    fs::rename(&aside, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(root: &Path) -> Store {
        let text = r#"{"version":1,"models":[],"implementations":[],"files":[],"data":[]}"#;
        fs::create_dir_all(root.join("protobuf")).unwrap();
        fs::write(root.join("MANIFEST"), text).unwrap();
        fs::write(root.join("protobuf/a.bin"), b"old a").unwrap();
        fs::write(root.join("protobuf/b.bin"), b"old b").unwrap();
        Store::find(Some(root)).unwrap()
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap().flatten();
        let mut names: Vec<_> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_changes_until_it_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("golden");
        let store = store(&root);
        let next = Next::of(&store).unwrap();
        next.put("protobuf/a.bin", b"new a").unwrap();
        next.put("fory/c.bin", b"new c").unwrap();
        next.remove("protobuf/b.bin").unwrap();
        assert_eq!(fs::read(root.join("protobuf/a.bin")).unwrap(), b"old a");
        assert_eq!(names(&root.join("protobuf")), ["a.bin", "b.bin"]);
        drop(next);
        assert_eq!(names(dir.path()), ["golden"]);

        let next = Next::of(&store).unwrap();
        next.put("protobuf/a.bin", b"new a").unwrap();
        next.remove("protobuf/b.bin").unwrap();
        next.take(&store.manifest).unwrap();
        assert_eq!(fs::read(root.join("protobuf/a.bin")).unwrap(), b"new a");
        assert_eq!(names(&root.join("protobuf")), ["a.bin"]);
        assert_eq!(names(dir.path()), ["golden"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_killed_process_left_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir.path().join("golden"));
        // No process has the largest number there is.
        fs::create_dir(dir.path().join(format!("{PREFIX}{}", u32::MAX))).unwrap();
        fs::create_dir(dir.path().join(format!("{PREFIX}1"))).unwrap();
        drop(Next::of(&store).unwrap());
        assert_eq!(names(dir.path()), [".golden-next-1", "golden"]);
    }
}
