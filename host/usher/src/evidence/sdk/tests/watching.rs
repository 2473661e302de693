//! How the game server is followed: reads at the start, reconnects, what is read past.

use super::super::lines::LINE;
use super::stage::{Reply, Stage, view};
use crate::config::Lifecycle;
use crate::evidence::http::HttpError;
use serde_json::{Value, json};

#[tokio::test(start_paused = true)]
async fn the_game_server_is_read_until_it_is_there_and_watched_from_then_on() {
    let stage = Stage::starting(Lifecycle::Game);
    stage.at(2_500).await;
    assert_eq!(stage.state(), "starting");
    assert_eq!(stage.allocation(), None);
    stage.script.show("Ready", "");
    stage.at(3_000).await;
    assert_eq!(stage.state(), "ready");
    assert_eq!(stage.script.times("gameserver"), [0, 1000, 2000, 3000]);
    assert_eq!(stage.script.watches(), [3000]);
    assert_eq!(
        stage.allocation(),
        Some(json!({"state": "Ready", "current": null}))
    );
}

#[tokio::test(start_paused = true)]
async fn after_thirty_reads_the_endpoint_is_given_up_and_still_tried() {
    let stage = Stage::starting(Lifecycle::Game);
    stage.script.hang_up(Err(HttpError::Unreachable));
    stage.at(29_999).await;
    assert_eq!(stage.state(), "starting");
    stage.at(30_000).await;
    assert_eq!(stage.state(), "unreachable");
    assert_eq!(stage.script.times("gameserver").len(), 30);
    stage.script.hang_up(Ok(200));
    stage.script.show("Allocated", "match-1");
    stage.at(31_000).await;
    assert_eq!(stage.script.watches(), [30_000, 31_000]);
    assert_eq!(stage.state(), "in-session");
}

