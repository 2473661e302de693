//! Takes what the core wants found out or done, and sees to it that it is answered once.

use super::complaints::Complaints;
use super::sources::Sources;
use crate::core_loop::{EvidenceLink, Handle, Lookup};
use crate::metrics;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};
use usher_core::{FactAnswer, Input, LookupKind, Question, RequestId, Wanted};

/// Lookups under way at once. Those that nobody waits for any more end soon, so there are about as many as
/// pending requests ask; this many are far more than that, and few enough for any memory.
const IN_FLIGHT: usize = 8192;

/// How often a lookup is asked whether anyone still waits for it.
const LOOK: Duration = Duration::from_millis(250);

/// Answers the core, each lookup in a task of its own.
pub struct Evidence {
    desk: Arc<Desk>,
    free: Arc<Semaphore>,
}

/// What every lookup needs.
struct Desk {
    sources: Arc<Sources>,
    tell: Box<dyn Fn(Input) + Send + Sync>,
    complaints: Complaints,
}

impl Evidence {
    /// Answers to `core` what these sources know.
    pub fn new(core: Handle, sources: Arc<Sources>) -> Evidence {
        Evidence::telling(sources, IN_FLIGHT, move |input| core.send(input))
    }

    fn telling(
        sources: Arc<Sources>,
        in_flight: usize,
        tell: impl Fn(Input) + Send + Sync + 'static,
    ) -> Evidence {
        Evidence {
            desk: Arc::new(Desk {
                sources,
                tell: Box::new(tell),
                complaints: Complaints::default(),
            }),
            free: Arc::new(Semaphore::new(in_flight)),
        }
    }
}

impl EvidenceLink for Evidence {
    fn look_up(&self, lookup: Lookup) {
        let desk = self.desk.clone();
        let Ok(place) = self.free.clone().try_acquire_owned() else {
            let why = "too many lookups are under way";
            let answer = FactAnswer::Unavailable(why.into());
            desk.answered(lookup, Some(answer), Duration::ZERO);
            return;
        };
        tokio::spawn(async move {
            let _place = place;
            let began = Instant::now();
            let answer = match lookup.kind {
                LookupKind::Act => Some(desk.sources.act(&lookup.question).await),
                LookupKind::Question => tokio::select! {
                    biased;
                    () = unwanted(&lookup.wanted) => None,
                    answer = desk.sources.answer(&lookup.question, &lookup.wanted) => Some(answer),
                },
            };
            desk.answered(lookup, answer, began.elapsed());
        });
    }

    fn compensate(&self, request: RequestId, act: Question) {
        // One for each act that was done, and those had their place above.
        let desk = self.desk.clone();
        tokio::spawn(async move { desk.sources.compensate(request, &act).await });
    }
}

impl Desk {
    fn answered(&self, lookup: Lookup, answer: Option<FactAnswer>, took: Duration) {
        let label = Sources::label(&lookup.question);
        let word = match &answer {
            Some(FactAnswer::Found(_)) => "found",
            Some(FactAnswer::Missing) => "missing",
            Some(FactAnswer::Unavailable(why)) => {
                self.complaints.complain(label, why);
                "unavailable"
            }
            None => "unwanted",
        };
        metrics::looked_up(label, word, took);
        if let Some(answer) = answer {
            (self.tell)(Input::Fact {
                request: lookup.request,
                attempt: lookup.attempt,
                question: lookup.question,
                answer,
            });
        }
    }
}

/// Waits until nobody waits for it.
async fn unwanted(wanted: &Wanted) {
    while wanted.still() {
        sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests;
