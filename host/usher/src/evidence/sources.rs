//! Which source answers what.

use crate::text::Shown;
use usher_core::{FactAnswer, Question, RequestId, Wanted};

/// Everything that can be asked.
#[derive(Default)]
pub struct Sources {}

impl Sources {
    /// Finds something out.
    pub(super) async fn answer(&self, question: &Question, _wanted: &Wanted) -> FactAnswer {
        unknown(question)
    }

    /// Does something.
    pub(super) async fn act(&self, act: &Question) -> FactAnswer {
        unknown(act)
    }

    /// Undoes something.
    pub(super) async fn compensate(&self, request: RequestId, act: &Question) {
        tracing::warn!(
            %request,
            act = %Shown(&act.name),
            "an act is to be undone, but no source is configured that could"
        );
    }

    /// The question's name as a metric may have it: a policy may ask for anything.
    pub(super) fn label(question: &Question) -> &'static str {
        const KNOWN: [&str; 6] = [
            "hold",
            "allocation",
            "backfill",
            "verify",
            "fetch",
            "claim-session",
        ];
        let known = KNOWN.into_iter().find(|known| *known == &*question.name);
        known.unwrap_or("other")
    }
}

fn unknown(question: &Question) -> FactAnswer {
    let why = format!("no source is configured for {}", Shown(&question.name));
    FactAnswer::Unavailable(why.into())
}
