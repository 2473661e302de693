//! Rules are replaced while players come and go.

use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tempfile::TempDir;
use usher_tests::{Setup, Usher, decisions, knock, module, place};

/// The byte with which each version of the test policy refuses.
const FROM_A: u8 = 101;
const FROM_B: u8 = 102;

/// A host whose policy is a file of the test's own, version `a` at first.
fn host_with_file(lines: &str) -> Usher {
    let dir = TempDir::new().expect("there is room for a directory");
    place("version-a", &dir.path().join("policy.wasm"));
    let setup = Setup::new()
        .policy("version", "policy.wasm", lines)
        .limit("max-players", "200");
    let setup = setup.limit("max-pending", "200");
    Usher::start_in(dir, &setup)
}

async fn who_answers(host: &Usher) -> u8 {
    knock(host.tcp, "who")
        .await
        .expect("the host answers")
        .rejected()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_answer_comes_from_the_new_rule() {
    let host = host_with_file("");
    assert_eq!(who_answers(&host).await, FROM_A);
    place("version-b", &host.dir().join("policy.wasm"));
    host.wait_for_generation("version", 2);
    assert_eq!(who_answers(&host).await, FROM_B);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_seats_too_few_is_refused_and_shown_as_that() {
    let host = host_with_file("");
    place("rtyp", &host.dir().join("policy.wasm"));
    host.wait_for("refused", |status| {
        status["policies"][0]["state"] == "failed-to-load"
    });
    let why = host.policy("version", "last_error");
    let why = why.as_str().unwrap_or_default();
    assert!(why.contains("can seat 4 at most"), "{why}");
    assert_eq!(host.policy("version", "generation"), 1);
    assert_eq!(who_answers(&host).await, FROM_A);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_write_in_place_is_loaded_once_it_is_whole() {
    let host = host_with_file("");
    let file = host.dir().join("policy.wasm");
    let bytes = std::fs::read(module("version-b")).expect("the module is there");
    {
        use std::io::Write;
        let mut slow = std::fs::File::create(&file).expect("the file can be written");
        for part in bytes.chunks(bytes.len() / 8 + 1) {
            slow.write_all(part).expect("the file can be written");
            slow.flush().expect("the file can be written");
            // What is tested is a writer that takes its time.
            std::thread::sleep(std::time::Duration::from_millis(150));
            assert!([FROM_A, FROM_B].contains(&who_answers(&host).await));
        }
    }
    host.wait_for("version b", |status| serves(status, "version-b"));
    assert_eq!(who_answers(&host).await, FROM_B);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_swapped_symlink_is_followed() {
    let dir = TempDir::new().expect("there is room for a directory");
    for (release, version) in [("one", "version-a"), ("two", "version-b")] {
        std::fs::create_dir(dir.path().join(release)).expect("a directory can be made");
        place(version, &dir.path().join(release).join("policy.wasm"));
    }
    // As a mounted configuration does it: the file is a link through `..data` to the release.
    let link = |target: &str, name: &str| {
        let beside = dir.path().join("link.new");
        std::os::unix::fs::symlink(target, &beside).expect("a link can be made");
        std::fs::rename(&beside, dir.path().join(name)).expect("a link can be renamed");
    };
    link("one", "..data");
    link("..data/policy.wasm", "policy.wasm");
    let setup = Setup::new().policy("version", dir.path().join("policy.wasm"), "");
    let host = Usher::start(&setup);
    assert_eq!(who_answers(&host).await, FROM_A);
    link("two", "..data");
    host.wait_for_generation("version", 2);
    assert_eq!(who_answers(&host).await, FROM_B);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_file_changes_nothing_and_a_new_one_is_loaded() {
    let host = host_with_file("");
    let file = host.dir().join("policy.wasm");
    std::fs::remove_file(&file).expect("the file is there");
    assert_eq!(who_answers(&host).await, FROM_A);
    std::fs::copy(module("version-b"), &file).expect("the file can be written");
    host.wait_for("version b", |status| serves(status, "version-b"));
    assert_eq!(who_answers(&host).await, FROM_B);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn touching_the_file_makes_no_generation() {
    let host = host_with_file("");
    let file = host.dir().join("policy.wasm");
    for _ in 0..3 {
        let bytes = std::fs::read(&file).expect("the module is there");
        std::fs::write(&file, bytes).expect("the file can be written");
        let (code, body) = host.admin.post("/v1/policies/version/reload", "");
        assert!((200..300).contains(&code), "{code}: {body}");
    }
    assert_eq!(host.policy("version", "generation"), 1);
    // The watcher is alive: a real change is seen.
    place("version-b", &file);
    host.wait_for_generation("version", 2);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_module_is_refused_by_name_and_the_old_one_serves_on() {
    let host = host_with_file("");
    for bad in [
        "wrong-import",
        "wrong-world",
        "old-contract",
        "new-contract",
        "arena",
    ] {
        place(bad, &host.dir().join("policy.wasm"));
        let (code, body) = host.admin.post("/v1/policies/version/reload", "");
        assert_eq!(code, 422, "{bad}: {body}");
        let error = host.policy("version", "last_error");
        assert!(
            error.as_str().is_some_and(|error| !error.contains('\n')),
            "{bad}: {error}"
        );
        assert_eq!(who_answers(&host).await, FROM_A, "{bad}");
    }
    std::fs::write(host.dir().join("policy.wasm"), b"").expect("the file can be written");
    let (code, body) = host.admin.post("/v1/policies/version/reload", "");
    assert_eq!(code, 422, "{body}");
    assert_eq!(host.policy("version", "generation"), 1);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_brings_the_previous_rule_back_whatever_happened_to_its_file() {
    let host = host_with_file("");
    let (code, body) = host.admin.post("/v1/policies/version/rollback", "");
    assert_eq!(code, 409, "there is nothing to go back to: {body}");
    place("version-b", &host.dir().join("policy.wasm"));
    host.wait_for_generation("version", 2);
    let (code, body) = host.admin.post("/v1/policies/version/rollback", "");
    assert!((200..300).contains(&code), "{code}: {body}");
    assert_eq!(who_answers(&host).await, FROM_A);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn players_play_on_when_the_rules_of_the_game_are_swapped() {
    let dir = TempDir::new().expect("there is room for a directory");
    place("arena", &dir.path().join("rules.wasm"));
    let setup = Setup::new()
        .policy("rtyp", "builtin:rtyp", "")
        .rules(Some("rules.wasm"));
    let host = Usher::start_in(dir, &setup);
    let ada = knock(host.tcp, "ada").await.expect("an answer").accepted();
    let bob = knock(host.tcp, "bob").await.expect("an answer").accepted();
    let (mut ada_plays, mut bob_plays) = (ada.bind().await, bob.bind().await);
    assert_eq!(ada_plays.hear().await, b"+1 bob");
    place("rules-v2", &host.dir().join("rules.wasm"));
    host.wait_for("swapped", |status| {
        status["rules"][0]["generation"] == 2 || status["rules"]["generation"] == 2
    });
    ada_plays.say(b"hello").await;
    // The new rules may have something to say of their own first.
    while !bob_plays.hear().await.ends_with(b"hello") {}
    assert_eq!(host.admin.status()["players"]["connected"], 2);
    ada.leave().await;
    bob.leave().await;
    host.stop();
}

fn serves(status: &Value, version: &str) -> bool {
    let bytes = std::fs::read(module(version)).expect("the module is there");
    status["policies"][0]["sha256"] == sha256(&bytes)
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// 1,000 swaps under a running load of logins: nobody is lost, every answer is wholly of one
/// generation, the audit names it, and memory stays flat.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_swaps_under_load_lose_nobody_and_mix_nothing() {
    const SWAPS: u64 = 1_000;
    // A loaded machine may hold a call up for longer than the default deadline.
    let host = host_with_file("deadline = \"5s\"");
    let (stop, answers) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let callers: Vec<_> = (0..3)
        .map(|caller| {
            let (tcp, stop, answers) = (host.tcp, stop.clone(), answers.clone());
            tokio::spawn(async move {
                let mut heard: HashMap<String, u8> = HashMap::new();
                for number in 0_u64.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // Some ask who decides; the others get in, and leave.
                    if number % 4 == 0 {
                        let name = format!("in{caller}-{number}");
                        knock(tcp, &name)
                            .await
                            .expect("an answer")
                            .accepted()
                            .leave()
                            .await;
                    } else {
                        let name = format!("who{caller}-{number}");
                        let reason = knock(tcp, &name).await.expect("an answer").rejected();
                        heard.insert(name, reason);
                    }
                    answers.fetch_add(1, Ordering::Relaxed);
                }
                heard
            })
        })
        .collect();

    let file = host.dir().join("policy.wasm");
    let mut memory = Vec::new();
    for swap in 1..=SWAPS {
        place(
            if swap % 2 == 1 {
                "version-b"
            } else {
                "version-a"
            },
            &file,
        );
        let (code, body) = host.admin.post("/v1/policies/version/reload", "");
        assert!((200..300).contains(&code), "swap {swap}: {code}: {body}");
        if swap % 100 == 0 {
            memory.push(host.memory());
        }
    }
    stop.store(true, Ordering::Relaxed);
    let mut heard = HashMap::new();
    for caller in callers {
        heard.extend(caller.await.expect("no login was lost"));
    }
    host.assert_empty();

    let generation = host.policy("version", "generation").as_u64();
    assert_eq!(generation, Some(SWAPS + 1), "every swap is a generation");
    let total = answers.load(Ordering::Relaxed);
    assert!(total > SWAPS / 2, "only {total} logins ran meanwhile");
    let audit = host.dir().join("audit.jsonl");
    host.wait_for("written", |_| decisions(&audit).len() as u64 == total);
    assert_one_generation_each(&audit, &heard);

    // The first hundred swaps fill caches and pools.
    let (first, last) = (memory[0], memory[memory.len() - 1]);
    assert!(
        last < first + (24 << 20),
        "memory went from {first} to {last} bytes: {memory:?}"
    );
    println!("{SWAPS} swaps, {total} logins, memory {first} to {last} bytes");
    host.stop();
}

fn assert_one_generation_each(audit: &Path, heard: &HashMap<String, u8>) {
    for decision in decisions(audit) {
        let steps = decision["policies"].as_array().expect("steps are listed");
        assert_eq!(steps.len(), 1, "one policy decided: {decision}");
        assert!(steps[0]["fault"].is_null(), "{decision}");
        let generation = steps[0]["generation"]
            .as_u64()
            .expect("a generation is named");
        let name = decision["name"].as_str().expect("players have names");
        if let Some(reason) = heard.get(name) {
            // Generation 1 is version a, 2 is b, and so on in turn.
            let of_generation = if generation % 2 == 1 { FROM_A } else { FROM_B };
            assert_eq!(*reason, of_generation, "{decision}");
        }
    }
}
