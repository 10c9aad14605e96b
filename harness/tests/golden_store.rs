//! Changing the golden directory: by live libraries, by import, and cut short at any moment.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const TESTKIT: &str = env!("CARGO_BIN_EXE_interop-testkit");
const CASE: &str = "msgpack/canonical/NumericStruct";

/// All files of a directory with their bytes.
type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// A copy of the golden files, with a peer beside it.
struct Project {
    dir: TempDir,
}

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Project {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
        copy(&golden, &dir.path().join("golden"));
        Self { dir }
    }

    fn golden(&self) -> PathBuf {
        self.dir.path().join("golden")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interop-check"));
        command.args(arguments).arg("--golden").arg(self.golden());
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        read(&self.golden(), &mut tree);
        tree
    }

    /// Everything is as MANIFEST says, and nothing else lies about.
    fn assert_whole(&self) {
        let verify = self.run(&["golden", "verify"]);
        assert_eq!(verify.code, 0, "{}", verify.stdout);
    }

    fn peer(&self, arguments: &[&str]) {
        let folder = self.dir.path().join("peers/testkit");
        fs::create_dir_all(&folder).unwrap();
        let argv: Vec<_> = [TESTKIT].iter().chain(arguments).collect();
        let toml = format!(
            "language = \"testkit\"\nbuild = [\"true\"]\nrun = {argv:?}\nversions = [\"true\"]\n"
        );
        fs::write(folder.join("peer.toml"), toml).unwrap();
    }

    /// Lets the peer's library write its golden files again.
    fn regenerate(&self, more: &[&str]) -> Run {
        let peers = self.dir.path().join("peers");
        let peers = ["--peers", peers.to_str().unwrap()];
        let arguments = ["golden", "regenerate", "--live", "--format", "msgpack"];
        self.run(&[&arguments[..], &peers, more].concat())
    }

    /// Bytes to import, at this place of a directory.
    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.dir.path().join("import").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn import(&self, provenance: &[&str]) -> Run {
        let from = self.dir.path().join("import");
        let from = from.to_str().unwrap();
        let arguments = [
            "golden",
            "import",
            from,
            "--writer",
            "testkit",
            "--provenance",
        ];
        self.run(&[&arguments, provenance].concat())
    }

    /// Makes the peer's library the writer of one file.
    fn with_testkit() -> Self {
        let project = Self::new();
        let bytes = fs::read(project.golden().join(format!("{CASE}.bin"))).unwrap();
        project.put(&format!("{CASE}.bin"), &bytes);
        let library = format!("library=testkit {}", env!("CARGO_PKG_VERSION"));
        let run = project.import(&[&library, "dialect=python", "made=2026-12-01"]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stdout
                .contains(": as cpp, cpp-native, go, python, rust")
        );
        project.assert_whole();
        project.peer(&["none"]);
        project
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn read(dir: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, tree);
        } else {
            let bytes = fs::read(&path).unwrap();
            tree.insert(path, bytes);
        }
    }
}

