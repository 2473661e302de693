//! Reasons, and the state of a room, which carries one.

use super::bound::{Breach, LONG, WORD, length, text};
use crate::bindings::types;
use crate::contract as wit;
use usher_core::{Reason, RoomState};

/// A reason that a module gives.
pub(crate) fn reason_in(reason: wit::Reason) -> Result<Reason, Breach> {
    stable(&reason.code)?;
    Ok(Reason {
        code: reason.code,
        text: text(reason.text, "text", 0..=LONG)?,
        number: reason.number,
    })
}

/// A code must be of a form that programs can rely on.
pub(super) fn stable(code: &str) -> Result<(), Breach> {
    length(code.len(), "code", "bytes", 1..=WORD)?;
    let stable = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    if code.bytes().all(stable) {
        return Ok(());
    }
    let problem = "must be lower-case letters, digits, - and _ only, such as server-full";
    Err(Breach::new("code", problem))
}

/// A reason as a module sees it.
pub(crate) fn reason_out(reason: &Reason) -> types::Reason {
    types::Reason {
        code: reason.code.to_string(),
        text: reason.text.to_string(),
        number: reason.number,
    }
}

/// A room as a module sees it.
pub(crate) fn room_out(room: &RoomState) -> types::RoomState {
    types::RoomState {
        name: room.name.to_string(),
        joinable: room.closed.is_none(),
        closed: room.closed.as_ref().map(reason_out),
    }
}

impl From<types::Reason> for wit::Reason {
    fn from(reason: types::Reason) -> wit::Reason {
        wit::Reason {
            code: reason.code.into(),
            text: reason.text.into(),
            number: reason.number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(code: &str, text: usize) -> wit::Reason {
        wit::Reason {
            code: code.into(),
            text: "t".repeat(text).into(),
            number: Some(3),
        }
    }

    #[test]
    fn a_reason_goes_in_and_out_unchanged() {
        let inside = reason_in(reason("server-full", 4)).expect("within bounds");
        assert_eq!((&*inside.code, &*inside.text), ("server-full", "tttt"));
        assert_eq!(reason_out(&inside).number, Some(3));
    }

    #[test]
    fn bounds_are_kept() {
        for (given, says) in [
            (reason("", 0), "code has 0 bytes"),
            (reason(&"c".repeat(65), 0), "code has 65 bytes"),
            (reason("Server Full", 0), "code must be lower-case"),
            (reason("full\n", 0), "code must be lower-case"),
            (reason("full", LONG + 1), "text has 65537 bytes"),
        ] {
            let breach = reason_in(given).unwrap_err().to_string();
            assert!(breach.starts_with(says), "{breach}");
        }
        assert!(reason_in(reason("no_room_9", LONG)).is_ok());
    }

    #[test]
    fn a_room_without_a_reason_is_joinable() {
        let mut room = RoomState {
            name: "main".into(),
            closed: None,
        };
        assert!(room_out(&room).joinable);
        room.closed = Some(Reason::new("match-running", ""));
        let out = room_out(&room);
        assert!(!out.joinable);
        assert_eq!(out.closed.expect("a reason").code, "match-running");
    }
}
