//! Sessions: made at commit, bound to an endpoint, ended exactly once (semantics 25 and 26).

use super::Core;
use crate::address::canonical;
use crate::config::Binding;
use crate::id::{RequestId, SessionId};
use crate::ledger::Holder;
use crate::output::{Grant, Output};
use crate::queue::Line;
use crate::reason::{Reason, code};
use crate::record::Outcome;
use crate::request::Ending;
use crate::session::{Bound, Player, Session, SessionEnd, SessionToken};
use crate::time::Moment;
use crate::timers::Timer;
use crate::verdict::{Admission, Command};
use std::net::SocketAddr;
use std::sync::Arc;

impl Core {
    /// Makes the session whose claims were just committed, and ends its request.
    pub(super) fn seat(
        &mut self,
        id: RequestId,
        session: SessionId,
        admission: &Admission,
        took_over: bool,
    ) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let Some(data) = request.data().cloned() else {
            return;
        };
        let (door, peer) = (request.door, request.peer());
        let (arrived, attempt) = (request.arrival.at, request.attempt);
        let decided_by = request.decision.as_ref().map(|it| it.snapshot.number);
        let rules_changed = decided_by != Some(self.snapshot.number);
        let mut units = self.ledger.of(Holder::Session(session));
        let number = units
            .find(|(key, _)| key.is_slot())
            .and_then(|(_, unit)| unit.index);
        drop(units);
        let binding = self.door(door).map_or(Binding::None, |door| door.binding);
        let name = admission.display_name.clone().or_else(|| data.name.clone());
        let player = Player {
            session,
            request: id,
            room: admission.room.clone().unwrap_or_else(|| data.room.clone()),
            name: name.unwrap_or_else(|| Arc::from(format!("player {session}"))),
            identity: admission.identity.clone(),
            identity_proven: admission.identity_proven,
            number,
            door,
            door_name: data.door_name.clone(),
            protocol: data.protocol.clone(),
            remember: admission.remember.clone(),
        };
        let token = match binding {
            Binding::None | Binding::Confirmation { .. } => None,
            Binding::Token { .. } => Some(self.draw_token(door)),
        };
        let grant = Grant {
            session,
            token,
            number,
            name: player.name.clone(),
            room: player.room.clone(),
            config: admission.config.clone(),
        };
        self.sessions.insert(Session {
            player: player.clone(),
            peer,
            proven: data.proven,
            name: data.name.clone(),
            abilities: data.abilities,
            arrived,
            attempt,
            token,
            accepted: self.now,
            took_over,
            heir: None,
            bound: Bound::No,
        });
        self.emit(Output::Accepted {
            door,
            request: id,
            grant,
        });
        self.give_up_own_places(id, admission);
        self.finish(id, Ending::Accepted(session), Outcome::Accepted(session));
        match binding {
            Binding::None => {
                if let Some(session) = self.sessions.get_mut(session) {
                    session.bound = Bound::Connection;
                }
                self.join(session);
            }
            Binding::Token {
                bind_timeout: within,
                ..
            }
            | Binding::Confirmation {
                confirm_timeout: within,
                ..
            } => {
                self.timers
                    .set(Timer::Bind(session), self.now.after(within));
            }
        }
        if took_over {
            self.begin_rest(session);
        } else {
            self.tell_own_waiters(session);
        }
        if rules_changed {
            self.recheck_late(session);
        }
    }

    /// A token that no live session of the door has.
    fn draw_token(&mut self, door: crate::id::DoorId) -> SessionToken {
        let mut tries: u64 = 0;
        loop {
            // Adding the try makes this end even with a generator that does not.
            let bits = (self.entropy)().wrapping_add(tries).to_le_bytes();
            tries += 1;
            if let Some(token) =
                SessionToken::new(u32::from_le_bytes([bits[0], bits[1], bits[2], bits[3]]))
                && !self.sessions.has_token(door, token)
            {
                return token;
            }
        }
    }

    fn join(&mut self, id: SessionId) {
        if let Some(session) = self.sessions.get(id) {
            let player = Box::new(session.player.clone());
            self.emit(Output::Joined(player));
        }
    }

    /// Binds the endpoint that proved to know the token, if the session has none and nobody has it.
    pub(super) fn bind(&mut self, id: SessionId, endpoint: SocketAddr) {
        let endpoint = canonical(endpoint);
        let Some(door) = self.sessions.bind(id, endpoint) else {
            return;
        };
        self.timers.cancel(Timer::Bind(id));
        // The door first: what the rules say to the newcomer at once must find its endpoint.
        self.emit(Output::Bound {
            door,
            session: id,
            endpoint,
        });
        self.join(id);
        self.watch_idle(id, self.now);
    }

    /// Whoever keeps the player's connection says that the player is in. Once is enough.
    pub(super) fn confirm(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let binding = self.door(session.player.door).map(|door| door.binding);
        if !matches!(binding, Some(Binding::Confirmation { .. })) || session.bound != Bound::No {
            return;
        }
        if let Some(session) = self.sessions.get_mut(id) {
            session.bound = Bound::Connection;
        }
        self.timers.cancel(Timer::Bind(id));
        self.join(id);
        self.watch_idle(id, self.now);
    }

    fn watch_idle(&mut self, id: SessionId, seen: Moment) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        if session.bound == Bound::No {
            return;
        }
        let binding = self.door(session.player.door).map(|door| door.binding);
        if let Some(
            Binding::Token {
                idle_timeout: longest,
                ..
            }
            | Binding::Confirmation { lease: longest, .. },
        ) = binding
        {
            let at = seen.after(longest);
            if at <= self.now {
                self.end_session(id, SessionEnd::IdleTimeout);
            } else {
                self.timers.set(Timer::Idle(id), at);
            }
        }
    }

    /// The session may have gone silent; its door knows when it was last heard of.
    pub(super) fn probe(&mut self, id: SessionId) {
        if let Some(session) = self.sessions.get(id) {
            let door = session.player.door;
            self.emit(Output::Probe { door, session: id });
        }
    }

    pub(super) fn seen(&mut self, id: SessionId, at: Moment) {
        self.watch_idle(id, at.min(self.now));
    }

    pub(super) fn kick(&mut self, id: SessionId, reason: Reason) {
        self.end_session(id, SessionEnd::Kicked(reason));
    }

    /// Ends a session: seat, token and endpoint are given back, everyone concerned is told, once.
    pub(super) fn end_session(&mut self, id: SessionId, how: SessionEnd) {
        let Some(session) = self.sessions.remove(id) else {
            return;
        };
        // One that is bound waits for no endpoint any more, and one that is not can't have gone silent.
        self.timers.cancel(match session.bound {
            Bound::No => Timer::Bind(id),
            Bound::Connection | Bound::Endpoint(_) => Timer::Idle(id),
        });
        if session.took_over {
            self.timers.cancel(Timer::Rest(id));
        }
        self.drop_from_rechecks(id);
        let freed = self.let_go(id, session.heir);
        self.freed(freed);
        let player = session.player;
        if session.bound != Bound::No {
            self.emit(Output::Left {
                room: player.room,
                session: id,
                how: how.parting(),
            });
        }
        self.emit(Output::Ended {
            door: player.door,
            request: player.request,
            session: id,
            how,
        });
    }

    /// Applies a policy's commands, in order.
    pub(super) fn apply_commands(&mut self, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::KickSession(session, reason) => self.kick(session, reason),
                Command::KickIdentity(identity, reason) => {
                    for session in self.sessions.of_identity(&identity) {
                        self.kick(session, reason.clone());
                    }
                }
                Command::BucketPut { .. } => self.emit(Output::Command(command)),
            }
        }
    }

    /// Stops: nobody gets in any more, those who wait are told, those who play are ended.
    pub(super) fn drain(&mut self) {
        let reason = Reason::new(code::SHUTTING_DOWN, "The server is stopping.");
        self.draining = Some(reason.clone());
        self.reload = Line::default();
        self.stop_rechecks();
        for place in self.places.ids() {
            self.give_up_place(place);
        }
        let mut requests: Vec<_> = self.requests.keys().copied().collect();
        requests.sort_unstable();
        for id in requests {
            self.reject(id, reason.clone());
        }
        for id in self.sessions.ids() {
            self.end_session(id, SessionEnd::Shutdown);
        }
    }
}
