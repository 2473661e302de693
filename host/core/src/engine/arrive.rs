//! How a request begins, and how its peer goes away.

use super::Core;
use super::state::{Knocked, Request, SlotSet, Stage};
use crate::address::{AddressGroup, canonical};
use crate::ask::Why;
use crate::id::{DoorId, RequestId};
use crate::input::Departure;
use crate::ledger::{Holder, Op};
use crate::output::Output;
use crate::pool::NoRoom;
use crate::queue::{Arrival, PlaceId};
use crate::reason::{Reason, code};
use crate::request::{Abandonment, RequestData};
use crate::session::SessionEnd;
use crate::time::Moment;
use crate::timers::Timer;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

impl Core {
    pub(super) fn knock(&mut self, id: RequestId, door: DoorId, peer: SocketAddr, room: Arc<str>) {
        if self.requests.contains_key(&id) || self.sessions.of_request(id).is_some() {
            return;
        }
        let peer = canonical(peer);
        let group = AddressGroup::of(peer.ip());
        let borrowed = match self.admit(id, door, group) {
            Ok(borrowed) => borrowed,
            Err(reason) => {
                return self.emit(Output::Refused {
                    door,
                    request: id,
                    reason,
                    at_knock: true,
                });
            }
        };
        self.last_arrival += 1;
        let arrival = Arrival {
            at: self.now,
            serial: self.last_arrival,
        };
        let request = Request {
            stage: Stage::Knocked(Box::new(Knocked { peer, room })),
            arrival,
            decision: None,
            waiting: None,
            door,
            attempt: 0,
            seen_by: SlotSet::default(),
            status: None,
            status_at: Moment::ZERO,
            borrowed,
        };
        self.requests.insert(id, Box::new(request));
        let at = self.now.after(self.session_timeout(door));
        self.timers.set(Timer::Unanswered(id), at);
        self.emit(Output::Pending { door, request: id });
    }

    /// Finds a place in the pool, or, without a pool, a seat.
    fn admit(
        &mut self,
        id: RequestId,
        door: DoorId,
        group: AddressGroup,
    ) -> Result<Option<PlaceId>, Reason> {
        if let Some(reason) = &self.draining {
            return Err(reason.clone());
        }
        if self.config.max_pending == 0 {
            let seat = [self.own.seat(door)];
            self.ledger
                .commit(&[Op::Take(Holder::Request(id), &seat)])
                .map_err(|full| full.reason)?;
        }
        match self.pool.enter(group) {
            Ok(()) => Ok(None),
            // One whose place is kept comes back: its place counts already.
            Err(no_room) => match self.places.lend(group, id) {
                Some(place) => Ok(Some(place)),
                None => {
                    // Nothing else is held at a knock.
                    self.release_holder(id);
                    Err(match no_room {
                        NoRoom::Pool => Reason::new(code::POOL_FULL, "Too many are waiting."),
                        NoRoom::Share => Reason::new(
                            code::ADDRESS_SHARE,
                            "Too many are waiting from your address.",
                        ),
                    })
                }
            },
        }
    }

    pub(super) fn submit(&mut self, data: Arc<RequestData>) {
        let id = data.id;
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let Stage::Knocked(knocked) = &request.stage else {
            return;
        };
        let peer = knocked.peer;
        request.stage = Stage::Complete(if data.peer == peer {
            data
        } else {
            // It is counted by the address that it knocked from.
            Arc::new(RequestData {
                peer,
                ..RequestData::clone(&data)
            })
        });
        let door = request.door;
        let first_status = self.status_pace(door).min(self.config.first_status);
        self.set_status(id, first_status);
        // From now on there is a status at least twice in every session timeout, and each restarts it: what
        // bounds the request is the decision's timeout, and then how long its door can hold a wait.
        self.timers.cancel(Timer::Unanswered(id));
        self.begin_decision(id, Why::First);
    }

    pub(super) fn gone(&mut self, id: RequestId, how: Departure) {
        if let Some(session) = self.sessions.of_request(id) {
            let end = match how {
                Departure::Left => SessionEnd::Left,
                Departure::Dropped => SessionEnd::Closed,
                Departure::ProtocolError => SessionEnd::ProtocolError,
            };
            return self.end_session(session, end);
        }
        if how == Departure::Dropped {
            self.keep_place(id);
        }
        let why = match how {
            Departure::Left => Abandonment::Cancelled,
            Departure::Dropped | Departure::ProtocolError => Abandonment::Dropped,
        };
        self.abandon(id, why, None);
    }

    /// How long a request of this door may go without an answer or a status.
    pub(super) fn session_timeout(&self, door: DoorId) -> Duration {
        if self.config.session_timeout.is_zero() {
            self.door(door)
                .map_or(Duration::from_secs(10), |door| door.connection_timeout)
        } else {
            self.config.session_timeout
        }
    }
}
