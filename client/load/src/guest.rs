//! One client of the protocol behind a shared socket: an [`Initiator`] with an address of its own.

use crate::socket::Port;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::Duration;
use usher_wire::raknet::initiator::{Event, Initiator, Setup};
use usher_wire::raknet::{Budget, Dialect, Guid};

/// How long a client waits for an answer or a status: long, so that whoever is too late is found out by what
/// was measured and not by a client that is gone.
const SESSION_TIMEOUT: Duration = Duration::from_secs(30);

/// A client.
pub(crate) struct Guest {
    initiator: Initiator,
    address: Ipv4Addr,
    /// The wake-up that was asked for last and is still to come.
    wake: Option<Duration>,
    /// Datagrams that the system did not take.
    pub(crate) untaken: u64,
}

impl Guest {
    /// A client that begins now, with a session payload.
    pub(crate) fn new(
        address: Ipv4Addr,
        door: SocketAddrV4,
        guid: u64,
        payload: Vec<u8>,
        budget: &Budget,
        now: Duration,
    ) -> Guest {
        let mut setup = Setup::new(Dialect::MAFIANET, Guid(guid), door);
        setup.payload = payload;
        setup.session_timeout = SESSION_TIMEOUT;
        Guest {
            initiator: Initiator::new(setup, budget.clone(), now),
            address,
            wake: None,
            untaken: 0,
        }
    }

    pub(crate) fn address(&self) -> Ipv4Addr {
        self.address
    }

    pub(crate) fn initiator(&mut self) -> &mut Initiator {
        &mut self.initiator
    }

    /// Takes a datagram.
    pub(crate) fn receive(&mut self, bytes: &[u8], now: Duration) {
        self.initiator.receive(bytes, now);
    }

    /// The next thing that happened.
    pub(crate) fn event(&mut self) -> Option<Event> {
        self.initiator.poll_event()
    }

    /// Sends what there is to send; what happened is then to be taken from [`event`](Self::event). A wake-up to
    /// arrange, if there is a new one.
    pub(crate) fn turn(
        &mut self,
        port: &Port,
        door: SocketAddr,
        now: Duration,
        buffer: &mut Vec<u8>,
    ) -> Option<Duration> {
        while self.initiator.poll_transmit(now, buffer) {
            if !port.send(self.address, door, buffer) {
                self.untaken += 1;
            }
        }
        if self.wake.is_some_and(|wake| wake <= now) {
            self.wake = None;
        }
        let due = self.initiator.poll_timeout()?;
        // An earlier wake-up will look again; a later one is left to come in vain.
        if self.wake.is_some_and(|wake| wake <= due) {
            return None;
        }
        self.wake = Some(due);
        self.wake
    }
}
