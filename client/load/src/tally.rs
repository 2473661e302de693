//! What is counted of a crowd in one phase.

use crate::samples::{Samples, Spread};
use crate::work::Report;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use usher_wire::raknet::initiator::Ending;

/// The counts.
#[derive(Debug)]
pub(crate) struct Tally {
    since: Duration,
    /// Those who began to pass.
    passing: u64,
    /// From the first request to the first status.
    first_status: Samples,
    /// Between two statuses.
    intervals: Samples,
    /// From the moment of a wake-up to the moment it came.
    late: Samples,
    /// From the first request to being let in.
    admitted: Samples,
    seated: u64,
    waiters: BTreeMap<String, u64>,
    passers: BTreeMap<String, u64>,
    /// Datagrams that the system did not take.
    pub(crate) untaken: u64,
}

impl Tally {
    pub(crate) fn new(now: Duration) -> Tally {
        Tally {
            since: now,
            passing: 0,
            first_status: Samples::default(),
            intervals: Samples::default(),
            late: Samples::default(),
            admitted: Samples::default(),
            seated: 0,
            waiters: BTreeMap::new(),
            passers: BTreeMap::new(),
            untaken: 0,
        }
    }

    pub(crate) fn passing(&mut self) {
        self.passing += 1;
    }

    pub(crate) fn seated(&mut self, born: Duration, now: Duration) {
        self.seated += 1;
        self.admitted.add(now.saturating_sub(born));
    }

    pub(crate) fn woken_late(&mut self, by: Duration) {
        self.late.add(by);
    }

    pub(crate) fn status(&mut self, born: Duration, last: Option<Duration>, now: Duration) {
        match last {
            None => self.first_status.add(now.saturating_sub(born)),
            Some(last) => self.intervals.add(now.saturating_sub(last)),
        }
    }

    pub(crate) fn ended(&mut self, passing: bool, ending: &Ending) {
        let ends = match passing {
            true => &mut self.passers,
            false => &mut self.waiters,
        };
        *ends.entry(word(ending)).or_default() += 1;
    }

    /// Adds what was counted, and gives back how late the generator was.
    pub(crate) fn report(
        &mut self,
        now: Duration,
        dropped: u64,
        report: &mut Report,
    ) -> Option<Spread> {
        let took = now.saturating_sub(self.since).as_secs_f64();
        let each_second = self.passing as f64 / took.max(f64::MIN_POSITIVE);
        let take = |samples: &mut Samples| std::mem::take(samples).spread();
        let late = take(&mut self.late);
        report.set("arrivals_each_second", each_second.round());
        report.set("first_status_us", json!(take(&mut self.first_status)));
        report.set("status_interval_us", json!(take(&mut self.intervals)));
        report.set("woken_late_us", json!(late));
        report.set("admitted_us", json!(take(&mut self.admitted)));
        report.set("seated", self.seated);
        report.set("waiters_ended", json!(self.waiters));
        report.set("passers_ended", json!(self.passers));
        report.set("not_taken_by_the_system", self.untaken);
        report.set("dropped_by_the_system", dropped);
        if dropped > 0 {
            let behind = format!("{dropped} datagrams to the crowd were dropped unread");
            report.behind.push(behind);
        }
        late
    }
}

/// An ending without what the server said.
fn word(ending: &Ending) -> String {
    match ending {
        Ending::Rejected(_) => "Rejected".to_owned(),
        Ending::Disconnected(_) => "Disconnected".to_owned(),
        ending => format!("{ending:?}"),
    }
}
