//! The run: every cell checked, then measured in short rounds, all contestants in each round.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::plan::{Case, Contestant, Planned};
use super::record::{Cell, LeftOut, timed};
use super::source::{Ask, Checked, Round, Source, Stop};
use super::stats::{Estimate, Random};

/// How to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Measured time of a cell, all rounds together.
    pub duration: Duration,
    /// Rounds.
    pub rounds: usize,
    /// Unmeasured time before the first round.
    pub first_warmup: Duration,
    /// And before each further one.
    pub warmup: Duration,
    /// Length of a batch.
    pub batch: Duration,
}

impl Pace {
    /// The pace for so much measured time a cell.
    pub fn of(duration: Duration) -> Self {
        /// A round shorter than this is mostly its own start.
        const SHORTEST_ROUND: Duration = Duration::from_millis(5);
        const MOST_ROUNDS: u32 = 15;
        let fitting = duration.as_nanos() / SHORTEST_ROUND.as_nanos();
        let rounds = (fitting as u32).clamp(5, MOST_ROUNDS);
        let batch = (duration / rounds / 5).min(Duration::from_millis(1));
        Self {
            duration,
            rounds: rounds as usize,
            first_warmup: (duration / 2).min(Duration::from_secs(1)),
            warmup: batch * 2,
            batch,
        }
    }

    fn ask(&self, round: usize) -> Ask {
        Ask {
            warmup: if round == 0 {
                self.first_warmup
            } else {
                self.warmup
            },
            duration: self.duration / self.rounds as u32,
            batch: self.batch,
        }
    }

    /// Time that the cells take, without what the peers need around their loops.
    pub fn planned(&self, cells: usize) -> Duration {
        let rounds = (0..self.rounds).map(|round| {
            let ask = self.ask(round);
            ask.warmup + ask.duration
        });
        rounds.sum::<Duration>() * cells as u32
    }
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'p> {
    /// The cell at hand.
    pub cell: &'p str,
    /// Share of the run that is done, 0 to 1.
    pub done: f64,
    /// Time left, as far as can be told.
    pub left: Duration,
}

/// What a run gave.
#[derive(Debug, Default)]
pub struct Measured {
    /// The cells that were timed.
    pub cells: Vec<Cell>,
    /// The others.
    pub left_out: Vec<LeftOut>,
    /// False after Ctrl-C.
    pub complete: bool,
    /// Rounds that every timed cell has.
    pub rounds_done: usize,
}

/// Measures the cells.
pub fn run(
    source: &mut dyn Source,
    cases: &[Case],
    contestants: &[Contestant],
    cells: &[Planned],
    pace: &Pace,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Measured {
    let started = Instant::now();
    let mut checks: HashMap<(usize, usize), Result<Checked, String>> = HashMap::new();
    let mut samples: Vec<Vec<Vec<f64>>> = vec![Vec::new(); cells.len()];
    let mut broken: Vec<Option<String>> = vec![None; cells.len()];
    let mut random = Random(1);
    let mut complete = true;
    let planned = pace.planned(cells.len()).as_secs_f64();
    let mut spent = 0.0;
    'rounds: for round in 0..pace.rounds {
        let ask = pace.ask(round);
        for index in order(cells, &mut random) {
            let cell = &cells[index];
            let (case, contestant) = (&cases[cell.case], &contestants[cell.contestant]);
            if broken[index].is_some() {
                spent += (ask.warmup + ask.duration).as_secs_f64();
                continue;
            }
            let done = if planned > 0.0 { spent / planned } else { 0.0 };
            progress(Progress {
                cell: &cell.name,
                done,
                left: time_left(started.elapsed(), done, planned),
            });
            let key = (cell.case, cell.contestant);
            let checked = match checks.get(&key) {
                Some(checked) => checked.clone(),
                None => match source.check(case, contestant) {
                    Err(Stop::Interrupted) => {
                        complete = false;
                        break 'rounds;
                    }
                    Err(Stop::LeftOut(reason)) => Err(reason),
                    Ok(checked) => Ok(checked),
                },
            };
            checks.insert(key, checked.clone());
            let measured = match checked {
                Err(reason) => Err(Stop::LeftOut(reason)),
                Ok(checked) => source
                    .measure(case, contestant, cell, ask)
                    .and_then(|round| verified(round, checked, case.has_free_order())),
            };
            match measured {
                Ok(batches) => samples[index].push(batches),
                Err(Stop::LeftOut(reason)) => broken[index] = Some(reason),
                Err(Stop::Interrupted) => {
                    complete = false;
                    break 'rounds;
                }
            }
            spent += (ask.warmup + ask.duration).as_secs_f64();
        }
    }
    let mut result = Measured {
        complete,
        rounds_done: usize::MAX,
        ..Measured::default()
    };
    for (index, cell) in cells.iter().enumerate() {
        let reason = match (&broken[index], samples[index].is_empty()) {
            (Some(reason), _) => reason.clone(),
            (None, true) => "the run was stopped before its turn".to_owned(),
            (None, false) => {
                let (case, contestant) = (&cases[cell.case], &contestants[cell.contestant]);
                let checked = checks.get(&(cell.case, cell.contestant));
                let bytes = checked.and_then(|checked| checked.as_ref().ok());
                let bytes = bytes.map_or(0, |checked| checked.bytes);
                result.rounds_done = result.rounds_done.min(samples[index].len());
                result
                    .cells
                    .push(timed(blank(cell, case, contestant, bytes), &samples[index]));
                continue;
            }
        };
        result.left_out.push(LeftOut {
            what: cell.name.clone(),
            reason,
        });
    }
    if result.cells.is_empty() {
        result.rounds_done = 0;
    }
    result
}

