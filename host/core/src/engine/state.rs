//! What the engine knows of a request while it lives.

use crate::address::AddressGroup;
use crate::ask::Fact;
use crate::claim::Claim;
use crate::id::{AskId, DoorId, RequestId, SessionId, SlotId};
use crate::queue::{Arrival, PlaceId};
use crate::reason::Reason;
use crate::record::PolicyStep;
use crate::request::RequestData;
use crate::snapshot::Snapshot;
use crate::time::Moment;
use crate::verdict::{Acceptance, Question};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;

use crate::ask::Why;

/// A pending request: from its knock to its one ending. There are as many as there are peers who wait, so
/// it has what all of them need, and the rest is kept elsewhere.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) stage: Stage,
    pub(super) arrival: Arrival,
    /// The decision that is being made.
    pub(super) decision: Option<Box<Decision>>,
    /// Set once a decision said wait. A waiter that is decided anew still waits.
    pub(super) waiting: Option<WaitState>,
    pub(super) door: DoorId,
    /// How many decisions were begun.
    pub(super) attempt: u32,
    /// The policies that were asked about it, and are told when it is over.
    pub(super) seen_by: SlotSet,
    /// The last status text.
    pub(super) status: Option<Arc<[u8]>>,
    /// When its next status is due, once it is complete.
    pub(super) status_at: Moment,
    /// The place that counts in the pool for it.
    pub(super) borrowed: Option<PlaceId>,
}

/// What has come of a request's peer so far.
#[derive(Debug)]
pub(super) enum Stage {
    /// It has shown itself.
    Knocked(Box<Knocked>),
    /// It has said all that it has to say.
    Complete(Arc<RequestData>),
}

/// What is known of a peer that has only shown itself.
#[derive(Debug)]
pub(super) struct Knocked {
    pub(super) peer: SocketAddr,
    pub(super) room: Arc<str>,
}

impl Request {
    /// What it asks for, once it has said so.
    pub(super) fn data(&self) -> Option<&Arc<RequestData>> {
        match &self.stage {
            Stage::Knocked(_) => None,
            Stage::Complete(data) => Some(data),
        }
    }

    pub(super) fn peer(&self) -> SocketAddr {
        match &self.stage {
            Stage::Knocked(knocked) => knocked.peer,
            Stage::Complete(data) => data.peer,
        }
    }

    pub(super) fn group(&self) -> AddressGroup {
        AddressGroup::of(self.peer().ip())
    }

    pub(super) fn room(&self) -> &Arc<str> {
        match &self.stage {
            Stage::Knocked(knocked) => &knocked.room,
            Stage::Complete(data) => &data.room,
        }
    }
}

/// Some of the slots. There are seldom more than a few.
#[derive(Default, Debug)]
pub(super) struct SlotSet {
    /// The first 64, a bit each.
    low: u64,
    /// All others.
    #[expect(
        clippy::box_collection,
        reason = "hardly any request has any, and each would carry the room"
    )]
    high: Option<Box<BTreeSet<SlotId>>>,
}

impl SlotSet {
    pub(super) fn insert(&mut self, slot: SlotId) {
        match 1_u64.checked_shl(slot.0.into()) {
            Some(bit) => self.low |= bit,
            None => drop(self.high.get_or_insert_default().insert(slot)),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = SlotId> {
        let mut left = self.low;
        let low = std::iter::from_fn(move || {
            let slot = u16::try_from(left.trailing_zeros()).ok()?;
            // The lowest bit that is left goes.
            left = left.checked_sub(1)? & left;
            Some(SlotId(slot))
        });
        low.chain(self.high.iter().flat_map(|high| high.iter()).copied())
    }
}

/// What is known of a waiter besides its entry in the queue.
#[derive(Debug)]
pub(super) struct WaitState {
    /// The policy that said wait, which is asked for status texts.
    pub(super) slot: SlotId,
    pub(super) identity: Option<Arc<str>>,
    pub(super) identity_proven: bool,
    /// How many re-asks in a row went wrong.
    pub(super) faults: u8,
    /// The rules changed while a decision was out, or a re-decision went wrong: decide anew.
    pub(super) redecide: bool,
}

/// One decision, from its first ask to its verdict, on one snapshot.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) why: Why,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) chain: Arc<[SlotId]>,
    /// The count of changes when it began.
    pub(super) changes: u64,
    /// When it is over, whoever is being asked then.
    pub(super) deadline: Moment,
    /// What its asks are wanted for as long as it lives.
    pub(super) life: Arc<()>,
    /// The policy in the chain that is being asked.
    pub(super) at: usize,
    /// What earlier policies claimed.
    pub(super) gathered: Vec<Claim>,
    /// What is to be done once the chain has accepted, and for which policy of it.
    pub(super) acts: Vec<(usize, Question)>,
    /// The acceptance that awaits its acts.
    pub(super) accepted: Option<Acceptance>,
    pub(super) facts: Vec<Fact>,
    /// Questions that are not answered yet.
    pub(super) open: Vec<Question>,
    /// The act that is being done.
    pub(super) acting: Option<Question>,
    /// Acts that were done, to be undone if the request does not get in by this decision.
    pub(super) done: Vec<Question>,
    /// How many times a policy asked.
    pub(super) rounds: u32,
    /// The ask that is out.
    pub(super) ask: Option<(AskId, Why)>,
    /// The policy faulted and its last good generation is asked instead.
    pub(super) last_good: bool,
    /// What the request waits for is held for it.
    pub(super) offered: bool,
    pub(super) steps: Vec<PolicyStep>,
}

impl Decision {
    /// A decision that begins at the first policy of a chain.
    pub(super) fn new(
        why: Why,
        snapshot: Arc<Snapshot>,
        chain: Arc<[SlotId]>,
        changes: u64,
        deadline: Moment,
    ) -> Decision {
        Decision {
            why,
            snapshot,
            chain,
            changes,
            deadline,
            life: Arc::default(),
            at: 0,
            gathered: Vec::new(),
            acts: Vec::new(),
            accepted: None,
            facts: Vec::new(),
            open: Vec::new(),
            acting: None,
            done: Vec::new(),
            rounds: 0,
            ask: None,
            last_good: false,
            offered: why == Why::Offer,
            steps: Vec::new(),
        }
    }

