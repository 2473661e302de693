//! One whole life at a door: in, and out again. It says what a client of the library says, datagram by datagram,
//! and keeps next to nothing, so that thousands of them cost their generator less than their door.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;
use usher_wire::raknet::{
    Addresses, Datagram, Dialect, Frame, Guid, IP_UDP_HEADER, MAX_MTU, Message, Offline, Password,
    Reliability, begin_data, encode_ack,
};

/// How long an answer may take before what it answers is sent again.
const AGAIN: Duration = Duration::from_secs(1);

/// How often it is.
const TRIES: u8 = 10;

/// What each sends as its session payload.
const PAYLOAD: &[u8] = b"player for a moment";

/// Where datagrams go.
pub(super) trait Way {
    /// One datagram.
    fn send(&mut self, from: Ipv4Addr, bytes: &[u8]);

    /// Two: the first `length` bytes, and the rest, which is not longer.
    fn send_two(&mut self, from: Ipv4Addr, bytes: &[u8], length: usize);
}

/// Someone who comes and goes.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) address: Ipv4Addr,
    pub(super) born: Duration,
    door: SocketAddrV4,
    guid: Guid,
    stage: Stage,
    cookie: Option<u32>,
    /// The clock of the server when it accepted the request.
    accepted: u64,
    /// When it spoke last, and how often it has said the same.
    spoke: Duration,
    tries: u8,
    /// Number of the next datagram.
    number: u32,
    /// Whether anything of it was acknowledged: from then on acknowledgements may wait for company.
    heard: bool,
    /// Datagrams of the server that are not acknowledged, a bit each.
    owed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Opening,
    Asking,
    Requested,
    Waiting,
    Leaving,
    Over,
}

/// What came of a datagram, or of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Nothing that counts.
    None,
    /// It is in, and is leaving already.
    Admitted,
    /// Its goodbye was acknowledged.
    Over,
    /// It was turned away, with this word.
    Refused(String),
    /// It said something again.
    Again,
    /// It has given up.
    Lost,
}

impl Life {
    /// One that begins now.
    pub(super) fn new(
        address: Ipv4Addr,
        guid: u64,
        door: SocketAddrV4,
        now: Duration,
        out: (&mut Vec<u8>, &mut impl Way),
    ) -> Life {
        let mut life = Life {
            address,
            born: now,
            door,
            guid: Guid(guid),
            stage: Stage::Opening,
            cookie: None,
            accepted: 0,
            spoke: now,
            tries: 0,
            number: 0,
            heard: false,
            owed: 0,
        };
        life.speak(now, out);
        life
    }

    /// When it speaks again, if nothing comes.
    pub(super) fn due(&self) -> Duration {
        self.spoke + AGAIN
    }

    /// Its time has come, perhaps.
    pub(super) fn tick(&mut self, now: Duration, out: (&mut Vec<u8>, &mut impl Way)) -> Step {
        if self.stage == Stage::Over || now < self.due() {
            return Step::None;
        }
        self.tries += 1;
        if self.tries == TRIES {
            self.stage = Stage::Over;
            return Step::Lost;
        }
        self.speak(now, out);
        Step::Again
    }

