//! What is made of every decision: figures, and a line in the audit file.
//!
//! The core hands over a record and never waits. Figures are counted here at once; lines go on to a
//! thread of their own, because a disk may take as long as it likes. What finds no room is counted as
//! lost and said once, and the host goes on.

mod line;
mod writer;

pub use writer::{Audit, Finished};

use crate::metrics::{self, Metrics};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use usher_core::{Decided, Outcome};

/// Reasons are a policy's own words; figures are kept for this many of them, and the rest are `other`.
const REASONS: usize = 64;

/// How often histograms are put in order.
const UPKEEP: Duration = Duration::from_secs(5);

/// How long records are gathered after some were taken: to be woken for each costs more than the record. As many as can
/// wait do not come in that time.
const GATHER: Duration = Duration::from_millis(5);

/// Takes records until the core is gone. `doors` are the doors' names, by `DoorId`.
pub async fn observe(
    mut records: mpsc::Receiver<Box<Decided>>,
    doors: Vec<Arc<str>>,
    figures: Metrics,
    audit: Option<Audit>,
) {
    let doors: Arc<[Arc<str>]> = doors.into();
    let mut reasons = Reasons::default();
    let mut upkeep = tokio::time::interval(UPKEEP);
    loop {
        tokio::select! {
            record = records.recv() => {
                let Some(record) = record else { return };
                let mut next = Some(record);
                while let Some(record) = next {
                    count(&record, &doors, &mut reasons);
                    if let Some(audit) = &audit {
                        audit.write(record);
                    }
                    next = records.try_recv().ok();
                }
                tokio::time::sleep(GATHER).await;
            }
            _ = upkeep.tick() => figures.upkeep(),
        }
    }
}

fn count(record: &Decided, doors: &[Arc<str>], reasons: &mut Reasons) {
    let door = line::door_name(doors, record.door);
    for step in &record.steps {
        let took = Duration::from_micros(step.micros.into());
        metrics::policy_called(&step.policy, took);
    }
    match &record.outcome {
        Outcome::Rejected(reason) if record.attempt == 0 => {
            metrics::knock_refused(door, reasons.bounded(&reason.code));
        }
        outcome => {
            let reason = match outcome {
                Outcome::Rejected(reason) => reasons.bounded(&reason.code),
                _ => "",
            };
            metrics::decided(door, line::outcome_word(outcome), reason, record.waited);
        }
    }
}

/// The reasons that have been seen: a policy that makes up a new one for every player must not make a
/// new time series of each.
#[derive(Default)]
struct Reasons(HashSet<Arc<str>>);

impl Reasons {
    fn bounded<'r>(&mut self, code: &'r Arc<str>) -> &'r str {
        if self.0.contains(code) {
            return code;
        }
        if self.0.len() >= REASONS {
            return "other";
        }
        self.0.insert(code.clone());
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_without_end_end_in_one() {
        let mut reasons = Reasons::default();
        for number in 0..REASONS {
            let code: Arc<str> = format!("no-{number}").into();
            assert_eq!(reasons.bounded(&code), &*code);
        }
        assert_eq!(reasons.bounded(&"one-more".into()), "other");
        assert_eq!(reasons.bounded(&"no-3".into()), "no-3");
    }
}
