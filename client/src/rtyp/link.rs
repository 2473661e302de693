//! The TCP connection: messages out, messages in, the goodbye.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::time::timeout;
use usher_wire::rtyp::{ClientMessage, Framer, LogoutReason, ServerMessage};

use super::error::Error;

/// How long what the server still sends is discarded after our Logout.
const GOODBYE: Duration = Duration::from_secs(1);

pub(super) struct Link {
    stream: TcpStream,
    framer: Framer,
}

impl Link {
    /// Connects; the time is for name resolution and all addresses together.
    pub(super) async fn open(server: impl ToSocketAddrs, within: Duration) -> Result<Self, Error> {
        let stream = timeout(within, TcpStream::connect(server))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .map_err(Error::Unreachable)?;
        stream.set_nodelay(true).map_err(Error::Unreachable)?;
        Ok(Self {
            stream,
            framer: Framer::new(),
        })
    }

    pub(super) fn local(&self) -> Result<SocketAddr, Error> {
        self.stream.local_addr().map_err(Error::Lost)
    }

    pub(super) fn server(&self) -> Result<SocketAddr, Error> {
        self.stream.peer_addr().map_err(Error::Lost)
    }

    pub(super) async fn send(&mut self, message: ClientMessage<'_>) -> Result<(), Error> {
        let mut frame = Vec::new();
        message.encode(&mut frame);
        self.stream.write_all(&frame).await.map_err(Error::Lost)
    }

    /// The next message. Safe to cancel: what was read stays in the framer.
    pub(super) async fn next(&mut self) -> Result<ServerMessage, Error> {
        loop {
            if let Some(frame) = self.framer.next_frame()? {
                return Ok(ServerMessage::decode(frame)?);
            }
            let mut read = [0; 512];
            match self.stream.read(&mut read).await {
                Ok(0) => return Err(Error::Lost(io::ErrorKind::UnexpectedEof.into())),
                Ok(length) => self.framer.push(&read[..length]),
                Err(error) => return Err(Error::Lost(error)),
            }
        }
    }

    /// Sends Logout Left and closes.
    ///
    /// A socket that is closed with unread bytes in it resets the connection, and the reset can overtake the
    /// Logout. So only the sending side is shut at once; what comes is discarded until the server closes.
    pub(super) async fn leave(mut self) -> Result<(), Error> {
        self.send(ClientMessage::Logout(LogoutReason::Left)).await?;
        self.stream.shutdown().await.map_err(Error::Lost)?;
        let mut rest = [0; 512];
        let discard = async { while let Ok(1..) = self.stream.read(&mut rest).await {} };
        // A server that does not close in time is closed on; the Logout is long delivered.
        let _ = timeout(GOODBYE, discard).await;
        Ok(())
    }
}
