//! What a client asks for in HTTP, and whether it may be given a WebSocket (RFC 6455, section 4.2).

use super::forwarded;
use crate::config::WebSocket;
use crate::web::single;
use axum::http::header::{self, AsHeaderName};
use axum::http::{HeaderMap, Method, Request, StatusCode, Version};
use std::net::SocketAddr;
use std::sync::Arc;

/// The version of the protocol that there is.
const VERSION: &str = "13";

/// The longest name, in bytes. What it must be besides, the policies say.
const NAME: usize = 128;

/// The longest origin that is looked at, in bytes.
const ORIGIN: usize = 256;

/// A client that may have its WebSocket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Asked {
    /// What proves to the client that it was understood.
    pub(super) accept: String,
    /// Where it is.
    pub(super) client: SocketAddr,
    /// What it calls itself.
    pub(super) name: Option<Arc<str>>,
    /// The web page that it is part of.
    pub(super) origin: Option<Arc<str>>,
}

/// Why it may not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) text: &'static str,
    /// For the metrics.
    pub(super) word: &'static str,
}

const fn refused(status: StatusCode, word: &'static str, text: &'static str) -> Refused {
    Refused { status, text, word }
}

/// Looks at a request that came from `peer`.
pub(super) fn look<B>(
    request: &Request<B>,
    peer: SocketAddr,
    door: &WebSocket,
) -> Result<Asked, Refused> {
    let headers = request.headers();
    if request.uri().path() != &*door.path {
        return Err(refused(
            StatusCode::NOT_FOUND,
            "not-found",
            "there is nothing here",
        ));
    }
    if request.method() != Method::GET {
        return Err(refused(
            StatusCode::METHOD_NOT_ALLOWED,
            "bad-request",
            "a WebSocket begins with GET",
        ));
    }
    // A page that may not come is told so, whatever else is wrong.
    let origin = check_origin(headers, door)?;
    let accept = check_upgrade(request)?;
    let client = forwarded::client(peer, headers, &door.proxies).map_err(|forwarded::Unsaid| {
        refused(
            StatusCode::BAD_REQUEST,
            "bad-proxy",
            "the proxy must say in X-Forwarded-For whom it connects for",
        )
    })?;
    let name = match named(request.uri().query().unwrap_or_default()) {
        Ok(name) => name,
        Err(Unnamed) => {
            return Err(refused(
                StatusCode::BAD_REQUEST,
                "bad-name",
                "the name must be 1 to 128 bytes of UTF-8 without control characters",
            ));
        }
    };
    Ok(Asked {
        accept,
        client,
        name,
        origin,
    })
}

fn check_origin(headers: &HeaderMap, door: &WebSocket) -> Result<Option<Arc<str>>, Refused> {
    const FOREIGN: Refused = refused(
        StatusCode::FORBIDDEN,
        "foreign-origin",
        "web pages of this origin may not connect",
    );
    let Ok(origin) = single(headers, header::ORIGIN) else {
        return Err(FOREIGN);
    };
    match origin {
        Some(origin) if origin.len() <= ORIGIN && door.origins.allow(origin) => {
            Ok(Some(origin.into()))
        }
        None if !door.require_origin => Ok(None),
        _ => Err(FOREIGN),
    }
}

/// What answers the key of a request that asks for a WebSocket.
fn check_upgrade<B>(request: &Request<B>) -> Result<String, Refused> {
    const PLAIN: Refused = refused(
        StatusCode::UPGRADE_REQUIRED,
        "no-upgrade",
        "this is a WebSocket: ask for an upgrade",
    );
    let headers = request.headers();
    let asks = request.version() == Version::HTTP_11
        && has_token(headers, header::CONNECTION, "upgrade")
        && has_token(headers, header::UPGRADE, "websocket");
    if !asks {
        return Err(PLAIN);
    }
    if single(headers, header::SEC_WEBSOCKET_VERSION) != Ok(Some(VERSION)) {
        return Err(refused(
            StatusCode::UPGRADE_REQUIRED,
            "bad-version",
            "version 13 of the WebSocket protocol is spoken",
        ));
    }
    if !matches!(single(headers, header::HOST), Ok(Some(_))) {
        return Err(refused(
            StatusCode::BAD_REQUEST,
            "bad-request",
            "one Host header is needed",
        ));
    }
    let key = single(headers, header::SEC_WEBSOCKET_KEY).ok().flatten();
    match key.filter(|key| is_key(key)) {
        Some(key) => {
            Ok(tokio_tungstenite::tungstenite::handshake::derive_accept_key(key.as_bytes()))
        }
        None => Err(refused(
            StatusCode::BAD_REQUEST,
            "bad-request",
            "Sec-WebSocket-Key must be 16 bytes in base64",
        )),
    }
}

fn is_key(key: &str) -> bool {
    let bytes = data_encoding::BASE64.decode(key.as_bytes());
    bytes.is_ok_and(|bytes| bytes.len() == 16)
}

/// Whether a header whose values are lists has this in one of them.
fn has_token(headers: &HeaderMap, name: impl AsHeaderName, token: &str) -> bool {
    let values = headers.get_all(name).iter();
    let mut tokens = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    tokens.any(|it| it.trim().eq_ignore_ascii_case(token))
}

/// A name that cannot be one.
struct Unnamed;

/// The name in a query; other parameters are the game's own. An empty name is none.
fn named(query: &str) -> Result<Option<Arc<str>>, Unnamed> {
    let mut parameters = query.split('&');
    let Some(said) = parameters.find_map(|parameter| parameter.strip_prefix("name=")) else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    let mut rest = said.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = (digit().ok_or(Unnamed)?, digit().ok_or(Unnamed)?);
                u8::try_from(high * 16 + low).map_err(|_| Unnamed)?
            }
            byte => byte,
        });
        if bytes.len() > NAME {
            return Err(Unnamed);
        }
    }
    let name = String::from_utf8(bytes).map_err(|_| Unnamed)?;
    match name.contains(char::is_control) {
        true => Err(Unnamed),
        false if name.is_empty() => Ok(None),
        false => Ok(Some(name.into())),
    }
}

#[cfg(test)]
mod tests;
