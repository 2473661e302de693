//! The end of sessions: which ones this host ends, when, and that it says so until it is shown.

use super::super::endpoint::Call;
use super::stage::{Reply, Script, Stage, found, is_unavailable, ok};
use crate::config::Lifecycle;
use crate::evidence::http::HttpError;
use std::sync::Arc;
use usher_core::FactAnswer;

const SELF: &str = "self-1790938521881";

/// An endpoint that claims and ends sessions as it is told.
fn obeys(script: &Arc<Script>) {
    let shows = script.clone();
    script.answer(move |call, _| {
        let to = match call {
            Call::Allocate => ("Allocated", SELF),
            Call::Ended(_) | Call::Ready => ("Ready", ""),
            _ => return ok(),
        };
        let shows = shows.clone();
        tokio::spawn(async move { shows.show(to.0, to.1) });
        ok()
    });
}

async fn claimed() -> Stage {
    let stage = Stage::new("Ready", "").await;
    obeys(&stage.script);
    assert!(found(&stage.sdk.claim_session().await).is_some());
    stage
}

fn ended() -> Call {
    Call::Ended(SELF.into())
}

#[tokio::test(start_paused = true)]
async fn a_claimed_session_ends_when_the_last_player_leaves() {
    let stage = claimed().await;
    for (at, players) in [(100, 1), (20_000, 2), (90_000, 1)] {
        stage.at(at).await;
        stage.players.send_replace(players);
    }
    stage.at(200_000).await;
    assert_eq!(stage.script.writes(), [Call::Allocate]);
    stage.players.send_replace(0);
    stage.settle().await;
    assert_eq!(stage.script.writes(), [Call::Allocate, ended()]);
    assert_eq!(stage.state(), "ready");
    stage.at(400_000).await;
    assert_eq!(stage.script.writes().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_claimed_session_that_nobody_comes_to_ends_after_the_lobby() {
    let stage = claimed().await;
    stage.at(29_999).await;
    assert_eq!(stage.script.writes(), [Call::Allocate]);
    stage.at(30_000).await;
    assert_eq!(stage.script.writes(), [Call::Allocate, ended()]);
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_is_given_back_ends_the_session_at_once() {
    let stage = claimed().await;
    stage.at(1_000).await;
    stage.sdk.release_claim();
    stage.settle().await;
    assert_eq!(stage.script.writes(), [Call::Allocate, ended()]);
    assert_eq!(stage.now(), 1_000);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_another_has_a_claim_to_is_left_to_it() {
    let stage = claimed().await;
    assert!(found(&stage.sdk.claim_session().await).is_some());
    stage.sdk.release_claim();
    stage.at(500).await;
    stage.players.send_replace(1);
    stage.at(60_000).await;
    assert_eq!(stage.script.writes(), [Call::Allocate]);
    stage.players.send_replace(0);
    stage.settle().await;
    assert_eq!(stage.script.writes(), [Call::Allocate, ended()]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_comes_after_the_refusal_is_ended_too() {
    let stage = Stage::new("Ready", "").await;
    stage
        .script
        .answer(|_, _| Reply::Error(HttpError::TimedOut));
    assert!(is_unavailable(&stage.sdk.claim_session().await));
    obeys(&stage.script);
    stage.at(100_000).await;
    stage.show("Allocated", SELF).await;
    stage.at(129_999).await;
    assert_eq!(stage.script.writes(), [Call::Allocate]);
    stage.at(130_000).await;
    assert_eq!(stage.script.writes(), [Call::Allocate, ended()]);

    // Of a claim that nobody heard comes none: this one is the game's.
    let stage = Stage::new("Ready", "").await;
    stage
        .script
        .answer(|_, _| Reply::Error(HttpError::Unreachable));
    assert!(is_unavailable(&stage.sdk.claim_session().await));
    stage.show("Allocated", SELF).await;
    stage.at(100_000).await;
    assert_eq!(stage.script.writes(), [Call::Allocate]);
}

#[tokio::test(start_paused = true)]
async fn the_end_is_told_again_until_it_is_shown() {
    let stage = claimed().await;
    stage.at(100).await;
    stage.script.answer(|call, number| match (call, number) {
        (Call::Ended(_), 0) => Reply::Error(HttpError::Unreachable),
        (Call::Ended(_), 1) => Reply::Status(500, String::new()),
        // Heard, and not shown.
        _ => ok(),
    });
    stage.at(30_000).await;
    obeys_later(&stage, 60_000).await;
    let times = stage.script.times("ended");
    assert_eq!(
        times,
        [30_000, 31_000, 33_000, 37_000, 45_000, 55_000, 65_000]
    );
    stage.at(300_000).await;
    assert_eq!(stage.script.times("ended").len(), times.len());
}

async fn obeys_later(stage: &Stage, millis: u64) {
    stage.at(millis).await;
    obeys(&stage.script);
    stage.at(millis + 10_000).await;
}

#[tokio::test(start_paused = true)]
async fn a_match_is_not_this_hosts_to_end_nor_a_session_that_the_game_claimed() {
    let stage = Stage::new("Allocated", "match-1").await;
    obeys(&stage.script);
    stage.players.send_replace(2);
    stage.settle().await;
    stage.players.send_replace(0);
    stage.at(600_000).await;
    stage.show("Allocated", SELF).await;
    stage.players.send_replace(1);
    stage.settle().await;
    stage.players.send_replace(0);
    stage.at(1_200_000).await;
    assert_eq!(stage.script.writes(), []);
}

#[tokio::test(start_paused = true)]
async fn a_match_that_replaces_a_claimed_session_is_left_alone() {
    let stage = claimed().await;
    stage.players.send_replace(1);
    stage.show("Allocated", "match-1").await;
    stage.players.send_replace(0);
    stage.at(600_000).await;
    assert_eq!(stage.script.writes(), [Call::Allocate]);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_stops_ends_what_it_claimed_and_claims_nothing_more() {
    let stage = claimed().await;
    stage.players.send_replace(1);
    stage.settle().await;
    stage.sdk.stop().await;
    assert_eq!(stage.script.writes(), [Call::Allocate, ended()]);
    assert!(matches!(
        stage.sdk.claim_session().await,
        FactAnswer::Unavailable(_)
    ));
    assert_eq!(stage.state(), "stopping");
    // An endpoint that hangs does not keep it from stopping.
    let stage = claimed().await;
    stage.script.answer(|_, _| Reply::Never);
    stage.sdk.stop().await;
    assert!(stage.now() <= 4_000, "{}", stage.now());
}

#[tokio::test(start_paused = true)]
async fn a_host_that_stops_waits_for_the_claim_that_is_under_way() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| ok().after(1_000));
    let sdk = stage.sdk.clone();
    let claim = tokio::spawn(async move { sdk.claim_session().await });
    stage.at(100).await;
    let sdk = stage.sdk.clone();
    let stop = tokio::spawn(async move { sdk.stop().await });
    stage.at(500).await;
    stage.show("Allocated", SELF).await;
    stop.await.unwrap();
    assert_eq!(stage.script.writes(), [Call::Allocate, ended()]);
    claim.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn where_the_lifecycle_is_ours_every_session_ends_some_time() {
    let stage = Stage::with(Lifecycle::Usher, "Allocated", "match-1").await;
    obeys(&stage.script);
    let ends = || stage.script.times("ended");
    stage.players.send_replace(2);
    stage.at(10_000).await;
    stage.players.send_replace(0);
    stage.at(20_000).await;
    // Someone lost the connection and comes back.
    stage.players.send_replace(1);
    stage.at(60_000).await;
    stage.players.send_replace(0);
    stage.at(100_000).await;
    assert_eq!(ends(), [90_000]);
    // One that nobody ever comes to.
    stage.show("Allocated", "match-2").await;
    stage.at(500_000).await;
    assert_eq!(ends(), [90_000, 400_000]);
    // Agones' own endpoint has no ids: there, saying that players may come ends it.
    stage.show("Allocated", "").await;
    stage.at(900_000).await;
    assert_eq!(stage.script.times("ready"), [800_000]);
    assert_eq!(ends().len(), 2);
}
