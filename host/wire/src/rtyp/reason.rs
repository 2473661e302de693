//! Why a login failed, and why a session ended.
//!
//! Both are one u8 on the wire and both may come with a byte that this version does not know, so both keep
//! it. Make them with `from_byte`: it never puts a known byte into `Other`.

use std::fmt;

/// The reason of a LoginRejected (section 3.2). A client treats an unknown one like any other rejection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RejectReason {
    /// 1: the game has all its players.
    ServerFull,
    /// 2: the server does not speak this version.
    BadVersion,
    /// 3: the name is empty, too long, not UTF-8 or has control characters.
    BadName,
    /// 4: another player of the game has this name.
    NameTaken,
    /// 5: the game is running and does not take new players.
    GameStarted,
    /// Any other byte.
    Other(u8),
}

impl RejectReason {
    /// The reason that this byte stands for.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Self {
        match byte {
            1 => Self::ServerFull,
            2 => Self::BadVersion,
            3 => Self::BadName,
            4 => Self::NameTaken,
            5 => Self::GameStarted,
            other => Self::Other(other),
        }
    }

    /// The byte that stands for this reason.
    #[must_use]
    pub const fn byte(self) -> u8 {
        match self {
            Self::ServerFull => 1,
            Self::BadVersion => 2,
            Self::BadName => 3,
            Self::NameTaken => 4,
            Self::GameStarted => 5,
            Self::Other(byte) => byte,
        }
    }
}

/// The name that the specification gives it, or `reason 9` for an unknown one.
impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(byte) => write!(f, "reason {byte}"),
            known => fmt::Debug::fmt(known, f),
        }
    }
}

/// The reason of a Logout (section 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogoutReason {
    /// 0, from a client: the player quit.
    Left,
    /// 1, from the server: it is stopping, or it took the session away.
    Shutdown,
    /// 2, from the server: no valid datagram for too long.
    TimedOut,
    /// 3, from the server: the client sent something invalid over UDP.
    ProtocolError,
    /// Any other byte.
    Other(u8),
}

impl LogoutReason {
    /// The reason that this byte stands for.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Self {
        match byte {
            0 => Self::Left,
            1 => Self::Shutdown,
            2 => Self::TimedOut,
            3 => Self::ProtocolError,
            other => Self::Other(other),
        }
    }

    /// The byte that stands for this reason.
    #[must_use]
    pub const fn byte(self) -> u8 {
        match self {
            Self::Left => 0,
            Self::Shutdown => 1,
            Self::TimedOut => 2,
            Self::ProtocolError => 3,
            Self::Other(byte) => byte,
        }
    }

    /// What this reason means when a client sent it: always `Left`.
    ///
    /// The specification says so of unknown reasons; a reason that only the server may give is as
    /// meaningless from a client, and is taken the same way.
    #[must_use]
    pub const fn as_sent_by_client(self) -> Self {
        Self::Left
    }

    /// What this reason means when the server sent it: `Shutdown` for an unknown one and for `Left`, which
    /// only a client can mean.
    #[must_use]
    pub const fn as_sent_by_server(self) -> Self {
        match self {
            Self::Left | Self::Other(_) => Self::Shutdown,
            known => known,
        }
    }
}

/// The name that the specification gives it, or `reason 9` for an unknown one.
impl fmt::Display for LogoutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(byte) => write!(f, "reason {byte}"),
            known => fmt::Debug::fmt(known, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives() {
        for byte in 0..=u8::MAX {
            assert_eq!(RejectReason::from_byte(byte).byte(), byte);
            assert_eq!(LogoutReason::from_byte(byte).byte(), byte);
        }
    }

    #[test]
    fn bytes_are_those_of_the_specification() {
        let reject = [1, 2, 3, 4, 5, 0, 9].map(|b| RejectReason::from_byte(b).to_string());
        assert_eq!(
            reject,
            [
                "ServerFull",
                "BadVersion",
                "BadName",
                "NameTaken",
                "GameStarted",
                "reason 0",
                "reason 9"
            ]
        );
        let logout = [0, 1, 2, 3, 9].map(|b| LogoutReason::from_byte(b).to_string());
        assert_eq!(
            logout,
            ["Left", "Shutdown", "TimedOut", "ProtocolError", "reason 9"]
        );
    }

    #[test]
    fn an_unknown_logout_is_left_from_a_client_and_shutdown_from_the_server() {
        use LogoutReason::{Left, ProtocolError, Shutdown, TimedOut};
        for byte in 0..=u8::MAX {
            let reason = LogoutReason::from_byte(byte);
            assert_eq!(reason.as_sent_by_client(), Left);
            let expected = match byte {
                2 => TimedOut,
                3 => ProtocolError,
                _ => Shutdown,
            };
            assert_eq!(reason.as_sent_by_server(), expected);
        }
    }
}
