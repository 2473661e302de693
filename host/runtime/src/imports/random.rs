//! `random`: numbers that follow from the call's seed, so that a call can be repeated.

use crate::bindings::random;

/// SplitMix64 (Steele, Lea, Flood 2014). Its whole state is the seed that the audit records; it is not
/// for secrets, and the contract says so.
#[derive(Default)]
pub(crate) struct Random(u64);

impl Random {
    /// Before a call.
    pub(crate) fn begin(&mut self, seed: u64) {
        self.0 = seed;
    }
}

impl random::Host for Random {
    fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use random::Host as _;

    #[test]
    fn it_is_splitmix64() {
        let mut random = Random::default();
        random.begin(1_234_567);
        // The reference vector of the algorithm's authors.
        for expected in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ] {
            assert_eq!(random.u64(), expected);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut random = Random::default();
        random.begin(7);
        let first = (random.u64(), random.u64());
        random.begin(7);
        assert_eq!((random.u64(), random.u64()), first);
    }
}
