//! Who is banned from the door itself, by address.

use super::timers::Slot;
use std::net::{IpAddr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;
use usher_runtime::{Buckets, LiveBuckets};

/// How often it is seen whether the list has changed.
const LOOK: Duration = Duration::from_millis(250);

/// The bucket of those who are turned away unheard.
#[derive(Clone, Debug)]
pub struct Bans {
    /// Where it is looked up.
    pub buckets: LiveBuckets,
    /// Its name.
    pub bucket: Arc<str>,
}

/// The list as the door uses it.
pub(super) struct BanList {
    bans: Bans,
    now: Arc<Buckets>,
    looked: Duration,
    /// Who is still to be looked up since the list changed.
    pub(super) unchecked: Vec<Slot>,
}

impl BanList {
    pub(super) fn new(bans: Bans, now: Duration) -> BanList {
        BanList {
            now: bans.buckets.now(),
            bans,
            looked: now,
            unchecked: Vec::new(),
        }
    }

    /// Whether someone is in it.
    pub(super) fn has(&self, client: SocketAddrV4) -> bool {
        let bucket = self.now.named(&self.bans.bucket);
        bucket.is_some_and(|bucket| bucket.matching(IpAddr::V4(*client.ip())).is_some())
    }

    /// When it is to be seen again whether it has changed.
    pub(super) fn due(&self) -> Duration {
        self.looked + LOOK
    }

    /// Whether it has changed since it was seen last.
    pub(super) fn has_changed(&mut self, now: Duration) -> bool {
        if now < self.due() {
            return false;
        }
        self.looked = now;
        let current = self.bans.buckets.now();
        let changed = !Arc::ptr_eq(&current, &self.now);
        self.now = current;
        changed
    }
}
