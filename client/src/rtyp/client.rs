//! The client: logs in, plays, leaves.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::ToSocketAddrs;
use tokio::time::{Instant, sleep_until};
use usher_wire::rtyp::{ClientMessage, Kind, LoginRequest, PlayerName, ServerMessage};

use super::channel::{Channel, Dropped, Heard};
use super::error::{Breach, Error};
use super::link::Link;
use super::step::Step;

/// Time between two Connects (section 3.4).
const CONNECT_EVERY: Duration = Duration::from_millis(250);

/// Time from LoginAccepted to giving up on UDP (section 3.4).
const BIND_TIMEOUT: Duration = Duration::from_secs(5);

/// How to connect.
pub struct Options {
    tcp_timeout: Duration,
    on_step: Box<dyn FnMut(Step) + Send>,
}

impl Options {
    /// Longest time to get a TCP connection, name resolution included. 10 s unless set.
    #[must_use]
    pub fn tcp_timeout(mut self, timeout: Duration) -> Self {
        self.tcp_timeout = timeout;
        self
    }

    /// Calls `tell` for every [`Step`] of the login. It must not block.
    #[must_use]
    pub fn on_step(mut self, tell: impl FnMut(Step) + Send + 'static) -> Self {
        self.on_step = Box::new(tell);
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tcp_timeout: Duration::from_secs(10),
            on_step: Box::new(|_| {}),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("tcp_timeout", &self.tcp_timeout)
            .finish_non_exhaustive()
    }
}

/// A session with a server: logged in, bound and alive as long as [`recv`](Self::recv) is called.
pub struct Client {
    link: Link,
    channel: Channel,
    player: u8,
}

impl Client {
    /// Logs in with this name and binds a UDP endpoint.
    ///
    /// Waits without limit for the answer to the login, because a server may have a queue; put a
    /// `tokio::time::timeout` around it to wait less.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`], [`Error::Rejected`] and [`Error::NoUdp`] are the usual ones; all but
    /// [`Error::TooLong`] can happen.
    pub async fn connect(
        server: impl ToSocketAddrs,
        name: &PlayerName,
        options: Options,
    ) -> Result<Self, Error> {
        let Options {
            tcp_timeout,
            on_step: mut tell,
        } = options;
        let mut link = Link::open(server, tcp_timeout).await?;
        let mut udp = link.server()?;
        tell(Step::Connected { server: udp });

        link.send(ClientMessage::LoginRequest(LoginRequest::new(name)))
            .await?;
        tell(Step::LoginSent);

        let (session, player, udp_port) = match link.next().await? {
            ServerMessage::LoginAccepted {
                session,
                player,
                udp_port,
            } => (session, player, udp_port),
            ServerMessage::LoginRejected(reason) => return Err(Error::Rejected(reason)),
            ServerMessage::Logout(_) => return Err(Breach::Unexpected("Logout").into()),
        };
        let accepted_at = Instant::now();
        if udp_port == 0 {
            return Err(Breach::NoPort.into());
        }
        udp.set_port(udp_port);
        tell(Step::Accepted { player, udp });

        let mut channel = Channel::open(link.local()?, udp, session).await?;
        match bind(&mut link, &mut channel, accepted_at, &mut *tell).await {
            Ok(()) => {}
            Err(Error::NoUdp) => {
                // The session is given up whether or not the server still hears it.
                let _ = link.leave().await;
                return Err(Error::NoUdp);
            }
            Err(error) => return Err(error),
        }
        tell(Step::Bound {
            local: channel.local()?,
        });
        Ok(Self {
            link,
            channel,
            player,
        })
    }

    /// The payload of the next Data datagram: each is given once, and late ones as they come.
    ///
    /// Sends keep-alives meanwhile, so call it again and again for as long as the session is to live. Safe to
    /// cancel: no datagram is lost by it.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the server ends the session, [`Error::Lost`] when the connection closes,
    /// [`Error::Protocol`] or [`Error::Udp`].
    pub async fn recv(&mut self) -> Result<Vec<u8>, Error> {
        let Self { link, channel, .. } = self;
        loop {
            let keep_alive = sleep_until(channel.keep_alive_due());
            tokio::select! {
                message = link.next() => return Err(ending(message)),
                heard = channel.next() => match heard? {
                    Heard::Data(payload) => return Ok(payload),
                    // The server repeats its Accept when it heard a Connect again.
                    Heard::Accept => {}
                },
                () = keep_alive => channel.send_empty(Kind::KeepAlive).await?,
            }
        }
    }

    /// Sends a Data datagram of up to [`MAX_PAYLOAD`](super::MAX_PAYLOAD) bytes. It may be lost on its way,
    /// like any datagram.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`], after which the session goes on, or [`Error::Udp`].
    pub async fn send(&mut self, payload: &[u8]) -> Result<(), Error> {
        self.channel.send(payload).await
    }

    /// Ends the session: Logout Left, then the connection closes.
    ///
    /// # Errors
    ///
    /// [`Error::Lost`] when the connection was gone before.
    pub async fn leave(self) -> Result<(), Error> {
        self.link.leave().await
    }

    /// The player's number: 0 to 3 in a game of four.
    #[must_use]
    pub fn player(&self) -> u8 {
        self.player
    }

    /// The server's UDP endpoint.
    #[must_use]
    pub fn server(&self) -> SocketAddr {
        self.channel.server()
    }

    /// What was dropped so far, by cause.
    #[must_use]
    pub fn dropped(&self) -> Dropped {
        self.channel.dropped()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("player", &self.player)
            .field("server", &self.server())
            .field("dropped", &self.dropped())
            .finish_non_exhaustive()
    }
}

/// Sends Connect every 250 ms until an Accept comes, the session ends or time is up.
async fn bind(
    link: &mut Link,
    channel: &mut Channel,
    accepted_at: Instant,
    tell: &mut (dyn FnMut(Step) + Send),
) -> Result<(), Error> {
    let deadline = accepted_at + BIND_TIMEOUT;
    let mut next_connect = accepted_at;
    let mut attempt = 0;
    loop {
        tokio::select! {
            // Time first: a flood of foreign datagrams must not put it off.
            biased;
            () = sleep_until(deadline) => return Err(Error::NoUdp),
            () = sleep_until(next_connect) => {
                channel.send_empty(Kind::Connect).await?;
                attempt += 1;
                tell(Step::ConnectSent { attempt });
                next_connect += CONNECT_EVERY;
            }
            message = link.next() => return Err(ending(message)),
            heard = channel.next() => match heard? {
                Heard::Accept => return Ok(()),
                // The channel gives no data before the first Accept.
                Heard::Data(_) => {}
            },
        }
    }
}

/// What a message after the login means: nothing but a Logout may come.
fn ending(message: Result<ServerMessage, Error>) -> Error {
    match message {
        Ok(ServerMessage::Logout(reason)) => Error::Ended(reason.as_sent_by_server()),
        Ok(ServerMessage::LoginAccepted { .. }) => Breach::Unexpected("LoginAccepted").into(),
        Ok(ServerMessage::LoginRejected(_)) => Breach::Unexpected("LoginRejected").into(),
        Err(error) => error,
    }
}
