//! What the generator says of a phase, beside what the meters say.

use serde_json::{Value, json};

use super::meter::{self, Reading};
use crate::process::Outcome;

/// All meters at one moment.
pub(crate) struct Meters {
    host: Reading,
    generator: Reading,
    machine: Reading,
    dropped: u64,
}

impl Meters {
    /// Reads those of the host and of the generator, of the host's port, and of the whole machine.
    pub(crate) fn read(host: u32, generator: u32, port: u16) -> Outcome<Meters> {
        Ok(Meters {
            host: meter::read(host)?,
            generator: meter::read(generator)?,
            machine: meter::read_machine()?,
            dropped: meter::dropped(port),
        })
    }
}

/// A phase that is over.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) name: String,
    /// The generator's own words.
    pub(crate) said: Value,
    /// How many processors the host kept busy, and the generator.
    pub(crate) host: f64,
    pub(crate) generator: f64,
    /// How many all others did.
    pub(crate) others: f64,
    /// The host's memory at its end, in bytes.
    pub(crate) memory: u64,
    /// Datagrams that were dropped because the host did not fetch them in time.
    pub(crate) dropped: u64,
}

impl Phase {
    /// What the generator said of the time between two readings.
    pub(crate) fn between(then: &Meters, now: &Meters, said: Value) -> Phase {
        let host = now.host.busy_since(&then.host);
        let generator = now.generator.busy_since(&then.generator);
        let machine = now.machine.busy_since(&then.machine);
        Phase {
            name: said["phase"].as_str().unwrap_or_default().to_owned(),
            said,
            host,
            generator,
            // What is only nearly read at one moment must not come out below nothing.
            others: (machine - host - generator).max(0.0),
            memory: now.host.memory,
            dropped: now.dropped.saturating_sub(then.dropped),
        }
    }

    /// A figure of the generator's, by its JSON pointer.
    pub(crate) fn figure(&self, pointer: &str) -> Option<f64> {
        self.said.pointer(pointer)?.as_f64()
    }

    /// A round trip in milliseconds: `p50`, `p99`, `p999` or `max`.
    pub(crate) fn round_trip(&self, which: &str) -> Option<f64> {
        let micros = self.figure(&format!("/players/round_trip_us/{which}"))?;
        Some(micros / 1000.0)
    }

    /// Where the generator could not keep up.
    pub(crate) fn behind(&self) -> Vec<String> {
        let list = self.said["behind"].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// For a file of lines.
    pub(crate) fn line(&self, run: &Value) -> Value {
        json!({
            "run": run,
            "phase": self.name,
            "host_processors": self.host,
            "generator_processors": self.generator,
            "others_processors": self.others,
            "host_memory": self.memory,
            "host_dropped": self.dropped,
            "generator": self.said,
        })
    }
}

/// The phases side by side.
pub(crate) fn table(phases: &[Phase]) -> String {
    let heads = [
        "phase",
        "echo p50",
        "p99",
        "p99.9",
        "max",
        "lost",
        "waiting",
        "come/s",
        "flood/s",
        "host",
        "generator",
        "others",
        "dropped",
    ];
    let rows = phases.iter().map(|phase| {
        let time = |which| match phase.round_trip(which) {
            Some(ms) => format!("{ms:.2} ms"),
            None => "-".to_owned(),
        };
        let whole = |pointer| match phase.figure(pointer) {
            Some(figure) => format!("{figure:.0}"),
            None => "-".to_owned(),
        };
        [
            phase.name.clone(),
            time("p50"),
            time("p99"),
            time("p999"),
            time("max"),
            whole("/players/lost"),
            whole("/crowd/waiting"),
            whole("/crowd/arrivals_each_second"),
            whole("/flood/sent_each_second"),
            format!("{:.2} cpu", phase.host),
            format!("{:.2} cpu", phase.generator),
            format!("{:.2} cpu", phase.others),
            phase.dropped.to_string(),
        ]
    });
    let rows: Vec<_> = std::iter::once(heads.map(str::to_owned))
        .chain(rows)
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<_> = (0..heads.len()).map(width).collect();
    let line = |row: &[String; 13]| {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(place, (cell, width))| match place {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn phase(name: &str, p99_us: u32, memory: u64) -> Phase {
        Phase {
            name: name.to_owned(),
            said: json!({
                "players": {"round_trip_us": {"p50": 200, "p99": p99_us, "p999": 900, "max": 950}, "lost": 0},
                "crowd": {
                    "waiting": 100,
                    "waiters_ended": {},
                    "status_interval_us": {"max": 5_000_000},
                },
                "behind": [],
            }),
            host: 0.5,
            generator: 0.25,
            others: 0.0,
            memory,
            dropped: 0,
        }
    }

    #[test]
    fn columns_line_up_and_what_was_not_measured_is_a_dash() {
        let text = table(&[phase("idle", 500, 1), phase("a longer name", 12_345, 1)]);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(
            lines.iter().all(|line| line.len() == lines[0].len()),
            "{text}"
        );
        assert!(
            lines[2].contains("12.35 ms") && lines[2].contains(" - "),
            "{text}"
        );
    }
}
