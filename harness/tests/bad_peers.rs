//! The whole program with a peer that misbehaves beside one that does not: it ends in time, with
//! the exit status that the README gives, blames the bad peer for the cells that it spoilt and
//! for no other, and keeps what the good one showed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const TESTKIT: &str = env!("CARGO_BIN_EXE_interop-testkit");

/// Golden files, and a folder with the peers "bad" and "good".
struct Project {
    dir: TempDir,
}

struct Run {
    code: i32,
    json: Value,
    stderr: String,
    taken: Duration,
}

impl Project {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
        copy(&golden, &dir.path().join("golden"));
        // No entry of these is about the peers here.
        fs::write(dir.path().join("golden/known-failures.toml"), "").unwrap();
        let project = Self { dir };
        project.peer("good", &["none"]);
        project.peer("bad", &["none"]);
        let written = project.program(&["peers", "support", "--write"]);
        assert!(written.status.success());
        project
    }

    fn peer(&self, language: &str, arguments: &[&str]) {
        let folder = self.dir.path().join("peers").join(language);
        fs::create_dir_all(&folder).unwrap();
        let argv: Vec<_> = [TESTKIT].iter().chain(arguments).collect();
        let toml = format!(
            "language = {language:?}\nbuild = [\"true\"]\nrun = {argv:?}\nversions = [\"true\"]\n"
        );
        fs::write(folder.join("peer.toml"), toml).unwrap();
    }

    fn program(&self, arguments: &[&str]) -> std::process::Output {
        Command::new(env!("CARGO_BIN_EXE_interop-check"))
            .args(arguments)
            .arg("--golden")
            .arg(self.dir.path().join("golden"))
            .arg("--peers")
            .arg(self.dir.path().join("peers"))
            .output()
            .unwrap()
    }

    /// The check of `NumericStruct`, set canonical, with a bad peer of this kind.
    fn check(&self, bad: &[&str]) -> Run {
        self.peer("bad", bad);
        let started = Instant::now();
        let output = self.program(&[
            "check",
            "--live",
            "--require=all",
            "--output=json",
            "--model=NumericStruct",
            "--set=canonical",
            "-k=live/*",
            "--start-deadline-ms=4000",
            "--answer-deadline-ms=1000",
            "--peer-memory-mib=400",
        ]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let json = serde_json::from_slice(&output.stdout);
        Run {
            code: output.status.code().unwrap(),
            json: json.unwrap_or_else(|error| panic!("{bad:?}: {error}: {stderr}")),
            stderr,
            taken: started.elapsed(),
        }
    }
}

impl Run {
    fn failures(&self, kind: &str) -> Vec<&Value> {
        let failures = self.json["failures"].as_array().unwrap().iter();
        failures.filter(|failure| failure["kind"] == kind).collect()
    }

    fn cells(&self) -> u64 {
        self.json["cells"].as_u64().unwrap()
    }

    /// The cells that failed, each with its verdict.
    fn spoilt(&self) -> BTreeSet<(String, String)> {
        let text = |failure: &Value, key: &str| failure[key].as_str().unwrap().to_owned();
        let failures = self.failures("cell").into_iter();
        failures
            .map(|failure| (text(failure, "cell"), text(failure, "verdict")))
            .collect()
    }

