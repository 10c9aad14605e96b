//! The second way to measure: each ecosystem's own tool, as a cross-check of our loop.
//!
//! A peer that declares a tool is started once more with the arguments of its `[native]` table.
//! It then speaks the same protocol and times the same operation, but answers a bench request
//! with the samples of testing.B, pyperf, mitata... (PROTOCOL.md, "Bench by a language's own
//! tool"). Only cells that our loop has timed are asked for, one after another, as these tools
//! measure.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::plan::{Case, Planned, Wanted};
use super::record::{Cell, LeftOut};
use super::run::{self, Pace, Progress};
use super::source::Everyone;
use super::stats::{self, Estimate};
use crate::exit::{Failure, Result};
use crate::live::roster::{Roster, succeeds};
use crate::peer::declare::{Declaration, Folders};
use crate::peer::process::run_command;

/// How the tools are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Preset {
    /// As long as our own loop measures.
    #[default]
    Equal,
    /// As the recorded tables were made: JMH with three warm-up and three measured iterations of
    /// 3 s (`-f 1 -wi 3 -i 3 -t 1 -w 3s -r 3s -bm thrpt -tu s`), Criterion with 100 samples in
    /// 5 s after 3 s.
    Recorded,
}

impl Preset {
    /// The pace of a tool. All tools take a time to warm up, a time to measure and the length of
    /// a sample, and translate them to their own flags.
    pub fn pace(self, tool: &str, duration: Duration) -> Pace {
        let ours = Pace::of(duration);
        let (warmup, duration, batch) = match (self, tool) {
            (Self::Recorded, "JMH") => (
                Duration::from_secs(9),
                Duration::from_secs(9),
                Duration::from_secs(3),
            ),
            (Self::Recorded, "Criterion") => (
                Duration::from_secs(3),
                Duration::from_secs(5),
                Duration::from_millis(50),
            ),
            _ => (ours.first_warmup, duration, duration / SAMPLES),
        };
        Pace {
            duration,
            rounds: 1,
            first_warmup: warmup,
            warmup,
            batch,
        }
    }
}

/// Samples that a tool takes of a cell where no preset says otherwise.
const SAMPLES: u32 = 10;

/// A cell as the language's own tool timed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NativeCell {
    /// Name of the cell that our loop timed.
    pub cell: String,
    /// "native", to tell these rows from those of our loop.
    pub method: String,
    /// "testing.B".
    pub tool: String,
    /// Nanoseconds an operation.
    pub ns_per_op: Estimate,
    /// The tool's time over that of our loop.
    pub ratio: Estimate,
    /// The tool's samples, nanoseconds an operation.
    pub samples: Vec<f64>,
}

/// What the tools gave.
#[derive(Debug, Default)]
pub struct Native {
    /// Cells, in the order of the run.
    pub cells: Vec<NativeCell>,
    /// Tools and cells that are not there, with the reason.
    pub left_out: Vec<LeftOut>,
    /// True after Ctrl-C.
    pub interrupted: bool,
}

/// A tool's mean deviation from our loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The tool.
    pub tool: String,
    /// Cells compared.
    pub cells: usize,
    /// Geometric mean of the ratios.
    pub mean: f64,
    /// Smallest and largest ratio.
    pub range: (f64, f64),
}

/// The tools, each with what its ratios say together.
pub fn agreements(cells: &[NativeCell]) -> Vec<Agreement> {
    let tools: BTreeSet<&str> = cells.iter().map(|cell| cell.tool.as_str()).collect();
    let agreement = |tool: &str| {
        let of_tool = cells.iter().filter(|cell| cell.tool == tool);
        let ratios: Vec<f64> = of_tool.map(|cell| cell.ratio.median).collect();
        Agreement {
            tool: tool.to_owned(),
            cells: ratios.len(),
            mean: stats::geometric_mean(&ratios),
            range: (
                ratios.iter().copied().fold(f64::INFINITY, f64::min),
                ratios.iter().copied().fold(0.0, f64::max),
            ),
        }
    };
    tools.into_iter().map(agreement).collect()
}

