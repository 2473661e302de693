//! The target of join tickets.

use usher_ticket::{EncodeError, JoinTicket, MAX_BYTES, Reason, Refusal};

/// The target `ticket`: one payload.
///
/// What decodes can be sent again and means the same; only the first five reasons come out, and those of size
/// and bytes for what they say; changes whose effect is known by the order of checks have that effect.
pub fn ticket(input: &[u8]) {
    let decoded = JoinTicket::decode(input);
    match &decoded {
        Ok(ticket) => {
            assert!(input.len() <= MAX_BYTES);
            again(ticket);
            // Between its two braces: a key that is not known, or one that it has.
            changed(input, br#""":0,"#, Err(Reason::PayloadInvalid));
            changed(input, br#""v":2,"#, Err(Reason::PayloadMalformed));
        }
        Err(refusal) => refused(input, refusal),
    }
    let reason = outcome(&decoded);
    if !input.is_empty() && input.len() < MAX_BYTES {
        let before = [b" ", input].concat();
        assert_eq!(
            outcome(&JoinTicket::decode(&before)),
            reason,
            "a space before"
        );
        let behind = [input, b"\n"].concat();
        assert_eq!(
            outcome(&JoinTicket::decode(&behind)),
            reason,
            "a line break behind"
        );
    }
}

fn again(ticket: &JoinTicket) {
    match ticket.encode() {
        Ok(bytes) => assert_eq!(JoinTicket::decode(&bytes).as_ref(), Ok(ticket)),
        // What was short as characters can be long as escapes.
        Err(EncodeError::TooLarge { bytes }) => assert!(bytes > MAX_BYTES),
        Err(other) => panic!("{other}"),
    }
}

fn refused(input: &[u8], refusal: &Refusal) {
    let reason = refusal.reason();
    assert_eq!(reason == Reason::PayloadEmpty, input.is_empty());
    assert_eq!(reason == Reason::PayloadTooLarge, input.len() > MAX_BYTES);
    let is_text = std::str::from_utf8(input).is_ok();
    match reason {
        Reason::PayloadEmpty | Reason::PayloadTooLarge | Reason::PayloadMalformed => {}
        Reason::PayloadInvalid => {
            assert!(is_text);
            changed(input, b"}", Err(Reason::PayloadMalformed));
        }
        // Whatever else a later version has, its client is told about the version.
        Reason::UnsupportedVersion => {
            assert!(is_text);
            // An escape could be that key too.
            if !input.iter().any(|byte| b"~\\".contains(byte)) {
                changed(input, br#""~":[1e400],"#, Err(Reason::UnsupportedVersion));
            }
        }
        other => panic!("{other} is not the decoder's to give"),
    }
}

/// Checks what comes of a payload with something put behind its first brace, if it has room for that.
fn changed(input: &[u8], with: &[u8], expected: Result<(), Reason>) {
    let Some(brace) = input.iter().position(|byte| *byte == b'{') else {
        panic!("no object in what is taken for one");
    };
    let (before, behind) = input.split_at(brace + 1);
    let whole = [before, with, behind].concat();
    if whole.len() <= MAX_BYTES {
        assert_eq!(outcome(&JoinTicket::decode(&whole)), expected);
    }
}

fn outcome(decoded: &Result<JoinTicket, Refusal>) -> Result<(), Reason> {
    match decoded {
        Ok(_) => Ok(()),
        Err(refusal) => Err(refusal.reason()),
    }
}
