//! Those who wait and are banned meanwhile.

use super::super::timers::Slot;
use super::Doorman;
use std::time::Duration;
use usher_core::Departure;
use usher_wire::raknet::acceptor::Stage;

/// How many are looked up in a turn: a list may be long, and who plays should not wait for it.
const LOOKED_UP: usize = 256;

/// What those are told who can be told something.
const BANNED: &[u8] = b"You are banned.";

impl Doorman {
    /// Sees whether the list of bans has changed, and turns those away who wait and are on it now. Those who
    /// play are left alone.
    pub(in super::super) fn look_for_bans(&mut self, now: Duration) {
        let Some(bans) = &mut self.front.bans else {
            return;
        };
        if bans.has_changed(now) {
            bans.unchecked = self.peers.slots();
        }
        let left = bans.unchecked.len().saturating_sub(LOOKED_UP);
        let looked_up: Vec<Slot> = bans.unchecked.drain(left..).collect();
        for slot in looked_up {
            self.look_up(slot, now);
        }
    }

    /// Whether someone is still to be looked up.
    pub(in super::super) fn has_unchecked(&self) -> bool {
        let bans = self.front.bans.as_ref();
        bans.is_some_and(|bans| !bans.unchecked.is_empty())
    }

    /// When it is to be seen again whether the list of bans has changed.
    pub(in super::super) fn bans_due(&self) -> Option<Duration> {
        let bans = self.front.bans.as_ref().filter(|_| !self.peers.is_empty());
        bans.map(|bans| bans.due())
    }

    fn look_up(&mut self, slot: Slot, now: Duration) {
        let Some(peer) = self.peers.get(slot) else {
            return;
        };
        let waits = !matches!(
            peer.acceptor.stage(),
            Stage::Connected | Stage::Closing | Stage::Over
        );
        let bans = self.front.bans.as_ref();
        if waits && peer.session.is_none() && bans.is_some_and(|bans| bans.has(peer.client())) {
            peer.acceptor.reject(&self.server, BANNED, false, now);
            // It is not to have its place kept.
            self.gone(slot, Departure::Left);
        }
    }
}