#[tokio::test(start_paused = true)]
async fn a_read_that_fails_does_not_keep_the_stream_from_being_opened() {
    for case in 0..3 {
        let stage = Stage::starting(Lifecycle::Game);
        stage.script.script_reads();
        stage.script.answer(move |_, _| match case {
            0 => Reply::Status(500, String::new()),
            1 => Reply::Status(200, "<html>".to_owned()),
            _ => Reply::Never,
        });
        stage.script.show("Ready", "");
        let opened = if case == 2 { 5_000 } else { 0 };
        stage.at(opened).await;
        assert_eq!(stage.script.watches(), [opened], "case {case}");
        assert_eq!(stage.state(), "ready");
        stage.at(opened + 9_000).await;
        assert_eq!(
            stage.script.times("gameserver").len(),
            1 + usize::from(case == 2)
        );
        assert_eq!(stage.state(), "ready");
    }
    // Where the stream says nothing either, the reads go on.
    let stage = Stage::starting(Lifecycle::Game);
    stage.script.script_reads();
    stage
        .script
        .answer(|_, _| Reply::Status(500, String::new()));
    stage.script.hang_up(Ok(503));
    stage.at(29_999).await;
    assert_eq!(stage.state(), "starting");
    stage.at(30_000).await;
    assert_eq!(stage.state(), "unreachable");
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_opened_again_later_and_later_and_at_once_after_it_showed_something() {
    let stage = Stage::new("Ready", "").await;
    stage.script.hang_up(Err(HttpError::Unreachable));
    stage.at(45_000).await;
    let tries = [0, 1000, 3000, 7000, 15_000, 25_000, 35_000, 45_000];
    assert_eq!(stage.script.watches(), tries);
    stage.script.hang_up(Ok(200));
    stage.at(55_000).await;
    assert!(stage.sdk.status().watching);
    stage.script.hang_up(Ok(200));
    stage.settle().await;
    assert!(!stage.sdk.status().watching);
    stage.at(60_000).await;
    assert_eq!(stage.script.watches()[8..], [55_000, 56_000]);
    assert_eq!(stage.sdk.status().reconnects, 9);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_freezes_is_found_out_though_its_stream_stays_open() {
    let stage = Stage::new("Allocated", "match-1").await;
    stage.script.script_reads();
    stage.script.answer(|_, number| match number {
        // Those who have nothing to say may still be there, whatever they say of it.
        0..5 => Reply::Status(500, String::new()),
        _ => Reply::Never,
    });
    stage.at(39_000).await;
    assert_eq!(stage.script.watches(), [0]);
    // From now on the stream shows nothing either.
    stage.script.show_nothing();
    stage.at(60_000).await;
    assert!(!stage.sdk.status().watching);
    stage.at(120_000).await;
    assert_eq!(stage.state(), "unreachable");
    assert_eq!(stage.allocation(), None);
    stage.script.show("Allocated", "match-2");
    stage.at(131_000).await;
    assert_eq!(stage.state(), "in-session");
}

#[tokio::test(start_paused = true)]
async fn three_streams_in_a_row_that_fail_make_it_unreachable() {
    for refusal in [Err(HttpError::Unreachable), Ok(503), Ok(404), Ok(204)] {
        let stage = Stage::new("Allocated", "match-1").await;
        stage.script.hang_up(refusal);
        stage.at(6_999).await;
        // Two have failed: what was known still counts.
        assert_eq!(stage.state(), "in-session");
        assert!(stage.allocation().is_some());
        stage.at(7_000).await;
        assert_eq!(stage.state(), "unreachable");
        assert_eq!(stage.allocation(), None);
        stage.script.hang_up(Ok(200));
        stage.at(15_000).await;
        assert_eq!(stage.state(), "in-session");
        assert!(stage.allocation().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_shows_nothing_fails_too() {
    let stage = Stage::new("Ready", "").await;
    stage.script.show_nothing();
    stage.script.hang_up(Ok(200));
    // 10 s each for the first view, and the waits between.
    stage.at(1_000).await;
    stage.script.say("\n{}\nnonsense\n");
    stage.at(36_999).await;
    assert_eq!(stage.state(), "ready");
    stage.at(37_000).await;
    assert_eq!(stage.state(), "unreachable");
    assert_eq!(stage.script.watches(), [0, 1000, 13_000, 27_000]);
}

#[tokio::test(start_paused = true)]
async fn lines_that_are_no_views_are_read_past() {
    let stage = Stage::new("Ready", "").await;
    let line = |view: Value| json!({ "result": view }).to_string();
    stage
        .script
        .say("\r\n\n{\"result\":{}}\nnull\n{\"error\":{\"code\":14}}\n\u{1}\n");
    let match_1 = line(view("Allocated", "match-1"));
    let (begin, end) = match_1.split_at(30);
    stage.script.say(begin);
    stage.settle().await;
    assert_eq!(stage.state(), "ready");
    stage.script.say(end);
    stage.script.say("\r\n");
    stage.settle().await;
    assert_eq!(stage.state(), "in-session");
    stage.script.say(&format!(
        "{}\n{}\n",
        line(view("Ready", "")),
        line(view("Allocated", "b"))
    ));
    stage.settle().await;
    assert_eq!(stage.allocation().unwrap()["current"]["id"], "b");
    // It was one stream all the time.
    assert_eq!(stage.script.watches(), [0]);
}

#[tokio::test(start_paused = true)]
async fn a_line_without_end_ends_the_stream() {
    let stage = Stage::new("Ready", "").await;
    let piece = "x".repeat(LINE / 4 + 1);
    for _ in 0..4 {
        stage.script.say(&piece);
    }
    stage.at(999).await;
    assert_eq!(stage.script.watches(), [0]);
    stage.at(1000).await;
    assert_eq!(stage.script.watches(), [0, 1000]);
    assert!(
        stage
            .sdk
            .status()
            .last_error
            .unwrap()
            .what
            .contains("4 MiB")
    );
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_never_stops_talking_is_listened_to_at_a_pace() {
    let stage = Stage::new("Ready", "").await;
    for number in 0..2_500 {
        let view = view("Allocated", &format!("m-{number}"));
        stage
            .script
            .say(&format!("{}\n", json!({ "result": view })));
    }
    let shown = || stage.sdk.shared.read(|state| state.tracking.counts().views);
    stage.settle().await;
    while stage.now() < 1 {
        stage.at(1).await;
    }
    let at_once = shown();
    assert!((900..=1_100).contains(&at_once), "{at_once} lines at once");
    stage.at(5_000).await;
    assert_eq!(stage.allocation().unwrap()["current"]["id"], "m-2499");
}

#[tokio::test(start_paused = true)]
async fn shutdown_closes_the_server_and_opens_it_when_it_goes_back() {
    let stage = Stage::new("Ready", "").await;
    assert_eq!(stage.gate(), [""; 0]);
    stage.show("Shutdown", "match-1").await;
    stage.show("Shutdown", "").await;
    assert_eq!(
        (stage.gate(), stage.state()),
        (vec!["close"], "shutting-down")
    );
    stage.show("Ready", "").await;
    assert_eq!(
        (stage.gate(), stage.state()),
        (vec!["close", "open"], "ready")
    );
    // What is shown first is as good as a change.
    let stage = Stage::new("Shutdown", "").await;
    assert_eq!(stage.gate(), ["close"]);
    assert_eq!(stage.allocation().unwrap()["state"], "Shutdown");
}

#[tokio::test(start_paused = true)]
async fn the_status_names_an_allocation_unless_its_id_lets_players_in() {
    let stage = Stage::new("Allocated", "9b2f6c1e").await;
    let status = stage.sdk.status();
    let allocation = status.allocation.unwrap();
    assert!(allocation.id.starts_with("ref "), "{}", allocation.id);
    assert_eq!((allocation.origin, allocation.claimed), ("platform", false));
    stage.show("Allocated", "self-17").await;
    let allocation = stage.sdk.status().allocation.unwrap();
    assert_eq!((&*allocation.id, allocation.origin), ("self-17", "self"));
    let json = serde_json::to_value(stage.sdk.status()).unwrap();
    assert_eq!(json["lifecycle"], "game");
}
