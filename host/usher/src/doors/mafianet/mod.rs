//! The `mafianet` door: RakNet over UDP, with a session exchange in which clients wait for the decision.
//!
//! A thread of its own owns the socket and all peers. Nothing is kept for an address that has not shown that
//! it receives what is sent there (`cookie`), and the core is asked for a place before a peer hears that
//! there is one. What the protocol is, and what each side sees of it, is in `docs/protocols/mafianet.md`.

mod backlog;
mod bans;
mod client;
mod cookie;
mod doorman;
mod drops;
mod farewells;
mod front;
mod gather;
mod lingering;
mod orders;
mod password;
mod peers;
mod pongs;
mod reasons;
mod requests;
mod run;
mod status;
mod timers;

pub use bans::Bans;
pub use pongs::PongLimits;

use super::door::{Addresses, Bound, Closing, Door, Holds};
use super::game::{Game, Outlet};
use super::link::DataLink;
use super::socket::TakenPort;
use crate::core_loop::{DoorEvent, DoorLink, Handle};
use crate::inbox::{self, Sender};
use crate::quota::Quota;
use backlog::is_promised;
use bans::BanList;
use cookie::Cookies;
use doorman::Doorman;
use drops::Drops;
use farewells::Farewells;
use front::Front;
use gather::Gather;
use orders::{MESSAGES, Order};
use password::PasswordFile;
use peers::Peers;
use pongs::{Advertisement, Pongs};
use rand::TryRng as _;
use rand::rngs::SysRng;
use requests::Requests;
use run::Runner;
use status::Shared;
use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use timers::Timers;
use tokio::runtime;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use usher_core::{DoorId, Secret, SessionId};
use usher_runtime::Message;
use usher_wire::raknet::acceptor::Server;
use usher_wire::raknet::{Budget, Guid, Limits, MIN_MTU, PART_OVERHEAD, Share};

/// What the system should keep for us while we are busy, in bytes: a second of a loud flood.
const KERNEL_BUFFER: usize = 16 << 20;

/// The longest message of a player that is put together at all, in bytes.
const LONGEST_MESSAGE: usize = 1 << 20;

/// What a door is to be.
pub struct Settings {
    /// Its place in the configuration.
    pub id: DoorId,
    /// Its name.
    pub name: Arc<str>,
    /// The room that its players enter.
    pub room: Arc<str>,
    /// Whether addresses are proven before anything is kept for them.
    pub cookie: bool,
    /// The protocol numbers that are spoken, the most usual one first. One, where addresses are not proven.
    pub protocols: Vec<u8>,
    /// The connection password, where the door and not the policies judge it.
    pub password: watch::Receiver<Option<Secret>>,
    /// Who is turned away unheard.
    pub bans: Option<Bans>,
    /// What it says of itself to whoever asks, with `{players}` and `{max-players}` in it.
    pub advertise: Arc<str>,
    /// How often.
    pub pongs: PongLimits,
    /// How long a peer may be silent.
    pub connection_timeout: Duration,
    /// The longest message of a player, in bytes; at most what rules can be given, 65,536.
    pub max_message: usize,
    /// What is said to someone for whose request there is no room.
    pub full_reason: Arc<str>,
    /// Seats of the host.
    pub max_players: u32,
    /// Requests that may be pending.
    pub max_pending: u32,
    /// What the peers of all such doors may keep together.
    pub budget: Budget,
}

/// A door whose port is taken.
pub struct Port {
    settings: Settings,
    udp: TakenPort,
    address: SocketAddr,
}

impl Port {
    /// Takes the port.
    ///
    /// # Errors
    ///
    /// What the system says of it.
    pub fn bind(settings: Settings, udp: SocketAddrV4) -> io::Result<Port> {
        let udp = TakenPort::bind(udp.into(), KERNEL_BUFFER)?;
        let address = udp.local_addr()?;
        Ok(Port {
            settings,
            udp,
            address,
        })
    }
}

impl Bound for Port {
    fn addresses(&self) -> Addresses {
        Addresses {
            tcp: None,
            udp: Some(self.address),
        }
    }

    fn open(
        self: Box<Self>,
        core: Handle,
        game: Game,
        parts: &mut JoinSet<()>,
    ) -> io::Result<Arc<dyn Door>> {
        let Port {
            settings,
            udp,
            address,
        } = *self;
        let waiting = runtime::Builder::new_current_thread()
            .enable_time()
            .enable_io()
            .build()?;
        let (socket, game) = {
            let _inside = waiting.enter();
            (udp.open()?, game.outlet(&settings.name)?)
        };
        let (orders, obeyed) = inbox::inbox(MESSAGES);
        let sending = Arc::new(Quota::new(MESSAGES));
        let shared = Arc::new(Shared::new(settings.budget.clone()));
        let name = settings.name.clone();
        let clock = core.clock();
        let runner = Runner {
            doorman: doorman(settings, address, core.gathering(), game, sending.clone())?,
            socket,
            orders: obeyed,
            clock,
            shared: shared.clone(),
            gather: Gather::default(),
            hand_on: clock.elapsed(),
            closes: None,
        };
        let (alive, ended) = oneshot::channel::<()>();
        let (over, is_over) = watch::channel(false);
        thread::Builder::new()
            .name(format!("usher-door-{name}"))
            .spawn(move || {
                waiting.block_on(runner.run());
                over.send_replace(true);
                drop(alive);
            })?;
        parts.spawn(async {
            // Nothing is ever sent; the sender is dropped when the thread ends, however it does.
            let _ = ended.await;
        });
        Ok(Arc::new(MafianetDoor {
            orders,
            sending,
            shared,
            is_over,
        }))
    }
}

