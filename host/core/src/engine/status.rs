//! Status: the keep-alive of those who wait is the host's (semantics 20).
//!
//! It goes out on time whatever the policy does. The policy is asked for the texts of its waiters in
//! batches; a batch that goes wrong gets the last text or a default, and is retried in halves.

use super::Core;
use super::state::Asked;
use crate::ask::{AskStatus, Fault, Waiter};
use crate::id::{AskId, DoorId, RequestId, SlotId};
use crate::output::Output;
use crate::time::Moment;
use crate::timers::Timer;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How many waiters a policy is asked about at once.
const BATCH: usize = 256;
/// Statuses that are due within this are due together.
const TOGETHER: Duration = Duration::from_millis(250);
/// How long the texts may take before the last ones are sent instead.
const PATIENCE: Duration = Duration::from_millis(500);

impl Core {
    /// How often a status goes out: well within the session timeout, which it restarts.
    pub(super) fn status_pace(&self, door: DoorId) -> Duration {
        self.config
            .status_interval
            .min(self.session_timeout(door) / 2)
            .max(Duration::from_millis(1))
    }

    /// How long the texts of these may take. With the pace, it is still within the session timeout.
    fn patience(&self, waiters: &[RequestId]) -> Duration {
        let doors = waiters.iter().filter_map(|id| self.requests.get(id));
        let within = doors.map(|request| self.session_timeout(request.door) / 4);
        within
            .min()
            .unwrap_or(PATIENCE)
            .clamp(Duration::from_millis(1), PATIENCE)
    }

    /// A request's next status is due.
    pub(super) fn status_due(&mut self, id: RequestId) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let door = request.door;
        if request.waiting.is_some() {
            self.due.push(id);
        } else {
            self.send_last_status(id);
        }
        self.set_status(id, self.status_pace(door));
    }

    /// Has the next status of a request go out this long from now, or a little sooner: with those of others.
    pub(super) fn set_status(&mut self, id: RequestId, wait: Duration) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let at = together(self.now.after(wait), wait);
        let before = std::mem::replace(&mut request.status_at, at);
        self.statuses.remove(id, before);
        self.statuses.put(id, at);
    }

    /// Asks the policies for the texts that are due in this step.
    pub(super) fn ask_due_statuses(&mut self) {
        if self.due.is_empty() {
            return;
        }
        let mut by_slot: BTreeMap<SlotId, Vec<RequestId>> = BTreeMap::new();
        for id in std::mem::take(&mut self.due) {
            let waiting = self
                .requests
                .get(&id)
                .and_then(|request| request.waiting.as_ref());
            if let Some(waiting) = waiting {
                by_slot.entry(waiting.slot).or_default().push(id);
            }
        }
        for (slot, waiters) in by_slot {
            for batch in waiters.chunks(BATCH) {
                self.ask_statuses(slot, batch.to_vec(), false);
            }
        }
    }

    fn ask_statuses(&mut self, slot: SlotId, ids: Vec<RequestId>, told: bool) {
        let waiters: Vec<Waiter> = ids.iter().filter_map(|id| self.waiter(*id)).collect();
        let ids: Vec<_> = waiters.iter().map(|waiter| waiter.request).collect();
        if ids.is_empty() {
            return;
        }
        let deadline = self.now.after(self.patience(&ids));
        let id = self.next_ask(Asked::Status {
            slot,
            waiters: ids,
            told,
        });
        self.timers.set(Timer::StatusAsk(id), deadline);
        let seed = (self.entropy)();
        self.emit(Output::AskStatus(Box::new(AskStatus {
            id,
            slot,
            snapshot: self.snapshot.clone(),
            waiters,
            now: self.now,
            seed,
            deadline,
        })));
    }

    fn waiter(&self, id: RequestId) -> Option<Waiter> {
        let request = self.requests.get(&id)?;
        let (waiting, data) = (request.waiting.as_ref()?, request.data()?);
        let lane = &self.queue.get(id)?.lane;
        let (position, lane_length) = self.queue.position(id)?;
        Some(Waiter {
            request: id,
            lane: lane.clone(),
            position,
            lane_length,
            waited: self.now.since(request.arrival.at),
            estimate: self.queue.estimate(lane, position, self.now),
            identity: waiting.identity.clone(),
            name: data.name.clone(),
            door: data.door_name.clone(),
            room: self.room_state(request.room()),
        })
    }

    /// Takes the texts of a batch.
    pub(super) fn status_texts(
        &mut self,
        ask: AskId,
        result: Result<Vec<Option<Arc<[u8]>>>, Fault>,
    ) {
        // An answer to another kind of ask names none of these.
        let Some(Asked::Status { .. }) = self.asks.get(&ask) else {
            return;
        };
        let Some(Asked::Status {
            slot,
            waiters,
            told,
        }) = self.asks.remove(&ask)
        else {
            return;
        };
        self.timers.cancel(Timer::StatusAsk(ask));
        match result {
            Ok(texts) if texts.len() == waiters.len() => {
                for (id, text) in waiters.into_iter().zip(texts) {
                    match text {
                        Some(text) => self.send_text(id, text),
                        None if !told => self.send_last_status(id),
                        None => {}
                    }
                }
            }
            Ok(_) | Err(_) => self.statuses_failed(slot, waiters, told),
        }
    }

    /// A batch was not answered in time.
    pub(super) fn status_unanswered(&mut self, ask: AskId) {
        if let Some(Asked::Status {
            slot,
            waiters,
            told,
        }) = self.asks.remove(&ask)
        {
            self.statuses_failed(slot, waiters, told);
        }
    }

    fn statuses_failed(&mut self, slot: SlotId, waiters: Vec<RequestId>, told: bool) {
        if !told {
            for id in &waiters {
                self.send_last_status(*id);
            }
        }
        if waiters.len() > 1 {
            let (first, second) = waiters.split_at(waiters.len() / 2);
            self.ask_statuses(slot, first.to_vec(), true);
            self.ask_statuses(slot, second.to_vec(), true);
        }
    }

    /// Notes a text and sends it.
    pub(super) fn send_text(&mut self, id: RequestId, text: Arc<[u8]>) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        request.status = Some(text);
        self.send_last_status(id);
    }

    /// Sends the last text, or the default. That restarts the session timeout, at the door too.
    pub(super) fn send_last_status(&mut self, id: RequestId) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let text = request
            .status
            .clone()
            .unwrap_or_else(|| self.config.default_status.clone());
        let door = request.door;
        let position = self.queue.position(id).map(|(position, _)| position);
        self.emit(Output::Status {
            door,
            request: id,
            text,
            position,
        });
    }
}

/// A moment that others share, not after this one and sooner by little of the wait.
fn together(at: Moment, wait: Duration) -> Moment {
    let apart = u64::try_from(TOGETHER.min(wait / 4).as_millis())
        .unwrap_or(1)
        .max(1);
    Moment::from_millis(at.as_millis() - at.as_millis() % apart)
}
