//! One look at a hold: what the endpoint's answer means.

use super::context::value_to_policy;
use super::endpoint::Answer;
use super::loose::{Entry, Listed, Loose, Part};
use crate::evidence::http::HttpError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most players that a hold may name. Its seats are 100 at most.
const PLAYERS: usize = 1024;

/// What the endpoint calls a hold that it does not know.
const UNKNOWN: &str = "reservation not found";

/// What came of a look.
#[derive(PartialEq, Eq)]
pub(super) enum Looked {
    /// The hold, as JSON for policies.
    Found(String),
    /// There is none, as far as the endpoint knows by now.
    NotFound,
    /// There was one.
    Expired,
    /// It could not be found out; why.
    Failed(&'static str),
}

/// Never shows what is in a hold.
impl std::fmt::Debug for Looked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Looked::Found(_) => "found",
            Looked::NotFound => "not found",
            Looked::Expired => "expired",
            Looked::Failed(why) => why,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HoldWire {
    reservation_id: Loose,
    server_id: Loose,
    seats: Loose,
    #[serde(deserialize_with = "Deserialize::deserialize")]
    player_ids: Listed<PlayerName>,
    context: Value,
    expires_at: Loose,
    owner_kind: Loose,
    owner_player_id: Loose,
}

#[derive(Serialize)]
struct PlayerName(Box<str>);

impl Entry for PlayerName {
    const MOST: usize = PLAYERS;

    type Wire = Loose;

    fn of(wire: Loose) -> Option<PlayerName> {
        match wire {
            Loose::Text(name) => Some(PlayerName(name)),
            _ => None,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    seats: Option<i32>,
    player_ids: Option<&'a [PlayerName]>,
    expires_at: i64,
    owner_kind: Option<&'a str>,
    owner_player_id: Option<&'a str>,
}

/// What an answer says of the hold with this id, at this time of the wall clock in milliseconds.
pub(super) fn read(answer: Result<Answer, HttpError>, id: &str, now: u64) -> Looked {
    let Ok(answer) = answer else {
        return match answer {
            Err(HttpError::TooLong) => Looked::Failed("the hold is longer than any can be"),
            _ => Looked::Failed("the local SDK endpoint does not answer"),
        };
    };
    match answer.status {
        200 => found(&answer.body, id, now),
        404 => not_found(&answer.body),
        501 => Looked::Failed("the local SDK endpoint has no holds"),
        _ => Looked::Failed("the local SDK endpoint refused to show the hold"),
    }
}

/// Only one answer means that there is no such hold: another program may answer 404 to everything.
fn not_found(body: &[u8]) -> Looked {
    #[derive(Deserialize)]
    struct Wire {
        #[serde(default)]
        message: Loose,
    }

    match serde_json::from_slice::<Part<Wire>>(body) {
        Ok(Part(Some(wire))) if wire.message == Loose::Text(UNKNOWN.into()) => Looked::NotFound,
        Ok(_) => Looked::Failed("the local SDK endpoint refused to show the hold"),
        Err(_) => Looked::Failed("the local SDK endpoint has no holds"),
    }
}

fn found(body: &[u8], id: &str, now: u64) -> Looked {
    const UNREADABLE: Looked = Looked::Failed("the hold cannot be read");
    let Ok(Part(Some(wire))) = serde_json::from_slice::<Part<HoldWire>>(body) else {
        return UNREADABLE;
    };
    if wire.reservation_id != Loose::Text(id.into()) {
        return Looked::Failed("the local SDK endpoint showed another hold");
    }
    let Some((told, expires_at)) = told(&wire) else {
        return UNREADABLE;
    };
    // One that expires in this very millisecond has.
    match u64::try_from(expires_at).is_ok_and(|expires_at| expires_at > now) {
        true => Looked::Found(told),
        false => Looked::Expired,
    }
}

/// What policies are told, and when it expires; nothing where a value is of the wrong kind.
fn told(wire: &HoldWire) -> Option<(String, i64)> {
    if !matches!(wire.server_id, Loose::Text(_) | Loose::Int(_) | Loose::Null) {
        return None;
    }
    let Loose::Int(expires_at) = wire.expires_at else {
        return None;
    };
    let seats = match wire.seats {
        Loose::Null => None,
        Loose::Int(seats) => Some(i32::try_from(seats).ok().filter(|seats| *seats >= 0)?),
        _ => return None,
    };
    let player_ids = match &wire.player_ids {
        Listed::Absent => None,
        Listed::List {
            usable,
            skipped: false,
            cut: false,
            ..
        } => Some(&**usable),
        // Whom it admits is not quite known, so it admits nobody.
        _ => return None,
    };
    let told = Told {
        seats,
        player_ids,
        expires_at,
        owner_kind: name(&wire.owner_kind)?,
        owner_player_id: name(&wire.owner_player_id)?,
    };
    let context = match &wire.context {
        Value::Null => None,
        context if context.is_object() => value_to_policy(context),
        _ => return None,
    };
    let mut told = serde_json::to_string(&told).ok()?;
    told.pop();
    let context = context.as_deref().unwrap_or("null");
    Some((format!("{told},\"context\":{context}}}"), expires_at))
}

/// A text, or that there is none.
fn name(value: &Loose) -> Option<Option<&str>> {
    match value {
        Loose::Null => Some(None),
        Loose::Text(text) => Some(Some(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
