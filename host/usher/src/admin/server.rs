//! The socket: a bounded number of connections, each of which must say what it wants in time.

use super::guard::Guard;
use super::host::Host;
use super::routes::{CALL_TIMEOUT, Local, router};
use crate::config::Admin;
use crate::metrics::Metrics;
use crate::seldom::Seldom;
use axum::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// More callers than this at once wait for one another.
const CONNECTIONS: usize = 64;

/// How long a caller may take to send the head of its request, to send the body, and to read the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Failures with less than this between them are one, and said once.
const FAILURES_APART: Duration = Duration::from_secs(60);

/// How long a connection can last. It has one call, so only an answer that nobody reads gets there.
const LONGEST: Duration = CALL_TIMEOUT.saturating_add(PATIENCE.saturating_mul(2));

/// Most bytes of a request's head.
const HEAD_LIMIT: usize = 16 * 1024;

/// The endpoint, bound but not yet served.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    local: SocketAddr,
    guard: Guard,
    pub(super) patience: Duration,
}

impl Server {
    /// Binds the endpoint.
    ///
    /// # Errors
    ///
    /// What the system says of the address, such as that it is in use.
    pub async fn bind(config: &Admin) -> io::Result<Server> {
        let listener = TcpListener::bind(config.listen).await?;
        Ok(Server {
            local: listener.local_addr()?,
            listener,
            guard: Guard {
                token: config.token.clone(),
            },
            patience: PATIENCE,
        })
    }

    /// Where it listens, with the port that port 0 became.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Serves for as long as the future is polled.
    pub async fn serve<H: Host>(self, host: Arc<H>, metrics: Metrics) {
        let app = router(host, metrics, self.guard, self.patience);
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let failures = Seldom::new(FAILURES_APART);
        // They end with the endpoint: one that went on would keep the host from ending.
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            // Never closed, so there is always a permit to be had in the end.
            let Ok(permit) = room.clone().acquire_owned().await else {
                return;
            };
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    if let Some(unsaid) = failures.may_say(Instant::now()) {
                        tracing::warn!(
                            unsaid,
                            "the admin endpoint cannot take a connection: {error}"
                        );
                    }
                    // Out of file descriptors, mostly: trying again at once would only spin.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let app = app.clone();
            connections.spawn(async move {
                // A caller that goes away or talks nonsense is its own concern.
                let _ = timeout(LONGEST, connection(stream, app, self.patience)).await;
                drop(permit);
            });
        }
    }
}

async fn connection(
    stream: TcpStream,
    app: axum::Router,
    patience: Duration,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let local = Local(stream.local_addr()?);
    let service = TowerToHyperService::new(app.layer(Extension(local)));
    http1::Builder::new()
        .timer(TokioTimer::new())
        // Who sends call after call and reads no answer would keep its place for ever.
        .keep_alive(false)
        .header_read_timeout(patience)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service)
        .await?;
    Ok(())
}
