//! Hands on what only a build script is told: compiler, target, profile and flags.

use std::process::Command;

fn main() {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let rustc = Command::new(variable("RUSTC")).arg("--version").output();
    let rustc = rustc
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default();
    println!("cargo::rustc-env=SETUP_RUSTC={rustc}");
    println!("cargo::rustc-env=SETUP_TARGET={}", variable("TARGET"));
    // `PROFILE` only tells release from debug; the directory has the profile's own name:
    // target/<profile>/build/<package>/out.
    let out = variable("OUT_DIR");
    let profile = std::path::Path::new(&out).ancestors().nth(3);
    let profile = profile.and_then(|dir| dir.file_name()).unwrap_or_default();
    println!("cargo::rustc-env=SETUP_PROFILE={}", profile.display());
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    println!("cargo::rustc-env=SETUP_RUSTFLAGS={flags}");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    println!("cargo::rerun-if-changed=build.rs");
}
