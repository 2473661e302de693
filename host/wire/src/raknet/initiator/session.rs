//! Over a connection: our request, the session exchange, then the game, and the goodbye.

use std::collections::VecDeque;
use std::time::Duration;

use super::super::address::Addresses;
use super::super::clock::PeerClock;
use super::super::connection::{Budget, Connection, Incoming, Limits, SendError};
use super::super::malformed::Malformed;
use super::super::message::Message;
use super::super::password::Password;
use super::super::reliability::Reliability;
use super::super::timestamp::Timestamped;
use super::event::{Ending, Event, State};
use super::setup::Setup;

/// How long the server has from the end of the opening to its acceptance of our request.
const STALLED: Duration = Duration::from_secs(10);

/// How long our goodbye may take to be acknowledged.
const GOODBYE: Duration = Duration::from_secs(3);

/// How long we stay to acknowledge the server's goodbye.
const LINGER: Duration = Duration::from_millis(200);

#[derive(Debug)]
enum Stage {
    /// The connection request is sent.
    Requested,
    /// The session request is sent.
    Waiting,
    In,
    /// Over but for acknowledgements.
    Closing(Ending),
    Ended,
}

#[derive(Debug)]
pub(super) struct Session {
    connection: Connection,
    stage: Stage,
    /// When the stage has lasted too long.
    deadline: Option<Duration>,
    /// When something reliable was sent last.
    reliable_at: Duration,
    clock: PeerClock,
    /// Messages of the game that came before we were in.
    early: u64,
    malformed: u64,
}

/// The milliseconds that messages carry.
fn millis(now: Duration) -> u64 {
    // Good for half a thousand million years.
    now.as_millis() as u64
}

impl Session {
    pub(super) fn begin(setup: &Setup, mtu: u16, budget: Budget, now: Duration) -> Self {
        let limits = Limits {
            timeout: setup.timeout,
            ..Limits::pending(mtu)
        };
        let mut session = Self {
            connection: Connection::new(mtu, limits, budget, now),
            stage: Stage::Requested,
            deadline: Some(now + STALLED),
            reliable_at: now,
            clock: PeerClock::default(),
            early: 0,
            malformed: 0,
        };
        let request = Message::ConnectionRequest {
            guid: setup.guid,
            time: millis(now),
            password: Password::new(&setup.password),
        };
        session.say(&request, Reliability::Reliable, now);
        session
    }

    pub(super) fn state(&self) -> State {
        match self.stage {
            Stage::Requested | Stage::Waiting => State::Connecting,
            Stage::In => State::Connected,
            Stage::Closing(_) => State::Closing,
            Stage::Ended => State::Ended,
        }
    }

    pub(super) fn early(&self) -> u64 {
        self.early
    }

    pub(super) fn malformed(&self) -> u64 {
        self.malformed
    }

    pub(super) fn rtt(&self) -> Option<Duration> {
        self.connection.rtt()
    }

    /// Sends a message of the game.
    pub(super) fn send(
        &mut self,
        bytes: &[u8],
        bits: usize,
        reliability: Reliability,
        channel: u8,
        now: Duration,
    ) -> Result<(), SendError> {
        self.connection
            .send_bits(bytes, bits, reliability, channel)?;
        if reliability.is_reliable() {
            self.reliable_at = now;
        }
        Ok(())
    }

    /// Says goodbye, once.
    pub(super) fn leave(&mut self, reason: &[u8], setup: &Setup, now: Duration) {
        if matches!(self.stage, Stage::Closing(_) | Stage::Ended) {
            return;
        }
        let reason = if setup.dialect.disconnect_reason {
            reason
        } else {
            b""
        };
        self.say(
            &Message::Disconnect(reason),
            Reliability::ReliableOrdered,
            now,
        );
        self.stage = Stage::Closing(Ending::Left);
        self.deadline = Some(now + GOODBYE);
    }

    pub(super) fn receive(
        &mut self,
        datagram: &[u8],
        setup: &Setup,
        now: Duration,
        events: &mut VecDeque<Event>,
    ) {
        if matches!(self.stage, Stage::Ended) {
            return;
        }
        if self.connection.receive(datagram, now).is_err() {
            // One bad datagram is as good as lost.
            self.malformed += 1;
        }
        while let Some(incoming) = self.connection.poll_message() {
            self.take(incoming, setup, now, events);
        }
    }

