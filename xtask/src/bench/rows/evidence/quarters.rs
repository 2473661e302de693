//! What the quarters of a run come to: figures, with the lines that they have to reach.

use serde_json::Value;

use super::super::super::figure::{Figure, Line, Sample, Side, Spread};
use super::super::super::load::Phase;
use super::super::super::unit::Unit;
use crate::process::Outcome;

/// How much memory may grow from the end of the warm-up, when everything that is made once is made, to that of the
/// last quarter, in percent.
const GROWTH: f64 = 5.0;

/// How far decisions may stay behind those who come, in percent: some are under way when a quarter ends.
const BEHIND: f64 = 2.0;

/// One round: the warm-up, the quarters, and the time after the last in which what was under way ended.
pub(super) struct Round {
    quarters: Vec<Phase>,
    /// The host's memory before anyone came.
    before: u64,
}

impl Round {
    /// The endpoint belongs to what is measured, so it is none of the others.
    pub(super) fn new(mut quarters: Vec<Phase>, endpoint_cpu_s: &[f64], before: u64) -> Round {
        for (quarter, used) in quarters.iter_mut().zip(endpoint_cpu_s) {
            let busy = used / quarter.seconds.max(f64::MIN_POSITIVE);
            quarter.others_busy = (quarter.others_busy - busy).max(0.0);
        }
        Round { quarters, before }
    }

    /// Those in which players came, the warm-up first; without one, the first quarter is it.
    fn loaded(&self) -> impl DoubleEndedIterator<Item = &Phase> {
        let came = |it: &&Phase| figure(it, "asked_each_second").is_ok_and(|rate| rate > 0.0);
        self.quarters.iter().filter(came)
    }

    fn total(&self, of: impl Fn(&Phase) -> Outcome<f64>) -> Outcome<Sample> {
        let came: f64 = self
            .quarters
            .iter()
            .map(|it| figure(it, "came"))
            .sum::<Outcome<_>>()?;
        match came > 0.0 {
            true => Ok(Sample::of(
                self.quarters.iter().map(of).sum::<Outcome<_>>()?,
            )),
            false => Err("nobody came".into()),
        }
    }
}

/// The figures of all rounds. `rate` is how many were to come in a second.
pub(super) fn figures(rounds: &[Round], rate: u32) -> Outcome<Vec<Figure>> {
    let one = |of: &dyn Fn(&Round) -> Outcome<Sample>| {
        let rounds = rounds.iter().map(of).collect::<Outcome<_>>()?;
        let name = "usher".to_owned();
        Ok(vec![Side { name, rounds }]) as Outcome<_>
    };
    let none = |what: &str, sides| {
        Figure::new(what, Unit::Count, sides)
            .line(Line::AtMost(0.0))
            .always()
    };
    Ok(vec![
        Figure::new(
            "from the moment someone was to come to the answer",
            Unit::Nanoseconds,
            one(&answer)?,
        ),
        none(
            "decisions later than 10 s, `approval_timeout` and clients that gave up",
            one(&|round| round.total(late))?,
        ),
        none(
            "refused or without an answer, though all had a reservation",
            one(&|round| round.total(not_accepted))?,
        ),
        Figure::new(
            "decisions behind those who come, at worst",
            Unit::Percent,
            one(&|round| behind(round, rate))?,
        )
        .line(Line::AtMost(BEHIND)),
        Figure::new(
            "memory before anyone came",
            Unit::Bytes,
            one(&|round| Ok(Sample::of(round.before as f64)))?,
        ),
        Figure::new(
            "memory grown from the end of the warm-up to the last quarter",
            Unit::Percent,
            one(&growth)?,
        )
        .line(Line::AtMost(GROWTH)),
    ])
}

/// Of the whole round where it was told, with what the loaded quarters cost together.
fn answer(round: &Round) -> Outcome<Sample> {
    let quarter = round.quarters.last().ok_or("there was no quarter")?;
    let spread = ["all_answers_us", "answer_us"]
        .iter()
        .find_map(|key| Spread::from_micros(&quarter.said["joiners"][key]));
    let spread = spread.ok_or("nobody was answered")?;
    let sum = |of: fn(&Phase) -> f64| round.quarters.iter().map(of).sum::<f64>();
    let mut sample = quarter.sample(spread.p50).spread(Some(spread));
    sample.host_cpu_s = Some(sum(|it| it.host_cpu_s));
    sample.generator_cpu_s = Some(sum(|it| it.generator_cpu_s));
    sample.behind = round.quarters.iter().flat_map(Phase::behind).collect();
    let loaded = round.loaded().map(|it| it.others_busy);
    sample.others_busy = loaded.reduce(f64::max);
    Ok(sample)
}

