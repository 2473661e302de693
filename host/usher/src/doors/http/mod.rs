//! The `http` door: for game servers that keep their own sockets, and ask about each player.
//!
//! There is one game server at a door. Its calls and the core's events meet in the book, which knows
//! requests by their keys and sessions by their names; connections hold nothing. Game data does not travel
//! through this door: the game server has it already.

mod api;
mod book;
mod calls;
mod desk;
mod openapi;

use super::door::{Addresses, Bound, Closing, Door, Holds};
use super::game::Game;
use super::link::DataLink;
use super::listener;
use crate::core_loop::{DoorEvent, DoorLink, Handle};
use crate::metrics;
use crate::text::Shown;
use crate::web::{Bounds, Listener};
use book::{Book, Run, Terms};
use desk::Desk;
use rand::TryRng as _;
use rand::rngs::SysRng;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use usher_core::{DoorId, Reason, Secret, SessionId};
use usher_runtime::Message;

/// What callers may take.
const BOUNDS: Bounds = Bounds {
    // A game server that has an answer held for each of hundreds who wait.
    connections: 1024,
    head: Duration::from_secs(30),
    keep_alive: true,
    lasts: Duration::from_secs(600),
    // No answer is held for longer, and no stream.
    grace: Duration::from_secs(320),
};

/// How long connections have to end once the host stops.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);

/// How often it is looked at what nobody asks about any more.
const SWEEP: Duration = Duration::from_millis(250);

/// What a door is to be.
pub struct Settings {
    /// Its place in the configuration.
    pub id: DoorId,
    /// Its name.
    pub name: Arc<str>,
    /// The room that its players enter.
    pub room: Arc<str>,
    /// What a caller must show, where anything.
    pub token: watch::Receiver<Option<Secret>>,
    /// How soon an acceptance must be confirmed.
    pub confirm_timeout: Duration,
    /// How long the game server may be silent.
    pub lease: Duration,
    /// What a knock is told that the core never saw, because too many came at once.
    pub full: Reason,
}

/// A door whose port is taken.
pub struct Port {
    settings: Settings,
    listener: TcpListener,
    address: SocketAddr,
}

impl Port {
    /// Takes the port. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// What the system says of it.
    pub fn bind(settings: Settings, address: SocketAddr) -> io::Result<Port> {
        let listener = listener::bind(address)?;
        Ok(Port {
            settings,
            address: listener.local_addr()?,
            listener,
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
        // Its players' messages do not come this way.
        _: Game,
        parts: &mut JoinSet<()>,
    ) -> io::Result<Arc<dyn Door>> {
        let settings = self.settings;
        let run = SysRng.try_next_u32().map_err(io::Error::other)?;
        let terms = Terms {
            id: settings.id,
            name: settings.name.clone(),
            room: settings.room,
            confirm: settings.confirm_timeout,
            lease: settings.lease,
            full: settings.full,
        };
        let book = Book::new(terms, Run(run));
        let desk = Arc::new(Desk::new(settings.name.clone(), book, core));
        let app = calls::router(desk.clone(), settings.token, openapi::json());
        let listener = Listener::new(self.listener)?;
        let (close, closing) = watch::channel(false);
        let (alive, over) = mpsc::channel(1);
        let what = format!("the door {}", settings.name);
        parts.spawn(async move {
            listener.serve(&what, app, BOUNDS, closing).await;
            drop(alive);
        });
        parts.spawn(sweep(desk.clone()));
        Ok(Arc::new(HttpDoor {
            name: settings.name,
            desk,
            close,
            over: Mutex::new(over),
        }))
    }
}

async fn sweep(desk: Arc<Desk>) {
    let mut ticks = interval(SWEEP);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        desk.with(|book, now| book.sweep(now));
    }
}

struct HttpDoor {
    name: Arc<str>,
    desk: Arc<Desk>,
    close: watch::Sender<bool>,
    /// Ends when the listener and every connection has.
    over: Mutex<mpsc::Receiver<()>>,
}

impl HttpDoor {
    fn note(&self, event: &DoorEvent) {
        match event {
            // A knock is refused without a decision, at any rate that someone knocks at: these are
            // counted, and not logged. Their reasons are the host's own, and few.
            DoorEvent::Refused {
                reason,
                at_knock: true,
                ..
            } => metrics::knock_refused(&self.name, &reason.code),
            DoorEvent::Accepted { grant, .. } => tracing::info!(
                door = &*self.name,
                session = %grant.session,
                number = grant.number,
                "'{}' was let in",
                Shown(&grant.name)
            ),
            DoorEvent::Ended { session, how, .. } => {
                tracing::info!(door = &*self.name, %session, "over: {}", how.word());
                metrics::session_ended(&self.name, how.word());
            }
            _ => {}
        }
    }
}

impl DoorLink for HttpDoor {
    fn deliver(&self, event: DoorEvent) {
        self.note(&event);
        self.desk.with(|book, now| book.deliver(event, now));
    }
}

impl DataLink for HttpDoor {
    /// Game data is the game server's own to carry.
    fn send(&self, _: SessionId, _: Message) {
        metrics::message_dropped(&self.name, "not-carried");
    }
}

impl Door for HttpDoor {
    fn holds(&self) -> Holds {
        let (peers, bytes) = self.desk.with(|book, _| book.holds());
        Holds { peers, bytes }
    }

    fn close(&self) -> Closing<'_> {
        Box::pin(async {
            self.desk.tell_the_rest().await;
            self.close.send_replace(true);
            let over = async { while self.over.lock().await.recv().await.is_some() {} };
            // What is not read by now, nobody reads.
            let _ = tokio::time::timeout(CLOSE_WITHIN, over).await;
        })
    }
}
