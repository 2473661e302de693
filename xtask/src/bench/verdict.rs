//! The lines that the figures have to reach.

use serde_json::Value;

use super::phase::Phase;

/// The slowest that 99 of 100 round trips may be while thousands wait and others come and go, in
/// milliseconds.
const ROUND_TRIP: f64 = 10.0;

/// How many times slower a flood may make them.
const FLOOD: f64 = 2.0;

/// What someone who waits may cost beyond what it sent, in bytes.
const MEMORY: f64 = 2048.0;

/// The longest that one who waits may hear nothing, in seconds: a client that sets nothing gives up after 10.
const SILENCE: f64 = 8.0;

/// One figure and its line.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Verdict {
    pub(crate) what: &'static str,
    pub(crate) figure: Option<f64>,
    pub(crate) line: f64,
    pub(crate) unit: &'static str,
    /// Whether it has to stay below the line; else it may reach it.
    pub(crate) below: bool,
    /// Whether it has to hold however little load there is, and whatever else the machine does.
    pub(crate) always: bool,
}

impl Verdict {
    pub(crate) fn holds(&self) -> bool {
        self.figure.is_some_and(|figure| match self.below {
            true => figure < self.line,
            false => figure <= self.line,
        })
    }

    /// For people.
    pub(crate) fn sentence(&self) -> String {
        let Verdict {
            what, line, unit, ..
        } = self;
        let sign = if self.below { "<" } else { "<=" };
        match self.figure {
            Some(figure) => {
                let word = if self.holds() { "ok" } else { "MISSED" };
                format!("{word:>6}  {what}: {figure:.2}{unit} ({sign} {line}{unit})")
            }
            None => format!("MISSED  {what}: not measured"),
        }
    }
}

/// Judges a run. `idle`, `waiting`, `arriving` and `flooded` are phases of it; `payload` is what each of
/// those who wait sent, in bytes.
pub(crate) fn judge(phases: &[Phase], payload: u64) -> Vec<Verdict> {
    let named = |name: &str| phases.iter().find(|phase| phase.name == name);
    let p99 = |name: &str| named(name).and_then(|phase| phase.round_trip("p99"));
    let slower = p99("flooded")
        .zip(p99("arriving"))
        .map(|(flooded, arriving)| flooded / arriving);
    vec![
        Verdict {
            what: "echo p99 while thousands wait and others come and go",
            figure: p99("arriving"),
            line: ROUND_TRIP,
            unit: " ms",
            below: true,
            always: false,
        },
        Verdict {
            what: "times slower by a flood",
            figure: slower,
            line: FLOOD,
            unit: "",
            below: true,
            always: false,
        },
        Verdict {
            what: "memory of one who waits, beyond its payload",
            figure: named("idle")
                .zip(named("waiting"))
                .and_then(|(idle, waiting)| each(idle, waiting, payload)),
            line: MEMORY,
            unit: " bytes",
            below: false,
            always: false,
        },
        Verdict {
            what: "longest silence to one who waits",
            figure: longest_silence(phases),
            line: SILENCE,
            unit: " s",
            below: true,
            always: true,
        },
        Verdict {
            what: "waiting, and lost",
            figure: lost(phases),
            line: 0.0,
            unit: "",
            below: false,
            always: true,
        },
    ]
}

fn longest_silence(phases: &[Phase]) -> Option<f64> {
    let longest = phases
        .iter()
        .filter_map(|phase| phase.figure("/crowd/status_interval_us/max"));
    longest.reduce(f64::max).map(|micros| micros / 1e6)
}

/// Those who waited and whose wait ended, although there was no seat for them.
fn lost(phases: &[Phase]) -> Option<f64> {
    let ended = phases
        .iter()
        .map(|phase| phase.said.pointer("/crowd/waiters_ended")?.as_object());
    let ended: Option<Vec<_>> = ended.collect();
    let ended = ended.filter(|ended| !ended.is_empty())?;
    let counts = ended.into_iter().flat_map(|ended| ended.values());
    Some(counts.filter_map(Value::as_u64).sum::<u64>() as f64)
}

fn each(idle: &Phase, waiting: &Phase, payload: u64) -> Option<f64> {
    let count = waiting
        .figure("/crowd/waiting")
        .filter(|count| *count > 0.0)?;
    let grown = waiting.memory as f64 - idle.memory as f64;
    Some(grown / count - payload as f64)
}

#[cfg(test)]
mod tests {
    use super::super::phase::tests::phase;
    use super::*;

    fn held(phases: &[Phase]) -> Vec<bool> {
        judge(phases, 20).iter().map(Verdict::holds).collect()
    }

    #[test]
    fn a_line_is_missed_by_what_is_slow_fat_or_not_measured() {
        let idle = phase("idle", 300, 10_000_000);
        let waiting = phase("waiting", 300, 10_000_000 + 100 * 2068);
        let arriving = phase("arriving", 5_000, 0);
        let good = [
            idle.clone(),
            waiting,
            arriving.clone(),
            phase("flooded", 9_999, 0),
        ];
        assert_eq!(held(&good), [true; 5]);
        let fat = phase("waiting", 300, 10_000_000 + 100 * 2069);
        let bad = [
            idle,
            fat,
            phase("arriving", 10_000, 0),
            phase("flooded", 20_000, 0),
        ];
        assert_eq!(held(&bad), [false, false, false, true, true]);
        assert_eq!(held(&[arriving]), [true, false, false, true, true]);
        let nothing = judge(&[], 0);
        let mut sentences = nothing.iter().map(Verdict::sentence);
        assert!(sentences.all(|it| it.contains("not measured")));
    }

    #[test]
    fn who_waits_is_neither_lost_nor_left_in_silence() {
        let mut silent = phase("waiting", 300, 1);
        silent.said["crowd"]["status_interval_us"]["max"] = 8_000_000.into();
        silent.said["crowd"]["waiters_ended"]["SessionTimeout"] = 1.into();
        let verdicts = judge(&[phase("idle", 300, 1), silent], 20);
        let missed = verdicts.iter().filter(|it| it.always && !it.holds());
        assert_eq!(missed.count(), 2);
    }
}
