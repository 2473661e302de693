//! The `websocket` door: for clients in web pages, and for any engine that has a WebSocket client.
//!
//! Each connection has a task of its own, which reads, writes and keeps time. What the core and the rules say
//! goes to the connection that it is about, in one order. HTTP is there for the handshake alone; TLS is what a
//! proxy in front of the door is for.

mod ask;
mod backlog;
mod codes;
mod connection;
mod forwarded;
mod metered;
mod peers;
mod pulse;
mod rate;
mod shared;
mod talk;
mod upgrade;
mod wire;
mod words;

use super::door::{Addresses, Bound, Closing, Door, Holds};
use super::game::Game;
use super::link::DataLink;
use super::listener::{self, Entrance};
use super::strangers::Strangers;
use crate::config::WebSocket;
use crate::core_loop::{DoorEvent, DoorLink, Handle};
use crate::metrics;
use crate::text::Shown;
use connection::serve;
use peers::{Peers, Sent, Told};
use shared::Shared;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::JoinSet;
use usher_core::{DoorId, SessionId};
use usher_runtime::Message;

/// What a door is to be.
pub struct Settings {
    /// Its place in the configuration.
    pub id: DoorId,
    /// Its name.
    pub name: Arc<str>,
    /// The room that its players enter.
    pub room: Arc<str>,
    /// What the operator set.
    pub config: WebSocket,
    /// Whether players come with join tickets.
    pub tickets: bool,
}

/// A door whose port is taken.
pub struct Port {
    settings: Settings,
    tcp: TcpListener,
    address: SocketAddr,
}

impl Port {
    /// Takes the port. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// What the system says of it.
    pub fn bind(settings: Settings) -> io::Result<Port> {
        let tcp = listener::bind(settings.config.tcp)?;
        Ok(Port {
            settings,
            address: tcp.local_addr()?,
            tcp,
        })
    }
}

impl Bound for Port {
    fn addresses(&self) -> Addresses {
        Addresses {
            tcp: Some(self.address),
            udp: None,
        }
    }

    fn open(
        self: Box<Self>,
        core: Handle,
        game: Game,
        parts: &mut JoinSet<()>,
    ) -> io::Result<Arc<dyn Door>> {
        let settings = self.settings;
        let (close, closing) = watch::channel(false);
        let (alive, over) = mpsc::channel(1);
        let peers = Peers::new(settings.config.write_buffer as usize);
        let strangers = Strangers::default();
        let shared = Arc::new(Shared {
            id: settings.id,
            name: settings.name.clone(),
            protocol: "websocket".into(),
            room: settings.room,
            config: settings.config,
            tickets: settings.tickets,
            origin: "peer.origin".into(),
            core,
            game,
            peers: peers.clone(),
            strangers: strangers.clone(),
            closing: closing.clone(),
        });
        let entrance = Entrance {
            name: settings.name.clone(),
            strangers: strangers.clone(),
            closing,
            alive,
        };
        let serve = move |tcp, peer, stranger| serve(tcp, peer, shared.clone(), stranger);
        parts.spawn(entrance.listen(self.tcp, serve));
        Ok(Arc::new(WebSocketDoor {
            name: settings.name,
            peers,
            strangers,
            close,
            over: Mutex::new(over),
        }))
    }
}

struct WebSocketDoor {
    name: Arc<str>,
    peers: Peers,
    strangers: Strangers,
    close: watch::Sender<bool>,
    /// Ends when the listener and every connection has.
    over: Mutex<mpsc::Receiver<()>>,
}

impl DoorLink for WebSocketDoor {
    fn deliver(&self, event: DoorEvent) {
        match event {
            // It knocks with all that it has to say, and plays over the connection that it came with.
            DoorEvent::Pending { .. } | DoorEvent::Bound { .. } | DoorEvent::Probe { .. } => {}
            DoorEvent::Status {
                request,
                text,
                position,
            } => self.peers.tell(request, Told::Status { text, position }),
            DoorEvent::Refused {
                request,
                reason,
                at_knock,
            } => self.peers.tell(request, Told::Refused { reason, at_knock }),
            DoorEvent::Accepted { request, grant } => {
                tracing::info!(
                    door = &*self.name,
                    session = %grant.session,
                    "'{}' was let in",
                    Shown(&grant.name)
                );
                self.peers.seat(request, grant);
            }
            DoorEvent::Joined { request } => self.peers.tell(request, Told::Joined),
            DoorEvent::Ended {
                request,
                session,
                how,
            } => {
                tracing::info!(door = &*self.name, %session, "over: {}", how.word());
                metrics::session_ended(&self.name, how.word());
                self.peers.unseat(request, session, how);
            }
        }
    }
}

impl DataLink for WebSocketDoor {
    /// Everything travels reliably and in order, on the one channel that there is.
    fn send(&self, to: SessionId, message: Message) {
        match self.peers.send(to, message) {
            Sent::Yes => {}
            Sent::Nobody => metrics::message_dropped(&self.name, "nobody-there"),
            Sent::Full => metrics::message_dropped(&self.name, "queue-full"),
        }
    }
}

impl Door for WebSocketDoor {
    fn holds(&self) -> Holds {
        let (guests, bytes) = self.peers.count();
        Holds {
            peers: vec![("stranger", self.strangers.count()), ("guest", guests)],
            bytes,
        }
    }

    fn close(&self) -> Closing<'_> {
        self.close.send_replace(true);
        Box::pin(async { while self.over.lock().await.recv().await.is_some() {} })
    }
}
