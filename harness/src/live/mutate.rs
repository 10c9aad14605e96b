//! Broken input: what becomes of good bytes when they are cut, flipped or added to. The same
//! bytes always give the same mutations.

use std::collections::HashSet;

use interop_codec::Part;

use crate::explain::Trace;

/// Most cuts of an input.
const MAX_CUTS: usize = 12;
/// Most flips in bytes of one part.
const MAX_FLIPS: usize = 8;

/// How an input is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// The end is missing.
    Cut,
    /// A bit is flipped in a byte of this part.
    Flip(Part),
    /// Bytes follow.
    Extended,
}

impl Class {
    /// The word in cell names.
    pub(super) fn name(self) -> String {
        match self {
            Self::Cut => "cut".to_owned(),
            Self::Flip(part) => format!("flip-{}", part.name()),
            Self::Extended => "extended".to_owned(),
        }
    }
}

/// A broken input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutation {
    pub(super) class: Class,
    pub(super) bytes: Vec<u8>,
    /// What was done, in words.
    pub(super) what: String,
}

/// Mutations of `bytes`, of which `trace` is the trace: all distinct and none of them `bytes`,
/// by class.
pub(super) fn mutations(bytes: &[u8], trace: &Trace) -> Vec<Mutation> {
    let mut chance = Chance::of(bytes);
    let mut all = Vec::new();
    // Cuts before and inside of spans, so that every kind of element ends early somewhere.
    let mut ends: Vec<usize> = trace
        .spans
        .iter()
        .flat_map(|span| [span.start, span.start + (span.end - span.start) / 2])
        .filter(|&end| end < bytes.len())
        .collect();
    ends.sort_unstable();
    ends.dedup();
    for end in chance.sample(ends, MAX_CUTS) {
        all.push(Mutation {
            class: Class::Cut,
            bytes: bytes[..end].to_vec(),
            what: format!("cut to {end} of {} bytes", bytes.len()),
        });
    }
    for part in Part::ALL {
        let spans = trace.spans.iter().filter(|span| span.part == part);
        let places = spans.flat_map(|span| span.start..span.end).collect();
        for place in chance.sample(places, MAX_FLIPS) {
            let bit = chance.below(8);
            let mut flipped = bytes.to_vec();
            flipped[place] ^= 1 << bit;
            all.push(Mutation {
                class: Class::Flip(part),
                bytes: flipped,
                what: format!("bit {bit} of byte {place} flipped"),
            });
        }
    }
    for more in [&[0][..], &[0xff], &[0x0a, 0x05]] {
        all.push(Mutation {
            class: Class::Extended,
            bytes: [bytes, more].concat(),
            what: format!("followed by \"{}\"", more.escape_ascii()),
        });
    }
    let mut seen = HashSet::new();
    all.retain(|mutation| mutation.bytes != bytes && seen.insert(mutation.bytes.clone()));
    all
}

/// Numbers that look random and are not (SplitMix64).
struct Chance(u64);

impl Chance {
    /// Seeded with FNV-1a 64 of the bytes.
    fn of(bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// At most `count` of the places, in order.
    fn sample(&mut self, mut places: Vec<usize>, count: usize) -> Vec<usize> {
        while places.len() > count {
            let place = self.below(places.len());
            places.remove(place);
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Subject;
    use interop_codec::{Dialect, Format};
    use interop_wire::Limits;

    #[test]
    fn mutations_are_fixed_bounded_and_distinct() {
        let subject = Subject::built_in("NumericStruct").unwrap();
        let json = br#"{"f1":1,"f2":-2,"f3":300}"#;
        let options = interop_codec::DecodeOptions::default();
        let value = interop_codec::decode(&subject.schema, subject.id, Format::Json, json, options)
            .unwrap();
        for format in Format::ALL {
            let dialect = Dialect::default_of(format);
            let bytes = interop_codec::encode(&subject.schema, &value, format, &dialect).unwrap();
            let trace = Trace::of(&subject, format, &bytes, Limits::DEFAULT);
            let all = mutations(&bytes, &trace);
            assert_eq!(all, mutations(&bytes, &trace));
            assert!((12..=48).contains(&all.len()), "{format}: {}", all.len());
            for (index, one) in all.iter().enumerate() {
                assert_ne!(one.bytes, bytes);
                let again = all[index + 1..]
                    .iter()
                    .any(|other| other.bytes == one.bytes);
                assert!(!again, "{one:?}");
            }
            let classes = |class| all.iter().filter(|one| one.class == class).count();
            assert!(classes(Class::Cut) > 0 && classes(Class::Flip(Part::Payload)) > 0);
        }
    }
}
