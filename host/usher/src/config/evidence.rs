//! `[evidence]` and `[sdk]`: how this server came to be, and the endpoint beside it that knows its fleet.

use super::error::ConfigError;
use super::reader::Section;
use super::value::{HOUR, duration, number};
use std::time::Duration;
use toml::de::DeValue;

/// How this server came to be, which says where evidence of a join ticket comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A fleet started it: the local SDK endpoint knows.
    Hosted,
    /// Its operator runs it and lists it at a directory, which is asked.
    SelfHosted,
    /// A player's machine, listed likewise.
    ListenOnline,
    /// A player's machine, for those on the same network. Nobody can be asked.
    ListenLan,
    /// None of these: no ticket is taken.
    None,
}

impl Mode {
    const ALL: [Mode; 5] = [
        Mode::Hosted,
        Mode::SelfHosted,
        Mode::ListenOnline,
        Mode::ListenLan,
        Mode::None,
    ];

    /// Its name, in the file, in reports and for policies.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Hosted => "hosted",
            Mode::SelfHosted => "self-hosted",
            Mode::ListenOnline => "listen-online",
            Mode::ListenLan => "listen-lan",
            Mode::None => "none",
        }
    }

    /// Whether it has a directory asked, and is listed there.
    pub fn is_listed(self) -> bool {
        matches!(self, Mode::SelfHosted | Mode::ListenOnline)
    }
}

/// Who tells the fleet that this server is ready, well, and done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifecycle {
    /// The game does. This host only reads, since a write counts as the game's own.
    Game,
    /// This host does.
    Usher,
}

impl Lifecycle {
    /// Its name, in the file and in reports.
    pub fn word(self) -> &'static str {
        match self {
            Lifecycle::Game => "game",
            Lifecycle::Usher => "usher",
        }
    }
}

/// The local SDK endpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sdk {
    /// Its port on this machine; absent for what the environment says.
    pub port: Option<u16>,
    /// Who speaks for the server.
    pub lifecycle: Lifecycle,
    /// How long a session that was claimed may be without anyone in it.
    pub claim_lobby: Duration,
}

impl Default for Sdk {
    fn default() -> Sdk {
        Sdk {
            port: None,
            lifecycle: Lifecycle::Game,
            claim_lobby: Duration::from_secs(30),
        }
    }
}

/// Reads `[evidence]`: the mode, unless it is left to what is found.
pub(super) fn read_mode(root: &mut Section<'_>) -> Result<Option<Mode>, ConfigError> {
    let Some(mut section) = root.table("evidence")? else {
        return Ok(None);
    };
    let mode = section.optional("mode", "mode = \"auto\"", mode)?;
    section.finish()?;
    Ok(mode.flatten())
}

fn mode(value: &DeValue<'_>) -> Result<Option<Mode>, String> {
    let word = value.as_str().unwrap_or_default();
    if word == "auto" {
        return Ok(None);
    }
    let mode = Mode::ALL.into_iter().find(|mode| mode.word() == word);
    mode.map(Some).ok_or_else(|| {
        let words = Mode::ALL.map(|mode| format!("\"{}\"", mode.word()));
        format!("it must be \"auto\" or one of {}", words.join(", "))
    })
}

impl Sdk {
    /// Reads the table.
    pub(super) fn read(mut section: Section<'_>) -> Result<Sdk, ConfigError> {
        let default = Sdk::default();
        let port = section.optional("port", "port = 9358", port)?;
        let lifecycle =
            section.optional("lifecycle", "lifecycle = \"game\"", |value| {
                match value.as_str() {
                    Some("game") => Ok(Lifecycle::Game),
                    Some("usher") => Ok(Lifecycle::Usher),
                    _ => Err("it must be \"game\" or \"usher\"".to_owned()),
                }
            })?;
        let claim_lobby = section.optional(
            "claim-lobby",
            "claim-lobby = \"30s\"",
            duration(Duration::from_secs(1)..=HOUR),
        )?;
        section.finish()?;
        Ok(Sdk {
            port,
            lifecycle: lifecycle.unwrap_or(default.lifecycle),
            claim_lobby: claim_lobby.unwrap_or(default.claim_lobby),
        })
    }
}

/// The number of a port that others connect to.
pub(super) fn port(value: &DeValue<'_>) -> Result<u16, String> {
    let port = number(1..=65_535)(value)?;
    u16::try_from(port).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
