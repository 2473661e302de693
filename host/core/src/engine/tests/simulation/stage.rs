//! The core under test and what is known of its surroundings.

use super::chance::Chance;
use crate::*;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;

/// Few enough that they collide.
pub(super) const NAMES: [&str; 8] = ["ada", "bob", "cy", "dee", "eve", "fay", "gus", "hal"];

/// The policy that is the game's own rule.
pub(super) const GAME_RULE: &str = "b";

/// What is known of a request from the core's outputs alone.
#[derive(Default, Debug)]
pub(super) struct Seen {
    pub(super) knocked: bool,
    pub(super) submitted: bool,
    pub(super) accepted: u32,
    pub(super) refused: u32,
    pub(super) gone: bool,
    /// Its latest decision.
    pub(super) attempt: u32,
    /// Notices of its ending, by policy.
    pub(super) over: BTreeMap<SlotId, u32>,
    pub(super) asked: BTreeSet<SlotId>,
}

/// What is known of a session.
#[derive(Debug)]
pub(super) struct Stay {
    pub(super) request: RequestId,
    pub(super) number: Option<u32>,
    pub(super) name: Arc<str>,
    /// Who this is, if that is proven; known once it has joined.
    pub(super) proven: Option<Arc<str>>,
    pub(super) joined: u32,
    pub(super) left: u32,
    pub(super) ended: u32,
    pub(super) bound: Option<SocketAddr>,
}

/// A question or an act that is out.
#[derive(Debug)]
pub(super) struct Sought {
    pub(super) request: RequestId,
    pub(super) attempt: u32,
    pub(super) question: Question,
    pub(super) kind: LookupKind,
    pub(super) wanted: Wanted,
}

/// The acts of one request, counted.
#[derive(Default, Debug)]
pub(super) struct Acts {
    pub(super) done: u32,
    pub(super) undone: u32,
}

/// A core under a random schedule.
pub(super) struct Stage {
    pub(super) core: Core,
    pub(super) config: Config,
    pub(super) chance: Chance,
    pub(super) now: Moment,
    pub(super) last_request: u64,
    pub(super) rules: u64,
    pub(super) asks: Vec<Ask>,
    /// Answered or dropped; answering them again must change nothing.
    pub(super) old_asks: Vec<AskId>,
    pub(super) status_asks: Vec<AskStatus>,
    pub(super) lookups: Vec<Sought>,
    /// What became of acts, by who wanted them done.
    pub(super) acts: BTreeMap<RequestId, Acts>,
    pub(super) overs: Vec<AskId>,
    /// Policies of whose recheck something was told since.
    pub(super) told_of_recheck: BTreeSet<SlotId>,
    pub(super) requests: BTreeMap<RequestId, Seen>,
    pub(super) sessions: BTreeMap<SessionId, Stay>,
    pub(super) events: Vec<String>,
    pub(super) drained: bool,
    /// Whether several things happen in this step, so that what is seen after it does not show in which
    /// order they did.
    pub(super) several: bool,
    /// The longest that time stands still, in milliseconds.
    pub(super) longest: u64,
    /// Whether a policy may have failed open, and so passed without its claims.
    pub(super) saw_open: bool,
}
