//! The settings of a `mafianet` door.

use super::bucket::Bucket;
use super::error::ConfigError;
use super::reader::{Section, nearest};
use super::value::{HOUR, duration, flag, line, name, number, text};
use std::net::SocketAddrV4;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use toml::de::DeValue;
use usher_core::Secret;
use usher_wire::raknet::{Dialect, MAX_PASSWORD, MAX_PONG_TEXT};

/// The settings of a `mafianet` door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mafianet {
    /// Where players connect. Port 0: any free port.
    pub udp: SocketAddrV4,
    /// Whether a client has to show that it receives what is sent to its address before anything is kept for
    /// it.
    pub cookie: bool,
    /// The protocol numbers that are spoken, without doubles; one where there is no cookie to carry it.
    pub protocols: Vec<u8>,
    /// The connection password. Without it the policies judge it.
    pub password: Option<PasswordFile>,
    /// The bucket of those who are turned away unheard.
    pub ban_bucket: Option<Arc<str>>,
    /// What the door says of itself to whoever asks.
    pub advertise: Arc<str>,
    /// Such answers a second, in all.
    pub pongs: u32,
    /// Such answers a second, to one address.
    pub pongs_each: u32,
    /// What a client is told that had to wait for too long.
    pub timeout_reason: Arc<str>,
    /// What a client is told for whom there is no seat or no room.
    pub full_reason: Arc<str>,
    /// How long a peer may be silent while it owes an acknowledgement.
    pub connection_timeout: Duration,
    /// The longest message of a player, in bytes.
    pub max_message: u32,
}

/// A password, and the file that it is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PasswordFile {
    /// The file.
    pub file: PathBuf,
    /// What it holds.
    pub password: Secret,
}

/// What may stand in [`Mafianet::advertise`], and the most digits that become of it.
const FIGURES: [&str; 2] = ["{players}", "{max-players}"];
const DIGITS: &str = "65536";

impl Mafianet {
    /// Reads what is of this protocol.
    pub(super) fn read(
        section: &mut Section<'_>,
        buckets: &[Bucket],
    ) -> Result<Mafianet, ConfigError> {
        const PROTOCOLS: &str = "protocols = [7]";
        const REASON: &str = "full-reason = \"The server is full.\"";
        let udp = section.required("udp", "udp = \"127.0.0.1:4243\"", ipv4)?;
        let cookie = section.optional("cookie", "cookie = true", flag)?;
        let cookie = cookie.unwrap_or(true);
        let protocols =
            section.optional("protocols", PROTOCOLS, |value| protocols(value, cookie))?;
        let pongs = || number(0..=1_000_000);
        Ok(Mafianet {
            udp,
            cookie,
            protocols: protocols.unwrap_or_else(|| vec![7]),
            password: read_password(section)?,
            ban_bucket: read_bucket(section, buckets)?,
            advertise: section
                .optional(
                    "advertise",
                    "advertise = \"My server, {players} of {max-players}\"",
                    advertisement,
                )?
                .unwrap_or_default(),
            pongs: section
                .optional("pongs-per-second", "pongs-per-second = 500", pongs())?
                .unwrap_or(500),
            pongs_each: section
                .optional("pongs-per-address", "pongs-per-address = 5", pongs())?
                .unwrap_or(5),
            timeout_reason: section
                .optional("timeout-reason", "timeout-reason = \"Try again.\"", reason)?
                .unwrap_or_default(),
            full_reason: section
                .optional("full-reason", REASON, reason)?
                .unwrap_or_default(),
            connection_timeout: section
                .optional(
                    "connection-timeout",
                    "connection-timeout = \"10s\"",
                    duration(Duration::from_secs(1)..=HOUR),
                )?
                .unwrap_or(Duration::from_secs(10)),
            max_message: section
                .optional("max-message", "max-message = 65536", number(1..=65_536))?
                .unwrap_or(65_536),
        })
    }
}

fn ipv4(value: &DeValue<'_>) -> Result<SocketAddrV4, String> {
    let parsed = value.as_str().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| {
        "it must be an IPv4 address and a port in quotes (port 0: any free port); the protocol has no IPv6"
            .to_owned()
    })
}