fn doorman(
    settings: Settings,
    address: SocketAddr,
    core: Handle,
    game: Outlet,
    sending: Arc<Quota>,
) -> io::Result<Doorman> {
    let guid = guid()?;
    let clock = core.clock();
    let shortest_part = usize::from(MIN_MTU - PART_OVERHEAD);
    let server = Server {
        guid,
        address: match address {
            SocketAddr::V4(address) if !address.ip().is_unspecified() => Some(address),
            _ => None,
        },
        clock: clock.started().as_millis(),
        timeout: settings.connection_timeout,
        pending: Share {
            assured: assured(&settings.budget, settings.max_pending),
            spared: 0,
        },
        accepted: Limits {
            // About two thousand.
            max_parts: LONGEST_MESSAGE.div_ceil(shortest_part) as u32,
            share: Share {
                assured: assured(&settings.budget, settings.max_players),
                // What players keep is no reason to turn newcomers away.
                spared: settings.budget.limit() / 4,
            },
            ..Limits::accepted()
        },
        budget: settings.budget,
    };
    let bans = settings.bans;
    let front = Front {
        guid,
        protocols: settings.protocols,
        cookies: settings.cookie.then(|| Cookies::new(clock.elapsed())),
        bans: bans.map(|bans| BanList::new(bans, clock.elapsed())),
        pongs: Pongs::new(settings.pongs),
        advertisement: Advertisement::new(settings.advertise, settings.max_players),
    };
    let drops = Drops::new(settings.name.clone());
    let requests = Requests::new(
        settings.id,
        settings.name,
        settings.room,
        PasswordFile(settings.password),
        settings.full_reason,
        settings.cookie,
    );
    Ok(Doorman {
        server,
        front,
        // Everyone who is here may have to be told the last word at once: when the host stops.
        peers: Peers::new(settings.max_pending.saturating_add(settings.max_players)),
        timers: Timers::default(),
        requests,
        core,
        game,
        sending,
        drops,
        max_message: settings.max_message,
        proves: settings.cookie,
        repeated: 0,
        touched: Vec::new(),
        stalled: VecDeque::new(),
        farewells: Farewells::default(),
        untold: VecDeque::new(),
        told: 0,
        events: Vec::new(),
        buffer: Vec::new(),
    })
}

/// What each of so many may keep whatever the others do: players together an eighth of the budget, and so
/// those who wait.
fn assured(budget: &Budget, most: u32) -> usize {
    budget.limit() / 8 / most.max(1) as usize
}

/// A key of this process. Neither of the two that mean nobody.
fn guid() -> io::Result<Guid> {
    let random = SysRng.try_next_u64().map_err(io::Error::other)?;
    Ok(Guid(random.clamp(1, u64::MAX - 1)))
}

struct MafianetDoor {
    orders: Sender<Order>,
    /// How much of what may be lost waits among the orders.
    sending: Arc<Quota>,
    shared: Arc<Shared>,
    is_over: watch::Receiver<bool>,
}

impl DoorLink for MafianetDoor {
    fn deliver(&self, event: DoorEvent) {
        self.orders.put_quietly(Order::Event(event));
    }

    fn hurry(&self) {
        self.orders.wake();
    }
}

impl MafianetDoor {
    /// Hands over what may be lost, and has its place.
    fn send_some(&self, some: &mut Vec<(SessionId, Message)>) {
        if !some.is_empty() {
            self.orders.put(Order::Messages(std::mem::take(some)));
        }
    }
}

impl DataLink for MafianetDoor {
    fn send(&self, to: SessionId, message: Message) {
        self.send_all(vec![(to, message)]);
    }

    fn send_all(&self, messages: Vec<(SessionId, Message)>) {
        let mut some = Vec::new();
        for (to, message) in messages {
            if !is_promised(&message) {
                match self.sending.take(1) {
                    true => some.push((to, message)),
                    false => self.shared.shed_one(),
                }
                continue;
            }
            self.send_some(&mut some);
            // The door's thread never waits for the rules, so that they can wait for it.
            let order = Order::Message(to, message);
            if self.orders.offer_patiently(order).is_err() {
                self.shared.shed_one();
            }
        }
        self.send_some(&mut some);
    }
}

impl Door for MafianetDoor {
    fn holds(&self) -> Holds {
        Holds {
            peers: self.shared.peers(),
            bytes: self.shared.held_bytes(),
        }
    }

    fn close(&self) -> Closing<'_> {
        self.orders.put(Order::Close);
        let mut is_over = self.is_over.clone();
        Box::pin(async move {
            // An error means that the thread has ended.
            let _ = is_over.wait_for(|over| *over).await;
        })
    }
}
