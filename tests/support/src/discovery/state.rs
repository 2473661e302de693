//! What Discovery knows: reservations, the listed server, and the token that it takes.

use crate::text;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The one state under its one lock.
pub(super) struct Discovery(pub(super) Mutex<State>);

impl Discovery {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reservation.
#[derive(Clone, Debug)]
pub struct Reservation {
    /// Its id.
    pub id: String,
    /// The server that it is for; `None` is the one that is listed.
    pub server: Option<String>,
    /// How many it lets in.
    pub seats: u32,
    /// Whom; `None` is whoever has the id.
    pub players: Option<Vec<String>>,
    /// What a studio's backend put there.
    pub context: Value,
    /// When it ends, in milliseconds since 1970.
    pub expires_at: u64,
}

impl Reservation {
    /// So many seats on the listed server for whoever has the id, for an hour.
    pub fn open(id: &str, seats: u32) -> Reservation {
        Reservation {
            id: id.to_owned(),
            server: None,
            seats,
            players: None,
            context: Value::Null,
            expires_at: text::now_ms() + 3_600_000,
        }
    }

    /// A seat for each of these on the listed server, for an hour.
    pub fn named(id: &str, players: &[&str]) -> Reservation {
        let seats = u32::try_from(players.len()).unwrap_or(u32::MAX);
        Reservation {
            players: Some(players.iter().map(|&it| it.to_owned()).collect()),
            ..Reservation::open(id, seats)
        }
    }

    /// The same on this server.
    #[must_use]
    pub fn on(mut self, server: &str) -> Reservation {
        self.server = Some(server.to_owned());
        self
    }

    /// The same, for so long from now.
    #[must_use]
    pub fn lasting(mut self, time: Duration) -> Reservation {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.expires_at = text::now_ms().saturating_add(time);
        self
    }
}

/// How a heartbeat is answered.
#[derive(Clone, Debug)]
pub enum HeartbeatAnswer {
    /// It is taken.
    Accepted,
    /// With this status and body.
    Refused(u16, Value),
    /// 429, with a `Retry-After` of so many seconds.
    TooMany(u64),
    /// 409: this server is one too many.
    OverTheCap,
}

impl HeartbeatAnswer {
    pub(super) fn body(&self) -> Value {
        match self {
            HeartbeatAnswer::Accepted => Value::Null,
            HeartbeatAnswer::Refused(_, body) => body.clone(),
            HeartbeatAnswer::TooMany(_) => json!({ "error": true, "message": "slow down" }),
            HeartbeatAnswer::OverTheCap => json!({ "error": true, "message": "self_hosted_cap" }),
        }
    }
}

/// All of it.
pub(super) struct State {
    pub(super) token: String,
    pub(super) verdicts_only: bool,
    reservations: BTreeMap<String, Reservation>,
    /// Who was let in on what, where only verdicts are given.
    admitted: BTreeMap<String, BTreeSet<String>>,
    pub(super) scripted: BTreeMap<String, Value>,
    pub(super) beats: VecDeque<HeartbeatAnswer>,
    pub(super) listed: Option<String>,
    /// What the last accepted heartbeat said.
    pub(super) beat: Value,
}

impl State {
    pub(super) fn new(token: &str) -> State {
        State {
            token: token.to_owned(),
            verdicts_only: false,
            reservations: BTreeMap::new(),
            admitted: BTreeMap::new(),
            scripted: BTreeMap::new(),
            beats: VecDeque::new(),
            listed: None,
            beat: Value::Null,
        }
    }

    pub(super) fn reserve(&mut self, reservation: Reservation) {
        self.admitted.remove(&reservation.id);
        self.reservations
            .insert(reservation.id.clone(), reservation);
    }

    pub(super) fn release(&mut self, id: &str) {
        self.reservations.remove(id);
    }

    /// What is said of a player who comes to a server with a reservation. An empty player names nobody.
    pub(super) fn verify(&mut self, id: &str, server: &str, player: &str) -> Value {
        if let Some(answer) = self.scripted.get(id) {
            return answer.clone();
        }
        let alive = self.reservations.get(id);
        let alive = alive.filter(|it| it.expires_at > text::now_ms());
        let Some(reservation) = alive.cloned() else {
            return json!({ "error": false, "valid": false });
        };
        let listed = self.listed.clone().unwrap_or_default();
        let its_server = reservation.server.clone().unwrap_or(listed);
        let wrong = if its_server != server {
            Some("wrong_server")
        } else if !reservation.lets(player) {
            Some("not_in_reservation")
        } else {
            None
        };
        match (self.verdicts_only, wrong) {
            (true, wrong) => {
                let valid = wrong.is_none() && self.admit(&reservation, player);
                json!({ "error": false, "valid": valid })
            }
            (false, Some(reason)) => json!({ "error": false, "valid": false, "reason": reason }),
            (false, None) => json!({
                "error": false,
                "valid": true,
                "reservationId": reservation.id,
                "serverId": its_server,
                "seats": reservation.seats,
                "playerIds": reservation.players,
                "context": reservation.context,
                "expiresAt": reservation.expires_at,
                "ownerKind": "backend",
                "ownerPlayerId": null,
            }),
        }
    }

    /// Counts a player in, once.
    fn admit(&mut self, reservation: &Reservation, player: &str) -> bool {
        let admitted = self.admitted.entry(reservation.id.clone()).or_default();
        if admitted.contains(player) {
            return true;
        }
        let room = usize::try_from(reservation.seats).unwrap_or(usize::MAX);
        admitted.len() < room && admitted.insert(player.to_owned())
    }
}

impl Reservation {
    fn lets(&self, player: &str) -> bool {
        let players = self.players.as_ref();
        players.is_none_or(|players| players.iter().any(|it| it == player))
    }
}
