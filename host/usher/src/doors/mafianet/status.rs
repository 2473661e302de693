//! How the door stands, for everyone who is not its thread.

use super::peers::{Counts, STAGES};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use usher_wire::raknet::Budget;

/// The words for the stages of peers, in the order of [`usher_wire::raknet::acceptor::Stage`].
const WORDS: [&str; STAGES] = [
    "unverified",
    "requested",
    "handling",
    "exchanging",
    "pending",
    "connected",
    "closing",
];

/// What the door's thread and others share.
pub(super) struct Shared {
    peers: [AtomicU32; STAGES],
    /// Messages of the rules that found no room among the orders.
    shed: AtomicU64,
    budget: Budget,
}

impl Shared {
    pub(super) fn new(budget: Budget) -> Shared {
        Shared {
            peers: Default::default(),
            shed: AtomicU64::new(0),
            budget,
        }
    }

    pub(super) fn publish(&self, counts: &Counts) {
        for (shown, count) in self.peers.iter().zip(counts) {
            shown.store(*count, Ordering::Relaxed);
        }
    }

    pub(super) fn shed_one(&self) {
        self.shed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn take_shed(&self) -> u64 {
        self.shed.swap(0, Ordering::Relaxed)
    }

    /// How many peers are in each stage.
    pub(super) fn peers(&self) -> Vec<(&'static str, u32)> {
        let counts = self.peers.iter().map(|count| count.load(Ordering::Relaxed));
        WORDS.into_iter().zip(counts).collect()
    }

    /// Bytes that long messages take which are not whole or not decided about.
    pub(super) fn held_bytes(&self) -> u64 {
        self.budget.used() as u64
    }
}
