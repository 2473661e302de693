//! Claims of a session: how many are sent, when, and what those who want one are told.

use super::super::endpoint::Call;
use super::stage::{Reply, Script, Stage, found, is_unavailable, ok};
use crate::config::Lifecycle;
use crate::evidence::http::HttpError;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinHandle;
use usher_core::FactAnswer;

const SELF: &str = "self-1790938521881";

fn claim(stage: &Stage) -> JoinHandle<FactAnswer> {
    let sdk = stage.sdk.clone();
    tokio::spawn(async move { sdk.claim_session().await })
}

fn claims(stage: &Stage) -> Vec<u64> {
    stage.script.times("allocate")
}

/// Has the endpoint do what a claim asks for, and answer then.
fn grants(script: &Arc<Script>) {
    let shows = script.clone();
    script.answer(move |call, _| {
        if let Call::Allocate = call {
            let shows = shows.clone();
            tokio::spawn(async move { shows.show("Allocated", SELF) });
        }
        ok().after(1)
    });
}

fn claimed() -> Value {
    json!({"outcome": "claimed"})
}

#[tokio::test(start_paused = true)]
async fn a_claim_is_one_call_and_done_once_the_game_server_shows_it() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| ok().after(10));
    let claim = claim(&stage);
    stage.at(1_500).await;
    assert!(!claim.is_finished());
    stage.show("Allocated", SELF).await;
    assert_eq!(found(&claim.await.unwrap()), Some(claimed()));
    assert_eq!(
        (stage.script.writes(), stage.now()),
        (vec![Call::Allocate], 1_500)
    );
    assert!(stage.sdk.status().allocation.unwrap().claimed);
}

#[tokio::test(start_paused = true)]
async fn a_view_that_comes_before_the_answer_counts() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| ok().after(400));
    let claim = claim(&stage);
    stage.at(100).await;
    stage.show("Allocated", SELF).await;
    // Also where a match has replaced it by then.
    stage.show("Allocated", "match-1").await;
    assert_eq!(found(&claim.await.unwrap()), Some(claimed()));
    assert_eq!(stage.now(), 400);
}

