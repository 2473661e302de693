//! What the core's surroundings make of its outputs, and what they may never be told.

use super::check;
use super::stage::{Sought, Stage, Stay};
use crate::*;
use std::time::Duration;

impl Stage {
    /// Takes one output.
    pub(super) fn take(&mut self, output: Output) {
        if let Output::Ask(ask) = &output {
            assert_eq!(ask.server_closed, self.core.server_closed());
            let held: Vec<_> = ask.held.iter().map(|held| held.key.to_string()).collect();
            let (id, request, why) = (ask.id, ask.request.id, ask.why);
            self.events.push(format!(
                "  ask {id} about {request}, {why:?}, holds {held:?}"
            ));
        }
        match output {
            Output::Pending { request, .. } => {
                self.requests.entry(request).or_default().knocked = true
            }
            Output::Refused { request, .. } => {
                let seen = self.requests.entry(request).or_default();
                seen.refused += 1;
                assert_eq!(
                    seen.accepted, 0,
                    "{request} was refused after it was accepted"
                );
            }
            Output::Status { request, .. } => {
                let seen = &self.requests[&request];
                assert!(
                    seen.accepted + seen.refused == 0,
                    "{request} got a status after its end"
                );
            }
            Output::Accepted { request, grant, .. } => {
                let seen = self.requests.entry(request).or_default();
                seen.accepted += 1;
                assert_eq!(
                    seen.refused, 0,
                    "{request} was accepted after it was refused"
                );
                assert!(!seen.gone, "{request} was accepted after it was gone");
                assert!(!self.drained, "{request} was accepted while draining");
                assert_eq!(self.core.server_closed(), None, "{request} was accepted");
                let stay = Stay {
                    request,
                    number: grant.number,
                    name: grant.name,
                    proven: None,
                    joined: 0,
                    left: 0,
                    ended: 0,
                    bound: None,
                };
                let again = self.sessions.insert(grant.session, stay);
                assert!(again.is_none(), "a session number was used twice");
            }
            Output::Bound {
                session, endpoint, ..
            } => {
                let stay = self.sessions.get_mut(&session).unwrap();
                assert_eq!(
                    (stay.joined, stay.bound),
                    (0, None),
                    "bound once, and before the rules may speak to it"
                );
                stay.bound = Some(endpoint);
            }
            Output::Probe { session, .. } => {
                let ago = Duration::from_millis(self.chance.below(8_000));
                let at = Moment::from_millis(
                    self.now.since(Moment::ZERO).saturating_sub(ago).as_millis() as u64,
                );
                self.core.handle(Input::Seen { session, at }, self.now);
            }
            Output::Ended { session, how, .. } => {
                if how == SessionEnd::TakenOver {
                    assert_eq!(self.config.duplicates, Duplicates::TakeOver);
                }
                self.sessions.get_mut(&session).unwrap().ended += 1;
            }
            Output::Ask(ask) if ask.why == Why::Recheck => {
                check::recheck_is_of_now(self, &ask);
                self.asks.push(*ask);
            }
            Output::Ask(ask) => {
                let seen = self.requests.entry(ask.request.id).or_default();
                seen.asked.insert(ask.slot);
                // Later asks of a decision go on with what its first one found.
                if std::mem::replace(&mut seen.attempt, ask.attempt) != ask.attempt {
                    check::nobody_is_overtaken(self, &ask);
                }
                self.asks.push(*ask);
            }
            Output::AskStatus(ask) => self.status_asks.push(*ask),
            Output::Over(over) => {
                let seen = self.requests.entry(over.request.id).or_default();
                *seen.over.entry(over.slot).or_default() += 1;
                self.overs.push(over.id);
            }
            Output::Lookup {
                request,
                attempt,
                question,
                kind,
                wanted,
            } => {
                let sought = Sought {
                    request,
                    attempt,
                    question,
                    kind,
                    wanted,
                };
                check::nothing_is_done_twice_at_once(self, &sought);
                self.lookups.push(sought);
            }
            Output::Joined(player) => {
                let proven = player.identity.filter(|_| player.identity_proven);
                let mut others = self.sessions.values();
                let same = |stay: &Stay| stay.proven.is_some() && stay.proven == proven;
                assert!(
                    others.all(|stay| !same(stay) || stay.left == 1),
                    "{proven:?} joins before it has left"
                );
                let stay = self.sessions.get_mut(&player.session).unwrap();
                stay.joined += 1;
                stay.proven = proven;
            }
            Output::Left { session, .. } => self.sessions.get_mut(&session).unwrap().left += 1,
            Output::Rechecked(rechecked) => {
                check::few_enough_are_ended(&rechecked);
                self.told_of_recheck.insert(rechecked.slot);
            }
            Output::Compensate { request, .. } => {
                self.acts.entry(request).or_default().undone += 1;
            }
            Output::Decided(decided) => check::a_game_rule_says_little(&decided),
            Output::Command(_) => {}
        }
    }
}
