//! The live check: every writer against every reader, with the libraries of today.
//!
//! [`roster`] finds out which implementations there are and holds them against the committed
//! support table; [`matrix`] lays out the cells and puts them to the peers; `grouping` tells who
//! wrote the same.

mod grouping;
pub mod matrix;
pub mod roster;

use std::path::PathBuf;
use std::time::Duration;

use crate::check::agreement::Agreement;
use crate::check::plan::{Cell, NotRun, Selection};
use crate::check::run::Outcome;
use crate::exit::{Failure, Result};
use crate::golden::Store;
use crate::peer::declare::{Declaration, Folders};
use crate::peer::supervise::Bounds;

use roster::Roster;

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

/// Runs the live part of a check.
///
/// # Errors
/// Exit 2 when the peers' folder or a `peer.toml` is unusable; exit 3 when a required peer is
/// missing.
pub fn run(args: &LiveArgs, store: &Store, selection: &Selection) -> Result<Live> {
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
    matrix::run(&roster, store, selection, &mut live)?;
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
