//! What the core tells of itself: a record of every decision, and a report of how things stand.

use crate::ask::{FaultKind, Why};
use crate::id::{DoorId, RequestId, SessionId, SlotId};
use crate::reason::Reason;
use crate::request::Abandonment;
use crate::time::Moment;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// What one policy said in one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepVerdict {
    /// Pass.
    Pass,
    /// Accept.
    Accept,
    /// Reject.
    Reject,
    /// Wait.
    Wait,
    /// Ask.
    Ask,
    /// It faulted.
    Fault(FaultKind),
}

/// One call of a policy in a decision.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyStep {
    /// The policy's name.
    pub policy: Arc<str>,
    /// The generation that answered.
    pub generation: u64,
    /// Why it was asked.
    pub why: Why,
    /// What it said.
    pub verdict: StepVerdict,
    /// How long it took, in microseconds.
    pub micros: u32,
    /// The code that it refused with, where the player is told another: it is a game rule.
    pub said: Option<Arc<str>>,
}

/// How a decision, or a request without one, came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is in.
    Accepted(SessionId),
    /// It was refused.
    Rejected(Reason),
    /// It waits, in this lane.
    Waiting(Arc<str>),
    /// It went away meanwhile.
    Abandoned(Abandonment),
    /// It had become this session, which a recheck ended.
    Ended(SessionId, Reason),
}

/// A decision, explained: one record for each.
#[derive(Clone, PartialEq, Debug)]
pub struct Decided {
    /// When.
    pub at: Moment,
    /// The request.
    pub request: RequestId,
    /// The door.
    pub door: DoorId,
    /// The peer.
    pub peer: SocketAddr,
    /// The name that the peer gave itself.
    pub name: Option<Arc<str>>,
    /// The room.
    pub room: Arc<str>,
    /// Which decision of the request this is; 0 if none was begun.
    pub attempt: u32,
    /// Who said what, in order.
    pub steps: Vec<PolicyStep>,
    /// What came of it.
    pub outcome: Outcome,
    /// How long since the request arrived, or since the session was accepted.
    pub waited: Duration,
}

/// What has come of a recheck of those who play (semantics 23). One recheck is told of again when who was
/// not answered about has been asked about once more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rechecked {
    /// The policy that was asked.
    pub slot: SlotId,
    /// Its name.
    pub policy: Arc<str>,
    /// Whether an operator had it done however many it ends.
    pub forced: bool,
    /// Those who play at doors that ask this policy, with those whom this recheck has ended.
    pub seated: u32,
    /// Whom it refused, in all.
    pub refused: u32,
    /// Whom that ended, in all.
    pub ended: u32,
    /// About whom it faulted or did not answer in time; they are asked about again.
    pub unanswered: u32,
    /// It would have ended too many, so it ended nobody and is over.
    pub stopped: bool,
}

/// A pending request, for operators.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportRequest {
    /// The request.
    pub id: RequestId,
    /// The door.
    pub door: DoorId,
    /// The peer.
    pub peer: SocketAddr,
    /// `knocked`, `deciding` or `waiting`.
    pub state: &'static str,
    /// How long since it arrived.
    pub waited: Duration,
}

/// A session, for operators.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportSession {
    /// The session's public number.
    pub id: SessionId,
    /// The player number.
    pub number: Option<u32>,
    /// The name shown.
    pub name: Arc<str>,
    /// The door.
    pub door: DoorId,
    /// The peer's address of login.
    pub peer: SocketAddr,
    /// Whether an endpoint is bound.
    pub bound: bool,
    /// How long since it was accepted.
    pub connected: Duration,
}

/// How things stand.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Report {
    /// Sessions.
    pub connected: u32,
    /// Seats.
    pub max_players: u32,
    /// What the pool counts: requests, and places without a connection.
    pub pending: u32,
    /// Of these, requests being decided or not yet complete.
    pub deciding: u32,
    /// Of these, requests that wait, and places.
    pub waiting: u32,
    /// The pool's size.
    pub max_pending: u32,
    /// Units taken in the ledger, timed ones that outlive their session left out.
    pub claims: u32,
    /// Endpoints bound.
    pub endpoints: u32,
    /// Timers set.
    pub timers: u32,
    /// Every pending request.
    pub requests: Vec<ReportRequest>,
    /// Every session.
    pub sessions: Vec<ReportSession>,
}
