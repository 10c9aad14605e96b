//! A test a golden file: its name says format, value set, model and writers, and it fails when
//! any cell of that file does.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use interop_check::check::check;
use interop_check::check::judge::State;
use interop_check::check::plan::Source;
use interop_check::cli::CheckArgs;
use interop_check::golden::Store;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    let store = Store::find(Some(&golden)).expect("the checkout has golden files");
    let report = check(&CheckArgs::default(), &store).expect("the check runs");

    let mut trials = Vec::new();
    let mut vector_names: BTreeMap<usize, String> = BTreeMap::new();
    let mut failures: BTreeMap<Source, Vec<String>> = BTreeMap::new();
    for cell in &report.cells {
        if let Source::Vector(index) = cell.cell.source {
            vector_names.insert(index, cell.cell.name.clone());
        }
        let failures = failures.entry(cell.cell.source).or_default();
        if cell.state == State::Failed {
            failures.push(format!(
                "{}: {} {} {}",
                cell.cell.name,
                cell.outcome.verdict,
                cell.outcome.message,
                cell.note.as_deref().unwrap_or_default()
            ));
        }
    }
    for (source, failures) in failures {
        let name = match source {
            Source::File(index) => {
                let file = &store.manifest.files[index];
                format!("{} by {}", file.case(), file.writers.join("+"))
            }
            Source::Vector(index) => vector_names[&index].clone(),
            // Peers are asked only with --live, which this test does not say.
            Source::Live => "live peers".to_owned(),
        };
        trials.push(Trial::test(name, move || outcome(&failures)));
    }
    let whole: Vec<String> = report
        .faults
        .iter()
        .map(|fault| format!("{}: {}", fault.file, fault.fault))
        .chain(
            report
                .bad_entries
                .iter()
                .map(|(pattern, fault)| format!("{pattern}: {fault}")),
        )
        .collect();
    let files = Arc::new(report.files());
    trials.push(Trial::test("manifest and known failures", move || {
        outcome(&whole)
    }));
    trials.push(Trial::test("no listed file was left out", move || {
        let listed = store.manifest.files.len();
        let seen: usize = files.values().map(|files| files.binary + files.json).sum();
        if seen == listed {
            Ok(())
        } else {
            Err(format!("{seen} files seen, {listed} listed").into())
        }
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

fn outcome(failures: &[String]) -> Result<(), Failed> {
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures.join("\n").into())
    }
}
