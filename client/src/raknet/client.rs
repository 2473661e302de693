//! The client: connects, waits, plays, leaves.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::Duration;

use rand::TryRng as _;
use rand::rngs::SysRng;
use tokio::net::{ToSocketAddrs, lookup_host};
use tokio::time::{Instant, sleep_until};
use usher_wire::raknet::initiator::{Ending, Event, Initiator, Setup, State};
use usher_wire::raknet::{
    Budget, Dialect, Guid, Incoming, MAX_PASSWORD, MAX_SESSION_PAYLOAD, Reliability,
};

use super::error::Error;
use super::socket::Socket;
use super::step::Step;

/// How to connect. `Debug` shows neither password nor payload.
pub struct Options {
    dialect: &'static Dialect,
    guid: Option<Guid>,
    local: SocketAddrV4,
    password: Vec<u8>,
    payload: Vec<u8>,
    session_timeout: Duration,
    on_step: Box<dyn FnMut(Step) + Send>,
}

impl Options {
    /// The protocol to speak. MafiaNet's unless set.
    #[must_use]
    pub fn dialect(mut self, dialect: &'static Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The client's own key. Random unless set, as it should be for each start of a game.
    #[must_use]
    pub fn guid(mut self, guid: Guid) -> Self {
        self.guid = Some(guid);
        self
    }

    /// The address to connect from. Any, with a free port, unless set.
    #[must_use]
    pub fn local(mut self, local: SocketAddrV4) -> Self {
        self.local = local;
        self
    }

    /// The connection password, up to [`MAX_PASSWORD`] bytes. None unless set.
    #[must_use]
    pub fn password(mut self, password: impl Into<Vec<u8>>) -> Self {
        self.password = password.into();
        self
    }

    /// What the server decides by, up to [`MAX_SESSION_PAYLOAD`] bytes. Empty unless set.
    #[must_use]
    pub fn payload(mut self, payload: impl Into<Vec<u8>>) -> Self {
        self.payload = payload.into();
        self
    }

    /// How long to wait for the server's decision, or for its next status. 10 s unless set.
    #[must_use]
    pub fn session_timeout(mut self, timeout: Duration) -> Self {
        self.session_timeout = timeout;
        self
    }

    /// Calls `tell` for every [`Step`] on the way in. It must not block.
    #[must_use]
    pub fn on_step(mut self, tell: impl FnMut(Step) + Send + 'static) -> Self {
        self.on_step = Box::new(tell);
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dialect: Dialect::MAFIANET,
            guid: None,
            local: SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0),
            password: Vec::new(),
            payload: Vec::new(),
            session_timeout: Duration::from_secs(10),
            on_step: Box::new(|_| {}),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("dialect", &self.dialect.name)
            .field("local", &self.local)
            .field("session_timeout", &self.session_timeout)
            .finish_non_exhaustive()
    }
}

/// A session with a server, alive as long as [`recv`](Self::recv) is called.
pub struct Client {
    initiator: Initiator,
    socket: Socket,
    server: SocketAddrV4,
    config: Vec<u8>,
    /// What the connection's time is counted from.
    start: Instant,
    datagram: Vec<u8>,
}

impl Client {
    /// Connects, and waits until the server has decided.
    ///
    /// Waits without limit while the server says that it still decides, because a server may have a queue;
    /// put a `tokio::time::timeout` around it to wait less.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`] (after 6.5 s of asking), [`Error::Refused`], [`Error::WrongPassword`] and
    /// [`Error::Rejected`] are the usual ones; all but [`Error::Unsent`] can happen.
    pub async fn connect(server: impl ToSocketAddrs, mut options: Options) -> Result<Self, Error> {
        let mut tell = std::mem::replace(&mut options.on_step, Box::new(|_| {}));
        let mut client = Self::begin(server, options).await?;
        loop {
            let step = client.step().await?;
            let inside = matches!(step, Step::Accepted { .. });
            tell(step);
            if inside {
                return Ok(client);
            }
        }
    }

    /// Begins to connect, for those who want to do something else meanwhile, or to say goodbye while they wait:
    /// call [`step`](Self::step) until it is [`Step::Accepted`]. What [`Options::on_step`] got is not called.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`] when the name does not resolve, [`Error::TooLong`] or [`Error::Udp`].
    pub async fn begin(server: impl ToSocketAddrs, options: Options) -> Result<Self, Error> {
        let Options {
            dialect,
            guid,
            local,
            password,
            payload,
            session_timeout,
            on_step: _,
        } = options;
        for (what, bytes, most) in [
            ("password", &password, MAX_PASSWORD),
            ("payload", &payload, MAX_SESSION_PAYLOAD),
        ] {
            if bytes.len() > most {
                return Err(Error::TooLong { what, most });
            }
        }
        let server = resolve(server).await.map_err(Error::Unreachable)?;
        let guid = guid.map_or_else(random_guid, Ok).map_err(Error::Udp)?;
        let mut setup = Setup::new(dialect, guid, server);
        (setup.password, setup.payload) = (password, payload);
        setup.session_timeout = session_timeout;
        let socket = Socket::open(local, server).await.map_err(Error::Udp)?;
        Ok(Self {
            initiator: Initiator::new(setup, Budget::default(), Duration::ZERO),
            socket,
            server,
            config: Vec::new(),
            start: Instant::now(),
            datagram: Vec::new(),
        })
    }

