//! One request, read whole.

use crate::text;
use hyper::body::Bytes;
use serde_json::Value;

/// What came, before anything is made of it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// As it was sent: still percent-encoded.
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    /// What follows `Bearer ` in the `Authorization` header.
    pub(crate) bearer: Option<String>,
    /// Whether it asks for the connection to be closed after the answer.
    pub(crate) closes: bool,
    pub(crate) body: Bytes,
}

impl Request {
    /// The parts of the path, decoded. An encoded `/` does not part.
    pub(crate) fn segments(&self) -> Vec<String> {
        let parts = self.path.trim_start_matches('/').split('/');
        parts.map(text::percent_decoded).collect()
    }

    /// A parameter of the query, decoded; the first, should there be several.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let pairs = self.query.as_deref()?.split('&');
        pairs
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| text::percent_decoded(&value.replace('+', " ")))
    }

    /// The body as JSON; `None` if it is none.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}
