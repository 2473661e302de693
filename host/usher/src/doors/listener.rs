//! Takes TCP connections for a door, whatever happens.

use super::strangers::{Stranger, Strangers};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// How many connections the system keeps for us while we are busy.
const BACKLOG: i32 = 1024;

/// Failures with less than this between them are one, and said once.
const FAILURES_APART: Duration = Duration::from_secs(60);

/// After a failure that will not go away by itself, such as no file descriptor being left.
const BACK_OFF: Duration = Duration::from_millis(50);

/// Must be called within a runtime.
pub(in crate::doors) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket2::Socket::new(
        socket2::Domain::for_address(address),
        socket2::Type::STREAM,
        Some(socket2::Protocol::TCP),
    )?;
    if address.is_ipv6() {
        // Whatever the system's default is, `[::]` means both.
        socket.set_only_v6(false)?;
    }
    // A host that was just stopped can start again at once.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// A door, as far as it takes connections.
pub(in crate::doors) struct Entrance {
    /// The door's name.
    pub(in crate::doors) name: Arc<str>,
    /// Those whom the core does not know.
    pub(in crate::doors) strangers: Strangers,
    /// Whether the door closes.
    pub(in crate::doors) closing: watch::Receiver<bool>,
    /// Each connection holds a clone until it is over.
    pub(in crate::doors) alive: mpsc::Sender<()>,
}

impl Entrance {
    /// Takes connections until the door closes. Each is served by a task of its own, as a stranger.
    pub(in crate::doors) async fn listen<S, F>(mut self, listener: TcpListener, serve: S)
    where
        S: Fn(TcpStream, SocketAddr, Stranger) -> F,
        F: Future<Output = ()> + Send + 'static,
    {
        let mut last_failure: Option<Instant> = None;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = self.closing.wait_for(|closing| *closing) => return,
            };
            match accepted {
                Ok((tcp, peer)) => {
                    let served = serve(tcp, peer, self.strangers.enter(peer.ip()));
                    let alive = self.alive.clone();
                    tokio::spawn(async move {
                        served.await;
                        drop(alive);
                    });
                }
                Err(error) if is_the_peers(&error) => {}
                Err(error) => {
                    let before = last_failure.replace(Instant::now());
                    if before.is_none_or(|before| before.elapsed() >= FAILURES_APART) {
                        tracing::error!(
                            door = &*self.name,
                            "connections cannot be taken: {error}; those that have said nothing make \
                             room, and it is tried again until it works"
                        );
                    }
                    // Their file descriptors may be those that are missing.
                    self.strangers.evict_half();
                    tokio::time::sleep(BACK_OFF).await;
                }
            }
        }
    }
}

/// A connection that was gone before it was taken.
fn is_the_peers(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}
