//! Tables of things that peers, policies and operators choose: names, addresses, keys of the ledger.
//!
//! Whoever chooses what is put into a table could choose things that all fall in one place, and make every
//! look take as long as there are things. So where something falls depends on numbers that are drawn for each
//! table and never shown. It takes a multiplication for eight bytes: the keys are short, and there are many
//! looks in every decision. Things that have a number of the host's are in [`crate::by_number`].

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};

/// A table of things that are chosen outside.
pub(crate) type ByChoice<K, V> = HashMap<K, V, Drawn>;
/// A set of such things.
pub(crate) type Choices<K> = HashSet<K, Drawn>;

/// What is drawn for a table.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    start: u64,
    factor: u64,
}

impl Default for Drawn {
    /// Drawn as the standard library draws for its own tables. Nothing that the core does depends on it.
    fn default() -> Drawn {
        let drawn = RandomState::new();
        Drawn {
            start: drawn.hash_one(0),
            // With an odd number no two words come to the same.
            factor: drawn.hash_one(1) | 1,
        }
    }
}

/// It is a secret as long as the table lives.
impl std::fmt::Debug for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Drawn")
    }
}

impl BuildHasher for Drawn {
    type Hasher = Mix;

    fn build_hasher(&self) -> Mix {
        Mix {
            state: self.start,
            factor: self.factor,
        }
    }
}

/// Mixes what it is given, word by word.
#[derive(Clone, Copy)]
pub(crate) struct Mix {
    state: u64,
    factor: u64,
}

impl Mix {
    /// A product is twice as wide as its factors, and every bit of both has a part in its middle: the halves
    /// on each other, each bit depends on all.
    fn word(&mut self, word: u64) {
        let (low, high) = (self.state ^ word).carrying_mul(self.factor, 0);
        self.state = low ^ high;
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            // With how many they are, or bytes of zero at the end would not count.
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            word[7] = u8::try_from(rest.len()).unwrap_or(0);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.word(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.word(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.word(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.word(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.word(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.word(number as u64);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Some that differ in little, as names and addresses do.
    fn alike() -> Vec<String> {
        let numbered = (0..2_000).map(|number| format!("player{number}"));
        let ends = (0..2_000).map(|number| format!("{number}-of-a-longer-name"));
        let zeros = (0..40).map(|count| "\0".repeat(count));
        numbered.chain(ends).chain(zeros).collect()
    }

    #[test]
    fn what_differs_in_little_is_spread_whatever_was_drawn() {
        let alike = alike();
        for _ in 0..8 {
            let drawn = Drawn::default();
            let hashes: HashSet<_> = alike.iter().map(|text| drawn.hash_one(text)).collect();
            assert_eq!(hashes.len(), alike.len());
            // A table looks at the lowest bits for a place and at the highest to tell neighbours apart.
            for place in [|hash: &u64| hash & 0x7f, |hash: &u64| hash >> 57] {
                let mut places: BTreeMap<u64, usize> = BTreeMap::new();
                for hash in &hashes {
                    *places.entry(place(hash)).or_default() += 1;
                }
                // Some 32 to a place on average.
                let most = places.values().copied().max().unwrap_or(0);
                assert!(places.len() == 128 && most < 96, "{most}");
            }
        }
    }

    #[test]
    fn each_table_has_things_at_places_of_its_own() {
        let (one, other) = (Drawn::default(), Drawn::default());
        let same = |text: &&String| one.hash_one(text) == other.hash_one(text);
        assert_eq!(alike().iter().filter(same).count(), 0);
        assert_eq!(format!("{one:?}"), "Drawn");
    }

    #[test]
    fn where_a_text_is_cut_matters() {
        let drawn = Drawn::default();
        let pairs = [(("ab", "c"), ("a", "bc")), (("", "a"), ("a", ""))];
        for (one, other) in pairs {
            assert_ne!(drawn.hash_one(one), drawn.hash_one(other));
        }
    }
}
