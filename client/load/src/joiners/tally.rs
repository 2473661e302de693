//! What is counted in one phase of those who come with tickets.

use crate::samples::Samples;
use crate::work::Report;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use usher_wire::raknet::initiator::Ending;

/// An answer that comes later than this is too late: the whole of a decision may take so long.
const DECISION: Duration = Duration::from_secs(10);

/// Later than this by itself, in microseconds, and the generator measures itself.
const LATE: u32 = 20_000;

/// Fewer than this share of what was asked for, and it was another load.
const ENOUGH: f64 = 0.98;

/// The counts.
#[derive(Default)]
pub(super) struct Tally {
    since: Duration,
    came: u64,
    /// From the moment at which someone was to come to the answer.
    answers: Samples,
    /// From the moment at which someone was to come to the moment it did.
    late: Samples,
    accepted: u64,
    rejected: BTreeMap<String, u64>,
    /// Ends that are no answers.
    lost: BTreeMap<String, u64>,
    too_late: u64,
    most_unanswered: u32,
    untaken: u64,
}

impl Tally {
    /// Of a phase that begins now, when so many wait for an answer already.
    pub(super) fn new(now: Duration, unanswered: u32) -> Tally {
        Tally {
            since: now,
            most_unanswered: unanswered,
            ..Tally::default()
        }
    }

    /// Somebody came, so late; so many wait for an answer now.
    pub(super) fn came(&mut self, late: Duration, unanswered: u32) {
        self.came += 1;
        self.late.add(late);
        self.most_unanswered = self.most_unanswered.max(unanswered);
    }

    /// An answer came, after so long.
    pub(super) fn answered(&mut self, took: Duration) {
        self.answers.add(took);
        self.too_late += u64::from(took > DECISION);
    }

    /// Somebody was let in.
    pub(super) fn accepted(&mut self) {
        self.accepted += 1;
    }

    /// A connection ended.
    pub(super) fn ended(&mut self, ending: &Ending) {
        let (ends, word) = match ending {
            Ending::Left => return,
            Ending::Rejected(reason) => {
                let reason = String::from_utf8_lossy(reason).into_owned();
                (&mut self.rejected, reason)
            }
            // Without what the server said.
            Ending::Disconnected(_) => (&mut self.lost, "Disconnected".to_owned()),
            other => (&mut self.lost, format!("{other:?}")),
        };
        *ends.entry(word).or_default() += 1;
    }

    /// Datagrams that the system did not take.
    pub(super) fn untaken(&mut self, count: u64) {
        self.untaken += count;
    }

    /// Says all of it. `rate` is how many were to come in a second.
    pub(super) fn report(self, now: Duration, rate: u32, report: &mut Report) {
        let took = now.saturating_sub(self.since).as_secs_f64();
        let each_second = |count: u64| (count as f64 / took.max(f64::MIN_POSITIVE)).round();
        let decided = self.accepted + self.rejected.values().sum::<u64>();
        let came = each_second(self.came);
        let late = self.late.spread();
        report.set("asked_each_second", rate);
        report.set("came_each_second", came);
        report.set("decided_each_second", each_second(decided));
        report.set("came", self.came);
        report.set("accepted", self.accepted);
        report.set("rejected", json!(self.rejected));
        report.set("lost", json!(self.lost));
        report.set("too_late", self.too_late);
        report.set("most_unanswered", self.most_unanswered);
        report.set("answer_us", json!(self.answers.spread()));
        report.set("late_us", json!(late));
        report.set("not_taken_by_the_system", self.untaken);
        if came < f64::from(rate) * ENOUGH {
            let behind = format!("{came} a second came, not {rate}");
            report.behind.push(behind);
        }
        if let Some(late) = late.filter(|late| late.p99 > LATE) {
            let millis = late.p99 / 1000;
            report
                .behind
                .push(format!("1 of 100 came {millis} ms late"));
        }
    }
}
