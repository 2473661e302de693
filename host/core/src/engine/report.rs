//! How things stand, for operators and for tests that assert that nothing leaked.

use super::Core;
use crate::record::{Report, ReportRequest, ReportSession};
use crate::session::Bound;
use crate::time::Moment;

impl Core {
    /// How things stand, for operators. Lists are in the order of ids.
    pub fn report(&self, now: Moment) -> Report {
        let mut requests: Vec<_> = self
            .requests
            .iter()
            .map(|(id, request)| ReportRequest {
                id: *id,
                door: request.door,
                peer: request.peer(),
                state: match (&request.waiting, request.data()) {
                    (Some(_), _) => "waiting",
                    (None, Some(_)) => "deciding",
                    (None, None) => "knocked",
                },
                waited: now.since(request.arrival.at),
            })
            .collect();
        requests.sort_unstable_by_key(|request| request.id);
        let mut sessions: Vec<_> = self
            .sessions
            .iter()
            .map(|session| ReportSession {
                id: session.player.session,
                number: session.player.number,
                name: session.player.name.clone(),
                door: session.player.door,
                peer: session.peer,
                bound: session.bound != Bound::No,
                connected: now.since(session.accepted),
            })
            .collect();
        sessions.sort_unstable_by_key(|session| session.id);
        let waiting = count(self.queue.len() + self.places.len());
        Report {
            connected: count(sessions.len()),
            max_players: self.config.max_players,
            pending: self.pool.total(),
            deciding: self.pool.total().saturating_sub(waiting),
            waiting: waiting.min(self.pool.total()),
            max_pending: self.config.max_pending,
            claims: self.ledger.held(),
            endpoints: count(self.sessions.endpoints()),
            timers: count(self.timers.len() + self.statuses.len()),
            requests,
            sessions,
        }
    }

    /// How many play. Nobody who is pending is among them, whatever units are held for it.
    pub fn players(&self) -> u32 {
        count(self.sessions.len())
    }

    /// Whether a newcomer would find a place now, whatever its address: in the pool or, where there is none, a
    /// seat.
    pub fn has_room(&self) -> bool {
        let room = match self.config.max_pending {
            0 => self.players() + self.pool.total() < self.config.max_players,
            most => self.pool.total() < most,
        };
        room && self.draining.is_none()
    }

    /// Whether nothing is left: no request, session, place, unit, endpoint or timer. Timed units that
    /// have not expired do not count (semantics 7), nor do notices of endings that policies still read.
    pub fn is_empty(&self) -> bool {
        let figures = [
            self.sessions.len(),
            self.requests.len(),
            self.queue.len(),
            self.queue.known(),
            self.places.len(),
            self.sessions.endpoints(),
            self.timers.len() + self.statuses.len(),
            self.reload.len() + self.reloading.len() + self.late_acts.len(),
            self.heirs.len(),
            self.rechecks.values().filter(|it| !it.is_idle()).count(),
            self.freed.len(),
        ];
        let counted = self.pool.total() + self.ledger.held();
        counted == 0 && figures.iter().all(|figure| *figure == 0)
    }
}

/// A count of live peers, which is far below 2^32.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
