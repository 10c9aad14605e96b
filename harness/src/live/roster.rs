//! Which implementations there are today, and which there should be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use interop_codec::Format;
use serde::{Deserialize, Serialize};

use super::LiveArgs;
use crate::check::plan::NotRun;
use crate::exit::{Failure, Result};
use crate::peer::declare::{Declaration, Folders};
use crate::peer::process::{Program, run_command};
use crate::peer::proto::Capability;
use crate::peer::supervise::{Bounds, introduce};

/// The reason for leaving out a peer that --target does not name.
pub const NOT_ASKED_FOR: &str = "not asked for";

/// One library of one peer in one format.
#[derive(Clone, Debug)]
pub struct Implementation {
    /// Index into [`Roster::programs`].
    pub program: usize,
    /// Name within its peer.
    pub local_name: String,
    /// "java/protobuf-java".
    pub name: String,
    /// Of the library.
    pub version: String,
    /// Format.
    pub format: Format,
    /// What it can do.
    pub capability: Capability,
}

/// All live implementations.
#[derive(Debug, Default)]
pub struct Roster {
    /// Processes that came up.
    pub programs: Vec<Program>,
    /// What they offer, in the order of programs and of their own listing.
    pub implementations: Vec<Implementation>,
    /// Implementations that a peer knows and can't offer here, with the reason.
    pub unavailable: Vec<(String, String)>,
    /// Peers that were left out, with the reason.
    pub skipped: Vec<NotRun>,
    /// Peers that should have come up and did not.
    pub faults: Vec<(String, String)>,
    /// What each process may take.
    pub bounds: Bounds,
}

/// Runs futures on a runtime of this thread.
///
/// # Errors
/// Exit 3 when the runtime can't be made.
pub fn block_on<F: Future>(future: F) -> Result<F::Output> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::harness(format!("cannot start the runtime: {error}")))?;
    Ok(runtime.block_on(future))
}

/// True when the command succeeds.
pub fn succeeds(argv: &[String]) -> bool {
    let program = Program {
        name: String::new(),
        argv: argv.to_vec(),
        env: BTreeMap::new(),
        directory: None,
    };
    run_command(&program, true).is_ok()
}

impl Roster {
    /// Starts every declared peer that is asked for and asks what it offers.
    ///
    /// # Errors
    /// Exit 2 for an unknown language, exit 3 when a required peer is skipped.
    pub fn assemble(
        args: &LiveArgs,
        declarations: &[Declaration],
        folders: &Folders,
    ) -> Result<Self> {
        let known: Vec<_> = declarations.iter().map(|d| d.language.as_str()).collect();
        let every = |languages: &[String]| languages.iter().any(|language| language == "all");
        for language in args.require.iter().chain(&args.target) {
            if language != "all" && !known.contains(&language.as_str()) {
                return Err(Failure::usage(format!("no peer speaks {language}"))
                    .hint(format!("known languages: {}", known.join(", "))));
            }
        }
        let mut roster = Self {
            bounds: args.bounds.bounds(),
            ..Self::default()
        };
        let mut wanted = Vec::new();
        for declaration in declarations {
            let language = &declaration.language;
            let targeted =
                args.target.is_empty() || every(&args.target) || args.target.contains(language);
            if !targeted {
                roster.skip(language, NOT_ASKED_FOR);
                continue;
            }
            let missing = declaration.missing(succeeds);
            if missing.is_empty() {
                wanted.push(declaration);
                continue;
            }
            let names: Vec<_> = missing
                .iter()
                .map(|requirement| requirement.label())
                .collect();
            let reason = format!("{} missing", names.join(", "));
            if every(&args.require) || args.require.contains(language) {
                return Err(
                    Failure::harness(format!("the {language} peer can't run: {reason}"))
                        .hint("interop-check peers doctor says how to install it"),
                );
            }
            roster.skip(language, &reason);
        }
        let programs: Vec<(&str, Program)> = wanted
            .iter()
            .flat_map(|declaration| {
                let programs = declaration.programs(folders);
                programs
                    .into_iter()
                    .map(|program| (declaration.language.as_str(), program))
            })
            .collect();
        let bounds = roster.bounds;
        let welcomes = block_on(futures_util::future::join_all(
            programs
                .iter()
                .map(|(_, program)| introduce(program, &bounds)),
        ))?;
        for ((language, program), welcome) in programs.iter().zip(welcomes) {
            match welcome {
                Ok(welcome) => roster.enlist(program.clone(), welcome.implementations),
                Err(fault) => roster.faults.push((
                    program.name.clone(),
                    format!("{fault}; is it built? interop-check peers build {language}"),
                )),
            }
        }
        Ok(roster)
    }

    fn skip(&mut self, language: &str, reason: &str) {
        self.skipped.push(NotRun {
            what: format!("the {language} peer"),
            cells: 0,
            reason: reason.to_owned(),
        });
    }

    fn enlist(
        &mut self,
        program: Program,
        implementations: Vec<crate::peer::proto::Implementation>,
    ) {
        let index = self.programs.len();
        for implementation in implementations {
            if !implementation.unavailable.is_empty() {
                let name = format!("{}/{}", program.name, implementation.name);
                self.unavailable.push((name, implementation.unavailable));
            }
            for capability in implementation.capabilities {
                let Ok(format) = capability.format.parse() else {
                    let fault = format!("it offers a format {:?}", capability.format);
                    self.faults.push((program.name.clone(), fault));
                    continue;
                };
                self.implementations.push(Implementation {
                    program: index,
                    local_name: implementation.name.clone(),
                    name: format!("{}/{}", program.name, implementation.name),
                    version: implementation.version.clone(),
                    format,
                    capability,
                });
            }
        }
        self.programs.push(program);
    }
}

