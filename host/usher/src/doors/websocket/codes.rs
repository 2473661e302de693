//! How a connection ends: the last word, and the code of the close frame.

use super::words::Said;
use usher_core::{Departure, Reason, SessionEnd};

/// The player said goodbye.
const NORMAL: u16 = 1000;
/// The host stops; of a client: its page is closed or reloaded.
const GOING_AWAY: u16 = 1001;
const PROTOCOL_ERROR: u16 = 1002;
const UNSUPPORTED: u16 = 1003;
const NOT_UTF8: u16 = 1007;
const POLICY: u16 = 1008;
const TOO_BIG: u16 = 1009;
/// Not let in; the `rejected` before it says why.
const REJECTED: u16 = 4000;
/// Sent away by the rules, a policy or an operator; the `ended` before it says why.
const KICKED: u16 = 4001;
/// The same player came in from somewhere else.
const TAKEN_OVER: u16 = 4002;
/// Nothing was heard of the client for too long.
const TIMED_OUT: u16 = 4003;

/// What is sent last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Farewell {
    /// A text frame before the close frame.
    pub(super) said: Option<String>,
    /// The close frame's code.
    pub(super) code: u16,
    /// And its reason, for whoever looks at it with a tool.
    pub(super) reason: &'static str,
}

/// What a client must not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Misdeed {
    /// Its frames are not those of RFC 6455.
    Frame,
    /// Text that is not UTF-8.
    NotUtf8,
    /// A longer message than allowed.
    TooLong,
    /// More messages, or more bytes, than allowed.
    TooFast,
    /// A message while it waits for the decision.
    Early,
    /// Text where the game has binary messages.
    Text,
    /// No first message in time.
    Silent,
    /// No answer to a ping, or nothing that is sent arrives.
    Absent,
}

impl Misdeed {
    /// What it is for the core.
    pub(super) fn departure(self) -> Departure {
        match self {
            Misdeed::Absent => Departure::Dropped,
            _ => Departure::ProtocolError,
        }
    }

    /// One word for metrics and logs.
    pub(super) fn word(self) -> &'static str {
        match self {
            Misdeed::Frame => "bad-frame",
            Misdeed::NotUtf8 => "not-utf8",
            Misdeed::TooLong => "too-long",
            Misdeed::TooFast => "too-fast",
            Misdeed::Early => "early-message",
            Misdeed::Text => "text-message",
            Misdeed::Silent => "first-message-timeout",
            Misdeed::Absent => "ping-timeout",
        }
    }

    fn told(self) -> (u16, &'static str) {
        match self {
            Misdeed::Frame => (PROTOCOL_ERROR, "a frame is not one of RFC 6455"),
            Misdeed::NotUtf8 => (NOT_UTF8, "text must be UTF-8"),
            Misdeed::TooLong => (TOO_BIG, "a message is longer than allowed"),
            Misdeed::TooFast => (POLICY, "more is sent a second than allowed"),
            Misdeed::Early => (PROTOCOL_ERROR, "nothing may be sent before \"accepted\""),
            Misdeed::Text => (UNSUPPORTED, "messages of the game are binary"),
            Misdeed::Silent => (POLICY, "the first message did not come in time"),
            Misdeed::Absent => (TIMED_OUT, "nothing was heard for too long"),
        }
    }

    pub(super) fn farewell(self) -> Farewell {
        let (code, reason) = self.told();
        let said = Said::Ended {
            reason: self.word(),
            code: None,
            text: reason,
        };
        Farewell {
            said: Some(said.to_json()),
            code,
            reason,
        }
    }
}

/// Of someone who is not let in.
pub(super) fn rejection(reason: &Reason) -> Farewell {
    Farewell {
        said: Some(Said::rejected(reason).to_json()),
        code: REJECTED,
        reason: "rejected",
    }
}

/// Of someone whose session the core has ended.
pub(super) fn ending(how: &SessionEnd) -> Farewell {
    let (code, reason, text) = match how {
        SessionEnd::Kicked(reason) => (KICKED, "kicked", &*reason.text),
        SessionEnd::TakenOver => (
            TAKEN_OVER,
            "taken over",
            "You have come in from somewhere else.",
        ),
        SessionEnd::Shutdown => (GOING_AWAY, "shutdown", "The server is stopping."),
        SessionEnd::BindTimeout | SessionEnd::IdleTimeout => (TIMED_OUT, "timed out", ""),
        SessionEnd::ProtocolError => (PROTOCOL_ERROR, "protocol error", ""),
        SessionEnd::Left | SessionEnd::Closed => (NORMAL, "left", ""),
    };
    let said = Said::Ended {
        reason: how.word(),
        code: match how {
            SessionEnd::Kicked(reason) => Some(&*reason.code),
            _ => None,
        },
        text,
    };
    Farewell {
        said: Some(said.to_json()),
        code,
        reason,
    }
}

/// What a client's own close frame means. A page that is closed or reloaded says 1001 without being asked:
/// whoever reloads the page wants its place kept. Anything else is meant.
pub(super) fn departure(code: Option<u16>) -> Departure {
    match code {
        Some(GOING_AWAY) => Departure::Dropped,
        _ => Departure::Left,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_close_frame_has_room_in_it() {
        let misdeeds = [
            Misdeed::Frame,
            Misdeed::NotUtf8,
            Misdeed::TooLong,
            Misdeed::TooFast,
            Misdeed::Early,
            Misdeed::Text,
            Misdeed::Silent,
            Misdeed::Absent,
        ];
        for misdeed in misdeeds {
            let farewell = misdeed.farewell();
            assert!(farewell.reason.len() <= 123, "{misdeed:?}");
            let said = farewell.said.expect("they are told");
            assert!(said.contains(misdeed.word()), "{said}");
        }
    }

    #[test]
    fn every_end_has_its_code() {
        let reason = || Reason::new("cheating", "No cheating.");
        for (end, code) in [
            (SessionEnd::Kicked(reason()), 4001),
            (SessionEnd::TakenOver, 4002),
            (SessionEnd::Shutdown, 1001),
            (SessionEnd::IdleTimeout, 4003),
            (SessionEnd::ProtocolError, 1002),
        ] {
            assert_eq!(ending(&end).code, code, "{end:?}");
        }
        assert_eq!(
            ending(&SessionEnd::Kicked(reason())).said.as_deref(),
            Some(r#"{"type":"ended","reason":"kicked","code":"cheating","text":"No cheating."}"#)
        );
        assert_eq!(rejection(&reason()).code, 4000);
    }

    #[test]
    fn a_page_that_is_reloaded_has_not_left() {
        assert_eq!(departure(Some(1001)), Departure::Dropped);
        for code in [None, Some(1000), Some(3000), Some(4000)] {
            assert_eq!(departure(code), Departure::Left);
        }
    }
}
