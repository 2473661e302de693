//! What a peer says, by its stage.

use std::time::Duration;

use super::super::connection::Incoming;
use super::super::malformed::Malformed;
use super::super::message::Message;
use super::super::reliability::Reliability;
use super::super::timestamp::Timestamped;
use super::event::{Cause, Event, Password, Stage, Violation};
use super::server::Server;
use super::{Acceptor, LINGER, Nanos, is_the_games};

impl Acceptor {
    pub(super) fn hear(
        &mut self,
        server: &Server,
        incoming: Incoming,
        now: Duration,
        events: &mut Vec<Event>,
    ) {
        let message = match Message::parse(&incoming.bytes, self.opening.dialect) {
            Ok(message) => message,
            Err(cause) => return self.hear_noise(&incoming, cause, events),
        };
        match (self.stage, message) {
            // Both sides say goodbye at once: the other's is to be acknowledged too.
            (Stage::Closing, Message::Disconnect(_)) if !self.has_left => {
                self.has_left = true;
                self.until = Nanos::of(self.until.time().min(now + LINGER));
            }
            (Stage::Closing | Stage::Over, _) => {}
            (Stage::Unverified, Message::ConnectionRequest { time, password, .. }) => {
                self.request_time = time;
                self.stage = Stage::Requested;
                events.push(Event::Requested(Password(password.expose().into())));
            }
            (Stage::Unverified, _) => events.push(Event::Dropped(Cause::Ignored)),
            (_, Message::Disconnect(reason)) => {
                events.push(Event::Disconnected(reason.to_vec()));
                self.connection.fall_silent();
                // It stays until it has this, and says nothing more that could be acknowledged with it.
                self.connection.acknowledge_at_once(now);
                self.has_left = true;
                self.close(now + LINGER);
            }
            (Stage::Requested, _) => events.push(Event::Dropped(match message {
                Message::Application(_) => Cause::Early,
                _ => Cause::Ignored,
            })),
            (_, Message::Ping { time }) => {
                let pong = Message::Pong {
                    ping: time,
                    pong: server.clock_at(now),
                };
                // One that does not keep up with what it is sent already gets no pong.
                let _ = self.say(&pong, Reliability::Unreliable, now);
            }
            (_, Message::Pong { ping, pong }) => {
                self.clock.answered(ping, pong, server.clock_at(now));
            }
            (_, Message::DetectLost) => {}
            (
                Stage::Handling,
                Message::NewIncoming {
                    accepted_time,
                    time,
                    ..
                },
            ) => {
                self.clock
                    .answered(accepted_time, time, server.clock_at(now));
                if self.opening.dialect.session_exchange {
                    self.stage = Stage::Exchanging;
                } else {
                    self.connection.set_limits(server.accepted());
                    self.stage = Stage::Connected;
                }
            }
            (Stage::Exchanging, Message::SessionRequest(_)) => {
                self.hear_session_request(incoming, now, events);
            }
            (stage, Message::Application(bytes)) => {
                let id = bytes.first().copied().unwrap_or(0);
                if !is_the_games(id, self.opening.dialect) {
                    events.push(Event::Dropped(Cause::Ignored));
                } else if stage == Stage::Connected {
                    self.hear_game(incoming, events);
                } else {
                    events.push(Event::Dropped(Cause::Early));
                }
            }
            _ => events.push(Event::Dropped(Cause::Ignored)),
        }
    }

    /// A message that cannot be read.
    fn hear_noise(&mut self, incoming: &Incoming, cause: Malformed, events: &mut Vec<Event>) {
        let violation = match self.stage {
            Stage::Closing | Stage::Over => return,
            Stage::Exchanging if is_long_request(incoming, cause) => Violation::Payload,
            _ => return events.push(Event::Dropped(Cause::Malformed)),
        };
        self.end();
        events.push(Event::Violated(violation));
    }

    fn hear_session_request(&mut self, incoming: Incoming, now: Duration, events: &mut Vec<Event>) {
        let mut payload = incoming.bytes;
        payload.remove(0);
        self.stage = Stage::Pending;
        // Where nobody waits the decision is there sooner than any acknowledgement has to be.
        self.connection.acknowledge_with_answer(now);
        // It counts until it is decided about, wherever it is.
        if !self.connection.hold(payload.len()) {
            return events.push(Event::NoRoom);
        }
        events.push(Event::SessionRequest(payload));
    }

    fn hear_game(&mut self, mut incoming: Incoming, events: &mut Vec<Event>) {
        // Only who knows that it is in plays.
        self.send_waiting();
        match Timestamped::parse(&incoming.bytes) {
            Ok(None) => {}
            Ok(Some(Timestamped { time, message })) => {
                let time = self.clock.ours(time);
                let mut bytes = Vec::with_capacity(incoming.bytes.len());
                Timestamped { time, message }.encode(&mut bytes);
                incoming.bytes = bytes;
            }
            Err(_) => return events.push(Event::Dropped(Cause::Malformed)),
        }
        events.push(Event::Message(incoming));
    }
}

fn is_long_request(incoming: &Incoming, cause: Malformed) -> bool {
    matches!(cause, Malformed::TooLong { .. }) && incoming.bytes.first() == Some(&0x80)
}
