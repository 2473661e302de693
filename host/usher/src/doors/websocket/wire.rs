//! A WebSocket: messages in, messages out, both at once, and an end that loses nothing.

use super::codes::{Farewell, Misdeed};
use super::metered::{Metered, TooFast};
use super::rate::Rate;
use crate::config::FIRST_MESSAGE;
use crate::doors::strangers::Stranger;
use futures_util::{Sink, Stream};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// What is read at once. Each connection keeps as much.
const READ: usize = 4096;

/// What is gathered before it is handed to the system.
const GATHERED: usize = 16 * 1024;

/// A last word that has not gone through by then never will.
const LAST_WORD_WITHIN: Duration = Duration::from_secs(1);

/// How long we go on reading after our last word. Closing at once, with bytes unread, would reset the
/// connection and could take that word back.
const LINGER: Duration = Duration::from_secs(1);

/// What comes of a WebSocket next.
#[derive(Debug)]
pub(super) enum Next {
    /// Everything that was put is with the system.
    Flushed,
    /// The peer said something.
    Heard(Heard),
}

/// What a peer said.
#[derive(Debug)]
pub(super) enum Heard {
    /// A message.
    Message {
        bytes: Bytes,
        /// Whether it came as text.
        text: bool,
    },
    /// A ping, which is answered already, or a pong.
    Control,
    /// It closes, with this code.
    Goodbye(Option<u16>),
    /// It does what it must not.
    Misdeed(Misdeed),
    /// The connection is closed or broken.
    Closed,
}

/// The WebSocket.
pub(super) struct Wire {
    stream: WebSocketStream<Metered>,
    /// Since when something is put and not yet with the system.
    dirty: Option<Instant>,
}

impl Wire {
    /// A WebSocket on a stream of which this was read already.
    pub(super) async fn new(stream: Metered, read: Vec<u8>) -> Wire {
        let most = FIRST_MESSAGE as usize;
        let config = WebSocketConfig::default()
            .read_buffer_size(READ)
            .write_buffer_size(GATHERED)
            .max_frame_size(Some(most))
            .max_message_size(Some(most));
        let role = Role::Server;
        Wire {
            stream: WebSocketStream::from_partially_read(stream, read, role, Some(config)).await,
            dirty: None,
        }
    }

    /// From now on bytes come no faster than this.
    pub(super) fn limit(&mut self, rate: Rate) {
        self.stream.get_mut().limit(rate);
    }

    /// How many bytes have come.
    pub(super) fn received(&self) -> u64 {
        self.stream.get_ref().received()
    }

    /// Since when something waits for the system to take it.
    pub(super) fn dirty(&self) -> Option<Instant> {
        self.dirty
    }

    /// Puts a text frame behind the rest. It travels while [`Wire::next`] is awaited.
    pub(super) fn put_text(&mut self, text: String) {
        self.put(Message::text(text));
    }

    /// The same with a binary frame.
    pub(super) fn put_binary(&mut self, bytes: &[u8]) {
        self.put(Message::binary(Bytes::copy_from_slice(bytes)));
    }

    /// The same with a ping.
    pub(super) fn put_ping(&mut self) {
        self.put(Message::Ping(Bytes::new()));
    }

    fn put(&mut self, message: Message) {
        self.dirty.get_or_insert_with(Instant::now);
        // One that is closed takes no more; what is read next says so.
        let _ = Pin::new(&mut self.stream).start_send(message);
    }

    /// What comes next; nothing of the peer unless `reads`. Safe to cancel.
    pub(super) async fn next(&mut self, reads: bool) -> Next {
        std::future::poll_fn(|cx| self.poll_next(reads, cx)).await
    }

    fn poll_next(&mut self, reads: bool, cx: &mut Context<'_>) -> Poll<Next> {
        if self.dirty.is_some()
            && let Poll::Ready(flushed) = Pin::new(&mut self.stream).poll_flush(cx)
        {
            self.dirty = None;
            return Poll::Ready(match flushed {
                Ok(()) => Next::Flushed,
                Err(_) => Next::Heard(Heard::Closed),
            });
        }
        if !reads {
            return Poll::Pending;
        }
        let heard = std::task::ready!(Pin::new(&mut self.stream).poll_next(cx));
        Poll::Ready(Next::Heard(understand(heard)))
    }

    /// Sends a last word and closes, in such a way that it arrives, unless the room is needed.
    pub(super) async fn close(mut self, farewell: Farewell, stranger: Stranger) {
        if let Some(said) = farewell.said {
            self.put_text(said);
        }
        self.put(Message::Close(Some(CloseFrame {
            code: farewell.code.into(),
            reason: farewell.reason.into(),
        })));
        self.finish(stranger).await;
    }

    /// Has everything that was put, and the answer to a close frame, reach the peer, and closes, unless the
    /// room is needed.
    pub(super) async fn finish(self, stranger: Stranger) {
        tokio::select! {
            () = self.end() => {}
            () = stranger.evicted() => {}
        }
    }

    async fn end(mut self) {
        let flush = std::future::poll_fn(|cx| Pin::new(&mut self.stream).poll_flush(cx));
        if !matches!(timeout(LAST_WORD_WITHIN, flush).await, Ok(Ok(()))) {
            return;
        }
        let mut tcp = self.stream.into_inner().into_inner();
        if tcp.shutdown().await.is_err() {
            return;
        }
        let discard = async {
            let mut buffer = [0; 512];
            while matches!(tcp.read(&mut buffer).await, Ok(read) if read > 0) {}
        };
        // When time is up, it closes all the same.
        let _ = timeout(LINGER, discard).await;
    }
}

fn understand(heard: Option<Result<Message, Error>>) -> Heard {
    let message = match heard {
        Some(Ok(message)) => message,
        Some(Err(error)) => return misunderstand(&error),
        None => return Heard::Closed,
    };
    match message {
        Message::Binary(bytes) => Heard::Message { bytes, text: false },
        Message::Text(text) => Heard::Message {
            bytes: text.into(),
            text: true,
        },
        Message::Ping(_) | Message::Pong(_) => Heard::Control,
        Message::Close(frame) => Heard::Goodbye(frame.map(|frame| frame.code.into())),
        // Only what is written is one.
        Message::Frame(_) => Heard::Misdeed(Misdeed::Frame),
    }
}

fn misunderstand(error: &Error) -> Heard {
    use tokio_tungstenite::tungstenite::error::ProtocolError;
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => Heard::Misdeed(Misdeed::TooLong),
        Error::Utf8(_) => Heard::Misdeed(Misdeed::NotUtf8),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Heard::Closed,
        Error::Protocol(_) => Heard::Misdeed(Misdeed::Frame),
        Error::Io(error) if is_too_fast(error) => Heard::Misdeed(Misdeed::TooFast),
        _ => Heard::Closed,
    }
}

fn is_too_fast(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<TooFast>())
}
