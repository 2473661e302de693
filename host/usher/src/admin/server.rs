//! The socket, and what callers may take of it.

use super::guard::Guard;
use super::host::Host;
use super::routes::{CALL_TIMEOUT, router};
use crate::config::Admin;
use crate::metrics::Metrics;
use crate::web::{Bounds, Listener};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// More callers than this at once wait for one another.
const CONNECTIONS: usize = 64;

/// How long a caller may take to send the head of its request, to send the body, and to read the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The endpoint, bound but not yet served.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
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
        Ok(Server {
            listener: Listener::bind(config.listen).await?,
            guard: Guard {
                token: config.token.clone(),
            },
            patience: PATIENCE,
        })
    }

    /// Where it listens, with the port that port 0 became.
    pub fn local_addr(&self) -> SocketAddr {
        self.listener.local_addr()
    }

    /// Serves for as long as the future is polled.
    pub async fn serve<H: Host>(self, host: Arc<H>, metrics: Metrics) {
        let app = router(host, metrics, self.guard, self.patience);
        let bounds = Bounds {
            connections: CONNECTIONS,
            head: self.patience,
            // Who sends call after call and reads no answer would keep its place for ever.
            keep_alive: false,
            // It has one call, so only an answer that nobody reads gets there.
            lasts: CALL_TIMEOUT + self.patience,
            grace: self.patience,
        };
        let (_open, closing) = watch::channel(false);
        self.listener
            .serve("the admin endpoint", app, bounds, closing)
            .await;
    }
}
