//! What the core asks of policies, and what comes back.

use crate::id::{AskId, RequestId, SlotId};
use crate::key::Key;
use crate::reason::Reason;
use crate::request::{Attribute, Ending, RequestData, RoomState};
use crate::snapshot::Snapshot;
use crate::time::Moment;
use crate::verdict::{Question, Verdict};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Why a policy is asked (semantics 12).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The request's first decision.
    First,
    /// What the policy asked for has come.
    Evidence,
    /// What the request waits for is held for it.
    Offer,
    /// The rules changed while it waited.
    Reload,
    /// A seated session is checked again.
    Recheck,
}

/// A unit that the request holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldUnit {
    /// Of what.
    pub key: Key,
    /// The index that came with it.
    pub index: Option<u32>,
}

/// What came of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FactAnswer {
    /// The answer.
    Found(Arc<[u8]>),
    /// There is surely no such thing.
    Missing,
    /// It could not be found out; why.
    Unavailable(Arc<str>),
}

/// A question with its answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// What was asked.
    pub question: Question,
    /// What came of it.
    pub answer: FactAnswer,
    /// When it was learned.
    pub learned: Moment,
}

/// One call of `on-connect-request`.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Names this call; the answer carries it.
    pub id: AskId,
    /// Which policy.
    pub slot: SlotId,
    /// The rules that this decision began with.
    pub snapshot: Arc<Snapshot>,
    /// Ask the last generation that answered well instead of the snapshot's: that one just faulted.
    pub last_good: bool,
    /// Why.
    pub why: Why,
    /// What the peer asks for.
    pub request: Arc<RequestData>,
    /// The room that it would enter, as it stands now.
    pub room: RoomState,
    /// How many players the host seats.
    pub max_players: u32,
    /// What the host says of itself, besides what the request says: [`crate::Config::attributes`].
    pub host: Arc<[Attribute]>,
    /// Why the host as a whole takes nobody at this moment, while that is so.
    pub server_closed: Option<Reason>,
    /// 1 for the first decision of the request.
    pub attempt: u32,
    /// The place in its lane, from 1, if it waits.
    pub position: Option<u32>,
    /// How long since it arrived.
    pub waited: Duration,
    /// What it holds.
    pub held: Vec<HeldUnit>,
    /// What was found out in this decision.
    pub facts: Vec<Fact>,
    /// In how many more rounds of this decision a policy may ask; in none if it is 0.
    pub rounds_left: u32,
    /// The moment that the policy sees as now.
    pub now: Moment,
    /// The seed of its random numbers.
    pub seed: u64,
    /// After this moment nobody waits for the answer any more.
    pub deadline: Moment,
    /// Whether the decision is still being made.
    pub wanted: Wanted,
}

/// Whether anyone still waits for an answer. A peer that comes and goes leaves an ask behind each time;
/// who answers them looks here first, so that asks are bounded by the requests that are there.
#[derive(Clone, Debug, Default)]
pub struct Wanted(Option<Weak<()>>);

impl Wanted {
    /// For as long as this lives.
    pub fn with(life: &Arc<()>) -> Wanted {
        Wanted(Some(Arc::downgrade(life)))
    }

    /// Whether it is at this moment. By default for ever.
    pub fn still(&self) -> bool {
        self.0.as_ref().is_none_or(|life| life.strong_count() > 0)
    }
}

/// Someone who waits, for a status text.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiter {
    /// The request.
    pub request: RequestId,
    /// Its lane.
    pub lane: Arc<str>,
    /// The place in the lane, from 1.
    pub position: u32,
    /// How many wait in the lane.
    pub lane_length: u32,
    /// How long since it arrived.
    pub waited: Duration,
    /// How long it may still take, if the lane moved lately.
    pub estimate: Option<Duration>,
    /// As the policy stated it.
    pub identity: Option<Arc<str>>,
    /// The peer's name for itself.
    pub name: Option<Arc<str>>,
    /// The door's name.
    pub door: Arc<str>,
    /// The room, as it stands now.
    pub room: RoomState,
}

/// One call of `on-waiting`: at most 256 waiters of one policy.
#[derive(Clone, Debug)]
pub struct AskStatus {
    /// Names this call.
    pub id: AskId,
    /// Which policy.
    pub slot: SlotId,
    /// The rules of now.
    pub snapshot: Arc<Snapshot>,
    /// Who waits.
    pub waiters: Vec<Waiter>,
    /// The moment that the policy sees as now.
    pub now: Moment,
    /// The seed of its random numbers.
    pub seed: u64,
    /// After this moment nobody waits for the answer any more.
    pub deadline: Moment,
}

/// One call of `on-ended`, for one policy that has seen the request.
#[derive(Clone, Debug)]
pub struct Over {
    /// Names this call; commands that come back carry it.
    pub id: AskId,
    /// Which policy.
    pub slot: SlotId,
    /// The rules of now.
    pub snapshot: Arc<Snapshot>,
    /// The request, without payload and password.
    pub request: Arc<RequestData>,
    /// The room, as it stands now.
    pub room: RoomState,
    /// How many players the host seats.
    pub max_players: u32,
    /// What the host says of itself.
    pub host: Arc<[Attribute]>,
    /// Why the host as a whole takes nobody at this moment, while that is so.
    pub server_closed: Option<Reason>,
    /// How many decisions the request had.
    pub attempt: u32,
    /// How long it lived.
    pub waited: Duration,
    /// How it ended.
    pub how: Ending,
    /// The moment that the policy sees as now.
    pub now: Moment,
    /// The seed of its random numbers.
    pub seed: u64,
}

/// How a call went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// It trapped or panicked.
    Trap,
    /// It ran past its deadline.
    Deadline,
    /// It used more memory, table or stack than it may.
    Memory,
    /// What it returned is malformed, too long or not allowed.
    BadAnswer,
    /// It is not asked at the moment, because it kept faulting.
    BackingOff,
    /// Nothing is loaded that could be asked.
    NotLoaded,
}

/// A call that went wrong: a missing or bad input for the core, like any other (D2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// How.
    pub kind: FaultKind,
    /// For the operator: one line.
    pub message: Arc<str>,
}

/// What came of an [`Ask`].
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Which ask.
    pub ask: AskId,
    /// The generation that answered, for the audit.
    pub generation: u64,
    /// How long the call took, in microseconds.
    pub micros: u32,
    /// What it answered.
    pub result: Result<Verdict, Fault>,
}
