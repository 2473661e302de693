//! Modules change while they are called.

use super::bench::{Bench, PATIENCE, Place, accepted, module};
use crate::pinned::Pinned;
use crate::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use usher_core::*;

/// Which version answered, by everything that it says.
fn version(answer: Answer) -> String {
    let option = accepted(answer);
    assert_eq!(
        option.config, option.remember,
        "an answer is of one version"
    );
    String::from_utf8(option.config.to_vec()).expect("a letter")
}

fn place_of(name: &str) -> (Place, Bench) {
    let place = Place::new();
    let path = place.put("m.wasm", &module(name));
    let bench = Bench::new(Source::File(path));
    (place, bench)
}

fn loaded(reload: Result<Reload, LoadFailure>) -> GenerationInfo {
    match reload {
        Ok(Reload::Loaded(info)) => info,
        other => panic!("not loaded: {other:?}"),
    }
}

#[test]
fn a_decision_stays_with_what_it_began_with() {
    let (place, bench) = place_of("version-a");
    let begun = bench.ask("R9");
    place.put("m.wasm", &module("version-b"));
    let info = loaded(bench.policies.reload("p", false));
    assert_eq!((info.number, &*info.version), (2, "b"));
    let answer = bench.answer_to(begun);
    assert_eq!(answer.generation, 1);
    assert_eq!(version(answer), "a");
    let answer = bench.answer("R9");
    assert_eq!(answer.generation, 2);
    assert_eq!(version(answer), "b");
}

#[test]
fn touching_a_file_makes_no_generation() {
    let (place, bench) = place_of("version-a");
    place.put("m.wasm", &module("version-a"));
    let reload = bench.policies.reload("p", false).expect("readable");
    assert_eq!(reload, Reload::Unchanged);
    assert_eq!(bench.status().generation.number, 1);
    let info = loaded(bench.policies.reload("p", true));
    assert_eq!(info.number, 2);
}

#[test]
fn rollback_needs_no_file() {
    let (place, bench) = place_of("version-a");
    place.put("m.wasm", &module("version-b"));
    loaded(bench.policies.reload("p", false));
    std::fs::remove_file(place.at("m.wasm")).expect("there");
    let info = bench.policies.rollback("p").expect("an older one");
    assert_eq!((info.number, &*info.version), (1, "a"));
    assert_eq!(version(bench.answer("R9")), "a");
    assert_eq!(bench.status().state, SlotState::RolledBack);
    assert!(bench.policies.rollback("p").is_err());

    // What was rolled back from does not come again by itself.
    place.put("m.wasm", &module("version-b"));
    let reload = bench.policies.reload("p", false).expect("readable");
    assert_eq!(reload, Reload::Unchanged);
    assert_eq!(version(bench.answer("R9")), "a");
    place.put("m.wasm", &module("open"));
    assert_eq!(loaded(bench.policies.reload("p", false)).number, 3);
}

#[test]
fn no_call_pays_for_an_instance() {
    let (place, bench) = place_of("version-a");
    let ready = || {
        let snapshot = bench.snapshot();
        let pinned = Pinned::slot(&snapshot, SlotId(0)).expect("a slot");
        pinned.generation.module.ready()
    };
    assert_eq!(ready(), 3, "one for each worker, and one for calls at once");
    place.put("m.wasm", &module("version-b"));
    loaded(bench.policies.reload("p", false));
    assert_eq!(ready(), 3);
    bench.policies.rollback("p").expect("an older one");
    assert_eq!(ready(), 3);
}

/// The whole way: a file changes, and the next answer is of the new module.
#[test]
fn a_watched_module_is_swapped() {
    let (place, bench) = place_of("version-a");
    let (tell, told) = std::sync::mpsc::channel();
    let tell = move |_: &std::path::Path| tell.send(()).expect("the test listens");
    let _watcher = watch(vec![place.at("m.wasm")], tell).expect("a watcher");
    place.put("m.wasm", &module("version-b"));
    told.recv_timeout(PATIENCE).expect("told");
    assert_eq!(loaded(bench.policies.reload("p", false)).number, 2);
    assert_eq!(version(bench.answer("R9")), "b");

    let file = std::fs::File::options()
        .write(true)
        .open(place.at("m.wasm"));
    let later = std::time::SystemTime::now() + Duration::from_secs(5);
    file.and_then(|file| file.set_modified(later))
        .expect("touched");
    told.recv_timeout(PATIENCE).expect("told");
    let reload = bench.policies.reload("p", false).expect("readable");
    assert_eq!(reload, Reload::Unchanged);
}

