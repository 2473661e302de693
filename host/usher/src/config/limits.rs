//! `[limits]`: how many, and how long.

use super::error::ConfigError;
use super::reader::Section;
use super::value::{HOUR, duration, number};
use std::time::Duration;
use toml::de::DeValue;
use usher_core::Duplicates;

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
    /// How often someone who waits is told so.
    pub status_interval: Duration,
    /// What happens to someone who comes in while they play already.
    pub duplicate_identity: Duplicates,
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
            status_interval: core.status_interval,
            duplicate_identity: core.duplicates,
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
            status_interval: default.status_interval,
            duplicate_identity: s
                .optional(
                    "duplicate-identity",
                    "duplicate-identity = \"refuse\"",
                    duplicates,
                )?
                .unwrap_or(default.duplicate_identity),
        };
        let status_interval = s.optional(
            "status-interval",
            "status-interval = \"5s\"",
            status_interval(limits.session_timeout),
        )?;
        section.finish()?;
        Ok(Limits {
            status_interval: status_interval.unwrap_or(limits.status_interval),
            ..limits
        })
    }
}

/// A client of the usual timer gives up 10 s after the last status, which takes its time to arrive; and
/// a text a second for everyone who waits is plenty.
fn status_interval(
    session_timeout: Duration,
) -> impl FnOnce(&DeValue<'_>) -> Result<Duration, String> {
    let within = Duration::from_secs(1)..=Duration::from_secs(8);
    move |value| {
        let interval = duration(within)(value).map_err(|problem| {
            format!("{problem}: clients give up when they hear nothing for 10s")
        })?;
        match !session_timeout.is_zero() && interval >= session_timeout {
            true => Err("it must be shorter than limits.session-timeout".to_owned()),
            false => Ok(interval),
        }
    }
}

fn duplicates(value: &DeValue<'_>) -> Result<Duplicates, String> {
    match value.as_str() {
        Some("refuse") => Ok(Duplicates::Refuse),
        Some("take-over") => Ok(Duplicates::TakeOver),
        _ => Err("it must be \"refuse\" or \"take-over\"".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::reader::Source;
    use std::path::Path;

    fn read(text: &str) -> Result<Limits, String> {
        let file = Path::new("usher.toml");
        let section = Source { file, text }.root().expect("TOML");
        Limits::read(section).map_err(|error| error.problem)
    }

    #[test]
    fn a_status_comes_before_clients_give_up() {
        let interval = |text: &str| read(text).map(|limits| limits.status_interval.as_secs());
        assert_eq!(interval(""), Ok(5));
        assert_eq!(interval("status-interval = \"1s\""), Ok(1));
        assert_eq!(interval("status-interval = \"8s\""), Ok(8));
        let says = "it must be a duration in quotes, from 1s to 8s: clients give up when they hear \
                    nothing for 10s";
        assert_eq!(interval("status-interval = \"9s\""), Err(says.to_owned()));
        assert_eq!(
            interval("status-interval = \"900ms\""),
            Err(says.to_owned())
        );
        let both = "status-interval = \"6s\"\nsession-timeout = \"6s\"";
        let says = "it must be shorter than limits.session-timeout";
        assert_eq!(interval(both), Err(says.to_owned()));
    }

    #[test]
    fn what_comes_of_a_second_one_is_one_of_two_words() {
        let duplicates = |text: &str| read(text).map(|limits| limits.duplicate_identity);
        assert_eq!(duplicates(""), Ok(Duplicates::Refuse));
        let text = "duplicate-identity = \"take-over\"";
        assert_eq!(duplicates(text), Ok(Duplicates::TakeOver));
        let says = "it must be \"refuse\" or \"take-over\"";
        let text = "duplicate-identity = \"kick\"";
        assert_eq!(duplicates(text), Err(says.to_owned()));
    }
}
