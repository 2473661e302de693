//! How often a hold is looked for, when, and for how long.

use super::stage::{NOW, Reply, Script, Stage, found, is_unavailable};
use crate::evidence::http::HttpError;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use usher_core::{FactAnswer, Secret, Wanted};

fn unknown() -> Reply {
    Reply::Status(404, r#"{"message":"reservation not found"}"#.to_owned())
}

fn hold(expires_at: u64) -> Reply {
    let hold = json!({
        "reservationId": "rsv_a1", "serverId": "4211", "seats": 2, "playerIds": null, "context": null,
        "expiresAt": expires_at, "ownerKind": "player", "ownerPlayerId": "p-alice",
    });
    Reply::Status(200, hold.to_string())
}

fn id() -> Secret {
    Secret::new("rsv_a1")
}

async fn look_up(stage: &Stage) -> FactAnswer {
    stage.sdk.hold(&id(), &Wanted::default()).await
}

fn looks(script: &Arc<Script>) -> Vec<u64> {
    script.times("hold")
}

#[tokio::test(start_paused = true)]
async fn a_hold_that_is_there_takes_one_look() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| hold(NOW + 1));
    let told = found(&look_up(&stage).await).unwrap();
    assert_eq!(
        (&told["seats"], &told["ownerKind"]),
        (&json!(2), &json!("player"))
    );
    assert_eq!((looks(&stage.script), stage.now()), (vec![0], 0));
}

#[tokio::test(start_paused = true)]
async fn a_hold_that_never_arrives_takes_nine_looks_the_last_at_the_end() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| unknown());
    assert_eq!(look_up(&stage).await, FactAnswer::Missing);
    let nine: Vec<_> = (0..9).map(|look| look * 250).collect();
    assert_eq!((looks(&stage.script), stage.now()), (nine, 2000));
}

#[tokio::test(start_paused = true)]
async fn slow_answers_move_the_looks_between_but_not_the_last() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| unknown().after(300));
    assert_eq!(look_up(&stage).await, FactAnswer::Missing);
    assert_eq!(looks(&stage.script), [0, 550, 1100, 1650, 2000]);
    assert_eq!(stage.now(), 2300);
}

#[tokio::test(start_paused = true)]
async fn a_first_look_beyond_the_end_is_followed_by_one_more() {
    for (slow, second) in [(1900, 2000), (2000, 2000), (2500, 2500)] {
        let stage = Stage::new("Ready", "").await;
        stage.script.answer(move |_, number| match number {
            0 => unknown().after(slow),
            _ => hold(NOW + 1),
        });
        assert!(found(&look_up(&stage).await).is_some());
        assert_eq!(looks(&stage.script), [0, second]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hold_that_arrives_in_time_is_found() {
    for arrives in [1, 8] {
        let stage = Stage::new("Ready", "").await;
        stage
            .script
            .answer(move |_, number| match number < arrives {
                true => unknown(),
                false => hold(NOW + 60_000),
            });
        assert!(found(&look_up(&stage).await).is_some());
        assert_eq!(looks(&stage.script).len(), arrives + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn only_a_hold_that_is_not_there_is_looked_for_again() {
    for (reply, missing) in [
        (hold(NOW), true),
        (Reply::Status(404, "<html>".to_owned()), false),
        (
            Reply::Status(404, r#"{"message":"Not Found"}"#.to_owned()),
            false,
        ),
        (
            Reply::Status(501, r#"{"error":"not_implemented"}"#.to_owned()),
            false,
        ),
        (Reply::Status(500, String::new()), false),
        (Reply::Status(200, "{}".to_owned()), false),
        (Reply::Error(HttpError::Unreachable), false),
        (Reply::Error(HttpError::TooLong), false),
        (Reply::Never, false),
    ] {
        let stage = Stage::new("Ready", "").await;
        let mut reply = Some(reply);
        stage.script.answer(move |_, _| reply.take().unwrap());
        let answer = look_up(&stage).await;
        assert_eq!(answer == FactAnswer::Missing, missing);
        assert_eq!(is_unavailable(&answer), !missing);
        assert_eq!(stage.sdk.status().last_error.is_some(), !missing);
        assert_eq!(looks(&stage.script), [0]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_goes_away_meanwhile_is_no_refusal() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, number| match number < 3 {
        true => unknown(),
        false => Reply::Error(HttpError::Broken),
    });
    assert!(is_unavailable(&look_up(&stage).await));
    assert_eq!((looks(&stage.script).len(), stage.now()), (4, 750));
}

#[tokio::test(start_paused = true)]
async fn nobody_looks_on_for_a_request_that_is_over() {
    let stage = Stage::new("Ready", "").await;
    stage.script.answer(|_, _| unknown());
    let life = Arc::new(());
    let wanted = Wanted::with(&life);
    let looking = {
        let sdk = stage.sdk.clone();
        tokio::spawn(async move { sdk.hold(&id(), &wanted).await })
    };
    stage.at(600).await;
    drop(life);
    assert!(is_unavailable(&looking.await.unwrap()));
    assert_eq!((looks(&stage.script).len(), stage.now()), (3, 750));
    // Nor for one that was dropped.
    let never = timeout(Duration::from_millis(300), look_up(&stage));
    assert!(never.await.is_err());
    let before = looks(&stage.script).len();
    stage.at(10_000).await;
    assert_eq!(looks(&stage.script).len(), before);
}

#[tokio::test(start_paused = true)]
async fn what_can_be_no_hold_is_not_asked_for() {
    let stage = Stage::new("Ready", "").await;
    for id in ["", ".", ".."] {
        let answer = stage.sdk.hold(&Secret::new(id), &Wanted::default()).await;
        assert_eq!(answer, FactAnswer::Missing);
    }
    assert_eq!(looks(&stage.script), [0; 0]);
}

#[tokio::test(start_paused = true)]
async fn no_state_of_the_watch_stream_keeps_a_hold_from_being_read() {
    let stage = Stage::starting(crate::config::Lifecycle::Game);
    stage.script.answer(|_, _| hold(NOW + 1));
    assert!(found(&look_up(&stage).await).is_some());
}
