//! The `rtyp` door: login over TCP, play over UDP, bound together by a session token.
//!
//! One task takes connections and one task plays; each connection has a task of its own. What the core
//! says goes to the connection that it is about, and to the playing task's table, in the core's order:
//! the table knows a token before its player does, and has forgotten a session before anyone else can
//! have its seat.

mod connection;
mod drops;
mod misses;
mod orders;
mod peers;
mod reasons;
mod stream;
mod table;
mod udp;

use super::door::{Addresses, Bound, Closing, Door, Holds};
use super::game::Game;
use super::link::DataLink;
use super::listener::{self, Entrance};
use super::socket::TakenPort;
use super::strangers::Strangers;
use crate::core_loop::{DoorEvent, DoorLink, Handle};
use crate::metrics;
use crate::text::Shown;
use connection::{Shared, serve};
use drops::Drops;
use orders::{Order, Orders, orders};
use peers::{Peers, Told};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use table::{Opened, Table};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::JoinSet;
use udp::Udp;
use usher_core::{DoorId, Grant, RequestId, SessionId};
use usher_runtime::Message;
use usher_wire::rtyp::{MAX_DATAGRAM, SessionToken};

/// What the system should keep for us while we are busy, in bytes.
const KERNEL_BUFFER: usize = 1 << 20;

/// What a door is to be.
pub struct Settings {
    /// Its place in the configuration.
    pub id: DoorId,
    /// Its name.
    pub name: Arc<str>,
    /// The room that its players enter.
    pub room: Arc<str>,
    /// The longest that a login can wait.
    pub longest_wait: Duration,
}

/// A door whose ports are taken.
pub struct Ports {
    settings: Settings,
    tcp: TcpListener,
    udp: TakenPort,
    tcp_address: SocketAddr,
    udp_address: SocketAddr,
}

/// Which port could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The one for logins.
    #[error("tcp: {0}")]
    Tcp(io::Error),
    /// The one for play.
    #[error("udp: {0}")]
    Udp(io::Error),
}

impl Ports {
    /// Takes the ports. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// Which port it is, and what the system says of it.
    pub fn bind(settings: Settings, tcp: SocketAddr, udp: SocketAddr) -> Result<Ports, BindError> {
        let tcp = listener::bind(tcp).map_err(BindError::Tcp)?;
        let udp = TakenPort::bind(udp, KERNEL_BUFFER).map_err(BindError::Udp)?;
        Ok(Ports {
            settings,
            tcp_address: tcp.local_addr().map_err(BindError::Tcp)?,
            udp_address: udp.local_addr().map_err(BindError::Udp)?,
            tcp,
            udp,
        })
    }
}

impl Bound for Ports {
    fn addresses(&self) -> Addresses {
        Addresses {
            tcp: Some(self.tcp_address),
            udp: Some(self.udp_address),
        }
    }

    fn open(
        self: Box<Self>,
        core: Handle,
        game: Game,
        parts: &mut JoinSet<()>,
    ) -> io::Result<Arc<dyn Door>> {
        let settings = self.settings;
        let (orders, obeyed) = orders();
        let (close, closing) = watch::channel(false);
        let (alive, over) = mpsc::channel(1);
        let shed = Arc::new(AtomicU64::new(0));
        let udp = Udp {
            socket: self.udp.open()?,
            orders: obeyed,
            taken: Vec::new(),
            core: core.clone(),
            game: game.outlet(&settings.name)?,
            table: Table::new(),
            drops: Drops::new(settings.name.clone(), core.clock().now()),
            shed: shed.clone(),
            buffer: Box::new([0; MAX_DATAGRAM]),
        };
        let door = Arc::new(Shared {
            id: settings.id,
            name: settings.name.clone(),
            protocol: "rtyp".into(),
            room: settings.room,
            longest_wait: settings.longest_wait,
            udp_port: self.udp_address.port(),
            core,
            peers: Peers::default(),
            strangers: Strangers::default(),
            closing,
        });
        let (peers, strangers) = (door.peers.clone(), door.strangers.clone());
        parts.spawn(udp.run());
        let entrance = Entrance {
            name: door.name.clone(),
            strangers: door.strangers.clone(),
            closing: door.closing.clone(),
            alive,
        };
        let login = move |tcp, peer, stranger| serve(tcp, peer, door.clone(), stranger);
        parts.spawn(entrance.listen(self.tcp, login));
        Ok(Arc::new(RtypDoor {
            name: settings.name,
            orders,
            shed,
            peers,
            strangers,
            close,
            over: Mutex::new(over),
        }))
    }
}

struct RtypDoor {
    name: Arc<str>,
    orders: Orders,
    shed: Arc<AtomicU64>,
    peers: Peers,
    strangers: Strangers,
    close: watch::Sender<bool>,
    /// Ends when the listener and every connection has.
    over: Mutex<mpsc::Receiver<()>>,
}

impl RtypDoor {
    fn accepted(&self, request: RequestId, grant: Grant) {
        tracing::info!(
            door = &*self.name,
            session = %grant.session,
            number = grant.number,
            "'{}' was let in",
            Shown(&grant.name)
        );
        let token = grant
            .token
            .and_then(|token| SessionToken::new(token.expose()));
        // A peer that has just gone needs no endpoint; the core will hear of it next.
        if let (Some(token), Some(login)) = (token, self.peers.login(request)) {
            self.orders.note(Order::Opened(Opened {
                session: grant.session,
                request,
                token,
                login,
            }));
        }
        self.peers.tell(request, Told::Accepted(grant));
    }
}

impl DoorLink for RtypDoor {
    fn deliver(&self, event: DoorEvent) {
        match event {
            // The protocol has a word for none of these.
            DoorEvent::Pending { .. } | DoorEvent::Status { .. } | DoorEvent::Joined { .. } => {}
            DoorEvent::Refused {
                request,
                reason,
                at_knock,
            } => self.peers.tell(request, Told::Refused { reason, at_knock }),
            DoorEvent::Accepted { request, grant } => self.accepted(request, grant),
            DoorEvent::Bound { session, endpoint } => {
                self.orders.give(Order::Bound(session, endpoint));
            }
            DoorEvent::Probe { session } => self.orders.give(Order::Probe(session)),
            DoorEvent::Ended {
                request,
                session,
                how,
            } => {
                tracing::info!(door = &*self.name, %session, "over: {}", how.word());
                metrics::session_ended(&self.name, how.word());
                self.orders.note(Order::Ended(session));
                self.peers.tell(request, Told::Ended(how));
            }
        }
    }
}

impl DataLink for RtypDoor {
    /// The protocol has one kind of delivery and no channels.
    fn send(&self, to: SessionId, message: Message) {
        self.send_all(vec![(to, message)]);
    }

    fn send_all(&self, messages: Vec<(SessionId, Message)>) {
        let shed = self.orders.data(messages);
        if shed > 0 {
            self.shed.fetch_add(shed as u64, Ordering::Relaxed);
        }
    }
}

impl Door for RtypDoor {
    fn holds(&self) -> Holds {
        let (strangers, logins) = (self.strangers.count(), self.peers.count());
        Holds {
            peers: vec![("stranger", strangers), ("login", logins)],
            bytes: 0,
        }
    }

    fn close(&self) -> Closing<'_> {
        self.close.send_replace(true);
        Box::pin(async { while self.over.lock().await.recv().await.is_some() {} })
    }
}
