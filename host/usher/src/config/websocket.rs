//! The settings of a `websocket` door.

use super::error::ConfigError;
use super::reader::Section;
use super::value::{HOUR, address, duration, flag, line, list, number};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use toml::de::DeValue;
use usher_runtime::{Bucket, Entry};

/// The settings of a `websocket` door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebSocket {
    /// Where players connect. Port 0: any free port.
    pub tcp: SocketAddr,
    /// The path that they ask for; begins with `/`.
    pub path: Arc<str>,
    /// The web pages that may come.
    pub origins: Origins,
    /// Whether only web pages may come: a request without an origin is refused too.
    pub require_origin: bool,
    /// Whom to believe when they say on whose behalf they connect.
    pub proxies: Arc<Bucket>,
    /// How long a connection may take to its first message.
    pub first_message_timeout: Duration,
    /// The longest message of a player once it is in, in bytes.
    pub max_message: u32,
    /// Messages of a player a second, pings included.
    pub messages_per_second: u32,
    /// Bytes of a player a second, framing included, from its first message on. No less than a message may
    /// have.
    pub bytes_per_second: u32,
    /// After so long without a word of a player it is asked whether it is there.
    pub ping_interval: Duration,
    /// So long it has to answer.
    pub ping_timeout: Duration,
    /// How much may wait for a player that does not keep up, in bytes.
    pub write_buffer: u32,
    /// What a client is told for whom there is no seat.
    pub full_reason: Arc<str>,
}

/// Web pages, by their origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origins {
    /// All.
    Any,
    /// These, in lower case, such as `https://play.example`.
    Listed(Vec<Arc<str>>),
}

impl Origins {
    /// Whether a page of this origin may come.
    pub fn allow(&self, origin: &str) -> bool {
        match self {
            Origins::Any => true,
            Origins::Listed(listed) => listed.iter().any(|it| it.eq_ignore_ascii_case(origin)),
        }
    }
}

/// The longest first message, in bytes.
pub const FIRST_MESSAGE: u32 = 65_536;

impl WebSocket {
    /// What bounds an unanswered request where `session-timeout` is not set.
    pub(super) const CONNECTION_TIMEOUT: Duration = Duration::from_secs(30);

    /// Reads what is of this protocol.
    pub(super) fn read(section: &mut Section<'_>) -> Result<WebSocket, ConfigError> {
        const ORIGINS: &str = "origins = [\"https://play.example\"]";
        const RATE: &str = "bytes-per-second = 262144";
        let timeouts = || duration(Duration::from_millis(100)..=HOUR);
        let tcp = section.required("tcp", "tcp = \"127.0.0.1:4245\"", address)?;
        let max_message =
            section.optional("max-message", "max-message = 65536", number(1..=65_536))?;
        let max_message = max_message.unwrap_or(65_536);
        let bytes_per_second = section.optional(
            "bytes-per-second",
            RATE,
            number(max_message.max(1024)..=1 << 30),
        )?;
        Ok(WebSocket {
            tcp,
            path: section
                .optional("path", "path = \"/\"", path)?
                .unwrap_or_else(|| "/".into()),
            origins: section
                .optional("origins", ORIGINS, origins)?
                .unwrap_or(Origins::Listed(Vec::new())),
            require_origin: section
                .optional("require-origin", "require-origin = true", flag)?
                .unwrap_or(false),
            proxies: section
                .optional("proxies", "proxies = [\"127.0.0.1\"]", proxies)?
                .unwrap_or_default(),
            first_message_timeout: section
                .optional(
                    "first-message-timeout",
                    "first-message-timeout = \"10s\"",
                    timeouts(),
                )?
                .unwrap_or(Duration::from_secs(10)),
            max_message,
            messages_per_second: section
                .optional(
                    "messages-per-second",
                    "messages-per-second = 120",
                    number(1..=1_000_000),
                )?
                .unwrap_or(120),
            bytes_per_second: bytes_per_second.unwrap_or(262_144),
            ping_interval: section
                .optional("ping-interval", "ping-interval = \"15s\"", timeouts())?
                .unwrap_or(Duration::from_secs(15)),
            ping_timeout: section
                .optional("ping-timeout", "ping-timeout = \"10s\"", timeouts())?
                .unwrap_or(Duration::from_secs(10)),
            write_buffer: section
                .optional(
                    "write-buffer",
                    "write-buffer = 262144",
                    number(65_536..=1 << 26),
                )?
                .unwrap_or(262_144),
            full_reason: section
                .optional(
                    "full-reason",
                    "full-reason = \"The server is full.\"",
                    line(1024),
                )?
                .unwrap_or_else(|| usher_core::DoorConfig::FULL_TEXT.into()),
        })
    }
}

fn path(value: &DeValue<'_>) -> Result<Arc<str>, String> {
    let plain = |text: &&str| {
        text.starts_with('/')
            && text.len() <= 256
            && text
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'%'))
    };
    let parsed = value.as_str().filter(plain).map(Arc::from);
    parsed.ok_or_else(|| {
        "it must be a path that begins with /, of printable ASCII without ?, # and %".to_owned()
    })
}

