//! Who writes otherwise than most: the live writers of each case, grouped by what they wrote.
//!
//! Agreement is not correctness, and nothing fails by it. It says where to look first.

use std::collections::BTreeMap;

use interop_codec::Format;
use serde::{Deserialize, Serialize};

/// Our own codec. It stands in the groups, but has no vote on what most write.
const OURS: &str = "interop";

/// Writers that wrote the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Their names.
    pub writers: Vec<String>,
    /// Why their bytes are not those of the first group, most frequent cause first.
    pub causes: Vec<String>,
    /// Whether they wrote the first group's value.
    pub same_value: bool,
}

/// The live writers of a case in one format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Corpus.
    pub corpus: String,
    /// Value set.
    pub set: String,
    /// Model.
    pub model: String,
    /// Format.
    pub format: Format,
    /// Largest first.
    pub groups: Vec<Group>,
}

impl Agreement {
    fn voters(group: &Group) -> usize {
        let voters = group.writers.iter().filter(|writer| *writer != OURS);
        voters.count()
    }

    /// Number of writers with a vote.
    pub fn all_voters(&self) -> usize {
        self.groups.iter().map(Self::voters).sum()
    }

    /// True where more than half of the libraries, and at least two, wrote the same. Whatever
    /// differs from them by the order of map entries alone counts as the same, since many
    /// libraries draw that order at random.
    pub fn has_majority(&self) -> bool {
        let agreeing: usize = self
            .groups
            .iter()
            .enumerate()
            .filter(|(index, group)| *index == 0 || agrees(group))
            .map(|(_, group)| Self::voters(group))
            .sum();
        agreeing >= 2 && 2 * agreeing > self.all_voters()
    }

    /// Groups that wrote otherwise than the majority; none where there is no majority.
    pub fn odd(&self) -> impl Iterator<Item = &Group> {
        let groups = self.groups.iter().skip(1);
        let majority = self.has_majority();
        groups.filter(move |group| majority && !agrees(group))
    }
}

fn agrees(group: &Group) -> bool {
    group.same_value && group.causes == ["map-order"]
}

/// A writer that differs from most in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddOne<'r> {
    /// Format.
    pub format: Format,
    /// The writer.
    pub writer: &'r str,
    /// Cases in which it differs.
    pub cases: usize,
    /// Cases that it wrote and in which most agree.
    pub of: usize,
    /// Cases in which it wrote another value.
    pub other_value: usize,
    /// Causes with the number of cases that each is in, most frequent first.
    pub causes: Vec<(&'r str, usize)>,
    /// The first case, as set and model.
    pub first: (&'r str, &'r str),
}

/// The writers that differ from most, by format and name.
pub fn odd_ones(agreements: &[Agreement]) -> Vec<OddOne<'_>> {
    let mut odd: BTreeMap<(Format, &str), OddOne<'_>> = BTreeMap::new();
    let mut written: BTreeMap<(Format, &str), usize> = BTreeMap::new();
    for agreement in agreements
        .iter()
        .filter(|agreement| agreement.has_majority())
    {
        for writer in agreement.groups.iter().flat_map(|group| &group.writers) {
            *written.entry((agreement.format, writer)).or_default() += 1;
        }
        for group in agreement.odd() {
            for writer in &group.writers {
                let entry = odd.entry((agreement.format, writer)).or_insert(OddOne {
                    format: agreement.format,
                    writer,
                    cases: 0,
                    of: 0,
                    other_value: 0,
                    causes: Vec::new(),
                    first: (&agreement.set, &agreement.model),
                });
                entry.cases += 1;
                entry.other_value += usize::from(!group.same_value);
                for cause in &group.causes {
                    match entry.causes.iter_mut().find(|(name, _)| name == cause) {
                        Some((_, count)) => *count += 1,
                        None => entry.causes.push((cause, 1)),
                    }
                }
            }
        }
    }
    for (key, one) in &mut odd {
        one.of = written.get(key).copied().unwrap_or_default();
        one.causes
            .sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    }
    odd.into_values().collect()
}

/// Cases without a majority among at least three writers, by format, and of how many.
pub fn undecided(agreements: &[Agreement]) -> BTreeMap<Format, (usize, usize)> {
    let mut counts: BTreeMap<Format, (usize, usize)> = BTreeMap::new();
    for agreement in agreements.iter().filter(|one| one.all_voters() >= 3) {
        let count = counts.entry(agreement.format).or_default();
        count.0 += usize::from(!agreement.has_majority());
        count.1 += 1;
    }
    counts.retain(|_, (undecided, _)| *undecided > 0);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(writers: &[&str], causes: &[&str], same_value: bool) -> Group {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Group {
            writers: own(writers),
            causes: own(causes),
            same_value,
        }
    }

    fn case(model: &str, groups: Vec<Group>) -> Agreement {
        Agreement {
            corpus: "bench".to_owned(),
            set: "zero".to_owned(),
            model: model.to_owned(),
            format: Format::Fory,
            groups,
        }
    }

    #[test]
    fn the_odd_one_out_is_named_where_most_agree() {
        let agreements = [
            case(
                "A",
                vec![
                    group(&["x", "y", "interop"], &[], true),
                    group(&["z"], &["list-header", "string-coder"], true),
                ],
            ),
            case(
                "B",
                vec![
                    group(&["x", "z"], &[], true),
                    group(&["y"], &["value"], false),
                    group(&["interop"], &["map-order"], true),
                ],
            ),
            // Three ways among three: nobody is odd.
            case(
                "C",
                vec![
                    group(&["x", "interop"], &[], true),
                    group(&["y"], &["value"], false),
                    group(&["z"], &["value"], false),
                ],
            ),
        ];
        let odd = odd_ones(&agreements);
        let names: Vec<_> = odd
            .iter()
            .map(|one| (one.writer, one.cases, one.of, one.other_value, one.first.1))
            .collect();
        assert_eq!(names, [("y", 1, 2, 1, "B"), ("z", 1, 2, 0, "A")]);
        assert_eq!(odd[1].causes, [("list-header", 1), ("string-coder", 1)]);
        assert_eq!(undecided(&agreements)[&Format::Fory], (1, 3));
    }

    #[test]
    fn two_against_two_is_no_majority_and_map_order_is_no_difference() {
        let even = case(
            "A",
            vec![
                group(&["a", "b", "interop"], &[], true),
                group(&["c", "d"], &["null-chunk"], true),
            ],
        );
        assert!(!even.has_majority(), "our own codec has no vote");
        let random = case(
            "B",
            vec![
                group(&["a"], &[], true),
                group(&["b"], &["map-order"], true),
                group(&["c"], &["map-order"], true),
            ],
        );
        assert!(random.has_majority());
        assert!(odd_ones(&[even, random]).is_empty());
    }
}
