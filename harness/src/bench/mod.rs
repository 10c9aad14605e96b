//! The benchmark: what each library costs, all in one run.
//!
//! [`plan`] decides which cells there are, [`source`] measures one of them, [`run`] puts all
//! contestants through short rounds, [`stats`] turns their samples into estimates, and
//! [`record`] is what remains. [`compare`] sets two records side by side, [`recorded`] sets one
//! beside published tables, [`native`] has each ecosystem's own tool time the same, [`print`] and [`report`] show it, [`profile`] says where the time
//! goes.

pub mod args;
pub mod compare;
pub mod environment;
pub mod names;
pub mod native;
pub mod plan;
pub mod print;
pub mod profile;
pub mod record;
pub mod recorded;
pub mod report;
pub mod run;
pub mod source;
pub mod stats;

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use interop_codec::{Dialect, Format};

use crate::exit::{Failure, Result};
use crate::golden::Store;
use crate::live::roster::Roster;
use crate::live::{LiveArgs, declarations, folders};

use args::RunArgs;
use environment::Environment;
use native::Preset;
use plan::Case;
use record::{LeftOut, Record, Settings, Sizes};
use recorded::Tables;
use run::{Pace, Progress};
use source::Everyone;

/// The peers that the arguments ask for, and whether our own codec takes part. Those of a
/// schema mismatch are none: peers read only with the schema that they were built with.
pub(crate) fn roster(args: &RunArgs, store: &Store) -> Result<(Roster, bool)> {
    let mut declared = declarations(args.peers.as_ref(), store)?;
    let ours = "rust";
    let own = args.languages.is_empty() || args.languages.iter().any(|language| language == ours);
    let peers: Vec<String> = args
        .languages
        .iter()
        .filter(|language| {
            *language != ours || declared.iter().any(|peer| peer.language == **language)
        })
        .cloned()
        .collect();
    let mut folders = folders(store);
    if args.debug {
        folders.build = folders.root.join("target/peers-debug");
        if !folders.build.is_dir() {
            return Err(Failure::usage("no peers were built with symbols")
                .hint("interop-check peers build --debug"));
        }
    }
    if args.schema_mismatch {
        let mut roster = Roster::default();
        roster.skipped.push(crate::check::plan::NotRun {
            what: "the live peers".to_owned(),
            cells: 0,
            reason: "they read with the schema that they were built with".to_owned(),
        });
        return Ok((roster, own));
    }
    if !args.languages.is_empty() && peers.is_empty() {
        declared.clear();
    }
    let live = LiveArgs {
        target: peers,
        ..LiveArgs::default()
    };
    Ok((Roster::assemble(&live, &declared, &folders)?, own))
}

/// Makes a run.
///
/// # Errors
/// Exit 2 when the arguments leave nothing or name what there is not; exit 3 when a peer fails
/// to stay up.
pub fn measure(args: &RunArgs, native: Option<Preset>, store: &Store) -> Result<Record> {
    if native.is_some() && args.schema_mismatch {
        return Err(Failure::usage(
            "with a schema mismatch no peer takes part, so that --native has nothing to ask",
        )
        .hint("leave one of the two out"));
    }
    let wanted = args.wanted()?;
    let cases = wanted.cases(store)?;
    let (roster, own) = roster(args, store)?;
    let mut environment = Environment::of_this_machine(&folders(store).root);
    let mut everyone = Everyone::assemble(&roster, own)?;
    environment.peers = everyone.peers.clone();
    let contestants = everyone.contestants.clone();
    let cells = wanted.cells(&cases, &contestants)?;
    let pace = Pace::of(args.duration);
    let mut progress = ProgressLine::new(cells.len());
    let measured = run::run(
        &mut everyone,
        &cases,
        &contestants,
        &cells,
        &pace,
        &mut |now| progress.show(now),
    );
    progress.end();
    everyone.finish();
    environment.finish();
    let skipped = roster.skipped.iter().map(|left| LeftOut {
        what: left.what.clone(),
        reason: left.reason.clone(),
    });
    let faulty = roster.faults.iter().map(|(peer, fault)| LeftOut {
        what: format!("the {peer} peer"),
        reason: fault.clone(),
    });
    let mut left_out: Vec<LeftOut> = skipped.chain(faulty).collect();
    left_out.extend(measured.left_out);
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    let mut record = Record {
        version: record::VERSION,
        complete: measured.complete,
        environment,
        settings: Settings {
            duration_s: args.duration.as_secs_f64(),
            rounds: pace.rounds,
            rounds_done: measured.rounds_done,
            first_warmup_ms: ms(pace.first_warmup),
            warmup_ms: ms(pace.warmup),
            batch_ms: ms(pace.batch),
            schema_mismatch: args.schema_mismatch,
            debug: args.debug,
        },
        cells: measured.cells,
        sizes: encoded_sizes(&cases),
        left_out,
        recorded: Vec::new(),
        native: Vec::new(),
    };
    record.rank();
    if let Some(preset) = native.filter(|_| record.complete) {
        by_own_tools(args, preset, (&wanted, &cases), store, &mut record)?;
    }
    record.recorded = Tables::load(store)?.compare(&record.cells);
    Ok(record)
}

