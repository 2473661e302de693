//! The UDP endpoint: numbered datagrams out, and in only what the server sent in this session.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::Instant;
use usher_wire::rtyp::{
    Arrival, Datagram, DatagramError, EncodeError, Kind, MAX_DATAGRAM, RECEIVE_BUFFER, Sequencer,
    SessionToken, Side,
};

use super::error::Error;

/// Silence after which a KeepAlive is due.
const KEEP_ALIVE: Duration = Duration::from_secs(1);

/// How many datagrams were dropped, by cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// Not from the server's address and UDP port.
    pub foreign_source: u64,
    /// With a token that is not this session's.
    pub foreign_token: u64,
    /// Not of the protocol, or of a type, size or version that the server may not send.
    pub invalid: u64,
    /// Something other than Accept before the first Accept.
    pub before_accept: u64,
    /// With a number that came before.
    pub duplicate: u64,
    /// With a number so old that it may have come before.
    pub too_old: u64,
}

/// What the server said.
pub(super) enum Heard {
    Accept,
    Data(Vec<u8>),
}

pub(super) struct Channel {
    socket: UdpSocket,
    server: SocketAddr,
    session: SessionToken,
    sequencer: Sequencer,
    accepted: bool,
    last_sent: Instant,
    dropped: Dropped,
    received: Box<[u8; RECEIVE_BUFFER]>,
}

impl Channel {
    /// Binds a free port of the address that the TCP connection uses, so that the server sees one address.
    ///
    /// The socket is not connected: the system would report a closed port as an error, and the filter on the
    /// source, which is the protocol's, would be out of sight.
    pub(super) async fn open(
        mut local: SocketAddr,
        server: SocketAddr,
        session: SessionToken,
    ) -> Result<Self, Error> {
        local.set_port(0);
        let socket = UdpSocket::bind(local).await.map_err(Error::Udp)?;
        Ok(Self {
            socket,
            server,
            session,
            sequencer: Sequencer::new(),
            accepted: false,
            last_sent: Instant::now(),
            dropped: Dropped::default(),
            received: Box::new([0; RECEIVE_BUFFER]),
        })
    }

    pub(super) fn local(&self) -> Result<SocketAddr, Error> {
        self.socket.local_addr().map_err(Error::Udp)
    }

    pub(super) fn server(&self) -> SocketAddr {
        self.server
    }

    pub(super) fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// When a KeepAlive is due, if nothing else is sent before.
    pub(super) fn keep_alive_due(&self) -> Instant {
        self.last_sent + KEEP_ALIVE
    }

    /// Sends Data. One that is too long takes no number.
    pub(super) async fn send(&mut self, payload: &[u8]) -> Result<(), Error> {
        let (kind, length) = (Kind::Data, payload.len());
        if length > kind.max_payload() {
            return Err(EncodeError { kind, length }.into());
        }
        self.transmit(kind, payload).await?.map_err(Error::Udp)
    }

    /// Sends a Connect or a KeepAlive. One that the system refuses is as good as lost on its way, which the
    /// protocol is made for: the next one is sent in its time.
    pub(super) async fn send_empty(&mut self, kind: Kind) -> Result<(), Error> {
        let _ = self.transmit(kind, &[]).await?;
        Ok(())
    }

    /// The inner result is what the system said.
    async fn transmit(
        &mut self,
        kind: Kind,
        payload: &[u8],
    ) -> Result<io::Result<()>, EncodeError> {
        let mut buffer = [0; MAX_DATAGRAM];
        let datagram = self.sequencer.stamp(kind, self.session, payload);
        let bytes = datagram.encode(&mut buffer)?;
        self.last_sent = Instant::now();
        Ok(self.socket.send_to(bytes, self.server).await.map(drop))
    }

    /// The next thing that the server says and that counts. Safe to cancel.
    pub(super) async fn next(&mut self) -> Result<Heard, Error> {
        loop {
            match self.socket.recv_from(&mut *self.received).await {
                Ok((length, source)) => {
                    if let Some(heard) = self.take(length, source) {
                        return Ok(heard);
                    }
                }
                // Some systems report here that an earlier datagram met a closed port.
                Err(error) if is_bounce(&error) => {}
                Err(error) => return Err(Error::Udp(error)),
            }
        }
    }

    fn take(&mut self, length: usize, source: SocketAddr) -> Option<Heard> {
        // Address and port alone: an IPv6 socket address also has a flow label, which is no part of who sent it.
        if (source.ip(), source.port()) != (self.server.ip(), self.server.port()) {
            self.dropped.foreign_source += 1;
            return None;
        }
        let datagram = match Datagram::decode(&self.received[..length], Side::Server) {
            Ok(datagram) if datagram.session == self.session => datagram,
            Ok(_) => {
                self.dropped.foreign_token += 1;
                return None;
            }
            Err(DatagramError::Invalid { session, .. }) if session != self.session => {
                self.dropped.foreign_token += 1;
                return None;
            }
            Err(_) => {
                self.dropped.invalid += 1;
                return None;
            }
        };
        if !self.accepted && datagram.kind != Kind::Accept {
            self.dropped.before_accept += 1;
            return None;
        }
        match self.sequencer.receive(datagram.sequence) {
            Arrival::Deliver => {}
            Arrival::Duplicate => {
                self.dropped.duplicate += 1;
                return None;
            }
            Arrival::TooOld => {
                self.dropped.too_old += 1;
                return None;
            }
        }
        match datagram.kind {
            Kind::Accept => {
                self.accepted = true;
                Some(Heard::Accept)
            }
            Kind::Data => Some(Heard::Data(datagram.payload.to_vec())),
            Kind::Connect | Kind::KeepAlive => None,
        }
    }
}

fn is_bounce(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}
