//! Requests that are granted, and those that are not.

use super::*;

const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

fn door() -> WebSocket {
    let text = "[[door]]\nname = \"web\"\nprotocol = \"websocket\"\ntcp = \"127.0.0.1:0\"\npath = \"/play\"\n\
                origins = [\"https://play.example\"]\nproxies = [\"10.0.0.1\"]\n\
                [[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n";
    let file = std::path::Path::new("usher.toml");
    let config = crate::config::Config::parse(text, file).expect("a configuration");
    match config.doors.first().map(|door| &door.protocol) {
        Some(crate::config::Protocol::WebSocket(door)) => door.clone(),
        other => panic!("{other:?}"),
    }
}

/// A good request with these headers changed: an empty value takes one away, a name with a `+` adds one.
fn request(uri: &str, changes: &[(&str, &str)]) -> Request<()> {
    let mut headers: Vec<(String, String)> = [
        ("host", "play.example"),
        ("connection", "keep-alive, Upgrade"),
        ("upgrade", "WebSocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", KEY),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    for (name, value) in changes {
        match name.strip_prefix('+') {
            Some(name) => headers.push((name.to_owned(), (*value).to_owned())),
            None => {
                headers.retain(|(known, _)| known != name);
                if !value.is_empty() {
                    headers.push(((*name).to_owned(), (*value).to_owned()));
                }
            }
        }
    }
    let mut request = Request::builder().uri(uri);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.body(()).expect("a request")
}

fn status(request: &Request<()>) -> u16 {
    let peer = "192.0.2.1:5000".parse().expect("an address");
    match look(request, peer, &door()) {
        Ok(_) => 101,
        Err(refused) => refused.status.as_u16(),
    }
}

#[test]
fn a_request_that_keeps_the_rules_is_granted() {
    let peer = "192.0.2.1:5000".parse().expect("an address");
    let origin = ("origin", "https://play.example");
    let asked = look(&request("/play?name=R9&x=1", &[origin]), peer, &door());
    let asked = asked.expect("it is granted");
    // The answer of RFC 6455, section 1.3.
    assert_eq!(asked.accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_eq!(asked.client, peer);
    assert_eq!(asked.name.as_deref(), Some("R9"));
    assert_eq!(asked.origin.as_deref(), Some("https://play.example"));
}

#[test]
fn others_are_refused() {
    type Changes<'a> = &'a [(&'a str, &'a str)];
    let cases: &[(u16, &str, Changes<'_>)] = &[
        (101, "/play", &[]),
        (404, "/", &[]),
        (404, "/play/", &[]),
        (403, "/play", &[("origin", "https://evil.example")]),
        (403, "/play", &[("origin", "null")]),
        (
            403,
            "/play",
            &[
                ("origin", "https://play.example"),
                ("+origin", "https://play.example"),
            ],
        ),
        (426, "/play", &[("connection", "")]),
        (426, "/play", &[("connection", "keep-alive")]),
        (426, "/play", &[("upgrade", "")]),
        (426, "/play", &[("upgrade", "h2c")]),
        (101, "/play", &[("upgrade", "h2c, websocket")]),
        (426, "/play", &[("sec-websocket-version", "")]),
        (426, "/play", &[("sec-websocket-version", "8")]),
        (400, "/play", &[("host", "")]),
        (400, "/play", &[("+host", "other.example")]),
        (400, "/play", &[("sec-websocket-key", "")]),
        (400, "/play", &[("sec-websocket-key", "dGhlIHNhbXBsZQ==")]),
        (
            400,
            "/play",
            &[("sec-websocket-key", "not base64 at all !!")],
        ),
        (400, "/play", &[("+sec-websocket-key", KEY)]),
        (400, "/play?name=a%0ab", &[]),
        (400, "/play?name=%ff", &[]),
        (400, "/play?name=%4", &[]),
        (101, "/play?names=%ff", &[]),
    ];
    for (wanted, uri, changes) in cases {
        assert_eq!(status(&request(uri, changes)), *wanted, "{uri} {changes:?}");
    }
    let mut post = request("/play", &[]);
    *post.method_mut() = Method::POST;
    assert_eq!(status(&post), 405);
    let mut old = request("/play", &[]);
    *old.version_mut() = Version::HTTP_10;
    assert_eq!(status(&old), 426);
}

#[test]
fn a_page_is_needed_where_one_is_required() {
    let peer = "192.0.2.1:5000".parse().expect("an address");
    let mut door = door();
    door.require_origin = true;
    let refused = look(&request("/play", &[]), peer, &door).expect_err("it is no page");
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let page = request("/play", &[("origin", "https://play.example")]);
    assert!(look(&page, peer, &door).is_ok());
}

#[test]
fn a_proxy_says_who_it_is() {
    let proxy = "10.0.0.1:5000".parse().expect("an address");
    let forwarded = request("/play", &[("x-forwarded-for", "192.0.2.7")]);
    let asked = look(&forwarded, proxy, &door()).expect("it is granted");
    assert_eq!(asked.client.to_string(), "192.0.2.7:0");
    let refused = look(&request("/play", &[]), proxy, &door()).expect_err("it does not say");
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}

#[test]
fn a_name_is_decoded_and_bounded() {
    let name = |query: &str| named(query).map(|name| name.map(|name| name.to_string()));
    for (query, wanted) in [
        ("", None),
        ("x=1", None),
        ("name=", None),
        ("name=R9", Some("R9")),
        ("x=1&name=a+b%20c%C3%A9", Some("a b cé")),
        ("name=%2B%26", Some("+&")),
    ] {
        assert_eq!(name(query).ok().flatten().as_deref(), wanted, "{query}");
    }
    assert!(name(&format!("name={}", "x".repeat(128))).is_ok());
    for wrong in [&format!("name={}", "x".repeat(129)), "name=%00", "name=%zz"] {
        assert!(name(wrong).is_err(), "{wrong}");
    }
}
