//! Players at the door, from the first byte to the last.

use std::time::Duration;
use tokio::time::timeout;
use usher_tests::{Answer, Player, Setup, Usher, decisions, knock, module};

/// The protocol's bytes for why not.
const SERVER_FULL: u8 = 1;
const NAME_TAKEN: u8 = 4;
const GAME_STARTED: u8 = 5;

fn rtyp() -> Setup {
    Setup::new().policy("rtyp", "builtin:rtyp", "")
}

async fn join(host: &Usher, name: &str) -> Player {
    knock(host.tcp, name)
        .await
        .expect("the host answers")
        .accepted()
}

async fn refused(host: &Usher, name: &str) -> u8 {
    knock(host.tcp, name)
        .await
        .expect("the host answers")
        .rejected()
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_for_four_seats_end_as_four_in_and_forty_six_told() {
    let host = Usher::start(&rtyp().limit("max-pending", "60"));
    let knocks: Vec<_> = (0..50)
        .map(|number| {
            let tcp = host.tcp;
            tokio::spawn(async move { knock(tcp, &format!("p{number}")).await })
        })
        .collect();
    let (mut players, mut told) = (Vec::new(), 0);
    for knock in knocks {
        match knock.await.expect("no panic").expect("an answer") {
            Answer::Accepted(player) => players.push(player),
            Answer::Rejected(reason) => {
                assert_eq!(reason, SERVER_FULL);
                told += 1;
            }
        }
    }
    let mut numbers: Vec<_> = players.iter().map(|player| player.number).collect();
    numbers.sort_unstable();
    assert_eq!((numbers.as_slice(), told), ([0, 1, 2, 3].as_slice(), 46));
    assert_eq!(host.admin.status()["players"]["connected"], 4);
    for player in players {
        player.leave().await;
    }
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_left_players_number_and_name_are_free_again() {
    let host = Usher::start(&rtyp());
    let (ada, bob) = (join(&host, "ada").await, join(&host, "bob").await);
    assert_eq!((ada.number, bob.number), (0, 1));
    assert_eq!(refused(&host, "ada").await, NAME_TAKEN);
    ada.leave().await;
    let again = join(&host, "ada").await;
    assert_eq!(again.number, 0);
    again.leave().await;
    bob.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn players_hear_each_other_and_a_started_game_takes_nobody() {
    let host = Usher::start(&rtyp());
    let (ada, bob) = (join(&host, "ada").await, join(&host, "bob").await);
    let (mut ada_plays, mut bob_plays) = (ada.bind().await, bob.bind().await);
    // Whoever was bound first has heard of the other.
    assert_eq!(ada_plays.hear().await, b"+1 bob");
    ada_plays.say(b"hello").await;
    assert_eq!(bob_plays.hear().await, b"0:hello");
    bob_plays.say(b"start").await;
    assert_eq!(ada_plays.hear().await, b"!started");
    assert_eq!(refused(&host, "cy").await, GAME_STARTED);
    bob.leave().await;
    assert_eq!(ada_plays.hear().await, b"-1");
    ada.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sends_a_player_away_by_the_sessions_number() {
    let host = Usher::start(&rtyp());
    let ada = join(&host, "ada").await;
    let status = host.admin.status();
    let id = status["sessions"][0]["id"]
        .as_u64()
        .expect("the session has a number");
    let (code, body) = host.admin.post(&format!("/v1/sessions/{id}/kick"), "");
    assert!((200..300).contains(&code), "{code}: {body}");
    assert_eq!(ada.ended().await, 1, "Shutdown");
    let (code, _) = host.admin.post(&format!("/v1/sessions/{id}/kick"), "");
    assert_eq!(code, 404, "nobody has that number any more, or ever again");
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_gets_in_when_a_seat_is_free_in_the_order_of_arrival() {
    let setup = Setup::new()
        .policy("queue", "builtin:queue", "")
        .limit("max-players", "1");
    let host = Usher::start(&setup);
    let first = join(&host, "first").await;
    let mut waiting = Vec::new();
    for (number, name) in ["second", "third"].into_iter().enumerate() {
        let tcp = host.tcp;
        waiting.push(tokio::spawn(async move { knock(tcp, name).await }));
        host.wait_for("waiting", |status| {
            status["pending"]["waiting"] == number + 1
        });
    }
    first.leave().await;
    let second = waiting
        .remove(0)
        .await
        .expect("no panic")
        .expect("an answer")
        .accepted();
    assert_eq!(host.admin.status()["pending"]["waiting"], 1);
    second.leave().await;
    let third = waiting
        .remove(0)
        .await
        .expect("no panic")
        .expect("an answer")
        .accepted();
    third.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_and_hangs_up_leaves_nothing_behind() {
    let setup = Setup::new()
        .policy("queue", "builtin:queue", "")
        .limit("max-players", "1")
        .limit("queue-grace", "\"1s\"");
    let host = Usher::start(&setup);
    let first = join(&host, "first").await;
    let tcp = host.tcp;
    let waiting = tokio::spawn(async move { knock(tcp, "second").await });
    host.wait_for("waiting", |status| status["pending"]["waiting"] == 1);
    waiting.abort();
    host.wait_for("abandoned", |status| {
        status["requests"].as_array().is_some_and(Vec::is_empty)
    });
    first.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_ends_when_the_silent_door_can_hold_it_no_longer() {
    let setup = Setup::new()
        .policy("queue", "builtin:queue", "")
        .limit("max-players", "1")
        .limit("queue-max-wait", "\"1s\"");
    let host = Usher::start(&setup);
    let first = join(&host, "first").await;
    assert_eq!(refused(&host, "second").await, SERVER_FULL);
    first.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_pool_is_told_at_once_and_the_players_do_not_count_in_it() {
    let setup = Setup::new()
        .policy("queue", "builtin:queue", "")
        .limit("max-players", "1")
        .limit("max-pending", "2")
        .limit("queue-grace", "\"0s\"");
    let host = Usher::start(&setup);
    let first = join(&host, "first").await;
    let waiting: Vec<_> = (0..2)
        .map(|number| {
            let tcp = host.tcp;
            tokio::spawn(async move { knock(tcp, &format!("w{number}")).await })
        })
        .collect();
    host.wait_for("full", |status| status["pending"]["total"] == 2);
    let third = timeout(Duration::from_secs(5), refused(&host, "third")).await;
    assert_eq!(third, Ok(SERVER_FULL));
    let counted = r#"usher_knocks_refused_total{door="main",reason="pool-full"}"#;
    host.wait_for("counted", |_| host.admin.metric(counted) == Some(1.0));
    assert_eq!(host.admin.status()["players"]["connected"], 1);
    for waiting in waiting {
        waiting.abort();
    }
    first.leave().await;
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopping_host_tells_those_who_wait_and_those_who_play() {
    let setup = Setup::new()
        .policy("queue", "builtin:queue", "")
        .limit("max-players", "1");
    let mut host = Usher::start(&setup);
    let first = join(&host, "first").await;
    let tcp = host.tcp;
    let waiting = tokio::spawn(async move { knock(tcp, "second").await });
    host.wait_for("waiting", |status| status["pending"]["waiting"] == 1);
    host.signal("-TERM");
    assert_eq!(first.ended().await, 1, "Shutdown");
    let second = waiting.await.expect("no panic").expect("an answer");
    assert_eq!(second.rejected(), SERVER_FULL);
    assert_eq!(host.wait_for_exit(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_asks_gets_an_answer_and_decides_by_it() {
    let setup = Setup::new().policy("asker", module("asker"), "");
    let host = Usher::start(&setup);
    // No source of evidence is configured, and the policy refuses when it cannot find out.
    let answer = knock(host.tcp, "ada").await.expect("the host answers");
    if let Answer::Accepted(player) = answer {
        player.leave().await;
    }
    let audit = host.dir().join("audit.jsonl");
    host.wait_for("written", |_| decisions(&audit).len() == 1);
    let steps = decisions(&audit)[0]["policies"]
        .as_array()
        .expect("the steps are listed")
        .clone();
    let why: Vec<_> = steps
        .iter()
        .map(|step| step["why"].as_str().unwrap_or(""))
        .collect();
    assert_eq!(why, ["first", "evidence"], "{steps:?}");
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_decision_is_explained_in_the_audit() {
    let setup = Setup::new()
        .policy("open", "builtin:open", "")
        .policy("rtyp", "builtin:rtyp", "")
        .limit("max-players", "1");
    let host = Usher::start(&setup);
    let ada = join(&host, "ada").await;
    assert_eq!(refused(&host, "bob").await, SERVER_FULL);
    ada.leave().await;
    let audit = host.dir().join("audit.jsonl");
    host.wait_for("written", |_| decisions(&audit).len() == 2);
    let (ada, bob) = (&decisions(&audit)[0], &decisions(&audit)[1]);
    assert_eq!(
        (&ada["name"], &ada["outcome"]),
        (&"ada".into(), &"accepted".into())
    );
    assert_eq!(ada["policies"][0]["policy"], "open");
    assert_eq!(ada["policies"][0]["generation"], 1);
    assert_eq!(
        (&bob["outcome"], &bob["reason"]["code"]),
        (&"rejected".into(), &"server-full".into())
    );
    assert!(
        bob["address"]
            .as_str()
            .is_some_and(|address| address.starts_with("127.0.0.1:"))
    );
    assert!(bob["policies"][0]["micros"].is_u64() && bob["waited_ms"].is_u64());
    host.stop();
}