/// The cells in the order of one round: rows in a random order, and within each row the
/// contestants, so that none always runs behind the same other.
fn order(cells: &[Planned], random: &mut Random) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..cells.len()).collect();
    let mut rows: Vec<&mut [usize]> = indices
        .chunk_by_mut(|&a, &b| {
            (cells[a].case, cells[a].operation) == (cells[b].case, cells[b].operation)
        })
        .collect();
    random.shuffle(&mut rows);
    let mut order = Vec::with_capacity(cells.len());
    for row in rows {
        random.shuffle(row);
        order.extend_from_slice(row);
    }
    order
}

/// The round's batches, if the peer timed what the check saw. Many libraries write the entries
/// of a map in an order drawn anew each time; of such values only the length stays the same.
fn verified(round: Round, checked: Checked, free_order: bool) -> Result<Vec<f64>, Stop> {
    let reordered = free_order && round.bytes == checked.bytes;
    if round.checksum == checked.checksum || reordered {
        return Ok(round.ns_per_op);
    }
    Err(Stop::LeftOut(format!(
        "checksum of what it timed: {:016x} over {} bytes, of its own bytes: {:016x} over {}",
        round.checksum, round.bytes, checked.checksum, checked.bytes
    )))
}

fn time_left(elapsed: Duration, done: f64, planned_s: f64) -> Duration {
    // Too early to tell from what happened; the plan's own length is the best guess.
    const ENOUGH: f64 = 0.01;
    let seconds = if done < ENOUGH {
        planned_s
    } else {
        elapsed.as_secs_f64() * (1.0 - done) / done
    };
    Duration::from_secs_f64(seconds.clamp(0.0, 1e9))
}

