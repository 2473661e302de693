//! Takes what the core wants found out or done, and sees to it that it is answered once.

use super::sources::Sources;
use crate::core_loop::{EvidenceLink, Handle, Lookup};
use crate::metrics;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, interval};
use usher_core::{FactAnswer, Input, LookupKind, Question, RequestId, Wanted};

/// Lookups under way at once. Those that nobody waits for any more end soon, so there are about as many as
/// pending requests ask; this many are far more than that, and few enough for any memory.
const IN_FLIGHT: usize = 8192;

/// How often a lookup is asked whether anyone still waits for it.
const LOOK: Duration = Duration::from_millis(250);

/// Answers the core, each lookup in a task of its own.
pub struct Evidence {
    core: Handle,
    sources: Arc<Sources>,
    free: Arc<Semaphore>,
}

impl Evidence {
    /// Answers to `core` what these sources know.
    pub fn new(core: Handle, sources: Arc<Sources>) -> Evidence {
        Evidence {
            core,
            sources,
            free: Arc::new(Semaphore::new(IN_FLIGHT)),
        }
    }
}

impl EvidenceLink for Evidence {
    fn look_up(&self, lookup: Lookup) {
        let Ok(place) = self.free.clone().try_acquire_owned() else {
            let why = "too many lookups are under way";
            tell(&self.core, lookup, FactAnswer::Unavailable(why.into()));
            return;
        };
        let (core, sources) = (self.core.clone(), self.sources.clone());
        tokio::spawn(async move {
            let _place = place;
            let began = Instant::now();
            let answer = match lookup.kind {
                LookupKind::Act => Some(sources.act(&lookup.question).await),
                LookupKind::Question => tokio::select! {
                    answer = sources.answer(&lookup.question, &lookup.wanted) => Some(answer),
                    () = unwanted(&lookup.wanted) => None,
                },
            };
            let word = match &answer {
                Some(FactAnswer::Found(_)) => "found",
                Some(FactAnswer::Missing) => "missing",
                Some(FactAnswer::Unavailable(_)) => "unavailable",
                None => "unwanted",
            };
            metrics::looked_up(Sources::label(&lookup.question), word, began.elapsed());
            if let Some(answer) = answer {
                tell(&core, lookup, answer);
            }
        });
    }

    fn compensate(&self, request: RequestId, act: Question) {
        // One for each act that was done, and those had their place above.
        let sources = self.sources.clone();
        tokio::spawn(async move { sources.compensate(request, &act).await });
    }
}

/// Waits until nobody waits for it.
async fn unwanted(wanted: &Wanted) {
    let mut look = interval(LOOK);
    loop {
        look.tick().await;
        if !wanted.still() {
            return;
        }
    }
}

fn tell(core: &Handle, lookup: Lookup, answer: FactAnswer) {
    core.send(Input::Fact {
        request: lookup.request,
        attempt: lookup.attempt,
        question: lookup.question,
        answer,
    });
}
