//! What the directory's answer about a reservation means.

use serde_json::{Map, Value, json};

/// What came of asking whether a player may come on a reservation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// The player may: the directory counts the seats, unless it says what they are.
    Valid(Option<Detail>),
    /// There is no such reservation, or not any more.
    Invalid,
    /// It is for another server.
    WrongServer,
    /// It is for other players.
    NotInReservation,
}

/// What is reserved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Detail {
    /// How many seats, where that is said.
    seats: Option<u32>,
    /// For whom; `None` for whoever comes.
    players: Option<Vec<String>>,
}

/// The answer is not one that can be believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("its answer is malformed")]
pub(super) struct Malformed;

/// What is only in an answer that says what is reserved.
const DETAILS: [&str; 8] = [
    "reservationId",
    "serverId",
    "seats",
    "playerIds",
    "context",
    "expiresAt",
    "ownerKind",
    "ownerPlayerId",
];

impl Verdict {
    /// Reads the body of an answer of status 200 to `own`, as this server is listed, about `player`.
    pub(super) fn read(body: &[u8], own: &str, player: &str) -> Result<Verdict, Malformed> {
        let answer: Map<String, Value> = serde_json::from_slice(body).map_err(|_| Malformed)?;
        if answer
            .get("error")
            .is_some_and(|error| *error != Value::Bool(false))
        {
            return Err(Malformed);
        }
        match answer.get("valid") {
            Some(Value::Bool(true)) => valid(&answer, own, player),
            Some(Value::Bool(false)) => Ok(match answer.get("reason").and_then(Value::as_str) {
                Some("wrong_server") => Verdict::WrongServer,
                Some("not_in_reservation") => Verdict::NotInReservation,
                _ => Verdict::Invalid,
            }),
            _ => Err(Malformed),
        }
    }

    /// As policies read it.
    pub(super) fn to_json(&self) -> Vec<u8> {
        let detail = match self {
            Verdict::Valid(Some(Detail { seats, players })) => {
                json!({ "seats": seats, "playerIds": players })
            }
            _ => Value::Null,
        };
        let verdict = match self {
            Verdict::Valid(_) => "valid",
            Verdict::Invalid => "invalid",
            Verdict::WrongServer => "wrong_server",
            Verdict::NotInReservation => "not_in_reservation",
        };
        let document = json!({ "verdict": verdict, "detail": detail });
        document.to_string().into_bytes()
    }
}