    /// The slot that is being asked.
    pub(super) fn slot(&self) -> Option<SlotId> {
        self.chain.get(self.at).copied()
    }
}

/// What an ask that is out is about.
#[derive(Debug)]
pub(super) enum Asked {
    /// A decision of this request.
    Decision(RequestId),
    /// Status texts for these.
    Status {
        slot: SlotId,
        waiters: Vec<RequestId>,
        /// They have had a status already: this is a retry for a fresher text.
        told: bool,
    },
    /// Whether this session may go on playing, by this policy.
    Recheck(SlotId, SessionId),
    /// A notice that a request is over.
    Over,
}

/// A request that counts on what a session of the same player has, for as long as its decision lasts.
#[derive(Debug)]
pub(super) struct Heir {
    /// The session.
    pub(super) of: SessionId,
    /// What it counts on.
    pub(super) claims: Vec<Claim>,
}

/// A recheck of those who play, by one policy. It stays once it is over: who is let in later by older
/// rules is asked about as part of it.
#[derive(Default, Debug)]
pub(super) struct Recheck {
    /// An operator wants to know what comes of it, even if there is nobody to ask about.
    pub(super) ordered: bool,
    /// It ends whom it refuses, however many.
    pub(super) forced: bool,
    /// Some are to be asked about or being asked about, and all that comes of it is decided after.
    pub(super) running: bool,
    /// Those who are to be asked about.
    pub(super) todo: BTreeSet<SessionId>,
    /// Those who are being asked about.
    pub(super) out: BTreeMap<SessionId, Out>,
    /// Those whom the policy refuses, until it is decided whether they are ended.
    pub(super) refused: BTreeMap<SessionId, (Reason, PolicyStep)>,
    /// Those about whom it faulted, until they have their turn again.
    pub(super) again: BTreeSet<SessionId>,
    /// How many times that happened.
    pub(super) faults: u32,
    /// How many it refused in all, and how many of them were ended.
    pub(super) refusals: u32,
    pub(super) ended: u32,
    /// It would have ended too many, and is over.
    pub(super) stopped: bool,
    /// What the operator was told last: refused, ended, unanswered; stopped.
    pub(super) told: Option<((u32, u32, u32), bool)>,
}

impl Recheck {
    /// Whether it is about nobody at the moment.
    pub(super) fn is_idle(&self) -> bool {
        let nobody = self.todo.is_empty() && self.again.is_empty() && self.refused.is_empty();
        nobody && self.out.is_empty() && !self.running
    }
}

/// An ask about someone who plays.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) ask: AskId,
    /// It is wanted for as long as this lives.
    #[expect(dead_code, reason = "it is what the ask is wanted for, by being there")]
    pub(super) life: Arc<()>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_who_waits_has_is_small() {
        let sizes = (size_of::<Request>(), size_of::<RequestData>());
        assert!(sizes.0 <= 120 && sizes.1 <= 232, "{sizes:?}");
    }

    #[test]
    fn a_set_of_slots_has_each_once_and_in_order() {
        let mut set = SlotSet::default();
        for slot in [63, 0, 64, 65_535, 63, 64, 7] {
            set.insert(SlotId(slot));
        }
        let slots: Vec<_> = set.iter().map(|slot| slot.0).collect();
        assert_eq!(slots, [0, 7, 63, 64, 65_535]);
    }
}
