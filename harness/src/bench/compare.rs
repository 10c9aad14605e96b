//! Two runs side by side, and a gate on ratios that were agreed on.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::{Cell, Record};
use super::stats::{self, Estimate, Verdict};
use crate::exit::{Failure, Result};
use crate::values::write_atomically;

/// A cell in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Name of the cell.
    pub cell: String,
    /// Before: nanoseconds an operation, or the ratio to the row's reference.
    pub before: Estimate,
    /// After, in the same unit.
    pub after: Estimate,
    /// After over before.
    pub ratio: Estimate,
    /// What that says.
    pub verdict: Verdict,
}

/// Two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// True when times were compared; false when the machines differ and only ratios within
    /// rows were.
    pub times: bool,
    /// Margin below which nothing is said; 0.05 is 5 %.
    pub margin: f64,
    /// Cells that both runs have.
    pub changes: Vec<Change>,
    /// Cells that only one has.
    pub only_in_one: Vec<String>,
}

/// Compares two runs cell by cell.
///
/// # Errors
/// Exit 2 when they share no cell.
pub fn compare(before: &Record, after: &Record, margin: f64) -> Result<Comparison> {
    let times = same_machine(before, after);
    let mut changes = Vec::new();
    for row in after.rows() {
        let shared: Vec<(&Cell, &Cell)> = row
            .iter()
            .filter_map(|cell| Some((before.cell(&cell.name)?, cell)))
            .collect();
        let Some(&reference) = shared.first() else {
            continue;
        };
        for &(old, new) in &shared {
            let (was, is) = if times {
                (old.ns_per_op, new.ns_per_op)
            } else {
                (
                    stats::ratio(&old.samples, &reference.0.samples, true),
                    stats::ratio(&new.samples, &reference.1.samples, true),
                )
            };
            let ratio = if times {
                stats::ratio(&new.samples, &old.samples, false)
            } else {
                quotient(&is, &was)
            };
            changes.push(Change {
                cell: new.name.clone(),
                before: was,
                after: is,
                ratio,
                verdict: stats::verdict(&was, &is, margin),
            });
        }
    }
    if changes.is_empty() {
        return Err(Failure::usage("the two runs have no cell in common")
            .hint("compare runs of the same models, formats and peers"));
    }
    let one_sided = |from: &Record, to: &Record| -> Vec<String> {
        let cells = from
            .cells
            .iter()
            .filter(|cell| to.cell(&cell.name).is_none());
        cells.map(|cell| cell.name.clone()).collect()
    };
    let mut only_in_one = one_sided(before, after);
    only_in_one.extend(one_sided(after, before));
    Ok(Comparison {
        times,
        margin,
        changes,
        only_in_one,
    })
}

fn same_machine(a: &Record, b: &Record) -> bool {
    let key = |record: &Record| (record.environment.cpu.clone(), record.environment.cpus);
    key(a) == key(b)
}

/// The widest interval that the two allow.
fn quotient(a: &Estimate, b: &Estimate) -> Estimate {
    Estimate {
        median: a.median / b.median,
        low: a.low / b.high,
        high: a.high / b.low,
    }
}

/// Ratios that a run must keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Version of the layout: 1.
    pub version: u32,
    /// How many runs of the same programs it was made from.
    pub runs: usize,
    /// The ratios.
    pub ratios: Vec<Agreed>,
}

/// An agreed ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreed {
    /// The cell.
    pub cell: String,
    /// The cell of the same row that it is measured by.
    pub against: String,
    /// Time of the one over that of the other.
    pub ratio: f64,
    /// How far it may rise: 0.1 is 10 %.
    pub margin: f64,
}

/// A ratio that left its margin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alarm {
    /// What was agreed.
    pub agreed: Agreed,
    /// As measured.
    pub now: Estimate,
}

/// What a gate says of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gated {
    /// Ratios that were compared.
    pub compared: usize,
    /// Ratios whose cells the run does not have.
    pub missing: usize,
    /// Ratios that rose beyond their margin.
    pub alarms: Vec<Alarm>,
}

impl Gate {
    /// Reads a gate file.
    ///
    /// # Errors
    /// Exit 2 when it is none.
    pub fn load(path: &Path) -> Result<Self> {
        let fail = |error: &dyn std::fmt::Display| {
            Failure::usage(format!("{}: {error}", path.display()))
                .hint("interop-check bench gate RUN.json RUN.json ... --out FILE makes one")
        };
        let text = std::fs::read(path).map_err(|error| fail(&error))?;
        serde_json::from_slice(&text).map_err(|error| fail(&error))
    }

