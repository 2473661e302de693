//! What a table says.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A host, in a mode, with what it finds there.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct World {
    /// What it is.
    pub name: String,
    /// `hosted` (the default), `self-hosted`, `listen-online`, `listen-lan` or `none`.
    pub mode: Option<String>,
    /// The current allocation: `{"id"}` with `tickets`, `context` or, as text that need not be JSON, `text`.
    pub allocation: Option<Value>,
    /// The capacity of the fleet's counter `players`.
    pub capacity: Option<i64>,
    /// Seats in all.
    pub max_players: Option<u32>,
    /// Whether the endpoint is Agones' own, which knows nothing of reservations.
    pub agones: bool,
    /// Faults of the endpoint or of Discovery, as the stand-ins read them.
    pub faults: Vec<Value>,
    /// Whether the endpoint says that the server is to shut down.
    pub shut_down: bool,
    /// Whether the endpoint is gone before anyone comes.
    pub gone: bool,
    /// Whether Discovery says no more than valid or not.
    pub verdicts_only: bool,
    /// Whether Discovery takes no heartbeat, so that the server has no id.
    pub unlisted: bool,
    /// Whether the game's rule is the one that obeys display names, with session-open after it.
    pub gate: bool,
    /// What comes to it.
    pub rows: Vec<Row>,
}

/// Evidence, and the players who rely on it, one after the other.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Row {
    /// What it is about.
    pub name: String,
    /// Holds: `{"id"}` with `seats` or `players` or both, `after` so many lookups, `expired`.
    pub holds: Vec<Value>,
    /// Backfills: `{"id", "session", "tickets"}`, `after-ms`; or, with `raw`, as they are delivered.
    pub backfills: Vec<Value>,
    /// Reservations that Discovery knows: `{"id"}` with `seats` or `players`, `server`.
    pub reservations: Vec<Value>,
    /// What Discovery says of a reservation, whatever it knows: `{"id", "answer"}`.
    pub verify: Vec<Value>,
    /// Faults, as the stand-ins read them.
    pub faults: Vec<Value>,
    /// How often a path is asked for it, at least and at most.
    pub calls: BTreeMap<String, (usize, usize)>,
    /// Who comes.
    pub joins: Vec<Join>,
}

/// A player who comes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Join {
    /// The ticket: its `kind` and ids; what is not said of the rest is right.
    pub ticket: Option<Value>,
    /// In its place, any text.
    pub payload: Option<String>,
    /// Or a text, so many times.
    pub repeat: Option<(String, usize)>,
    /// Or any bytes, in hex.
    pub hex: Option<String>,
    /// `accepted`, or the reason.
    pub expect: String,
    /// What each policy said, such as `join-ticket:pass session-open:accept`.
    pub chain: Option<String>,
    /// Whether the player leaves before the next one comes.
    pub leaves: bool,
    /// The least that the answer takes, in milliseconds. What it takes at most depends on the machine.
    pub at_least_ms: u64,
}

impl World {
    /// The worlds of a table.
    ///
    /// # Panics
    ///
    /// If it is no such table.
    pub fn table(text: &str) -> Vec<World> {
        serde_json::from_str(text).expect("the table has the right form")
    }
}
