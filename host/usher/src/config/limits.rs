//! `[limits]`: how many, and how long.

use super::error::ConfigError;
use super::reader::Section;
use super::value::{HOUR, duration, number};
use std::time::Duration;

/// The limits of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Seats in all.
    pub max_players: u32,
    /// Requests pending at once. 0: no pool; a request then holds a seat from its knock on.
    pub max_pending: u32,
    /// Of these, how many of one address. 0: no limit.
    pub max_pending_per_address: u32,
    /// How long a request may go without an answer or a status. Zero: the door's connection timeout.
    pub session_timeout: Duration,
    /// How long one decision may take, evidence included.
    pub decision_timeout: Duration,
    /// How long the place of a waiter whose connection dropped is kept.
    pub queue_grace: Duration,
    /// The longest wait at a door whose protocol has no status.
    pub queue_max_wait: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let core = usher_core::Config::default();
        Limits {
            max_players: core.max_players,
            max_pending: core.max_pending,
            max_pending_per_address: core.max_pending_per_address,
            session_timeout: core.session_timeout,
            decision_timeout: core.decision_timeout,
            queue_grace: core.queue_grace,
            queue_max_wait: core.queue_max_wait,
        }
    }
}

/// What can be told apart at all, and leaves a thread the time to wake up.
const SHORTEST: Duration = Duration::from_millis(100);

impl Limits {
    /// Reads the table; what it leaves out has its default.
    pub(super) fn read(mut section: Section<'_>) -> Result<Limits, ConfigError> {
        let default = Limits::default();
        let s = &mut section;
        let limits = Limits {
            max_players: s
                .optional("max-players", "max-players = 4", number(1..=65_536))?
                .unwrap_or(default.max_players),
            max_pending: s
                .optional("max-pending", "max-pending = 32", number(0..=100_000))?
                .unwrap_or(default.max_pending),
            max_pending_per_address: s
                .optional(
                    "max-pending-per-address",
                    "max-pending-per-address = 4",
                    number(0..=100_000),
                )?
                .unwrap_or(default.max_pending_per_address),
            session_timeout: s
                .optional(
                    "session-timeout",
                    "session-timeout = \"45s\"",
                    duration(Duration::ZERO..=HOUR),
                )?
                .unwrap_or(default.session_timeout),
            decision_timeout: s
                .optional(
                    "decision-timeout",
                    "decision-timeout = \"10s\"",
                    duration(SHORTEST..=HOUR),
                )?
                .unwrap_or(default.decision_timeout),
            queue_grace: s
                .optional(
                    "queue-grace",
                    "queue-grace = \"60s\"",
                    duration(Duration::ZERO..=24 * HOUR),
                )?
                .unwrap_or(default.queue_grace),
            queue_max_wait: s
                .optional(
                    "queue-max-wait",
                    "queue-max-wait = \"60s\"",
                    duration(SHORTEST..=24 * HOUR),
                )?
                .unwrap_or(default.queue_max_wait),
        };
        section.finish()?;
        Ok(limits)
    }
}
