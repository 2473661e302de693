//! Who connects where, with what.

use std::fmt;
use std::net::SocketAddrV4;
use std::time::Duration;

use super::super::connection::Limits;
use super::super::dialect::Dialect;
use super::super::guid::Guid;

/// How a connection is made. `Debug` shows neither password nor payload, which may hold a ticket.
#[derive(Clone)]
pub struct Setup {
    /// Which member of the family the server speaks.
    pub dialect: &'static Dialect,
    /// Our key: random for each process, neither 0 nor all ones.
    pub guid: Guid,
    /// The server, as it was dialled.
    pub server: SocketAddrV4,
    /// The connection password, up to [`MAX_PASSWORD`](super::super::MAX_PASSWORD) bytes. Empty for none.
    pub password: Vec<u8>,
    /// The session payload, up to [`MAX_SESSION_PAYLOAD`](super::super::MAX_SESSION_PAYLOAD) bytes. A dialect
    /// without a session exchange has no place for it.
    pub payload: Vec<u8>,
    /// How long the server may take to answer our session request; each of its statuses starts it anew. 10 s,
    /// as a client has it that sets nothing.
    pub session_timeout: Duration,
    /// How long the server may be silent while something of ours is not acknowledged. 10 s.
    pub timeout: Duration,
    /// What the connection may keep once we are in; its timeout is the one above.
    pub limits: Limits,
}

impl Setup {
    /// Everything but who and where as a client has it by default; neither password nor payload.
    #[must_use]
    pub fn new(dialect: &'static Dialect, guid: Guid, server: SocketAddrV4) -> Self {
        Self {
            dialect,
            guid,
            server,
            password: Vec::new(),
            payload: Vec::new(),
            session_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(10),
            limits: Limits::accepted(),
        }
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup")
            .field("dialect", &self.dialect.name)
            .field("guid", &self.guid)
            .field("server", &self.server)
            .field("payload", &self.payload.len())
            .finish_non_exhaustive()
    }
}
