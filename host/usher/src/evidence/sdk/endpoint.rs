//! The calls that the endpoint is sent: these and no others.

use crate::evidence::http::{
    Call as HttpCall, Http, HttpError, Limits, Method, Settings, Stream, Uri, push_encoded,
};
use std::future::Future;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use usher_core::Secret;

/// How long a call may take, its answer included.
const WITHIN: Duration = Duration::from_secs(5);

/// Lookups under way at once; others wait, in the time that they have.
const LOOKUPS: usize = 1024;

/// Other calls under way at once. They are of a few tasks, and wait for no lookup.
const OTHERS: usize = 16;

/// The longest answer about one thing, in bytes.
const SMALL: usize = 128 * 1024;

/// The longest answer with a whole game server in it, in bytes.
const LARGE: usize = 4 * 1024 * 1024;

/// The longest list of backfills, in bytes: of those of a long session, each with a roster.
const LIST: usize = 16 * 1024 * 1024;

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Call {
    /// Reads the game server.
    GameServer,
    /// Reads a hold.
    Hold(Secret),
    /// Reads the backfills.
    Backfills,
    /// Claims a session.
    Allocate,
    /// Ends a session.
    Ended(Arc<str>),
    /// Says that players may come.
    Ready,
    /// Says that all is well.
    Health,
    /// Says that this game server is done.
    Shutdown,
    /// Says how many players there are.
    Players(u32),
}

