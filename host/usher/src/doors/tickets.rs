//! What players with join tickets are told: one of the reasons that every one of their clients knows.
//!
//! The host has words of its own, and a policy may have any. A client with a join ticket knows nineteen, so at
//! its door all others are put into these, here and nowhere else: the doors hand on what they are given.

use crate::core_loop::{DoorEvent, DoorLink};
use std::sync::Arc;
use usher_core::{Reason, code};
use usher_wire::ticket;

/// A door whose refusals are put into the words of join tickets.
pub struct TicketDoor {
    door: Arc<dyn DoorLink>,
    /// A refusal is a text and nothing else, so the text is the word.
    text_alone: bool,
}

impl TicketDoor {
    /// Before this door. `text_alone`: all that its protocol can say of a refusal is a text.
    pub fn new(door: Arc<dyn DoorLink>, text_alone: bool) -> TicketDoor {
        TicketDoor { door, text_alone }
    }
}

impl DoorLink for TicketDoor {
    fn deliver(&self, event: DoorEvent) {
        let event = match event {
            DoorEvent::Refused {
                request,
                reason,
                at_knock,
            } => DoorEvent::Refused {
                request,
                reason: in_words(reason, self.text_alone),
                at_knock,
            },
            event => event,
        };
        self.door.deliver(event);
    }

    fn hurry(&self) {
        self.door.hurry();
    }
}

/// The reason in the words of join tickets. A text that stands with it stays, where there is room for both:
/// with `text_alone` there is none.
pub fn in_words(reason: Reason, text_alone: bool) -> Reason {
    let word = word(&reason.code);
    Reason {
        code: word.as_str().into(),
        text: match text_alone {
            true => word.as_str().into(),
            false if reason.text.is_empty() => word.message().into(),
            false => reason.text,
        },
        number: None,
    }
}

/// Which of the nineteen a code is, or comes down to.
fn word(code: &str) -> ticket::Reason {
    if let Ok(word) = code.parse() {
        return word;
    }
    match code {
        code::SERVER_FULL => ticket::Reason::ServerFull,
        code::ROOM_CLOSED => ticket::Reason::NotInSession,
        code::DUPLICATE_IDENTITY => ticket::Reason::DuplicatePlayer,
        code::SHUTTING_DOWN => ticket::Reason::Stopping,
        // Nobody decided about it, or not in time.
        code::APPROVAL_TIMEOUT
        | code::SESSION_TIMEOUT
        | code::QUEUE_TIMEOUT
        | code::POOL_FULL
        | code::ADDRESS_SHARE => ticket::Reason::ApprovalTimeout,
        // A fault of a policy, or a reason that only the game knows.
        _ => ticket::Reason::RefusedByGame,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use usher_core::RequestId;

    /// A door that notes what it is told.
    #[derive(Default)]
    struct Told(Mutex<Vec<DoorEvent>>);

    impl DoorLink for Told {
        fn deliver(&self, event: DoorEvent) {
            self.0.lock().unwrap().push(event);
        }
    }

    fn told(reason: Reason, text_alone: bool) -> Reason {
        let door = Arc::new(Told::default());
        TicketDoor::new(door.clone(), text_alone).deliver(DoorEvent::Refused {
            request: RequestId(7),
            reason,
            at_knock: false,
        });
        match door.0.lock().unwrap().pop() {
            Some(DoorEvent::Refused {
                request: RequestId(7),
                reason,
                at_knock: false,
            }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_of_the_nineteen_is_told_as_it_is() {
        for word in ticket::Reason::ALL {
            let reason = told(Reason::new(word.as_str(), ""), false);
            assert_eq!(&*reason.code, word.as_str());
            assert_eq!(&*reason.text, word.message());
        }
    }

    #[test]
    fn every_other_code_comes_down_to_one_of_them() {
        for (code, word) in [
            ("server-full", "server_full"),
            ("room-closed", "not_in_session"),
            ("duplicate-identity", "duplicate_player"),
            ("shutting-down", "stopping"),
            ("approval-timeout", "approval_timeout"),
            ("session-timeout", "approval_timeout"),
            ("queue-timeout", "approval_timeout"),
            ("pool-full", "approval_timeout"),
            ("address-share", "approval_timeout"),
            ("policy-fault", "refused_by_game"),
            ("banned", "refused_by_game"),
            ("Stopping", "refused_by_game"),
            ("", "refused_by_game"),
        ] {
            let reason = Reason {
                number: Some(3),
                ..Reason::new(code, "")
            };
            let reason = told(reason, false);
            assert_eq!(&*reason.code, word, "{code}");
            assert_eq!(reason.number, None, "a number would say the other");
        }
    }

    #[test]
    fn a_text_stays_unless_it_is_all_that_can_be_told() {
        let own = || Reason::new("banned", "You are banned until Friday.");
        assert_eq!(&*told(own(), false).text, "You are banned until Friday.");
        assert_eq!(&*told(own(), true).text, "refused_by_game");
    }

    #[test]
    fn what_is_no_refusal_passes_through() {
        let door = Arc::new(Told::default());
        let request = RequestId(7);
        TicketDoor::new(door.clone(), true).deliver(DoorEvent::Pending { request });
        let told = door.0.lock().unwrap().pop();
        assert!(matches!(told, Some(DoorEvent::Pending { .. })), "{told:?}");
    }
}
