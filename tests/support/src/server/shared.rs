//! What a server's connections share, and what can be done to the server from among them.

use crate::calls::Calls;
use crate::fault::Faults;
use crate::reply::Reply;
use crate::request::Request;
use std::collections::HashMap;
use std::io;
use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Barrier, mpsc};

/// What is behind a server.
pub(crate) trait Site: Send + Sync + 'static {
    /// The answer to a request. It is called within the server's runtime and must not block.
    fn answer(self: Arc<Self>, request: &Request) -> Reply;

    /// What a request to `/fake/...` does with it.
    fn script(&self, request: &Request) -> Reply;
}

/// What connections need.
pub(crate) struct Shared {
    pub(super) site: Arc<dyn Site>,
    pub(super) calls: Calls,
    pub(super) faults: Faults,
    /// Those who wait for others, by their path.
    pub(super) gatherings: Mutex<HashMap<String, Arc<Barrier>>>,
    pub(super) orders: mpsc::UnboundedSender<Order>,
    pub(super) by_hand: bool,
}

/// What the accepting task is told, and where to say that it was done.
pub(super) struct Order {
    pub(super) what: Act,
    pub(super) done: Option<blocking::Sender<io::Result<()>>>,
}

/// What can be done to a server.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// Listen again.
    Back,
    /// Listen no more; what is open stays open.
    Gone,
    /// Close every connection, and go on listening.
    HangUp,
    /// Listen no more, and close every connection.
    Die,
    /// The end.
    Stop,
}

impl Shared {
    pub(super) fn answer(&self, request: &Request) -> Reply {
        Arc::clone(&self.site).answer(request)
    }

    pub(super) fn script(&self, request: &Request) -> Reply {
        self.site.script(request)
    }

    /// Orders something from within a connection, which cannot wait for it.
    pub(super) fn order(&self, what: Act) {
        let _ = self.orders.send(Order { what, done: None });
    }

    /// Waits until so many calls of this path wait.
    pub(super) async fn gather(&self, path: &str, calls: usize) {
        let gatherings = || {
            let gatherings = self.gatherings.lock();
            gatherings.unwrap_or_else(PoisonError::into_inner)
        };
        let mine = {
            let mut gatherings = gatherings();
            let new = || Arc::new(Barrier::new(calls));
            Arc::clone(gatherings.entry(path.to_owned()).or_insert_with(new))
        };
        if mine.wait().await.is_leader() {
            gatherings().remove(path);
        }
    }

    /// Listens no more for this long, for a server that is run by hand.
    pub(crate) fn vanish(self: &Arc<Shared>, pause: Duration, act: Vanish) {
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            // The answer to whoever asked for this is to be out first.
            tokio::time::sleep(Duration::from_millis(50)).await;
            shared.order(match act {
                Vanish::Listener => Act::Gone,
                Vanish::Everything => Act::Die,
            });
            tokio::time::sleep(pause).await;
            shared.order(Act::Back);
        });
    }

    pub(crate) fn calls(&self) -> &Calls {
        &self.calls
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }
}

/// What goes away for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Vanish {
    /// The listener; connections stay.
    Listener,
    /// The listener and all connections.
    Everything,
}
