//! What the generator says of a quarter of a run, beside what the meters say.

use serde_json::{Value, json};

use super::super::meter::{self, Reading};
use crate::process::Outcome;

/// All meters at one moment.
pub(super) struct Meters {
    host: Reading,
    generator: Reading,
    endpoint: Reading,
    machine: Reading,
}

impl Meters {
    /// Reads those of the three processes and of the whole machine.
    pub(super) fn read(host: u32, generator: u32, endpoint: u32) -> Outcome<Meters> {
        Ok(Meters {
            host: meter::read(host)?,
            generator: meter::read(generator)?,
            endpoint: meter::read(endpoint)?,
            machine: meter::read_machine()?,
        })
    }
}

/// A quarter that is over; or the time after the last in which what was under way ended.
#[derive(Clone, Debug)]
pub(super) struct Quarter {
    pub(super) name: String,
    /// The generator's own words.
    pub(super) said: Value,
    /// How many processors the host kept busy, the generator, the endpoint, and all others.
    pub(super) host: f64,
    pub(super) generator: f64,
    pub(super) endpoint: f64,
    pub(super) others: f64,
    /// The host's memory at its end, in bytes.
    pub(super) memory: u64,
}

impl Quarter {
    /// What the generator said of the time between two readings.
    pub(super) fn between(then: &Meters, now: &Meters, said: Value) -> Quarter {
        let host = now.host.busy_since(&then.host);
        let generator = now.generator.busy_since(&then.generator);
        let endpoint = now.endpoint.busy_since(&then.endpoint);
        let machine = now.machine.busy_since(&then.machine);
        Quarter {
            name: said["phase"].as_str().unwrap_or_default().to_owned(),
            said,
            host,
            generator,
            endpoint,
            // What is only nearly read at one moment must not come out below nothing.
            others: (machine - host - generator - endpoint).max(0.0),
            memory: now.host.memory,
        }
    }

    /// Whether players came in it.
    pub(super) fn is_loaded(&self) -> bool {
        self.figure("asked_each_second")
            .is_some_and(|rate| rate > 0.0)
    }

    /// A figure of the generator's, by its JSON pointer below what it says of those who came.
    pub(super) fn figure(&self, pointer: &str) -> Option<f64> {
        let pointer = format!("/joiners/{pointer}");
        self.said.pointer(&pointer)?.as_f64()
    }

    /// Figures of the generator's that have names of their own, added up.
    pub(super) fn sum(&self, key: &str) -> Option<f64> {
        let all = self.said["joiners"][key].as_object()?;
        Some(all.values().filter_map(Value::as_f64).sum())
    }

    /// From the moment someone was to come to the answer, in milliseconds: `p50`, `p99`, `p999` or `max`;
    /// of the whole run where it was told.
    fn answer(&self, which: &str) -> Option<f64> {
        let all = self.figure(&format!("all_answers_us/{which}"));
        let micros = all.or_else(|| self.figure(&format!("answer_us/{which}")));
        Some(micros? / 1000.0)
    }

    /// Where the generator could not keep up.
    pub(super) fn behind(&self) -> Vec<String> {
        let list = self.said["behind"].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// For a file of lines.
    pub(super) fn line(&self, run: &Value) -> Value {
        json!({
            "run": run,
            "phase": self.name,
            "host_processors": self.host,
            "generator_processors": self.generator,
            "endpoint_processors": self.endpoint,
            "others_processors": self.others,
            "host_memory": self.memory,
            "generator": self.said,
        })
    }

    fn cells(&self) -> [String; 13] {
        let time = |which| match self.answer(which) {
            Some(ms) => format!("{ms:.1} ms"),
            None => "-".to_owned(),
        };
        let whole = |pointer| match self.figure(pointer) {
            Some(figure) if self.is_loaded() => format!("{figure:.0}"),
            _ => "-".to_owned(),
        };
        let processors = |busy: f64| match self.is_loaded() {
            true => format!("{busy:.2} cpu"),
            false => "-".to_owned(),
        };
        let name = match self.is_loaded() {
            true => &self.name,
            false => "all answers",
        };
        [
            name.to_owned(),
            whole("came_each_second"),
            whole("decided_each_second"),
            time("p50"),
            time("p99"),
            time("p999"),
            time("max"),
            whole("most_unanswered"),
            mebibytes(self.memory),
            processors(self.host),
            processors(self.generator),
            processors(self.endpoint),
            processors(self.others),
        ]
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// The quarters, one below the other, and before them the memory when nobody had come.
pub(super) fn table(quarters: &[Quarter], memory: u64) -> String {
    let heads = [
        "",
        "come/s",
        "decided/s",
        "answer p50",
        "p99",
        "p99.9",
        "max",
        "at once",
        "memory",
        "host",
        "generator",
        "endpoint",
        "others",
    ]
    .map(str::to_owned);
    let mut before = [""; 13].map(|_| "-".to_owned());
    "before".clone_into(&mut before[0]);
    before[8] = mebibytes(memory);
    let cells = quarters.iter().map(Quarter::cells);
    let rows: Vec<_> = [heads, before].into_iter().chain(cells).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: [usize; 13] = std::array::from_fn(width);
    let line = |row: &[String; 13]| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(place, (cell, width))| match place {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn quarter(name: &str, accepted: u64, memory: u64) -> Quarter {
        Quarter {
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
            host: 0.5,
            generator: 0.25,
            endpoint: 0.25,
            others: 0.0,
            memory,
        }
    }

    #[test]
    fn columns_line_up_and_what_was_not_measured_is_a_dash() {
        let text = table(&[quarter("first quarter", 100, 3 << 20)], 1 << 20);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(
            lines.iter().all(|line| line.len() == lines[0].len()),
            "{text}"
        );
        assert!(
            lines[2].contains("1210.0 ms") && lines[2].contains(" - "),
            "{text}"
        );
    }
}
