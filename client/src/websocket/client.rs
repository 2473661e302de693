//! The client: connects, waits, plays, leaves.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::Response;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Bytes, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::error::Error;
use super::step::{Accepted, Step};
use super::told::Told;

/// The longest payload, in bytes.
pub const MAX_PAYLOAD: usize = 65_536;

/// The longest message that is sent. What a server takes may be less.
const MAX_MESSAGE: usize = 65_536;

/// The longest that a server sends: a config of 65,536 bytes, in JSON.
const MAX_TOLD: usize = 1 << 20;

/// How long a server may take to become a WebSocket.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);

/// How long a goodbye may take.
const GOODBYE_WITHIN: Duration = Duration::from_secs(1);

/// How to connect. `Debug` does not show the payload.
pub struct Options {
    name: Option<String>,
    payload: Vec<u8>,
    session_timeout: Duration,
    on_step: Box<dyn FnMut(Step) + Send>,
}

impl Options {
    /// What to be called. Nothing unless set; the server may have a name for us.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What the server decides by, up to [`MAX_PAYLOAD`] bytes. Empty unless set.
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
            name: None,
            payload: Vec::new(),
            session_timeout: Duration::from_secs(10),
            on_step: Box::new(|_| {}),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("name", &self.name)
            .field("session_timeout", &self.session_timeout)
            .finish_non_exhaustive()
    }
}

/// A session with a server, alive as long as [`recv`](Self::recv) is called.
pub struct Client {
    stream: WebSocketStream<TcpStream>,
    server: SocketAddr,
    /// What is still to be sent before the server decides.
    payload: Option<Vec<u8>>,
    connected: bool,
    session_timeout: Duration,
    /// When the server must have said something.
    due: Instant,
}

impl Client {
    /// Connects to an address such as `ws://HOST:PORT/PATH`, and waits until the server has decided.
    ///
    /// Waits without limit while the server says that it still decides, because a server may have a queue;
    /// put a `tokio::time::timeout` around it to wait less.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`], [`Error::Refused`] and [`Error::Rejected`] are the usual ones; all but
    /// [`Error::Unsent`] can happen.
    pub async fn connect(address: &str, mut options: Options) -> Result<(Self, Accepted), Error> {
        let mut tell = std::mem::replace(&mut options.on_step, Box::new(|_| {}));
        let mut client = Self::begin(address, options).await?;
        loop {
            let step = client.step().await?;
            tell(step.clone());
            if let Step::Accepted(accepted) = step {
                return Ok((client, accepted));
            }
        }
    }

    /// Begins to connect, for those who want to do something else meanwhile, or to say goodbye while they wait:
    /// call [`step`](Self::step) until it is [`Step::Accepted`]. What [`Options::on_step`] got is not called.
    ///
    /// # Errors
    ///
    /// [`Error::Address`], [`Error::Unreachable`], [`Error::TooLong`], [`Error::Refused`],
    /// [`Error::Protocol`].
    pub async fn begin(address: &str, options: Options) -> Result<Self, Error> {
        if options.payload.len() > MAX_PAYLOAD {
            return Err(Error::TooLong { most: MAX_PAYLOAD });
        }
        let wrong = || Error::Address(address.to_owned());
        let rest = address.strip_prefix("ws://").ok_or_else(wrong)?;
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let path = with_name(path, options.name.as_deref());
        let request = format!("ws://{authority}{path}");
        let request = request.into_client_request().map_err(|_| wrong())?;
        let connected = timeout(HANDSHAKE_WITHIN, TcpStream::connect(authority)).await;
        let tcp = match connected {
            Ok(tcp) => tcp.map_err(Error::Unreachable)?,
            Err(_) => return Err(Error::Unreachable(io::ErrorKind::TimedOut.into())),
        };
        // Only a matter of speed.
        let _ = tcp.set_nodelay(true);
        let server = tcp.peer_addr().map_err(Error::Unreachable)?;
        let config = WebSocketConfig::default()
            .read_buffer_size(16 * 1024)
            .max_message_size(Some(MAX_TOLD))
            .max_frame_size(Some(MAX_TOLD));
        let opened = client_async_with_config(request, tcp, Some(config));
        let (stream, _) = match timeout(HANDSHAKE_WITHIN, opened).await {
            Ok(opened) => opened.map_err(of_handshake)?,
            Err(_) => return Err(Error::Unreachable(io::ErrorKind::TimedOut.into())),
        };
        Ok(Self {
            stream,
            server,
            payload: Some(options.payload),
            connected: false,
            session_timeout: options.session_timeout,
            due: Instant::now() + options.session_timeout,
        })
    }

