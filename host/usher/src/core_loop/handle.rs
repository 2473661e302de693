//! How everyone else reaches the core.

use crate::clock::Clock;
use crate::inbox::{self, Receiver, Sender};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use tokio::sync::{oneshot, watch};
use usher_core::{DoorId, Input, Moment, Report, RequestData, RequestId};

/// How many knocks may wait for the core. The core takes up some ten thousands a second: this many come at once
/// when thousands who were sent away by a restart come back in the same moment, and are still let in within the
/// second; what is beyond comes faster than anyone could be let in.
const KNOCKS_WAITING: usize = 4096;

/// Reaches the core from anywhere. Cheap to clone; never blocks.
#[derive(Clone)]
pub struct Handle {
    inbox: Sender<Item>,
    clock: Clock,
    shared: Arc<Shared>,
    /// Whether the core is left asleep until [`Handle::flush`].
    gathers: bool,
}

#[derive(Default)]
struct Shared {
    requests: AtomicU64,
    knocks_shed: AtomicU64,
    audit_lost: AtomicU64,
    players: AtomicU32,
    players_watch: watch::Sender<u32>,
    has_room: AtomicBool,
}

/// The core's end of every [`Handle`].
pub struct Inbox {
    pub(super) items: Receiver<Item>,
    pub(super) clock: Clock,
    shared: Arc<Shared>,
}

/// What waits for the core.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are inputs, and a box for each would cost an allocation an event"
)]
pub(super) enum Item {
    /// An event, and when it arrived.
    Input(Input, Moment),
    /// A peer that knocks and has said all that it has to say.
    Arrival(Arc<RequestData>, Moment),
    /// Someone wants to know how things stand.
    Report(oneshot::Sender<Report>),
    /// Someone wants to know when nothing is left.
    WhenEmpty(oneshot::Sender<()>),
}

/// The knock was shed: too many wait for the core. The pool has no room for this one, whatever it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("too many knocks wait")]
pub struct Shed;

/// The core loop has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the host is stopping")]
pub struct Stopped;

/// A handle, and the inbox to run the core on.
pub fn channel(clock: Clock) -> (Handle, Inbox) {
    let (to, items) = inbox::inbox(KNOCKS_WAITING);
    let shared = Arc::new(Shared::default());
    let handle = Handle {
        inbox: to,
        clock,
        shared: shared.clone(),
        gathers: false,
    };
    let inbox = Inbox {
        items,
        clock,
        shared,
    };
    (handle, inbox)
}

impl Handle {
    /// For a thread that has many events in a turn: a core that sleeps is woken for all of them with
    /// [`flush`](Handle::flush), which such a thread must not forget.
    #[must_use]
    pub fn gathering(self) -> Handle {
        Handle {
            gathers: true,
            ..self
        }
    }

    /// Wakes the core, if it sleeps and something waits for it.
    pub fn flush(&self) {
        self.inbox.wake();
    }

    /// The host's clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// A name for a new request, never given before.
    pub fn next_request(&self) -> RequestId {
        RequestId(self.shared.requests.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Tells the core of an event that has just happened. Events of one sender stay in order.
    pub fn send(&self, input: Input) {
        let item = Item::Input(input, self.clock.now());
        match self.gathers {
            true => self.inbox.put_quietly(item),
            false => self.inbox.put(item),
        }
    }

    /// A peer knocks with all that it has to say.
    ///
    /// # Errors
    ///
    /// [`Shed`] when too many knocks wait already: tell the peer that the pool is full.
    pub fn knock(&self, request: Arc<RequestData>) -> Result<(), Shed> {
        self.offer(Item::Arrival(request, self.clock.now()))
    }

    /// A peer knocks, and has not said yet what it wants: [`usher_core::Input::Submit`] comes later.
    ///
    /// # Errors
    ///
    /// [`Shed`] when too many knocks wait already: tell the peer that the pool is full.
    pub fn announce(
        &self,
        request: RequestId,
        door: DoorId,
        peer: SocketAddr,
        room: Arc<str>,
    ) -> Result<(), Shed> {
        let knock = Input::Knock {
            request,
            door,
            peer,
            room,
        };
        self.offer(Item::Input(knock, self.clock.now()))
    }

    fn offer(&self, item: Item) -> Result<(), Shed> {
        let offered = match self.gathers {
            true => self.inbox.offer_quietly(item),
            false => self.inbox.offer(item),
        };
        offered.map_err(|_| {
            self.shared.knocks_shed.fetch_add(1, Ordering::Relaxed);
            Shed
        })
    }

    /// How many played a moment ago.
    pub fn players(&self) -> u32 {
        self.shared.players.load(Ordering::Relaxed)
    }

    /// How many play, for whoever acts when that changes.
    pub fn players_watch(&self) -> watch::Receiver<u32> {
        self.shared.players_watch.subscribe()
    }

    /// Whether a newcomer would have found a place a moment ago, whatever its address.
    pub fn has_room(&self) -> bool {
        self.shared.has_room.load(Ordering::Relaxed)
    }

    /// How things stand.
    ///
    /// # Errors
    ///
    /// [`Stopped`] once the core loop has ended.
    pub async fn report(&self) -> Result<Report, Stopped> {
        let (to, from) = oneshot::channel();
        self.inbox.put(Item::Report(to));
        from.await.map_err(|_| Stopped)
    }

    /// Refuse who knocks from now on, tell who waits, end who plays.
    pub fn drain(&self) {
        self.send(Input::Drain);
    }

    /// Waits until the core holds nothing any more, which only stays so after [`Handle::drain`].
    pub async fn emptied(&self) {
        let (to, from) = oneshot::channel();
        self.inbox.put(Item::WhenEmpty(to));
        // An error means that the loop has ended, and holds nothing.
        let _ = from.await;
    }

    /// How many knocks were shed before the core saw them.
    pub fn knocks_shed(&self) -> u64 {
        self.shared.knocks_shed.load(Ordering::Relaxed)
    }

    /// How many audit records were lost because they were written too slowly.
    pub fn audit_lost(&self) -> u64 {
        self.shared.audit_lost.load(Ordering::Relaxed)
    }
}

impl Inbox {
    pub(super) fn publish(&self, players: u32, has_room: bool) {
        let before = self.shared.players.swap(players, Ordering::Relaxed);
        if before != players {
            self.shared.players_watch.send_replace(players);
        }
        self.shared.has_room.store(has_room, Ordering::Relaxed);
    }

    pub(super) fn count_lost_audit(&self) {
        self.shared.audit_lost.fetch_add(1, Ordering::Relaxed);
    }
}
