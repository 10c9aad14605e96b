//! A map over a slice on several threads, in order.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

/// As many threads as the machine runs at once.
pub fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Applies `work` to every item on `jobs` threads; results come in the order of the items.
pub fn map<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let jobs = jobs.clamp(1, items.len().max(1));
    if jobs == 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs)
            .map(|_| {
                scope.spawn(|| {
                    let mut done = Vec::new();
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(index) else {
                            return done;
                        };
                        done.push((index, work(item)));
                    }
                })
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn keeps_the_order() {
        let items: Vec<u32> = (0..1000).collect();
        for jobs in [0, 1, 3, 2000] {
            let doubled = super::map(&items, jobs, |item| item * 2);
            assert!(doubled.iter().zip(&items).all(|(a, b)| *a == b * 2));
            assert_eq!(doubled.len(), items.len());
        }
        assert!(super::map(&[] as &[u32], 2, |item| *item).is_empty());
    }
}
