//! Random values for the types that the oracle's models are made of.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::rc::Rc;

use fory::{BFloat16, Date, Decimal, Duration, Float16, Timestamp};
use num_bigint_04::BigInt;

/// SplitMix64, and how deep the value is that is being made.
pub struct Rng {
    state: u64,
    depth: u32,
}

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self {
            state: seed,
            depth: 0,
        }
    }

    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }

    /// A number of every magnitude, the ends of each width included.
    fn number(&mut self) -> u64 {
        let bits = self.bits() >> self.below(64);
        match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => (1 << self.below(64)) - 1,
            3 => 1 << self.below(64),
            _ => bits,
        }
    }

    fn len(&mut self) -> usize {
        let most = match self.depth {
            0..=1 => 6,
            2 => 3,
            3 => 2,
            _ => 1,
        };
        self.below(most) as usize
    }

    fn deeper<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let made = make(self);
        self.depth -= 1;
        made
    }
}

pub trait Random {
    fn random(rng: &mut Rng) -> Self;
}

macro_rules! integers {
    ($($ty:ty),*) => {
        $(impl Random for $ty {
            fn random(rng: &mut Rng) -> Self {
                rng.number() as $ty
            }
        })*
    };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Random for bool {
    fn random(rng: &mut Rng) -> Self {
        rng.below(2) == 1
    }
}

// NaN is left out: it does not equal itself, and the oracle compares with `==`.
impl Random for f32 {
    fn random(rng: &mut Rng) -> Self {
        let value = f32::from_bits(rng.number() as u32);
        if value.is_nan() { -0.0 } else { value }
    }
}

impl Random for f64 {
    fn random(rng: &mut Rng) -> Self {
        let value = f64::from_bits(rng.number());
        if value.is_nan() { -0.0 } else { value }
    }
}

impl Random for Float16 {
    fn random(rng: &mut Rng) -> Self {
        let bits = rng.number() as u16;
        let nan = bits & 0x7c00 == 0x7c00 && bits & 0x3ff != 0;
        Self::from_bits(if nan { 0x8000 } else { bits })
    }
}

impl Random for BFloat16 {
    fn random(rng: &mut Rng) -> Self {
        let bits = rng.number() as u16;
        let nan = bits & 0x7f80 == 0x7f80 && bits & 0x7f != 0;
        Self::from_bits(if nan { 0x8000 } else { bits })
    }
}

impl Random for String {
    fn random(rng: &mut Rng) -> Self {
        const CHARS: [char; 8] = ['a', 'Z', '~', '\0', 'é', 'Ω', '語', '😀'];
        let len = rng.below(40);
        let kinds = rng.below(8) + 1;
        (0..len).map(|_| CHARS[rng.below(kinds) as usize]).collect()
    }
}

impl Random for Date {
    fn random(rng: &mut Rng) -> Self {
        Date::from_epoch_days(i64::from(rng.number() as i32))
    }
}

impl Random for Timestamp {
    fn random(rng: &mut Rng) -> Self {
        let seconds = rng.number() as i64 >> 8;
        Timestamp::new(seconds, rng.below(1_000_000_000) as u32).unwrap()
    }
}

impl Random for Duration {
    fn random(rng: &mut Rng) -> Self {
        let seconds = rng.number() as i64 >> 8;
        Duration::from_normalized(seconds, rng.below(1_000_000_000) as u32).unwrap()
    }
}

impl Random for Decimal {
    fn random(rng: &mut Rng) -> Self {
        let mut unscaled = BigInt::from(rng.number() as i64);
        for _ in 0..rng.below(4) {
            unscaled *= BigInt::from(rng.number());
        }
        Decimal::new(unscaled, rng.below(200) as i32 - 100)
    }
}

impl<T: Random> Random for Option<T> {
    fn random(rng: &mut Rng) -> Self {
        (rng.len() > 0).then(|| rng.deeper(T::random))
    }
}

impl<T: Random> Random for Box<T> {
    fn random(rng: &mut Rng) -> Self {
        Box::new(T::random(rng))
    }
}

impl<T: Random> Random for Rc<T> {
    fn random(rng: &mut Rng) -> Self {
        Rc::new(T::random(rng))
    }
}

impl<T: Random> Random for Vec<T> {
    fn random(rng: &mut Rng) -> Self {
        (0..rng.len()).map(|_| rng.deeper(T::random)).collect()
    }
}

impl<T: Random + Eq + Hash> Random for HashSet<T> {
    fn random(rng: &mut Rng) -> Self {
        (0..rng.len()).map(|_| rng.deeper(T::random)).collect()
    }
}

impl<T: Random + Ord> Random for BTreeSet<T> {
    fn random(rng: &mut Rng) -> Self {
        (0..rng.len()).map(|_| rng.deeper(T::random)).collect()
    }
}

fn entry<K: Random, V: Random>(rng: &mut Rng) -> (K, V) {
    rng.deeper(|rng| (K::random(rng), V::random(rng)))
}

impl<K: Random + Eq + Hash, V: Random> Random for HashMap<K, V> {
    fn random(rng: &mut Rng) -> Self {
        (0..rng.len()).map(|_| entry(rng)).collect()
    }
}

impl<K: Random + Ord, V: Random> Random for BTreeMap<K, V> {
    fn random(rng: &mut Rng) -> Self {
        // Now and then more entries than a chunk holds.
        let len = if rng.below(20) == 0 {
            250 + rng.below(300) as usize
        } else {
            rng.len()
        };
        (0..len).map(|_| entry(rng)).collect()
    }
}
