//! Those who said goodbye before the rules had all that they said before it. The core hears that they left
//! once the rules have it: a leave would have the rules forget them first.

use super::backlog::Backlog;
use std::collections::HashMap;
use usher_core::{RequestId, SessionId};

/// Someone who said goodbye.
struct Farewell {
    session: SessionId,
    backlog: Box<Backlog>,
    /// Whether the rules know it.
    joined: bool,
}

/// All of them: at most one for each seat.
#[derive(Default)]
pub(super) struct Farewells(HashMap<RequestId, Farewell>);

impl Farewells {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(
        &mut self,
        request: RequestId,
        session: SessionId,
        backlog: Box<Backlog>,
        joined: bool,
    ) {
        let farewell = Farewell {
            session,
            backlog,
            joined,
        };
        self.0.insert(request, farewell);
    }

    /// The rules know it now. Its session, if it is one of these.
    pub(super) fn joined(&mut self, request: RequestId) -> Option<SessionId> {
        let farewell = self.0.get_mut(&request)?;
        farewell.joined = true;
        Some(farewell.session)
    }

    /// Its session is over, by whatever else.
    pub(super) fn forget(&mut self, request: RequestId) {
        self.0.remove(&request);
    }

    /// Gives the rules what they take; those of whom they have all, who are gone from here.
    pub(super) fn give(
        &mut self,
        mut take: impl FnMut(SessionId, usher_runtime::Message) -> bool,
    ) -> Vec<RequestId> {
        let mut done = Vec::new();
        self.0.retain(|request, farewell| {
            let session = farewell.session;
            let all = farewell.joined && farewell.backlog.drain(|message| take(session, message));
            if all {
                done.push(*request);
            }
            !all
        });
        if self.0.is_empty() {
            self.0.shrink_to_fit();
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usher_runtime::{Delivery, Message};

    fn backlog(texts: &[&'static str]) -> Box<Backlog> {
        let mut backlog = Backlog::default();
        for text in texts {
            let message = Message {
                data: text.as_bytes().into(),
                delivery: Delivery::Ordered,
                channel: 0,
            };
            assert!(backlog.push(message));
        }
        Box::new(backlog)
    }

    #[test]
    fn the_rules_have_everything_before_it_is_gone() {
        let (ada, bob) = (RequestId(1), RequestId(2));
        let mut farewells = Farewells::default();
        farewells.add(ada, SessionId(11), backlog(&["a", "b", "c"]), false);
        farewells.add(bob, SessionId(12), backlog(&["x"]), true);
        let mut told = Vec::new();
        let mut take = |session: SessionId, message: Message| {
            told.push((session.0, message.data.to_vec()));
            // They cannot take more than two at a time.
            told.len() % 3 != 0
        };
        assert_eq!(
            farewells.give(&mut take),
            [bob],
            "the other is not known yet"
        );
        farewells.joined(ada);
        assert_eq!(farewells.give(&mut take), []);
        assert_eq!(farewells.give(&mut take), [ada]);
        assert!(farewells.is_empty());
        let of_ada = told.iter().filter(|(session, _)| *session == 11);
        let mut words: Vec<_> = of_ada.map(|(_, word)| word.clone()).collect();
        // What was not taken is given again.
        words.dedup();
        assert_eq!(words, [b"a", b"b", b"c"]);
    }

    #[test]
    fn whose_session_is_over_is_forgotten() {
        let mut farewells = Farewells::default();
        farewells.add(RequestId(1), SessionId(11), backlog(&["a"]), false);
        farewells.forget(RequestId(1));
        assert!(farewells.is_empty());
    }
}
