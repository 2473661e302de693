//! Places: what is kept of a waiter whose connection dropped, and for whom (semantics 19).

use super::Core;
use crate::address::AddressGroup;
use crate::id::RequestId;
use crate::queue::{Place, PlaceId};
use crate::timers::Timer;
use crate::verdict::{Admission, Waiting};

impl Core {
    /// Keeps the place of a waiter whose connection dropped, if it has said who it is.
    pub(super) fn keep_place(&mut self, id: RequestId) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let (Some(waiting), Some(entry)) = (&request.waiting, self.queue.get(id)) else {
            return;
        };
        let Some(identity) = waiting.identity.clone() else {
            return;
        };
        if waiting.identity_proven && self.sessions.of_proven(&identity).is_some() {
            // Who plays does not wait.
            return;
        }
        let bound = if self.config.max_pending == 0 {
            self.config.max_players
        } else {
            u32::MAX
        };
        if self.config.queue_grace.is_zero()
            || request.borrowed.is_some()
            || self.places.len() >= usize::try_from(bound).unwrap_or(usize::MAX)
        {
            return;
        }
        let place = Place {
            identity,
            proven: waiting.identity_proven,
            group: request.group(),
            lane: entry.lane.clone(),
            arrival: request.arrival,
            // The request still counts; the place counts once that is over.
            lent_to: Some(id),
        };
        let place = self.places.keep(place);
        if let Some(request) = self.requests.get_mut(&id) {
            request.borrowed = Some(place);
        }
        self.timers
            .set(Timer::Grace(place), self.now.after(self.config.queue_grace));
        self.hand_place_on(place);
    }

    /// Gives a place to its owner who is back already: a new connection may be there before the old one is
    /// found dead.
    fn hand_place_on(&mut self, id: PlaceId) {
        let Some(place) = self.places.get(id) else {
            return;
        };
        let candidates = self.queue.waiting_as(&place.identity);
        let back = candidates.into_iter().find(|candidate| {
            Some(*candidate) != place.lent_to
                && self.requests.get(candidate).is_some_and(|request| {
                    let waiting = request.waiting.as_ref();
                    let entry = self.queue.get(*candidate);
                    request.arrival > place.arrival
                        && entry.is_some_and(|entry| entry.lane == place.lane)
                        && waiting.is_some_and(|waiting| {
                            waiting.identity.as_ref() == Some(&place.identity)
                                && place.is_of(waiting.identity_proven, request.group())
                        })
                })
        });
        if let Some(owner) = back {
            self.take_up(owner, id);
            if let Some(request) = self.requests.get(&owner) {
                self.queue.move_up(owner, request.arrival);
            }
        }
    }

    /// Takes up the place that was kept for who this is, if there is one.
    pub(super) fn take_up_place(&mut self, id: RequestId, waiting: &Waiting, group: AddressGroup) {
        let (proven, lane) = (waiting.identity_proven, &waiting.lane);
        let identity = waiting.identity.as_deref();
        let place = identity.and_then(|it| self.places.find(it, proven, group, lane));
        if let Some(place) = place {
            self.take_up(id, place);
        }
    }

    /// Takes up a place: its arrival, and its count in the pool.
    fn take_up(&mut self, id: RequestId, place: PlaceId) {
        self.timers.cancel(Timer::Grace(place));
        let Some(place) = self.places.take(place) else {
            return;
        };
        if let Some(request) = self.requests.get_mut(&id) {
            request.arrival = request.arrival.min(place.arrival);
        }
        match place.lent_to {
            // Its count is the borrower's for good.
            Some(borrower) => {
                if let Some(request) = self.requests.get_mut(&borrower) {
                    request.borrowed = None;
                }
            }
            None => self.pool.leave(place.group),
        }
    }

    /// Gives a place up. Its count in the pool goes with it, unless a request counts on it.
    pub(super) fn give_up_place(&mut self, id: PlaceId) {
        self.timers.cancel(Timer::Grace(id));
        let Some(place) = self.places.take(id) else {
            return;
        };
        match place
            .lent_to
            .and_then(|request| self.requests.get_mut(&request))
        {
            Some(borrower) => borrower.borrowed = None,
            None => self.pool.leave(place.group),
        }
    }

    /// Who is in does not wait any more: a place of theirs would only fill the pool.
    pub(super) fn give_up_own_places(&mut self, id: RequestId, admission: &Admission) {
        let (Some(identity), Some(request)) = (&admission.identity, self.requests.get(&id)) else {
            return;
        };
        let own = self
            .places
            .owned(identity, admission.identity_proven, request.group());
        for place in own {
            self.give_up_place(place);
        }
    }
}
