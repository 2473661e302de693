//! Everything that can happen to the core.

use crate::ask::{Answer, FactAnswer, Fault};
use crate::id::{AskId, DoorId, RequestId, SessionId, SlotId};
use crate::key::Key;
use crate::reason::Reason;
use crate::request::RequestData;
use crate::snapshot::Snapshot;
use crate::time::Moment;
use crate::verdict::{Command, Question};
use std::net::SocketAddr;
use std::sync::Arc;

/// How a peer went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Departure {
    /// It said goodbye.
    Left,
    /// The connection closed or went silent.
    Dropped,
    /// It broke the protocol, and the door will have no more of it.
    ProtocolError,
}

/// An event. Events of one door about one peer are handed in in the order in which they happened.
#[derive(Debug)]
pub enum Input {
    /// A peer has shown itself: it takes a place in the pending pool, or is refused.
    Knock {
        /// Its name from now on; never used before.
        request: RequestId,
        /// Where.
        door: DoorId,
        /// The peer's endpoint.
        peer: SocketAddr,
        /// The room that it would enter.
        room: Arc<str>,
    },
    /// The peer that knocked has said all that it has to say: decide.
    Submit(Arc<RequestData>),
    /// The peer is gone. Whether it still waited or already played, this ends it.
    Gone {
        /// Which.
        request: RequestId,
        /// How.
        how: Departure,
    },
    /// A policy answered, or failed to.
    Answer(Answer),
    /// Status texts, in the order of the waiters asked about.
    StatusTexts {
        /// Which ask.
        ask: AskId,
        /// A text for each; `None` leaves the last one standing.
        result: Result<Vec<Option<Arc<[u8]>>>, Fault>,
    },
    /// What a policy wants done after it heard that a request is over.
    OverAnswer {
        /// Which call.
        ask: AskId,
        /// What to do.
        commands: Vec<Command>,
    },
    /// A question or an act was answered.
    Fact {
        /// Whose.
        request: RequestId,
        /// For which of its decisions it was asked: a later one wants fresh evidence.
        attempt: u32,
        /// Which.
        question: Question,
        /// The answer.
        answer: FactAnswer,
    },
    /// A datagram bound an endpoint to a session with its token.
    Bind {
        /// The session.
        session: SessionId,
        /// Where it plays from.
        endpoint: SocketAddr,
    },
    /// The program that keeps the player's connection has let the player in, at doors whose sessions are
    /// confirmed.
    Confirm {
        /// The session.
        session: SessionId,
    },
    /// The answer to [`crate::Output::Probe`]: when something valid last came from the session, or of whoever
    /// confirmed it.
    Seen {
        /// The session.
        session: SessionId,
        /// When.
        at: Moment,
    },
    /// The rules, a policy or an operator send a player away.
    Kick {
        /// Whom.
        session: SessionId,
        /// Why.
        reason: Reason,
    },
    /// The rules or an operator close a key: a claim on it is full, with this reason (semantics 6).
    Close {
        /// Which.
        key: Key,
        /// Why.
        reason: Reason,
    },
    /// And open it again.
    Open {
        /// Which.
        key: Key,
    },
    /// The rules that decide have changed.
    Rules(Arc<Snapshot>),
    /// An operator has a policy asked again about those who play, by the rules of now. It comes to an
    /// [`crate::Output::Rechecked`], also where there is nobody to ask about.
    Recheck {
        /// Which policy.
        slot: SlotId,
        /// End whom it refuses however many they are.
        forced: bool,
    },
    /// Stop: refuse who knocks, tell who waits, end who plays.
    Drain,
    /// Nothing but time has passed.
    Tick,
}
