//! The socket of one player, for a door where each connection has a task of its own.

use super::losses::Loss;
use super::server::{LONGEST, Relay};
use crate::metrics;
use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use tokio::net::UdpSocket;

thread_local! {
    // One for each thread and not for each player: a datagram may be long, and hardly any is.
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; LONGEST].into());
}

/// The socket.
pub struct Line {
    relay: Relay,
    door: Arc<str>,
    socket: UdpSocket,
}

impl Relay {
    /// A player is in. None: there is no socket for it, and it cannot play. Must be called within a runtime.
    pub fn line(&self, door: &Arc<str>) -> Option<Line> {
        let socket = self.connect().and_then(UdpSocket::from_std);
        match socket {
            Ok(socket) => Some(Line {
                relay: self.clone(),
                door: door.clone(),
                socket,
            }),
            Err(error) => {
                metrics::relay_lost(door, Loss::NoSocket.word(), 1);
                self.warn_of_no_socket(&error);
                None
            }
        }
    }
}

impl Line {
    /// Sends what the player sent. What is lost is counted: the game server promised nothing.
    pub fn send(&self, bytes: &[u8]) {
        let mut sent = self.socket.try_send(bytes);
        if matches!(&sent, Err(error) if error.kind() == ErrorKind::ConnectionRefused) {
            // It is said of one before; this one was not sent.
            self.gone();
            sent = self.socket.try_send(bytes);
        }
        if let Err(error) = sent {
            metrics::relay_lost(&self.door, Loss::of(&error).word(), 1);
        }
    }

    /// Until the game server may have said something. Safe to cancel.
    ///
    /// # Errors
    ///
    /// What the system says when it cannot be waited for.
    pub async fn readable(&self) -> io::Result<()> {
        self.socket.readable().await
    }

    /// Receives one datagram and gives it to `take`, if one is there that is not empty. False: nothing more is.
    pub fn receive(&self, take: impl FnOnce(&[u8])) -> bool {
        BUFFER.with_borrow_mut(|buffer| match self.socket.try_recv(buffer) {
            Ok(length) => {
                if let Some(bytes) = buffer.get(..length)
                    && length > 0
                {
                    take(bytes);
                }
                true
            }
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                self.gone();
                true
            }
            Err(_) => false,
        })
    }

    fn gone(&self) {
        metrics::relay_lost(&self.door, Loss::Gone.word(), 1);
        self.relay.warn_of_gone();
    }
}
