//! A TCP stream whose incoming bytes are counted, and come no faster than they may.
//!
//! A peer can send frame after frame of which no message ever becomes whole; only what the socket hands over
//! tells how much that is.

use super::rate::Rate;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// The stream.
#[derive(Debug)]
pub(super) struct Metered {
    tcp: TcpStream,
    received: u64,
    rate: Option<Rate>,
}

/// The error of a stream whose bytes come too fast.
#[derive(Debug, thiserror::Error)]
#[error("more bytes a second than allowed")]
pub(super) struct TooFast;

impl Metered {
    pub(super) fn new(tcp: TcpStream) -> Metered {
        Metered {
            tcp,
            received: 0,
            rate: None,
        }
    }

    /// From now on bytes come no faster than this; else reading fails with [`TooFast`].
    pub(super) fn limit(&mut self, rate: Rate) {
        self.rate = Some(rate);
    }

    /// How many bytes have come.
    pub(super) fn received(&self) -> u64 {
        self.received
    }

    pub(super) fn into_inner(self) -> TcpStream {
        self.tcp
    }
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.tcp).poll_read(cx, buffer))?;
        let read = buffer.filled().len().saturating_sub(before);
        self.received = self.received.saturating_add(read as u64);
        let units = u32::try_from(read).unwrap_or(u32::MAX);
        let rate = self.rate.as_mut();
        match rate.is_none_or(|rate| rate.take(units, Instant::now())) {
            true => Poll::Ready(Ok(())),
            false => Poll::Ready(Err(io::Error::other(TooFast))),
        }
    }
}

impl AsyncWrite for Metered {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}