/// Adds what the languages' own tools say of the cells.
fn by_own_tools(
    args: &RunArgs,
    preset: Preset,
    (wanted, cases): (&plan::Wanted, &[Case]),
    store: &Store,
    record: &mut Record,
) -> Result<()> {
    let declared = declarations(args.peers.as_ref(), store)?;
    let mut folders = folders(store);
    if args.debug {
        folders.build = folders.root.join("target/peers-debug");
    }
    let mut progress = ProgressLine::new(record.cells.len());
    let native = native::measure(
        (preset, args.duration),
        wanted,
        cases,
        &record.cells,
        (&declared, &folders),
        &mut |now| progress.show(now),
    );
    progress.end();
    let native = native?;
    record.native = native.cells;
    record.left_out.extend(native.left_out);
    record.complete = !native.interrupted;
    Ok(())
}

/// Sizes of the cases in every format, as our codec writes them under its default dialects.
pub fn encoded_sizes(cases: &[Case]) -> Vec<Sizes> {
    let size = |case: &Case, format: Format| {
        let dialect = Dialect::default_of(format);
        let bytes =
            interop_codec::encode(&case.subject.schema, &case.value, format, &dialect).ok()?;
        Some(bytes.len() as u64)
    };
    cases
        .iter()
        .map(|case| Sizes {
            model: case.model.clone(),
            set: case.set.clone(),
            bytes: Format::ALL
                .into_iter()
                .map(|format| (format, size(case, format)))
                .collect(),
        })
        .collect()
}

/// Progress on stderr: a line that is rewritten on a terminal, and one every ten seconds
/// elsewhere.
struct ProgressLine {
    cells: usize,
    terminal: bool,
    shown: Option<Instant>,
    width: usize,
}

impl ProgressLine {
    fn new(cells: usize) -> Self {
        Self {
            cells,
            terminal: std::io::stderr().is_terminal(),
            shown: None,
            width: 0,
        }
    }

    fn show(&mut self, now: Progress<'_>) {
        let pause = if self.terminal {
            Duration::from_millis(200)
        } else {
            Duration::from_secs(10)
        };
        if self.shown.is_some_and(|shown| shown.elapsed() < pause) {
            return;
        }
        self.shown = Some(Instant::now());
        let line = format!(
            "{:>3.0} % of {} cells, {} left: {}",
            now.done * 100.0,
            self.cells,
            clock(now.left),
            now.cell
        );
        let mut stderr = std::io::stderr().lock();
        // Progress is no result; nothing is lost when it can't be shown.
        let _ = if self.terminal {
            write!(stderr, "\r{line:<width$}", width = self.width)
        } else {
            writeln!(stderr, "{line}")
        };
        let _ = stderr.flush();
        self.width = line.chars().count();
    }

    fn end(&self) {
        if self.terminal && self.shown.is_some() {
            eprint!("\r{:width$}\r", "", width = self.width);
        }
    }
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
