//! Contexts of allocations and backfills, as a matchmaker or a studio's backend makes them.

use serde_json::{Value, json};

/// A matchmaker's, with a roster of tickets and how many each may bring in.
pub fn matchmaker(tickets: &[(&str, u32)]) -> Value {
    let players: u32 = tickets.iter().map(|(_, size)| size).sum();
    json!({
        "matchmaker": true,
        "queue": "ranked",
        "sessionSize": tickets.len(),
        "players": players,
        "relaxed": false,
        "backfill": false,
        "location": null,
        "roster": roster(tickets),
    })
}

/// A backfill's, for the session that it joins.
pub fn backfill(session: &str, tickets: &[(&str, u32)]) -> Value {
    json!({
        "matchmaker": true,
        "backfill": true,
        "queue": "ranked",
        "sessionId": session,
        "roster": roster(tickets),
    })
}

/// A roster: each ticket brings in so many. The submitters are not named.
pub fn roster(tickets: &[(&str, u32)]) -> Value {
    let entries = tickets.iter().map(|(ticket, size)| {
        json!({
            "ticketId": ticket,
            "partySize": size,
            "playerId": null,
            "attributes": null,
            "context": null,
        })
    });
    entries.collect()
}

/// A backend's allocation, which has no roster.
pub fn rosterless() -> Value {
    json!({ "mode": "ranked" })
}
