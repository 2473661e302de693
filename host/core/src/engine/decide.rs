//! How a decision runs: the chain is asked policy by policy, on one snapshot, with facts.

use super::Core;
use super::state::{Asked, Decision};
use crate::ask::{Answer, Ask, Fact, FactAnswer, Fault, FaultKind, HeldUnit, Wanted, Why};
use crate::game_rule::restate_decision;
use crate::id::RequestId;
use crate::key::Key;
use crate::ledger::Holder;
use crate::output::{LookupKind, Output};
use crate::reason::Reason;
use crate::record::{PolicyStep, StepVerdict};
use crate::request::RoomState;
use crate::timers::Timer;
use crate::verdict::{Decision as Said, Inquiry, Passing, Question};
use std::sync::Arc;

/// How often a policy may ask in one decision (semantics 12).
const MAX_ROUNDS: u32 = 8;

impl Core {
    /// Begins a decision on the rules of now.
    pub(super) fn begin_decision(&mut self, id: RequestId, why: Why) {
        let snapshot = self.snapshot.clone();
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let chain = snapshot.chain(request.door);
        let deadline = self.now.after(self.config.decision_timeout);
        request.attempt += 1;
        let decision = Decision::new(why, snapshot, chain, self.changes, deadline);
        request.decision = Some(Box::new(decision));
        self.timers.set(Timer::Decision(id), deadline);
        self.ask(id, why);
    }

