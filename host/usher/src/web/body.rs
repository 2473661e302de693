//! A call's body, whole and in time.

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::http::StatusCode;
use std::time::Duration;
use tokio::time::timeout;

/// Why there is no body.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BodyError {
    /// It is longer than may be.
    #[error("the body is too long: it may have {0} bytes")]
    TooLong(usize),
    /// It did not come whole within the time.
    #[error("the body did not come in time")]
    Late,
    /// It is cut off, or its pieces are not put together as HTTP has it.
    #[error("the body is not whole")]
    Broken,
}

impl BodyError {
    /// The code that says so.
    pub fn status(self) -> StatusCode {
        match self {
            BodyError::TooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
            BodyError::Late => StatusCode::REQUEST_TIMEOUT,
            BodyError::Broken => StatusCode::BAD_REQUEST,
        }
    }
}

/// Reads a body of at most `most` bytes that comes within `patience`. One that says of itself that it is longer
/// is not read at all.
///
/// # Errors
///
/// Which of these it is not.
pub async fn read_body(body: Body, most: usize, patience: Duration) -> Result<Bytes, BodyError> {
    let stated = body.size_hint().lower();
    if usize::try_from(stated).map_or(true, |stated| stated > most) {
        return Err(BodyError::TooLong(most));
    }
    let is_stated = body.size_hint().exact().is_some();
    match timeout(patience, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        // What said its length kept within it.
        Ok(Err(_)) if is_stated => Err(BodyError::Broken),
        Ok(Err(error)) => Err(match says_too_long(&error) {
            true => BodyError::TooLong(most),
            false => BodyError::Broken,
        }),
        Err(_) => Err(BodyError::Late),
    }
}

/// Whether the limit is what ended it. The error that says so has no name here; its words are tested.
fn says_too_long(error: &axum::Error) -> bool {
    let mut source: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = source {
        if error.to_string() == "length limit exceeded" {
            return true;
        }
        source = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use std::io;

    async fn read(pieces: Vec<io::Result<Bytes>>) -> Result<Bytes, BodyError> {
        let body = Body::from_stream(stream::iter(pieces));
        read_body(body, 4, Duration::from_secs(30)).await
    }

    #[tokio::test]
    async fn what_is_too_long_is_told_from_what_is_broken() {
        let piece = || Ok(Bytes::from_static(b"abc"));
        let broken = || Err(io::Error::other("no such chunk"));
        assert_eq!(read(vec![piece()]).await, Ok(Bytes::from_static(b"abc")));
        assert_eq!(
            read(vec![piece(), piece()]).await,
            Err(BodyError::TooLong(4))
        );
        assert_eq!(read(vec![piece(), broken()]).await, Err(BodyError::Broken));
        let whole = read_body(Body::from("abcde"), 4, Duration::from_secs(30)).await;
        assert_eq!(whole, Err(BodyError::TooLong(4)));
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_come_is_not_waited_for_for_ever() {
        let body = Body::from_stream(stream::pending::<io::Result<Bytes>>());
        let late = read_body(body, 4, Duration::from_secs(30)).await;
        assert_eq!(late, Err(BodyError::Late));
    }
}
