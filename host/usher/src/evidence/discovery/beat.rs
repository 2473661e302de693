//! A heartbeat: what the directory is told of this server, and what it answers.

use super::schedule::Outcome;
use crate::config::{Discovery, is_server_id};
use crate::evidence::http::{HttpError, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Beat<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    server_id: Option<&'a str>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ip: Option<&'a str>,
    port: u16,
    query_port: u16,
    players: u32,
    max_players: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    meta: &'a Map<String, Value>,
}

/// The body of a heartbeat of a server that is listed as `server_id`, or wants to be.
pub(super) fn body(settings: &Discovery, server_id: Option<&str>, players: u32) -> Vec<u8> {
    let beat = Beat {
        server_id,
        name: &settings.name,
        ip: settings.ip.as_deref(),
        port: settings.port,
        query_port: settings.query_port,
        players,
        max_players: settings.max_players,
        version: settings.version.as_deref(),
        meta: &settings.meta,
    };
    serde_json::to_vec(&beat).expect("its keys are text, and writing to memory does not fail")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accepted {
    #[serde(default)]
    error: bool,
    server_id: String,
}

/// What an answer means, and the id in it.
pub(super) fn outcome(answer: &Result<Response, HttpError>) -> (Outcome, Option<Arc<str>>) {
    let Ok(answer) = answer else {
        return (Outcome::Failed, None);
    };
    let outcome = match answer.status {
        200..=299 => match accepted(&answer.body) {
            Some(id) => return (Outcome::Accepted, Some(id)),
            None => Outcome::Failed,
        },
        409 => Outcome::Over,
        429 => match answer.retry_after.as_deref().and_then(seconds) {
            Some(wait) => Outcome::NotBefore(wait),
            None => Outcome::Failed,
        },
        400..=499 => Outcome::Refused,
        _ => Outcome::Failed,
    };
    (outcome, None)
}

fn accepted(body: &[u8]) -> Option<Arc<str>> {
    let accepted: Accepted = serde_json::from_slice(body).ok()?;
    let fits = !accepted.error && is_server_id(&accepted.server_id);
    fits.then(|| accepted.server_id.into())
}

/// `Retry-After` in seconds. The form with a date is rare, and taken for none.
fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretFile;
    use usher_core::Secret;

    fn settings() -> Discovery {
        Discovery {
            url: "https://example.org".into(),
            token: SecretFile {
                file: "token".into(),
                secret: Secret::new("dsc_1"),
            },
            server_id: None,
            name: "My \"server\"".into(),
            ip: None,
            port: 27015,
            query_port: 27016,
            max_players: 8,
            version: None,
            meta: Map::new(),
        }
    }

    #[test]
    fn it_says_what_is_set_and_leaves_out_what_is_not() {
        let text =
            |settings: &Discovery, id| String::from_utf8(body(settings, id, 3)).expect("UTF-8");
        let first =
            r#"{"name":"My \"server\"","port":27015,"queryPort":27016,"players":3,"maxPlayers":8}"#;
        assert_eq!(text(&settings(), None), first);
        let mut all = settings();
        all.ip = Some("203.0.113.10".into());
        all.version = Some("1.4".into());
        all.meta.insert("map".to_owned(), Value::from("harbour"));
        let later = r#"{"serverId":"a:1","name":"My \"server\"","ip":"203.0.113.10","port":27015,"queryPort":27016,"players":3,"maxPlayers":8,"version":"1.4","meta":{"map":"harbour"}}"#;
        assert_eq!(text(&all, Some("a:1")), later);
    }

    #[test]
    fn each_answer_means_what_it_should() {
        let good = r#"{"error":false,"serverId":"203.0.113.10:27015","ip":"203.0.113.10","expiresIn":90,"verificationMode":"none","verified":false,"lastProbeError":null}"#;
        let wait = |seconds| Outcome::NotBefore(Duration::from_secs(seconds));
        for (status, retry_after, body, expected) in [
            (200, None, good, Outcome::Accepted),
            (201, None, r#"{"serverId":"[::1]:5"}"#, Outcome::Accepted),
            (
                200,
                None,
                r#"{"error":true,"serverId":"a"}"#,
                Outcome::Failed,
            ),
            (200, None, r#"{"error":false}"#, Outcome::Failed),
            (200, None, r#"{"serverId":""}"#, Outcome::Failed),
            (200, None, r#"{"serverId":"a/b"}"#, Outcome::Failed),
            (200, None, r#"{"serverId":7}"#, Outcome::Failed),
            (200, None, "nonsense", Outcome::Failed),
            (302, None, good, Outcome::Failed),
            (500, None, good, Outcome::Failed),
            (503, Some("90"), "", Outcome::Failed),
            (429, Some("7"), "", wait(7)),
            (429, Some(" 0 "), "", wait(0)),
            (429, None, "", Outcome::Failed),
            (429, Some("soon"), "", Outcome::Failed),
            (429, Some("-1"), "", Outcome::Failed),
            (429, Some("99999999999999999999999"), "", Outcome::Failed),
            (400, None, "", Outcome::Refused),
            (401, None, "", Outcome::Refused),
            (403, None, "", Outcome::Refused),
            (404, None, "", Outcome::Refused),
            (409, None, r#"{"error":"ip_cap"}"#, Outcome::Over),
        ] {
            let (outcome, id) = outcome(&Ok(Response {
                status,
                retry_after: retry_after.map(Box::from),
                body: body.into(),
            }));
            assert_eq!(outcome, expected, "{status} {retry_after:?} {body}");
            assert_eq!(id.is_some(), outcome == Outcome::Accepted);
        }
        assert_eq!(outcome(&Err(HttpError::TimedOut)).0, Outcome::Failed);
    }
}
