//! Load from a process of its own, and what the meters say meanwhile.

use std::io::{self, BufRead as _, BufReader};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::figure::Sample;
use super::meter;
use crate::process::{Outcome, seconds};
use crate::running::Running;

/// How long a generator may say nothing: longer than any phase lasts.
const SILENCE: Duration = Duration::from_secs(900);

/// A phase that is over: what the generator says of it, beside what the meters say.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) name: String,
    /// The generator's own words.
    pub(crate) said: Value,
    /// How long it took by our clock.
    pub(crate) seconds: f64,
    /// Processor time of what was under load, and of the generator.
    pub(crate) host_cpu_s: f64,
    pub(crate) generator_cpu_s: f64,
    /// How many processors all others kept busy.
    pub(crate) others_busy: f64,
    /// Memory of what was under load at the end, in bytes.
    pub(crate) rss: u64,
}

impl Phase {
    /// A figure of the generator's, by its JSON pointer.
    pub(crate) fn figure(&self, pointer: &str) -> Outcome<f64> {
        let found = self.said.pointer(pointer).and_then(Value::as_f64);
        found.ok_or_else(|| format!("the generator did not say {pointer} of `{}`", self.name))
    }

    /// Where the generator could not keep up.
    pub(crate) fn behind(&self) -> Vec<String> {
        let list = self.said["behind"].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// A sample with that value and everything that the meters said.
    pub(crate) fn sample(&self, value: f64) -> Sample {
        Sample {
            value,
            host_cpu_s: Some(self.host_cpu_s),
            generator_cpu_s: Some(self.generator_cpu_s),
            others_busy: Some(self.others_busy),
            rss: Some(self.rss),
            behind: self.behind(),
            ..Sample::default()
        }
    }
}

/// All meters at one moment.
struct Meters {
    host: f64,
    generator: f64,
    machine: f64,
    at: Instant,
}

impl Meters {
    fn read(host: u32, generator: u32) -> Outcome<Meters> {
        Ok(Meters {
            host: meter::cpu_seconds(host)?,
            generator: meter::cpu_seconds(generator)?,
            machine: meter::machine_cpu_seconds()?,
            at: Instant::now(),
        })
    }
}

/// Runs a generator to its end against a server that runs meanwhile. It says `begin` and `end` of each phase in
/// JSON; `watch` sees everything that it says, for meters of its own.
pub(crate) fn load(
    server: &mut Running,
    generator: &mut Command,
    mut watch: impl FnMut(&Value) -> Outcome,
) -> Outcome<Vec<Phase>> {
    generator.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut load = Running::start("the generator", generator)?;
    let output = load.child.stdout.take();
    let output = output.ok_or("the generator has no output")?;
    let (host, own) = (server.child.id(), load.child.id());
    let mut phases = Vec::new();
    let mut begun = None;
    let lines = lines(output);
    loop {
        let line = match lines.recv_timeout(SILENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!(
                    "the generator said nothing for {}",
                    seconds(SILENCE)
                ));
            }
        };
        let line = line.map_err(|error| format!("cannot read what the generator says: {error}"))?;
        let said: Value = serde_json::from_str(&line)
            .map_err(|error| format!("the generator said what is not JSON: {error}: {line}"))?;
        server.still_runs()?;
        watch(&said)?;
        match said["event"].as_str() {
            Some("begin") => begun = Some(Meters::read(host, own)?),
            Some("end") => {
                let then = begun.take().ok_or("a phase ended unbegun")?;
                let now = Meters::read(host, own)?;
                phases.push(between(&then, &now, meter::memory(host)?, said));
            }
            _ => {}
        }
    }
    load.succeeds()?;
    match phases.is_empty() {
        true => Err("the generator ended without a phase".into()),
        false => Ok(phases),
    }
}

/// What a program says, line by line, until it ends. Read on a thread, because nothing else can give up waiting.
fn lines(output: ChildStdout) -> Receiver<io::Result<String>> {
    let (say, lines) = mpsc::channel();
    thread::spawn(move || {
        let said = BufReader::new(output).lines();
        // Nobody listens any more once somebody gave up.
        said.map_while(|line| say.send(line).ok()).for_each(drop);
    });
    lines
}

fn between(then: &Meters, now: &Meters, rss: u64, said: Value) -> Phase {
    let seconds = now.at.duration_since(then.at).as_secs_f64();
    let host = now.host - then.host;
    let generator = now.generator - then.generator;
    let machine = now.machine - then.machine;
    Phase {
        name: said["phase"].as_str().unwrap_or_default().to_owned(),
        said,
        seconds,
        host_cpu_s: host,
        generator_cpu_s: generator,
        // What is only nearly read at one moment must not come out below nothing.
        others_busy: ((machine - host - generator) / seconds.max(f64::MIN_POSITIVE)).max(0.0),
        rss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_with(script: &str) -> Outcome<Vec<Phase>> {
        let mut server = Running::start("cat", Command::new("cat").stdin(Stdio::piped())).unwrap();
        load(&mut server, Command::new("sh").args(["-c", script]), |_| {
            Ok(())
        })
    }

    #[test]
    fn a_phase_has_the_generators_words_and_the_servers_meters() {
        let phases = load_with(
            r#"echo '{"event":"begin","phase":"a"}'; echo '{"event":"hm"}'
               echo '{"event":"end","phase":"a","n":7,"behind":["slow"]}'"#,
        )
        .unwrap();
        assert_eq!(phases.len(), 1);
        assert_eq!(phases[0].figure("/n"), Ok(7.0));
        assert!(phases[0].figure("/m").unwrap_err().contains("/m of `a`"));
        let sample = phases[0].sample(3.0);
        assert_eq!(
            (sample.value, sample.behind),
            (3.0, vec!["slow".to_owned()])
        );
        assert!(sample.rss.unwrap() > 0);
    }

    #[test]
    fn a_generator_that_fails_or_says_nothing_is_an_error() {
        assert!(load_with("true").unwrap_err().contains("without a phase"));
        assert!(load_with("echo x").unwrap_err().contains("not JSON"));
        assert!(
            load_with(r#"echo '{"event":"end"}'"#)
                .unwrap_err()
                .contains("unbegun")
        );
        let failing = r#"echo '{"event":"begin"}'; echo '{"event":"end"}'; exit 3"#;
        assert!(load_with(failing).unwrap_err().contains("failed"));
    }
}
