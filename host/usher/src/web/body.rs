//! A call's body, whole and in time.

use axum::body::{Body, Bytes, to_bytes};
use axum::http::StatusCode;
use std::time::Duration;
use tokio::time::timeout;

/// Why there is no body.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BodyError {
    /// It is longer than may be.
    #[error("the body is too long: it may have {0} bytes")]
    TooLong(usize),
    /// It did not come whole within the time, or the connection broke.
    #[error("the body did not come in time")]
    Late,
}

impl BodyError {
    /// The code that says so.
    pub fn status(self) -> StatusCode {
        match self {
            BodyError::TooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
            BodyError::Late => StatusCode::REQUEST_TIMEOUT,
        }
    }
}

/// Reads a body of at most `most` bytes that comes within `patience`.
///
/// # Errors
///
/// Which of the two it is not.
pub async fn read_body(body: Body, most: usize, patience: Duration) -> Result<Bytes, BodyError> {
    match timeout(patience, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        // The only other error is a connection that broke, and then nobody reads the answer.
        Ok(Err(_)) => Err(BodyError::TooLong(most)),
        Err(_) => Err(BodyError::Late),
    }
}