    /// Asks the policy at which the decision stands.
    pub(super) fn ask(&mut self, id: RequestId, why: Why) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let (Some(data), Some(decision)) = (request.data().cloned(), &request.decision) else {
            return;
        };
        let Some(slot) = decision.slot() else {
            // An empty chain is a configuration error that the host refuses; nobody gets in by it.
            return self.faulted(
                id,
                Fault {
                    kind: FaultKind::NotLoaded,
                    message: "no policy is loaded for this door".into(),
                },
            );
        };
        let ask = Ask {
            id: crate::id::AskId(0),
            slot,
            snapshot: decision.snapshot.clone(),
            last_good: decision.last_good,
            why,
            room: self.room_state(request.room()),
            max_players: self.config.max_players,
            host: self.config.attributes.clone(),
            server_closed: self.server_closed(),
            attempt: request.attempt,
            position: self.queue.position(id).map(|(position, _)| position),
            waited: self.now.since(request.arrival.at),
            held: self.held_by(id),
            facts: decision.facts.clone(),
            rounds_left: MAX_ROUNDS.saturating_sub(decision.rounds),
            now: self.now,
            seed: 0,
            deadline: decision.deadline,
            wanted: Wanted::with(&decision.life),
            request: data,
        };
        let (ask_id, seed) = (self.next_ask(Asked::Decision(id)), (self.entropy)());
        if let Some(request) = self.requests.get_mut(&id) {
            request.seen_by.insert(slot);
            if let Some(decision) = &mut request.decision {
                decision.ask = Some((ask_id, why));
            }
        }
        self.emit(Output::Ask(Box::new(Ask {
            id: ask_id,
            seed,
            ..ask
        })));
    }

    pub(super) fn room_state(&self, room: &Arc<str>) -> RoomState {
        let closed = self.closed(|| Key::room(room));
        RoomState {
            name: room.clone(),
            closed,
        }
    }

    /// Why nobody gets in at the moment, while that is so.
    pub(super) fn server_closed(&self) -> Option<Reason> {
        self.closed(Key::server)
    }

    /// Why a key is closed, if it is. Mostly none is, and no key has to be made to know that.
    fn closed(&self, key: impl FnOnce() -> Key) -> Option<Reason> {
        if !self.ledger.any_closed() {
            return None;
        }
        self.ledger.closed(&key()).cloned()
    }

    /// What a request holds, with what it can have from a session of the same player.
    fn held_by(&self, id: RequestId) -> Vec<HeldUnit> {
        let mut held = self.held(Holder::Request(id));
        let inherited = self.inherited(id);
        if !inherited.is_empty() {
            held.extend(inherited);
            held.sort_by(|a, b| a.key.cmp(&b.key));
            held.dedup_by(|a, b| a.key == b.key);
        }
        held
    }

    pub(super) fn held(&self, holder: Holder) -> Vec<HeldUnit> {
        let units = self.ledger.of(holder);
        units
            .map(|(key, unit)| HeldUnit {
                key: key.clone(),
                index: unit.index,
            })
            .collect()
    }

    /// Takes a policy's answer, if anyone still waits for it.
    pub(super) fn answered(&mut self, answer: Answer) {
        let id = match self.asks.get(&answer.ask) {
            Some(Asked::Decision(id)) => *id,
            Some(Asked::Recheck(slot, session)) => {
                return self.recheck_answered(*slot, *session, answer);
            }
            _ => return,
        };
        self.asks.remove(&answer.ask);
        let closed = self.server_closed();
        let Some(decision) = self.decision_mut(id) else {
            return;
        };
        let Some((_, why)) = decision.ask.take() else {
            return;
        };
        let slot = decision
            .slot()
            .and_then(|slot| decision.snapshot.slot(slot));
        let policy = slot.map_or_else(|| Arc::from(""), |slot| slot.name.clone());
        let game_rule = slot.is_some_and(|slot| slot.game_rule);
        let mut result = answer.result;
        let verdict = result.as_mut().ok().filter(|_| game_rule);
        let restated = verdict.and_then(|it| restate_decision(&policy, &mut it.decision, closed));
        decision.steps.push(PolicyStep {
            policy,
            generation: answer.generation,
            why,
            verdict: said(&result),
            micros: answer.micros,
            said: restated,
        });
        match result {
            Err(fault) => self.faulted(id, fault),
            Ok(verdict) => {
                // Commands are applied after the call and before what the decision leads to, so that a
                // policy may make room with a kick (semantics 14). Those who wait are offered it first.
                self.apply_commands(verdict.commands);
                self.offer_freed();
                if self.requests.contains_key(&id) {
                    self.decided(id, verdict.decision);
                }
            }
        }
    }

    pub(super) fn decision_mut(&mut self, id: RequestId) -> Option<&mut Decision> {
        self.requests.get_mut(&id)?.decision.as_deref_mut()
    }

    fn decided(&mut self, id: RequestId, said: Said) {
        match said {
            Said::Pass(passing) => self.passed(id, passing),
            Said::Accept(acceptance) => self.accepted(id, acceptance),
            Said::Reject(reason) => self.reject(id, reason),
            Said::Wait(waiting) => self.wait(id, waiting),
            Said::Ask(inquiry) => self.inquire(id, inquiry),
        }
    }

    pub(super) fn passed(&mut self, id: RequestId, passing: Passing) {
        let heir_of = self.inherits_from(id);
        if let Err(full) = self.fits(id, &passing.claims, heir_of) {
            return self.reject_full(id, full);
        }
        let Some(decision) = self.decision_mut(id) else {
            return;
        };
        if let Some(acceptance) = decision.accepted.clone() {
            // The policy that named an act has heard how it went, and lets the acceptance stand.
            decision.gathered.extend(passing.claims);
            return self.accepted(id, acceptance);
        }
        decision.gathered.extend(passing.claims);
        let at = decision.at;
        decision.acts.extend(passing.then.map(|act| (at, act)));
        decision.at += 1;
        decision.last_good = false;
        if decision.slot().is_some() {
            let why = decision.why;
            self.ask(id, why);
        } else {
            let everyone = crate::verdict::Admission::default();
            let acceptance = crate::verdict::Acceptance {
                options: vec![everyone],
                ..Default::default()
            };
            self.accepted(id, acceptance);
        }
    }

    /// Finds out what a policy asks, and holds what it wants held.
    fn inquire(&mut self, id: RequestId, inquiry: Inquiry) {
        let Some(decision) = self.decision_mut(id) else {
            return;
        };
        decision.rounds += 1;
        let again =
            |question: &Question| decision.facts.iter().any(|fact| fact.question == *question);
        let wrong = if decision.rounds > MAX_ROUNDS {
            Some(format!(
                "asked more than {MAX_ROUNDS} times in one decision"
            ))
        } else if let Some(question) = inquiry.questions.iter().find(|question| again(question)) {
            Some(format!(
                "asked {:?} again, which is answered already",
                question.name
            ))
        } else if inquiry.questions.is_empty() && inquiry.hold.is_empty() {
            Some("asked nothing and holds nothing, so that it would be asked for ever".to_owned())
        } else {
            None
        };
        if let Some(message) = wrong {
            return self.faulted(
                id,
                Fault {
                    kind: FaultKind::BadAnswer,
                    message: message.into(),
                },
            );
        }
        for question in inquiry.questions {
            if !decision.open.contains(&question) {
                decision.open.push(question);
            }
        }
        let (open, gathered) = (decision.open.clone(), decision.gathered.clone());
        let hold: Vec<_> = if inquiry.hold.is_empty() {
            Vec::new()
        } else {
            gathered.into_iter().chain(inquiry.hold).collect()
        };
        let hold = self.with_own_limits(id, hold);
        if let Err(full) = self.take_for(id, &hold, self.inherits_from(id)) {
            let waits = self
                .requests
                .get(&id)
                .is_some_and(|request| request.waiting.is_some());
            return if waits {
                self.wait_also(id, &hold)
            } else {
                self.reject_full(id, full)
            };
        }
        if open.is_empty() {
            return self.ask(id, Why::Evidence);
        }
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let Some(decision) = &request.decision else {
            return;
        };
        let (attempt, wanted) = (request.attempt, Wanted::with(&decision.life));
        for question in open {
            self.emit(Output::Lookup {
                request: id,
                attempt,
                question,
                kind: LookupKind::Question,
                wanted: wanted.clone(),
            });
        }
    }

    /// Takes an answer to a question or an act.
    pub(super) fn learned(
        &mut self,
        id: RequestId,
        attempt: u32,
        question: Question,
        answer: FactAnswer,
    ) {
        if let Some(index) = self
            .late_acts
            .iter()
            .position(|act| *act == (id, question.clone()))
        {
            self.late_acts.swap_remove(index);
            if matches!(answer, FactAnswer::Found(_)) {
                self.emit(Output::Compensate {
                    request: id,
                    act: question,
                });
            }
            return;
        }
        let now = self.now;
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let fresh = request.attempt == attempt;
        let Some(decision) = &mut request.decision else {
            return;
        };
        if decision.acting.as_ref() == Some(&question) {
            decision.acting = None;
            if matches!(answer, FactAnswer::Found(_)) {
                decision.done.push(question.clone());
            }
        } else if let Some(index) = decision.open.iter().position(|open| *open == question)
            && fresh
        {
            decision.open.remove(index);
        } else {
            return;
        }
        decision.facts.push(Fact {
            question,
            answer,
            learned: now,
        });
        if !decision.open.is_empty() {
            return;
        }
        self.ask(id, Why::Evidence);
    }
}

fn said(result: &Result<crate::verdict::Verdict, Fault>) -> StepVerdict {
    match result {
        Err(fault) => StepVerdict::Fault(fault.kind),
        Ok(verdict) => match verdict.decision {
            Said::Pass(_) => StepVerdict::Pass,
            Said::Accept(_) => StepVerdict::Accept,
            Said::Reject(_) => StepVerdict::Reject,
            Said::Wait(_) => StepVerdict::Wait,
            Said::Ask(_) => StepVerdict::Ask,
        },
    }
}
