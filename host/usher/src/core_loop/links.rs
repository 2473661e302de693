//! Where the core's outputs go. The loop knows these few verbs and no protocol, no runtime, no file.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use usher_core::{
    Ask, AskStatus, Decided, Grant, Input, LookupKind, Over, Parting, Player, Question, Reason,
    Rechecked, RequestId, SessionEnd, SessionId, Wanted,
};

/// What a door is told about its peers, in the order in which it happened.
#[derive(Debug)]
pub enum DoorEvent {
    /// The knock has a place in the pool.
    Pending {
        /// Whose.
        request: RequestId,
    },
    /// Tell the peer this and nothing after it.
    Refused {
        /// Whom.
        request: RequestId,
        /// Why.
        reason: Reason,
        /// Whether it was refused at its knock, before anything was decided about it.
        at_knock: bool,
    },
    /// Tell the peer how things stand, if the protocol can.
    Status {
        /// Whom.
        request: RequestId,
        /// The text.
        text: Arc<[u8]>,
        /// The place in its lane, from 1; absent while it is being decided about.
        position: Option<u32>,
    },
    /// The peer is in.
    Accepted {
        /// Who.
        request: RequestId,
        /// As what.
        grant: Grant,
    },
    /// The rules have been told that it joined: they know it from now on.
    Joined {
        /// Who.
        request: RequestId,
    },
    /// This endpoint is the session's from now on.
    Bound {
        /// The session.
        session: SessionId,
        /// Its endpoint.
        endpoint: SocketAddr,
    },
    /// When was the session last heard of? Answer with [`usher_core::Input::Seen`].
    Probe {
        /// The session.
        session: SessionId,
    },
    /// The session is over: forget it, tell the peer, close.
    Ended {
        /// The peer.
        request: RequestId,
        /// The session.
        session: SessionId,
        /// Why.
        how: SessionEnd,
    },
}

/// A door, as the core sees it.
pub trait DoorLink: Send + Sync {
    /// Takes an event. Must not block. A door that sleeps may be left asleep until [`hurry`](DoorLink::hurry).
    fn deliver(&self, event: DoorEvent);

    /// The core has nothing more to say for now.
    fn hurry(&self) {}
}

/// One call of a policy.
#[derive(Debug)]
pub enum PolicyCall {
    /// Comes back as [`usher_core::Input::Answer`].
    Ask(Box<Ask>),
    /// Comes back as [`usher_core::Input::StatusTexts`].
    Status(Box<AskStatus>),
    /// Comes back as [`usher_core::Input::OverAnswer`], where the policy wants something done.
    Over(Box<Over>),
}

/// The policies, as the core sees them.
pub trait PolicyLink: Send {
    /// Takes a call. Must not block; the answer comes, or never does.
    fn call(&self, call: PolicyCall);

    /// Answers a call on this thread, if that is sure to be over very soon; else gives it back. Must not block
    /// for longer than two milliseconds, nor for so long often.
    fn answer(&self, call: PolicyCall) -> Result<Input, PolicyCall>;

    /// A policy puts an entry into a bucket, for a while or for good. Must not block.
    fn put(&self, bucket: Arc<str>, entry: Arc<str>, lasts: Option<Duration>);

    /// Those who play were asked about again. Must not block.
    fn rechecked(&self, rechecked: Rechecked);
}

/// What the rules are told about players.
#[derive(Debug)]
pub enum RoomEvent {
    /// Someone is in, before any message of theirs.
    Joined(Box<Player>),
    /// Someone who joined is gone.
    Left {
        /// The room.
        room: Arc<str>,
        /// Who.
        session: SessionId,
        /// How.
        how: Parting,
    },
}

/// The rooms, as the core sees them.
pub trait RoomLink: Send {
    /// Takes an event. Must not block.
    fn tell(&self, event: RoomEvent);
}

/// Something that a policy wants found out or done. Comes back as [`usher_core::Input::Fact`] with the same
/// request, attempt and question.
#[derive(Debug)]
pub struct Lookup {
    /// For which request.
    pub request: RequestId,
    /// For which of its decisions.
    pub attempt: u32,
    /// What.
    pub question: Question,
    /// Find out, or do.
    pub kind: LookupKind,
    /// Whether the decision is still being made. What is only to be found out need not be once it is not;
    /// an act comes back in any case.
    pub wanted: Wanted,
}

/// Those who find out and do, as the core sees them.
pub trait EvidenceLink: Send {
    /// Takes a lookup. Must not block.
    fn look_up(&self, lookup: Lookup);

    /// An act was done for a request that did not get in by it: undo it, as the act's documentation says.
    /// Must not block.
    fn compensate(&self, request: RequestId, act: Question);
}

/// Where a record of every decision goes. Bounded: records are lost, and counted, when whoever writes
/// them cannot keep up; the core never waits for a disk.
pub type AuditSender = mpsc::Sender<Box<Decided>>;

/// Everyone that the core speaks to.
pub struct Links {
    /// By `DoorId`.
    pub doors: Vec<Arc<dyn DoorLink>>,
    /// The policies.
    pub policies: Box<dyn PolicyLink>,
    /// The rooms.
    pub rooms: Box<dyn RoomLink>,
    /// Those who find out and do.
    pub evidence: Box<dyn EvidenceLink>,
    /// The audit.
    pub audit: AuditSender,
}