    /// The message of every fault of a peer, with its name.
    fn peers(&self) -> Vec<(String, String)> {
        let text = |failure: &Value, key: &str| failure[key].as_str().unwrap().to_owned();
        let failures = self.failures("peer").into_iter();
        failures
            .map(|failure| (text(failure, "peer"), text(failure, "message")))
            .collect()
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

/// How many cells a run has in which nothing is wrong.
fn cells_of_a_sound(sound: &Run) -> u64 {
    assert_eq!(
        (sound.code, sound.json["failures"].as_array().unwrap().len()),
        (0, 0),
        "{:#}",
        sound.json
    );
    sound.cells()
}

/// A fault of the peer in one cell: the check says how, and goes on.
#[test]
fn what_a_peer_spoils_is_the_verdict_of_its_cells() {
    let project = Project::new();
    let all = cells_of_a_sound(&project.check(&["none"]));
    for (fault, verdicts, says) in [
        ("wrong-value", &["different-value"][..], "field "),
        ("crash", &["crashed"], "about to fall over"),
        ("exit", &["crashed"], "ended with"),
        ("hang", &["timeout"], "no answer within 1000 ms"),
        ("eat-memory", &["crashed"], "400 MiB are allowed"),
    ] {
        let run = project.check(&[fault, "0", "msgpack"]);
        assert_eq!(run.code, 1, "{fault}: {:#} {}", run.json, run.stderr);
        assert!(
            run.taken < Duration::from_secs(60),
            "{fault}: {:?}",
            run.taken
        );
        assert_eq!(run.peers(), [], "{fault}");
        blame(fault, &run, verdicts);
        let said = run.failures("cell");
        let said = said.iter().filter(|cell| {
            let message = cell["message"].as_str().unwrap();
            message.contains(says)
        });
        assert!(said.count() > 0, "{fault}: {:#}", run.json);
        // What the bad peer does not write can't be read: only those cells are not there.
        let unread = if fault == "wrong-value" { 0 } else { 3 };
        assert_eq!(run.cells(), all - unread, "{fault}");
    }
}

/// A peer that breaks the protocol can't be trusted: status 3, whatever the cells show.
#[test]
fn a_peer_that_lies_fails_the_harness() {
    let project = Project::new();
    for (fault, says) in [
        ("wrong-id", "which was never made"),
        ("wrong-kind", "answers another kind of request"),
        ("empty", "is empty"),
        ("twice", "which is not open"),
        ("noise", "debug: here"),
        ("no-frame", "is no Reply"),
        ("truncate", "not a sequence of frames"),
        ("flood", "is no Reply"),
    ] {
        let run = project.check(&[fault, "0", "msgpack"]);
        assert_eq!(run.code, 3, "{fault}: {:#} {}", run.json, run.stderr);
        assert!(
            run.taken < Duration::from_secs(60),
            "{fault}: {:?}",
            run.taken
        );
        assert_eq!(run.json["verdict"], "incomplete", "{fault}");
        let peers = run.peers();
        assert!(peers.iter().all(|(peer, _)| peer == "bad"), "{peers:?}");
        let said = peers.iter().any(|(_, message)| message.contains(says));
        assert!(said, "{fault}: {peers:?}");
        blame(fault, &run, &["crashed", "unsupported"]);
        let good = &run.json["by_writer"]["good/dynamic"];
        assert!(good["passed"].as_u64().unwrap() > 0, "{fault}: {good}");
    }
}

/// A peer that does not come up: status 3, and the good one's cells are those of a run without.
#[test]
fn a_peer_that_does_not_start_costs_nobody_else_anything() {
    let project = Project::new();
    let with_both = project.check(&["none"]).cells();
    let mut cells = BTreeSet::new();
    for (fault, says) in [
        ("no-start", "exit status: 4"),
        ("slow-start", "no answer within 4000 ms"),
        ("noise-at-start", "Welcome to the peer!"),
    ] {
        let run = project.check(&[fault]);
        assert_eq!(run.code, 3, "{fault}: {:#} {}", run.json, run.stderr);
        assert!(
            run.taken < Duration::from_secs(30),
            "{fault}: {:?}",
            run.taken
        );
        let peers = run.peers();
        assert_eq!(peers.len(), 1, "{peers:?}");
        assert_eq!(peers[0].0, "bad");
        assert!(peers[0].1.contains(says), "{fault}: {peers:?}");
        assert_eq!(run.spoilt(), BTreeSet::new(), "{fault}");
        assert!(
            run.json["by_writer"]["good/dynamic"]["passed"]
                .as_u64()
                .unwrap()
                > 0
        );
        cells.insert(run.cells());
    }
    assert_eq!(cells.len(), 1);
    assert!(cells.first() < Some(&with_both));
}

/// One that answers slowly but in time is no bad peer.
#[test]
fn a_peer_that_comes_up_late_but_in_time_is_waited_for() {
    let project = Project::new();
    let run = project.check(&["late-start"]);
    assert_eq!(run.code, 0, "{:#} {}", run.json, run.stderr);
    assert!(run.taken > Duration::from_secs(1), "{:?}", run.taken);
}

/// Only MessagePack of the bad peer is blamed, with one of these verdicts.
fn blame(fault: &str, run: &Run, verdicts: &[&str]) {
    let spoilt = run.spoilt();
    for (cell, verdict) in &spoilt {
        let by_bad = cell.contains("@bad/dynamic/") || cell.ends_with("/read-by/bad/dynamic");
        assert!(
            by_bad && cell.starts_with("live/msgpack/"),
            "{fault}: {cell}"
        );
        let refused_by_others = verdict == "refused" && cell.contains("@bad/dynamic/");
        assert!(
            verdicts.contains(&verdict.as_str()) || refused_by_others,
            "{fault}: {cell}: {verdict}"
        );
    }
    let written = "live/msgpack/canonical/NumericStruct@bad/dynamic/write";
    let read = "live/msgpack/canonical/NumericStruct@good/dynamic/read-by/bad/dynamic";
    // Who answers twice has given the right answer first.
    if fault == "twice" {
        assert_eq!(spoilt.len(), 0);
    } else {
        for cell in [written, read] {
            assert!(
                spoilt.iter().any(|(name, _)| name == cell),
                "{fault}: {cell}"
            );
        }
    }
}
