//! The body of an answer, as it comes.

use super::error::HttpError;
use hyper::Response;
use hyper::body::{Body as _, Bytes, Incoming};
use std::future::poll_fn;
use std::pin::Pin;

/// An answer whose body is read piece by piece. The connection closes when this is dropped.
pub struct Stream {
    status: u16,
    body: Incoming,
}

impl Stream {
    pub(super) fn new(answer: Response<Incoming>) -> Stream {
        Stream {
            status: answer.status().as_u16(),
            body: answer.into_body(),
        }
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The next piece, which may end anywhere; `None` at the end. Safe to cancel.
    ///
    /// # Errors
    ///
    /// [`HttpError::Broken`] when the body breaks off.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        next(&mut self.body).await
    }
}

/// Reads a body of at most `most` bytes.
pub(super) async fn read(mut body: Incoming, most: usize) -> Result<Vec<u8>, HttpError> {
    // What it says of its own length is checked first, so that nothing is read for nothing.
    if body.size_hint().lower() > most as u64 {
        return Err(HttpError::TooLong);
    }
    let mut whole = Vec::new();
    while let Some(piece) = next(&mut body).await? {
        if whole.len().saturating_add(piece.len()) > most {
            return Err(HttpError::TooLong);
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

async fn next(body: &mut Incoming) -> Result<Option<Bytes>, HttpError> {
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        let Some(frame) = frame else {
            return Ok(None);
        };
        // Anything but data is a trailer, which nobody needs.
        if let Ok(piece) = frame?.into_data() {
            return Ok(Some(piece));
        }
    }
}
