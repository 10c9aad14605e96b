//! The check: every golden file both ways, and every test vector.
//!
//! [`plan`] decides which cells there are, [`run`] finds out what each shows, [`judge`] holds
//! that against what is expected and known. The printers, one module a form of output, see
//! nothing but the [`judge::Report`] and what [`digest`] draws from it. [`shard`] cuts a check into
//! parts, [`merge`] puts the parts together.

pub mod agreement;
pub mod digest;
pub mod github;
pub mod html;
pub mod human;
pub mod json;
pub mod jsonl;
pub mod judge;
pub mod junit;
pub mod markdown;
pub mod merge;
mod parallel;
pub mod plan;
pub mod run;
pub mod shard;

use std::time::Instant;

use crate::cli::CheckArgs;
use crate::exit::{Failure, Result};
use crate::golden::{DataKind, Store};
use crate::known::{self, KnownFailures};
use crate::live::Live;

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
    let mut plan = Plan::full(&store.manifest, vectors);
    if let Some(shard) = args.shard {
        plan.cut(shard);
    }
    let selection = Selection::new(&args.filters)?.of_shard(args.shard);
    let mut selected = selection.select(&plan);
    let live = if args.live.live {
        crate::live::run(&args.live, store, &selection, &plan.vectors)?
    } else {
        Live::default()
    };
    // A shard may well be empty; whether all of them are, `merge` sees.
    if selected.is_empty() && live.cells.is_empty() && args.shard.is_none() {
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
    let mut results = run.run()?;
    let first_live = plan.cells.len();
    plan.cells.extend(live.cells);
    selected.extend(first_live..plan.cells.len());
    results.outcomes.extend(live.outcomes);
    // Only a run of every peer over everything can tell that an entry matches no live cell.
    let all_live = args.live.live
        && selection.is_everything()
        && live.not_run.is_empty()
        && live.harness_faults.is_empty();
    let mut report = judge::judge(&plan, &selected, results, &known, &known::today(), all_live);
    if args.shard.is_none() {
        let unneeded = std::mem::take(&mut report.unneeded_entries);
        report.bad_entries.extend(unneeded);
    }
    report.agreements = live.agreements;
    report.not_run.extend(live.not_run);
    report.harness_faults = live.harness_faults;
    report.support_faults = live.support_faults;
    if !args.live.live {
        report.not_run.push(plan::NotRun {
            what: "live peers".to_owned(),
            cells: 0,
            reason: "add --live".to_owned(),
        });
    }
    report.elapsed_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}