fn origins(value: &DeValue<'_>) -> Result<Origins, String> {
    let listed = list(value)?;
    if listed.iter().any(|origin| origin == "*") {
        return match listed.len() {
            1 => Ok(Origins::Any),
            _ => Err("\"*\" means every page, and leaves nothing to be named beside it".to_owned()),
        };
    }
    match listed.iter().find(|origin| !is_origin(origin)) {
        None => Ok(Origins::Listed(
            listed
                .iter()
                .map(|origin| origin.to_ascii_lowercase().into())
                .collect(),
        )),
        Some(wrong) => Err(format!(
            "{wrong:?} is not what a browser names a page's origin: write a scheme and a host, and a port \
             where it is not the scheme's own, without a path and without a / at the end"
        )),
    }
}

/// Whether a browser could name an origin so.
fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else {
        return false;
    };
    let scheme = scheme.to_ascii_lowercase();
    let own_port = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    !scheme.is_empty()
        && scheme.bytes().all(is_scheme)
        && !host.is_empty()
        && text.len() <= 256
        && host.bytes().all(plain)
        && (own_port.is_empty() || !host.ends_with(own_port))
}

fn proxies(value: &DeValue<'_>) -> Result<Arc<Bucket>, String> {
    let mut proxies = Bucket::default();
    for text in list(value)? {
        match Entry::parse(&text) {
            Ok(entry @ Entry::Network(_)) => proxies.insert(entry, "".into()),
            _ => {
                return Err(format!(
                    "{text:?} is neither an IP address nor a network of them"
                ));
            }
        }
    }
    Ok(Arc::new(proxies))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Protocol};
    use std::path::Path;

    fn read(lines: &str) -> Result<WebSocket, String> {
        let text = format!(
            "[[door]]\nname = \"web\"\nprotocol = \"websocket\"\n{lines}\n\
             [[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n"
        );
        let config = Config::parse(&text, Path::new("usher.toml")).map_err(|it| it.to_string())?;
        match config.doors.first().map(|door| &door.protocol) {
            Some(Protocol::WebSocket(door)) => Ok(door.clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_a_port_has_to_be_said_and_no_page_is_let_in_unnamed() {
        let door = read("tcp = \"127.0.0.1:4245\"").expect("enough");
        assert_eq!(&*door.path, "/");
        assert_eq!(door.origins, Origins::Listed(Vec::new()));
        assert!(!door.origins.allow("https://play.example"));
        assert!(!door.require_origin);
        assert!(door.proxies.is_empty());
        assert_eq!(door.max_message, 65_536);
        assert_eq!(door.first_message_timeout, Duration::from_secs(10));
        let error = read("").expect_err("no port");
        assert!(error.contains("door[0].tcp: this is missing"), "{error}");
    }

    #[test]
    fn a_page_is_named_as_its_browser_names_it() {
        let door = |origins: &str| read(&format!("tcp = \"127.0.0.1:0\"\norigins = {origins}"));
        let two = door("[\"https://Play.example\", \"http://localhost:8080\"]").expect("origins");
        for (origin, allowed) in [
            ("https://play.example", true),
            ("HTTPS://PLAY.EXAMPLE", true),
            ("http://localhost:8080", true),
            ("http://play.example", false),
            ("https://play.example:8443", false),
            ("https://play.example.evil.example", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(two.origins.allow(origin), allowed, "{origin}");
        }
        assert!(door("[\"*\"]").expect("any").origins.allow("null"));
        for wrong in [
            "[\"*\", \"https://play.example\"]",
            "[\"play.example\"]",
            "[\"null\"]",
            "[\"https://play.example/\"]",
            "[\"https://play.example/game\"]",
            "[\"https://play.example:443\"]",
            "[\"http://play.example:80\"]",
            "[\"https://*.example\"]",
            "[\"https://\"]",
            "[\"\"]",
        ] {
            let error = door(wrong).expect_err(wrong);
            assert!(error.contains("door[0].origins"), "{error}");
        }
    }

    #[test]
    fn proxies_are_addresses_and_networks() {
        let door = |proxies: &str| read(&format!("tcp = \"127.0.0.1:0\"\nproxies = {proxies}"));
        let some = door("[\"127.0.0.1\", \"10.0.0.0/8\", \"fd00::/8\"]").expect("networks");
        for (address, is_one) in [
            ("127.0.0.1", true),
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("fd00::1", true),
            ("127.0.0.2", false),
            ("192.0.2.1", false),
        ] {
            let address = address.parse().expect("an address");
            assert_eq!(
                some.proxies.matching(address).is_some(),
                is_one,
                "{address}"
            );
        }
        for wrong in ["[\"localhost\"]", "[\"10.0.0.0/33\"]", "[\"\"]"] {
            assert!(door(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_message_that_may_be_sent_is_never_too_fast() {
        let door = |lines: &str| read(&format!("tcp = \"127.0.0.1:0\"\n{lines}"));
        assert!(door("bytes-per-second = 65535").is_err());
        assert!(door("bytes-per-second = 65536").is_ok());
        assert!(door("bytes-per-second = 4096\nmax-message = 1024").is_ok());
        assert!(door("bytes-per-second = 1023\nmax-message = 512").is_err());
        assert!(door("max-message = 65537").is_err());
        assert!(door("messages-per-second = 0").is_err());
        assert!(door("path = \"game\"").is_err());
        assert!(door("path = \"/game?x\"").is_err());
        assert!(door("path = \"/game/ws\"").is_ok());
        assert!(door("udp = \"127.0.0.1:0\"").is_err());
    }
}