    /// Writes it, a ratio a line.
    ///
    /// # Errors
    /// Exit 2 when it can't be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self)
            .map_err(|error| Failure::harness(format!("the gate can't be printed: {error}")))?;
        let text = text.replace("},{", "},\n{").replace(":[{", ":[\n{") + "\n";
        write_atomically(path, text.as_bytes())
    }

    /// The gate that runs of the same programs agree on. The margin of each ratio covers what
    /// its own runs showed, and at least what three quarters of all ratios showed.
    ///
    /// # Errors
    /// Exit 2 for fewer than two runs, or when they have nothing in common.
    pub fn of(runs: &[&Record]) -> Result<Self> {
        let Some((first, others)) = runs.split_first().filter(|(_, others)| !others.is_empty())
        else {
            return Err(
                Failure::usage("a gate needs at least two runs of the same programs")
                    .hint("interop-check bench record --runs 5 makes them"),
            );
        };
        let mut seen = Vec::new();
        for row in first.rows() {
            let everywhere: Vec<&Cell> = row
                .iter()
                .filter(|cell| others.iter().all(|run| run.cell(&cell.name).is_some()))
                .collect();
            let Some((against, cells)) = everywhere.split_first() else {
                continue;
            };
            for cell in cells {
                let ratios: Vec<f64> = runs
                    .iter()
                    .filter_map(|run| Some((run.cell(&cell.name)?, run.cell(&against.name)?)))
                    .map(|(a, b)| stats::ratio(&a.samples, &b.samples, true).median)
                    .collect();
                seen.push((cell.name.clone(), against.name.clone(), ratios));
            }
        }
        if seen.is_empty() {
            return Err(Failure::usage(
                "the runs have no two cells of a row in common",
            ));
        }
        let all: Vec<Vec<f64>> = seen.iter().map(|(_, _, ratios)| ratios.clone()).collect();
        let least = stats::margin_of(&all, 0.25);
        let ratios = seen.into_iter().map(|(cell, against, ratios)| Agreed {
            cell,
            against,
            ratio: stats::median(&ratios),
            margin: stats::margin_of(std::slice::from_ref(&ratios), 0.0).max(least),
        });
        Ok(Self {
            version: 1,
            runs: runs.len(),
            ratios: ratios.collect(),
        })
    }

    /// Holds a run against the gate. A ratio alarms only when its whole interval lies beyond
    /// the margin.
    pub fn check(&self, run: &Record) -> Gated {
        let mut gated = Gated::default();
        for agreed in &self.ratios {
            let (Some(cell), Some(against)) = (run.cell(&agreed.cell), run.cell(&agreed.against))
            else {
                gated.missing += 1;
                continue;
            };
            gated.compared += 1;
            let now = stats::ratio(&cell.samples, &against.samples, true);
            if now.low > agreed.ratio * (1.0 + agreed.margin) {
                gated.alarms.push(Alarm {
                    agreed: agreed.clone(),
                    now,
                });
            }
        }
        gated
    }
}

/// Holds each run against the gate that the others make: comparisons, and false alarms among
/// them. With two runs, the gate of one alone has no margin to learn from, so that both make
/// it.
///
/// # Errors
/// As for [`Gate::of`].
pub fn false_alarms(runs: &[&Record]) -> Result<(usize, usize)> {
    let (mut compared, mut alarms) = (0, 0);
    for (index, run) in runs.iter().enumerate() {
        let others: Vec<&Record> = runs
            .iter()
            .enumerate()
            .filter(|(other, _)| runs.len() < 3 || *other != index)
            .map(|(_, run)| *run)
            .collect();
        let gated = Gate::of(&others)?.check(run);
        compared += gated.compared;
        alarms += gated.alarms.len();
    }
    Ok((compared, alarms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record::Operation::Serialize;
    use crate::bench::record::tests::record;
    use interop_codec::Format;

    fn run(fast: f64, slow: f64) -> Record {
        record(&[
            ("go/fast", Format::Fory, "Sample", Serialize, fast),
            ("go/slow", Format::Fory, "Sample", Serialize, slow),
        ])
    }

    #[test]
    fn runs_of_one_machine_are_compared_by_time() {
        let comparison = compare(&run(100.0, 300.0), &run(100.0, 450.0), 0.05).unwrap();
        assert!(comparison.times);
        let verdicts: Vec<_> = comparison
            .changes
            .iter()
            .map(|change| change.verdict)
            .collect();
        assert_eq!(verdicts, [Verdict::Undecided, Verdict::Slower]);
        assert!((comparison.changes[1].ratio.median - 1.5).abs() < 0.01);
    }

    #[test]
    fn runs_of_two_machines_are_compared_by_ratio() {
        let mut elsewhere = run(200.0, 600.0);
        elsewhere.environment.cpu = "another".to_owned();
        let comparison = compare(&run(100.0, 300.0), &elsewhere, 0.05).unwrap();
        assert!(!comparison.times);
        let decided = |change: &&Change| change.verdict != Verdict::Undecided;
        assert_eq!(comparison.changes.iter().filter(decided).count(), 0);
    }

    #[test]
    fn runs_without_a_common_cell_are_refused() {
        let other = record(&[("x/y", Format::Json, "Sample", Serialize, 1.0)]);
        assert!(compare(&run(1.0, 2.0), &other, 0.05).is_err());
    }

    #[test]
    fn the_gate_lets_the_same_pass_and_stops_the_slower() {
        let runs = [run(100.0, 300.0), run(101.0, 306.0), run(99.0, 299.0)];
        let runs: Vec<&Record> = runs.iter().collect();
        let gate = Gate::of(&runs).unwrap();
        assert_eq!(gate.ratios.len(), 1);
        assert!(gate.ratios[0].margin >= 0.02 && gate.ratios[0].margin < 0.1);
        assert!(
            gate.check(&run(50.0, 152.0)).alarms.is_empty(),
            "only ratios count"
        );
        let alarms = gate.check(&run(100.0, 400.0)).alarms;
        assert_eq!(alarms.len(), 1);
        assert!(gate.check(&run(100.0, 200.0)).alarms.is_empty(), "faster");
        assert_eq!(false_alarms(&runs).unwrap(), (3, 0));
        assert!(Gate::of(&runs[..1]).is_err());
    }

    #[test]
    fn a_gate_survives_its_file() {
        let (a, b) = (run(100.0, 300.0), run(100.0, 310.0));
        let gate = Gate::of(&[&a, &b]).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("gate.json");
        gate.save(&path).unwrap();
        assert_eq!(Gate::load(&path).unwrap(), gate);
        std::fs::write(&path, "[]").unwrap();
        assert!(Gate::load(&path).unwrap_err().hint.is_some());
    }
}