impl Call {
    /// A word for logs and metrics.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Call::GameServer => "gameserver",
            Call::Hold(_) => "hold",
            Call::Backfills => "backfills",
            Call::Allocate => "allocate",
            Call::Ended(_) => "ended",
            Call::Ready => "ready",
            Call::Health => "health",
            Call::Shutdown => "shutdown",
            Call::Players(_) => "players",
        }
    }

    pub(super) fn method(&self) -> Method {
        match self {
            Call::GameServer | Call::Hold(_) | Call::Backfills => Method::GET,
            Call::Players(_) => Method::PATCH,
            Call::Allocate | Call::Ended(_) | Call::Ready | Call::Health | Call::Shutdown => {
                Method::POST
            }
        }
    }

    pub(super) fn path(&self) -> String {
        let about = |before: &str, id: &str, after: &str| {
            let mut path = before.to_owned();
            push_encoded(id, &mut path);
            path.push_str(after);
            path
        };
        match self {
            Call::GameServer => "/gameserver".to_owned(),
            Call::Hold(id) => about("/pingcore/reservations/", id.expose(), ""),
            Call::Backfills => "/v1/backfills".to_owned(),
            Call::Allocate => "/allocate".to_owned(),
            Call::Ended(id) => about("/v1/sessions/", id, "/ended"),
            Call::Ready => "/ready".to_owned(),
            Call::Health => "/health".to_owned(),
            Call::Shutdown => "/shutdown".to_owned(),
            Call::Players(_) => "/v1beta1/counters/players".to_owned(),
        }
    }

    /// What is written. Agones wants a document also where there is nothing to say.
    pub(super) fn body(&self) -> Option<Vec<u8>> {
        match self {
            Call::GameServer | Call::Hold(_) | Call::Backfills => None,
            Call::Players(count) => Some(format!(r#"{{"count":"{count}"}}"#).into_bytes()),
            Call::Allocate | Call::Ended(_) | Call::Ready | Call::Health | Call::Shutdown => {
                Some(b"{}".to_vec())
            }
        }
    }

    fn limits(&self) -> Limits {
        let max_body = match self {
            Call::GameServer => LARGE,
            Call::Backfills => LIST,
            _ => SMALL,
        };
        let timeout = WITHIN;
        Limits { timeout, max_body }
    }
}

/// What came back. May hold secrets, so there is no `Debug`.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// A call that is under way. It stops when this is dropped.
pub(super) type Calling = Pin<Box<dyn Future<Output = Result<Answer, HttpError>> + Send>>;

/// A watch stream that is being opened.
pub(super) type Watching = Pin<Box<dyn Future<Output = Result<Box<dyn Watch>, HttpError>> + Send>>;

/// The next bytes of a watch stream; none at its end.
pub(super) type Chunk<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Vec<u8>>, HttpError>> + Send + 'a>>;

/// The endpoint.
pub(super) trait Endpoint: Send + Sync {
    /// Makes a call.
    fn call(&self, call: Call) -> Calling;

    /// Opens the watch stream.
    fn watch(&self) -> Watching;
}

/// A watch stream.
pub(super) trait Watch: Send {
    /// The status that it was opened with.
    fn status(&self) -> u16;

    /// Waits for bytes.
    fn chunk(&mut self) -> Chunk<'_>;
}

/// The endpoint of this machine.
pub(super) struct Local {
    lookups: Http,
    others: Http,
    port: u16,
}

impl Local {
    pub(super) fn new(port: u16) -> Result<Local, HttpError> {
        let http = |in_flight| {
            Http::new(Settings {
                tls: false,
                keep: false,
                in_flight,
            })
        };
        Ok(Local {
            lookups: http(LOOKUPS)?,
            others: http(OTHERS)?,
            port,
        })
    }

    fn uri(&self, path: &str) -> Result<Uri, HttpError> {
        let uri = format!("http://{}:{}{path}", Ipv4Addr::LOCALHOST, self.port);
        // Ids are percent-encoded, so it fails for none but one longer than any address may be.
        uri.parse().map_err(|_| HttpError::Broken)
    }
}

impl Endpoint for Local {
    fn call(&self, call: Call) -> Calling {
        let http = match call {
            // As many as players ask for, and the endpoint may let them wait.
            Call::Hold(_) | Call::Backfills => self.lookups.clone(),
            _ => self.others.clone(),
        };
        let uri = self.uri(&call.path());
        Box::pin(async move {
            let limits = call.limits();
            let call = match call.body() {
                None => HttpCall::get(uri?),
                Some(body) => HttpCall::json(call.method(), uri?, body),
            };
            let response = http.request(call, limits).await?;
            Ok(Answer {
                status: response.status,
                body: response.body,
            })
        })
    }

    fn watch(&self) -> Watching {
        let (uri, http) = (self.uri("/watch/gameserver"), self.others.clone());
        Box::pin(async move {
            let stream = http.stream(HttpCall::get(uri?), WITHIN).await?;
            Ok(Box::new(stream) as Box<dyn Watch>)
        })
    }
}

impl Watch for Stream {
    fn status(&self) -> u16 {
        Stream::status(self)
    }

    fn chunk(&mut self) -> Chunk<'_> {
        Box::pin(async { Ok(Stream::chunk(self).await?.map(|bytes| bytes.to_vec())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_reads_and_ids_stay_in_their_segment() {
        let id = || "a/b?c d".into();
        for (call, method, path, body) in [
            (Call::GameServer, "GET", "/gameserver", None),
            (
                Call::Hold(Secret::new("r:1/../x")),
                "GET",
                "/pingcore/reservations/r%3A1%2F..%2Fx",
                None,
            ),
            (Call::Backfills, "GET", "/v1/backfills", None),
            (Call::Allocate, "POST", "/allocate", Some("{}")),
            (
                Call::Ended(id()),
                "POST",
                "/v1/sessions/a%2Fb%3Fc%20d/ended",
                Some("{}"),
            ),
            (Call::Ready, "POST", "/ready", Some("{}")),
            (Call::Health, "POST", "/health", Some("{}")),
            (Call::Shutdown, "POST", "/shutdown", Some("{}")),
            (
                Call::Players(3),
                "PATCH",
                "/v1beta1/counters/players",
                Some(r#"{"count":"3"}"#),
            ),
        ] {
            assert_eq!((call.method().as_str(), &*call.path()), (method, path));
            assert_eq!(call.body().as_deref(), body.map(str::as_bytes));
            assert!(Local::new(1).is_ok_and(|local| local.uri(path).is_ok()));
        }
    }
}
