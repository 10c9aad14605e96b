//! Which files a case has: one a distinct byte string, named after everyone who wrote it.

use std::collections::BTreeMap;

use super::manifest::{Manifest, sha256_hex};
use super::next::Next;
use super::verify::hash_fault;
use super::{File, Store};
use crate::exit::{Failure, Result};

/// What one writer wrote of a case.
#[derive(Clone, Debug)]
pub(super) struct Fresh {
    /// An entry of the case; its writers, length and hash do not count.
    pub(super) of: File,
    /// Who wrote.
    pub(super) writer: String,
    /// What.
    pub(super) bytes: Vec<u8>,
}

/// Puts what writers wrote in place of what the same writers wrote before, in `next` and in
/// the manifest of `store`; nothing is saved. Writers must be listed as implementations.
///
/// # Errors
/// Exit 2 when a file that stays is not what MANIFEST says.
pub(super) fn put(store: &mut Store, next: &Next, fresh: Vec<Fresh>) -> Result<()> {
    let mut cases: BTreeMap<String, Vec<Fresh>> = BTreeMap::new();
    for fresh in fresh {
        cases
            .entry(fresh.of.case().to_owned())
            .or_default()
            .push(fresh);
    }
    for (case, fresh) in cases {
        let there = |file: &File| file.case() == case;
        let old: Vec<File> = store
            .manifest
            .files
            .iter()
            .filter(|file| there(file))
            .cloned()
            .collect();
        let mut written: Vec<(String, Vec<u8>)> = Vec::new();
        for file in &old {
            let bytes = store.read(&file.file)?;
            if let Some(fault) = hash_fault(file.bytes, &file.sha256, &bytes) {
                return Err(Failure::usage(format!("{}: {fault}", file.file))
                    .hint("put it right first: interop-check golden verify"));
            }
            let writers = file.writers.iter();
            written.extend(writers.map(|writer| (writer.clone(), bytes.clone())));
        }
        let of = fresh[0].of.clone();
        for Fresh { writer, bytes, .. } in fresh {
            match written.iter_mut().find(|(known, _)| *known == writer) {
                Some((_, old)) => *old = bytes,
                None => written.push((writer, bytes)),
            }
        }
        let groups = groups(&store.manifest, &of, written);
        for file in &old {
            if !groups.iter().any(|(entry, _)| entry.file == file.file) {
                next.remove(&file.file)?;
            }
        }
        store.manifest.files.retain(|file| !there(file));
        for (entry, bytes) in groups {
            let unchanged = |old: &&File| old.file == entry.file && old.sha256 == entry.sha256;
            if !old.iter().any(|old| unchanged(&old)) {
                next.put(&entry.file, &bytes)?;
            }
            store.manifest.insert(entry);
        }
    }
    Ok(())
}

/// One entry a distinct byte string; a case that all wrote alike has a file without names.
fn groups(
    manifest: &Manifest,
    of: &File,
    mut written: Vec<(String, Vec<u8>)>,
) -> Vec<(File, Vec<u8>)> {
    // Writers stand in the order of MANIFEST's implementations.
    written.sort_by_key(|(writer, _)| {
        let mut all = manifest.implementations.iter();
        all.position(|known| {
            known.corpus == of.corpus && known.format == of.format && known.writer == *writer
        })
    });
    let mut groups: Vec<(Vec<String>, Vec<u8>)> = Vec::new();
    for (writer, bytes) in written {
        match groups.iter_mut().find(|(_, known)| *known == bytes) {
            Some((writers, _)) => writers.push(writer),
            None => groups.push((vec![writer], bytes)),
        }
    }
    let alike = groups.len() == 1;
    let entry = |(writers, bytes): (Vec<String>, Vec<u8>)| {
        let case = of.case();
        let file = if alike {
            format!("{case}.bin")
        } else {
            format!("{case}@{}.bin", writers.join("+"))
        };
        let entry = File {
            file,
            writers,
            bytes: bytes.len() as u64,
            sha256: sha256_hex(&bytes),
            ..of.clone()
        };
        (entry, bytes)
    };
    groups.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use interop_codec::Format;

    use super::*;

    fn store(root: &Path) -> Store {
        let implementation = |writer: &str| {
            format!(r#"{{"corpus":"c","format":"protobuf","writer":{writer:?},"library":"l 1.0"}}"#)
        };
        let text = format!(
            r#"{{"version":1,"models":[],"implementations":[{},{},{}],"files":[],"data":[]}}"#,
            implementation("b"),
            implementation("a"),
            implementation("c"),
        );
        std::fs::create_dir_all(root).unwrap();
        std::fs::write(root.join("MANIFEST"), text).unwrap();
        Store::find(Some(root)).unwrap()
    }

    fn fresh(writer: &str, bytes: &[u8]) -> Fresh {
        Fresh {
            of: File {
                file: "protobuf/s/M@whoever.bin".to_owned(),
                corpus: "c".to_owned(),
                format: Format::Protobuf,
                set: "s".to_owned(),
                model: "M".to_owned(),
                writers: Vec::new(),
                values: "values/s/M.json".to_owned(),
                bytes: 0,
                sha256: String::new(),
            },
            writer: writer.to_owned(),
            bytes: bytes.to_vec(),
        }
    }

    /// Takes what was written and gives the files of the case, as they are and as listed.
    fn take(root: &Path, fresh: Vec<Fresh>) -> Vec<(String, Vec<u8>)> {
        let mut store = Store::find(Some(root)).unwrap();
        let next = Next::of(&store).unwrap();
        put(&mut store, &next, fresh).unwrap();
        next.take(&store.manifest).unwrap();
        let store = Store::find(Some(root)).unwrap();
        assert_eq!(super::super::verify::verify(&store).unwrap(), []);
        let files = store.manifest.files.iter();
        files
            .map(|file| (file.file.clone(), store.read(&file.file).unwrap()))
            .collect()
    }

    #[test]
    fn writers_of_the_same_bytes_share_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("golden");
        store(&root);
        let file = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
        let all = take(&root, vec![fresh("a", b"1"), fresh("b", b"1")]);
        assert_eq!(all, [file("protobuf/s/M.bin", b"1")]);
        // One of two writes other bytes: both files are named.
        let all = take(&root, vec![fresh("a", b"2")]);
        let (ones, twos) = (
            file("protobuf/s/M@b.bin", b"1"),
            ("protobuf/s/M@a.bin", b"2"),
        );
        assert_eq!(all, [file(twos.0, twos.1), ones.clone()]);
        // A third joins the second; then the first agrees with both.
        let all = take(&root, vec![fresh("c", b"2")]);
        assert_eq!(all, [file("protobuf/s/M@a+c.bin", b"2"), ones]);
        let all = take(&root, vec![fresh("b", b"2")]);
        assert_eq!(all, [file("protobuf/s/M.bin", b"2")]);
    }

    #[test]
    fn a_damaged_file_is_not_listed_anew() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("golden");
        store(&root);
        take(&root, vec![fresh("a", b"1")]);
        std::fs::write(root.join("protobuf/s/M.bin"), b"x").unwrap();
        let mut store = Store::find(Some(&root)).unwrap();
        let next = Next::of(&store).unwrap();
        let failure = put(&mut store, &next, vec![fresh("b", b"1")]).unwrap_err();
        assert!(failure.text.contains("MANIFEST says"), "{failure}");
    }
}
