//! What it means that a policy faults, or that nobody answers in time.

use super::Core;
use crate::ask::{Fault, FaultKind};
use crate::game_rule::restate;
use crate::id::RequestId;
use crate::reason::{Reason, code};
use crate::snapshot::FailMode;
use crate::verdict::Passing;

impl Core {
    /// What a fault means (semantics 22): the fail mode applies to first decisions; a waiter stays.
    pub(super) fn faulted(&mut self, id: RequestId, fault: Fault) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let Some(decision) = &mut request.decision else {
            return;
        };
        let fail = decision
            .slot()
            .and_then(|slot| decision.snapshot.slot(slot));
        let fail = fail.map_or(FailMode::Closed, |slot| slot.fail);
        if request.waiting.is_some() {
            return self.decline(id, true);
        }
        match fail {
            FailMode::LastGood if !decision.last_good => {
                decision.last_good = true;
                let why = decision.why;
                self.ask(id, why);
            }
            FailMode::Open => self.passed(id, Passing::default()),
            FailMode::Closed | FailMode::LastGood => {
                let mut reason = self.undecided(id);
                if fault.kind == FaultKind::BackingOff {
                    reason.text = "The server can't decide at the moment.".into();
                }
                self.reject(id, reason);
            }
        }
    }

    /// Why a request is refused that the policy at which its decision stands made nothing of.
    pub(super) fn undecided(&self, id: RequestId) -> Reason {
        let mut reason = Reason::new(code::POLICY_FAULT, "The server could not decide.");
        let decision = self.requests.get(&id).and_then(|it| it.decision.as_ref());
        let slot = decision.and_then(|it| it.snapshot.slot(it.slot()?));
        if slot.is_some_and(|slot| slot.game_rule) {
            // What closed the server comes before what the game says.
            match self.server_closed() {
                Some(closed) => reason = closed,
                None => drop(restate(&mut reason)),
            }
        }
        reason
    }

    pub(super) fn decision_timed_out(&mut self, id: RequestId) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        if request.waiting.is_some() {
            self.decline(id, true);
        } else {
            let text = "The server took too long to decide.";
            self.reject(id, Reason::new(code::APPROVAL_TIMEOUT, text));
        }
    }
}
