//! The queue: who waits, in which order, and for what.
//!
//! A waiter is found under the key that blocks it, so that a freed unit costs a look at those who wait
//! for it and not at everyone. What is offered to whom, and when, is the engine's.

mod known;
mod line;
mod place;
mod rank;
mod ranked;
mod wants;

use known::Known;
pub(crate) use line::Line;
pub(crate) use place::{Place, PlaceId, Places};
pub(crate) use rank::{Arrival, Rank};

pub(crate) use ranked::Ranked;
use wants::{Common, Wants};

use crate::by_choice::ByChoice;
use crate::by_number::ByNumber;
use crate::claim::Claim;
use crate::id::RequestId;
use crate::key::Key;
use crate::time::Moment;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Someone who waits.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Where it stands.
    pub(crate) rank: Rank,
    /// In which lane.
    pub(crate) lane: Arc<str>,
    wants: Wants,
    blocked: Blocked,
}

impl Entry {
    /// What it waits for: any one of these, all of its claims.
    pub(crate) fn options(&self) -> Vec<Vec<Claim>> {
        self.wants.options()
    }

    /// Whether it waits for this, among others.
    pub(crate) fn wants(&self, key: &Key) -> bool {
        self.wants.keys().any(|wanted| wanted == key)
    }
}

/// What blocks someone who waits: for each option a key, with the limit that was tested.
#[derive(Default, Debug)]
enum Blocked {
    /// Nothing is known to.
    #[default]
    No,
    /// Mostly there is one option.
    By(Key, u32),
    /// And sometimes there are more.
    BySeveral(Box<[(Key, u32)]>),
    /// It declined or faulted: not to be asked until something that it waits for changes.
    PassedOver,
}

/// Those who stand somewhere, the best first.
type Standing = Ranked<(Rank, RequestId)>;

#[derive(Default, Debug)]
struct Lane {
    standing: Standing,
    /// When the last few were let in, for the estimate.
    served: VecDeque<Moment>,
}

/// How many of the last admissions of a lane the estimate looks at.
const SERVED: usize = 8;

/// The queue of one host.
#[derive(Default, Debug)]
pub(crate) struct Queue {
    entries: ByNumber<RequestId, Box<Entry>>,
    lanes: ByChoice<Arc<str>, Lane>,
    /// Those who may be asked, by the key that blocks them and the limit that they tested.
    blocked: BlockedBy,
    /// Those who are passed over, by every key that they wait for.
    parked: ByChoice<Key, BTreeSet<RequestId>>,
    common: Common,
    known: Known,
}

impl Queue {
    /// Puts a request in, or to another place if it is in. It is blocked by nothing yet.
    pub(crate) fn put(
        &mut self,
        request: RequestId,
        rank: Rank,
        lane: Arc<str>,
        options: &[Vec<Claim>],
    ) {
        self.remove(request);
        // All of a lane have its name in common.
        let known = self
            .lanes
            .get_key_value(&lane)
            .map(|(lane, _)| lane.clone());
        let lane = known.unwrap_or(lane);
        let standing = &mut self.lanes.entry(lane.clone()).or_default().standing;
        standing.insert((rank, request));
        let entry = Entry {
            rank,
            lane,
            wants: self.common.wants(options),
            blocked: Blocked::No,
        };
        self.entries.insert(request, Box::new(entry));
    }

    /// Takes a request out.
    pub(crate) fn remove(&mut self, request: RequestId) {
        self.unindex(request);
        let Some(entry) = self.entries.remove(&request) else {
            return;
        };
        if let Some(lane) = self.lanes.get_mut(&entry.lane) {
            lane.standing.remove(&(entry.rank, request));
            if lane.standing.is_empty() {
                self.lanes.remove(&entry.lane);
            }
        }
    }

    /// A request that waits.
    pub(crate) fn get(&self, request: RequestId) -> Option<&Entry> {
        self.entries.get(&request).map(|entry| &**entry)
    }

    /// Notes what blocks a request: one key for each of its options.
    pub(crate) fn block(&mut self, request: RequestId, blocks: Vec<(Key, u32)>) {
        self.unindex(request);
        let Some(entry) = self.entries.get_mut(&request) else {
            return;
        };
        for (key, limit) in &blocks {
            let limits = self.blocked.entry(key.clone()).or_default();
            let standing = limits.entry(*limit).or_default();
            standing.insert((entry.rank, request));
        }
        entry.blocked = match <[_; 1]>::try_from(blocks) {
            Ok([(key, limit)]) => Blocked::By(key, limit),
            Err(blocks) if blocks.is_empty() => Blocked::No,
            Err(blocks) => Blocked::BySeveral(blocks.into()),
        };
    }

    /// Finds a request under every key that it waits for, because what blocks it is not known.
    pub(crate) fn index(&mut self, request: RequestId) {
        let Some(entry) = self.entries.get(&request) else {
            return;
        };
        let keys = entry.wants.keys();
        let blocks = keys.map(|key| (key.clone(), u32::MAX)).collect();
        self.block(request, blocks);
    }

    /// Adds to what a request waits for, whichever of its options it gets.
    pub(crate) fn wait_also(&mut self, request: RequestId, claims: &[Claim]) {
        self.unindex(request);
        let Some(entry) = self.entries.get_mut(&request) else {
            return;
        };
        let mut options = entry.options();
        for option in &mut options {
            for claim in claims {
                if !option.contains(claim) {
                    option.push(claim.clone());
                }
            }
        }
        entry.wants = self.common.wants(&options);
    }

    /// Passes a request over until one of its keys changes.
    pub(crate) fn pass_over(&mut self, request: RequestId) {
        self.unindex(request);
        let Some(entry) = self.entries.get_mut(&request) else {
            return;
        };
        entry.blocked = Blocked::PassedOver;
        for key in entry.wants.keys() {
            self.parked.entry(key.clone()).or_default().insert(request);
        }
    }

