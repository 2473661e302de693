//! The imports where there is no host: a value that a test sets up answers them, thread by thread.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use crate::contract::{IpAddress, Key, Level, UnixMillis};

thread_local! {
    static CURRENT: RefCell<Fake> = RefCell::default();
}

/// What the imports answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fake {
    pub(crate) taken: HashMap<Key, u32>,
    pub(crate) params: HashMap<String, String>,
    /// Notes by bucket and entry.
    pub(crate) buckets: HashMap<String, BTreeMap<String, String>>,
    pub(crate) now_ms: UnixMillis,
    pub(crate) seed: u64,
    lines: Vec<(Level, String)>,
}

impl Fake {
    /// The units of a key that others hold.
    pub(crate) fn units(&self, key: &Key) -> u32 {
        self.taken.get(key).copied().unwrap_or(0)
    }

    fn bucket(&self, name: &str) -> &BTreeMap<String, String> {
        let bucket = self.buckets.get(name);
        bucket.unwrap_or_else(|| panic!("looks into the bucket {name:?}, which there is not"))
    }

    fn noted(&self, bucket: &str, entry: &str) -> Option<String> {
        let bucket = self.bucket(bucket);
        let is_text = parsed(entry.trim()).is_none();
        is_text.then(|| bucket.get(entry.trim()).cloned()).flatten()
    }

    fn noted_of_address(&self, bucket: &str, (high, low): IpAddress) -> Option<String> {
        let bucket = self.bucket(bucket);
        let address = u128::from(high) << 64 | u128::from(low);
        let networks = bucket.iter().filter_map(|(entry, note)| {
            let (network, prefix) = parsed(entry)?;
            let same = (network ^ address).checked_shr(128 - prefix).unwrap_or(0) == 0;
            // All of IPv6 has nothing of IPv4 in it.
            let of_its_family = prefix >= 96 || address >> 32 != 0xffff;
            (same && of_its_family).then_some((prefix, note))
        });
        let smallest = networks.max_by_key(|(prefix, _)| *prefix);
        smallest.map(|(_, note)| note.clone())
    }

    /// Runs code on this thread while a copy of this answers. Returns the lines that it logged, too.
    pub(crate) fn answering<T>(&self, code: impl FnOnce() -> T) -> (T, Vec<(Level, String)>) {
        /// Puts back what answered before, after a panic too: a test may expect one, and its thread
        /// go on to another test.
        struct Restore(Fake);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(std::mem::take(&mut self.0));
            }
        }

        let _restore = Restore(CURRENT.replace(self.clone()));
        let result = code();
        (
            result,
            CURRENT.with_borrow_mut(|fake| std::mem::take(&mut fake.lines)),
        )
    }
}

/// An address or a network, as the bits of an IPv6 address and how many of them count.
fn parsed(text: &str) -> Option<(u128, u32)> {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix.parse::<u32>().ok()?)),
        None => (text, None),
    };
    Some(match address.parse::<IpAddr>().ok()? {
        IpAddr::V4(v4) => (
            v4.to_ipv6_mapped().to_bits(),
            96 + prefix.unwrap_or(32).min(32),
        ),
        IpAddr::V6(v6) => (v6.to_bits(), prefix.unwrap_or(128).min(128)),
    })
}

/// The imports, under the names that the bindings give them in WebAssembly.
pub(super) mod imports {
    pub(crate) mod ledger {
        use super::super::{CURRENT, Key};

        pub(crate) fn taken(key: &Key) -> u32 {
            CURRENT.with_borrow(|fake| fake.units(key))
        }
    }

    pub(crate) mod bucket {
        use super::super::{CURRENT, IpAddress};

        pub(crate) fn get(bucket: &str, entry: &str) -> Option<String> {
            CURRENT.with_borrow(|fake| fake.noted(bucket, entry))
        }

        pub(crate) fn matches_address(bucket: &str, address: IpAddress) -> Option<String> {
            CURRENT.with_borrow(|fake| fake.noted_of_address(bucket, address))
        }
    }

    /// A request that is made by `testing` has all of it already.
    pub(crate) mod details {
        use crate::contract::{Attribute, DoorInfo, Fact, HeldUnit, ProgressInfo, RoomState};

        const MADE: &str = "natively a request is made by testing::request()";

        pub(crate) fn door() -> DoorInfo {
            panic!("{MADE}")
        }

        pub(crate) fn progress() -> ProgressInfo {
            panic!("{MADE}")
        }

        pub(crate) fn room() -> RoomState {
            panic!("{MADE}")
        }

        pub(crate) fn password() -> Option<String> {
            panic!("{MADE}")
        }

        pub(crate) fn args() -> Vec<String> {
            panic!("{MADE}")
        }

        pub(crate) fn attributes() -> Vec<Attribute> {
            panic!("{MADE}")
        }

        pub(crate) fn held() -> Vec<HeldUnit> {
            panic!("{MADE}")
        }

        /// Facts, too, are made by who asks natively.
        pub(crate) fn facts() -> Vec<Fact> {
            Vec::new()
        }
    }

    pub(crate) mod params {
        use super::super::CURRENT;

        pub(crate) fn get(name: &str) -> Option<String> {
            CURRENT.with_borrow(|fake| fake.params.get(name).cloned())
        }
    }

    pub(crate) mod clock {
        use super::super::{CURRENT, UnixMillis};

        pub(crate) fn now_ms() -> UnixMillis {
            CURRENT.with_borrow(|fake| fake.now_ms)
        }
    }

    pub(crate) mod random {
        use super::super::CURRENT;

        /// SplitMix64, because any generator will do and this one is four lines.
        pub(crate) fn u64() -> u64 {
            CURRENT.with_borrow_mut(|fake| {
                fake.seed = fake.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mixed = (fake.seed ^ (fake.seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                mixed ^ (mixed >> 31)
            })
        }
    }

    pub(crate) mod log {
        use super::super::{CURRENT, Level};

        pub(crate) fn write(level: Level, text: &str) {
            CURRENT.with_borrow_mut(|fake| fake.lines.push((level, text.to_owned())));
        }
    }
}
