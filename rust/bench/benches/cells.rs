//! `cargo bench --manifest-path rust/bench/Cargo.toml`: every operation of every contestant under Criterion, 100
//! samples each. A pattern behind `--` chooses, as in `-- 'fory/Sample/.*/read-owned'`.
//!
//! Criterion measures one contestant after the other, so that its figures are good for
//! comparing a contestant with itself after a change; for ratios between contestants there are
//! the interleaved rounds of the program.

use std::time::{Duration, Instant};

use criterion::Criterion;
use interop_bench::{allocations, contestants};
use interop_bench_setup::cases;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn cells(criterion: &mut Criterion) -> Result<(), String> {
    let mut cases = cases::canonical()?;
    cases.extend(cases::suite(&["small", "medium", "large"])?);
    for case in &cases {
        for group in contestants::groups(case, |_| true)? {
            for mut cell in group.cells {
                for (op, run) in &mut cell.ops {
                    let name = format!(
                        "{}/{}/{}/{}/{}",
                        group.format,
                        case.model,
                        case.set,
                        op.name(),
                        cell.contestant
                    );
                    criterion.bench_function(&name, |bencher| {
                        bencher.iter_custom(|times| {
                            let start = Instant::now();
                            let mut left = times;
                            while left > 0 {
                                let part = u32::try_from(left).unwrap_or(u32::MAX);
                                run(part);
                                left -= u64::from(part);
                            }
                            start.elapsed()
                        });
                    });
                }
            }
        }
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    let mut criterion = Criterion::default()
        .sample_size(100)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let result = cells(&mut criterion);
    criterion.final_summary();
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cells: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