#[test]
fn the_last_good_generation_stands_in() {
    let (place, bench) = place_of("version-a");
    let mut ask = bench.ask("R9");
    ask.last_good = true;
    let fault = bench.answer_to(ask).result.expect_err("nothing older");
    assert_eq!(fault.kind, FaultKind::NotLoaded);

    bench.accepted("R9");
    place.put("m.wasm", &module("faulty"));
    loaded(bench.policies.reload("p", false));
    assert_eq!(bench.fault("panic").kind, FaultKind::Trap);
    let mut ask = bench.ask("panic");
    ask.last_good = true;
    let answer = bench.answer_to(ask);
    assert_eq!(answer.generation, 1);
    assert_eq!(version(answer), "a");
}

#[test]
fn builtins_load_from_memory() {
    let bytes: &'static [u8] = module("rtyp").leak();
    let bench = Bench::new(Source::Builtin {
        name: "rtyp",
        bytes,
    });
    let status = bench.status();
    assert_eq!(status.source, "builtin:rtyp");
    assert_eq!(status.generation.max_players, Some(4));
    assert_eq!(status.generation.module, "rtyp");
    let reload = bench.policies.reload("p", false).expect("readable");
    assert_eq!(reload, Reload::Unchanged);
    bench.accepted("R9");
}

/// A thousand swaps while calls run: none is lost, and each answer is of one version, the one of the
/// generation that it names.
#[test]
fn a_thousand_swaps_lose_nothing() {
    const SWAPS: u64 = 1_000;
    let place = Place::new();
    let path = place.put("m.wasm", &module("version-a"));
    // With a cache, so that a swap is a swap and not a wait for the compiler.
    let engine = Engine::new(EngineConfig {
        cache: Some(place.at("cache")),
        ..EngineConfig::default()
    });
    let settings = SlotSettings {
        // Two cores link and call here at once.
        deadline: Duration::from_secs(5),
        ..SlotSettings::default()
    };
    let bench = Bench::on(engine.expect("an engine"), Source::File(path), settings, 2);
    let Bench {
        policies, replies, ..
    } = bench;
    let policies = &policies;
    let versions = [module("version-a"), module("version-b")];
    let done = AtomicBool::new(false);
    let (asked, by_generation) = std::thread::scope(|scope| {
        let done = &done;
        let asking = scope.spawn(move || {
            let mut asked = 0;
            let mut seen: HashMap<u64, String> = HashMap::new();
            while !done.load(Ordering::Relaxed) {
                for _ in 0..8 {
                    asked += 1;
                    let ask = Ask {
                        id: AskId(asked),
                        snapshot: Arc::new(Snapshot {
                            pin: policies.pin(),
                            ..Snapshot::none()
                        }),
                        ..sample::ask("R9")
                    };
                    policies.submit(Job::Ask(Box::new(ask)));
                }
                for _ in 0..8 {
                    let reply = replies.recv_timeout(PATIENCE).expect("none is lost");
                    let Reply::Answer(answer) = reply else {
                        panic!("no answer: {reply:?}");
                    };
                    let generation = answer.generation;
                    let version = version(answer);
                    let known = seen.entry(generation).or_insert_with(|| version.clone());
                    assert_eq!(*known, version, "generation {generation}");
                }
            }
            assert!(replies.try_recv().is_err(), "none is answered twice");
            (asked, seen)
        });
        for swap in 1..=SWAPS {
            let index = usize::try_from(swap % 2).expect("0 or 1");
            place.put("m.wasm", &versions[index]);
            let info = loaded(policies.reload("p", false));
            assert_eq!(info.number, swap + 1);
        }
        done.store(true, Ordering::Relaxed);
        asking.join().expect("no assertion failed")
    });
    assert!(asked > SWAPS, "calls ran meanwhile: {asked}");
    assert!(by_generation.len() > 10, "and met many generations");
    for (generation, version) in by_generation {
        let expected = if generation % 2 == 1 { "a" } else { "b" };
        assert_eq!(version, expected, "generation {generation}");
    }
}
