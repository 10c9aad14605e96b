//! The statistics of the benchmark: medians, bootstrap intervals, ratios, verdicts, margins.
//!
//! Times of one round are not independent of one another, since the machine's state lasts
//! longer than a batch. The estimate is the median of all batches, and the unit of resampling
//! is the round, with all its batches. All resampling is seeded, so that the same samples
//! always give the same interval.

use serde::{Deserialize, Serialize};

/// Resamples behind every interval.
pub const RESAMPLES: usize = 1000;

/// Confidence of every interval: 95 % lies between these two quantiles.
const TAILS: (f64, f64) = (0.025, 0.975);

/// Seed of every bootstrap.
const SEED: u64 = 0x0069_6e74_6572_6f70;

/// An estimate with its interval, in the unit of its samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The median.
    pub median: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// The same estimate of a rate: a time of `self` nanoseconds is so many operations a second.
    pub fn per_second(&self) -> Self {
        let rate = |ns: f64| if ns > 0.0 { 1e9 / ns } else { f64::INFINITY };
        Self {
            median: rate(self.median),
            low: rate(self.high),
            high: rate(self.low),
        }
    }

    /// True when the two intervals share a value.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// The quantile `q` (0 to 1) of sorted samples, linear between neighbours; 0 of none.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = q.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    let part = place - below as f64;
    sorted[below] * (1.0 - part) + sorted[above] * part
}

/// The median; 0 of none.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// The geometric mean of positive numbers; 1 of none.
pub fn geometric_mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 1.0;
    }
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (sum / values.len() as f64).exp()
}

/// The median of all batches with its bootstrap interval.
pub fn estimate(rounds: &[Vec<f64>]) -> Estimate {
    let mut random = Random(SEED);
    let all: Vec<usize> = (0..rounds.len()).collect();
    let medians = (0..RESAMPLES).map(|_| pooled_median(rounds, &random.picks(rounds.len())));
    interval(pooled_median(rounds, &all), medians.collect())
}

/// How many times as long `a` takes as `b`. Where both were measured in the same rounds, the
/// rounds are resampled in pairs: what disturbs a round disturbs both sides alike.
pub fn ratio(a: &[Vec<f64>], b: &[Vec<f64>], paired: bool) -> Estimate {
    let mut random = Random(SEED);
    let all = |side: &[Vec<f64>]| (0..side.len()).collect::<Vec<_>>();
    let point = pooled_median(a, &all(a)) / pooled_median(b, &all(b));
    let ratios = (0..RESAMPLES).map(|_| {
        let picks = random.picks(a.len());
        let others = if paired && a.len() == b.len() {
            picks.clone()
        } else {
            random.picks(b.len())
        };
        pooled_median(a, &picks) / pooled_median(b, &others)
    });
    interval(point, ratios.collect())
}

/// The median of the batches of the rounds picked; a round may be picked more than once.
fn pooled_median(rounds: &[Vec<f64>], picks: &[usize]) -> f64 {
    let mut pool: Vec<f64> = picks.iter().flat_map(|&at| &rounds[at]).copied().collect();
    let middle = pool.len() / 2;
    let even = pool.len().is_multiple_of(2);
    if pool.is_empty() {
        return 0.0;
    }
    let (below, &mut upper, _) = pool.select_nth_unstable_by(middle, f64::total_cmp);
    if !even {
        return upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(lower, upper)
}

fn interval(point: f64, mut resampled: Vec<f64>) -> Estimate {
    resampled.sort_by(f64::total_cmp);
    Estimate {
        median: point,
        low: quantile(&resampled, TAILS.0).min(point),
        high: quantile(&resampled, TAILS.1).max(point),
    }
}

/// What two measurements of the same thing say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The second takes less time.
    Faster,
    /// The second takes more.
    Slower,
    /// The intervals overlap, or lie within the margin of each other: nothing can be said.
    Undecided,
}

/// Compares two times. There is a verdict only where the intervals do not overlap and the
/// medians are further apart than `margin` (0.05 is 5 %).
pub fn verdict(before: &Estimate, after: &Estimate, margin: f64) -> Verdict {
    let apart = (after.median / before.median).ln().abs() > (1.0 + margin).ln();
    if before.overlaps(after) || !apart {
        Verdict::Undecided
    } else if after.median < before.median {
        Verdict::Faster
    } else {
        Verdict::Slower
    }
}