#[test]
fn a_library_writes_its_files_again() {
    let project = Project::with_testkit();
    let before = project.tree();
    let run = project.regenerate(&[]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let same = "msgpack testkit: 1 of 1 files written again to the same bytes";
    assert!(run.stdout.contains(same), "{}", run.stdout);
    for left in [
        "msgpack-cxx 4.1.3",
        "vmihailenco/msgpack 5.4.1",
        "rmp-serde",
    ] {
        assert!(run.stdout.contains(left), "{}", run.stdout);
    }
    assert_eq!(project.regenerate(&["--accept"]).code, 0);
    assert_eq!(project.tree(), before);
}

#[test]
fn what_changed_is_explained_and_taken_only_when_accepted() {
    let project = Project::with_testkit();
    let before = project.tree();
    project.peer(&["wrong-value", "1"]);
    let run = project.regenerate(&[]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    for says in [
        "NumericStruct.bin as testkit: 87 -> 88 bytes, WHAT IS NEW DOES NOT DECODE",
        "1 files would change; take them with --accept",
    ] {
        assert!(run.stdout.contains(says), "{}", run.stdout);
    }
    assert_eq!(project.tree(), before);

    let run = project.regenerate(&["--accept"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    project.assert_whole();
    let golden = project.golden();
    let bytes = |name: &str| fs::read(golden.join(name)).unwrap();
    let old = &before[&golden.join(format!("{CASE}.bin"))];
    assert_eq!(
        bytes(&format!("{CASE}@cpp+cpp-native+go+python+rust.bin")),
        *old
    );
    assert_eq!(
        bytes(&format!("{CASE}@testkit.bin")),
        [&old[..], &[0]].concat()
    );
    assert!(!golden.join(format!("{CASE}.bin")).exists());
    // When it writes as before, there is one file again; only the day on which it ran is new.
    project.peer(&["none"]);
    assert_eq!(project.regenerate(&["--accept"]).code, 0);
    project.assert_whole();
    let mut after = project.tree();
    let mut before = before;
    let manifest = golden.join("MANIFEST");
    let files = |text: &[u8]| {
        let text = String::from_utf8(text.to_vec()).unwrap();
        text.split_once("\"files\":[").unwrap().1.to_owned()
    };
    let (old, new) = (before.remove(&manifest), after.remove(&manifest));
    assert_eq!(files(&old.unwrap()), files(&new.unwrap()));
    assert_eq!(before, after);
}

#[test]
fn a_writer_that_does_not_run_or_in_another_version_is_left_alone() {
    let project = Project::with_testkit();
    let manifest = project.golden().join("MANIFEST");
    let text = fs::read_to_string(&manifest).unwrap();
    let of_now = format!("testkit {}", env!("CARGO_PKG_VERSION"));
    fs::write(&manifest, text.replace(&of_now, "testkit 0.0.7 beta")).unwrap();
    let before = project.tree();
    // Its bytes would be others; but they are not asked for.
    project.peer(&["wrong-value", "1"]);
    let left = format!(
        "left alone: testkit (bench/msgpack): 0.0.7 is recorded (testkit 0.0.7 beta); {} runs",
        env!("CARGO_PKG_VERSION")
    );
    let run = project.regenerate(&["--accept"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(&left), "{}", run.stdout);
    let run = project.regenerate(&["--accept", "--writer", "testkit"]);
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    project.peer(&["no-start"]);
    let run = project.regenerate(&["--accept"]);
    let left = "left alone: testkit (bench/msgpack): testkit 0.0.7 beta does not run";
    assert!(run.stdout.contains(left), "{}", run.stdout);
    assert_eq!(project.tree(), before);
}

#[test]
fn nothing_is_taken_when_the_peer_breaks_off() {
    let project = Project::with_testkit();
    let before = project.tree();
    for fault in ["crash", "noise", "wrong-id"] {
        project.peer(&[fault, "0", "msgpack"]);
        let run = project.regenerate(&["--accept"]);
        assert_eq!(run.code, 3, "{fault}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("the testkit peer"), "{}", run.stdout);
    }
    assert_eq!(project.tree(), before);
}

#[test]
fn an_import_is_what_it_says_or_nothing() {
    let project = Project::new();
    let before = project.tree();
    let good = fs::read(project.golden().join(format!("{CASE}.bin"))).unwrap();
    let full = ["library=testkit 1.0", "dialect=python"];
    let refused = |project: &Project, provenance: &[&str], code: i32, says: &str| {
        let run = project.import(provenance);
        let text = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, code, "{text}");
        assert!(text.contains(says), "{says}: {text}");
    };
    fs::create_dir(project.dir.path().join("import")).unwrap();
    refused(&project, &full, 2, "no files");
    project.put(&format!("{CASE}.bin"), &good);
    refused(&project, &["made=2026-12-01"], 2, "lacks library=");
    refused(&project, &["library=testkit 1.0"], 2, "no dialect testkit");
    refused(
        &project,
        &["library=l 1", "made=yesterday"],
        2,
        "YYYY-MM-DD",
    );
    refused(&project, &["library=l 1", "color=red"], 2, "the keys are");
    project.put("msgpack/canonical/Stranger.bin", &good);
    refused(&project, &full, 2, "msgpack/canonical/Stranger.bin");
    fs::remove_file(
        project
            .dir
            .path()
            .join("import/msgpack/canonical/Stranger.bin"),
    )
    .unwrap();
    // Good bytes of another set are another value; cut ones are none.
    project.put("msgpack/zero/NumericStruct.bin", &good);
    refused(
        &project,
        &full,
        1,
        "msgpack/zero/NumericStruct: another value: field f1",
    );
    project.put("msgpack/zero/NumericStruct.bin", &good[..good.len() - 1]);
    refused(&project, &full, 1, "does not decode");
    assert_eq!(project.tree(), before);

    // A form of its own: the first int in more bytes than it needs. Found by the name of the
    // field in front of it.
    let other = widened(&good);
    project.put(&format!("{CASE}.bin"), &other);
    fs::remove_file(
        project
            .dir
            .path()
            .join("import/msgpack/zero/NumericStruct.bin"),
    )
    .unwrap();
    let run = project.import(&full);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("as nobody else's"), "{}", run.stdout);
    project.assert_whole();
    let file = project.golden().join(format!("{CASE}@testkit.bin"));
    assert_eq!(fs::read(file).unwrap(), other);
    // Once more is nothing new; what is there is not overwritten, nor another version mixed in.
    let after = project.tree();
    assert!(project.import(&full).stdout.contains("nothing new"));
    project.put(&format!("{CASE}.bin"), &good);
    refused(&project, &full, 1, "has other bytes already");
    refused(
        &project,
        &["library=testkit 2.0", "dialect=python"],
        2,
        "another writer",
    );
    assert_eq!(project.tree(), after);
}

/// The same MessagePack with the value behind the name `f1` as a 32-bit int.
fn widened(bytes: &[u8]) -> Vec<u8> {
    let name = [0xa2, b'f', b'1'];
    let at = bytes.windows(3).position(|window| window == name).unwrap() + 3;
    let (value, rest) = match bytes[at] {
        small @ ..0x80 => (i32::from(small), &bytes[at + 1..]),
        small @ 0xe0.. => (i32::from(small as i8), &bytes[at + 1..]),
        0xcc | 0xd0 => (i32::from(bytes[at + 1]), &bytes[at + 2..]),
        0xcd | 0xd1 => (
            i32::from(i16::from_be_bytes([bytes[at + 1], bytes[at + 2]])),
            &bytes[at + 3..],
        ),
        other => panic!("a form of more than 16 bits: {other:#x}"),
    };
    [&bytes[..at], &[0xd2], &value.to_be_bytes(), rest].concat()
}

/// Cut short by a signal that can't be caught, from before the first file until after the last,
/// the directory is the old one or the new one.
#[cfg(unix)]
#[test]
fn cut_short_at_any_moment_it_is_the_old_or_the_new() {
    let arguments = ["golden", "regenerate", "--writer", "interop", "--accept"];
    let project = Project::new();
    let old = project.tree();
    let run = project.run(&arguments);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    project.assert_whole();
    let strip = |project: &Project, tree: Tree| -> BTreeMap<PathBuf, Vec<u8>> {
        let inside = |path: PathBuf| path.strip_prefix(project.golden()).unwrap().to_owned();
        tree.into_iter()
            .map(|(path, bytes)| (inside(path), bytes))
            .collect()
    };
    let (old, new) = (strip(&project, old), strip(&project, project.tree()));
    assert_ne!(old, new);

    let (mut left_old, mut left_new) = (0, 0);
    for step in 0..24_u64 {
        let project = Project::new();
        let mut child = project
            .command(&arguments)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The next directory shows that the change has begun.
        let started = Instant::now();
        let begun = || {
            let entries = fs::read_dir(project.dir.path()).unwrap().flatten();
            entries
                .filter(|entry| {
                    entry
                        .file_name()
                        .to_string_lossy()
                        .starts_with(".golden-next")
                })
                .count()
                > 0
        };
        while step > 0 && !begun() && child.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < Duration::from_secs(60));
        }
        std::thread::sleep(Duration::from_micros(step * 1500));
        child.kill().unwrap();
        child.wait().unwrap();
        project.assert_whole();
        let tree = strip(&project, project.tree());
        assert!(tree == old || tree == new, "a mixture after step {step}");
        left_old += usize::from(tree == old);
        left_new += usize::from(tree == new);
        // The next run ends as if nothing had been, and where it changes anything it removes
        // what lies about.
        let run = project.run(&arguments);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        assert!(strip(&project, project.tree()) == new);
        let abandoned = begun();
        assert!(!abandoned || tree == new, "step {step}");
    }
    println!("old after {left_old}, new after {left_new}");
    assert!(left_old > 0, "never cut short in time");
}
