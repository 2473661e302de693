//! What happens to a door without a call: the core's events, time, and another game server.

use super::Book;
use crate::core_loop::DoorEvent;
use crate::doors::http::api::{Accepted, Answer, Ended, How, OverWhy, Rejected};
use data_encoding::BASE64;
use usher_core::{Departure, Grant, Input, Moment, Reason, RequestId, SessionEnd, SessionId};

impl Book {
    /// Takes what the core says.
    pub(in crate::doors::http) fn deliver(&mut self, event: DoorEvent, now: Moment) {
        match event {
            // The request stands as before.
            DoorEvent::Pending { .. } | DoorEvent::Bound { .. } => {}
            DoorEvent::Refused {
                request, reason, ..
            } => self.refuse(request, &reason, now),
            DoorEvent::Status {
                request,
                text,
                position,
            } => self.requests.change(request, |answer| {
                if let Answer::Waiting(waiting) = answer {
                    waiting.status = String::from_utf8_lossy(&text).into_owned();
                    waiting.position = position;
                    waiting.version += 1;
                }
            }),
            DoorEvent::Accepted { request, grant } => self.accept(request, &grant, now),
            DoorEvent::Joined { request } => self.sessions.confirmed(request),
            DoorEvent::Probe { session } => {
                // A session that nobody called for is one that nobody renews.
                let at = self.instance.seen(now).unwrap_or(Moment::ZERO);
                self.tell(Input::Seen { session, at });
            }
            DoorEvent::Ended { session, how, .. } => self.ended(session, how),
        }
    }

    /// Too many knocks wait for the core: this one is as good as refused by a full pool.
    pub(in crate::doors::http) fn shed(&mut self, request: RequestId, now: Moment) {
        let reason = self.terms.full.clone();
        self.refuse(request, &reason, now);
    }

    fn refuse(&mut self, request: RequestId, reason: &Reason, now: Moment) {
        let rejected = Answer::Rejected(Rejected {
            id: self.run.name(request.0),
            code: reason.code.to_string(),
            text: reason.text.to_string(),
            number: reason.number,
        });
        self.requests.settle(request, rejected, false, now);
    }

    fn accept(&mut self, request: RequestId, grant: &Grant, now: Moment) {
        let within = self.terms.confirm.as_millis();
        let accepted = Answer::Accepted(Accepted {
            id: self.run.name(request.0),
            session: self.run.name(grant.session.0),
            name: grant.name.to_string(),
            room: grant.room.to_string(),
            number: grant.number,
            config: std::str::from_utf8(&grant.config).map(str::to_owned).ok(),
            config_base64: BASE64.encode(&grant.config),
            confirm_within_ms: u64::try_from(within).unwrap_or(u64::MAX),
        });
        // One that was given up meanwhile stays so; the core will hear of it next, and end the session.
        self.requests.settle(request, accepted, false, now);
        self.sessions.insert(request, grant, now);
    }

    fn ended(&mut self, session: SessionId, how: SessionEnd) {
        let Some(known) = self.sessions.remove(session) else {
            return;
        };
        let (how, reason) = match how {
            SessionEnd::Left => (How::Left, None),
            SessionEnd::Closed | SessionEnd::ProtocolError if known.replaced => {
                (How::Replaced, None)
            }
            SessionEnd::Closed | SessionEnd::ProtocolError => (How::Dropped, None),
            SessionEnd::BindTimeout => (How::Unconfirmed, None),
            SessionEnd::IdleTimeout => (How::Lease, None),
            SessionEnd::Kicked(reason) => (How::Kicked, Some(reason)),
            SessionEnd::TakenOver => (How::TakenOver, None),
            SessionEnd::Shutdown => (How::Shutdown, None),
        };
        let ended = Ended {
            session: self.run.name(session.0),
            how,
            code: reason.as_ref().map(|reason| reason.code.to_string()),
            text: reason.map(|reason| reason.text.to_string()),
        };
        known.over(ended.clone());
        self.endings.note(ended);
    }

    /// Time has passed: forgets what was kept long enough, and gives up what nobody asks about.
    pub(in crate::doors::http) fn sweep(&mut self, now: Moment) {
        self.requests.sweep(now);
        let lease = self.terms.lease;
        let seen = self.instance.seen(now);
        let silent = seen.is_some_and(|at| now >= at.after(lease));
        let unasked = match silent {
            true => self.requests.all_open(),
            false => self.requests.unasked(lease, now),
        };
        for request in unasked {
            self.end_request(request, OverWhy::Unasked, Departure::Dropped, now);
        }
        if silent {
            for local in self.locals.clear() {
                self.note_local(local, How::Lease);
            }
        }
    }

    /// Another game server has come: whatever the one before it had is over.
    pub(super) fn replace(&mut self, now: Moment) {
        for request in self.requests.all_open() {
            self.end_request(request, OverWhy::Replaced, Departure::Dropped, now);
        }
        // Keys of the next one are its own, though it may number its players as the one before did.
        self.requests.forget_all();
        let mut gone = Vec::new();
        for known in self.sessions.all() {
            known.replaced = true;
            gone.push(known.request);
        }
        for request in gone {
            let how = Departure::Dropped;
            self.tell(Input::Gone { request, how });
        }
        for local in self.locals.clear() {
            self.note_local(local, How::Replaced);
        }
    }
}
