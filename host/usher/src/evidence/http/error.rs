//! Why a call has no answer.

use std::error::Error;
use std::io;

/// Why a call has no answer. Its text is one of a few sentences: no address, header or body is in it, since
/// any of them may hold a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HttpError {
    /// The system has no certificates to trust.
    #[error("this system has no certificates to check others by; install ca-certificates")]
    NoCertificates,
    /// Nobody takes connections there.
    #[error("it cannot be reached")]
    Unreachable,
    /// Whoever takes connections there does not show that it is who it should be.
    #[error("it shows no certificate that this system trusts for it")]
    Untrusted,
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
            true if is_untrusted(&error) => HttpError::Untrusted,
            true => HttpError::Unreachable,
            false => HttpError::Broken,
        }
    }
}

/// Whether it is because of a certificate.
fn is_untrusted(error: &(dyn Error + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return matches!(error, rustls::Error::InvalidCertificate(_));
    }
    // The source of an I/O error that wraps another is that one's source, and not that one.
    let wrapped = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match wrapped {
        Some(wrapped) => is_untrusted(wrapped),
        None => error.source().is_some_and(is_untrusted),
    }
}

impl From<hyper::Error> for HttpError {
    fn from(_: hyper::Error) -> HttpError {
        HttpError::Broken
    }
}
