//! `peer.toml`: how a peer is built, started and asked for its versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::process::Program;

/// A peer as its `peer.toml` declares it. Arguments may hold `{root}` (the project),
/// `{peer}` (the folder of the file) and `{build}` (where the peer may write).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// Language, which is also the name of the peer.
    pub language: String,
    /// Command that builds the peer; run again, it does only what is out of date.
    pub build: Vec<String>,
    /// Command that starts it.
    pub run: Vec<String>,
    /// Command that prints the versions of everything involved.
    pub versions: Vec<String>,
    /// Commands that must be there before a build makes sense.
    #[serde(default)]
    pub requires: Vec<Requirement>,
    /// Processes to run, where one is not enough; by default one with the language's name.
    #[serde(default)]
    pub process: Vec<ProcessDeclaration>,
    /// Folder of the `peer.toml`.
    #[serde(skip)]
    pub directory: PathBuf,
}

/// Something that a peer needs before a build makes sense: a command on the PATH, or whatever
/// `check` finds out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Command on the PATH.
    #[serde(default)]
    pub command: Option<String>,
    /// Name of what `check` looks for.
    #[serde(default)]
    pub name: Option<String>,
    /// Command that succeeds if it is there.
    #[serde(default)]
    pub check: Vec<String>,
    /// Command that prints its version.
    #[serde(default)]
    pub version: Vec<String>,
    /// Lowest version that will do.
    #[serde(default)]
    pub minimum: Option<String>,
    /// Debian packages that bring it.
    #[serde(default)]
    pub debian: Vec<String>,
}

impl Requirement {
    /// What is needed, in a word.
    pub fn label(&self) -> &str {
        let label = self.command.as_ref().or(self.name.as_ref());
        label.map_or("?", String::as_str)
    }

    /// True when the first number in `shown`, what its version command prints, is below the
    /// lowest that will do. What shows no number is let pass.
    pub fn is_too_old(&self, shown: &str) -> bool {
        let number = |text: &str| -> Vec<u64> {
            let start = text.find(|c: char| c.is_ascii_digit());
            let rest = start.map_or("", |start| &text[start..]);
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            let parts = rest[..end.unwrap_or(rest.len())].split('.');
            parts.map_while(|part| part.parse().ok()).collect()
        };
        let (least, is) = (self.minimum.as_deref().map(number), number(shown));
        least.is_some_and(|least| !is.is_empty() && is < least)
    }
}

/// One process of a peer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessDeclaration {
    /// Name in reports.
    pub name: String,
    /// Variables of its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Arguments behind those of `run`.
    #[serde(default)]
    pub args: Vec<String>,
}

/// The folders that a peer's commands may name.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The project.
    pub root: PathBuf,
    /// Where builds go; each peer gets a folder of its language's name inside.
    pub build: PathBuf,
}

impl Declaration {
    /// Reads one `peer.toml`.
    ///
    /// # Errors
    /// A sentence with the file's name.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let mut declaration: Self =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        declaration.directory = file.parent().unwrap_or(Path::new(".")).to_owned();
        if declaration.run.is_empty() || declaration.build.is_empty() {
            return Err(format!(
                "{}: `build` and `run` must not be empty",
                file.display()
            ));
        }
        if declaration.process.is_empty() {
            declaration.process.push(ProcessDeclaration {
                name: declaration.language.clone(),
                env: BTreeMap::new(),
                args: Vec::new(),
            });
        }
        Ok(declaration)
    }

    /// Reads all peers below `directory`, by language.
    ///
    /// # Errors
    /// When the directory or a file can't be read.
    pub fn read_all(directory: &Path) -> Result<Vec<Self>, String> {
        let entries = std::fs::read_dir(directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
        let mut files: Vec<_> = entries
            .flatten()
            .map(|entry| entry.path().join("peer.toml"))
            .filter(|file| file.is_file())
            .collect();
        files.sort();
        files.iter().map(|file| Self::read(file)).collect()
    }

    /// Where this peer's build goes.
    pub fn build_directory(&self, folders: &Folders) -> PathBuf {
        folders.build.join(&self.language)
    }

    fn fill(&self, folders: &Folders, argv: &[String]) -> Vec<String> {
        let build = self.build_directory(folders);
        argv.iter()
            .map(|arg| {
                arg.replace("{root}", &folders.root.to_string_lossy())
                    .replace("{peer}", &self.directory.to_string_lossy())
                    .replace("{build}", &build.to_string_lossy())
            })
            .collect()
    }

    /// The command that builds the peer.
    pub fn build_program(&self, folders: &Folders) -> Program {
        self.program(folders, &self.language, &self.build, BTreeMap::new())
    }

    /// The command that prints its versions.
    pub fn versions_program(&self, folders: &Folders) -> Program {
        self.program(folders, &self.language, &self.versions, BTreeMap::new())
    }

    /// The processes to talk to.
    pub fn programs(&self, folders: &Folders) -> Vec<Program> {
        let program = |process: &ProcessDeclaration| {
            let argv: Vec<_> = self.run.iter().chain(&process.args).cloned().collect();
            self.program(folders, &process.name, &argv, process.env.clone())
        };
        self.process.iter().map(program).collect()
    }

    fn program(
        &self,
        folders: &Folders,
        name: &str,
        argv: &[String],
        env: BTreeMap<String, String>,
    ) -> Program {
        Program {
            name: name.to_owned(),
            argv: self.fill(folders, argv),
            env,
            directory: Some(folders.root.clone()),
        }
    }

    /// The requirements that are not met. Commands are looked up on the PATH; `check`
    /// commands are run by the caller through `succeeds`.
    pub fn missing(&self, succeeds: impl Fn(&[String]) -> bool) -> Vec<&Requirement> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let directories: Vec<_> = std::env::split_paths(&path).collect();
        let present = |command: &str| directories.iter().any(|dir| dir.join(command).is_file());
        self.requires
            .iter()
            .filter(|requirement| match &requirement.command {
                Some(command) => !present(command),
                None => !succeeds(&requirement.check),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        let need: Requirement = toml::from_str("command = \"x\"\nminimum = \"3.9\"").unwrap();
        for (shown, too_old) in [
            ("Python 3.11.7", false),
            ("Python 3.9", false),
            ("Python 3.8.20 (default)", true),
            ("go version go1.26.8 linux/amd64", true),
            ("v22.1.0", false),
            ("no number", false),
        ] {
            assert_eq!(need.is_too_old(shown), too_old, "{shown}");
        }
    }
}
