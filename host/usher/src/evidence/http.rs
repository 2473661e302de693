//! The HTTP client of the evidence: one call, bounded in time, in size and in how many are under way.
//!
//! It knows no proxy, follows no redirect, keeps no cookie and understands no compression: what it is told
//! to ask is what is asked, and nothing else. Which addresses may be asked, and what an answer means, is for
//! its callers. Each place that is asked has a client of its own, so that one that hangs has only its own
//! calls waiting.

mod error;
mod names;
mod stream;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tls_tests;

pub use crate::percent::{is_dots, push_encoded};
pub use error::HttpError;
pub use hyper::http::{HeaderName, HeaderValue, Method, Uri, header};
pub use stream::Stream;

use axum::body::Body;
use hyper::body::Incoming;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use names::Names;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The most that is read of an answer's head, in bytes.
const HEAD: usize = 64 * 1024;

/// How long a connection is kept that nobody uses: shorter than others keep theirs, or a call could be lost on
/// one that is just being closed.
const IDLE: Duration = Duration::from_secs(4);

/// How a client is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Whether it can speak `https`, which takes the system's certificates. Without, only `http`.
    pub tls: bool,
    /// Whether connections are kept for the next call. Otherwise each call says `Connection: close`.
    pub keep: bool,
    /// Calls under way at once; others wait, in the time that they have.
    pub in_flight: usize,
}

/// Asks one place over HTTP/1.1. Cheap to clone: clones share connections and bounds.
#[derive(Clone)]
pub struct Http {
    client: Client<HttpsConnector<HttpConnector<Names>>, Body>,
    keep: bool,
    free: Arc<Semaphore>,
}

/// What is asked.
pub struct Call {
    /// How.
    pub method: Method,
    /// Where: absolute.
    pub uri: Uri,
    /// Headers besides those that HTTP itself needs.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body, for those that have one.
    pub body: Option<Vec<u8>>,
}

impl Call {
    /// A read without headers.
    pub fn get(uri: Uri) -> Call {
        Call {
            method: Method::GET,
            uri,
            headers: Vec::new(),
            body: None,
        }
    }

    /// A write of a JSON document.
    pub fn json(method: Method, uri: Uri, body: Vec<u8>) -> Call {
        let json = HeaderValue::from_static("application/json");
        Call {
            method,
            uri,
            headers: vec![(header::CONTENT_TYPE, json)],
            body: Some(body),
        }
    }
}

/// What a call may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// From the call to the answer's last byte, waiting for its turn included.
    pub timeout: Duration,
    /// The longest body, in bytes.
    pub max_body: usize,
}

/// A whole answer. Its text may hold what must not be shown, so there is no `Debug`.
pub struct Response {
    /// The status, from 100 to 999. Any status is an answer, a redirect too.
    pub status: u16,
    /// `Retry-After` as it came, where it is text.
    pub retry_after: Option<Box<str>>,
    /// The body; empty where it was too long and the status is not of success.
    pub body: Vec<u8>,
}

impl Response {
    /// Whether the status says that it went well.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Http {
    /// A client.
    ///
    /// # Errors
    ///
    /// [`HttpError::NoCertificates`] when it is to speak `https` and the system has no certificates.
    pub fn new(settings: Settings) -> Result<Http, HttpError> {
        let tls = match settings.tls {
            true => trusting()?.with_native_roots(),
            false => Ok(trusting()?.with_root_certificates(RootCertStore::empty())),
        };
        let tls = tls.map_err(|_| HttpError::NoCertificates)?;
        Ok(Http::with(settings, tls.with_no_client_auth()))
    }

    fn with(settings: Settings, tls: ClientConfig) -> Http {
        let mut tcp = HttpConnector::new_with_resolver(Names::default());
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let mut builder = Client::builder(TokioExecutor::new());
        builder.http1_max_buf_size(HEAD);
        if settings.keep {
            builder.pool_timer(TokioTimer::new());
            builder.pool_idle_timeout(IDLE);
        } else {
            builder.pool_max_idle_per_host(0);
        }
        Http {
            client: builder.build(connector),
            keep: settings.keep,
            free: Arc::new(Semaphore::new(settings.in_flight)),
        }
    }

    /// Asks, and reads the whole answer. Stops at once when it is dropped.
    ///
    /// # Errors
    ///
    /// Why there is no whole answer. An answer of any status is one.
    pub async fn request(&self, call: Call, limits: Limits) -> Result<Response, HttpError> {
        let whole = async {
            // The semaphore is never closed.
            let _turn = self.free.acquire().await.map_err(|_| HttpError::Broken)?;
            let answer = self.send(call).await?;
            let status = answer.status().as_u16();
            let retry_after = answer.headers().get(header::RETRY_AFTER);
            let retry_after = retry_after.and_then(|value| value.to_str().ok());
            let retry_after = retry_after.map(Box::from);
            let body = match stream::read(answer.into_body(), limits.max_body).await {
                // The status says enough.
                Err(HttpError::TooLong) if !(200..300).contains(&status) => Vec::new(),
                body => body?,
            };
            Ok(Response {
                status,
                retry_after,
                body,
            })
        };
        timeout(limits.timeout, whole)
            .await
            .unwrap_or(Err(HttpError::TimedOut))
    }

    /// Asks, and hands out the answer's body as it comes. `within` bounds the time up to its head; how long
    /// the body may take is the caller's to say. It takes no turn: there are few of these.
    ///
    /// # Errors
    ///
    /// Why there is no answer. An answer of any status is one.
    pub async fn stream(&self, call: Call, within: Duration) -> Result<Stream, HttpError> {
        let answer = timeout(within, self.send(call)).await;
        let answer = answer.unwrap_or(Err(HttpError::TimedOut))?;
        Ok(Stream::new(answer))
    }

    async fn send(&self, call: Call) -> Result<hyper::Response<Incoming>, HttpError> {
        let body = call.body.map_or_else(Body::empty, Body::from);
        let mut request = hyper::Request::new(body);
        *request.method_mut() = call.method;
        *request.uri_mut() = call.uri;
        let headers = request.headers_mut();
        headers.extend(call.headers);
        let agent = concat!("usher/", env!("CARGO_PKG_VERSION"));
        headers.insert(header::USER_AGENT, HeaderValue::from_static(agent));
        if !self.keep {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(self.client.request(request).await?)
    }
}

/// TLS by one library, named here: what another crate of the program would prefer does not matter.
fn trusting() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, HttpError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| HttpError::Broken)
}