fn protocols(value: &DeValue<'_>, cookie: bool) -> Result<Vec<u8>, String> {
    let wrong = || "it must be a list of 7 (MafiaNet) and 6 (RakNet 4, SLikeNet)".to_owned();
    let spoken = [Dialect::MAFIANET, Dialect::RAKNET4].map(|dialect| dialect.protocols);
    let items = value.as_array().ok_or_else(wrong)?;
    let mut protocols = Vec::new();
    for item in items {
        let protocol = number(0..=255)(item.get_ref()).map_err(|_| wrong())?;
        let protocol = u8::try_from(protocol).map_err(|_| wrong())?;
        if !spoken.iter().any(|numbers| numbers.contains(&protocol)) {
            return Err(wrong());
        }
        if protocols.contains(&protocol) {
            return Err(format!("{protocol} is named twice"));
        }
        protocols.push(protocol);
    }
    match protocols.len() {
        0 => Err(wrong()),
        1 => Ok(protocols),
        _ if cookie => Ok(protocols),
        _ => Err("without a cookie only one protocol can be told from others".to_owned()),
    }
}

fn advertisement(value: &DeValue<'_>) -> Result<Arc<str>, String> {
    let text = line(1024)(value)?;
    let mut longest = text.to_string();
    for figure in FIGURES {
        longest = longest.replace(figure, DIGITS);
    }
    if longest.len() > MAX_PONG_TEXT {
        return Err(format!(
            "with its figures it must not have more than {MAX_PONG_TEXT} bytes"
        ));
    }
    match unknown_figure(&longest) {
        Some(unknown) => Err(format!(
            "there is no {unknown}; there are: {}",
            FIGURES.join(", ")
        )),
        None => Ok(text),
    }
}

/// The first name in braces. Other braces are the text's own.
fn unknown_figure(text: &str) -> Option<&str> {
    let mut starts = text.match_indices('{');
    starts.find_map(|(start, _)| {
        let end = start + text.get(start..)?.find('}')?;
        let name = text.get(start + 1..end)?;
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        (is_name && !name.is_empty()).then(|| text.get(start..=end))?
    })
}

fn read_bucket(
    section: &mut Section<'_>,
    buckets: &[Bucket],
) -> Result<Option<Arc<str>>, ConfigError> {
    let Some(entry) = section.entry("ban-bucket", "ban-bucket = \"bans\"") else {
        return Ok(None);
    };
    let wanted = entry.parse(name)?;
    if buckets.iter().any(|bucket| bucket.name == wanted) {
        return Ok(Some(wanted));
    }
    let names: Vec<&str> = buckets.iter().map(|bucket| &*bucket.name).collect();
    let hint = match (nearest(&wanted, &names), names.is_empty()) {
        (Some(near), _) => format!("did you mean {near}?"),
        (None, true) => "there is none".to_owned(),
        (None, false) => format!("there are: {}", names.join(", ")),
    };
    Err(entry.error(format!("there is no [[bucket]] named {wanted:?}; {hint}")))
}

fn reason(value: &DeValue<'_>) -> Result<Arc<str>, String> {
    line(1024)(value)
}

fn read_password(section: &mut Section<'_>) -> Result<Option<PasswordFile>, ConfigError> {
    const EXAMPLE: &str = "password-file = \"door.password\"";
    let directory = section.source.directory();
    let read = section.optional("password-file", EXAMPLE, |value| {
        let file = directory.join(text(value)?);
        let content = crate::files::read_text(&file).map_err(|error| {
            format!("the file that this names cannot be read: {error}; it must hold the password")
        })?;
        // Some editors begin a file with a mark, and nobody types it in.
        let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
        let password = content.trim_end_matches(['\r', '\n']);
        let one_line = !password.contains(['\r', '\n']);
        if password.is_empty() || password.len() > MAX_PASSWORD || !one_line {
            return Err(format!(
                "the file must hold one password of 1 to {MAX_PASSWORD} bytes, in one line"
            ));
        }
        let password = Secret::new(password);
        Ok(PasswordFile { file, password })
    });
    // Whoever writes the password itself where its file belongs must not find it in the log.
    read.map_err(|error| ConfigError {
        value: None,
        ..error
    })
}

#[cfg(test)]
mod tests;
