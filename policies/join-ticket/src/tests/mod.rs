//! The decision, row by row. A row is a mode, a ticket, what the host finds out, who is in already, and what
//! comes of it.

mod elsewhere;
mod hosted;
mod order;
mod properties;

use super::JoinTickets;
use usher_sdk::Decision;
use usher_sdk::fleet::{Mode, question};
use usher_sdk::prelude::*;
use usher_sdk::testing::{self, Host, Outcome};
use usher_sdk::ticket::{AllocationId, JoinTicket, PlayerId, ReservationId};

/// The version of the game's protocol in all rows.
const PROTOCOL: u32 = 3;

const RESERVATION: &str = r#"{"v":1,"kind":"reservation","protocolVersion":3,"playerId":"ann","reservationId":"rsv-secret"}"#;
const MATCH: &str = r#"{"v":1,"kind":"match","protocolVersion":3,"playerId":"ann","ticketId":"tkt-secret","allocationId":"m1"}"#;
const BACKFILL: &str = r#"{"v":1,"kind":"backfill","protocolVersion":3,"playerId":"ann","ticketId":"tkt-secret","allocationId":"b1"}"#;
const LAN: &str = r#"{"v":1,"kind":"lan","protocolVersion":3,"playerId":"ann"}"#;

/// One line of the table.
struct Row {
    says: &'static str,
    mode: Mode,
    payload: Vec<u8>,
    facts: Facts,
    taken: Vec<(Key, u32)>,
    closed: Option<&'static str>,
    expected: Expected,
}

/// What comes of it.
#[derive(Debug, PartialEq)]
enum Expected {
    /// Refused for that reason.
    Told(String),
    /// Asked for this and nothing else.
    Asks(Vec<Question>),
    /// Passed on, with the claim on the player and perhaps one more.
    Passes(Option<(Key, u32)>),
}

fn row(says: &'static str, mode: Mode, payload: impl Into<Vec<u8>>) -> Row {
    Row {
        says,
        mode,
        payload: payload.into(),
        facts: Facts::none(),
        taken: Vec::new(),
        closed: None,
        expected: Expected::Passes(None),
    }
}

impl Row {
    /// Where the host finds this out.
    fn found(mut self, question: Question, answer: impl Into<Answer>) -> Row {
        self.facts = self.facts.with(question, answer);
        self
    }

    /// Where others have so many units.
    fn taken(mut self, key: Key, units: u32) -> Row {
        self.taken.push((key, units));
        self
    }

    /// Where the server takes nobody in.
    fn closed(mut self, code: &'static str) -> Row {
        self.closed = Some(code);
        self
    }

    fn told(mut self, reason: &str) -> Row {
        self.expected = Expected::Told(reason.to_owned());
        self
    }

    fn asks(mut self, question: Question) -> Row {
        self.expected = Expected::Asks(vec![question]);
        self
    }

    fn passes(mut self) -> Row {
        self.expected = Expected::Passes(None);
        self
    }

    fn passes_with(mut self, key: Key, limit: u32) -> Row {
        self.expected = Expected::Passes(Some((key, limit)));
        self
    }

    fn request(&self) -> Request {
        let why = match self.facts == Facts::none() {
            true => Why::First,
            false => Why::Evidence,
        };
        let request = testing::request().mode(self.mode).max_players(16);
        let request = request.payload(self.payload.clone()).why(why);
        match self.closed {
            Some(code) => request.server_closed(code).build(),
            None => request.build(),
        }
    }

    fn check(self) {
        let taken = self.taken.iter().cloned();
        let host = taken.fold(host(), |host, (key, units)| host.taken(key, units));
        let outcome = host.outcome_with::<JoinTickets>(&self.request(), &self.facts);
        assert_eq!(seen(outcome), self.expected, "{}", self.says);
    }
}

/// A host with the one param that the policy must have.
fn host() -> Host {
    testing::host().param("protocol-version", PROTOCOL.to_string())
}

fn seen(outcome: Outcome) -> Expected {
    match outcome {
        Outcome::Rejected(reason) => Expected::Told(reason.code),
        Outcome::Asks(inquiry) => {
            assert!(inquiry.hold.is_empty());
            Expected::Asks(inquiry.questions)
        }
        Outcome::Passed(passing) => {
            assert_eq!(passing.then, None);
            let mut claims = passing.claims.into_iter();
            let first = claims.next().expect("a player is always claimed");
            assert_eq!((first.key, first.limit), (player_key(), 1));
            let second = claims.next().map(|claim| (claim.key, claim.limit));
            assert_eq!(claims.next(), None);
            Expected::Passes(second)
        }
        other => panic!("neither: {other:?}"),
    }
}

fn check(rows: impl IntoIterator<Item = Row>) {
    for row in rows {
        row.check();
    }
}

fn player_key() -> Key {
    Key::new("player").part("ann")
}

fn hold_key() -> Key {
    Key::new("hold").secret("rsv-secret")
}

fn ticket_key(allocation: &str) -> Key {
    Key::new("ticket").part(allocation).secret("tkt-secret")
}

fn allocation_key() -> Key {
    Key::new("allocation").secret("m1")
}

fn hold() -> Question {
    question::hold(&ReservationId::new("rsv-secret").expect("short"))
}

fn backfill() -> Question {
    question::backfill(&AllocationId::new("b1").expect("short"))
}

fn verify() -> Question {
    let reservation = ReservationId::new("rsv-secret").expect("short");
    question::verify(&reservation, &PlayerId::new("ann").expect("short"))
}
