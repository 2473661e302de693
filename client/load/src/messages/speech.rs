//! What datagrams look like at each kind of server, and what a message says.

use super::wire::Sending;
use std::net::TcpStream;
use std::time::Duration;
use usher_wire::raknet::Reliability;
use usher_wire::raknet::initiator::{Event, Initiator};
use usher_wire::rtyp::{Datagram, HEADER, Kind, MAX_DATAGRAM, Sequencer, SessionToken, Side};

/// The first byte of a message: the first id that is a game's own, where the protocol has ids.
const ID: u8 = 0x87;

/// The shortest message: the id, and when it was due.
pub(crate) const SHORTEST: usize = 9;

/// How one player speaks.
pub(super) enum Speech {
    /// As at `rtyp`, without anything that a protocol needs.
    Bare,
    /// `rtyp`, for as long as the connection of its login is there.
    Rtyp {
        _login: TcpStream,
        token: SessionToken,
        sequencer: Sequencer,
    },
    /// `mafianet`, from the first request on.
    RakNet(Box<Initiator>),
}

/// What comes of a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Heard {
    /// A message that was due then.
    Message(Duration),
    /// The player is in.
    Entered,
    /// The player's session is over.
    Ended,
}

/// A message that is due then.
pub(super) fn write(message: &mut [u8], due: Duration) {
    message[0] = ID;
    // 584 years.
    let nanos = u64::try_from(due.as_nanos()).unwrap_or(u64::MAX);
    message[1..SHORTEST].copy_from_slice(&nanos.to_le_bytes());
}

fn read(message: &[u8]) -> Option<Heard> {
    let nanos = message.get(1..SHORTEST)?.try_into().ok()?;
    Some(Heard::Message(Duration::from_nanos(u64::from_le_bytes(
        nanos,
    ))))
}

impl Speech {
    /// Puts a message among what is to be sent. Whether the protocol takes it.
    pub(super) fn say(&mut self, message: &[u8], now: Duration, sending: &mut Sending) -> bool {
        let mut buffer = [0; MAX_DATAGRAM];
        match self {
            Speech::Bare => {
                let length = HEADER + message.len();
                buffer[HEADER..length].copy_from_slice(message);
                sending.add(&buffer[..length]);
                true
            }
            Speech::Rtyp {
                token, sequencer, ..
            } => {
                let datagram = sequencer.stamp(Kind::Data, *token, message);
                match datagram.encode(&mut buffer) {
                    Ok(bytes) => sending.add(bytes),
                    Err(_) => return false,
                }
                true
            }
            // It leaves with the next turn, with others in one datagram.
            Speech::RakNet(initiator) => initiator
                .send(message, Reliability::Unreliable, 0, now)
                .is_ok(),
        }
    }

    /// Takes a datagram, and tells what came of it.
    pub(super) fn hear(&mut self, bytes: &[u8], now: Duration, mut tell: impl FnMut(Heard)) {
        match self {
            Speech::Bare => bytes
                .get(HEADER..)
                .and_then(read)
                .into_iter()
                .for_each(tell),
            Speech::Rtyp { sequencer, .. } => {
                if let Ok(datagram) = Datagram::decode(bytes, Side::Server) {
                    sequencer.receive(datagram.sequence);
                    let data = (datagram.kind == Kind::Data).then_some(datagram.payload);
                    data.and_then(read).into_iter().for_each(tell);
                }
            }
            Speech::RakNet(initiator) => {
                initiator.receive(bytes, now);
                happened(initiator, &mut tell);
            }
        }
    }

    /// What the protocol itself has to send by now, and when it has more. What happened by the clock is told.
    pub(super) fn turn(
        &mut self,
        now: Duration,
        sending: &mut Sending,
        buffer: &mut Vec<u8>,
        mut tell: impl FnMut(Heard),
    ) -> Option<Duration> {
        let Speech::RakNet(initiator) = self else {
            return None;
        };
        while initiator.poll_transmit(now, buffer) {
            sending.add(buffer);
        }
        happened(initiator, &mut tell);
        initiator.poll_timeout()
    }

    /// Says goodbye, where that takes a word and not only the end of a connection.
    pub(super) fn leave(&mut self, now: Duration) {
        if let Speech::RakNet(initiator) = self {
            initiator.leave(b"", now);
        }
    }
}

fn happened(initiator: &mut Initiator, tell: &mut impl FnMut(Heard)) {
    while let Some(event) = initiator.poll_event() {
        match event {
            Event::Message(message) => read(&message.bytes).into_iter().for_each(&mut *tell),
            Event::Accepted { .. } => tell(Heard::Entered),
            Event::Ended(_) => tell(Heard::Ended),
            _ => {}
        }
    }
}
