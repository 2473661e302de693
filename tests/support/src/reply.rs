//! What is answered: whole, in pieces as they come, or cut off.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use serde::Serialize;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Sleep, sleep};

/// How long the beginning of an answer that is cut off has to be sent.
const LINGER: Duration = Duration::from_millis(20);

/// An answer in the making.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) content: Content,
    /// What must have been sent on other connections before this is.
    pub(crate) after: Vec<Sent>,
}

impl Reply {
    /// A body with a type.
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Reply {
        Reply {
            status,
            headers: vec![("content-type", content_type.to_owned())],
            content: Content::whole(body),
            after: Vec::new(),
        }
    }

    /// A body in JSON.
    pub(crate) fn json(status: u16, body: &impl Serialize) -> Reply {
        // What the stand-ins answer with are structs and values, which can all be written.
        let body = serde_json::to_string(body).unwrap_or_default();
        Reply::new(status, "application/json; charset=utf-8", body)
    }

    /// `{}`, which is what most writes are answered with.
    pub(crate) fn done() -> Reply {
        Reply::new(200, "application/json; charset=utf-8", "{}")
    }

    /// `{"message": ...}`.
    pub(crate) fn message(status: u16, message: impl Into<String>) -> Reply {
        Reply::json(status, &serde_json::json!({ "message": message.into() }))
    }

    /// The same with another header.
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    /// The same, sent only after these.
    pub(crate) fn after(mut self, sent: Vec<Sent>) -> Reply {
        self.after = sent;
        self
    }
}

/// The connection is closed in place of (the rest of) an answer.
#[derive(Debug)]
pub(crate) struct HangUp;

impl fmt::Display for HangUp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("hung up on purpose")
    }
}

impl std::error::Error for HangUp {}

/// The body of an answer.
pub(crate) enum Content {
    /// All of it.
    Whole(Option<Bytes>),
    /// As it comes, for as long as somebody has the other end.
    Pieces(Pieces),
    /// The beginning of something that was announced to be longer.
    Cut {
        /// What comes of it.
        part: Option<Bytes>,
        /// How long it was to be.
        announced: u64,
        /// Time for the beginning to be sent: whoever hangs up at once takes it along.
        linger: Option<Pin<Box<Sleep>>>,
    },
}

impl Content {
    pub(crate) fn whole(body: impl Into<Bytes>) -> Content {
        Content::Whole(Some(body.into()))
    }

    /// All bytes, if it is whole.
    pub(crate) fn bytes(&self) -> Bytes {
        match self {
            Content::Whole(Some(bytes)) => bytes.clone(),
            _ => Bytes::new(),
        }
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = HangUp;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HangUp>>> {
        match self.get_mut() {
            Content::Whole(body) => Poll::Ready(body.take().map(|it| Ok(Frame::data(it)))),
            Content::Pieces(pieces) => pieces.poll(context),
            Content::Cut { part, linger, .. } => {
                if let Some(part) = part.take().filter(|part| !part.is_empty()) {
                    return Poll::Ready(Some(Ok(Frame::data(part))));
                }
                let linger = linger.get_or_insert_with(|| Box::pin(sleep(LINGER)));
                linger.as_mut().poll(context).map(|()| Some(Err(HangUp)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Content::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Content::Whole(body) => SizeHint::with_exact(body.as_ref().map_or(0, length)),
            Content::Pieces(_) => SizeHint::default(),
            Content::Cut { announced, .. } => SizeHint::with_exact(*announced),
        }
    }
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// The reading end of a body that comes in pieces.
pub(crate) struct Pieces {
    pieces: mpsc::UnboundedReceiver<Bytes>,
    taken: watch::Sender<u64>,
}

impl Pieces {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, HangUp>>> {
        self.pieces.poll_recv(context).map(|piece| {
            let piece = piece?;
            self.taken.send_modify(|taken| *taken += 1);
            Some(Ok(Frame::data(piece)))
        })
    }
}

/// The writing end. The body ends when it is dropped.
pub(crate) struct Feed {
    pieces: mpsc::UnboundedSender<Bytes>,
    taken: watch::Receiver<u64>,
    pushed: u64,
}

impl Feed {
    /// Both ends of a body.
    pub(crate) fn new() -> (Feed, Content) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (report, taken) = watch::channel(0);
        let feed = Feed {
            pieces: sender,
            taken,
            pushed: 0,
        };
        let pieces = Pieces {
            pieces: receiver,
            taken: report,
        };
        (feed, Content::Pieces(pieces))
    }

    /// Whether someone still reads.
    pub(crate) fn is_open(&self) -> bool {
        !self.pieces.is_closed()
    }

    /// Adds a piece. Who has gone gets none, and is not waited for.
    pub(crate) fn push(&mut self, piece: impl Into<Bytes>) -> Sent {
        if self.pieces.send(piece.into()).is_ok() {
            self.pushed += 1;
        }
        Sent {
            taken: self.taken.clone(),
            upto: self.pushed,
        }
    }
}

/// A piece on its way.
pub(crate) struct Sent {
    taken: watch::Receiver<u64>,
    upto: u64,
}

impl Sent {
    /// Waits until it was handed to the connection, or the reader has gone.
    pub(crate) async fn done(mut self) {
        let upto = self.upto;
        let _ = self.taken.wait_for(|taken| *taken >= upto).await;
    }
}