fn late(quarter: &Phase) -> Outcome<f64> {
    let told = figure(quarter, "rejected/approval_timeout").unwrap_or(0.0);
    let lost = quarter.said["joiners"]["lost"].as_object();
    let lost = lost.ok_or_else(|| format!("nobody counted who was lost in {}", quarter.name))?;
    let lost: f64 = lost.values().filter_map(Value::as_f64).sum();
    Ok(figure(quarter, "too_late")? + told + lost)
}

/// Who came in one quarter may be answered in the next, so this means something only for all of them together.
fn not_accepted(quarter: &Phase) -> Outcome<f64> {
    Ok(figure(quarter, "came")? - figure(quarter, "accepted")?)
}

/// Without the warm-up, in which some wait that nobody came before.
fn behind(round: &Round, rate: u32) -> Outcome<Sample> {
    let decided = round
        .loaded()
        .skip(1)
        .map(|it| figure(it, "decided_each_second"));
    let decided: Vec<_> = decided.collect::<Outcome<_>>()?;
    let fewest = decided.into_iter().reduce(f64::min);
    let fewest = fewest.ok_or("nobody came after the warm-up")?;
    Ok(Sample::of(
        (100.0 - fewest / f64::from(rate) * 100.0).max(0.0),
    ))
}

fn growth(round: &Round) -> Outcome<Sample> {
    let mut loaded = round.loaded();
    let (first, last) = (loaded.next(), loaded.next_back());
    let (first, last) = first.zip(last).ok_or("nobody came in two quarters")?;
    Ok(last.sample((last.rss as f64 / first.rss as f64 - 1.0) * 100.0))
}

/// A figure of the generator's, by its JSON pointer below what it says of those who came.
fn figure(quarter: &Phase, pointer: &str) -> Outcome<f64> {
    quarter.figure(&format!("/joiners/{pointer}"))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::judge::judge;
    use super::*;
    use serde_json::json;

    fn quarter(name: &str, accepted: u64, rss: u64) -> Phase {
        Phase {
            name: name.to_owned(),
            said: json!({
                "joiners": {
                    "asked_each_second": 100,
                    "came_each_second": 100.0,
                    "decided_each_second": accepted as f64,
                    "came": 100,
                    "accepted": accepted,
                    "rejected": {},
                    "lost": {},
                    "too_late": 0,
                    "unanswered": 0,
                    "answer_us": {"p50": 201_000, "p99": 205_000, "p999": 209_000, "max": 1_210_000},
                },
                "behind": [],
            }),
            seconds: 1.0,
            host_cpu_s: 0.5,
            generator_cpu_s: 0.25,
            others_busy: 0.25,
            rss,
        }
    }

    fn held(quarters: &[Phase]) -> Vec<bool> {
        let round = Round::new(quarters.to_vec(), &[0.25; 3], 500_000);
        let figures = figures(&[round], 100).unwrap();
        figures
            .iter()
            .flat_map(judge)
            .map(|it| it.reached)
            .collect()
    }

    #[test]
    fn a_run_in_which_all_were_let_in_and_nothing_grew_is_good() {
        // Some are answered when nobody comes any more.
        let mut after = quarter("last answers", 1, 2_000_000);
        after.said["joiners"]["asked_each_second"] = 0.into();
        after.said["joiners"]["came"] = 0.into();
        let good = [
            quarter("first quarter", 99, 1_000_000),
            quarter("last quarter", 100, 1_040_000),
            after,
        ];
        assert_eq!(held(&good), [true; 4]);
        let nobody = Round::new(Vec::new(), &[], 0);
        assert!(figures(&[nobody], 100).is_err());
    }

    #[test]
    fn who_was_late_lost_or_refused_is_missed() {
        let first = quarter("first quarter", 100, 1_000_000);
        for (key, value, missed) in [
            ("too_late", json!(1), [false, true]),
            ("lost", json!({"SessionTimeout": 1}), [false, true]),
            ("rejected", json!({"approval_timeout": 1}), [false, true]),
            ("accepted", json!(99), [true, false]),
        ] {
            let mut second = quarter("last quarter", 100, 1_000_000);
            second.said["joiners"][key] = value;
            assert_eq!(held(&[first.clone(), second])[..2], missed, "{key}");
        }
        let slow = quarter("last quarter", 97, 1_100_000);
        assert_eq!(held(&[first, slow]), [true, false, false, false]);
    }

    #[test]
    fn the_endpoint_is_none_of_the_others() {
        let quarters = vec![
            quarter("first quarter", 100, 1),
            quarter("last quarter", 100, 1),
        ];
        let round = Round::new(quarters, &[0.25, 0.125], 0);
        assert_eq!(answer(&round).unwrap().others_busy, Some(0.125));
    }
}
