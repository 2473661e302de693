//! Calls of policies, as the loop makes them: most on its own turn, because a hand-over to a worker and back costs
//! more than the call. What that may take is bounded in each turn.

use super::links::{PolicyCall, PolicyLink};
use std::collections::VecDeque;
use usher_core::Input;

/// How many calls a turn has. The runtime makes no call here of a module whose calls take longer than 50 us on
/// average, so this is the fourth part of a millisecond as a rule and 2 ms at most, plus the one call of the
/// turn that may overrun.
const IN_A_TURN: u32 = 40;

/// How many notices of endings may wait for a turn that has nothing else to do, before workers get them.
const NOTICES: usize = 256;

/// Calls that wait for their place in a turn.
#[derive(Default)]
pub(super) struct Calls {
    /// Someone waits for the answers.
    asked: VecDeque<PolicyCall>,
    /// Nobody does.
    notices: VecDeque<PolicyCall>,
    left: u32,
}

impl Calls {
    /// A turn begins.
    pub(super) fn begin_turn(&mut self) {
        self.left = IN_A_TURN;
    }

    /// Whether the turn has had its calls: what comes now waits for the next one.
    pub(super) fn turn_is_over(&self) -> bool {
        self.left == 0
    }

    /// Whether there is something to do in a turn that has nothing else to do.
    pub(super) fn any_notices(&self) -> bool {
        !self.notices.is_empty()
    }

    /// Takes a call.
    pub(super) fn put(&mut self, call: PolicyCall, policies: &dyn PolicyLink) {
        match call {
            // It is as long as there are people who wait.
            PolicyCall::Status(_) => policies.call(call),
            PolicyCall::Ask(_) => self.asked.push_back(call),
            PolicyCall::Over(_) if self.notices.len() < NOTICES => self.notices.push_back(call),
            PolicyCall::Over(_) => policies.call(call),
        }
    }

    /// The answer to the next question that is answered on this turn; the others are on their way to a worker.
    pub(super) fn next_answer(&mut self, policies: &dyn PolicyLink) -> Option<Input> {
        while let Some(call) = self.asked.pop_front() {
            if let Some(answer) = self.make(call, policies) {
                return Some(answer);
            }
        }
        None
    }

    /// The same of a notice, if the turn has calls left for one.
    pub(super) fn next_notice(&mut self, policies: &dyn PolicyLink) -> Option<Input> {
        while self.left > 0 {
            let call = self.notices.pop_front()?;
            if let Some(answer) = self.make(call, policies) {
                return Some(answer);
            }
        }
        None
    }

    fn make(&mut self, call: PolicyCall, policies: &dyn PolicyLink) -> Option<Input> {
        if self.left == 0 {
            policies.call(call);
            return None;
        }
        self.left -= 1;
        match policies.answer(call) {
            Ok(answer) => Some(answer),
            Err(call) => {
                policies.call(call);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
