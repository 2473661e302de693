//! Why a call has no answer.

/// Why a call has no answer. Its text is one of a few sentences: no address, header or body is in it, since
/// any of them may hold a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HttpError {
    /// The system has no certificates to trust.
    #[error("this system has no certificates to check others by; install ca-certificates")]
    NoCertificates,
    /// Nobody takes connections there, or nobody that shows the right certificate.
    #[error("it cannot be reached")]
    Unreachable,
    /// There was no whole answer in time.
    #[error("there was no answer in time")]
    TimedOut,
    /// The answer is longer than it may be.
    #[error("its answer is too long")]
    TooLong,
    /// The connection broke, or what came is not HTTP.
    #[error("its answer broke off, or is no HTTP")]
    Broken,
}

impl From<hyper_util::client::legacy::Error> for HttpError {
    fn from(error: hyper_util::client::legacy::Error) -> HttpError {
        match error.is_connect() {
            true => HttpError::Unreachable,
            false => HttpError::Broken,
        }
    }
}

impl From<hyper::Error> for HttpError {
    fn from(_: hyper::Error) -> HttpError {
        HttpError::Broken
    }
}
