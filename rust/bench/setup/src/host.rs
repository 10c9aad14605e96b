//! What a measurement ran on.

use std::process::Command;

use serde_json::{Value, json};

/// Compiler, with its version.
pub const RUSTC: &str = env!("SETUP_RUSTC");

/// What it compiled for.
pub const TARGET: &str = env!("SETUP_TARGET");

/// Cargo's profile.
pub const PROFILE: &str = env!("SETUP_PROFILE");

/// Flags of the compiler beyond the profile's.
pub const RUSTFLAGS: &str = env!("SETUP_RUSTFLAGS");

/// Machine, build, and commit of the checkout; what can't be found out is null.
pub fn describe(allocator: &str) -> Value {
    let read = |path| std::fs::read_to_string(path).ok();
    let cpu = read("/proc/cpuinfo").and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let kernel = read("/proc/sys/kernel/osrelease").map(|text| text.trim().to_owned());
    let cores = std::thread::available_parallelism().map(usize::from).ok();
    let changed = git(&["status", "--porcelain"]).map(|changes| !changes.is_empty());
    json!({
        "cpu": cpu,
        "cores": cores,
        "kernel": kernel,
        "rustc": RUSTC,
        "target": TARGET,
        "profile": PROFILE,
        "rustflags": RUSTFLAGS,
        "allocator": allocator,
        "commit": git(&["rev-parse", "HEAD"]),
        "uncommitted_changes": changed,
    })
}

fn git(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.args(["-C", env!("CARGO_MANIFEST_DIR")]);
    let output = command.args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
