//! What is counted of lives in one phase.

use super::life::Step;
use crate::samples::Samples;
use crate::work::Report;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

/// A generator that had a processor to itself for this share of the time could not do more.
const BUSY: f64 = 0.95;

/// The counts.
#[derive(Debug)]
pub(super) struct Tally {
    since: Duration,
    processor: Option<Duration>,
    /// From the first request to the config.
    admissions: Samples,
    /// From the first request to the acknowledged goodbye.
    lives: Samples,
    refused: BTreeMap<String, u64>,
    lost: u64,
    repeated: u64,
}

impl Tally {
    /// Of a phase that begins now.
    pub(super) fn new(now: Duration) -> Tally {
        Tally {
            since: now,
            processor: processor(),
            admissions: Samples::default(),
            lives: Samples::default(),
            refused: BTreeMap::new(),
            lost: 0,
            repeated: 0,
        }
    }

    /// Something happened to a life of this age.
    pub(super) fn step(&mut self, step: &Step, age: Duration) {
        match step {
            Step::None => {}
            Step::Admitted => self.admissions.add(age),
            Step::Over => self.lives.add(age),
            Step::Refused(word) => *self.refused.entry(word.clone()).or_default() += 1,
            Step::Again => self.repeated += 1,
            Step::Lost => self.lost += 1,
        }
    }

    /// How many were let in.
    pub(super) fn admitted(&self) -> usize {
        self.admissions.count()
    }

    /// Says all of it. The other figures: datagrams that the system did not take from us, and those to us that
    /// it dropped.
    pub(super) fn report(self, now: Duration, (untaken, dropped): (u64, u64), report: &mut Report) {
        let took = now.saturating_sub(self.since).as_secs_f64();
        let lives = self.lives.count();
        report.set("lives", lives);
        report.set(
            "each_second",
            (lives as f64 / took.max(f64::MIN_POSITIVE)).round(),
        );
        report.set("admitted_us", json!(self.admissions.spread()));
        report.set("life_us", json!(self.lives.spread()));
        report.set("refused", json!(self.refused));
        report.set("lost", self.lost);
        report.set("repeated", self.repeated);
        report.set("not_taken_by_the_system", untaken);
        report.set("dropped_by_the_system", dropped);
        if dropped > 0 {
            let behind = format!("{dropped} datagrams to the lives were dropped unread");
            report.behind.push(behind);
        }
        let used = self.processor.zip(processor());
        let Some(used) = used.map(|(then, now)| now.saturating_sub(then).as_secs_f64()) else {
            return;
        };
        report.set("processor_us_each", used * 1e6 / lives.max(1) as f64);
        let busy = used / took.max(f64::MIN_POSITIVE);
        report.set("busy", busy);
        if busy > BUSY {
            report.behind.push(format!(
                "the generator was busy for {:.0} % of the time",
                busy * 100.0
            ));
        }
    }
}

/// How long this thread had a processor, where the system says so.
fn processor() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}