#[tokio::test(start_paused = true)]
async fn all_who_want_one_at_once_share_a_claim() {
    let stage = Stage::new("Ready", "").await;
    grants(&stage.script);
    let wanted: Vec<_> = (0..50).map(|_| claim(&stage)).collect();
    for claim in wanted {
        assert_eq!(found(&claim.await.unwrap()), Some(claimed()));
    }
    assert_eq!(claims(&stage), [0]);
    // And who comes later finds it.
    assert_eq!(found(&claim(&stage).await.unwrap()), Some(claimed()));
    assert_eq!(claims(&stage), [0]);
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_leaves_the_claim_to_the_others() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| ok().after(500));
    let (first, second) = (claim(&stage), claim(&stage));
    stage.at(100).await;
    first.abort();
    stage.at(700).await;
    stage.show("Allocated", SELF).await;
    assert_eq!(found(&second.await.unwrap()), Some(claimed()));
    assert_eq!(claims(&stage), [0]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_while_there_is_an_allocation() {
    let stage = Stage::new("Allocated", "match-1").await;
    let told = found(&claim(&stage).await.unwrap()).unwrap();
    assert_eq!(told["outcome"], "allocated");
    assert_eq!(
        Some(&told["current"]),
        stage.allocation().map(|it| it["current"].clone()).as_ref()
    );
    assert_eq!(told["current"]["id"], "match-1");
    // One that the game claimed on its own is as good as ours, and stays the game's.
    stage.show("Allocated", SELF).await;
    assert_eq!(found(&claim(&stage).await.unwrap()), Some(claimed()));
    assert!(!stage.sdk.status().allocation.unwrap().claimed);
    // Agones says that there is one and not which.
    stage.show("Allocated", "").await;
    assert!(is_unavailable(&claim(&stage).await.unwrap()));
    stage.show("Shutdown", "").await;
    assert!(is_unavailable(&claim(&stage).await.unwrap()));
    assert_eq!((stage.script.writes(), stage.now()), (vec![], 0));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_while_nobody_knows_of_an_allocation() {
    let stage = Stage::starting(Lifecycle::Game);
    let early = claim(&stage);
    assert!(is_unavailable(&early.await.unwrap()));
    assert_eq!(stage.now(), 2_000);
    let stage = Stage::new("Ready", "").await;
    stage.script.hang_up(Ok(200));
    stage.settle().await;
    let meanwhile = claim(&stage);
    stage.at(900).await;
    assert_eq!(claims(&stage), [0; 0]);
    grants(&stage.script);
    assert_eq!(found(&meanwhile.await.unwrap()), Some(claimed()));
    assert_eq!(claims(&stage), [1000]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_claim_may_be_sent_again_at_once() {
    for status in [400, 404, 409, 500, 501, 503, 302] {
        let stage = Stage::new("Ready", "").await;
        stage
            .script
            .answer(move |_, _| Reply::Status(status, "{}".to_owned()));
        assert!(is_unavailable(&claim(&stage).await.unwrap()));
        assert!(is_unavailable(&claim(&stage).await.unwrap()));
        assert_eq!((claims(&stage), stage.now()), (vec![0, 0], 0));
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_nothing_is_sent_for_ten_seconds() {
    let stage = Stage::new("Ready", "").await;
    stage
        .script
        .answer(|_, _| Reply::Error(HttpError::Broken).after(100));
    assert!(is_unavailable(&claim(&stage).await.unwrap()));
    // It waited for the session all the same.
    assert_eq!(stage.now(), 2_100);
    let held_back = claim(&stage);
    assert!(is_unavailable(&held_back.await.unwrap()));
    assert_eq!((claims(&stage), stage.now()), (vec![0], 4_100));
    stage.at(10_099).await;
    let held_back = claim(&stage);
    stage.settle().await;
    assert_eq!(claims(&stage), [0]);
    stage.at(10_100).await;
    grants(&stage.script);
    assert_eq!(found(&claim(&stage).await.unwrap()), Some(claimed()));
    assert_eq!(claims(&stage), [0, 10_100]);
    assert_eq!(found(&held_back.await.unwrap()), Some(claimed()));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_is_not_shown_in_time_holds_back_the_next() {
    let stage = Stage::new("Ready", "").await;
    assert!(is_unavailable(&claim(&stage).await.unwrap()));
    assert_eq!(stage.now(), 2_000);
    assert!(is_unavailable(&claim(&stage).await.unwrap()));
    assert_eq!((claims(&stage), stage.now()), (vec![0], 4_000));
    stage.at(12_000).await;
    let next = claim(&stage);
    stage.settle().await;
    assert_eq!(claims(&stage), [0, 12_000]);
    next.abort();
}

#[tokio::test(start_paused = true)]
async fn who_is_held_back_goes_by_what_the_game_server_shows_then() {
    for (id, outcome) in [(SELF, "claimed"), ("match-1", "allocated")] {
        let stage = Stage::new("Ready", "").await;
        stage
            .script
            .answer(|_, _| Reply::Error(HttpError::TimedOut));
        assert!(is_unavailable(&claim(&stage).await.unwrap()));
        let held_back = claim(&stage);
        stage.at(3_000).await;
        stage.show("Allocated", id).await;
        assert_eq!(
            found(&held_back.await.unwrap()).unwrap()["outcome"],
            outcome
        );
        // Any allocation ends the hold-back, for when it is gone.
        stage.show("Ready", "").await;
        stage.script.answer(|_, _| ok());
        let next = claim(&stage);
        stage.settle().await;
        assert_eq!(claims(&stage), [0, 3_000]);
        next.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_that_lands_while_the_claim_is_under_way_is_not_what_was_claimed() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| ok().after(300));
    let first = claim(&stage);
    stage.at(100).await;
    stage.show("Allocated", "match-1").await;
    // Who comes now finds the match.
    let second = claim(&stage);
    assert_eq!(
        found(&second.await.unwrap()).unwrap()["outcome"],
        "allocated"
    );
    assert!(is_unavailable(&first.await.unwrap()));
    assert_eq!((claims(&stage), stage.now()), (vec![0], 2_300));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_being_ended_is_not_given_to_the_next_player() {
    let stage = Stage::new("Ready", "").await;
    grants(&stage.script);
    claim(&stage).await.unwrap();
    stage.players.send_replace(1);
    stage.at(10).await;
    stage.script.answer(|_, _| ok().after(200));
    stage.players.send_replace(0);
    stage.at(100).await;
    assert_eq!(stage.allocation().unwrap()["current"], Value::Null);
    let next = claim(&stage);
    stage.at(150).await;
    assert_eq!(claims(&stage), [0]);
    stage.show("Ready", "").await;
    stage.at(160).await;
    assert_eq!(claims(&stage), [0, 150]);
    stage.show("Allocated", "self-2").await;
    assert_eq!(found(&next.await.unwrap()), Some(claimed()));
}
