//! The rule as a plug-in of Extism, as its documentation has plug-ins written: JSON in and out, through serde,
//! host functions declared with its macro. JSON has no bytes: the payload is base64, which Extism's own
//! converters use for bytes in JSON.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use extism_pdk::*;
use serde::{Deserialize, Serialize};

/// What the host tells; what the rule does not look at is left in the text.
#[derive(Deserialize)]
struct Request {
    max_players: u32,
    payload: String,
}

#[derive(Serialize)]
struct Claim<'a> {
    namespace: &'a str,
    part: &'a str,
    limit: u32,
    full_code: &'a str,
    full_text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict<'a> {
    Accept {
        identity: &'a str,
        claims: Vec<Claim<'a>>,
    },
    Reject {
        code: &'a str,
        text: String,
    },
}

#[host_fn]
extern "ExtismHost" {
    /// The note beside a name; empty where it is not banned.
    fn note(name: String) -> String;
    fn taken(key: String) -> String;
}

/// Decides.
#[plugin_fn]
pub fn on_connect_request(Json(request): Json<Request>) -> FnResult<String> {
    let payload = BASE64_STANDARD.decode(&request.payload)?;
    let Some(name) = name(&payload) else {
        let text = "A name has 3 to 24 letters, digits, - or _.";
        return reject("bad-name", text.to_owned());
    };
    // SAFETY: the host has these functions, with strings in and out.
    let note = unsafe { note(name.to_owned())? };
    if !note.is_empty() {
        return reject("banned", format!("You are banned from this server: {note}"));
    }
    // SAFETY: as above.
    let taken: u32 = unsafe { taken("server".to_owned())? }.parse()?;
    if taken >= request.max_players {
        return reject("server-full", "The server is full.".to_owned());
    }
    answer(&Verdict::Accept {
        identity: name,
        claims: vec![Claim {
            namespace: "name",
            part: name,
            limit: 1,
            full_code: "name-taken",
            full_text: "That name is in use.",
        }],
    })
}

fn reject(code: &str, text: String) -> FnResult<String> {
    answer(&Verdict::Reject { code, text })
}

fn answer(verdict: &Verdict<'_>) -> FnResult<String> {
    Ok(extism_pdk::json::to_string(verdict)?)
}

/// The name that a payload begins with, if it is a good one.
fn name(payload: &[u8]) -> Option<&str> {
    let end = payload.iter().position(|byte| *byte == b'\n')?;
    let name = std::str::from_utf8(&payload[..end]).ok()?;
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = (3..=24).contains(&name.len()) && name.bytes().all(good);
    fits.then_some(name)
}
