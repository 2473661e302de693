//! The engine: inputs in, outputs out.
//!
//! This file holds the state and the loop; each other file of the folder is one part of a request's
//! life. They share the state and import nothing of each other.

mod arrive;
mod decide;
mod faults;
mod finish;
mod offer;
mod own;
mod places;
mod recheck;
mod report;
mod seat;
mod state;
mod status;
mod takeover;
mod time;
mod verdict;

use crate::by_number::{ByNumber, Numbers};
use crate::config::{Config, DoorConfig};
use crate::id::{AskId, DoorId, RequestId, SessionId, SlotId};
use crate::input::Input;
use crate::key::Key;
use crate::ledger::{Ledger, TakenView};
use crate::output::Output;
use crate::pool::Pool;
use crate::queue::{Line, Places, Queue};
use crate::reason::Reason;
use crate::rounds::Rounds;
use crate::session::Sessions;
use crate::snapshot::Snapshot;
use crate::time::Moment;
use crate::timers::Timers;
use crate::verdict::Question;
use own::Own;
use state::{Asked, Heir, Recheck, Request};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The admission engine of one host. See the crate's documentation.
pub struct Core {
    config: Config,
    own: Own,
    entropy: Box<dyn FnMut() -> u64 + Send>,
    /// The latest moment seen.
    now: Moment,
    snapshot: Arc<Snapshot>,
    requests: ByNumber<RequestId, Box<Request>>,
    asks: ByNumber<AskId, Asked>,
    pool: Pool,
    places: Places,
    queue: Queue,
    ledger: Ledger,
    sessions: Sessions,
    timers: Timers,
    /// What the timer of the ledger is set to.
    expiry: Option<Moment>,
    statuses: Rounds,
    /// Waiters to be decided anew, and those of them whose decision is out.
    reload: Line,
    reloading: Numbers<RequestId>,
    /// Requests that count on what sessions of the same players have.
    heirs: ByNumber<RequestId, Heir>,
    /// Those who play are asked about again, by these policies.
    rechecks: BTreeMap<SlotId, Recheck>,
    /// Counts changes of the rules and of what is closed.
    changes: u64,
    /// Keys of which a unit was given back, and whether by something else than a declined offer.
    freed: VecDeque<(Key, bool)>,
    /// Waiters whose status is due in this step.
    due: Vec<RequestId>,
    /// Acts that were out when their request ended: one that succeeds must be undone.
    late_acts: Vec<(RequestId, Question)>,
    draining: Option<Reason>,
    last_ask: u64,
    last_session: u64,
    last_arrival: u64,
    out: VecDeque<Output>,
}

impl Core {
    /// A core with no peers. `entropy` gives 64 random bits a call; the host backs it with the operating
    /// system's generator, because session tokens come from it.
    pub fn new(config: Config, entropy: Box<dyn FnMut() -> u64 + Send>) -> Core {
        Core {
            own: Own::new(&config),
            pool: Pool::new(config.max_pending, config.max_pending_per_address),
            config,
            entropy,
            now: Moment::ZERO,
            snapshot: Arc::new(Snapshot::none()),
            requests: ByNumber::default(),
            asks: ByNumber::default(),
            places: Places::default(),
            queue: Queue::default(),
            ledger: Ledger::default(),
            sessions: Sessions::default(),
            timers: Timers::default(),
            expiry: None,
            statuses: Rounds::default(),
            reload: Line::default(),
            reloading: Numbers::default(),
            heirs: ByNumber::default(),
            rechecks: BTreeMap::new(),
            changes: 0,
            freed: VecDeque::new(),
            due: Vec::new(),
            late_acts: Vec::new(),
            draining: None,
            last_ask: 0,
            last_session: 0,
            last_arrival: 0,
            out: VecDeque::new(),
        }
    }

    /// Takes an event that arrived at `now`. First fires every timer that is due by then; expiry is
    /// inclusive (semantics 25). A `now` earlier than the last one counts as the last one.
    pub fn handle(&mut self, input: Input, now: Moment) {
        self.now = self.now.max(now);
        self.fire_timers();
        self.take(input);
        self.settle();
    }

    /// The next thing to do. To be called until it returns `None`, after every [`Core::handle`].
    pub fn poll_output(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// When to call [`Core::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn poll_timeout(&self) -> Option<Moment> {
        let timers = self.timers.next();
        timers.into_iter().chain(self.statuses.next()).min()
    }

    /// How many units are taken, readable from policy workers.
    pub fn taken_view(&self) -> TakenView {
        self.ledger.view()
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Knock {
                request,
                door,
                peer,
                room,
            } => self.knock(request, door, peer, room),
            Input::Submit(data) => self.submit(data),
            Input::Gone { request, how } => self.gone(request, how),
            Input::Answer(answer) => self.answered(answer),
            Input::StatusTexts { ask, result } => self.status_texts(ask, result),
            Input::OverAnswer { ask, commands } => {
                // An answer to another kind of ask names none of these.
                if let Some(Asked::Over) = self.asks.get(&ask) {
                    self.asks.remove(&ask);
                    self.apply_commands(commands);
                }
            }
            Input::Fact {
                request,
                attempt,
                question,
                answer,
            } => self.learned(request, attempt, question, answer),
            Input::Bind { session, endpoint } => self.bind(session, endpoint),
            Input::Confirm { session } => self.confirm(session),
            Input::Seen { session, at } => self.seen(session, at),
            Input::Kick { session, reason } => self.kick(session, reason),
            Input::Close { key, reason } => self.close_key(key, reason),
            Input::Open { key } => self.open_key(key),
            Input::Rules(snapshot) => self.rules_changed(snapshot),
            Input::Drain => self.drain(),
            Input::Recheck { slot, forced } => self.recheck_ordered(slot, forced),
            Input::Tick => {}
        }
    }

    /// What follows from a step: freed units are offered, waiters decided anew, statuses asked for.
    fn settle(&mut self) {
        loop {
            self.offer_freed();
            self.pump_reload();
            self.pump_rechecks();
            // A re-decision may come to nothing at once, and give back what was set aside for it; a
            // recheck ends players.
            if self.freed.is_empty() {
                break;
            }
        }
        self.ask_due_statuses();
        self.set_expiry_timer();
    }

    fn next_ask(&mut self, about: Asked) -> AskId {
        self.last_ask += 1;
        let id = AskId(self.last_ask);
        self.asks.insert(id, about);
        id
    }

    fn next_session(&mut self) -> SessionId {
        self.last_session += 1;
        SessionId(self.last_session)
    }

    fn door(&self, door: DoorId) -> Option<&DoorConfig> {
        self.config.doors.get(usize::from(door.0))
    }

    fn emit(&mut self, output: Output) {
        self.out.push_back(output);
    }

    /// Notes keys of which a unit was given back.
    fn freed(&mut self, keys: Vec<Key>) {
        self.freed.extend(keys.into_iter().map(|key| (key, true)));
    }
}

#[cfg(test)]
mod tests;
