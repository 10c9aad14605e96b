//! The check: every golden file both ways, and every test vector.
//!
//! [`plan`] decides which cells there are, [`run`] finds out what each shows, [`judge`] holds
//! that against what is expected and known, and [`human`] and [`json`] print the result. The
//! printers see nothing but the [`judge::Report`].

pub mod human;
pub mod json;
pub mod judge;
mod parallel;
pub mod plan;
pub mod run;

use std::time::Instant;

use crate::cli::CheckArgs;
use crate::exit::{Failure, Result};
use crate::golden::{DataKind, Store};
use crate::known::{self, KnownFailures};

use judge::Report;
use plan::{Plan, Selection};

/// Runs the check that the arguments ask for.
///
/// # Errors
/// Exit 2 when the golden files, the known failures or the selection are unusable.
pub fn check(args: &CheckArgs, store: &Store) -> Result<Report> {
    let started = Instant::now();
    let known = match &args.known_failures {
        Some(path) => KnownFailures::load(path)?,
        None => {
            let path = store.path("known-failures.toml");
            if path.is_file() {
                KnownFailures::load(&path)?
            } else {
                KnownFailures::default()
            }
        }
    };
    let vectors = crate::vectors::load(
        &store
            .manifest
            .data
            .iter()
            .filter(|file| file.kind == DataKind::Vectors)
            .map(|file| store.path(&file.file))
            .collect::<Vec<_>>(),
    )?;
    let plan = Plan::full(&store.manifest, vectors);
    let selection = Selection::new(&args.filters)?;
    let selected = selection.select(&plan);
    if selected.is_empty() {
        return Err(Failure::usage("the filters leave nothing to check")
            .hint("see what there is with: interop-check list --cells"));
    }
    let jobs = args.jobs.unwrap_or_else(parallel::default_jobs);
    let run = run::Run {
        store,
        plan: &plan,
        selected: &selected,
        whole: selection.is_everything(),
        verify_hash: !args.no_verify_hash,
        jobs,
    };
    let results = run.run()?;
    let mut report = judge::judge(&plan, &selected, results, &known, &known::today());
    report.elapsed_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}