    /// Whether a request is passed over.
    pub(crate) fn is_passed_over(&self, request: RequestId) -> bool {
        let entry = self.entries.get(&request);
        entry.is_some_and(|entry| matches!(entry.blocked, Blocked::PassedOver))
    }

    /// Those who were passed over and wait for this key.
    pub(crate) fn parked(&self, key: &Key) -> Vec<RequestId> {
        self.parked
            .get(key)
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }

    /// The best of those whom the key blocks and whose limit is above what is taken, after another.
    pub(crate) fn next_blocked(
        &self,
        key: &Key,
        taken: u32,
        after: Option<(Rank, RequestId)>,
    ) -> Option<(Rank, RequestId)> {
        use std::ops::Bound::{Excluded, Unbounded};
        let limits = self.blocked.get(key)?;
        let above = limits
            .range((Excluded(taken), Unbounded))
            .map(|(_, standing)| standing);
        above
            .filter_map(|standing| standing.next(after.as_ref()).copied())
            .min()
    }

    /// The place of a request in its lane, from 1, and how many are in the lane.
    pub(crate) fn position(&self, request: RequestId) -> Option<(u32, u32)> {
        let entry = self.entries.get(&request)?;
        let lane = &self.lanes.get(&entry.lane)?.standing;
        let before = lane.rank(&(entry.rank, request))?;
        Some((count(before + 1), count(lane.len())))
    }

    /// Notes as whom a request waits, where its policy says so, and as whom it did before.
    pub(crate) fn wait_as(&mut self, request: RequestId, now: Option<&str>, before: Option<&str>) {
        if now != before {
            if let Some(identity) = before {
                self.known.remove(identity, request);
            }
            if let Some(identity) = now {
                self.known.insert(identity, request);
            }
        }
    }

    /// Those who may wait as this, the oldest first; who asks compares.
    pub(crate) fn waiting_as(&self, identity: &str) -> Vec<RequestId> {
        self.known.candidates(identity)
    }

    /// How many wait as someone.
    pub(crate) fn known(&self) -> usize {
        self.known.len()
    }

    /// Puts a request where it would stand had it arrived then. What blocks it is the same.
    pub(crate) fn move_up(&mut self, request: RequestId, arrival: Arrival) {
        let Some(entry) = self.entries.get_mut(&request) else {
            return;
        };
        let (before, after) = (entry.rank, entry.rank.arrived(arrival));
        entry.rank = after;
        let move_in = |standing: &mut Standing| {
            standing.remove(&(before, request));
            standing.insert((after, request));
        };
        if let Some(lane) = self.lanes.get_mut(&entry.lane) {
            move_in(&mut lane.standing);
        }
        let mut move_under = |key: &Key, limit: &u32| {
            let limits = self.blocked.get_mut(key);
            limits.and_then(|it| it.get_mut(limit)).map(move_in)
        };
        match &entry.blocked {
            Blocked::No | Blocked::PassedOver => {}
            Blocked::By(key, limit) => drop(move_under(key, limit)),
            Blocked::BySeveral(blocks) => {
                for (key, limit) in blocks {
                    move_under(key, limit);
                }
            }
        }
    }

    /// Notes that someone of a lane was let in.
    pub(crate) fn served(&mut self, lane: &str, now: Moment) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.served.push_back(now);
            if lane.served.len() > SERVED {
                lane.served.pop_front();
            }
        }
    }

    /// How long someone at this place may still wait, from how fast the lane moved lately.
    pub(crate) fn estimate(&self, lane: &str, position: u32, now: Moment) -> Option<Duration> {
        let served = &self.lanes.get(lane)?.served;
        let first = *served.front()?;
        let intervals = u32::try_from(served.len())
            .ok()
            .filter(|count| *count > 1)?;
        // Measured up to now, so that a lane which stands still gets a growing estimate.
        Some(now.since(first) / intervals * position)
    }

    /// Everyone who waits, the best first.
    pub(crate) fn in_order(&self) -> Vec<RequestId> {
        let standing = self.lanes.values().map(|lane| &lane.standing);
        let mut all: Vec<_> = standing.flat_map(Standing::iter).copied().collect();
        // Lanes are in order already, so this merges them.
        all.sort();
        all.into_iter().map(|(_, request)| request).collect()
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn unindex(&mut self, request: RequestId) {
        let Some(entry) = self.entries.get_mut(&request) else {
            return;
        };
        let standing = (entry.rank, request);
        match std::mem::take(&mut entry.blocked) {
            Blocked::No => {}
            Blocked::By(key, limit) => unblock(&mut self.blocked, &key, limit, standing),
            Blocked::BySeveral(blocks) => {
                for (key, limit) in &blocks {
                    unblock(&mut self.blocked, key, *limit, standing);
                }
            }
            Blocked::PassedOver => {
                for key in entry.wants.keys() {
                    if let Some(parked) = self.parked.get_mut(key) {
                        parked.remove(&request);
                        if parked.is_empty() {
                            self.parked.remove(key);
                        }
                    }
                }
            }
        }
    }
}

type BlockedBy = ByChoice<Key, BTreeMap<u32, Standing>>;

fn unblock(blocked: &mut BlockedBy, key: &Key, limit: u32, who: (Rank, RequestId)) {
    let Some(limits) = blocked.get_mut(key) else {
        return;
    };
    if let Some(standing) = limits.get_mut(&limit) {
        standing.remove(&who);
        if standing.is_empty() {
            limits.remove(&limit);
        }
    }
    if limits.is_empty() {
        blocked.remove(key);
    }
}

/// A count of live peers, which is far below 2^32.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
