//! Doors whose players come with join tickets: which they are, and what the rest of a configuration must leave
//! them.

use super::Config;
use super::door::{Door, Protocol};
use super::error::ConfigError;
use std::time::Duration;
use usher_core::{DoorConfig, Duplicates, Reason};
use usher_wire::ticket;

/// The built-in policy that reads join tickets.
pub(super) const READER: &str = "join-ticket";
/// The longest that a decision about a join ticket takes.
const DECISION: Duration = Duration::from_secs(10);
/// How long a client with a join ticket has to be kept, at the least: a decision, and time to hear of it.
const PENDING: Duration = Duration::from_secs(15);

impl Config {
    /// Whether players come with join tickets to a door: as the file says, or if the built-in policy is asked
    /// that reads them.
    pub fn carries_tickets(&self, door: &Door) -> bool {
        let asks = || self.asked(door).iter().any(|it| it.reads_tickets());
        door.tickets.unwrap_or_else(asks)
    }

    /// What the core has to know of a door besides, if players come to it with join tickets.
    pub(super) fn for_tickets(&self, door: &Door, to: &mut DoorConfig) {
        if self.carries_tickets(door) {
            let closed = ticket::Reason::NotInSession;
            to.closed_room = Some(Reason::new(closed.as_str(), closed.message()));
            to.connection_timeout = to.connection_timeout.max(PENDING);
        }
    }

    /// Refuses what would cut a decision about a join ticket short, or believe what a ticket does not prove.
    pub(super) fn check_tickets(&self) -> Result<(), ConfigError> {
        let wrong =
            |key: String, value: Option<String>, problem: String, example: &str| ConfigError {
                file: self.file.clone(),
                line: None,
                key,
                value,
                problem,
                example: Some(example.into()),
            };
        self.check_order()?;
        let doors = self.doors.iter().enumerate();
        let doors: Vec<_> = doors.filter(|(_, it)| self.carries_tickets(it)).collect();
        for (place, door) in &doors {
            if let Some(problem) = carries_none(&door.protocol) {
                return Err(wrong(
                    format!("door[{place}].tickets"),
                    door.tickets.map(|it| it.to_string()),
                    format!(
                        "the door {:?} is to take join tickets, and {problem}",
                        door.name
                    ),
                    "tickets = false, or policies = [\"rtyp\"]",
                ));
            }
        }
        let Some((_, Door { name, .. })) = doors.first() else {
            return Ok(());
        };
        let limits = &self.limits;
        let session = limits.session_timeout;
        if !session.is_zero() && session < PENDING {
            return Err(wrong(
                "limits.session-timeout".to_owned(),
                Some(shown(session)),
                format!(
                    "the door {name:?} takes join tickets: to find out about one takes up to {}, and then the \
                     player has to hear of it, so that it must be {} at least, or 0s",
                    shown(DECISION),
                    shown(PENDING)
                ),
                "session-timeout = \"15s\"",
            ));
        }
        if limits.decision_timeout > DECISION {
            return Err(wrong(
                "limits.decision-timeout".to_owned(),
                Some(shown(limits.decision_timeout)),
                format!(
                    "the door {name:?} takes join tickets, whose clients give up after {}, so that it must not \
                     be longer than {}",
                    shown(PENDING),
                    shown(DECISION)
                ),
                "decision-timeout = \"10s\"",
            ));
        }
        if limits.duplicate_identity == Duplicates::TakeOver {
            return Err(wrong(
                "limits.duplicate-identity".to_owned(),
                Some("\"take-over\"".to_owned()),
                format!(
                    "the door {name:?} takes join tickets, which do not prove who a player is: whoever knows \
                     another's id could throw them out"
                ),
                "duplicate-identity = \"refuse\"",
            ));
        }
        Ok(())
    }
}

/// Why no join ticket can come by a protocol; `None` where it can.
fn carries_none(protocol: &Protocol) -> Option<&'static str> {
    match protocol {
        Protocol::Rtyp(_) => Some("a login by rtyp has a name and nothing else"),
        Protocol::Mafianet(mafianet) if !mafianet.protocols.contains(&7) => {
            Some("protocol 6 has no payload; it needs 7 among its protocols")
        }
        _ => None,
    }
}

