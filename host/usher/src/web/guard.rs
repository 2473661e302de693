//! Who may call.
//!
//! What listens on loopback is still reached by every web page that someone at this machine opens: a page
//! may post to 127.0.0.1, and a name that its owner points at 127.0.0.1 makes it readable too. So where no
//! token is needed, a call must name this host by a name that no page can have, and must not come from
//! another origin. Where other machines can call, a token is needed.

use axum::http::{HeaderMap, Uri, header};
use std::net::{IpAddr, SocketAddr};
use usher_core::Secret;

/// What a call shows of itself.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What it asks for.
    pub uri: &'a Uri,
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// The address that the call came to.
    pub local: SocketAddr,
}

/// Why a call may not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Denied {
    /// It names another host.
    #[error("the Host header must name this host: localhost, or the address that it listens on")]
    Host,
    /// It comes from a page of another origin.
    #[error("calls from web pages of another origin are refused")]
    Origin,
    /// It shows no token.
    #[error("a token is needed")]
    NoToken,
    /// It shows another token.
    #[error("the token is wrong")]
    WrongToken,
}

/// Refuses what a web page of another origin could send.
///
/// # Errors
///
/// [`Denied::Host`] or [`Denied::Origin`].
pub fn check_page(call: Call<'_>) -> Result<(), Denied> {
    check_host(call)?;
    check_origin(call)
}

fn check_host(call: Call<'_>) -> Result<(), Denied> {
    let named = single(call.headers, header::HOST);
    let in_uri = call.uri.authority().map(|authority| authority.as_str());
    let ours = |authority: &str| is_ours(authority, call.local.ip());
    match (named, in_uri) {
        (Ok(Some(host)), None) if ours(host) => Ok(()),
        (Ok(Some(host)), Some(uri)) if ours(host) && ours(uri) => Ok(()),
        _ => Err(Denied::Host),
    }
}

/// A page of this very endpoint would show exactly this origin; there is none, but `curl` may say so.
fn check_origin(call: Call<'_>) -> Result<(), Denied> {
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
        false => Err(Denied::Origin),
    }
}

/// Refuses a call that does not show the token, as `Authorization: Bearer TOKEN`.
///
/// # Errors
///
/// [`Denied::NoToken`] or [`Denied::WrongToken`].
pub fn check_token(headers: &HeaderMap, token: &Secret) -> Result<(), Denied> {
    let shown = single(headers, header::AUTHORIZATION).ok().flatten();
    let shown = shown.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    match shown {
        Some(shown) if same(shown.as_bytes(), token.expose().as_bytes()) => Ok(()),
        Some(_) => Err(Denied::WrongToken),
        None => Err(Denied::NoToken),
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreadable;

/// The value of a header that may be there once.
///
/// # Errors
///
/// [`Unreadable`].
pub fn single(
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

    fn check(needs_token: bool, local: &str, path: &str, headers: &[(&'static str, &str)]) -> u16 {
        let token = Secret::new(TOKEN);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        let call = Call {
            uri: &path.parse().expect("a uri"),
            headers: &map,
            local: local.parse().expect("an address"),
        };
        let checked = check_page(call).and_then(|()| match needs_token {
            true => check_token(call.headers, &token),
            false => Ok(()),
        });
        match checked {
            Ok(()) => 200,
            Err(denied) => {
                assert!(!denied.to_string().contains(TOKEN));
                match denied {
                    Denied::Host | Denied::Origin => 403,
                    Denied::NoToken | Denied::WrongToken => 401,
                }
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
