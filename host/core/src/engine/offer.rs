//! Offers: who is asked again when something is given back, opened or changed (semantics 17, 18, 23).

use super::Core;
use crate::ask::Why;
use crate::claim::Claim;
use crate::id::RequestId;
use crate::key::Key;
use crate::ledger::{Holder, Op};
use crate::reason::Reason;
use crate::record::Outcome;
use crate::snapshot::Snapshot;
use crate::timers::Timer;
use std::sync::Arc;
use std::time::Duration;

/// How long a waiter whose re-ask went wrong is left alone: this, doubled each time, up to the limit.
const RETRY: Duration = Duration::from_secs(1);
const RETRY_LIMIT: Duration = Duration::from_secs(30);

impl Core {
    /// Offers what was given back to the best waiters that can be placed.
    ///
    /// All keys are looked at together, in the one order of those who wait: who waits for a name and a
    /// seat does not get the seat before a better one who waits for the seat alone.
    pub(super) fn offer_freed(&mut self) {
        if self.queue.len() == 0 {
            return self.freed.clear();
        }
        if self.freed.is_empty() {
            return;
        }
        let mut keys: Vec<Key> = Vec::new();
        for (key, changed) in std::mem::take(&mut self.freed) {
            if changed {
                for id in self.queue.parked(&key) {
                    // It has its turn with the others, in order.
                    self.queue.index(id);
                    self.timers.cancel(Timer::Retry(id));
                }
            }
            if self.ledger.closed(&key).is_none() && !keys.contains(&key) {
                keys.push(key);
            }
        }
        let mut after = None;
        loop {
            let next = |key| self.queue.next_blocked(key, self.ledger.taken(key), after);
            let Some((rank, id)) = keys.iter().filter_map(next).min() else {
                return;
            };
            // Whether it gets an offer or is blocked by another key now: it is not looked at again.
            after = Some((rank, id));
            self.consider(id);
        }
    }

    /// Offers a waiter what it waits for, if that can be had; else notes what blocks it.
    pub(super) fn consider(&mut self, id: RequestId) {
        let Some(entry) = self.queue.get(id) else {
            return;
        };
        if self.queue.is_passed_over(id) {
            return;
        }
        let options = entry.options();
        let mut blocks = Vec::with_capacity(options.len());
        for claims in &options {
            match self.set_aside(id, claims) {
                Ok(()) => {
                    self.queue.block(id, Vec::new());
                    let Some(request) = self.requests.get_mut(&id) else {
                        return;
                    };
                    match &mut request.decision {
                        // It is being decided anew for another cause; the offer waits for that.
                        Some(decision) => decision.offered = true,
                        None => self.begin_decision(id, Why::Offer),
                    }
                    return;
                }
                Err(full) => blocks.push((full.key, full.limit)),
            }
        }
        self.queue.block(id, blocks);
    }

