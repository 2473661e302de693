//! Where the game server is, how one reaches it, and what the operator hears when one does not.

use crate::config;
use crate::seldom::Seldom;
use socket2::{Domain, Socket, Type};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};
use usher_core::Reason;
use usher_runtime::Delivery;

/// What the log says of a game server that is not there, it says once in this time.
const SAID_EVERY: Duration = Duration::from_secs(10);

/// The longest datagram that there is, in bytes, and one more.
pub(super) const LONGEST: usize = 65_536;

/// The game server, as the doors reach it. Cheap to clone.
#[derive(Clone)]
pub struct Relay {
    server: SocketAddr,
    delivery: Delivery,
    said: Arc<Said>,
}

/// Lines of the log that any player can cause.
struct Said {
    gone: Seldom,
    no_socket: Seldom,
}

impl Relay {
    /// The game server of a configuration.
    pub fn new(config: &config::Relay) -> Relay {
        Relay {
            server: config.server,
            delivery: config.delivery,
            said: Arc::new(Said {
                gone: Seldom::new(SAID_EVERY),
                no_socket: Seldom::new(SAID_EVERY),
            }),
        }
    }

    /// How what the game server says travels to players, where the protocol has a choice.
    pub fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// A socket that speaks with the game server and hears nobody else, from its first moment: the system gives
    /// it its port and its peer in one. One that has a port before it has a peer takes what anyone sends there.
    pub(super) fn connect(&self) -> io::Result<UdpSocket> {
        let socket = Socket::new(Domain::for_address(self.server), Type::DGRAM, None)?;
        socket.set_nonblocking(true)?;
        socket.connect(&self.server.into())?;
        Ok(socket.into())
    }

    /// A player has no socket, so it cannot play.
    pub(super) fn warn_of_no_socket(&self, error: &io::Error) {
        if let Some(unsaid) = self.said.no_socket.may_say(Instant::now()) {
            tracing::warn!(
                server = %self.server,
                unsaid,
                "a player is sent away, because there is no socket to relay with: {error}"
            );
        }
    }

    /// Nobody listens where the game server should.
    pub(super) fn warn_of_gone(&self) {
        if let Some(unsaid) = self.said.gone.may_say(Instant::now()) {
            tracing::warn!(
                server = %self.server,
                unsaid,
                "the game server is not there; players stay, and what they send is lost"
            );
        }
    }
}

/// What a player is told that cannot be relayed.
pub fn unreachable() -> Reason {
    Reason::new("game-unreachable", "The game cannot be reached.")
}