    fn take(
        &mut self,
        mut incoming: Incoming,
        setup: &Setup,
        now: Duration,
        events: &mut VecDeque<Event>,
    ) {
        let message = match Message::parse(&incoming.bytes, setup.dialect) {
            Ok(message) => message,
            Err(malformed) => return self.take_malformed(malformed, now),
        };
        match (&self.stage, message) {
            (_, Message::Ping { time }) => {
                let pong = Message::Pong {
                    ping: time,
                    pong: millis(now),
                };
                self.say(&pong, Reliability::Unreliable, now);
            }
            (_, Message::Pong { ping, pong }) => self.clock.answered(ping, pong, millis(now)),
            (Stage::Closing(_) | Stage::Ended, _) => {}
            (Stage::Requested, Message::Accepted { time, .. }) => {
                self.accepted(time, setup, now);
                events.push_back(Event::Requested);
                if matches!(self.stage, Stage::In) {
                    events.push_back(Event::Accepted { config: Vec::new() });
                }
            }
            (Stage::Requested, Message::InvalidPassword(_)) => {
                self.close(Ending::WrongPassword, now);
            }
            (Stage::Waiting, Message::SessionStatus(text)) => {
                self.deadline = Some(now + setup.session_timeout);
                events.push_back(Event::Status(text.to_vec()));
            }
            (Stage::Waiting, Message::SessionRejected(reason)) => {
                self.close(Ending::Rejected(reason.to_vec()), now);
            }
            (Stage::Waiting, Message::SessionConfig(config)) => {
                self.enter(setup);
                events.push_back(Event::Accepted {
                    config: config.to_vec(),
                });
            }
            (_, Message::Disconnect(reason)) => {
                self.close(Ending::Disconnected(reason.to_vec()), now);
            }
            (Stage::In, Message::Application(bytes)) => {
                if let Ok(Some(Timestamped { time, .. })) = Timestamped::parse(bytes) {
                    let ours = self.clock.ours(time);
                    // A timestamp is the eight bytes behind the id, or it was not parsed.
                    incoming.bytes[1..9].copy_from_slice(&ours.to_be_bytes());
                }
                events.push_back(Event::Message(incoming));
            }
            (_, Message::Application(_)) => self.early += 1,
            // Repetitions, and what only a server is told.
            (_, _) => {}
        }
    }

    fn take_malformed(&mut self, malformed: Malformed, now: Duration) {
        self.malformed += 1;
        // The game goes on without a message that nobody understands; a handshake does not.
        if matches!(self.stage, Stage::Requested | Stage::Waiting) {
            self.close(Ending::Broken(malformed), now);
        }
    }

    /// The server accepted our request: what follows is the same for everyone.
    fn accepted(&mut self, server_time: u64, setup: &Setup, now: Duration) {
        let incoming = Message::NewIncoming {
            server: setup.server,
            addresses: Addresses::new(&[], setup.dialect),
            accepted_time: server_time,
            time: millis(now),
        };
        self.say(&incoming, Reliability::ReliableOrdered, now);
        if setup.dialect.session_exchange {
            let request = Message::SessionRequest(&setup.payload);
            self.say(&request, Reliability::ReliableOrdered, now);
            self.stage = Stage::Waiting;
            self.deadline = Some(now + setup.session_timeout);
        } else {
            self.enter(setup);
        }
        self.say(
            &Message::Ping { time: millis(now) },
            Reliability::Unreliable,
            now,
        );
    }

    fn enter(&mut self, setup: &Setup) {
        self.stage = Stage::In;
        self.deadline = None;
        self.connection.set_limits(Limits {
            timeout: setup.timeout,
            ..setup.limits
        });
    }

    fn close(&mut self, ending: Ending, now: Duration) {
        self.stage = Stage::Closing(ending);
        self.deadline = Some(now + LINGER);
    }

    pub(super) fn poll_transmit(
        &mut self,
        setup: &Setup,
        now: Duration,
        out: &mut Vec<u8>,
        events: &mut VecDeque<Event>,
    ) -> bool {
        if matches!(self.stage, Stage::In) && self.keep_alive_due(setup) <= now {
            let ping = Message::Ping { time: millis(now) };
            self.say(&ping, Reliability::Reliable, now);
        }
        if matches!(self.stage, Stage::Ended) {
            return false;
        }
        if self.connection.poll_transmit(now, out) {
            return true;
        }
        if let Some(ending) = self.over(now) {
            self.stage = Stage::Ended;
            self.deadline = None;
            events.push_back(Event::Ended(ending));
        }
        false
    }

    /// How it ended, if it has, now that nothing is left to be sent.
    fn over(&mut self, now: Duration) -> Option<Ending> {
        let late = self.deadline.is_some_and(|deadline| deadline <= now);
        let lost = self.connection.is_lost(now);
        match &mut self.stage {
            Stage::Closing(ending) => {
                // Nothing of ours is unacknowledged, and nothing of theirs.
                let done = self.connection.poll_timeout().is_none();
                (done || late || lost).then(|| std::mem::replace(ending, Ending::Left))
            }
            Stage::Requested if late => Some(Ending::Stalled),
            Stage::Waiting if late => Some(Ending::SessionTimeout),
            _ => lost.then_some(Ending::Lost),
        }
    }

    fn keep_alive_due(&self, setup: &Setup) -> Duration {
        self.reliable_at + setup.timeout / 2
    }

    pub(super) fn poll_timeout(&self, setup: &Setup) -> Option<Duration> {
        let keep_alive = match self.stage {
            Stage::Ended => return None,
            Stage::In => Some(self.keep_alive_due(setup)),
            _ => None,
        };
        let due = [self.deadline, keep_alive, self.connection.poll_timeout()];
        due.into_iter().flatten().min()
    }

    fn say(&mut self, message: &Message<'_>, reliability: Reliability, now: Duration) {
        // Our own messages are few and small, but for a payload for which the limits have room. A server that
        // asks for pongs faster than it takes them gets fewer.
        let bytes = message.to_bytes();
        let _ = self.send(&bytes, bytes.len() * 8, reliability, 0, now);
    }
}
