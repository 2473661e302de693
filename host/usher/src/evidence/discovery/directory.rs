//! Asks the directory whether a reservation is good here.

use super::verdict::Verdict;
use crate::evidence::http::{Call, Http, Limits, header, is_dots, push_encoded};
use hyper::http::{HeaderName, HeaderValue, Uri};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use usher_core::{FactAnswer, Secret};

/// What one call may cost. A detailed answer has at most 100 players and 8 KiB of context.
pub(super) const CALL: Limits = Limits {
    timeout: Duration::from_secs(5),
    max_body: 64 * 1024,
};

/// The longest id of a player that the directory takes, in characters.
const LONGEST_PLAYER: usize = 128;

/// Asks the directory. Cheap to clone.
#[derive(Clone)]
pub struct Directory {
    pub(super) url: Arc<str>,
    pub(super) http: Http,
    pub(super) token: watch::Receiver<Secret>,
    /// As what this server is listed: nothing before the first heartbeat was accepted.
    pub(super) own: watch::Receiver<Option<Arc<str>>>,
}

impl Directory {
    /// Whether `player` may come on the reservation, as a document for policies.
    pub async fn verify(&self, reservation: &str, player: &str) -> FactAnswer {
        let known = |own: &Option<Arc<str>>| own.clone();
        let Some(own) = known(&self.own.borrow()) else {
            return unavailable("no heartbeat of this server was accepted yet");
        };
        let names_somebody = (1..=LONGEST_PLAYER).contains(&player.chars().count());
        if !names_somebody || reservation.is_empty() || is_dots(reservation) {
            return found(&Verdict::Invalid);
        }
        let mut path = "/v1/reservations/verify/".to_owned();
        push_encoded(reservation, &mut path);
        path.push_str("?serverId=");
        push_encoded(&own, &mut path);
        path.push_str("&playerId=");
        push_encoded(player, &mut path);
        let Some(call) = self.call(&path) else {
            // An id is too long for an address, so the directory cannot know it.
            return found(&Verdict::Invalid);
        };
        match self.http.request(call, CALL).await {
            Ok(answer) if answer.status == 200 => match Verdict::read(&answer.body, &own, player) {
                Ok(verdict) => found(&verdict),
                Err(malformed) => unavailable(&malformed.to_string()),
            },
            Ok(answer) => unavailable(&format!("the directory answered {}", answer.status)),
            Err(error) => unavailable(&format!("the directory: {error}")),
        }
    }

    fn call(&self, path: &str) -> Option<Call> {
        let uri = address(&self.url, path)?;
        let headers = vec![authorization(&self.token.borrow())];
        Some(Call {
            headers,
            ..Call::get(uri)
        })
    }
}

/// An address of the directory.
pub(super) fn address(base: &str, path: &str) -> Option<Uri> {
    format!("{base}{path}").parse().ok()
}

/// What shows that this server may ask.
pub(super) fn authorization(token: &Secret) -> (HeaderName, HeaderValue) {
    let text = format!("Bearer {}", token.expose());
    // It was printable ASCII when it was read.
    let mut value = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
    value.set_sensitive(true);
    (header::AUTHORIZATION, value)
}

fn found(verdict: &Verdict) -> FactAnswer {
    FactAnswer::Found(verdict.to_json().into())
}

fn unavailable(why: &str) -> FactAnswer {
    FactAnswer::Unavailable(why.into())
}
