//! Who may call.
//!
//! An endpoint that listens on loopback is still reached by every web page that the operator opens: a
//! page may post to 127.0.0.1, and a name that its owner points at 127.0.0.1 makes it readable too. So a
//! call must name this host by a name that no page can have, and must not come from another origin.
//! Where other machines can reach it, a token is needed besides.

use super::error::Refusal;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use std::net::{IpAddr, SocketAddr};
use usher_core::Secret;

/// Says who may call.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) token: Option<Secret>,
}

/// What a call shows of itself.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) uri: &'a Uri,
    pub(super) headers: &'a HeaderMap,
    /// The address that the call came to.
    pub(super) local: SocketAddr,
}

/// The path that needs no token: it tells nothing but that the host is there, to probes that cannot
/// hold a secret.
pub(super) const HEALTH: &str = "/healthz";

impl Guard {
    /// Refuses a call that may not be made.
    pub(super) fn check(&self, call: Call<'_>) -> Result<(), Refusal> {
        check_host(call)?;
        check_origin(call)?;
        match &self.token {
            Some(token) if call.uri.path() != HEALTH => check_token(call, token),
            _ => Ok(()),
        }
    }
}

fn check_host(call: Call<'_>) -> Result<(), Refusal> {
    let named = single(call.headers, header::HOST);
    let in_uri = call.uri.authority().map(|authority| authority.as_str());
    let ours = |authority: &str| is_ours(authority, call.local.ip());
    match (named, in_uri) {
        (Ok(Some(host)), None) if ours(host) => Ok(()),
        (Ok(Some(host)), Some(uri)) if ours(host) && ours(uri) => Ok(()),
        _ => Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "the Host header must name this host: localhost, or the address that it listens on",
        )),
    }
}

/// A page of this very endpoint would show exactly this origin; there is none, but `curl` may say so.
fn check_origin(call: Call<'_>) -> Result<(), Refusal> {
    let host = single(call.headers, header::HOST).ok().flatten();
    let origin = single(call.headers, header::ORIGIN);
    let same = match origin {
        Ok(None) => true,
        Ok(Some(origin)) => origin.strip_prefix("http://") == host,
        Err(Unreadable) => false,
    };
    let site = single(call.headers, "sec-fetch-site");
    let from_here = matches!(site, Ok(None | Some("same-origin" | "none")));
    match same && from_here {
        true => Ok(()),
        false => Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "calls from web pages of another origin are refused",
        )),
    }
}

fn check_token(call: Call<'_>, token: &Secret) -> Result<(), Refusal> {
    let shown = single(call.headers, header::AUTHORIZATION).ok().flatten();
    let shown = shown.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    match shown {
        Some(shown) if same(shown.as_bytes(), token.expose().as_bytes()) => Ok(()),
        Some(_) => Err(Refusal::new(StatusCode::UNAUTHORIZED, "the token is wrong")),
        None => Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "a token is needed: Authorization: Bearer TOKEN, as in the admin.token-file",
        )),
    }
}

/// Compares in a time that does not tell where two secrets differ.
fn same(shown: &[u8], token: &[u8]) -> bool {
    let mut difference = u8::from(shown.len() != token.len());
    for (index, byte) in token.iter().enumerate() {
        difference |= byte ^ shown.get(index).copied().unwrap_or(0);
    }
    std::hint::black_box(difference) == 0
}

/// Whether an authority names this host in a way that the owner of a domain cannot make true.
fn is_ours(authority: &str, local: IpAddr) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        Some(_) if !authority.ends_with(']') => return false,
        _ => authority,
    };
    if host.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let address = match host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(v6) => v6.parse::<std::net::Ipv6Addr>().map(IpAddr::V6).ok(),
        None => host.parse::<std::net::Ipv4Addr>().map(IpAddr::V4).ok(),
    };
    address.is_some_and(|address| {
        let address = address.to_canonical();
        address.is_loopback() || address == local.to_canonical()
    })
}

/// A header that is there twice, or is not text, is not understood.
struct Unreadable;

