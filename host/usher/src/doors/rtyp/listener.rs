//! Takes connections, whatever happens.

use super::connection::{Shared, serve};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How many connections the system keeps for us while we are busy.
const BACKLOG: i32 = 1024;

/// Failures with less than this between them are one, and said once.
const FAILURES_APART: Duration = Duration::from_secs(60);

/// After a failure that will not go away by itself, such as no file descriptor being left.
const BACK_OFF: Duration = Duration::from_millis(50);

/// Must be called within a runtime.
pub(super) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
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

/// Takes connections until the door closes. Each holds a clone of `alive` until it is over.
pub(super) async fn listen(listener: TcpListener, door: Arc<Shared>, alive: mpsc::Sender<()>) {
    let mut closing = door.closing.clone();
    let mut last_failure: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = closing.wait_for(|closing| *closing) => return,
        };
        match accepted {
            Ok((tcp, peer)) => spawn(tcp, peer, &door, &alive),
            Err(error) if is_the_peers(&error) => {}
            Err(error) => {
                let before = last_failure.replace(Instant::now());
                if before.is_none_or(|before| before.elapsed() >= FAILURES_APART) {
                    tracing::error!(
                        door = &*door.name,
                        "connections cannot be taken: {error}; those that have said nothing make room, \
                         and it is tried again until it works"
                    );
                }
                // Their file descriptors may be those that are missing.
                door.strangers.evict_half();
                tokio::time::sleep(BACK_OFF).await;
            }
        }
    }
}

fn spawn(tcp: TcpStream, peer: SocketAddr, door: &Arc<Shared>, alive: &mpsc::Sender<()>) {
    let stranger = door.strangers.enter();
    let (door, alive) = (door.clone(), alive.clone());
    tokio::spawn(async move {
        serve(tcp, peer, door, stranger).await;
        drop(alive);
    });
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
