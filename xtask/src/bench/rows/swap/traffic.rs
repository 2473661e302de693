//! Logins while the module is replaced again and again: how long decisions take, whether one is lost, and whether
//! each was made by one generation.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::super::super::figure::{Sample, Spread};
use super::super::super::load::load;
use super::super::super::run::Run;
use super::super::super::site::{Site, cannot_use};
use super::change::{Modules, OFTEN, until_answered};
use crate::http;
use crate::process::Outcome;

/// Where the audit is.
pub(super) const AUDIT: &str = "audit.jsonl";

/// One round, with `swaps` changes of the module while logins come, or with none: how long 99 of 100 decisions
/// take at most, how many logins were lost, how many decisions were mixed, and how many generations served.
pub(super) fn traffic(
    run: &Run<'_>,
    site: &Site,
    modules: &mut Modules,
    config: &str,
    swaps: u32,
) -> Outcome<Vec<Sample>> {
    let audit = site.folder.join(AUDIT);
    // Of an earlier round.
    let _ = fs::remove_file(&audit);
    let module = &mut modules.small;
    let known = [module.fresh(), module.fresh()];
    module.put(known[0])?;
    let mut host = run.start_host(site, config)?;
    for number in [known[1], known[0]] {
        module.put(number)?;
        until_answered(site, number, OFTEN)?;
    }
    let first = generation(site)?;
    let seconds = run.setting("seconds");
    let mut generator = run.generator("logins")?;
    generator
        .arg(format!("tcp://{}", site.tcp))
        .args(["--rate", &run.setting("rate").to_string()])
        .args(["--seconds", &seconds.to_string()])
        .args(["--warm-up", "1"])
        // Every second one is told which module decided.
        .args(["--bad-every", "2", "--bad-names", "who-#"]);
    let measured = AtomicBool::new(false);
    let phase = thread::scope(|scope| {
        let swapping = scope.spawn(|| -> Outcome {
            while !measured.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(5));
            }
            for swap in 0..swaps {
                module.put(known[1 - swap as usize % 2])?;
                thread::sleep(Duration::from_secs(seconds.into()) / swaps.max(1));
                if !measured.load(Ordering::Relaxed) {
                    break;
                }
            }
            Ok(())
        });
        let phases = load(&mut host.running, &mut generator, |said| {
            match (said["event"].as_str(), said["phase"].as_str()) {
                (Some("begin"), Some("logins")) => measured.store(true, Ordering::Relaxed),
                (Some("end"), Some("logins")) => measured.store(false, Ordering::Relaxed),
                _ => {}
            }
            Ok(())
        });
        // Whatever came of the load, nobody waits for its beginning any more.
        measured.store(true, Ordering::Relaxed);
        let swapped = swapping.join();
        swapped.map_err(|_| "the one who swaps panicked".to_owned())??;
        phases?
            .into_iter()
            .next_back()
            .ok_or_else(|| "the generator ended without a phase".to_owned())
    })?;
    let swapped = generation(site)? - first;
    let rss = phase.rss;
    // Nobody is there any more, and older generations keep files open.
    host.is_empty()?;
    host.settled()?;
    host.ends()?;
    let count = |pointer: &str| phase.figure(pointer);
    let came = count("/logins/came")? + count("/bad/came")?;
    let lost = count("/logins/refused")?
        + count("/logins/failed")?
        + count("/logins/unended")?
        + count("/bad/failed")?;
    let told = fs::read_to_string(&audit).map_err(|error| cannot_use(&audit, &error))?;
    let spread = Spread::from_micros(&phase.said["logins"]["answer_us"]);
    let p99 = count("/logins/answer_us/p99")? * 1e3;
    Ok(vec![
        phase.sample(p99).spread(spread).operations(came as u64),
        Sample::of(lost).operations(came as u64),
        Sample::of(mixed(&told)? as f64).operations(told.lines().count() as u64),
        Sample {
            rss: Some(rss),
            ..Sample::of(swapped as f64)
        },
    ])
}

/// Which generation serves.
pub(super) fn generation(site: &Site) -> Outcome<u64> {
    let status = http::status(site.control)?;
    let generation = status["policies"][0]["generation"].as_u64();
    generation.ok_or_else(|| "the status names no generation".to_owned())
}

/// How many decisions of the audit are not by one generation from their first ask to their verdict, or say
/// something else than others of that generation.
fn mixed(audit: &str) -> Outcome<usize> {
    let mut said: BTreeMap<u64, u64> = BTreeMap::new();
    let mut mixed = 0;
    for line in audit.lines() {
        let line: Value = serde_json::from_str(line)
            .map_err(|error| format!("the audit says {line}: {error}"))?;
        let steps = line["policies"].as_array().map_or(&[][..], Vec::as_slice);
        let mut generations = steps.iter().filter_map(|step| step["generation"].as_u64());
        let Some(first) = generations.next() else {
            continue;
        };
        let one = generations.all(|generation| generation == first);
        let same = match line["reason"]["number"].as_u64() {
            Some(number) => *said.entry(first).or_insert(number) == number,
            None => true,
        };
        mixed += usize::from(!one || !same);
    }
    Ok(mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_of_two_generations_or_of_another_word_is_mixed() {
        let line = |generations: &[u32], number: u32| {
            let steps: Vec<_> = generations
                .iter()
                .map(|generation| serde_json::json!({"generation": generation}))
                .collect();
            serde_json::json!({"policies": steps, "reason": {"number": number}}).to_string()
        };
        let audit = |lines: &[String]| mixed(&lines.join("\n"));
        let fine = [line(&[1], 101), line(&[1, 1], 101), line(&[2], 102)];
        assert_eq!(audit(&fine), Ok(0));
        assert_eq!(audit(&[line(&[1, 2], 101)]), Ok(1));
        assert_eq!(audit(&[line(&[1], 101), line(&[1], 102)]), Ok(1));
        assert_eq!(mixed(r#"{"policies": [], "outcome": "rejected"}"#), Ok(0));
        assert!(mixed("{").is_err());
    }
}