/// The committed support table: what each implementation must offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Support {
    /// One row an implementation and format.
    #[serde(default)]
    pub support: Vec<Row>,
}

/// A row of the support table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// "java/protobuf-java".
    pub implementation: String,
    /// Format.
    pub format: String,
    /// "encode", "decode", "reencode", "bench".
    pub operations: Vec<String>,
    /// Full names of the messages.
    pub models: Vec<String>,
}

impl Support {
    /// Reads the table; an absent file is an empty table.
    ///
    /// # Errors
    /// Exit 2 when it does not parse.
    pub fn load(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Ok(Self::default());
        }
        let fail =
            |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| fail(&error))?;
        toml::from_str(&text).map_err(|error| fail(&error))
    }

    /// The table that says what is there now. Rows of peers that did not run are kept from
    /// `self`.
    pub fn updated(&self, roster: &Roster) -> Self {
        let live: BTreeSet<_> = roster.programs.iter().map(|p| p.name.as_str()).collect();
        let kept = self.support.iter().filter(|row| {
            let peer = row.implementation.split('/').next().unwrap_or_default();
            !live.contains(peer)
        });
        let mut rows: Vec<Row> = kept.cloned().collect();
        rows.extend(roster.implementations.iter().map(row_of));
        rows.sort();
        Self { support: rows }
    }

    /// The table's text, one row a line.
    pub fn print(&self) -> String {
        let mut text = String::from(
            "# What each implementation must offer; `interop-check peers support --write` writes it.\n\
             # A capability that disappears, or a new one that is not listed, fails the live check.\n\n",
        );
        let list = |names: &[String]| {
            let quoted: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
            quoted.join(", ")
        };
        for row in &self.support {
            text.push_str(&format!(
                "[[support]]\nimplementation = {:?}\nformat = {:?}\noperations = [{}]\nmodels = [{}]\n\n",
                row.implementation,
                row.format,
                list(&row.operations),
                list(&row.models)
            ));
        }
        text
    }

    /// Where the live implementations of running peers and the table part.
    pub fn deviations(&self, roster: &Roster) -> Vec<(String, String)> {
        let now = self.updated(roster);
        let mut deviations = Vec::new();
        let key = |row: &Row| (row.implementation.clone(), row.format.clone());
        let table: BTreeMap<_, _> = self.support.iter().map(|row| (key(row), row)).collect();
        let live: BTreeMap<_, _> = now.support.iter().map(|row| (key(row), row)).collect();
        for ((implementation, format), row) in &table {
            let name = format!("{implementation} {format}");
            match live.get(&(implementation.clone(), format.clone())) {
                None => deviations.push((name, "withdrawn".to_owned())),
                Some(now) => {
                    let lost = lost(&row.operations, &now.operations)
                        .chain(lost(&row.models, &now.models));
                    let lost: Vec<_> = lost.collect();
                    if !lost.is_empty() {
                        deviations.push((name, format!("withdrew {}", lost.join(", "))));
                    }
                }
            }
        }
        for ((implementation, format), row) in &live {
            let name = format!("{implementation} {format}");
            let listed = table.get(&(implementation.clone(), format.clone()));
            let new = match listed {
                None => true,
                Some(listed) => lost(&row.operations, &listed.operations)
                    .chain(lost(&row.models, &listed.models))
                    .next()
                    .is_some(),
            };
            if new {
                let text = "offers more than the support table lists; \
                            interop-check peers support --write";
                deviations.push((name, text.to_owned()));
            }
        }
        deviations
    }
}

fn lost<'a>(before: &'a [String], after: &'a [String]) -> impl Iterator<Item = &'a str> {
    let gone = before.iter().filter(|name| !after.contains(name));
    gone.map(String::as_str)
}

fn row_of(implementation: &Implementation) -> Row {
    let capability = &implementation.capability;
    let operations = [
        ("encode", capability.encode),
        ("decode", capability.decode),
        ("reencode", capability.reencode),
        ("bench", capability.bench),
    ];
    let mut models = capability.models.clone();
    models.sort();
    Row {
        implementation: implementation.name.clone(),
        format: implementation.format.name().to_owned(),
        operations: operations
            .iter()
            .filter(|(_, offered)| *offered)
            .map(|(name, _)| (*name).to_owned())
            .collect(),
        models,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(models: &[&str]) -> Roster {
        let mut roster = Roster::default();
        let program = Program {
            name: "p".to_owned(),
            argv: Vec::new(),
            env: BTreeMap::new(),
            directory: None,
        };
        let capability = Capability {
            format: "protobuf".to_owned(),
            models: models.iter().map(|m| (*m).to_owned()).collect(),
            encode: true,
            ..Capability::default()
        };
        roster.enlist(
            program,
            vec![crate::peer::proto::Implementation {
                name: "i".to_owned(),
                version: "1".to_owned(),
                unavailable: String::new(),
                capabilities: vec![capability],
            }],
        );
        roster
    }

    #[test]
    fn withdrawn_and_unlisted_capabilities_are_deviations() {
        let table = Support::default().updated(&roster(&["a", "b"]));
        assert_eq!(toml::from_str::<Support>(&table.print()).unwrap(), table);
        assert!(table.deviations(&roster(&["b", "a"])).is_empty());
        let fault = &table.deviations(&roster(&["a"]))[0].1;
        assert_eq!(fault, "withdrew b");
        assert_eq!(table.deviations(&roster(&["a", "b", "c"])).len(), 1);
        let none = Roster {
            programs: roster(&[]).programs,
            ..Roster::default()
        };
        assert_eq!(table.deviations(&none)[0].1, "withdrawn");
        assert!(
            table.deviations(&Roster::default()).is_empty(),
            "not running"
        );
    }
}
