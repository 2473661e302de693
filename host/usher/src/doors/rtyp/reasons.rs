//! The core's reasons as bytes of the protocol.

use usher_core::{Reason, SessionEnd, code};
use usher_wire::rtyp::{LogoutReason, RejectReason};

/// What a LoginRejected says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    /// The byte.
    pub(super) reason: RejectReason,
    /// Whether the byte says all that the reason does. If not, the player cannot know why, and the
    /// operator should.
    pub(super) exact: bool,
}

/// The reason's own number where it fits, else what its code stands for, else ServerFull.
pub(super) fn refusal(reason: &Reason) -> Refusal {
    let number = reason.number.and_then(|number| u8::try_from(number).ok());
    let exact = match number {
        None | Some(0) => by_code(&reason.code),
        Some(byte) => Some(RejectReason::from_byte(byte)),
    };
    Refusal {
        reason: exact.unwrap_or(RejectReason::ServerFull),
        exact: exact.is_some(),
    }
}

/// The code of what the codec refuses by itself.
pub(super) fn codec_code(reason: RejectReason) -> &'static str {
    match reason {
        RejectReason::BadVersion => "bad-version",
        _ => "bad-name",
    }
}

fn by_code(word: &str) -> Option<RejectReason> {
    match word {
        code::SERVER_FULL => Some(RejectReason::ServerFull),
        "bad-version" => Some(RejectReason::BadVersion),
        "bad-name" => Some(RejectReason::BadName),
        "name-taken" => Some(RejectReason::NameTaken),
        "game-started" => Some(RejectReason::GameStarted),
        _ => None,
    }
}

/// What the peer is told of its session's end; nothing where the peer is the one who ended it.
pub(super) fn goodbye(how: &SessionEnd) -> Option<LogoutReason> {
    match how {
        SessionEnd::Left | SessionEnd::Closed => None,
        SessionEnd::BindTimeout | SessionEnd::IdleTimeout => Some(LogoutReason::TimedOut),
        SessionEnd::ProtocolError => Some(LogoutReason::ProtocolError),
        SessionEnd::Kicked(_) | SessionEnd::TakenOver | SessionEnd::Shutdown => {
            Some(LogoutReason::Shutdown)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_fits_is_sent_and_a_code_stands_in_for_one_that_does_not() {
        for (code, number, byte, exact) in [
            ("anything", Some(5), 5, true),
            ("anything", Some(200), 200, true),
            ("anything", Some(255), 255, true),
            ("name-taken", Some(1), 1, true),
            ("name-taken", Some(0), 4, true),
            ("name-taken", Some(256), 4, true),
            ("server-full", None, 1, true),
            ("bad-version", None, 2, true),
            ("bad-name", None, 3, true),
            ("name-taken", None, 4, true),
            ("game-started", None, 5, true),
            ("pool-full", None, 1, false),
            ("banned", None, 1, false),
            ("banned", Some(0), 1, false),
        ] {
            let reason = Reason {
                number,
                ..Reason::new(code, "")
            };
            let refusal = refusal(&reason);
            assert_eq!(
                (refusal.reason.byte(), refusal.exact),
                (byte, exact),
                "{code} {number:?}"
            );
        }
    }

    #[test]
    fn every_end_that_the_peer_did_not_make_is_told() {
        for (end, byte) in [
            (SessionEnd::Left, None),
            (SessionEnd::Closed, None),
            (SessionEnd::Shutdown, Some(1)),
            (SessionEnd::Kicked(Reason::new("cheating", "")), Some(1)),
            (SessionEnd::TakenOver, Some(1)),
            (SessionEnd::BindTimeout, Some(2)),
            (SessionEnd::IdleTimeout, Some(2)),
            (SessionEnd::ProtocolError, Some(3)),
        ] {
            assert_eq!(goodbye(&end).map(LogoutReason::byte), byte, "{end:?}");
        }
    }
}