fn single(
    headers: &HeaderMap,
    name: impl header::AsHeaderName,
) -> Result<Option<&str>, Unreadable> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| Unreadable),
        (Some(_), Some(_)) => Err(Unreadable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "q3Vx9mKc0TzR1bN4wYp7Lg";

    fn check(token: bool, local: &str, path: &str, headers: &[(&'static str, &str)]) -> u16 {
        let guard = Guard {
            token: token.then(|| Secret::new(TOKEN)),
        };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        let call = Call {
            uri: &path.parse().expect("a uri"),
            headers: &map,
            local: local.parse().expect("an address"),
        };
        match guard.check(call) {
            Ok(()) => 200,
            Err(refusal) => {
                assert!(!refusal.error.contains(TOKEN));
                refusal.status.as_u16()
            }
        }
    }

    #[test]
    fn only_this_host_and_its_own_origin_may_call() {
        let cases: &[(u16, &[(&'static str, &str)])] = &[
            (200, &[("host", "127.0.0.1:4280")]),
            (200, &[("host", "127.0.0.1")]),
            (200, &[("host", "localhost:4280")]),
            (200, &[("host", "LOCALHOST")]),
            (200, &[("host", "[::1]:4280")]),
            (200, &[("host", "[::1]")]),
            (200, &[("host", "[::ffff:127.0.0.1]:4280")]),
            (403, &[]),
            (403, &[("host", "")]),
            (403, &[("host", "evil.example")]),
            (403, &[("host", "evil.example:4280")]),
            (403, &[("host", "localhost.evil.example:4280")]),
            (403, &[("host", "127.0.0.1.evil.example")]),
            (403, &[("host", "evil@127.0.0.1")]),
            (403, &[("host", "192.0.2.1:4280")]),
            (403, &[("host", "0.0.0.0:4280")]),
            (403, &[("host", "::1")]),
            (403, &[("host", "[::1]x")]),
            (403, &[("host", "127.0.0.1:4280"), ("host", "evil.example")]),
            (
                200,
                &[
                    ("host", "127.0.0.1:4280"),
                    ("origin", "http://127.0.0.1:4280"),
                ],
            ),
            (
                403,
                &[
                    ("host", "127.0.0.1:4280"),
                    ("origin", "http://127.0.0.1:3000"),
                ],
            ),
            (
                403,
                &[
                    ("host", "127.0.0.1:4280"),
                    ("origin", "https://127.0.0.1:4280"),
                ],
            ),
            (
                403,
                &[
                    ("host", "127.0.0.1:4280"),
                    ("origin", "http://evil.example"),
                ],
            ),
            (403, &[("host", "127.0.0.1:4280"), ("origin", "null")]),
            (403, &[("host", "127.0.0.1:4280"), ("origin", "")]),
            (200, &[("host", "localhost"), ("sec-fetch-site", "none")]),
            (
                200,
                &[("host", "localhost"), ("sec-fetch-site", "same-origin")],
            ),
            (
                403,
                &[("host", "localhost"), ("sec-fetch-site", "cross-site")],
            ),
            (
                403,
                &[("host", "localhost"), ("sec-fetch-site", "same-site")],
            ),
            (
                403,
                &[("host", "localhost"), ("sec-fetch-site", "anything")],
            ),
        ];
        for (status, headers) in cases {
            let got = check(false, "127.0.0.1:4280", "/v1/status", headers);
            assert_eq!(got, *status, "{headers:?}");
        }
    }

    #[test]
    fn the_address_that_a_call_came_to_names_the_host() {
        let host = [("host", "192.0.2.1:4280")];
        assert_eq!(check(false, "192.0.2.1:4280", "/metrics", &host), 200);
        assert_eq!(check(false, "192.0.2.2:4280", "/metrics", &host), 403);
        let mapped = "[::ffff:192.0.2.1]:4280";
        assert_eq!(check(false, mapped, "/metrics", &host), 200);
    }

    #[test]
    fn a_uri_that_names_another_host_is_refused() {
        let host = [("host", "127.0.0.1:4280")];
        let local = "127.0.0.1:4280";
        assert_eq!(
            check(false, local, "http://evil.example/metrics", &host),
            403
        );
        assert_eq!(
            check(false, local, "http://127.0.0.1:4280/metrics", &host),
            200
        );
    }

    #[test]
    fn where_a_token_is_set_it_must_be_shown() {
        let good = format!("Bearer {TOKEN}");
        let lower = format!("bearer {TOKEN}");
        let basic = format!("Basic {TOKEN}");
        let longer = format!("Bearer {TOKEN}x");
        let shorter = format!("Bearer {}", &TOKEN[1..]);
        let cases: &[(u16, &str, &[&str])] = &[
            (200, "/v1/status", &[&good]),
            (200, "/v1/status", &[&lower]),
            (401, "/v1/status", &[]),
            (401, "/metrics", &[]),
            (401, "/v1/status", &[TOKEN]),
            (401, "/v1/status", &[&basic]),
            (401, "/v1/status", &[&longer]),
            (401, "/v1/status", &[&shorter]),
            (401, "/v1/status", &["Bearer "]),
            (401, "/v1/status", &[&good, &good]),
            (200, "/healthz", &[]),
        ];
        for (status, path, shown) in cases {
            let mut headers = vec![("host", "127.0.0.1:4280")];
            headers.extend(shown.iter().map(|value| ("authorization", *value)));
            let got = check(true, "127.0.0.1:4280", path, &headers);
            assert_eq!(got, *status, "{path} {shown:?}");
        }
        let foreign = [("host", "evil.example"), ("authorization", good.as_str())];
        assert_eq!(check(true, "127.0.0.1:4280", "/v1/status", &foreign), 403);
    }
}
