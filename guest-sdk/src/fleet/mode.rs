//! In which mode the game server runs, and whether it is going away: what the host says of itself with
//! every request.

use crate::request::Request;

/// How this game server is hosted. The host finds it out once, when it starts, and never from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// On a fleet, beside a local SDK endpoint.
    Hosted,
    /// A dedicated server that somebody runs on their own, known to Discovery.
    SelfHosted,
    /// A player's own machine, known to Discovery.
    ListenOnline,
    /// A player's own machine, for those in the same network.
    ListenLan,
    /// None of these: there is no evidence for any ticket.
    None,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 5] = [
        Mode::Hosted,
        Mode::SelfHosted,
        Mode::ListenOnline,
        Mode::ListenLan,
        Mode::None,
    ];

    /// The word for it, in the attribute `fleet.mode`.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Hosted => "hosted",
            Mode::SelfHosted => "self-hosted",
            Mode::ListenOnline => "listen-online",
            Mode::ListenLan => "listen-lan",
            Mode::None => "none",
        }
    }
}

/// In which mode the host runs. A word that this SDK does not know is [`Mode::None`].
pub fn mode(request: &Request) -> Mode {
    let word = request.text_attribute("fleet.mode");
    let known = Mode::ALL
        .into_iter()
        .find(|mode| Some(mode.as_str()) == word);
    known.unwrap_or(Mode::None)
}

/// Whether the game server is being shut down.
pub fn is_stopping(request: &Request) -> bool {
    request.server_closed() == Some("stopping")
}
