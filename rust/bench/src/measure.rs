//! Interleaved rounds.

use std::time::Instant;

use interop_bench::allocations;
use interop_contestants::cell::{Cell, Op};

/// Length of a batch in nanoseconds: long enough for the clock, short against the machine's
/// moods.
const BATCH_NS: f64 = 200_000.0;

/// What was measured of a contestant.
pub struct Measured {
    pub contestant: &'static str,
    pub version: &'static str,
    pub bytes: usize,
    pub allocations: u64,
    /// Nanoseconds an operation, one for each round.
    pub rounds_ns: Vec<f64>,
}

/// Measures `op` of all cells that have it, in turns.
pub fn group(cells: &mut [Cell], op: Op, rounds: usize) -> Vec<Measured> {
    let mut runners: Vec<_> = cells
        .iter_mut()
        .filter_map(|cell| {
            let (_, run) = cell.ops.iter_mut().find(|(name, _)| *name == op)?;
            Some((cell.contestant, cell.version, cell.bytes, run))
        })
        .collect();
    let mut batches = Vec::new();
    let mut measured: Vec<Measured> = Vec::new();
    for (contestant, version, bytes, run) in &mut runners {
        let mut times = 1u32;
        let batch = loop {
            let start = Instant::now();
            run(times);
            let ns = start.elapsed().as_nanos() as f64;
            if ns > BATCH_NS / 4.0 || times > 1 << 24 {
                break ((f64::from(times) * BATCH_NS / ns) as u32).max(1);
            }
            times *= 2;
        };
        batches.push(batch);
        // The first call after calibration is warm; allocations are those of one call.
        let allocations = allocations::count(|| run(1));
        measured.push(Measured {
            contestant,
            version,
            bytes: *bytes,
            allocations,
            rounds_ns: Vec::with_capacity(rounds),
        });
    }
    let count = runners.len();
    for round in 0..rounds {
        for turn in 0..count {
            // Another one begins each round.
            let index = (turn + round) % count;
            let batch = batches[index];
            let start = Instant::now();
            (runners[index].3)(batch);
            let ns = start.elapsed().as_nanos() as f64;
            measured[index].rounds_ns.push(ns / f64::from(batch));
        }
    }
    measured
}
