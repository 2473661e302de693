//! Tables of things that peers, policies and operators choose: names, addresses, keys of the ledger.
//!
//! Whoever chooses what is put into a table could choose things that all fall in one place, and make every
//! look take as long as there are things. So where something falls depends on numbers that are drawn for each
//! table and never shown. The hash is foldhash's: the keys are short, there are many looks in every decision,
//! and the standard one takes several times as long. Things that have a number of the host's are in
//! [`crate::by_number`].

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use foldhash::SharedSeed;
use foldhash::quality::{FoldHasher, SeedableRandomState};

/// A table of things that are chosen outside.
pub(crate) type ByChoice<K, V> = HashMap<K, V, Drawn>;
/// A set of such things.
pub(crate) type Choices<K> = HashSet<K, Drawn>;

/// What all tables of a process have in common, drawn by the system: foldhash's own is of addresses and the
/// time, which is easier to guess.
static SHARED: LazyLock<SharedSeed> =
    LazyLock::new(|| SharedSeed::from_u64(RandomState::new().hash_one(0)));

/// What is drawn for a table.
#[derive(Clone)]
pub(crate) struct Drawn(SeedableRandomState);

impl Default for Drawn {
    /// Drawn as the standard library draws for its own tables. Nothing that the core does depends on it.
    fn default() -> Drawn {
        let own = RandomState::new().hash_one(1);
        Drawn(SeedableRandomState::with_seed(own, &SHARED))
    }
}

/// It is a secret as long as the table lives.
impl std::fmt::Debug for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Drawn")
    }
}

impl BuildHasher for Drawn {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> FoldHasher<'static> {
        self.0.build_hasher()
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
