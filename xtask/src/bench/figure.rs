//! One thing that was measured, on every side of it, and the lines that it has to reach.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::unit::Unit;

/// How many processors others may keep busy before figures say more about them.
const BUSY: f64 = 0.3;

/// One thing that was measured, on every side of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// `logins a second, closed loop, 64 at once`.
    pub(crate) what: String,
    pub(crate) unit: Unit,
    /// The first is ours.
    pub(crate) sides: Vec<Side>,
    #[serde(default)]
    pub(crate) lines: Vec<Line>,
    /// Whether a missed line is a fault, and no matter of speed: then it fails the run, a quick one too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) always: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) plot: Option<Plot>,
}

impl Figure {
    /// One without lines and plot.
    pub(crate) fn new(what: impl Into<String>, unit: Unit, sides: Vec<Side>) -> Figure {
        Figure {
            what: what.into(),
            unit,
            sides,
            lines: Vec::new(),
            always: false,
            plot: None,
        }
    }

    /// The same with one more line to reach.
    pub(crate) fn line(mut self, line: Line) -> Figure {
        self.lines.push(line);
        self
    }

    /// The same, as something that has to hold however little load there is and whatever else the machine does.
    pub(crate) fn always(mut self) -> Figure {
        self.always = true;
        self
    }

    /// The same as one point of a chart.
    pub(crate) fn plotted(mut self, chart: &str, along: &str, at: f64) -> Figure {
        self.plot = Some(Plot {
            chart: chart.to_owned(),
            along: along.to_owned(),
            at,
        });
        self
    }
}

// Serde hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(it: &bool) -> bool {
    !it
}

/// Where a figure is in a chart: figures of one row that name the same chart are points of it, and each side
/// is a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plot {
    pub(crate) chart: String,
    /// What the parameter is: `sockets at once`.
    pub(crate) along: String,
    pub(crate) at: f64,
}

/// One of those that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Side {
    pub(crate) name: String,
    /// One an alternation.
    pub(crate) rounds: Vec<Sample>,
}

#[cfg(test)]
impl Side {
    /// A side that came to these, and nothing is known besides.
    pub(crate) fn of(name: &str, values: &[f64]) -> Side {
        Side {
            name: name.to_owned(),
            rounds: values.iter().copied().map(Sample::of).collect(),
        }
    }
}

/// What one side came to in one round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Sample {
    /// In the figure's unit.
    pub(crate) value: f64,
    /// How single operations spread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spread: Option<Spread>,
    /// Processor time of the host, or of what stands in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) host_cpu_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) generator_cpu_s: Option<f64>,
    /// Processors that neither of the two kept busy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) others_busy: Option<f64>,
    /// How many operations the processor time was spent on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operations: Option<u64>,
    /// Memory of the host at the end, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rss: Option<u64>,
    /// Where the generator could not keep up, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) behind: Vec<String>,
}

impl Sample {
    /// One of which nothing but its value is known.
    pub(crate) fn of(value: f64) -> Sample {
        Sample {
            value,
            ..Sample::default()
        }
    }

    /// The same with the spread of its operations.
    pub(crate) fn spread(mut self, spread: Option<Spread>) -> Sample {
        self.spread = spread;
        self
    }

    /// The same, over that many operations.
    pub(crate) fn operations(mut self, operations: u64) -> Sample {
        self.operations = Some(operations);
        self
    }
}

/// How single operations spread, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// From what a generator says: an object with `p50`, `p99`, `p999` and `max` in microseconds.
    pub(crate) fn from_micros(said: &Value) -> Option<Spread> {
        let nanos = |key: &str| said[key].as_f64().map(|micros| micros * 1e3);
        Some(Spread {
            p50: nanos("p50")?,
            p99: nanos("p99")?,
            p999: nanos("p999")?,
            max: nanos("max")?,
        })
    }
}

/// A line to reach, judged by the median over all rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Line {
    /// Ours is no more than this.
    AtMost(f64),
    /// Ours is no less than this.
    AtLeast(f64),
    /// Ours is at most so many times that of another side, in the same round.
    TimesAtMost { side: String, times: f64 },
    /// Ours is at least so many times that of another side, in the same round.
    TimesAtLeast { side: String, times: f64 },
    /// Another side takes at least so many times as long as ours, in the same round.
    FasterThan { side: String, times: f64 },
}

/// How many processors others kept busy, at worst; nothing where that was little.
pub(crate) fn others(figures: &[Figure]) -> Option<f64> {
    let samples = figures
        .iter()
        .flat_map(|figure| &figure.sides)
        .flat_map(|side| &side.rounds);
    let busiest = samples.filter_map(|sample| sample.others_busy);
    busiest.reduce(f64::max).filter(|busiest| *busiest > BUSY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_figure_is_the_same_after_it_was_written_and_read() {
        let figure = Figure::new(
            "waits",
            Unit::Nanoseconds,
            vec![Side {
                name: "usher".to_owned(),
                rounds: vec![Sample::of(2.0).operations(7)],
            }],
        )
        .line(Line::AtMost(3.0))
        .line(Line::FasterThan {
            side: "lua".to_owned(),
            times: 1.9,
        })
        .plotted("waits", "sockets", 512.0);
        let text = serde_json::to_string(&figure).unwrap();
        assert_eq!(serde_json::from_str::<Figure>(&text).unwrap(), figure);
        assert!(!text.contains("null"), "{text}");
    }

    #[test]
    fn others_are_named_when_they_were_busy() {
        let figure = |busy: &[f64]| {
            let rounds = busy.iter().map(|busy| Sample {
                others_busy: Some(*busy),
                ..Sample::default()
            });
            let side = Side {
                name: "usher".to_owned(),
                rounds: rounds.collect(),
            };
            Figure::new("x", Unit::Count, vec![side])
        };
        assert_eq!(others(&[figure(&[0.1, 0.9]), figure(&[0.3])]), Some(0.9));
        assert_eq!(others(&[figure(&[0.1, 0.3])]), None);
    }

    #[test]
    fn a_spread_is_read_in_microseconds_and_only_whole() {
        let said = json!({"samples": 9, "p50": 1, "p99": 2.5, "p999": 3, "max": 4});
        let spread = Spread::from_micros(&said).unwrap();
        assert_eq!((spread.p50, spread.p99, spread.max), (1e3, 2.5e3, 4e3));
        assert_eq!(Spread::from_micros(&json!({"p50": 1})), None);
    }
}
