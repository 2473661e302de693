//! Tables of things that have a number which the host gave them.
//!
//! Nobody outside chooses these numbers, and they are given in order. So a hash need not be hard to guess,
//! and what is made together lies together: eight numbers in a row are neighbours, and the newest of tens of
//! thousands are in the processor's cache. What peers choose (names, addresses, keys) is never a key here.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A table of things that have a number of the host's.
pub type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<Spread>>;
/// A set of such numbers.
pub(crate) type Numbers<K> = HashSet<K, BuildHasherDefault<Spread>>;

/// An odd number without a pattern: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// How many bits of a number stay as they are.
const NEIGHBOURS: u32 = 3;

/// Spreads numbers over a table.
#[derive(Clone, Copy, Default, Debug)]
pub struct Spread(u64);

impl Spread {
    fn number(&mut self, number: u64) {
        // The first of several (a kind before a number) is mixed in, and the last stays beside its
        // neighbours.
        self.0 = self.0.wrapping_mul(SPREAD) ^ number;
    }
}

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.number(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.number(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.number(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.number(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.number(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.number(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.number(number as u64);
    }

    fn finish(&self) -> u64 {
        let together = self.0 & ((1 << NEIGHBOURS) - 1);
        let apart = (self.0 >> NEIGHBOURS).wrapping_mul(SPREAD);
        // A table looks at the lowest bits for a place and at the highest to tell neighbours apart.
        (apart.rotate_left(32) << NEIGHBOURS | together)
            ^ self.0.wrapping_mul(SPREAD) & (0x7f << 57)
    }
}

/// Where a number falls, for tables that have it in the record.
pub(crate) fn spread(number: impl std::hash::Hash) -> u64 {
    let mut spread = Spread::default();
    number.hash(&mut spread);
    spread.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::RequestId;
    use std::collections::BTreeMap;

    #[test]
    fn numbers_spread_whatever_the_distance_between_them() {
        // Those who stay of all who came may be any: each tenth, each of one door, each 65,536th.
        for distance in [1_u64, 2, 3, 8, 10, 64, 1_000, 1 << 16, 1 << 20] {
            let mut places: BTreeMap<u64, u32> = BTreeMap::new();
            for number in 0..1_024 {
                *places
                    .entry(spread(number * distance) >> 4 & 0x7f)
                    .or_default() += 1;
            }
            // Eight to a place on average.
            let most = places.values().max();
            assert!(most.is_some_and(|most| *most <= 32), "{distance}: {most:?}");
        }
    }

    #[test]
    fn neighbours_are_told_apart_by_the_highest_bits() {
        let highest: HashSet<u64> = (0..64).map(|number| spread(number) >> 57).collect();
        assert!(highest.len() >= 32, "{}", highest.len());
    }

    #[test]
    fn kinds_of_one_number_are_apart() {
        let kinds: HashSet<u64> = (0..8_u16)
            .map(|kind| spread((kind, RequestId(7))))
            .collect();
        assert_eq!(kinds.len(), 8);
    }
}
