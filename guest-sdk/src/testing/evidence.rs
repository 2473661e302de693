//! What the host finds out about join tickets, for tests: answers to `fleet`'s questions, with plain values
//! where the test states none, and requests that carry a ticket.
//!
//! ```
//! use usher_sdk::fleet::question;
//! use usher_sdk::prelude::*;
//! use usher_sdk::testing;
//! use usher_sdk::ticket::ReservationId;
//!
//! let reservation = ReservationId::new("rsv-1").expect("short");
//! let facts = Facts::none()
//!     .with(question::hold(&reservation), testing::hold().seats(2))
//!     .with(question::allocation(), testing::allocation("match-1").party("ticket-1", 2));
//! assert!(facts.hold(&reservation).is_ok());
//! ```

use serde_json::{Map, Value, json};

use super::request::RequestBuilder;
use crate::contract::{Answer, AttributeValue};
use crate::fleet::{Mode, Origin};
use crate::ticket::JoinTicket;

impl RequestBuilder {
    /// At a host that runs in a mode.
    pub fn mode(self, mode: Mode) -> RequestBuilder {
        let word = AttributeValue::Text(mode.as_str().to_owned());
        self.attribute("fleet.mode", word)
    }

    /// With a join ticket for its payload.
    ///
    /// # Panics
    ///
    /// When the ticket is too long to be sent.
    pub fn ticket(self, ticket: &JoinTicket) -> RequestBuilder {
        self.payload(ticket.encode().expect("a ticket that can be sent"))
    }
}

/// A hold of one seat for whoever knows its id.
pub fn hold() -> Places {
    Places {
        wrap: |places| places,
        seats: Some(1),
        players: None,
    }
}

/// Discovery's word that a reservation is good, with one seat for whoever knows its id.
pub fn verified() -> Places {
    Places {
        wrap: |detail| json!({"verdict": "valid", "detail": detail}),
        ..hold()
    }
}

/// Discovery's word that a reservation is good, or another of its verdicts, and not a word more.
pub fn verdict(verdict: &str) -> Answer {
    answer(&json!({"verdict": verdict, "detail": null}))
}

/// The places that a [`hold`] or a [`verified`] reservation keeps; an [`Answer`] by `.into()`.
#[derive(Clone, Debug)]
pub struct Places {
    wrap: fn(Value) -> Value,
    seats: Option<i64>,
    players: Option<Vec<String>>,
}

impl Places {
    /// With so many seats.
    pub fn seats(mut self, seats: i64) -> Places {
        self.seats = Some(seats);
        self
    }

    /// Without a word on how many seats.
    pub fn no_seats(mut self) -> Places {
        self.seats = None;
        self
    }

    /// For these players and nobody else.
    pub fn players<'a>(mut self, players: impl IntoIterator<Item = &'a str>) -> Places {
        self.players = Some(players.into_iter().map(str::to_owned).collect());
        self
    }
}

impl From<Places> for Answer {
    fn from(places: Places) -> Answer {
        let document = json!({
            "seats": places.seats,
            "playerIds": places.players,
            "expiresAt": 1_790_938_560_000_u64,
        });
        answer(&(places.wrap)(document))
    }
}

/// That a hosted game server is given to nothing.
pub fn idle() -> Answer {
    answer(&json!({"state": "Ready", "current": null}))
}

/// That a hosted game server is given to a session: one of a backend, with neither roster nor cap.
pub fn allocation(id: &str) -> Allocation {
    Allocation {
        id: id.to_owned(),
        origin: Origin::Platform,
        more: json!({"contextValid": true, "rosterless": true}),
        roster: Vec::new(),
    }
}

/// A session that a hosted game server is given to; an [`Answer`] by `.into()`.
#[derive(Clone, Debug)]
pub struct Allocation {
    id: String,
    origin: Origin,
    more: Value,
    roster: Vec<Value>,
}

impl Allocation {
    /// With a ticket in its roster that brings in so many players.
    pub fn party(mut self, ticket: &str, size: i64) -> Allocation {
        self.roster.push(party(ticket, size));
        self.having("rosterless", false)
    }

    /// With a cap.
    pub fn cap(self, players: i64) -> Allocation {
        self.having("cap", players)
    }

    /// Claimed by the game server itself.
    pub fn own(mut self) -> Allocation {
        self.origin = Origin::Own;
        self
    }

    /// With any other key of the document.
    pub fn having(mut self, key: &str, value: impl Into<Value>) -> Allocation {
        self.more[key] = value.into();
        self
    }

    fn document(self) -> Value {
        let origin = match self.origin {
            Origin::Platform => "platform",
            Origin::Own => "self",
        };
        let own = json!({"id": self.id, "origin": origin, "roster": self.roster});
        merged(own, self.more)
    }

    /// That this is what was found when [`claim_session`](crate::fleet::claim_session) was done.
    pub fn came_first(self) -> Answer {
        answer(&json!({"outcome": "allocated", "current": self.document()}))
    }
}

impl From<Allocation> for Answer {
    fn from(allocation: Allocation) -> Answer {
        answer(&json!({"state": "Allocated", "current": allocation.document()}))
    }
}

/// That [`claim_session`](crate::fleet::claim_session) was done.
pub fn session_claimed() -> Answer {
    answer(&json!({"outcome": "claimed"}))
}

/// That a backfill was delivered that joins a session.
pub fn backfill(id: &str, session: &str) -> Backfill {
    Backfill {
        id: id.to_owned(),
        session: session.to_owned(),
        roster: Vec::new(),
    }
}

/// A backfill; an [`Answer`] by `.into()`.
#[derive(Clone, Debug)]
pub struct Backfill {
    id: String,
    session: String,
    roster: Vec<Value>,
}

impl Backfill {
    /// With a ticket in its roster that brings in so many players.
    pub fn party(mut self, ticket: &str, size: i64) -> Backfill {
        self.roster.push(party(ticket, size));
        self
    }
}

impl From<Backfill> for Answer {
    fn from(backfill: Backfill) -> Answer {
        answer(&json!({
            "allocationId": backfill.id,
            "sessionId": backfill.session,
            "roster": backfill.roster,
        }))
    }
}

/// That nothing was learned, and why.
pub fn unavailable(why: &str) -> Answer {
    Answer::Unavailable(why.to_owned())
}

fn party(ticket: &str, size: i64) -> Value {
    json!({"ticketId": ticket, "partySize": size, "playerId": null})
}

/// An object with the keys of another.
fn merged(object: Value, more: Value) -> Value {
    let map = |value| match value {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    let mut object = map(object);
    object.extend(map(more));
    Value::Object(object)
}

fn answer(document: &Value) -> Answer {
    Answer::of(document.to_string())
}
