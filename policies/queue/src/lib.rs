//! Whoever finds no seat waits for one, first come, first served, and is told how the queue moves.
//!
//! Params, all optional:
//!
//! * `lane`: the lane to wait in (`main`), and `lane-rank`: lanes of a lower rank are served first (0).
//! * `reserved`: seats of `max-players` that only some may take (0).
//! * `classes`: players that are treated otherwise (`["vip"]`); the first class that someone is in counts.
//!   Of each class, say of `vip`:
//!   `vip`: names, as a list or with commas between; `vip-bucket`: a list of names, and of addresses where
//!   the door has proven them; `vip-priority`: the priority in the lane (10), everyone else's is 0;
//!   `vip-lane` and `vip-rank`: a lane of their own, which goes before `lane` unless its rank says
//!   otherwise; `vip-reserved`: whether the reserved seats are for them (true).
//! * `identity`: by what a player is known: `name`, `payload`, or `none`. Without it the name, or, where a
//!   protocol has none, the payload if it is a short plain text. Who is known keeps the place in the queue
//!   when the connection drops. Say `none` where a payload may be a password or a ticket.
//! * `identity-proven`: that has been verified before it comes here (false). Then it keeps its place at
//!   another address too, and the host's `duplicate-identity` says what becomes of a second one.
//!
//! A name or a payload is the player's own word. Where that is not enough, a policy before this one in the
//! chain must prove it.

mod class;
mod identity;

#[cfg(test)]
mod tests;

use class::{Treatment, treatment};
use identity::{Identity, identity};
use usher_sdk::prelude::*;
use usher_sdk::{Acceptance, Waiting};

/// The policy.
#[derive(Debug)]
pub struct Queue;

impl Policy for Queue {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let identity = identity(request);
        let known_as = identity.as_ref().map(|identity| identity.text.as_str());
        let treatment = treatment(request, known_as);
        let reserved = params::number("reserved").unwrap_or(0);
        if request.why == Why::Recheck {
            // Who has a seat keeps it, whatever became of the queue.
            return Verdict::pass().into();
        }

        let seats = request.max_players;
        // Two limits on one key: the last seats are there for some only.
        let limit = match treatment.reserved {
            true => seats,
            false => seats.saturating_sub(reserved),
        };
        let full = Reason::new("server-full", "The server is full").number(1);
        let mut acceptance = Verdict::accept()
            .claim(Claim::on(Key::server()).at_most(limit).or(full.clone()))
            .claim(
                Claim::on(Key::slot())
                    .at_most(seats)
                    .lowest_index()
                    .or(full),
            );
        if let Some(name) = identity.as_ref().and_then(Identity::name_to_be_unique) {
            let taken = Reason::new("name-taken", "Another player of the game has this name");
            let (key, taken) = (Key::new("name").part(name), taken.number(4));
            // Waiting would not help: the seat may come free long before the name does. The claim is
            // what keeps the name unique.
            if ledger::taken(&key) > 0 {
                return Verdict::reject(taken).into();
            }
            acceptance = acceptance.claim(Claim::on(key).or(taken));
        }
        let mut waiting = waiting(request, treatment);
        if let Some(identity) = identity {
            acceptance = identity.entering(acceptance);
            waiting = identity.waiting(waiting);
        }
        acceptance.otherwise_wait(waiting).into()
    }

    fn on_waiting(waiter: &Waiter) -> Option<Vec<u8>> {
        // Without a lane its decision is still being made.
        waiter.lane.as_ref()?;
        let (position, length) = (waiter.position, waiter.lane_length);
        Some(format!("You are {position} of {length} in the queue").into_bytes())
    }

    fn describe() -> Description {
        Description::new().name("queue")
    }
}

fn waiting(request: &Request, treatment: Treatment) -> Waiting {
    let waiting = Verdict::wait(treatment.lane)
        .rank(treatment.rank)
        .priority(treatment.priority);
    match request.progress().position {
        // Whoever has been told a place knows more than that.
        Some(_) => waiting,
        None => waiting.status("You are in the queue"),
    }
}

impl Identity {
    /// The name that nobody else may have meanwhile. Of those who are proven the host sees to it, and a
    /// payload may well be the same for everyone.
    fn name_to_be_unique(&self) -> Option<&str> {
        (self.is_name && !self.proven).then_some(self.text.as_str())
    }

    fn entering(&self, acceptance: Acceptance) -> Acceptance {
        let acceptance = match self.proven {
            true => acceptance.proven_identity(&self.text),
            false => acceptance.identity(&self.text),
        };
        match self.shown {
            true => acceptance.display_name(&self.text),
            false => acceptance,
        }
    }

    fn waiting(&self, waiting: Waiting) -> Waiting {
        match self.proven {
            true => waiting.proven_identity(&self.text),
            false => waiting.identity(&self.text),
        }
    }
}

usher_sdk::export_policy!(Queue);