fn valid(answer: &Map<String, Value>, own: &str, player: &str) -> Result<Verdict, Malformed> {
    // One that is null is said as well.
    if !DETAILS.iter().any(|name| answer.contains_key(*name)) {
        return Ok(Verdict::Valid(None));
    }
    if answer.get("serverId").and_then(Value::as_str) != Some(own) {
        return Ok(Verdict::WrongServer);
    }
    let players = match answer.get("playerIds") {
        None | Some(Value::Null) => None,
        Some(Value::Array(ids)) => {
            let ids = ids.iter().map(|id| id.as_str().map(str::to_owned));
            Some(ids.collect::<Option<Vec<String>>>().ok_or(Malformed)?)
        }
        Some(_) => return Err(Malformed),
    };
    if players
        .as_ref()
        .is_some_and(|ids| !ids.iter().any(|id| id == player))
    {
        return Ok(Verdict::NotInReservation);
    }
    let seats = answer.get("seats").and_then(Value::as_u64);
    let seats = seats.map(|seats| u32::try_from(seats).unwrap_or(u32::MAX));
    Ok(Verdict::Valid(Some(Detail { seats, players })))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "203.0.113.10:27015";

    fn read(body: &str) -> Result<Verdict, Malformed> {
        Verdict::read(body.as_bytes(), OWN, "p-alice")
    }

    fn detail(seats: Option<u32>, players: Option<&[&str]>) -> Result<Verdict, Malformed> {
        let players = players.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
        Ok(Verdict::Valid(Some(Detail { seats, players })))
    }

    #[test]
    fn each_row_of_the_mapping_holds() {
        let full = r#"{"error":false,"valid":true,"reservationId":"party-83a1","serverId":"203.0.113.10:27015","seats":3,"playerIds":["p-alice","p-bob"],"context":null,"expiresAt":1725000060000,"ownerKind":"backend","ownerPlayerId":null}"#;
        let both = ["p-alice", "p-bob"];
        let rows: Vec<(String, Result<Verdict, Malformed>)> = [
            (r#"{"error":false,"valid":true}"#, Ok(Verdict::Valid(None))),
            (r#"{"valid":true}"#, Ok(Verdict::Valid(None))),
            (r#"{"error":false,"valid":true,"newer":1}"#, Ok(Verdict::Valid(None))),
            (r#"{"error":false,"valid":false}"#, Ok(Verdict::Invalid)),
            (r#"{"error":false,"valid":false,"reason":"wrong_server"}"#, Ok(Verdict::WrongServer)),
            (r#"{"error":false,"valid":false,"reason":"not_in_reservation"}"#, Ok(Verdict::NotInReservation)),
            (r#"{"error":false,"valid":false,"reason":"other"}"#, Ok(Verdict::Invalid)),
            (r#"{"error":false,"valid":false,"reason":7}"#, Ok(Verdict::Invalid)),
            // A refusal with details stays one.
            (r#"{"error":false,"valid":false,"serverId":"203.0.113.10:27015","playerIds":null}"#, Ok(Verdict::Invalid)),
            // Any detail makes it detailed, one that is null too.
            (r#"{"error":false,"valid":true,"playerIds":null}"#, Ok(Verdict::WrongServer)),
            (r#"{"error":false,"valid":true,"seats":3}"#, Ok(Verdict::WrongServer)),
            (r#"{"error":false,"valid":true,"serverId":null}"#, Ok(Verdict::WrongServer)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27016"}"#, Ok(Verdict::WrongServer)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015"}"#, detail(None, None)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015","playerIds":null,"seats":2}"#, detail(Some(2), None)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015","playerIds":[],"seats":2}"#, Ok(Verdict::NotInReservation)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015","playerIds":["p-bob"]}"#, Ok(Verdict::NotInReservation)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015","playerIds":["P-ALICE"]}"#, Ok(Verdict::NotInReservation)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015","playerIds":["p-alice"],"seats":-1}"#, detail(None, Some(&["p-alice"]))),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015","seats":9999999999}"#, detail(Some(u32::MAX), None)),
            (full, detail(Some(3), Some(&both))),
            // Lies and nonsense.
            (r#"{"error":true,"valid":true}"#, Err(Malformed)),
            (r#"{"error":"no","valid":true}"#, Err(Malformed)),
            (r#"{"error":false}"#, Err(Malformed)),
            (r#"{"error":false,"valid":"true"}"#, Err(Malformed)),
            (r#"{"error":false,"valid":1}"#, Err(Malformed)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015","playerIds":"p-alice"}"#, Err(Malformed)),
            (r#"{"error":false,"valid":true,"serverId":"203.0.113.10:27015","playerIds":["p-alice",7]}"#, Err(Malformed)),
            (r#"[{"valid":true}]"#, Err(Malformed)),
            (r#"{"valid":true"#, Err(Malformed)),
            ("true", Err(Malformed)),
            ("", Err(Malformed)),
        ]
        .map(|(body, expected)| (body.to_owned(), expected))
        .into();
        for (body, expected) in rows {
            assert_eq!(read(&body), expected, "{body}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(
            read(&format!(r#"{{"valid":true,"context":{deep}"#)),
            Err(Malformed)
        );
    }

    #[test]
    fn a_policy_reads_a_verdict_and_what_is_reserved() {
        for (verdict, json) in [
            (Verdict::Valid(None), r#"{"detail":null,"verdict":"valid"}"#),
            (Verdict::Invalid, r#"{"detail":null,"verdict":"invalid"}"#),
            (
                Verdict::WrongServer,
                r#"{"detail":null,"verdict":"wrong_server"}"#,
            ),
            (
                Verdict::NotInReservation,
                r#"{"detail":null,"verdict":"not_in_reservation"}"#,
            ),
            (
                detail(Some(2), Some(&["a\"b"])).expect("valid"),
                r#"{"detail":{"playerIds":["a\"b"],"seats":2},"verdict":"valid"}"#,
            ),
            (
                detail(None, None).expect("valid"),
                r#"{"detail":{"playerIds":null,"seats":null},"verdict":"valid"}"#,
            ),
        ] {
            assert_eq!(String::from_utf8(verdict.to_json()).expect("UTF-8"), json);
        }
    }
}
