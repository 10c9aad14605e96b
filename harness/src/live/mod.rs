//! The live check: every writer against every reader, with the libraries of today.
//!
//! [`roster`] finds out which implementations there are and holds them against the committed
//! support table; `case` has the values and `talks` puts requests to all peers at once, `readings`
//! each distinct byte string to each reader once. The cells come from `matrix` (every writer
//! against every reader), `relay` (through a third), `evolution` (across versions of a schema) and
//! `parity` (broken and odd input); `grouping` tells who wrote the same.

mod case;
mod evolution;
mod grouping;
mod matrix;
mod mutate;
mod parity;
mod readings;
mod relay;
pub mod roster;
mod talks;
mod unknown;

use std::path::PathBuf;
use std::time::Duration;

use crate::check::agreement::Agreement;
use crate::check::merge;
use crate::check::plan::{Cell, NotRun, Selection};
use crate::check::run::Outcome;
use crate::exit::{Failure, Result};
use crate::golden::{Manifest, Store};
use crate::peer::declare::{Declaration, Folders};
use crate::peer::supervise::Bounds;
use crate::vectors::Vector;

use case::Cases;
use matrix::Stage;
use parity::Parity;
use readings::Readings;
use relay::Relays;
use roster::Roster;
use talks::Talks;

/// Which peers to talk to, and how.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct LiveArgs {
    /// Set live peers against each other and against the golden files.
    #[arg(long)]
    pub live: bool,
    /// Languages whose peers must run (or "all"): exit 3 when one is skipped.
    #[arg(long, value_name = "LANG", value_delimiter = ',', requires = "live")]
    pub require: Vec<String>,
    /// Only the peers of these languages.
    #[arg(long, value_name = "LANG", value_delimiter = ',', requires = "live")]
    pub target: Vec<String>,
    /// Folder of the peers; else harness/peers beside the golden files.
    #[arg(long, value_name = "DIR", requires = "live")]
    pub peers: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub bounds: BoundsArgs,
}

/// What a peer may take; past it, the peer is killed and the verdict is timeout or crashed.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct BoundsArgs {
    /// Longest wait for a peer to come up (default 30000).
    #[arg(long, value_name = "MS", requires = "live", value_parser = clap::value_parser!(u64).range(1..))]
    pub start_deadline_ms: Option<u64>,
    /// Longest wait for an answer (default 10000).
    #[arg(long, value_name = "MS", requires = "live", value_parser = clap::value_parser!(u64).range(1..))]
    pub answer_deadline_ms: Option<u64>,
    /// Resident memory of a peer's processes together (default 2048).
    #[arg(long, value_name = "MIB", requires = "live", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub peer_memory_mib: Option<u64>,
}

impl BoundsArgs {
    /// The bounds in force.
    pub fn bounds(self) -> Bounds {
        let default = Bounds::default();
        let ms = |given: Option<u64>, default| given.map_or(default, Duration::from_millis);
        Bounds {
            start: ms(self.start_deadline_ms, default.start),
            request: ms(self.answer_deadline_ms, default.request),
            resident_bytes: self
                .peer_memory_mib
                .map_or(default.resident_bytes, |mib| mib << 20),
            ..default
        }
    }
}

/// What a live run adds to a check.
#[derive(Debug, Default)]
pub struct Live {
    /// The cells, in a fixed order.
    pub cells: Vec<Cell>,
    /// One outcome a cell.
    pub outcomes: Vec<Outcome>,
    /// Peers that could not be talked to as the protocol says: exit 3.
    pub harness_faults: Vec<(String, String)>,
    /// Deviations from the support table.
    pub support_faults: Vec<(String, String)>,
    /// Who wrote which bytes, for each case and format.
    pub agreements: Vec<Agreement>,
    /// Peers that were skipped.
    pub not_run: Vec<NotRun>,
}

impl Live {
    /// Puts the cells in the order of a run, which that of merged shards is too.
    fn sort(&mut self, manifest: &Manifest) {
        let cells = self.cells.drain(..).zip(self.outcomes.drain(..));
        let mut both: Vec<_> = cells.collect();
        both.sort_by_cached_key(|(cell, _)| merge::place(cell, manifest));
        (self.cells, self.outcomes) = both.into_iter().unzip();
    }
}

/// Runs the live part of a check.
///
/// # Errors
/// Exit 2 when the peers' folder or a `peer.toml` is unusable; exit 3 when a required peer is
/// missing.
pub fn run(
    args: &LiveArgs,
    store: &Store,
    selection: &Selection,
    vectors: &[Vector],
) -> Result<Live> {
    let folders = folders(store);
    let declarations = declarations(args.peers.as_ref(), store)?;
    let roster = Roster::assemble(args, &declarations, &folders)?;
    let mut live = Live {
        not_run: roster.skipped.clone(),
        harness_faults: roster.faults.clone(),
        ..Live::default()
    };
    let support = roster::Support::load(&store.path("support.toml"))?;
    live.support_faults = support.deviations(&roster);
    let mut cases = Cases::load(store, selection)?;
    let vectors = parity::vector_views(&mut cases, vectors, selection);
    let mut stage = Stage {
        talks: Talks::new(&roster, &cases.schemas),
        readings: Readings::default(),
        roster: &roster,
        selection,
        cases: &cases,
        live: &mut live,
    };
    let written = matrix::write_all(&mut stage, store)?;
    let inputs = matrix::inputs(&mut stage, &written);
    matrix::ask_readers(&mut stage, &written, &inputs);
    let crossings = evolution::ask(&mut stage, &written);
    let mut relays = Relays::ask(&mut stage, &written, &inputs);
    stage.run_talks()?;
    relays.ask_readers(&mut stage);
    stage.run_talks()?;
    let parity = Parity::ask(&mut stage, vectors)?;
    matrix::judge(&mut stage, &written, &inputs);
    relays.judge(&mut stage);
    evolution::judge(&mut stage, &written, &inputs, &crossings);
    parity.judge(&mut stage);
    let readings = stage.readings;
    live.sort(&store.manifest);
    live.agreements =
        grouping::agreements(&roster, &cases, &written, &inputs, &readings, selection);
    Ok(live)
}

/// The project's folders, as seen from its golden files.
pub fn folders(store: &Store) -> Folders {
    let root = store.root.join("..");
    let root = std::fs::canonicalize(&root).unwrap_or(root);
    Folders {
        build: root.join("target/peers"),
        root,
    }
}

/// All declared peers.
///
/// # Errors
/// Exit 2 when they can't be read.
pub fn declarations(peers: Option<&PathBuf>, store: &Store) -> Result<Vec<Declaration>> {
    let directory = match peers {
        Some(directory) => directory.clone(),
        None => folders(store).root.join("harness/peers"),
    };
    Declaration::read_all(&directory).map_err(Failure::usage)
}
