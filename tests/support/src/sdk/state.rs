//! What the endpoint holds, and who watches it.

use super::hold::{Backfill, Hold};
use super::list::List;
use crate::reply::Feed;
use crate::text;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Whose endpoint this is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Dialect {
    /// The fleet's own supervisor.
    PingCore,
    /// What comes with Agones: `sdk-server --local`.
    Agones,
}

/// A counter, as far as someone said.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) count: Option<i64>,
    pub(super) capacity: Option<i64>,
}

/// The record that says that a session can be joined, in the order in which it is written.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Joinable {
    pub(super) queue: String,
    pub(super) open_seats: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) attributes: Option<Map<String, Value>>,
    pub(super) session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ttl_seconds: Option<u64>,
}

/// A hold, and when it is seen.
struct Kept {
    hold: Hold,
    /// How many lookups still find nothing.
    unseen: u32,
    /// Whether it is shown though its time is over.
    shown_late: bool,
}

/// All of it.
pub(super) struct State {
    pub(super) dialect: Dialect,
    ready: bool,
    shutdown: bool,
    pub(super) integrated: bool,
    allocation: Option<Allocation>,
    pub(super) backfills: Vec<Backfill>,
    pub(super) joinable: Option<Joinable>,
    /// The fleet's counters.
    pub(super) fleet: BTreeMap<String, Figures>,
    /// What the game said of counters; it comes before the fleet's.
    pub(super) counters: BTreeMap<String, Figures>,
    pub(super) lists: BTreeMap<String, List>,
    holds: BTreeMap<String, Kept>,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) annotations: BTreeMap<String, String>,
    /// Agones' one word for all of it.
    pub(super) phase: String,
    /// Goes up with each change of the phase, so that a reservation that ends knows whether it still counts.
    pub(super) turn: u64,
    pub(super) watches: Vec<Feed>,
}

/// The current allocation.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    pub(super) id: String,
    /// Text that should be JSON.
    pub(super) context: Option<String>,
}

impl State {
    pub(super) fn new(dialect: Dialect) -> State {
        let mut state = State {
            dialect,
            ready: false,
            shutdown: false,
            integrated: false,
            allocation: None,
            backfills: Vec::new(),
            joinable: None,
            fleet: BTreeMap::new(),
            counters: BTreeMap::new(),
            lists: BTreeMap::new(),
            holds: BTreeMap::new(),
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            phase: "Ready".into(),
            turn: 0,
            watches: Vec::new(),
        };
        if dialect == Dialect::Agones {
            state.furnish();
        }
        state
    }

    /// The state in the view.
    pub(super) fn shown(&self) -> String {
        match self.dialect {
            Dialect::Agones => self.phase.clone(),
            Dialect::PingCore if self.shutdown => "Shutdown".into(),
            Dialect::PingCore if self.allocation.is_some() => "Allocated".into(),
            Dialect::PingCore if self.ready => "Ready".into(),
            Dialect::PingCore => "Scheduled".into(),
        }
    }

    pub(super) fn draining(&self) -> bool {
        self.integrated && !self.ready
    }

    /// Agones' phase becomes this.
    pub(super) fn enter(&mut self, phase: &str) {
        phase.clone_into(&mut self.phase);
        self.turn += 1;
    }

    pub(super) fn make_ready(&mut self) {
        self.ready = true;
        self.enter("Ready");
    }

    pub(super) fn shut_down(&mut self) {
        self.shutdown = true;
        self.enter("Shutdown");
    }

    pub(super) fn undo_shut_down(&mut self) {
        self.shutdown = false;
        let phase = match self.allocation {
            Some(_) => "Allocated",
            None => "Ready",
        };
        self.enter(phase);
    }

    pub(super) fn allocate(&mut self, id: &str, context: Option<&str>) {
        self.allocation = Some(Allocation {
            id: id.to_owned(),
            context: context.map(str::to_owned),
        });
        self.enter("Allocated");
    }

    /// A self-allocation: it replaces what is current, whatever that is.
    pub(super) fn self_allocate(&mut self) {
        let id = format!("self-{}", text::now_ms());
        self.allocate(&id, Some("{}"));
    }

    pub(super) fn clear_allocation(&mut self) {
        self.allocation = None;
        self.enter("Ready");
    }

    pub(super) fn allocation(&self) -> Option<&Allocation> {
        self.allocation.as_ref()
    }

    pub(super) fn allocation_id(&self) -> Option<&str> {
        self.allocation.as_ref().map(|it| it.id.as_str())
    }

    /// Ends a session, or just the backfills with this id.
    pub(super) fn end(&mut self, id: &str) {
        if self.allocation_id() == Some(id) {
            self.clear_allocation();
            self.joinable = None;
            self.backfills.clear();
        } else {
            self.backfills.retain(|it| it.allocation_id != id);
        }
    }

    pub(super) fn keep(&mut self, hold: Hold, unseen: u32) {
        let kept = Kept {
            unseen,
            shown_late: false,
            hold,
        };
        self.holds.insert(kept.hold.reservation_id.clone(), kept);
    }

    pub(super) fn release(&mut self, reservation: &str) {
        self.holds.remove(reservation);
    }

    pub(super) fn expire(&mut self, reservation: &str, shown: bool) {
        if let Some(kept) = self.holds.get_mut(reservation) {
            kept.hold.expires_at = text::now_ms().saturating_sub(1000);
            kept.shown_late = shown;
        }
    }

    /// Looks a hold up, which is what makes one appear that is not seen at first.
    pub(super) fn look_up(&mut self, reservation: &str) -> Option<&Hold> {
        let kept = self.holds.get_mut(reservation)?;
        if kept.unseen > 0 {
            kept.unseen -= 1;
            return None;
        }
        kept.is_shown().then_some(&kept.hold)
    }

    /// All holds that are seen, the one that ends first first.
    pub(super) fn holds(&self) -> Vec<&Hold> {
        let seen = self.holds.values().filter(|it| it.unseen == 0);
        let mut seen: Vec<_> = seen.filter(|it| it.is_shown()).map(|it| &it.hold).collect();
        seen.sort_by_key(|it| it.expires_at);
        seen
    }

    /// A counter's count and capacity: what the game said, else what the fleet has.
    pub(super) fn counter(&self, name: &str) -> Option<(i64, i64)> {
        let (game, fleet) = (self.counters.get(name), self.fleet.get(name));
        if game.is_none() && fleet.is_none() {
            return None;
        }
        let either = |pick: fn(&Figures) -> Option<i64>| {
            game.and_then(pick).or(fleet.and_then(pick)).unwrap_or(0)
        };
        Some((either(|it| it.count), either(|it| it.capacity)))
    }

    /// How many watch.
    pub(super) fn watches(&self) -> usize {
        self.watches.iter().filter(|it| it.is_open()).count()
    }

    /// Agones' own start: a counter and a list.
    fn furnish(&mut self) {
        let rooms = Figures {
            count: Some(1),
            capacity: Some(10),
        };
        self.fleet.insert("rooms".into(), rooms);
        let players = List::new(100, &["test0", "test1", "test2"]);
        self.lists.insert("players".into(), players);
    }
}

impl Kept {
    fn is_shown(&self) -> bool {
        self.shown_late || self.hold.expires_at > text::now_ms()
    }
}
