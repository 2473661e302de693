//! What the platform delivers: holds of reservations, and backfills.

use crate::{context, text};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// A hold, with all eight keys of its frame.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// The reservation that it is for.
    pub reservation_id: String,
    /// The game server that it is on.
    pub server_id: String,
    /// How many seats it holds.
    pub seats: Option<u32>,
    /// For whom; `None` for whoever has the reservation's id.
    pub player_ids: Option<Vec<String>>,
    /// What a studio's backend put there.
    pub context: Option<Value>,
    /// When it ends, in milliseconds since 1970.
    pub expires_at: u64,
    /// `backend` or `player`.
    pub owner_kind: String,
    /// The player that made it.
    pub owner_player_id: Option<String>,
}

impl Hold {
    /// A hold of so many seats for whoever has its id, for an hour.
    pub fn open(reservation: &str, seats: u32) -> Hold {
        Hold {
            reservation_id: reservation.to_owned(),
            server_id: "4211".into(),
            seats: Some(seats),
            player_ids: None,
            context: None,
            expires_at: text::now_ms() + 3_600_000,
            owner_kind: "backend".into(),
            owner_player_id: None,
        }
    }

    /// A hold for these players, a seat each, for an hour.
    pub fn named(reservation: &str, players: &[&str]) -> Hold {
        let seats = u32::try_from(players.len()).unwrap_or(u32::MAX);
        Hold {
            player_ids: Some(players.iter().map(|&it| it.to_owned()).collect()),
            ..Hold::open(reservation, seats)
        }
    }

    /// The same, for so long from now.
    #[must_use]
    pub fn lasting(mut self, time: Duration) -> Hold {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.expires_at = text::now_ms().saturating_add(time);
        self
    }

    /// The same, with what a backend put there.
    #[must_use]
    pub fn with_context(mut self, context: Value) -> Hold {
        self.context = Some(context);
        self
    }
}

/// A backfill: players who join a session that runs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Backfill {
    /// Its own id, which its tickets name.
    pub allocation_id: String,
    /// The allocation that it joins. `None`: what the context says.
    pub session_id: Option<String>,
    /// What it takes of the session.
    pub claims: Value,
    /// The matchmaker's context, with the roster.
    pub context: Value,
    /// When it was delivered, in milliseconds since 1970.
    pub delivered_at: u64,
}

impl Backfill {
    /// One that joins a session, with these tickets and how many each may bring in.
    pub fn new(id: &str, session: &str, tickets: &[(&str, u32)]) -> Backfill {
        let players: u32 = tickets.iter().map(|(_, size)| size).sum();
        Backfill {
            allocation_id: id.to_owned(),
            session_id: Some(session.to_owned()),
            claims: json!({ "players": players }),
            context: context::backfill(session, tickets),
            delivered_at: text::now_ms(),
        }
    }
}
