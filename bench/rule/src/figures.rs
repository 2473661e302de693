//! What was measured, and how it is printed.

use std::fs;
use std::time::Duration;

/// The spread of some times, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    samples: usize,
    p50: f64,
    p99: f64,
    p999: f64,
    max: f64,
}

impl Spread {
    /// Of times for so many decisions each: a time is divided by it.
    pub fn of(mut times: Vec<Duration>, decisions: usize) -> Spread {
        times.sort_unstable();
        let at = |share: f64| {
            let last = times.len().saturating_sub(1);
            let index = (last as f64 * share).round() as usize;
            let time = times.get(index).copied().unwrap_or_default();
            time.as_nanos() as f64 / decisions.max(1) as f64
        };
        Spread {
            samples: times.len(),
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: at(1.0),
        }
    }

    fn json(&self) -> String {
        let Spread {
            samples,
            p50,
            p99,
            p999,
            max,
        } = self;
        format!(
            "{{\"samples\":{samples},\"p50\":{p50:.1},\"p99\":{p99:.1},\"p999\":{p999:.1},\"max\":{max:.1}}}"
        )
    }
}

/// What came of a side.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures {
    /// Its name.
    pub side: String,
    /// What it is made of, with versions.
    pub about: String,
    /// How many decisions were measured.
    pub decisions: u64,
    /// The time of a decision, over batches.
    pub batch: Spread,
    /// The time of a decision, each by itself.
    pub single: Spread,
    /// The CPU seconds of the whole process, start and check included, where the system says so.
    pub cpu: Option<f64>,
    /// What the process has in memory, in bytes, where the system says so.
    pub rss: Option<u64>,
}

impl Figures {
    /// One line of JSON.
    pub fn json(&self) -> String {
        let number = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
        format!(
            "{{\"side\":\"{}\",\"about\":\"{}\",\"decisions\":{},\"batch_ns\":{},\"single_ns\":{},\"cpu_s\":{},\"rss\":{}}}",
            self.side,
            self.about,
            self.decisions,
            self.batch.json(),
            self.single.json(),
            number(self.cpu.map(|cpu| format!("{cpu:.3}"))),
            number(self.rss.map(|rss| rss.to_string())),
        )
    }
}

/// The CPU seconds of this process so far.
pub(crate) fn cpu() -> Option<f64> {
    // In hundredths of a second on every Linux; the name before may have spaces.
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let mut after = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: f64 = after.next()?.parse().ok()?;
    let system: f64 = after.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}

/// The memory of this process now.
pub(crate) fn rss() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_of_one_decision() {
        let times = (1..=100).map(|at| Duration::from_nanos(at * 10)).collect();
        let spread = Spread::of(times, 10);
        assert_eq!(spread.samples, 100);
        assert_eq!((spread.p50, spread.p99, spread.max), (51.0, 99.0, 100.0));
    }
}