fn shown(duration: Duration) -> String {
    humantime::format_duration(duration).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const DOOR: &str =
        "[[door]]\nname = \"main\"\nprotocol = \"mafianet\"\nudp = \"127.0.0.1:0\"\n";
    const READS: &str = "[[policy]]\nname = \"tickets\"\nmodule = \"builtin:join-ticket\"\n\
                         params = { protocol-version = 1 }\n";
    const OPEN: &str = "[[policy]]\nname = \"open\"\nmodule = \"builtin:open\"\n";

    fn config(parts: &[&str]) -> Result<Config, String> {
        Config::parse(&parts.concat(), Path::new("usher.toml")).map_err(|it| it.to_string())
    }

    fn limits(line: &str) -> String {
        format!("[limits]\n{line}\n")
    }

    #[test]
    fn a_door_that_asks_the_built_in_policy_takes_tickets_unless_the_file_says_otherwise() {
        for (more, policies, carries) in [
            ("", READS, true),
            ("", OPEN, false),
            ("tickets = true\n", OPEN, true),
            ("tickets = false\n", READS, false),
        ] {
            let config = config(&[DOOR, more, policies]).expect("a configuration");
            assert_eq!(config.carries_tickets(&config.doors[0]), carries, "{more}");
            let core = &config.to_core().doors[0];
            let closed = core.closed_room.as_ref().map(|it| &*it.code);
            assert_eq!(closed, carries.then_some("not_in_session"));
            let pending = Duration::from_secs(if carries { 15 } else { 10 });
            assert_eq!(core.connection_timeout, pending);
        }
        // Named in another door's chain only.
        let two = [DOOR, "policies = [\"open\"]\n", READS, OPEN];
        let config = config(&two).expect("a configuration");
        assert!(!config.carries_tickets(&config.doors[0]));
    }

    #[test]
    fn what_cuts_a_decision_short_is_refused_with_the_reason() {
        let of = |line: &str, door: &str| config(&[DOOR, door, READS, &limits(line)]);
        for (line, says) in [
            (
                "session-timeout = \"14999ms\"",
                Some("it must be 15s at least, or 0s"),
            ),
            ("session-timeout = \"15s\"", None),
            ("session-timeout = \"0s\"", None),
            (
                "decision-timeout = \"10001ms\"",
                Some("it must not be longer than 10s"),
            ),
            ("decision-timeout = \"1s\"", None),
        ] {
            let result = of(line, "");
            let error = result.err().unwrap_or_default();
            assert_eq!(says.is_some(), !error.is_empty(), "{line}: {error}");
            assert!(error.contains(says.unwrap_or_default()), "{line}: {error}");
            assert_eq!(of(line, "tickets = false\n").err(), None, "{line}");
        }
        let error = of("session-timeout = \"5s\"", "").expect_err("too short");
        assert!(
            error.starts_with("usher.toml: limits.session-timeout = 5s: the door \"main\" takes"),
            "{error}"
        );
    }

    #[test]
    fn nobody_is_thrown_out_by_a_ticket() {
        let take_over = limits("duplicate-identity = \"take-over\"");
        let error = config(&[DOOR, READS, &take_over]).expect_err("unproven");
        assert!(
            error.contains("limits.duplicate-identity = \"take-over\": "),
            "{error}"
        );
        assert!(error.contains("do not prove who a player is"), "{error}");
        assert_eq!(config(&[DOOR, OPEN, &take_over]).err(), None);
    }

    #[test]
    fn a_door_that_no_ticket_can_come_through_is_refused() {
        let rtyp = "[[door]]\nname = \"tcp\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n";
        let error = config(&[DOOR, rtyp, READS, OPEN]).expect_err("a name is no ticket");
        assert!(
            error.contains("door[1].tickets: the door \"tcp\" is to take join tickets"),
            "{error}"
        );
        let error = config(&[DOOR, "protocols = [6]\n", READS]).expect_err("no payload");
        assert!(error.contains("it needs 7 among its protocols"), "{error}");
        let apart = [DOOR, rtyp, "policies = [\"open\"]\n", READS, OPEN];
        assert_eq!(config(&apart).err(), None);
        assert_eq!(config(&[DOOR, "protocols = [7, 6]\n", READS]).err(), None);
    }

    #[test]
    fn policies_of_the_command_line_are_held_to_the_same() {
        let mut config = Config::default();
        let error = config.replace_policies(&["builtin:join-ticket".to_owned()]);
        let error = error.expect_err("an rtyp door").to_string();
        assert!(
            error.contains("takes join tickets") || error.contains("to take join tickets"),
            "{error}"
        );
    }
}
