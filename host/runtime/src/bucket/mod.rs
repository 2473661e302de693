//! Buckets: named lists of names, player ids and addresses that policies look things up in.
//!
//! A bucket never changes: a new one takes its place, so that a decision keeps what it began with. What
//! fills buckets, and when, is the caller's.

mod entry;
mod network;

pub use entry::{BadEntry, Entry};
pub use network::Network;

use network::Networks;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};

/// One list: entries, each with a note of the operator's, which may be empty.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Bucket {
    texts: HashMap<Arc<str>, Arc<str>>,
    networks: Networks,
}

impl Bucket {
    /// Puts an entry in. One that is there already has the new note.
    pub fn insert(&mut self, entry: Entry, note: Arc<str>) {
        match entry {
            Entry::Text(text) => drop(self.texts.insert(text, note)),
            Entry::Network(network) => self.networks.insert(network, note),
        }
    }

    /// Whether exactly this entry is in it.
    pub fn has(&self, entry: &Entry) -> bool {
        match entry {
            Entry::Text(text) => self.texts.contains_key(text),
            Entry::Network(network) => self.networks.get(network).is_some(),
        }
    }

    /// The note beside a text. The text is compared byte for byte, but for space around it. Addresses are
    /// no text: a player who calls himself `192.0.2.1` is not the one who comes from there.
    pub fn get(&self, text: &str) -> Option<&Arc<str>> {
        self.texts.get(text.trim())
    }

    /// The note of the smallest network that an address is in. An IPv4 address mapped into IPv6 is the
    /// IPv4 address; else no address is in a network of the other family.
    pub fn matching(&self, address: IpAddr) -> Option<&Arc<str>> {
        self.networks.of(address)
    }

    /// How many entries.
    pub fn len(&self) -> usize {
        self.texts.len() + self.networks.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Every bucket, by its name in the configuration.
#[derive(Clone, Default, Debug)]
pub struct Buckets {
    named: BTreeMap<Arc<str>, Arc<Bucket>>,
    /// Whether any other name is that of an empty one.
    any: bool,
}

impl Buckets {
    /// Buckets of every name, each empty: for whoever tries a module without a configuration.
    pub(crate) fn any() -> Buckets {
        Buckets {
            any: true,
            ..Buckets::default()
        }
    }

    /// These, and this one in place of the one that had its name.
    pub fn with(&self, name: &Arc<str>, bucket: Arc<Bucket>) -> Buckets {
        let mut buckets = self.clone();
        buckets.named.insert(Arc::clone(name), bucket);
        buckets
    }

    /// The bucket of a name, if there is one.
    pub fn named(&self, name: &str) -> Option<&Bucket> {
        static EMPTY: std::sync::LazyLock<Bucket> = std::sync::LazyLock::new(Bucket::default);
        let named = self.named.get(name).map(|bucket| &**bucket);
        named.or_else(|| self.any.then(|| &*EMPTY))
    }
}

/// The buckets as they are at any moment, shared by those who fill them and those who look. Cheap to
/// clone.
#[derive(Clone, Default, Debug)]
pub struct LiveBuckets(Arc<RwLock<Arc<Buckets>>>);

impl LiveBuckets {
    /// The buckets of now, which stay as they are for whoever has them.
    pub fn now(&self) -> Arc<Buckets> {
        // What is in it is replaced whole.
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts others in their place. A decision sees them from the next [`crate::Policies::pin`] on.
    pub fn replace(&self, buckets: Buckets) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(buckets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(entries: &[(&str, &str)]) -> Bucket {
        let mut bucket = Bucket::default();
        for (entry, note) in entries {
            bucket.insert(Entry::parse(entry).expect("an entry"), (*note).into());
        }
        bucket
    }

    #[test]
    fn text_is_found_exactly_but_for_space_around_it() {
        let bucket = bucket(&[("R9", "cheats"), ("two words", ""), ("192.0.2.1", "")]);
        let note = |text| bucket.get(text).map(|note| &**note);
        assert_eq!(note("R9"), Some("cheats"));
        assert_eq!(note(" R9\t"), Some("cheats"));
        assert_eq!(note("r9"), None);
        assert_eq!(note("two words"), Some(""));
        assert_eq!(note("two  words"), None);
        assert_eq!(note(""), None);
        assert_eq!(note("192.0.2.1"), None, "an address is no name");
        assert_eq!(bucket.len(), 3);
    }

    #[test]
    fn what_is_put_in_again_has_the_new_note() {
        let bucket = bucket(&[("R9", "old"), ("R9", "new")]);
        assert_eq!(bucket.get("R9").map(|note| &**note), Some("new"));
        assert_eq!(bucket.len(), 1);
        assert!(bucket.has(&Entry::Text("R9".into())));
        assert!(!bucket.has(&Entry::Text("r9".into())));
    }

    #[test]
    fn whoever_has_the_buckets_keeps_them_as_they_are() {
        let live = LiveBuckets::default();
        let before = live.now();
        let name: Arc<str> = "bans".into();
        live.replace(before.with(&name, bucket(&[("R9", "")]).into()));
        assert!(before.named("bans").is_none());
        let held = live.now();
        live.replace(held.with(&name, Arc::default()));
        let has = |buckets: &Buckets| buckets.named("bans").map(Bucket::len);
        assert_eq!((has(&held), has(&live.now())), (Some(1), Some(0)));
    }

    /// How long this thread has run on a processor: others may use the machine meanwhile.
    #[cfg(target_os = "linux")]
    fn processor() -> std::time::Duration {
        let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanos = read.and_then(|it| it.split(' ').next()?.parse().ok());
        std::time::Duration::from_nanos(nanos.expect("the kernel counts it"))
    }

    /// A list of the largest size that is taken by default is looked up in without delay.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_hundred_thousand_entries_are_no_burden() {
        let mut bucket = Bucket::default();
        for number in 0..50_000_u32 {
            let name = Entry::Text(format!("player-{number}").into());
            bucket.insert(name, "".into());
            let address = IpAddr::from((number * 7_919).to_be_bytes());
            let prefix = u8::try_from(32 - number % 25).expect("small");
            let network = Network::new(address, prefix).expect("short");
            bucket.insert(Entry::Network(network), "".into());
        }
        let begun = processor();
        for number in 0..10_000_u32 {
            assert!(bucket.get("nobody").is_none());
            let address = IpAddr::from((number * 104_729).to_be_bytes());
            std::hint::black_box(bucket.matching(address));
        }
        // A microsecond each; who walks through the list takes a hundred times as long.
        assert!(processor() - begun < std::time::Duration::from_secs(2));
    }
}
