//! What happens when a timer fires.

use super::Core;
use crate::reason::{Reason, code};
use crate::request::Abandonment;
use crate::session::SessionEnd;
use crate::timers::Timer;

impl Core {
    /// Fires every timer that is due, in order.
    pub(super) fn fire_timers(&mut self) {
        let mut any = false;
        loop {
            // What ends at the moment of a status needs none.
            let status = self.statuses.next().filter(|at| *at <= self.now);
            let until = status.unwrap_or(self.now);
            if let Some((_, timer)) = self.timers.pop(until) {
                any = true;
                self.fire(timer);
            } else if status.is_some() {
                any = true;
                for id in self.statuses.pop() {
                    self.status_due(id);
                }
            } else {
                break;
            }
        }
        // Otherwise all is as the last step left it.
        if any {
            self.settle();
        }
    }

    fn fire(&mut self, timer: Timer) {
        match timer {
            Timer::Unanswered(request) => {
                let text = self
                    .requests
                    .get(&request)
                    .and_then(|request| self.door(request.door))
                    .map_or_else(|| "".into(), |door| door.timeout_text.clone());
                let reason = Reason {
                    text,
                    ..Reason::new(code::SESSION_TIMEOUT, "")
                };
                self.abandon(request, Abandonment::TimedOut, Some(reason));
            }
            Timer::Decision(request) => self.decision_timed_out(request),
            Timer::LongestWait(request) => {
                let text = "You have waited as long as this server can let you wait.";
                self.reject(request, Reason::new(code::QUEUE_TIMEOUT, text));
            }
            Timer::Retry(request) => self.retry(request),
            Timer::StatusAsk(ask) => self.status_unanswered(ask),
            Timer::Grace(place) => self.give_up_place(place),
            Timer::Bind(session) => self.end_session(session, SessionEnd::BindTimeout),
            Timer::Idle(session) => self.probe(session),
            Timer::Recheck(slot) => self.recheck_again(slot),
            Timer::RecheckAsk(ask) => self.recheck_unanswered(ask),
            Timer::Rest(session) => self.rested(session),
            Timer::Units => {
                self.expiry = None;
                let freed = self.ledger.expire(self.now);
                self.freed(freed);
            }
        }
    }

    /// Keeps the one timer of the ledger at its next expiry.
    pub(super) fn set_expiry_timer(&mut self) {
        let next = self.ledger.next_expiry();
        if next != self.expiry {
            self.expiry = next;
            match next {
                Some(at) => self.timers.set(Timer::Units, at),
                None => self.timers.cancel(Timer::Units),
            }
        }
    }
}
