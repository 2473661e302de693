//! The floor of the relay: a socket towards the server for each client, so that the server can tell them apart,
//! and what one must do for that: batches in and out on the side of the clients, a call a datagram on the other.

use crate::batch::{Port, Received, Sending};
use crate::ready::ready;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;

/// The number of the clients' socket; the others are those of clients.
const CLIENTS: u64 = u64::MAX;

/// Of how many sockets one hears in a call.
const EVENTS: usize = 256;

/// A client, and the socket towards the server that is its own.
struct Client {
    address: SocketAddr,
    socket: UdpSocket,
}

struct Relay {
    port: Port,
    server: SocketAddr,
    epoll: OwnedFd,
    clients: Vec<Client>,
    places: HashMap<SocketAddr, usize>,
}

/// Serves until the process ends.
///
/// # Errors
///
/// The system has no such port, or no more sockets, to give.
pub(crate) fn run(listen: SocketAddr, server: SocketAddr) -> io::Result<()> {
    let port = Port::bind(listen)?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, &port, EventData::new_u64(CLIENTS), EventFlags::IN)?;
    ready(&json!({"udp": port.address()?}))?;
    let relay = Relay {
        port,
        server,
        epoll,
        clients: Vec::new(),
        places: HashMap::new(),
    };
    relay.serve()
}

impl Relay {
    fn serve(mut self) -> io::Result<()> {
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        let mut received = Received::new();
        let mut sending = Sending::default();
        let mut buffer = [0; 65_535];
        loop {
            events.clear();
            epoll::wait(&self.epoll, spare_capacity(&mut events), None)?;
            for event in &events {
                match event.data.u64() {
                    CLIENTS => self.forward(&mut received)?,
                    place => {
                        let client = &self.clients[place as usize];
                        // Who has more is told of again.
                        if let Ok(length) = client.socket.recv(&mut buffer) {
                            sending.add(client.address, &buffer[..length]);
                        }
                    }
                }
            }
            self.port.send(&mut sending);
        }
    }

    /// What clients sent goes to the server, each from a socket of its own.
    fn forward(&mut self, received: &mut Received) -> io::Result<()> {
        if !self.port.receive(received) {
            return Ok(());
        }
        for (from, datagram) in received.datagrams() {
            let place = match self.places.get(&from) {
                Some(place) => *place,
                None => self.enter(from)?,
            };
            let _ = self.clients[place].socket.send(datagram);
        }
        Ok(())
    }

    fn enter(&mut self, address: SocketAddr) -> io::Result<usize> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.connect(self.server)?;
        socket.set_nonblocking(true)?;
        let place = self.clients.len();
        let number = EventData::new_u64(place as u64);
        epoll::add(&self.epoll, &socket, number, EventFlags::IN)?;
        self.clients.push(Client { address, socket });
        self.places.insert(address, place);
        Ok(place)
    }
}
