//! `answer`: what a policy decides, as it is told. How that is read from the module's memory is in `telling.rs`.

use crate::translate::bound::Breach;
use crate::translate::verdict::Told;
use std::sync::Arc;
use usher_core::{Decision, Reason};

/// The longest text of a reason that is kept for the next call, in bytes.
const KEPT: usize = 256;

/// What was told in the call that is being made.
#[derive(Default)]
pub(crate) struct Answer {
    open: bool,
    told: Option<Told>,
    /// The reasons of the last claims, in order.
    when_full: [Option<Reason>; 2],
    /// The reason of the last refusal.
    refused: Option<Reason>,
}

impl Answer {
    /// Before a call that decides.
    pub(crate) fn open(&mut self) {
        self.open = true;
        self.told = None;
    }

    /// What was told. After it nothing can be.
    pub(crate) fn close(&mut self) -> Option<Told> {
        self.open = false;
        self.told.take()
    }

    /// Keeps what is told.
    pub(crate) fn tell(&mut self, told: Told) -> Result<(), Breach> {
        if !self.open {
            let problem = "is told in a call that decides nothing";
            return Err(Breach::new("answer", problem));
        }
        if self.told.is_some() {
            return Err(Breach::new("answer", "is told twice in one call"));
        }
        self.told = Some(told);
        Ok(())
    }

    /// The reasons of the last claims that were told by the short way, in order.
    pub(crate) fn when_full(&self) -> &[Option<Reason>] {
        &self.when_full
    }

    /// The reason of the last refusal that was told by the short way.
    pub(crate) fn refused(&self) -> Option<&Reason> {
        self.refused.as_ref()
    }

    /// Keeps the reasons of a decision for the next call.
    pub(crate) fn keep(&mut self, decision: &Decision) {
        match decision {
            Decision::Accept(accepted) => {
                let claims = accepted.options.iter().flat_map(|option| &option.claims);
                for (claim, kept) in claims.zip(&mut self.when_full) {
                    keep(kept, &claim.when_full);
                }
            }
            Decision::Reject(reason) => keep(&mut self.refused, reason),
            _ => {}
        }
    }
}

fn keep(kept: &mut Option<Reason>, reason: &Reason) {
    let is_kept = kept
        .as_ref()
        .is_some_and(|kept| Arc::ptr_eq(&kept.text, &reason.text));
    if !is_kept && reason.text.len() <= KEPT {
        *kept = Some(reason.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: &str) -> Told {
        Told::Short(Decision::Reject(Reason::new(code, "")))
    }

    #[test]
    fn one_verdict_is_told_and_only_while_something_is_decided() {
        let mut answer = Answer::default();
        let error = answer.tell(told("early")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "answer is told in a call that decides nothing"
        );
        answer.open();
        assert_eq!(answer.tell(told("first")), Ok(()));
        let error = answer.tell(told("second")).unwrap_err();
        assert_eq!(error.to_string(), "answer is told twice in one call");
        let Some(Told::Short(Decision::Reject(reason))) = answer.close() else {
            panic!("it was told");
        };
        assert_eq!(&*reason.code, "first");
        assert!(answer.tell(told("late")).is_err());
    }

    #[test]
    fn a_call_begins_with_nothing_told() {
        let mut answer = Answer::default();
        answer.open();
        assert_eq!(answer.tell(told("first")), Ok(()));
        answer.open();
        assert!(answer.close().is_none());
    }

    #[test]
    fn of_reasons_only_short_ones_are_kept() {
        let mut answer = Answer::default();
        let long = "l".repeat(KEPT + 1);
        for (text, kept) in [("short", "short"), (&*long, "short"), ("new", "new")] {
            answer.keep(&Decision::Reject(Reason::new("no", text)));
            let refused = answer.refused.as_ref().map(|reason| &*reason.text);
            assert_eq!(refused, Some(kept));
        }
    }
}
