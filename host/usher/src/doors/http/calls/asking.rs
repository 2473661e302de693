//! Asking about a request, until there is something to say.

use crate::doors::http::api::Answer;
use crate::doors::http::book::Watched;
use crate::doors::http::desk::Desk;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use usher_core::RequestId;

/// Someone who asks. While it is there, the request is not given up.
pub(super) struct Asking {
    desk: Arc<Desk>,
    request: RequestId,
    watched: Watched,
    told: bool,
}

impl Asking {
    /// None if there is no such request.
    pub(super) fn begin(desk: &Arc<Desk>, name: &str) -> Option<Asking> {
        let (request, watched) = desk.with(|book, _| {
            let request = book.find(name)?;
            Some((request, book.ask(request)?))
        })?;
        Some(Asking::new(desk.clone(), request, watched))
    }

    /// For one that the book says it of.
    pub(super) fn new(desk: Arc<Desk>, request: RequestId, watched: Watched) -> Asking {
        Asking {
            desk,
            request,
            watched,
            told: false,
        }
    }

    /// How it stands: at once if that is final, or newer than `after`, and else when it is, or when the wait
    /// is over.
    pub(super) async fn answer(&mut self, wait: Duration, after: Option<u64>) -> Arc<Answer> {
        let is_news = |answer: &Arc<Answer>| {
            answer.is_final() || after.is_some_and(|it| answer.version() > it)
        };
        let held = match wait.is_zero() {
            true => None,
            false => self.desk.hold(),
        };
        if held.is_some() {
            let mut stopping = self.desk.watch_stopping();
            let news = timeout(wait, self.watched.wait_for(is_news));
            tokio::select! {
                // In any case it is said how it stands then.
                _ = news => {}
                _ = stopping.wait_for(|stopping| *stopping) => {}
            }
        }
        let answer = self.watched.borrow_and_update().clone();
        self.told |= answer.is_final();
        answer
    }

    /// How it stands, once that is other than last time.
    pub(super) async fn next(&mut self) -> Option<Arc<Answer>> {
        self.watched.changed().await.ok()?;
        let answer = self.watched.borrow_and_update().clone();
        self.told |= answer.is_final();
        Some(answer)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let (request, told) = (self.request, self.told);
        self.desk.with(|book, now| book.asked(request, told, now));
        if told {
            self.desk.note_told();
        }
    }
}
