//! What happens while a session is being ended, and to a claim that is said to have failed.

use super::super::endpoint::Call;
use super::stage::{Reply, Script, Stage, found, is_unavailable, ok};
use crate::config::Lifecycle;
use crate::evidence::http::HttpError;
use serde_json::{Value, json};
use std::sync::Arc;

/// An endpoint that claims sessions, each of its own name, and answers an end so.
fn claims(script: &Arc<Script>, end: impl Fn(usize) -> Reply + Send + 'static) {
    let shows = script.clone();
    script.answer(move |call, number| match call {
        Call::Allocate => {
            let shows = shows.clone();
            tokio::spawn(async move { shows.show("Allocated", &format!("self-{number}")) });
            ok()
        }
        Call::Ended(_) => end(number),
        _ => ok(),
    });
}

/// A session that was claimed, and whose last player has just left.
async fn left(end: impl Fn(usize) -> Reply + Send + 'static) -> Stage {
    let stage = Stage::new("Ready", "").await;
    claims(&stage.script, end);
    assert!(found(&stage.sdk.claim_session().await).is_some());
    stage.players.send_replace(1);
    stage.settle().await;
    stage.players.send_replace(0);
    stage.settle().await;
    assert_eq!(stage.script.times("ended"), [0]);
    stage
}

fn current(stage: &Stage) -> Value {
    stage.allocation().unwrap()["current"]["id"].clone()
}

fn ended(number: usize) -> Call {
    Call::Ended(format!("self-{number}").into())
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_being_ended_is_none_to_join_until_the_end_is_refused() {
    let refused = || Reply::Status(500, String::new()).after(3_000);
    let stage = left(move |_| refused()).await;
    stage.at(2_999).await;
    assert_eq!(current(&stage), Value::Null);
    stage.at(3_000).await;
    assert_eq!(current(&stage), json!("self-0"));
    stage.players.send_replace(1);
    stage.at(60_000).await;
    assert_eq!(stage.script.times("ended"), [0], "someone plays in it");
}

#[tokio::test(start_paused = true)]
async fn a_match_that_is_being_ended_is_none_to_join_either() {
    let stage = Stage::with(Lifecycle::Usher, "Allocated", "match-1").await;
    stage.script.answer(|_, _| ok().after(3_000));
    stage.at(299_999).await;
    assert_eq!(current(&stage), json!("match-1"));
    stage.at(300_100).await;
    assert_eq!(current(&stage), Value::Null);
    // Nor is it one for who holds a reservation.
    let sdk = stage.sdk.clone();
    let claim = tokio::spawn(async move { sdk.claim_session().await });
    stage.at(300_200).await;
    assert_eq!(stage.script.times("allocate"), [0; 0]);
    stage.show("Ready", "").await;
    assert_eq!(stage.script.times("allocate"), [300_200]);
    claim.abort();
}

/// It asked before the end began, and got in after.
#[tokio::test(start_paused = true)]
async fn who_is_let_in_while_a_session_ends_has_another_claimed() {
    for shown_first in [false, true] {
        let stage = left(|_| ok().after(1_000)).await;
        let (seated_at, shown_at) = if shown_first { (900, 500) } else { (500, 900) };
        for at in [500, 900] {
            stage.at(at).await;
            if at == seated_at {
                stage.players.send_replace(1);
            }
            if at == shown_at {
                stage.show("Ready", "").await;
            }
        }
        // As soon as the end was answered.
        stage.at(1_000).await;
        let writes = [Call::Allocate, ended(0), Call::Allocate];
        assert_eq!(stage.script.writes(), writes);
        assert_eq!(current(&stage), json!("self-1"));
        assert!(stage.sdk.status().allocation.unwrap().claimed);
        stage.at(600_000).await;
        assert_eq!(stage.script.writes().len(), 3);
        // It is over with its last player, as any that was claimed.
        stage.players.send_replace(0);
        stage.settle().await;
        assert_eq!(stage.script.writes().last(), Some(&ended(1)));
    }
}

#[tokio::test(start_paused = true)]
async fn an_end_of_which_nothing_was_heard_is_carried_through_though_someone_came_in() {
    let lost = |number| match number {
        0 => Reply::Error(HttpError::Broken).after(100),
        _ => ok(),
    };
    let stage = left(lost).await;
    stage.at(50).await;
    stage.players.send_replace(1);
    stage.at(1_500).await;
    assert_eq!(stage.script.times("ended"), [0, 1_100]);
    assert_eq!(current(&stage), Value::Null);
    stage.show("Ready", "").await;
    assert_eq!(current(&stage), json!("self-1"));
    assert_eq!(stage.script.times("ended").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_session_for_who_is_in_none_is_claimed_again_until_there_is_one_or_nobody() {
    let stage = left(|_| ok()).await;
    stage.show("Ready", "").await;
    stage
        .script
        .answer(|_, _| Reply::Status(503, String::new()));
    stage.at(1_000).await;
    stage.players.send_replace(1);
    stage.at(20_000).await;
    let times = stage.script.times("allocate");
    assert_eq!(times, [0, 1_000, 2_000, 4_000, 8_000, 16_000]);
    stage.players.send_replace(0);
    stage.at(100_000).await;
    assert_eq!(stage.script.times("allocate").len(), times.len());
    // Nobody who comes now knows the session that was.
    stage.players.send_replace(1);
    stage.at(200_000).await;
    assert_eq!(stage.script.times("allocate").len(), times.len());
}

#[tokio::test(start_paused = true)]
async fn a_session_of_a_claim_that_was_refused_is_ended_when_it_comes_all_the_same() {
    for status in [302, 400, 409, 429, 500, 503, 504] {
        let stage = Stage::new("Ready", "").await;
        stage
            .script
            .answer(move |_, _| Reply::Status(status, String::new()));
        assert!(is_unavailable(&stage.sdk.claim_session().await));
        stage.at(150).await;
        stage.show("Allocated", "self-0").await;
        assert!(stage.sdk.status().allocation.unwrap().claimed);
        stage.at(30_149).await;
        assert_eq!(stage.script.writes(), [Call::Allocate]);
        stage.at(30_150).await;
        assert_eq!(stage.script.writes(), [Call::Allocate, ended(0)]);
    }
    // Before the answer, too.
    let stage = Stage::new("Ready", "").await;
    let refused = || Reply::Status(500, String::new()).after(100);
    stage.script.answer(move |_, _| refused());
    let sdk = stage.sdk.clone();
    let claim = tokio::spawn(async move { sdk.claim_session().await });
    stage.at(50).await;
    stage.show("Allocated", "self-0").await;
    assert!(is_unavailable(&claim.await.unwrap()));
    stage.sdk.stop().await;
    assert_eq!(stage.script.writes(), [Call::Allocate, ended(0)]);
}

#[tokio::test(start_paused = true)]
async fn where_there_is_no_such_call_no_session_comes_of_a_claim() {
    for status in [404, 501] {
        let stage = Stage::new("Ready", "").await;
        stage
            .script
            .answer(move |_, _| Reply::Status(status, String::new()));
        assert!(is_unavailable(&stage.sdk.claim_session().await));
        stage.show("Allocated", "self-0").await;
        stage.at(100_000).await;
        stage.sdk.stop().await;
        assert_eq!(stage.script.writes(), [Call::Allocate]);
    }
}
