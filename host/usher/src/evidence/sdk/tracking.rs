//! What the views of the endpoint come to: the state of the game server, its current allocation, and what
//! has just happened to it. Views go in, events come out; no IO, no clock.

use super::allocation::{Allocation, Origin};
use super::view::{ServerState, View};
use std::collections::VecDeque;
use std::sync::Arc;
use usher_core::Digest;

/// How many allocations are known again when the endpoint shows them once more.
const KNOWN: usize = 1024;

/// How many allocations can be on their way to their end.
const ENDING: usize = 16;

/// Where the game server stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Nothing has been heard of the endpoint yet.
    Starting,
    /// The platform does not know yet that players may come.
    NotReady,
    /// Players may come, and there is no session.
    Ready,
    /// There is a session.
    InSession,
    /// The endpoint says that the game server is to go away.
    ShuttingDown,
    /// This host stops. For good.
    Stopping,
    /// The endpoint does not answer any more.
    Unreachable,
}

impl Phase {
    pub(super) fn word(self) -> &'static str {
        match self {
            Phase::Starting => "starting",
            Phase::NotReady => "not-ready",
            Phase::Ready => "ready",
            Phase::InSession => "in-session",
            Phase::ShuttingDown => "shutting-down",
            Phase::Stopping => "stopping",
            Phase::Unreachable => "unreachable",
        }
    }
}

/// Who ended an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClearedBy {
    /// This host, which had said so before.
    Game,
    /// The platform, or another program.
    Platform,
}

/// Something that a view has brought.
#[derive(Clone, Debug)]
pub(super) enum Happened {
    /// An allocation that was never current before.
    Received(Arc<Allocation>),
    /// An allocation is not current any more.
    Cleared(Arc<Allocation>, ClearedBy),
    /// The game server is to go away.
    Closing,
    /// It is not, after all. Agones allows that.
    Reopened,
    /// The endpoint answers again.
    Reachable,
}

/// What is known of the game server.
pub(super) struct Tracking {
    phase: Phase,
    /// The last view's, once there is one.
    state: Option<ServerState>,
    capacity: Option<i32>,
    current: Option<Arc<Allocation>>,
    /// Whether the platform knows that players may come.
    readied: bool,
    /// Whether the endpoint was given up.
    lost: bool,
    /// Allocations that were current, the oldest first.
    known: VecDeque<Digest>,
    /// Allocations that this host ends.
    ending: VecDeque<Digest>,
    /// How many views came, of them how many with an allocation, and how many claimed sessions were
    /// received.
    counts: Counts,
    /// What policies are told, made anew by each view, and when an end begins or is called off.
    told: Arc<[u8]>,
}

/// How often things were seen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Counts {
    pub(super) views: u64,
    pub(super) allocated: u64,
    pub(super) self_made: u64,
}

impl Default for Tracking {
    fn default() -> Tracking {
        Tracking {
            phase: Phase::Starting,
            state: None,
            capacity: None,
            current: None,
            readied: false,
            lost: false,
            known: VecDeque::new(),
            ending: VecDeque::new(),
            counts: Counts::default(),
            told: Arc::default(),
        }
    }
}

impl Tracking {
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn current(&self) -> Option<&Arc<Allocation>> {
        self.current.as_ref()
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// The current allocation, if players may join it: not one that this host is ending.
    pub(super) fn open(&self) -> Option<&Arc<Allocation>> {
        let current = self.current.as_ref()?;
        (!self.is_ending(&current.id)).then_some(current)
    }

    /// Whether the game server is allocated, though nobody says as what: Agones' own endpoint has no ids.
    pub(super) fn is_unnamed(&self) -> bool {
        self.state == Some(ServerState::Allocated) && self.current.is_none()
    }

    /// Whether the last view showed that the platform waits for the game to be ready.
    pub(super) fn is_scheduled(&self) -> bool {
        self.state == Some(ServerState::Scheduled) && self.current.is_none() && !self.lost
    }

    /// What policies are told of the current allocation, as JSON; or why nothing can be said.
    pub(super) fn told(&self) -> Result<Arc<[u8]>, &'static str> {
        match (self.state, self.lost) {
            (None, _) => Err("the local SDK endpoint has not said anything yet"),
            (_, true) => Err("the local SDK endpoint does not answer"),
            (Some(_), false) => Ok(self.told.clone()),
        }
    }

    /// The current allocation alone, if players may join it, in the same words.
    pub(super) fn open_json(&self) -> Option<String> {
        Some(self.open()?.to_json(self.capacity))
    }

    /// Takes a view over.
    pub(super) fn take(&mut self, view: &View) -> Vec<Happened> {
        let mut happened = Vec::new();
        if std::mem::take(&mut self.lost) {
            happened.push(Happened::Reachable);
        }
        self.counts.views += 1;
        self.counts.allocated += u64::from(view.allocation.is_some());
        self.take_allocation(view, &mut happened);
        self.take_state(view, &mut happened);
        self.capacity = view.capacity;
        self.tell();
        happened
    }

