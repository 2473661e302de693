//! The socket: a bounded number of connections, each of which must say what it wants in time.

use super::guard::Guard;
use super::host::Host;
use super::routes::{Local, router};
use crate::config::Admin;
use crate::metrics::Metrics;
use axum::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// More callers than this at once wait for one another.
const CONNECTIONS: usize = 64;

/// How long the head of a request may take, and how long a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Most bytes of a request's head.
const HEAD_LIMIT: usize = 16 * 1024;

/// The endpoint, bound but not yet served.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    local: SocketAddr,
    guard: Guard,
    pub(super) head_timeout: Duration,
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
            head_timeout: HEAD_TIMEOUT,
        })
    }

    /// Where it listens, with the port that port 0 became.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Serves for as long as the future is polled.
    pub async fn serve<H: Host>(self, host: Arc<H>, metrics: Metrics) {
        let app = router(host, metrics, self.guard);
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            // Never closed, so there is always a permit to be had in the end.
            let Ok(permit) = room.clone().acquire_owned().await else {
                return;
            };
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!("the admin endpoint cannot take a connection: {error}");
                    // Out of file descriptors, mostly: trying again at once would only spin.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let app = app.clone();
            tokio::spawn(async move {
                // A caller that goes away or talks nonsense is its own concern.
                let _ = connection(stream, app, self.head_timeout).await;
                drop(permit);
            });
        }
    }
}

async fn connection(
    stream: TcpStream,
    app: axum::Router,
    head_timeout: Duration,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let local = Local(stream.local_addr()?);
    let service = TowerToHyperService::new(app.layer(Extension(local)));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_timeout)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service)
        .await?;
    Ok(())
}
