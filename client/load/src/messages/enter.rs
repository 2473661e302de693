//! How players come in, before anything is measured.

use super::speech::Speech;
use super::wire::{Received, Sending, Wire};
use crate::args::{Messages, Target};
use crate::lines::PATIENCE;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddrV4, TcpStream};
use std::time::{Duration, Instant};
use usher_wire::raknet::initiator::{Initiator, Setup};
use usher_wire::raknet::{Budget, Dialect, Guid};
use usher_wire::rtyp::{
    ClientMessage, Datagram, Framer, Kind, LoginRequest, MAX_DATAGRAM, PlayerName, Sequencer,
    ServerMessage, SessionToken, Side,
};

/// Between two Connects, as the protocol has it.
const CONNECT_EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 250_000_000,
};

/// All players: at a `mafianet` door they only begin to come in.
pub(super) fn all(load: &Messages) -> io::Result<Vec<(Wire, Speech)>> {
    let mut random = StdRng::seed_from_u64(load.seed);
    let budget = Budget::default();
    (0..load.players)
        .map(|number| match load.server {
            Target::Bare(server) => Ok((Wire::to(server)?, Speech::Bare)),
            Target::Rtyp(door) => rtyp(door, number),
            Target::MafiaNet(door) => {
                let mut setup = Setup::new(Dialect::MAFIANET, Guid(random.random()), door);
                setup.payload = format!("player-{number}").into_bytes();
                setup.session_timeout = PATIENCE;
                let initiator = Initiator::new(setup, budget.clone(), Duration::ZERO);
                Ok((Wire::to(door)?, Speech::RakNet(Box::new(initiator))))
            }
        })
        .collect()
}

/// A login, and an endpoint that is bound.
fn rtyp(door: SocketAddrV4, number: u32) -> io::Result<(Wire, Speech)> {
    let mut login = TcpStream::connect(door)?;
    login.set_read_timeout(Some(PATIENCE))?;
    let name: PlayerName = format!("player-{number}")
        .parse()
        .map_err(io::Error::other)?;
    let mut request = Vec::new();
    ClientMessage::LoginRequest(LoginRequest::new(&name)).encode(&mut request);
    login.write_all(&request)?;
    let (token, port) = accepted(&mut login)?;
    let wire = Wire::to(SocketAddrV4::new(*door.ip(), port))?;
    let mut sequencer = Sequencer::new();
    let end = Instant::now() + PATIENCE;
    while !bound(&wire, token, &mut sequencer)? {
        if Instant::now() > end {
            return Err(io::Error::other("an endpoint was never bound"));
        }
    }
    let speech = Speech::Rtyp {
        _login: login,
        token,
        sequencer,
    };
    Ok((wire, speech))
}

fn accepted(login: &mut TcpStream) -> io::Result<(SessionToken, u16)> {
    let mut framer = Framer::new();
    let mut buffer = [0; 512];
    loop {
        if let Some(frame) = framer.next_frame().map_err(io::Error::other)? {
            let message = ServerMessage::decode(frame).map_err(io::Error::other)?;
            let ServerMessage::LoginAccepted {
                session, udp_port, ..
            } = message
            else {
                return Err(io::Error::other(format!("not let in: {message:?}")));
            };
            return Ok((session, udp_port));
        }
        match login.read(&mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => framer.push(&buffer[..read]),
        }
    }
}

/// One Connect. Whether it was answered.
fn bound(wire: &Wire, token: SessionToken, sequencer: &mut Sequencer) -> io::Result<bool> {
    let mut buffer = [0; MAX_DATAGRAM];
    let connect = sequencer.stamp(Kind::Connect, token, b"");
    let bytes = connect.encode(&mut buffer).map_err(io::Error::other)?;
    let mut sending = Sending::default();
    sending.add(bytes);
    wire.send(&mut sending);
    poll(
        &mut [PollFd::new(wire, PollFlags::IN)],
        Some(&CONNECT_EVERY),
    )?;
    let mut received = Received::new();
    let mut bound = false;
    while wire.receive(&mut received) {
        for bytes in received.datagrams() {
            if let Ok(datagram) = Datagram::decode(bytes, Side::Server) {
                sequencer.receive(datagram.sequence);
                bound |= datagram.kind == Kind::Accept;
            }
        }
    }
    Ok(bound)
}