fn blank(cell: &Planned, case: &Case, contestant: &Contestant, bytes: u64) -> Cell {
    let nothing = Estimate {
        median: 0.0,
        low: 0.0,
        high: 0.0,
    };
    Cell {
        name: cell.name.clone(),
        language: contestant.language.clone(),
        implementation: contestant.name.clone(),
        version: contestant.version.clone(),
        format: contestant.format,
        model: case.model.clone(),
        set: case.set.clone(),
        operation: cell.operation,
        bytes,
        ns_per_op: nothing,
        ops_per_sec: nothing,
        factor: 1.0,
        samples: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::plan::Wanted;
    use crate::bench::record::Operation;
    use crate::golden::Store;
    use interop_codec::Format;

    /// A source without clocks: times are made up, and what goes wrong is chosen.
    struct Scripted {
        asked: Vec<String>,
        interrupt_after: usize,
    }

    impl Source for Scripted {
        fn check(&mut self, _: &Case, contestant: &Contestant) -> Result<Checked, Stop> {
            if contestant.name == "x/changes-values" {
                return Err(Stop::LeftOut("value check: field a".to_owned()));
            }
            Ok(Checked {
                bytes: 7,
                checksum: 1,
            })
        }

        fn measure(
            &mut self,
            _: &Case,
            contestant: &Contestant,
            cell: &Planned,
            _: Ask,
        ) -> Result<Round, Stop> {
            if self.asked.len() == self.interrupt_after {
                return Err(Stop::Interrupted);
            }
            self.asked.push(cell.name.clone());
            if contestant.name == "x/crashes" && self.asked.len() > 5 {
                return Err(Stop::LeftOut("ended with signal 11".to_owned()));
            }
            let ns = if contestant.name == "x/fast" {
                10.0
            } else {
                20.0
            };
            Ok(Round {
                ns_per_op: vec![ns; 3],
                checksum: u64::from(contestant.name != "x/lies"),
                bytes: 7,
            })
        }
    }

    fn measure(names: &[&str], interrupt_after: usize) -> (Measured, Vec<String>) {
        let wanted = Wanted {
            models: vec!["Sample".to_owned()],
            operations: vec![Operation::Serialize],
            ..Wanted::default()
        };
        let cases = wanted.cases(&Store::find(None).unwrap()).unwrap();
        let contestants: Vec<Contestant> = names
            .iter()
            .map(|name| Contestant {
                language: "x".to_owned(),
                name: (*name).to_owned(),
                version: String::new(),
                format: Format::Fory,
                models: None,
                evolves: false,
            })
            .collect();
        let cells = wanted.cells(&cases, &contestants).unwrap();
        let mut source = Scripted {
            asked: Vec::new(),
            interrupt_after,
        };
        let pace = Pace::of(Duration::from_millis(50));
        let mut last = 0.0;
        let measured = run(
            &mut source,
            &cases,
            &contestants,
            &cells,
            &pace,
            &mut |now| {
                assert!(now.done >= last && now.done <= 1.0);
                last = now.done;
            },
        );
        (measured, source.asked)
    }

    #[test]
    fn contestants_take_turns_in_every_round() {
        let (measured, asked) = measure(&["x/fast", "x/slow"], usize::MAX);
        assert!(measured.complete);
        assert_eq!(measured.rounds_done, 10);
        for round in asked.chunks(2) {
            assert_ne!(round[0], round[1]);
        }
        let firsts: Vec<_> = asked.chunks(2).map(|round| &round[0]).collect();
        assert!(firsts.iter().any(|name| *name != firsts[0]), "fixed order");
        assert_eq!(measured.cells[0].ns_per_op.median, 10.0);
        assert_eq!(measured.cells[0].ops_per_sec.median, 1e8);
    }

    #[test]
    fn only_what_is_right_is_timed() {
        let names = ["x/fast", "x/changes-values", "x/lies", "x/crashes"];
        let (measured, _) = measure(&names, usize::MAX);
        assert_eq!(measured.cells.len(), 1);
        let reason = |name: &str| {
            let found = measured
                .left_out
                .iter()
                .find(|out| out.what.ends_with(name));
            found.unwrap().reason.as_str()
        };
        assert!(reason("x/changes-values").starts_with("value check"));
        assert!(reason("x/lies").starts_with("checksum"));
        assert!(reason("x/crashes").contains("signal"));
    }

    #[test]
    fn an_interrupt_keeps_what_is_done() {
        let (measured, _) = measure(&["x/fast", "x/slow"], 7);
        assert!(!measured.complete);
        assert_eq!(measured.cells.len(), 2);
        assert_eq!(measured.rounds_done, 3);
        let (measured, _) = measure(&["x/fast", "x/slow"], 1);
        assert_eq!(measured.left_out.len(), 1);
        assert!(measured.left_out[0].reason.contains("stopped"));
    }

    #[test]
    fn reordered_maps_are_told_from_other_bytes() {
        let round = |bytes| Round {
            ns_per_op: vec![1.0],
            checksum: 2,
            bytes,
        };
        let checked = Checked {
            bytes: 7,
            checksum: 1,
        };
        assert!(verified(round(7), checked, true).is_ok());
        assert!(verified(round(7), checked, false).is_err());
        assert!(verified(round(8), checked, true).is_err());
    }

    #[test]
    fn the_pace_fits_its_duration() {
        let pace = Pace::of(Duration::from_secs(3));
        assert_eq!(pace.rounds, 15);
        assert_eq!(pace.batch, Duration::from_millis(1));
        assert_eq!(Pace::of(Duration::from_millis(10)).rounds, 5);
        assert!(pace.planned(10) > Duration::from_secs(30));
    }
}
