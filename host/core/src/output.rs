//! Everything that the core wants done. Outputs are carried out in order.

use crate::ask::{Ask, AskStatus, Over, Wanted};
use crate::id::{DoorId, RequestId, SessionId};
use crate::reason::Reason;
use crate::record::{Decided, Rechecked};
use crate::session::{Parting, Player, SessionEnd, SessionToken};
use crate::verdict::{Command, Question};
use std::net::SocketAddr;
use std::sync::Arc;

/// What a door needs to let a peer in.
#[derive(Clone, PartialEq, Debug)]
pub struct Grant {
    /// The session.
    pub session: SessionId,
    /// What the client binds its endpoint with, at doors that bind.
    pub token: Option<SessionToken>,
    /// The player number, at doors that have one.
    pub number: Option<u32>,
    /// The name to show.
    pub name: Arc<str>,
    /// The room.
    pub room: Arc<str>,
    /// What the policy gives the client.
    pub config: Arc<[u8]>,
}

/// Whether something is to be found out or done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookupKind {
    /// Only read.
    Question,
    /// Change the world (semantics 13).
    Act,
}

/// An instruction to the host.
#[derive(Debug)]
pub enum Output {
    /// To the door: the knock has a place in the pool.
    Pending {
        /// The door.
        door: DoorId,
        /// Which.
        request: RequestId,
    },
    /// To the door: tell the peer this and nothing after it.
    Refused {
        /// The door.
        door: DoorId,
        /// Which.
        request: RequestId,
        /// Why.
        reason: Reason,
        /// Whether it was refused at its knock, before anything was decided about it.
        at_knock: bool,
    },
    /// To the door: tell the peer how things stand. Doors without status drop it.
    Status {
        /// The door.
        door: DoorId,
        /// Which.
        request: RequestId,
        /// The text.
        text: Arc<[u8]>,
        /// The place in its lane, from 1; absent while it is being decided about.
        position: Option<u32>,
    },
    /// To the door: the peer is in.
    Accepted {
        /// The door.
        door: DoorId,
        /// Which.
        request: RequestId,
        /// As what.
        grant: Grant,
    },
    /// To the door: this endpoint is the session's from now on.
    Bound {
        /// The door.
        door: DoorId,
        /// The session.
        session: SessionId,
        /// Its endpoint.
        endpoint: SocketAddr,
    },
    /// To the door: when was the session last heard of? Answer with [`crate::Input::Seen`].
    Probe {
        /// The door.
        door: DoorId,
        /// The session.
        session: SessionId,
    },
    /// To the door: the session is over. Forget its token and endpoint, tell the peer, close.
    Ended {
        /// The door.
        door: DoorId,
        /// The peer.
        request: RequestId,
        /// The session.
        session: SessionId,
        /// Why.
        how: SessionEnd,
    },
    /// To a policy.
    Ask(Box<Ask>),
    /// To a policy.
    AskStatus(Box<AskStatus>),
    /// To a policy.
    Over(Box<Over>),
    /// To whoever can answer or do it; comes back as [`crate::Input::Fact`].
    Lookup {
        /// For which request.
        request: RequestId,
        /// For which of its decisions.
        attempt: u32,
        /// What.
        question: Question,
        /// Find out, or do.
        kind: LookupKind,
        /// Whether anyone still waits for the answer. An act that began has to be answered whatever
        /// became of its request, so that it can be undone; it is wanted for ever.
        wanted: Wanted,
    },
    /// An act succeeded and its request did not get in by it: undo it, as that act's documentation says.
    Compensate {
        /// The request that is over, or waits.
        request: RequestId,
        /// What was done.
        act: Question,
    },
    /// To the rules: someone is in. Before any message of theirs.
    Joined(Box<Player>),
    /// To the rules: someone who joined is gone.
    Left {
        /// The room.
        room: Arc<str>,
        /// Who.
        session: SessionId,
        /// How.
        how: Parting,
    },
    /// A policy's command that is not the core's to carry out.
    Command(Command),
    /// To the operator: everyone has been asked about whom a recheck is about.
    Rechecked(Rechecked),
    /// To the audit.
    Decided(Box<Decided>),
}
