//! Finds the addresses of names. The system's resolver holds a thread until it answers, which may be long: one
//! call of it at a time for each name, for everyone who waits.

use hyper_util::client::legacy::connect::dns::Name;
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use std::vec;
use tokio::net::lookup_host;
use tokio::sync::watch;
use tokio::time::Instant;
use tower_service::Service;

/// How long an answer is good for: connections of a burst share it, and a change is seen soon.
const FRESH: Duration = Duration::from_secs(5);

type Found = Result<Vec<SocketAddr>, io::ErrorKind>;
type Finding = Pin<Box<dyn Future<Output = Found> + Send>>;

/// The names that were asked for: the few of the configuration.
#[derive(Clone)]
pub(super) struct Names {
    known: Arc<Mutex<HashMap<String, Known>>>,
    fresh: Duration,
    find: fn(String) -> Finding,
}

impl Default for Names {
    fn default() -> Names {
        Names::by(FRESH, |name| {
            Box::pin(async move {
                let found = lookup_host((name, 0)).await;
                found.map(Iterator::collect).map_err(|error| error.kind())
            })
        })
    }
}

/// A name that was asked for.
struct Known {
    /// The answer, once there is one.
    answer: watch::Receiver<Option<Found>>,
    /// When it was asked for.
    at: Instant,
}

impl Known {
    /// Whether its answer can still be used, or is yet to come.
    fn serves(&self, fresh: Duration) -> bool {
        match &*self.answer.borrow() {
            Some(found) => found.is_ok() && self.at.elapsed() < fresh,
            // Who was to answer is gone without it.
            None => self.answer.has_changed().is_ok(),
        }
    }
}

impl Names {
    fn by(fresh: Duration, find: fn(String) -> Finding) -> Names {
        Names {
            known: Arc::default(),
            fresh,
            find,
        }
    }

    /// The answer about a name, which may be under way.
    fn ask(&self, name: &str) -> watch::Receiver<Option<Found>> {
        // Nothing panics between two steps that belong together.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(name).filter(|known| known.serves(self.fresh)) {
            return known.answer.clone();
        }
        let (to, answer) = watch::channel(None);
        let finding = (self.find)(name.to_owned());
        tokio::spawn(async move { to.send_replace(Some(finding.await)) });
        let at = Instant::now();
        let receiver = answer.clone();
        known.insert(name.to_owned(), Known { answer, at });
        receiver
    }
}

impl Service<Name> for Names {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let mut answer = self.ask(name.as_str());
        Box::pin(async move {
            let found = answer.wait_for(Option::is_some).await;
            let found = found.map_err(|_| io::ErrorKind::Interrupted)?.clone();
            match found {
                Some(Ok(addresses)) => Ok(addresses.into_iter()),
                Some(Err(kind)) => Err(kind.into()),
                None => Err(io::ErrorKind::Interrupted.into()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::str::FromStr as _;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn name() -> Name {
        Name::from_str("example.org").expect("a name")
    }

    #[tokio::test]
    async fn everyone_who_waits_for_a_name_shares_one_call_and_its_answer_for_a_while() {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let find = |_| -> Finding {
            CALLS.fetch_add(1, Ordering::Relaxed);
            Box::pin(async { Ok(vec!["192.0.2.1:0".parse().expect("an address")]) })
        };
        let mut names = Names::by(Duration::from_secs(3600), find);
        let waiting: Vec<_> = (0..100).map(|_| names.call(name())).collect();
        for one in waiting {
            assert_eq!(one.await.expect("found").count(), 1);
        }
        assert_eq!(names.call(name()).await.expect("found").count(), 1);
        assert_eq!(CALLS.load(Ordering::Relaxed), 1);
        names.fresh = Duration::ZERO;
        assert_eq!(names.call(name()).await.expect("found").count(), 1);
        assert_eq!(CALLS.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn a_call_that_hangs_is_not_made_again_by_those_who_come_and_go() {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let mut names = Names::by(FRESH, |_| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            Box::pin(pending())
        });
        for _ in 0..20 {
            let waited = tokio::time::timeout(Duration::from_millis(1), names.call(name()));
            assert!(waited.await.is_err());
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_name_that_was_not_found_is_asked_for_again() {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let mut names = Names::by(FRESH, |_| {
            let calls = CALLS.fetch_add(1, Ordering::Relaxed);
            Box::pin(async move {
                match calls {
                    0 => Err(io::ErrorKind::NotFound),
                    _ => Ok(Vec::new()),
                }
            })
        });
        let first = names.call(name()).await;
        assert_eq!(
            first.map(|_| ()).map_err(|error| error.kind()),
            Err(io::ErrorKind::NotFound)
        );
        assert!(names.call(name()).await.is_ok());
    }
}
