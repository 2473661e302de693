//! What is written to the endpoint: nothing where the game owns the lifecycle, and what it takes where this
//! host does.

use super::super::endpoint::Call;
use super::stage::{Reply, Stage, ok};
use crate::config::Lifecycle;
use crate::evidence::http::HttpError;
use usher_core::{Secret, Wanted};

/// Any write tells the platform that the game speaks to it, and it waits for `ready` from then on.
#[tokio::test(start_paused = true)]
async fn where_the_game_owns_the_lifecycle_nothing_is_ever_written() {
    let stage = Stage::starting(Lifecycle::Game);
    stage.sdk.opened();
    stage.at(2_000).await;
    let views = [
        ("Scheduled", ""),
        ("Ready", ""),
        ("Allocated", "match-1"),
        ("Allocated", "self-1"),
        ("Allocated", ""),
        ("Ready", ""),
        ("Shutdown", "match-2"),
        ("Ready", ""),
    ];
    for (number, (state, id)) in views.into_iter().enumerate() {
        stage.show(state, id).await;
        for players in [0, 1, 7, 0] {
            stage.players.send_replace(players);
            stage.at(stage.now() + 20_000).await;
        }
        stage.sdk.hold(&Secret::new("r"), &Wanted::default()).await;
        stage.sdk.backfill("b", &Wanted::default()).await;
        stage.sdk.allocation();
        // Not after a claim, since there was none.
        stage.sdk.release_claim();
        if number % 3 == 2 {
            stage.script.hang_up(Ok(200));
        }
        stage.at(stage.now() + 400_000).await;
    }
    stage.script.hang_up(Err(HttpError::Unreachable));
    stage.at(stage.now() + 100_000).await;
    stage.sdk.stop().await;
    stage.at(stage.now() + 100_000).await;
    assert_eq!(stage.script.writes(), []);
    assert!(stage.script.times("hold").len() >= 8, "it did read");
}

#[tokio::test(start_paused = true)]
async fn the_platform_hears_that_players_may_come_once_they_may() {
    let stage = Stage::with(Lifecycle::Usher, "Scheduled", "").await;
    stage.at(5_000).await;
    assert_eq!(stage.script.writes(), []);
    stage.sdk.opened();
    stage.settle().await;
    let mut writes = stage.script.writes();
    writes.sort_by_key(|call| call.word());
    assert_eq!(writes, [Call::Players(0), Call::Ready]);
    assert_eq!(stage.state(), "ready");
    // A view from before changes nothing.
    stage.show("Scheduled", "").await;
    assert_eq!(stage.state(), "ready");
}

#[tokio::test(start_paused = true)]
async fn ready_is_said_until_it_is_heard_and_health_only_after_that() {
    let stage = Stage::with(Lifecycle::Usher, "Scheduled", "").await;
    stage.script.answer(|call, number| match (call, number) {
        (Call::Ready, 0) => Reply::Status(500, String::new()),
        (Call::Ready, 1) => Reply::Error(HttpError::Unreachable),
        (Call::Ready, 2) => Reply::Status(301, String::new()),
        _ => ok(),
    });
    stage.sdk.opened();
    stage.at(10_900).await;
    assert_eq!(stage.script.times("ready"), [0, 1_000, 3_000, 7_000]);
    assert_eq!(stage.script.times("health"), [9_000]);
}

#[tokio::test(start_paused = true)]
async fn health_is_said_every_two_seconds_while_there_is_something_to_keep() {
    let stage = Stage::with(Lifecycle::Usher, "Ready", "").await;
    stage.sdk.opened();
    stage.at(4_100).await;
    stage.show("Allocated", "match-1").await;
    stage.at(6_100).await;
    assert_eq!(stage.script.times("health"), [2_000, 4_000, 6_000]);
    stage.show("Shutdown", "match-1").await;
    stage.at(20_000).await;
    assert_eq!(stage.script.times("health").len(), 3);
    stage.show("Ready", "").await;
    stage.script.hang_up(Err(HttpError::Unreachable));
    stage.at(40_100).await;
    assert_eq!(stage.state(), "unreachable");
    // From 22 to 40: it may still be heard.
    assert_eq!(stage.script.times("health").len(), 3 + 10);
    stage.sdk.stop().await;
    stage.at(60_000).await;
    assert_eq!(stage.script.times("health").len(), 3 + 10);
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_was_started_anew_is_told_again() {
    let stage = Stage::with(Lifecycle::Usher, "Scheduled", "").await;
    stage.sdk.opened();
    stage.settle().await;
    stage.show("Ready", "").await;
    stage.players.send_replace(3);
    stage.at(20_100).await;
    assert_eq!(stage.script.times("ready"), [0]);
    stage.show("Scheduled", "").await;
    stage.at(22_100).await;
    assert_eq!(stage.script.times("ready"), [0, 22_000]);
    assert_eq!(stage.script.times("players").last(), Some(&22_000));
    // What it shows shortly after may be from before.
    stage.at(31_900).await;
    assert_eq!(stage.script.times("ready").len(), 2);
    stage.at(32_100).await;
    assert_eq!(stage.script.times("ready").len(), 3);
    // These are not for the game to end.
    for state in ["Reserved", "Unhealthy", "Error"] {
        stage.show(state, "").await;
        stage.at(stage.now() + 60_000).await;
    }
    assert_eq!(stage.script.times("ready").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_hangs_is_not_asked_faster_than_it_answers() {
    let stage = Stage::with(Lifecycle::Usher, "Ready", "").await;
    stage.sdk.opened();
    stage.settle().await;
    stage.script.answer(|_, _| Reply::Never);
    stage.at(30_000).await;
    // Each takes 5 s to be given up, and the next one is due then.
    assert!(stage.script.times("health").len() <= 6);
}

#[tokio::test(start_paused = true)]
async fn the_figure_of_players_is_told_when_it_changes_and_never_twice_at_once() {
    let stage = Stage::with(Lifecycle::Usher, "Ready", "").await;
    stage.script.answer(|call, _| match call {
        Call::Players(_) => ok().after(200),
        _ => ok(),
    });
    stage.sdk.opened();
    stage.at(50).await;
    // A crowd comes while the first figure is under way.
    for players in 1..=100 {
        stage.players.send_replace(players);
    }
    stage.at(10_000).await;
    stage.players.send_replace(99);
    stage.at(20_000).await;
    let told: Vec<_> = stage
        .script
        .writes()
        .into_iter()
        .filter(|call| matches!(call, Call::Players(_)))
        .collect();
    assert_eq!(
        told,
        [Call::Players(0), Call::Players(100), Call::Players(99)]
    );
    assert_eq!(stage.script.times("players"), [0, 700, 10_000]);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_stops_says_so_last() {
    let stage = Stage::with(Lifecycle::Usher, "Ready", "").await;
    stage.sdk.opened();
    stage.at(1_000).await;
    stage.sdk.stop().await;
    assert_eq!(stage.script.writes().last(), Some(&Call::Shutdown));
    let before = stage.script.writes().len();
    stage.show("Shutdown", "").await;
    stage.at(60_000).await;
    assert_eq!(stage.script.writes().len(), before);
    assert_eq!(stage.state(), "stopping");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_opens_says_nothing() {
    let stage = Stage::with(Lifecycle::Usher, "Ready", "").await;
    stage.at(60_000).await;
    assert_eq!(stage.script.writes(), []);
}