    /// The next step on the way in. Safe to cancel.
    ///
    /// # Errors
    ///
    /// Those of [`connect`](Self::connect).
    pub async fn step(&mut self) -> Result<Step, Error> {
        loop {
            return Ok(match self.next().await.map_err(Error::Udp)? {
                Event::Asked { attempt, mtu } => Step::Asked { attempt, mtu },
                Event::Opened { mtu } => Step::Opened {
                    server: self.server,
                    mtu,
                },
                Event::Requested => Step::Requested,
                Event::Status(status) => Step::Status(status),
                Event::Accepted { config } => {
                    self.config.clone_from(&config);
                    Step::Accepted { config }
                }
                // None comes before the acceptance, which is the last step.
                Event::Message(_) => continue,
                Event::Ended(ending) => return Err(ending.into()),
            });
        }
    }

    /// The next message of the game, its id first. One with a timestamp has it by this client's clock, which
    /// began when it connected.
    ///
    /// Acknowledges, resends and answers meanwhile, so call it again and again for as long as the session is
    /// to live. Safe to cancel: no message is lost by it.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the server ends the session, [`Error::Lost`], or [`Error::Udp`].
    pub async fn recv(&mut self) -> Result<Incoming, Error> {
        loop {
            match self.next().await.map_err(Error::Udp)? {
                Event::Message(message) => return Ok(message),
                Event::Ended(ending) => return Err(ending.into()),
                // Of the way in, which is behind us.
                _ => {}
            }
        }
    }

    /// Sends a message of the game, its id first. The channel, 0 to 31, counts for ordered and sequenced
    /// messages.
    ///
    /// What is reliable is sent again until it arrives, by [`recv`](Self::recv).
    ///
    /// # Errors
    ///
    /// [`Error::Unsent`], after which the session goes on.
    pub async fn send(
        &mut self,
        message: &[u8],
        reliability: Reliability,
        channel: u8,
    ) -> Result<(), Error> {
        let now = self.start.elapsed();
        self.initiator.send(message, reliability, channel, now)?;
        self.flush().await;
        Ok(())
    }

    /// Ends the session with a reason, which may be empty and needs a protocol that has one: says so, and
    /// waits until the server has heard it, for 3 s at most.
    ///
    /// # Errors
    ///
    /// [`Error::Udp`].
    pub async fn leave(mut self, reason: &[u8]) -> Result<(), Error> {
        self.initiator.leave(reason, self.start.elapsed());
        while self.initiator.state() != State::Ended {
            self.next().await.map_err(Error::Udp)?;
        }
        Ok(())
    }

    /// What the server gave with its acceptance.
    #[must_use]
    pub fn config(&self) -> &[u8] {
        &self.config
    }

    /// The server's address.
    #[must_use]
    pub fn server(&self) -> SocketAddrV4 {
        self.server
    }

    /// Our address.
    ///
    /// # Errors
    ///
    /// Those of the socket.
    pub fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local()
    }

    /// The round trip to the server, once one was measured.
    #[must_use]
    pub fn rtt(&self) -> Option<Duration> {
        self.initiator.rtt()
    }

    /// Messages of the game that came before the server let us in, and were dropped. There should be none.
    #[must_use]
    pub fn early(&self) -> u64 {
        self.initiator.early()
    }

    /// The next thing that happens. Safe to cancel: a datagram that is cut off on its way out is as good as
    /// lost, which the protocol is made for.
    async fn next(&mut self) -> io::Result<Event> {
        loop {
            self.flush().await;
            if let Some(event) = self.initiator.poll_event() {
                return Ok(event);
            }
            let Some(due) = self.initiator.poll_timeout() else {
                // Over, and told before.
                return Ok(Event::Ended(Ending::Left));
            };
            let Self {
                socket,
                initiator,
                start,
                ..
            } = self;
            tokio::select! {
                datagram = socket.receive() => initiator.receive(datagram?, start.elapsed()),
                () = sleep_until(*start + due) => {}
            }
        }
    }

    async fn flush(&mut self) {
        let now = self.start.elapsed();
        while self.initiator.poll_transmit(now, &mut self.datagram) {
            self.socket.send(&self.datagram).await;
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.server)
            .field("state", &self.initiator.state())
            .finish_non_exhaustive()
    }
}

/// The protocol's messages hold IPv4 addresses and no others.
async fn resolve(server: impl ToSocketAddrs) -> io::Result<SocketAddrV4> {
    let addresses = lookup_host(server).await?;
    let mut of_ipv4 = addresses.filter_map(|address| match address {
        SocketAddr::V4(address) => Some(address),
        SocketAddr::V6(_) => None,
    });
    let none = || io::Error::new(io::ErrorKind::AddrNotAvailable, "it has no IPv4 address");
    of_ipv4.next().ok_or_else(none)
}

fn random_guid() -> io::Result<Guid> {
    let random = || SysRng.try_next_u64().map_err(io::Error::other);
    loop {
        let guid = random()?;
        // Both are reserved.
        if guid != 0 && guid != u64::MAX {
            return Ok(Guid(guid));
        }
    }
}