    /// Takes a datagram that came to its address.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        now: Duration,
        (buffer, way): (&mut Vec<u8>, &mut impl Way),
    ) -> Step {
        match self.stage {
            Stage::Over => Step::None,
            Stage::Opening | Stage::Asking => {
                let answer = Offline::parse(bytes, true);
                let next = match (self.stage, answer) {
                    (_, Ok(Offline::Refused { refusal, .. })) => {
                        self.stage = Stage::Over;
                        return Step::Refused(format!("{refusal:?}"));
                    }
                    (Stage::Opening, Ok(Offline::Reply1 { cookie, .. })) => {
                        self.cookie = cookie;
                        Stage::Asking
                    }
                    (Stage::Asking, Ok(Offline::Reply2 { .. })) => Stage::Requested,
                    // One that came twice.
                    _ => return Step::None,
                };
                self.go_on(next, now, (buffer, way));
                Step::None
            }
            Stage::Requested | Stage::Waiting | Stage::Leaving => {
                self.hear(bytes, now, (buffer, way))
            }
        }
    }

    /// Takes a datagram of its connection.
    fn hear(
        &mut self,
        bytes: &[u8],
        now: Duration,
        (buffer, way): (&mut Vec<u8>, &mut impl Way),
    ) -> Step {
        let (number, frames) = match Datagram::parse(bytes) {
            Ok(Datagram::Data { number, frames }) => (number, frames),
            Ok(Datagram::Ack(ranges)) => {
                self.heard = true;
                let mut named = ranges.iter();
                let newest = self.number.wrapping_sub(1);
                let last = named.any(|(from, to)| (from..=to).contains(&newest));
                if last && self.stage == Stage::Leaving {
                    self.stage = Stage::Over;
                    return Step::Over;
                }
                return Step::None;
            }
            _ => return Step::None,
        };
        self.owed |= 1u64.checked_shl(number).unwrap_or(0);
        let mut step = Step::None;
        for frame in frames.flatten() {
            let message = Message::parse(frame.bytes, Dialect::MAFIANET);
            let next = match (self.stage, message) {
                (Stage::Requested, Ok(Message::Accepted { time, .. })) => {
                    self.accepted = time;
                    Stage::Waiting
                }
                (Stage::Waiting, Ok(Message::SessionConfig(_))) => {
                    step = Step::Admitted;
                    Stage::Leaving
                }
                (Stage::Waiting, Ok(Message::SessionRejected(text))) => {
                    self.stage = Stage::Over;
                    return Step::Refused(String::from_utf8_lossy(text).into_owned());
                }
                (_, Ok(Message::Disconnect(text))) => {
                    self.stage = Stage::Over;
                    return Step::Refused(String::from_utf8_lossy(text).into_owned());
                }
                _ => continue,
            };
            self.go_on(next, now, (buffer, way));
        }
        step
    }

    /// Whether it has something to say once it has heard all that came.
    pub(super) fn is_restless(&self) -> bool {
        self.owed > 0 && !self.heard && self.stage != Stage::Over
    }

    /// It has heard all that came.
    pub(super) fn settle(&mut self, (buffer, way): (&mut Vec<u8>, &mut impl Way)) {
        if self.is_restless() {
            buffer.clear();
            self.acknowledge(buffer);
            way.send(self.address, buffer);
        }
    }

    fn go_on(&mut self, stage: Stage, now: Duration, out: (&mut Vec<u8>, &mut impl Way)) {
        self.stage = stage;
        self.tries = 0;
        self.speak(now, out);
    }

    /// Says what belongs to its stage.
    fn speak(&mut self, now: Duration, (buffer, way): (&mut Vec<u8>, &mut impl Way)) {
        self.spoke = now;
        buffer.clear();
        let time = now.as_millis() as u64;
        let ordered = Reliability::ReliableOrdered;
        match self.stage {
            Stage::Opening => Offline::Request1 {
                protocol: 7,
                length: usize::from(MAX_MTU - IP_UDP_HEADER),
            }
            .encode(buffer),
            Stage::Asking => Offline::Request2 {
                cookie: self.cookie,
                dialled: self.door,
                mtu: MAX_MTU,
                guid: self.guid,
            }
            .encode(buffer),
            Stage::Requested => {
                let request = Message::ConnectionRequest {
                    guid: self.guid,
                    time,
                    password: Password::new(b""),
                };
                self.begin(buffer);
                frame(&request, Reliability::Reliable, 0, 0, buffer);
            }
            Stage::Waiting => {
                let incoming = Message::NewIncoming {
                    server: self.door,
                    addresses: Addresses::new(&[], Dialect::MAFIANET),
                    accepted_time: self.accepted,
                    time,
                };
                self.begin(buffer);
                frame(&incoming, ordered, 1, 0, buffer);
                frame(&Message::SessionRequest(PAYLOAD), ordered, 2, 1, buffer);
            }
            Stage::Leaving => {
                self.begin(buffer);
                frame(&Message::Disconnect(b""), ordered, 3, 2, buffer);
                let length = buffer.len();
                self.acknowledge(buffer);
                if buffer.len() > length && buffer.len() <= 2 * length {
                    return way.send_two(self.address, buffer, length);
                }
                buffer.truncate(length);
            }
            Stage::Over => return,
        }
        way.send(self.address, buffer);
    }

    fn begin(&mut self, buffer: &mut Vec<u8>) {
        begin_data(self.number, buffer);
        self.number += 1;
    }

    /// Appends an acknowledgement of all that is owed, if anything is.
    fn acknowledge(&mut self, buffer: &mut Vec<u8>) {
        let mut owed = std::mem::take(&mut self.owed);
        let mut ranges = [(0, 0); 32];
        let mut count = 0;
        let mut at = 0;
        while owed != 0 && count < ranges.len() {
            let skip = owed.trailing_zeros();
            owed >>= skip;
            let run = owed.trailing_ones();
            owed = owed.checked_shr(run).unwrap_or(0);
            ranges[count] = (at + skip, at + skip + run - 1);
            at += skip + run;
            count += 1;
        }
        if count > 0 {
            encode_ack(&ranges[..count], usize::from(MAX_MTU), buffer);
        }
    }
}

/// Appends a message that is whole in its datagram, with its number and its place in the order of channel 0.
fn frame(
    message: &Message<'_>,
    reliability: Reliability,
    number: u32,
    order: u32,
    out: &mut Vec<u8>,
) {
    let bytes = message.to_bytes();
    let frame = Frame {
        reliability,
        // All of ours are short.
        bits: (bytes.len() * 8) as u16,
        message: number,
        sequence: 0,
        order,
        channel: 0,
        part: None,
        bytes: &bytes,
    };
    frame.encode(out);
}

#[cfg(test)]
mod tests;