    /// The next step on the way in. Safe to cancel.
    ///
    /// # Errors
    ///
    /// Those of [`connect`](Self::connect).
    pub async fn step(&mut self) -> Result<Step, Error> {
        if !self.connected {
            self.connected = true;
            let server = self.server;
            return Ok(Step::Connected { server });
        }
        if let Some(payload) = self.payload.take() {
            let message = match String::from_utf8(payload) {
                Ok(text) => Message::text(text),
                Err(error) => Message::binary(error.into_bytes()),
            };
            self.due = Instant::now() + self.session_timeout;
            // Without an await the message is put whole, or not at all.
            self.stream.feed(message).await.map_err(of_session)?;
            return Ok(Step::Requested);
        }
        self.stream.flush().await.map_err(of_session)?;
        loop {
            let message = match timeout_at(self.due, self.stream.next()).await {
                Ok(message) => message,
                Err(_) => return Err(Error::TimedOut),
            };
            match message {
                Some(Ok(Message::Text(text))) => {
                    self.due = Instant::now() + self.session_timeout;
                    if let Some(step) = Told::parse(&text)?.into_step()? {
                        return Ok(step);
                    }
                }
                Some(Ok(Message::Binary(_))) => {
                    let early = "a message of the game before the acceptance";
                    return Err(Error::Protocol(early.to_owned()));
                }
                other => over(other)?,
            }
        }
    }

    /// The next message of the game. Safe to cancel.
    ///
    /// # Errors
    ///
    /// How the session ended.
    pub async fn recv(&mut self) -> Result<Vec<u8>, Error> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Binary(bytes))) => return Ok(bytes.into()),
                Some(Ok(Message::Text(text))) => {
                    // The only thing that is left to be told is how it ends.
                    Told::parse(&text)?.into_step()?;
                }
                other => over(other)?,
            }
        }
    }

    /// Sends a message of the game.
    ///
    /// # Errors
    ///
    /// [`Error::Unsent`] if it is too long, or how the session ended.
    pub async fn send(&mut self, message: &[u8]) -> Result<(), Error> {
        if message.len() > MAX_MESSAGE {
            return Err(Error::Unsent { most: MAX_MESSAGE });
        }
        let message = Message::binary(Bytes::copy_from_slice(message));
        self.stream.send(message).await.map_err(of_session)
    }

    /// Says goodbye and waits until that was heard, but no longer than a second.
    ///
    /// # Errors
    ///
    /// How the session ended, if it did before.
    pub async fn leave(mut self) -> Result<(), Error> {
        let goodbye = CloseFrame {
            code: CloseCode::Normal,
            reason: "".into(),
        };
        let heard = async {
            self.stream.close(Some(goodbye)).await.map_err(of_session)?;
            // Until the server has closed as well; what comes before that is of no interest any more.
            while let Some(Ok(_)) = self.stream.next().await {}
            Ok(())
        };
        timeout(GOODBYE_WITHIN, heard).await.unwrap_or(Ok(()))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

/// The path with the name in its query.
fn with_name(path: &str, name: Option<&str>) -> String {
    let mut path = match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("/{path}"),
    };
    if let Some(name) = name {
        path.push(if path.contains('?') { '&' } else { '?' });
        path.push_str("name=");
        for byte in name.bytes() {
            match byte.is_ascii_alphanumeric() {
                true => path.push(char::from(byte)),
                false => path.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    path
}

/// What a message that is neither text nor binary means: nothing, or the end.
fn over(message: Option<Result<Message, tungstenite::Error>>) -> Result<(), Error> {
    match message {
        Some(Ok(Message::Close(_))) | None => Err(Error::Lost),
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => Err(of_session(error)),
    }
}

fn of_handshake(error: tungstenite::Error) -> Error {
    match error {
        tungstenite::Error::Http(answer) => refused(&answer),
        tungstenite::Error::Io(error) => Error::Unreachable(error),
        error => Error::Protocol(error.to_string()),
    }
}

fn refused(answer: &Response<Option<Vec<u8>>>) -> Error {
    let text = answer.body().as_deref().unwrap_or_default();
    Error::Refused {
        status: answer.status().as_u16(),
        text: String::from_utf8_lossy(text).into_owned(),
    }
}

fn of_session(error: tungstenite::Error) -> Error {
    use tungstenite::error::{Error as Of, ProtocolError};
    match error {
        Of::ConnectionClosed
        | Of::AlreadyClosed
        | Of::Io(_)
        | Of::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing,
        ) => Error::Lost,
        error => Error::Protocol(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_into_the_query_whatever_is_in_it() {
        for (path, name, wanted) in [
            ("", None, "/"),
            ("/play", None, "/play"),
            ("", Some("R9"), "/?name=R9"),
            ("?x=1", Some("a b"), "/?x=1&name=a%20b"),
            ("/play", Some("é&="), "/play?name=%C3%A9%26%3D"),
        ] {
            assert_eq!(with_name(path, name), wanted);
        }
    }
}
