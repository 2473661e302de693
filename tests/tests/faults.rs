//! A policy that fails costs the request that it was deciding, and nothing else.

use std::time::{Duration, Instant};
use usher_tests::{Answer, Setup, Usher, decisions, knock, module};

const SERVER_FULL: u8 = 1;

fn host(lines: &str) -> Usher {
    // Loops end there, and there are many.
    let lines = format!("deadline = \"20ms\"\n{lines}");
    let setup = Setup::new().policy("faulty", module("faulty"), &lines);
    Usher::start(
        &setup
            .limit("max-pending", "300")
            .limit("max-players", "200"),
    )
}

/// One of a hundred names makes the policy panic, another makes it loop: the other 98 are served as if
/// nothing had happened.
#[tokio::test(flavor = "multi_thread")]
async fn one_in_fifty_faults_and_the_others_are_served_as_if_nothing_had_happened() {
    const CALLERS: u64 = 4;
    const EACH: u64 = 500;
    let host = host("");
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let tcp = host.tcp;
            tokio::spawn(async move {
                let (mut slowest, mut refused) = (Duration::ZERO, 0);
                for number in 0..EACH {
                    let word = match number % 100 {
                        17 => "panic",
                        67 => "loop",
                        _ => "p",
                    };
                    let name = format!("{word}{caller}-{number}");
                    let start = Instant::now();
                    match knock(tcp, &name).await.expect("everyone gets an answer") {
                        Answer::Accepted(player) => {
                            assert_eq!(word, "p", "{name} was let in");
                            slowest = slowest.max(start.elapsed());
                            player.leave().await;
                        }
                        Answer::Rejected(reason) => {
                            assert_eq!((word == "p", reason), (false, SERVER_FULL), "{name}");
                            refused += 1;
                        }
                    }
                }
                (slowest, refused)
            })
        })
        .collect();
    let (mut slowest, mut refused) = (Duration::ZERO, 0);
    for caller in callers {
        let (time, count) = caller.await.expect("no login was lost");
        slowest = slowest.max(time);
        refused += count;
    }
    assert_eq!(refused, CALLERS * EACH / 50);
    println!("the slowest of the good ones took {slowest:?}");
    let log = host.log();
    assert!(
        log.contains("told to panic by panic"),
        "the panic's message reaches the log"
    );
    assert_eq!(host.policy("faulty", "state"), "ok", "it does not back off");
    host.stop();
}

/// Every way to fail that a name can ask for.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_is_contained_and_costs_its_own_request() {
    let host = host("");
    for word in [
        "panic", "trap", "loophost", "loop", "bomb", "deep", "claims", "list", "long", "big",
        "badutf", "empty", "nocode", "nokey",
    ] {
        let reason = knock(host.tcp, word).await.expect("an answer").rejected();
        assert_eq!(reason, SERVER_FULL, "{word}");
        knock(host.tcp, "ada")
            .await
            .expect("an answer")
            .accepted()
            .leave()
            .await;
    }
    for word in ["spam", "shout", "endpanic"] {
        // These may be let in: what they do costs nobody else anything.
        if let Answer::Accepted(player) = knock(host.tcp, word).await.expect("an answer") {
            player.leave().await;
        }
        knock(host.tcp, "ada")
            .await
            .expect("an answer")
            .accepted()
            .leave()
            .await;
    }
    assert!(host.log().len() < 1 << 20, "the log is bounded");
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_fails_open_counts_as_passed() {
    let host = host("fail = \"open\"");
    knock(host.tcp, "panic")
        .await
        .expect("an answer")
        .accepted()
        .leave()
        .await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_only_fails_backs_off_and_comes_back() {
    let host = host("");
    for number in 0..20 {
        let answer = knock(host.tcp, &format!("trap{number}"))
            .await
            .expect("an answer");
        assert_eq!(answer.rejected(), SERVER_FULL);
    }
    assert_ne!(host.policy("faulty", "state"), "ok");
    let refused = knock(host.tcp, "ada").await.expect("an answer");
    assert_eq!(
        refused.rejected(),
        SERVER_FULL,
        "it is not asked while it backs off"
    );
    host.wait_for("asked again", |_| {
        let runtime = tokio::runtime::Handle::current();
        let tcp = host.tcp;
        let answer = tokio::task::block_in_place(|| runtime.block_on(knock(tcp, "ada")));
        matches!(answer, Ok(Answer::Accepted(_)))
    });
    host.wait_for("well again", |status| {
        status["policies"][0]["state"] == "ok"
    });
    let audit = decisions(&host.dir().join("audit.jsonl"));
    let fault = |fault: &str| {
        audit
            .iter()
            .any(|line| line["policies"][0]["fault"] == fault)
    };
    assert!(
        fault("trap") && fault("backing-off"),
        "the audit tells both apart"
    );
    host.stop();
}
