//! The log of what was asked of a stand-in.

use crate::request::Request;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many calls are kept; of more, the oldest are forgotten.
const KEPT: usize = 200_000;

/// How long anything may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// One request that came, whatever became of it.
#[derive(Clone, Debug)]
pub struct Call {
    /// `GET` and the like.
    pub method: String,
    /// The path as it was sent.
    pub path: String,
    /// What followed the `?`.
    pub query: Option<String>,
    /// The body, as text.
    pub body: String,
    /// The bearer token that it showed.
    pub bearer: Option<String>,
    /// Whether it asked for the connection to be closed after the answer.
    pub closes: bool,
    /// When it had come whole.
    pub at: Instant,
}

impl Call {
    /// Whether its verb is one that writes.
    pub fn is_write(&self) -> bool {
        matches!(self.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")
    }

    /// Whether it is of this method, to a path that begins so.
    pub fn is(&self, method: &str, path: &str) -> bool {
        self.method == method && self.path.starts_with(path)
    }
}

/// The calls so far, in the order in which they came.
#[derive(Debug, Default)]
pub struct Calls {
    kept: Mutex<VecDeque<Call>>,
    came: Condvar,
}

impl Calls {
    /// All of them.
    pub fn all(&self) -> Vec<Call> {
        self.lock().iter().cloned().collect()
    }

    /// Those of one method to paths that begin so.
    pub fn to(&self, method: &str, path: &str) -> Vec<Call> {
        let kept = self.lock();
        kept.iter()
            .filter(|it| it.is(method, path))
            .cloned()
            .collect()
    }

    /// How many there were of one method to paths that begin so.
    pub fn count(&self, method: &str, path: &str) -> usize {
        self.lock().iter().filter(|it| it.is(method, path)).count()
    }

    /// Those with a verb that writes.
    pub fn writes(&self) -> Vec<Call> {
        self.lock()
            .iter()
            .filter(|it| it.is_write())
            .cloned()
            .collect()
    }

    /// Forgets them.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Blocks until so many came of one method to paths that begin so.
    ///
    /// # Panics
    ///
    /// If they never do.
    #[track_caller]
    pub fn wait_for(&self, count: usize, method: &str, path: &str) {
        let end = Instant::now() + PATIENCE;
        let mut kept = self.lock();
        loop {
            let came = kept.iter().filter(|it| it.is(method, path)).count();
            if came >= count {
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{came} of {count} calls of {method} {path} came"
            );
            let waited = self.came.wait_timeout(kept, left);
            kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn note(&self, request: &Request) {
        let call = Call {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            body: String::from_utf8_lossy(&request.body).into_owned(),
            bearer: request.bearer.clone(),
            closes: request.closes,
            at: Instant::now(),
        };
        let mut kept = self.lock();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(call);
        self.came.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Call>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