/// The margin that repeated runs of the same programs need: each slice holds one ratio as the
/// runs saw it. The result is the smallest margin within which all but `allowed` (a share) of
/// the comparisons between two runs of a ratio stay, with half as much again for runs not seen.
/// At least 2 %.
pub fn margin_of(runs_of_ratio: &[Vec<f64>], allowed: f64) -> f64 {
    let mut distances = Vec::new();
    for runs in runs_of_ratio {
        for (at, one) in runs.iter().enumerate() {
            distances.extend(runs[at + 1..].iter().map(|other| (one / other).ln().abs()));
        }
    }
    distances.sort_by(f64::total_cmp);
    let seen = quantile(&distances, 1.0 - allowed);
    ((1.5 * seen).exp() - 1.0).max(0.02)
}

/// At most `most` of the samples, evenly picked from the sorted ones, so that the distribution
/// keeps its shape and its ends.
pub fn thinned(samples: &[f64], most: usize) -> Vec<f64> {
    if samples.len() <= most || most < 2 {
        return samples.to_vec();
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |index: usize| index * (sorted.len() - 1) / (most - 1);
    (0..most).map(|index| sorted[at(index)]).collect()
}

/// SplitMix64: small, seeded, good enough to draw indices.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    fn picks(&mut self, count: usize) -> Vec<usize> {
        (0..count).map(|_| self.below(count)).collect()
    }

    /// Puts the items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(center: f64, count: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut random = Random(seed);
        let mut noise = || center * (1.0 + random.below(1000) as f64 / 20_000.0);
        (0..count)
            .map(|_| (0..9).map(|_| noise()).collect())
            .collect()
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
        assert_eq!(quantile(&[1.0, 3.0], 0.25), 1.5);
        assert_eq!(quantile(&[1.0, 3.0], 9.0), 3.0);
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn the_interval_holds_the_median_and_is_the_same_every_time() {
        let samples = rounds(100.0, 12, 7);
        let one = estimate(&samples);
        assert_eq!(one, estimate(&samples));
        assert!(one.low <= one.median && one.median <= one.high);
        assert!(one.low < one.high);
        assert!((one.median - 102.5).abs() < 1.0, "{one:?}");
        let rate = one.per_second();
        assert!(rate.low <= rate.median && rate.median <= rate.high);
    }

    #[test]
    fn a_single_outlying_round_moves_the_median_little() {
        let mut samples = rounds(100.0, 11, 3);
        let before = estimate(&samples).median;
        samples[5] = vec![10_000.0; 9];
        assert!((estimate(&samples).median / before - 1.0).abs() < 0.02);
    }

    #[test]
    fn pairing_removes_what_both_sides_share() {
        // Rounds drift by a factor of two; the second side takes exactly twice as long.
        let drift = |factor: f64| -> Vec<Vec<f64>> {
            (0..10)
                .map(|round| vec![factor * (100.0 + 10.0 * f64::from(round))])
                .collect()
        };
        let paired = ratio(&drift(2.0), &drift(1.0), true);
        assert_eq!((paired.low, paired.median, paired.high), (2.0, 2.0, 2.0));
        let apart = ratio(&drift(2.0), &drift(1.0), false);
        assert!(apart.high - apart.low > 0.1);
    }

    #[test]
    fn overlapping_intervals_give_no_verdict() {
        let estimate = |low, median, high| Estimate { median, low, high };
        let before = estimate(95.0, 100.0, 105.0);
        let check = |after, margin| verdict(&before, &after, margin);
        assert_eq!(
            check(estimate(104.0, 120.0, 130.0), 0.0),
            Verdict::Undecided
        );
        assert_eq!(check(estimate(110.0, 120.0, 130.0), 0.0), Verdict::Slower);
        assert_eq!(
            check(estimate(110.0, 120.0, 130.0), 0.25),
            Verdict::Undecided
        );
        assert_eq!(check(estimate(70.0, 80.0, 90.0), 0.1), Verdict::Faster);
    }

    #[test]
    fn the_margin_covers_the_runs_that_made_it() {
        let mut random = Random(5);
        let mut ratio = || 1.0 + random.below(1000) as f64 / 10_000.0;
        let runs: Vec<Vec<f64>> = (0..100)
            .map(|_| (0..5).map(|_| ratio()).collect())
            .collect();
        let margin = margin_of(&runs, 0.01);
        let alarms = runs
            .iter()
            .flat_map(|runs| runs.iter().map(move |run| (run / runs[0]).ln().abs()))
            .filter(|distance| *distance > (1.0 + margin).ln());
        assert_eq!(alarms.count(), 0);
        assert!(margin < 0.2, "{margin}");
        assert_eq!(margin_of(&[], 0.01), 0.02);
    }

    #[test]
    fn thinning_keeps_the_ends() {
        let samples: Vec<f64> = (0..1000).rev().map(f64::from).collect();
        let thin = thinned(&samples, 11);
        assert_eq!((thin.len(), thin[0], thin[10]), (11, 0.0, 999.0));
        assert_eq!(thinned(&[2.0, 1.0], 11), [2.0, 1.0]);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Random(1).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
