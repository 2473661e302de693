//! A player's TCP stream: messages in, messages out, and an end that loses nothing.

use std::io;
use std::net::Shutdown;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use usher_wire::rtyp::{ClientMessage, Framer, Malformed, PlayerName, RejectReason, ServerMessage};

/// A write that has not gone through by then never will: nothing that we send fills a window.
const WRITE_WITHIN: Duration = Duration::from_secs(1);

/// How long we go on reading after our last word. Closing at once, with bytes unread, would reset the
/// connection and could take that word back.
const LINGER: Duration = Duration::from_secs(1);

/// What a client said.
#[derive(Debug)]
pub(super) enum Heard {
    /// It wants in, by a name that keeps the rules, or is to be told why not.
    Login(Result<PlayerName, RejectReason>),
    /// It says goodbye.
    Logout,
    /// What it sends is not of the protocol.
    Malformed(Malformed),
    /// The connection is closed or broken.
    Closed,
}

/// The stream. Between messages it holds no buffer.
///
/// The system may wait with a small message until the one before is acknowledged. There is one at most: what
/// follows it is the last, and the end of the stream, which goes out with it, waits for nothing.
pub(super) struct Stream {
    tcp: TcpStream,
    framer: Framer,
}

impl Stream {
    pub(super) fn new(tcp: TcpStream) -> Stream {
        let framer = Framer::new();
        Stream { tcp, framer }
    }

    /// The next message. Safe to cancel.
    pub(super) async fn hear(&mut self) -> Heard {
        loop {
            match self.framer.next_frame() {
                Ok(Some(frame)) => return understand(frame),
                Ok(None) => {}
                Err(cause) => return Heard::Malformed(cause),
            }
            if self.tcp.readable().await.is_err() {
                return Heard::Closed;
            }
            match self.read() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(0) | Err(_) => return Heard::Closed,
                Ok(_) => {}
            }
        }
    }

    /// Not async, so that the buffer is no part of any task.
    fn read(&mut self) -> io::Result<usize> {
        let mut buffer = [0; 512];
        let read = self.tcp.try_read(&mut buffer)?;
        self.framer.push(&buffer[..read]);
        Ok(read)
    }

    /// Sends a message. False if it did not go through.
    pub(super) async fn say(&self, message: ServerMessage) -> bool {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        timeout(WRITE_WITHIN, self.write(&bytes))
            .await
            .is_ok_and(|written| written.is_ok())
    }

    async fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.tcp.writable().await?;
            match self.tcp.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => bytes = bytes.get(written?..).unwrap_or_default(),
            }
        }
        Ok(())
    }

    /// Sends a last message and closes, in such a way that it arrives.
    pub(super) async fn close_with(self, message: ServerMessage) {
        if !self.say(message).await {
            return;
        }
        if socket2::SockRef::from(&self.tcp)
            .shutdown(Shutdown::Write)
            .is_err()
        {
            return;
        }
        // When time is up, it closes all the same.
        let _ = timeout(LINGER, self.discard()).await;
    }

    async fn discard(&self) {
        while self.tcp.readable().await.is_ok() {
            let mut buffer = [0; 512];
            match self.tcp.try_read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
    }
}

fn understand(frame: &[u8]) -> Heard {
    match ClientMessage::decode(frame) {
        Ok(ClientMessage::LoginRequest(login)) => Heard::Login(login.outcome()),
        Ok(ClientMessage::Logout(_)) => Heard::Logout,
        Err(cause) => Heard::Malformed(cause),
    }
}
