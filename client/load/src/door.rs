//! A door to test the generator against: it opens at once, lets players in, has everyone else wait with a
//! status now and then, and sends back what it is sent. It can stand still for a while.

use crate::socket::{Batch, Port};
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};
use usher_wire::raknet::{
    Addresses, Budget, Class, Connection, Dialect, Guid, Limits, Message, Offline, Reliability,
    classify,
};

/// Between two statuses.
const STATUS: Duration = Duration::from_millis(200);

#[derive(Default)]
pub(crate) struct Shared {
    stop: AtomicBool,
    /// How long to stand still, once, in milliseconds.
    pub(crate) stall: AtomicU64,
    /// Connections that have not said goodbye.
    pub(crate) here: AtomicUsize,
    /// Second requests without the cookie that was given out.
    pub(crate) strays: AtomicU64,
}

pub(crate) struct Door {
    pub(crate) address: SocketAddrV4,
    pub(crate) shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Peer {
    connection: Connection,
    waits: bool,
    told: Duration,
}

const COOKIE: u32 = 0xC00C_1E55;

impl Door {
    pub(crate) fn open() -> Door {
        let port = Port::open().unwrap();
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port.number);
        let shared = Arc::new(Shared::default());
        let seen = shared.clone();
        let thread = thread::spawn(move || run(&port, &seen));
        Door {
            address,
            shared,
            thread: Some(thread),
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_none_or(|it| it.is_ok()) || thread::panicking());
    }
}

fn run(port: &Port, shared: &Shared) {
    let start = Instant::now();
    let mut peers: HashMap<SocketAddr, Peer> = HashMap::new();
    let mut batch = Batch::new();
    let mut datagram = Vec::new();
    while !shared.stop.load(Ordering::SeqCst) {
        sleep(Duration::from_millis(
            shared.stall.swap(0, Ordering::SeqCst),
        ));
        let now = start.elapsed();
        while port.receive(&mut batch) {
            for received in batch.datagrams() {
                take(port, shared, &mut peers, received.from, received.bytes, now);
            }
        }
        for (to, peer) in &mut peers {
            if peer.waits && now.saturating_sub(peer.told) > STATUS {
                peer.told = now;
                say(peer, &Message::SessionStatus(b"wait"));
            }
            while peer.connection.poll_transmit(now, &mut datagram) {
                port.send(Ipv4Addr::LOCALHOST, *to, &datagram);
            }
        }
        shared.here.store(peers.len(), Ordering::SeqCst);
        sleep(Duration::from_micros(300));
    }
}

fn take(
    port: &Port,
    shared: &Shared,
    peers: &mut HashMap<SocketAddr, Peer>,
    from: SocketAddr,
    bytes: &[u8],
    now: Duration,
) {
    if classify(bytes) == Class::Connected {
        if let Some(peer) = peers.get_mut(&from) {
            peer.connection.receive(bytes, now).unwrap();
            while let Some(message) = peer.connection.poll_message() {
                if answer(peer, from, &message.bytes, message.reliability, now) {
                    // Its last acknowledgement, which waits for no other.
                    let mut datagram = Vec::new();
                    let late = now + Duration::from_millis(10);
                    while peer.connection.poll_transmit(late, &mut datagram) {
                        port.send(Ipv4Addr::LOCALHOST, from, &datagram);
                    }
                    peers.remove(&from);
                    return;
                }
            }
        }
        return;
    }
    let SocketAddr::V4(client) = from else { return };
    let mut reply = Vec::new();
    match Offline::parse(bytes, true) {
        Ok(Offline::Request1 { length, .. }) => Offline::Reply1 {
            guid: Guid(7),
            cookie: Some(COOKIE),
            mtu: Dialect::offered_mtu(length),
        }
        .encode(&mut reply),
        Ok(Offline::Request2 { cookie, mtu, .. }) if cookie == Some(COOKIE) => {
            let (limits, budget) = (Limits::pending(mtu), Budget::default());
            peers.entry(from).or_insert_with(|| Peer {
                connection: Connection::new(mtu, limits, budget, now),
                waits: false,
                told: now,
            });
            Offline::Reply2 {
                guid: Guid(7),
                client,
                mtu,
            }
            .encode(&mut reply);
        }
        _ => {
            shared.strays.fetch_add(1, Ordering::SeqCst);
            return;
        }
    }
    port.send(Ipv4Addr::LOCALHOST, from, &reply);
}

/// Answers a message; whether it was a goodbye.
fn answer(
    peer: &mut Peer,
    from: SocketAddr,
    bytes: &[u8],
    reliability: Reliability,
    now: Duration,
) -> bool {
    let SocketAddr::V4(client) = from else {
        return true;
    };
    match Message::parse(bytes, Dialect::MAFIANET).unwrap() {
        Message::ConnectionRequest { time, .. } => {
            let accepted = Message::Accepted {
                client,
                index: 0,
                addresses: Addresses::new(&[], Dialect::MAFIANET),
                request_time: time,
                time,
            };
            say(peer, &accepted);
        }
        // A player, or someone with a join ticket.
        Message::SessionRequest([b'p', b'l', ..] | [b'{', ..]) => {
            say(peer, &Message::SessionConfig(b""));
        }
        Message::SessionRequest(_) => {
            (peer.waits, peer.told) = (true, now);
            say(peer, &Message::SessionStatus(b"wait"));
        }
        Message::Application(echo) => peer.connection.send(echo, reliability, 0).unwrap(),
        Message::Disconnect(_) => return true,
        _ => {}
    }
    false
}

fn say(peer: &mut Peer, message: &Message<'_>) {
    let ordered = Reliability::ReliableOrdered;
    peer.connection
        .send(&message.to_bytes(), ordered, 0)
        .unwrap();
}
