//! What happens to a door without a call: the core's events, time, and another game server.

use super::Book;
use super::sessions::Known;
use crate::core_loop::DoorEvent;
use crate::doors::http::api::{Accepted, Answer, Ended, How, OverWhy, Rejected};
use data_encoding::BASE64;
use std::time::Duration;
use usher_core::{Departure, Grant, Input, Moment, Reason, RequestId, SessionEnd, SessionId};

/// The door looks four times a second. When it did not for so long, the host stood still: a machine that was
/// paused, mostly.
const STOOD_STILL: Duration = Duration::from_secs(2);

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
            DoorEvent::Joined { request } => {
                self.sessions.confirmed(request);
                self.requests.unpin(request);
            }
            DoorEvent::Probe { session } => {
                // Who waits must have given way before the seat is free.
                self.look(now);
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
        if self.requests.settle(request, accepted, false, now) {
            self.requests.pin(request);
        }
        self.sessions.insert(request, grant, now);
    }

    fn ended(&mut self, session: SessionId, how: SessionEnd) {
        let Some(known) = self.sessions.remove(session) else {
            return;
        };
        self.requests.unpin(known.request);
        let (how, reason) = match how {
            SessionEnd::Left => (How::Left, None),
            SessionEnd::Closed | SessionEnd::ProtocolError => {
                (known.ends.unwrap_or(How::Dropped), None)
            }
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
        self.look(now);
        self.requests.sweep(now);
        self.locals.sweep(now);
        for request in self.requests.unasked(self.terms.lease, now) {
            self.end_request(request, OverWhy::Unasked, Departure::Dropped, now);
        }
    }

    /// Looks whether the game server is still there. If not, everything ends that the core does not end by
    /// itself: whoever is confirmed has a lease of its own, which the core watches.
    fn look(&mut self, now: Moment) {
        let looked = self.looked.replace(now).unwrap_or(now);
        let gap = now.since(looked);
        if gap > STOOD_STILL {
            // Nobody was heard, because nobody listened.
            self.instance.pardon(gap);
            self.requests.pardon(gap);
        }
        let seen = self.instance.seen(now);
        if seen.is_none_or(|at| now < at.after(self.terms.lease)) {
            return;
        }
        for request in self.requests.all_open() {
            self.end_request(request, OverWhy::Unasked, Departure::Dropped, now);
        }
        self.end_sessions(How::Lease, |known| !known.is_confirmed());
        for local in self.locals.clear() {
            self.note_local(local, How::Lease);
        }
    }

    fn end_sessions(&mut self, ends: How, which: impl Fn(&Known) -> bool) {
        let mut gone = Vec::new();
        // Once is enough: the core will hear of it.
        for known in self.sessions.all().filter(|it| it.ends.is_none()) {
            if which(known) {
                known.ends = Some(ends);
                gone.push(known.request);
            }
        }
        for request in gone {
            let how = Departure::Dropped;
            self.tell(Input::Gone { request, how });
        }
    }

    /// Another game server has come: whatever the one before it had is over.
    pub(super) fn replace(&mut self, now: Moment) {
        for request in self.requests.all_open() {
            self.end_request(request, OverWhy::Replaced, Departure::Dropped, now);
        }
        // Keys of the next one are its own, though it may number its players as the one before did.
        self.requests.forget_all();
        self.end_sessions(How::Replaced, |_| true);
        for local in self.locals.clear() {
            self.note_local(local, How::Replaced);
        }
    }
}
