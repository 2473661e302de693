//! How a request ends: exactly one way, once (D5).

use super::Core;
use super::state::Asked;
use crate::ask::Over;
use crate::id::{AskId, RequestId};
use crate::key::Key;
use crate::ledger::{Full, Holder, Op};
use crate::output::Output;
use crate::reason::Reason;
use crate::record::{Decided, Outcome};
use crate::request::{Abandonment, Ending};
use crate::timers::Timer;
use std::sync::Arc;

impl Core {
    /// Refuses a request and has the peer told.
    pub(super) fn reject(&mut self, id: RequestId, reason: Reason) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let door = request.door;
        self.emit(Output::Refused {
            door,
            request: id,
            reason: reason.clone(),
            at_knock: false,
        });
        self.finish(
            id,
            Ending::Rejected(reason.clone()),
            Outcome::Rejected(reason),
        );
    }

    /// Refuses a request for a claim that is full. While the server is closed, that comes before all claims.
    pub(super) fn reject_full(&mut self, id: RequestId, full: Full) {
        if let Some(said) = full.said
            && let Some(decision) = self.decision_mut(id)
            && let Some(step) = decision
                .steps
                .iter_mut()
                .rfind(|it| it.policy == said.policy)
        {
            step.said = Some(said.code);
        }
        let reason = match self.server_closed() {
            Some(closed) => closed,
            None => self.closed_room(id, &full.key).unwrap_or(full.reason),
        };
        self.reject(id, reason);
    }

    /// What the door of a request says of a closed room, if it has words of its own and this is one.
    fn closed_room(&self, id: RequestId, key: &Key) -> Option<Reason> {
        let door = self.door(self.requests.get(&id)?.door)?;
        let closed = key.namespace() == "room" && self.ledger.closed(key).is_some();
        door.closed_room.clone().filter(|_| closed)
    }

    /// A request goes away unanswered. With a reason, the peer is still there and is told.
    pub(super) fn abandon(&mut self, id: RequestId, why: Abandonment, tell: Option<Reason>) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let door = request.door;
        if let Some(reason) = tell {
            self.emit(Output::Refused {
                door,
                request: id,
                reason,
                at_knock: false,
            });
        }
        self.finish(id, Ending::Abandoned(why), Outcome::Abandoned(why));
    }

    /// Takes the request out of everything. It is the only way that one goes.
    pub(super) fn finish(&mut self, id: RequestId, how: Ending, outcome: Outcome) {
        self.close_decision(id, outcome);
        let Some(request) = self.requests.remove(&id) else {
            return;
        };
        for timer in [
            Timer::Unanswered(id),
            Timer::LongestWait(id),
            Timer::Retry(id),
        ] {
            self.timers.cancel(timer);
        }
        self.statuses.remove(id, request.status_at);
        let identity = request
            .waiting
            .as_ref()
            .and_then(|it| it.identity.as_deref());
        self.queue.wait_as(id, None, identity);
        self.queue.remove(id);
        // Giving back needs no room, so it can't fail.
        let freed = self
            .ledger
            .commit(&[Op::Forget(Holder::Request(id))])
            .unwrap_or_default();
        self.freed(freed);
        match request.borrowed {
            Some(place) => self.places.give_back(place),
            None => self.pool.leave(request.group()),
        }
        let Some(data) = request.data() else { return };
        let data = Arc::new(data.without_payload());
        for slot in request.seen_by.iter() {
            let (ask, seed) = (self.next_ask(Asked::Over), (self.entropy)());
            let over = Over {
                id: ask,
                slot,
                snapshot: self.snapshot.clone(),
                request: data.clone(),
                room: self.room_state(request.room()),
                max_players: self.config.max_players,
                host: self.config.attributes.clone(),
                server_closed: self.server_closed(),
                attempt: request.attempt,
                waited: self.now.since(request.arrival.at),
                how: how.clone(),
                now: self.now,
                seed,
            };
            self.emit(Output::Over(Box::new(over)));
        }
    }

    /// Ends the decision that is being made, if there is one, and records how it came out. A request
    /// that ends between decisions is recorded too.
    pub(super) fn close_decision(&mut self, id: RequestId, outcome: Outcome) {
        self.timers.cancel(Timer::Decision(id));
        self.reloading.remove(&id);
        self.disinherit(id);
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let decision = request.decision.take();
        let ask = decision.as_ref().and_then(|decision| decision.ask);
        let mut in_vain = Vec::new();
        let steps = match decision {
            Some(decision) => {
                let decision = *decision;
                self.late_acts.extend(decision.acting.map(|act| (id, act)));
                if !matches!(outcome, Outcome::Accepted(_)) {
                    in_vain = decision.done;
                }
                decision.steps
            }
            None => Vec::new(),
        };
        let decided = Decided {
            at: self.now,
            request: id,
            door: request.door,
            peer: request.peer(),
            name: request.data().and_then(|data| data.name.clone()),
            room: request.room().clone(),
            attempt: request.attempt,
            steps,
            outcome,
            waited: self.now.since(request.arrival.at),
        };
        self.drop_ask(ask.map(|(ask, _)| ask));
        for act in in_vain {
            self.emit(Output::Compensate { request: id, act });
        }
        self.emit(Output::Decided(Box::new(decided)));
    }

    /// Nobody waits for this answer any more.
    fn drop_ask(&mut self, ask: Option<AskId>) {
        if let Some(ask) = ask {
            self.asks.remove(&ask);
        }
    }
}
