//! The socket: a bounded number of connections, each of which must say what it wants in time.

use super::places::{Place, Places};
use crate::seldom::Seldom;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Failures with less than this between them are one, and said once.
const FAILURES_APART: Duration = Duration::from_secs(60);

/// Most bytes of a request's head.
const HEAD_LIMIT: usize = 16 * 1024;

/// The address that a connection came to, as an extension of each of its requests.
#[derive(Clone, Copy, Debug)]
pub struct Local(pub SocketAddr);

/// What callers may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// More connections than this wait for one another, of callers that may call. Of others there may be as many,
    /// and the oldest makes room.
    pub connections: usize,
    /// How long a caller may take to send the head of a request, counted from the answer before it.
    pub head: Duration,
    /// Whether a connection may carry more than one call.
    pub keep_alive: bool,
    /// After this long a connection takes no new call.
    pub lasts: Duration,
    /// And after this long more it is cut off, so that an answer that nobody reads ends too.
    pub grace: Duration,
}

/// An address that is taken and not yet served.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    local: SocketAddr,
}

impl Listener {
    /// Takes the address.
    ///
    /// # Errors
    ///
    /// What the system says of it, such as that it is in use.
    pub async fn bind(address: SocketAddr) -> io::Result<Listener> {
        Listener::new(TcpListener::bind(address).await?)
    }

    /// What is taken already.
    ///
    /// # Errors
    ///
    /// What the system says of the socket.
    pub fn new(listener: TcpListener) -> io::Result<Listener> {
        let local = listener.local_addr()?;
        Ok(Listener { listener, local })
    }

    /// Where it listens, with the port that port 0 became.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Serves until `closing` is true and the last call was answered, or for as long as the future is
    /// polled. `what` names the listener in the log. Each request carries a [`Local`] and a [`Place`], which is
    /// to be told once its caller has shown that it may call.
    pub async fn serve(
        self,
        what: &str,
        app: Router,
        bounds: Bounds,
        mut closing: watch::Receiver<bool>,
    ) {
        let places = Places::new(bounds.connections);
        let failures = Seldom::new(FAILURES_APART);
        // They end with the listener: one that went on would keep the host from ending.
        let mut connections = JoinSet::new();
        let to_close = closing.clone();
        let mut closes = pin!(closed(&mut closing));
        loop {
            while connections.try_join_next().is_some() {}
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = &mut closes => break,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    if let Some(unsaid) = failures.may_say(Instant::now()) {
                        tracing::warn!(unsaid, "{what} cannot take a connection: {error}");
                    }
                    // Out of file descriptors, mostly: trying again at once would only spin.
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let (app, place, closing) = (app.clone(), places.enter(), to_close.clone());
            connections.spawn(async move {
                // A caller that goes away or talks nonsense is its own concern.
                let _ = connection(stream, app, place, bounds, closing).await;
            });
        }
        drop(self.listener);
        while connections.join_next().await.is_some() {}
    }
}

/// Waits until it is to close.
async fn closed(closing: &mut watch::Receiver<bool>) {
    if closing.wait_for(|closing| *closing).await.is_err() {
        // Nobody is left who could say so.
        pending().await
    }
}

async fn connection(
    stream: TcpStream,
    app: Router,
    place: Place,
    bounds: Bounds,
    mut closing: watch::Receiver<bool>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let local = Local(stream.local_addr()?);
    // An answer is small and waited for.
    stream.set_nodelay(true)?;
    let app = app.layer(Extension(local)).layer(Extension(place.clone()));
    let service = TowerToHyperService::new(app);
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .keep_alive(bounds.keep_alive)
            .header_read_timeout(bounds.head)
            .max_buf_size(HEAD_LIMIT)
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        over = connection.as_mut() => return Ok(over?),
        () = place.evicted() => return Ok(()),
        () = sleep(bounds.lasts) => {}
        () = closed(&mut closing) => {}
    }
    connection.as_mut().graceful_shutdown();
    timeout(bounds.grace, connection).await??;
    Ok(())
}