    fn tell(&mut self) {
        if let Some(state) = self.state {
            self.told = self.to_json(state).into_bytes().into();
        }
    }

    fn take_allocation(&mut self, view: &View, happened: &mut Vec<Happened>) {
        let known =
            |current: &Arc<Allocation>| view.allocation.as_ref().is_some_and(|it| current.is(it));
        if self.current.as_ref().is_some_and(known) {
            return;
        }
        let next = view
            .allocation
            .as_ref()
            .map(|it| Arc::new(Allocation::new(it)));
        let before = std::mem::replace(&mut self.current, next.clone());
        let id = |allocation: &Arc<Allocation>| allocation.id.clone();
        if before.as_ref().map(id) == next.as_ref().map(id) {
            // Only its context is another.
            return;
        }
        if let Some(before) = before {
            let by = self.cleared_by(&before);
            happened.push(Happened::Cleared(before, by));
        }
        if let Some(next) = next.filter(|next| self.is_new(next)) {
            self.counts.self_made += u64::from(next.origin == Origin::SelfMade);
            happened.push(Happened::Received(next));
        }
    }

    /// Whether an allocation was never current before. From now on it was.
    fn is_new(&mut self, allocation: &Allocation) -> bool {
        let digest = Digest::of(&allocation.id);
        if self.known.contains(&digest) {
            return false;
        }
        if self.known.len() == KNOWN {
            self.known.pop_front();
        }
        self.known.push_back(digest);
        true
    }

    fn cleared_by(&mut self, allocation: &Allocation) -> ClearedBy {
        match self.not_ending(&allocation.id) {
            true => ClearedBy::Game,
            false => ClearedBy::Platform,
        }
    }

    fn take_state(&mut self, view: &View, happened: &mut Vec<Happened>) {
        let was_closing = self.state == Some(ServerState::Shutdown);
        let is_closing = view.state == ServerState::Shutdown;
        self.state = Some(view.state);
        match (was_closing, is_closing) {
            (false, true) => happened.push(Happened::Closing),
            (true, false) => happened.push(Happened::Reopened),
            _ => {}
        }
        if is_closing {
            self.readied = false;
        }
        self.readied |= view.state == ServerState::Ready;
        self.settle();
    }

    /// The phase that follows from all that is known.
    fn settle(&mut self) {
        self.phase = match (self.phase, self.state) {
            (Phase::Stopping, _) => Phase::Stopping,
            (_, None) if self.lost => Phase::Unreachable,
            (_, None) => Phase::Starting,
            (_, Some(ServerState::Shutdown)) => Phase::ShuttingDown,
            // A game server that is not ready was not reached by players either.
            (phase, _) if self.lost => match phase {
                Phase::Ready | Phase::InSession => Phase::Unreachable,
                phase => phase,
            },
            (_, Some(ServerState::Allocated)) => Phase::InSession,
            _ if self.current.is_some() => Phase::InSession,
            // A view that is older than the answer to `ready` takes nothing back.
            _ if self.readied => Phase::Ready,
            _ => Phase::NotReady,
        };
    }

    /// The platform was told that players may come, and has heard it.
    pub(super) fn readied(&mut self) {
        self.readied = true;
        self.settle();
    }

    /// The endpoint did not answer for too long. The next view ends that.
    pub(super) fn lost(&mut self) {
        self.lost = true;
        self.settle();
    }

    /// This host stops.
    pub(super) fn stopping(&mut self) {
        self.phase = Phase::Stopping;
    }

    /// This host is about to end an allocation. Nobody is to join it any more.
    pub(super) fn ending(&mut self, id: &str) {
        let digest = Digest::of(id);
        if self.ending.contains(&digest) {
            return;
        }
        if self.ending.len() == ENDING {
            self.ending.pop_front();
        }
        self.ending.push_back(digest);
        self.tell();
    }

    /// Whether this host is ending it.
    pub(super) fn is_ending(&self, id: &str) -> bool {
        self.ending.contains(&Digest::of(id))
    }

    /// It is not ended after all: the endpoint refused. Returns whether it was to be.
    pub(super) fn not_ending(&mut self, id: &str) -> bool {
        let digest = Digest::of(id);
        let before = self.ending.len();
        self.ending.retain(|ending| *ending != digest);
        let was_ending = self.ending.len() < before;
        if was_ending {
            self.tell();
        }
        was_ending
    }

    fn to_json(&self, state: ServerState) -> String {
        let current = self.open_json();
        let current = current.as_deref().unwrap_or("null");
        format!(r#"{{"state":"{}","current":{current}}}"#, state.word())
    }
}

#[cfg(test)]
mod tests;