    /// A decision of a waiter came to nothing: it waits on as it did.
    pub(super) fn decline(&mut self, id: RequestId, fault: bool) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let Some(waiting) = &mut request.waiting else {
            return;
        };
        if fault {
            waiting.faults = waiting.faults.saturating_add(1);
            let wait = RETRY
                .saturating_mul(1 << (waiting.faults - 1).min(5))
                .min(RETRY_LIMIT);
            waiting.redecide |= request
                .decision
                .as_ref()
                .is_some_and(|it| it.why == Why::Reload);
            self.timers.set(Timer::Retry(id), self.now.after(wait));
        }
        let redecide = waiting.redecide && !fault;
        let offered = request
            .decision
            .as_ref()
            .is_some_and(|decision| decision.offered);
        let lane = self
            .queue
            .get(id)
            .map_or_else(|| Arc::from(""), |entry| entry.lane.clone());
        self.close_decision(id, Outcome::Waiting(lane));
        if offered {
            self.queue.pass_over(id);
        }
        self.hand_on(id);
        if redecide {
            self.reload.push(id);
        }
    }

    /// What the policy of a waiter wants held besides can't be had: it waits for that too from now on.
    pub(super) fn wait_also(&mut self, id: RequestId, hold: &[Claim]) {
        self.decline(id, false);
        self.queue.wait_also(id, hold);
        self.consider(id);
    }

    /// A waiter did not take what was held for it: it is passed over, and the next one gets the offer.
    /// Unless it waits for something else now that can't be had: that it has not declined.
    pub(super) fn declined(&mut self, id: RequestId) {
        self.hand_on(id);
        let Some(entry) = self.queue.get(id) else {
            return;
        };
        let options = entry.options();
        let mut fits = |claims: &Vec<Claim>| {
            let of = self.to_take_over(id, claims)?;
            self.fits(id, claims, of)
        };
        let blocks: Option<Vec<_>> = options
            .iter()
            .map(|claims| fits(claims).err().map(|full| (full.key, full.limit)))
            .collect();
        match blocks {
            Some(blocks) => self.queue.block(id, blocks),
            None => self.queue.pass_over(id),
        }
    }

    /// Gives back what a request held in vain.
    fn hand_on(&mut self, id: RequestId) {
        let declined = self.take_back(id);
        // Nothing has changed for others who declined it before: no round of declining goes on for ever.
        self.freed
            .extend(declined.into_iter().map(|key| (key, false)));
    }

    /// A waiter whose last re-ask went wrong is tried again.
    pub(super) fn retry(&mut self, id: RequestId) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        if request
            .waiting
            .as_ref()
            .is_some_and(|waiting| waiting.redecide)
        {
            self.reload.push(id);
        }
        if self.queue.is_passed_over(id) {
            self.queue.index(id);
            self.consider(id);
        }
    }

    /// Gives back what a request holds, to whoever waits for it.
    pub(super) fn release_holder(&mut self, id: RequestId) {
        let freed = self.take_back(id);
        self.freed(freed);
    }

    /// The same, and says what was freed.
    pub(super) fn take_back(&mut self, id: RequestId) -> Vec<Key> {
        // Without a pool a request has its seat from its knock to its end.
        let seat = self
            .requests
            .get(&id)
            .filter(|_| self.config.max_pending == 0)
            .map(|request| self.own.seat(request.door));
        // Giving back needs no room, so it can't fail.
        self.ledger
            .commit(&[Op::Keep(Holder::Request(id), seat.as_slice())])
            .unwrap_or_default()
    }

    /// The rules that decide have changed: waiters are decided anew, in order, a batch at a time.
    pub(super) fn rules_changed(&mut self, snapshot: Arc<Snapshot>) {
        self.snapshot = snapshot;
        self.changes += 1;
        self.reload = self.queue.in_order().into_iter().collect();
        self.recheck_all();
    }

    pub(super) fn close_key(&mut self, key: Key, reason: Reason) {
        self.ledger.close(key.clone(), reason);
        self.redecide(&key);
    }

    pub(super) fn open_key(&mut self, key: Key) {
        if self.ledger.open(&key) {
            self.redecide(&key);
            self.freed.push_back((key, true));
        }
    }

    /// Decides those anew who wait for a key that was closed or opened (semantics 6).
    fn redecide(&mut self, key: &Key) {
        self.changes += 1;
        let all = self.queue.in_order();
        let wants = |id: &RequestId| self.queue.get(*id).is_some_and(|entry| entry.wants(key));
        let concerned = all.into_iter().filter(wants);
        concerned.for_each(|id| self.reload.push(id));
    }

    /// Keeps a batch of waiters under re-decision until all have had their turn.
    pub(super) fn pump_reload(&mut self) {
        while self.reloading.len() < self.config.reload_batch.max(1) {
            let Some(id) = self.reload.pop() else {
                return;
            };
            let Some(request) = self.requests.get_mut(&id) else {
                continue;
            };
            let Some(waiting) = &mut request.waiting else {
                continue;
            };
            if request.decision.is_some() {
                // A decision keeps the rules that it began with to its end. Its turn comes after that.
                waiting.redecide = true;
                continue;
            }
            waiting.redecide = false;
            self.reloading.insert(id);
            self.begin_decision(id, Why::Reload);
        }
    }
}
