//! The calibrated loop of PROTOCOL.md, "Bench".

use std::time::Instant;

use interop_contestants::contestant::{Contestant, Operation};
use interop_contestants::protocol::{Bench, Measured, Tree, bench};

const DEFAULT_BATCH_NS: u64 = 1_000_000;

/// Times a contestant.
///
/// # Errors
/// The library's own words.
pub fn measure(contestant: &dyn Contestant, request: &Bench) -> Result<Measured, String> {
    let operation = match request.operation() {
        bench::Operation::Deserialize => Operation::Deserialize,
        bench::Operation::Roundtrip => Operation::Roundtrip,
        _ => Operation::Serialize,
    };
    let batch_ns = match request.batch_ns {
        0 => DEFAULT_BATCH_NS,
        given => given,
    };
    let empty = Tree::default();
    let tree = request.value.as_ref().unwrap_or(&empty);
    let mut measured = Measured::default();
    let last = contestant.time(tree, operation, &mut |run| {
        let mut batch = |iterations: u64| -> Result<u64, String> {
            let start = Instant::now();
            run(iterations)?;
            Ok(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1))
        };
        let (mut iterations, mut spent_ns) = (1u64, 0u64);
        loop {
            let elapsed_ns = batch(iterations)?;
            spent_ns = spent_ns.saturating_add(elapsed_ns);
            if elapsed_ns.saturating_mul(2) < batch_ns {
                iterations *= 2;
            } else if spent_ns >= request.warmup_ns {
                let scaled = u128::from(iterations) * u128::from(batch_ns) / u128::from(elapsed_ns);
                iterations = u64::try_from(scaled).unwrap_or(u64::MAX).max(1);
                break;
            }
        }
        measured.batch_iterations = iterations;
        let mut spent_ns = 0u64;
        while spent_ns < request.duration_ns || measured.batches_ns.is_empty() {
            let elapsed_ns = batch(iterations)?;
            spent_ns = spent_ns.saturating_add(elapsed_ns);
            measured.batches_ns.push(elapsed_ns);
        }
        Ok(())
    })?;
    measured.checksum = fnv1a_64(&last);
    measured.encoded_bytes = last.len() as u64;
    Ok(measured)
}

fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