/// Has the tools of the peers that took part time the cells that our loop timed.
///
/// # Errors
/// Exit 2 when no peer that took part declares a tool.
pub fn measure(
    (preset, duration): (Preset, Duration),
    wanted: &Wanted,
    cases: &[Case],
    timed: &[Cell],
    (declarations, folders): (&[Declaration], &Folders),
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Native> {
    let languages: BTreeSet<&str> = timed.iter().map(|cell| cell.language.as_str()).collect();
    let mut native = Native::default();
    let mut tools = 0;
    for language in languages {
        let declared = declarations.iter().find(|peer| peer.language == language);
        let tool = declared.and_then(|peer| Some((peer, peer.native.as_ref()?)));
        let Some((peer, tool)) = tool else {
            native.left_out.push(LeftOut {
                what: format!("the own tool of {language}"),
                reason: "its peer declares none".to_owned(),
            });
            continue;
        };
        tools += 1;
        if let Some(reason) = missing(peer, folders) {
            native.left_out.push(LeftOut {
                what: tool.tool.clone(),
                reason,
            });
            continue;
        }
        if native.interrupted {
            break;
        }
        let pace = preset.pace(&tool.tool, duration);
        let asked = (wanted, cases, timed);
        one(
            peer,
            &tool.tool,
            folders,
            asked,
            &pace,
            progress,
            &mut native,
        )?;
    }
    if tools == 0 {
        return Err(
            Failure::usage("--native: no peer that took part declares a tool of its own")
                .hint("interop-check peers build go; interop-check bench --native --lang go"),
        );
    }
    Ok(native)
}

/// What the peer's tool lacks, after an attempt to bring it.
fn missing(peer: &Declaration, folders: &Folders) -> Option<String> {
    let lacks = || peer.native_missing(folders, succeeds);
    if lacks().is_empty() {
        return None;
    }
    if let Some(build) = peer.native_build(folders) {
        // What is still missing afterwards is named below.
        let _ = run_command(&build, true);
    }
    let names = lacks();
    (!names.is_empty()).then(|| format!("{} missing", names.join(", ")))
}

fn one(
    peer: &Declaration,
    tool: &str,
    folders: &Folders,
    (wanted, cases, timed): (&Wanted, &[Case], &[Cell]),
    pace: &Pace,
    progress: &mut dyn FnMut(Progress<'_>),
    native: &mut Native,
) -> Result<()> {
    let mut roster = Roster::default();
    roster.enter(peer.native_programs(folders))?;
    let faults = roster.faults.iter().map(|(name, fault)| LeftOut {
        what: format!("{tool} of the {name} peer"),
        reason: fault.clone(),
    });
    native.left_out.extend(faults);
    if roster.programs.is_empty() {
        return Ok(());
    }
    let mut everyone = Everyone::assemble(&roster, false)?;
    let contestants = everyone.contestants.clone();
    let planned: Vec<Planned> = wanted
        .cells(cases, &contestants)?
        .into_iter()
        .filter(|cell| timed.iter().any(|timed| timed.name == cell.name))
        .collect();
    let measured = run::run(&mut everyone, cases, &contestants, &planned, pace, progress);
    everyone.finish();
    native.interrupted = !measured.complete;
    for left in measured.left_out {
        native.left_out.push(LeftOut {
            what: format!("{} by {tool}", left.what),
            reason: left.reason,
        });
    }
    for cell in measured.cells {
        let ours = timed.iter().find(|timed| timed.name == cell.name);
        native
            .cells
            .extend(ours.map(|ours| beside(ours, &cell, tool)));
    }
    Ok(())
}

/// The tool's cell beside ours. Its samples were taken in a row, so that each stands for itself.
fn beside(ours: &Cell, theirs: &Cell, tool: &str) -> NativeCell {
    let samples: Vec<f64> = theirs.samples.concat();
    let rounds: Vec<Vec<f64>> = samples.iter().map(|&ns| vec![ns]).collect();
    NativeCell {
        cell: ours.name.clone(),
        method: "native".to_owned(),
        tool: tool.to_owned(),
        ns_per_op: stats::estimate(&rounds),
        ratio: stats::ratio(&rounds, &ours.samples, false),
        samples,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record::Operation::Serialize;
    use crate::bench::record::tests::record;
    use interop_codec::Format;

    #[test]
    fn a_tool_that_is_twice_as_slow_says_two() {
        let ours = record(&[("go/a", Format::Fory, "Sample", Serialize, 100.0)]);
        let theirs = record(&[("go/a", Format::Fory, "Sample", Serialize, 200.0)]);
        let native = beside(&ours.cells[0], &theirs.cells[0], "testing.B");
        assert!((native.ratio.median - 2.0).abs() < 0.01, "{native:?}");
        assert!(native.ratio.low <= 2.0 && native.ratio.high >= 2.0);
        assert_eq!(native.method, "native");
        let agreement = &agreements(&[native])[0];
        assert_eq!((agreement.tool.as_str(), agreement.cells), ("testing.B", 1));
        assert!((agreement.mean - 2.0).abs() < 0.01);
    }

    #[test]
    fn the_recorded_settings_are_those_of_the_tables() {
        let pace = Preset::Recorded.pace("JMH", Duration::from_millis(300));
        assert_eq!(pace.duration.as_secs(), 9);
        assert_eq!(pace.batch.as_secs(), 3);
        let other = Preset::Recorded.pace("testing.B", Duration::from_millis(300));
        assert_eq!(
            other,
            Preset::Equal.pace("testing.B", Duration::from_millis(300))
        );
        assert_eq!(other.batch, Duration::from_millis(30));
        assert_eq!(other.rounds, 1);
    }
}
