//! Solo play: on an idle server of a fleet a session is claimed for a player who holds a reservation, once for all
//! who come meanwhile, and never one too many.

use serde_json::Value;
use std::time::Duration;
use usher_stand_ins::{Fault, What};
use usher_tests::tickets::{Scene, mint};
use usher_tests::{Door, Setup};

const CLAIM: &str = "POST /allocate";

fn scene() -> Scene {
    let lobby = "[sdk]\nclaim-lobby = \"2s\"\n";
    Scene::set(Setup::claiming().more(lobby), |_| {})
}

fn claims(scene: &Scene) -> usize {
    scene.sdk.calls().count("POST", "/allocate")
}

/// Ends of sessions that the endpoint was told.
fn ends(scene: &Scene) -> usize {
    let writes = scene.writes();
    let ended = writes
        .iter()
        .filter(|it| it.starts_with("POST /v1/sessions/self-"));
    ended.filter(|it| it.ends_with("/ended")).count()
}

/// Waits until nothing is allocated.
fn is_idle(scene: &Scene) {
    scene.sees_allocation(Value::is_null);
    assert_eq!(scene.sdk.allocation(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lone_player_gets_a_session_that_ends_when_the_last_one_leaves() {
    let scene = scene();
    for door in Door::ALL {
        scene.sdk.calls().clear();
        let mut first = scene.come(door, &scene.reservation(1)).await;
        assert_eq!(first.outcome().await, Ok(()), "{door:?}");
        let session = scene.sdk.allocation().expect("a session was claimed");
        assert!(session.starts_with("self-"), "{session}");
        assert_eq!(scene.writes(), [CLAIM], "nothing else is written");
        let mut second = scene.come(Door::WebSocket, &scene.reservation(1)).await;
        assert_eq!(second.outcome().await, Ok(()));
        assert_eq!(claims(&scene), 1, "there is one to join");
        first.leave().await;
        assert_eq!(ends(&scene), 0, "somebody plays");
        second.leave().await;
        is_idle(&scene);
        assert_eq!(scene.writes().len(), 2, "{:?}", scene.writes());
        assert_eq!(ends(&scene), 1);
    }
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn all_who_come_at_once_share_one_claim() {
    let scene = scene();
    scene.sdk.fault(Fault::at(
        "/allocate",
        What::Delay(Duration::from_millis(700)),
    ));
    let mut players = Vec::new();
    for number in 0..12 {
        let ticket = scene.reservation(1);
        players.push(
            scene
                .come(Door::ALL[number % Door::ALL.len()], &ticket)
                .await,
        );
    }
    for player in &mut players {
        assert_eq!(player.outcome().await, Ok(()));
    }
    assert_eq!(claims(&scene), 1);
    for player in players {
        player.leave().await;
    }
    is_idle(&scene);
    assert_eq!(ends(&scene), 1);
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_claimed_for_whom_a_rule_refuses_or_while_a_match_is_current() {
    let scene = scene();
    let mut refused = scene.reservation(1);
    refused["displayName"] = "say:server_full".into();
    assert_eq!(scene.visit(Door::WebSocket, &refused).await, "server_full");
    let unknown = serde_json::json!({ "kind": "reservation", "reservationId": mint() });
    assert_eq!(
        scene.visit(Door::MafiaNet, &unknown).await,
        "reservation_invalid"
    );
    scene.allocate();
    assert_eq!(
        scene.visit(Door::MafiaNet, &scene.reservation(1)).await,
        "accepted"
    );
    assert_eq!(scene.writes(), [""; 0]);
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_is_refused_is_sent_again_for_the_next_and_the_seat_is_given_back() {
    let scene = scene();
    for door in Door::ALL {
        let ticket = scene.reservation(1);
        for status in [500, 501, 404] {
            let no = What::json(status, "{}");
            scene.sdk.fault(Fault::at("/allocate", no).once());
            assert_eq!(
                scene.visit(door, &ticket).await,
                "refused_by_game",
                "{status}"
            );
            scene.host.assert_empty();
        }
        assert_eq!(
            scene.visit(door, &ticket).await,
            "accepted",
            "its seat is there"
        );
        is_idle(&scene);
    }
    assert_eq!(claims(&scene), 4 * Door::ALL.len());
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_claim_of_which_nobody_knows_what_came_none_is_sent_for_ten_seconds() {
    for lost in [What::Close, What::json(200, "{}")] {
        let scene = scene();
        scene.sdk.fault(Fault::at("/allocate", lost.clone()).once());
        let ticket = scene.reservation(1);
        assert_eq!(
            scene.visit(Door::WebSocket, &ticket).await,
            "refused_by_game",
            "{lost:?}"
        );
        assert_eq!(
            scene.visit(Door::MafiaNet, &ticket).await,
            "refused_by_game",
            "{lost:?}"
        );
        assert_eq!(claims(&scene), 1, "{lost:?}");
        // A match meanwhile is one to join, and only the game's own rule is asked about it.
        let mut visitor = scene.come(Door::WebSocket, &ticket).await;
        scene
            .sdk
            .calls()
            .wait_for(3, "GET", "/pingcore/reservations/");
        scene
            .sdk
            .allocate("match-1", &usher_stand_ins::context::rosterless());
        assert_eq!(visitor.outcome().await, Ok(()), "{lost:?}");
        visitor.leave().await;
        assert_eq!(claims(&scene), 1, "{lost:?}");
        assert_eq!(
            scene.sdk.allocation().as_deref(),
            Some("match-1"),
            "it was not ended"
        );
        scene.close();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_comes_of_a_lost_claim_is_joined_and_one_that_nobody_joins_is_ended() {
    let scene = scene();
    // It is done, and the answer is lost.
    scene.sdk.fault(Fault::at("/allocate", What::Lose).once());
    let ticket = scene.reservation(1);
    let told = scene.visit(Door::WebSocket, &ticket).await;
    assert!(
        ["accepted", "refused_by_game"].contains(&told.as_str()),
        "{told}"
    );
    is_idle(&scene);
    assert_eq!(
        (claims(&scene), ends(&scene)),
        (1, 1),
        "{:?}",
        scene.writes()
    );
    // It is done once whoever asked is long gone.
    scene
        .sdk
        .fault(Fault::at("/allocate", What::Delay(Duration::from_secs(1))).once());
    let visitor = scene.come(Door::WebSocket, &ticket).await;
    scene.sdk.calls().wait_for(2, "POST", "/allocate");
    visitor.go().await;
    scene.host.assert_empty();
    scene.sdk.calls().wait_for(2, "POST", "/v1/sessions/self-");
    is_idle(&scene);
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_while_a_session_is_being_ended_has_another_claimed() {
    let scene = scene();
    let slow = What::Delay(Duration::from_secs(1));
    let ended = "/v1/sessions/self-";
    scene.sdk.fault(Fault::at(ended, slow).once());
    let mut first = scene.come(Door::MafiaNet, &scene.reservation(1)).await;
    assert_eq!(first.outcome().await, Ok(()));
    let before = scene.sdk.allocation();
    first.leave().await;
    scene.sdk.calls().wait_for(1, "POST", ended);
    let mut second = scene.come(Door::WebSocket, &scene.reservation(1)).await;
    assert_eq!(second.outcome().await, Ok(()));
    assert_eq!((claims(&scene), ends(&scene)), (2, 1));
    let now = scene.sdk.allocation();
    assert!(now.is_some() && now != before, "{now:?}");
    second.leave().await;
    is_idle(&scene);
    assert_eq!((claims(&scene), ends(&scene)), (2, 2));
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_comes_after_an_error_is_ended_when_nobody_joins_it() {
    let scene = scene();
    let failed = What::json(500, "{}");
    scene.sdk.fault(Fault::at("/allocate", failed).once());
    let ticket = scene.reservation(1);
    let told = scene.visit(Door::WebSocket, &ticket).await;
    assert_eq!(told, "refused_by_game");
    let context = usher_stand_ins::context::rosterless();
    scene.sdk.allocate("self-1790938521881", &context);
    scene.sdk.calls().wait_for(1, "POST", "/v1/sessions/self-");
    is_idle(&scene);
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_dies_or_is_silent_while_a_session_is_claimed_refuses_whoever_waits() {
    let scene = scene();
    let ticket = scene.reservation(1);
    scene.sdk.fault(Fault::at("/allocate", What::Die).once());
    assert_eq!(
        scene.visit(Door::MafiaNet, &ticket).await,
        "refused_by_game"
    );
    scene.host.assert_empty();
    scene.sdk.back();
    scene.watches();
    scene.close();
    let scene = self::scene();
    let ticket = scene.reservation(1);
    scene
        .sdk
        .fault(Fault::at("/allocate", What::Silence).once());
    assert_eq!(
        scene.visit(Door::WebSocket, &ticket).await,
        "refused_by_game"
    );
    scene.host.assert_empty();
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_to_shut_down_while_a_session_is_claimed_says_so() {
    let scene = scene();
    let ticket = scene.reservation(1);
    scene
        .sdk
        .fault(Fault::at("/allocate", What::Late(Duration::from_secs(1))).once());
    let mut visitor = scene.come(Door::MafiaNet, &ticket).await;
    scene.sdk.calls().wait_for(1, "POST", "/allocate");
    scene.sdk.shut_down();
    assert_eq!(visitor.outcome().await, Err("stopping".into()));
    scene.host.assert_empty();
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_claim_is_that_of_its_decision() {
    let scene = scene();
    let mut ticket = scene.reservation(1);
    // The lookup takes 4.5 s, the claim 4.5 s and then nothing shows for 2 s.
    let id = ticket["reservationId"].as_str().expect("it has an id");
    let slow = What::Delay(Duration::from_millis(4500));
    let path = format!("{}{id}", usher_tests::tickets::HOLDS);
    scene.sdk.fault(Fault::at(path, slow.clone()));
    scene.sdk.fault(Fault::at("/allocate", slow).once());
    ticket["displayName"] = "fetch:service/x".into();
    let wait = What::Delay(Duration::from_millis(1500));
    scene
        .sdk
        .fault(Fault::at(usher_tests::tickets::SERVICE, wait));
    assert_eq!(
        scene.visit(Door::WebSocket, &ticket).await,
        "approval_timeout"
    );
    scene.host.assert_empty();
    // What came of it too late is ended all the same.
    scene.sdk.calls().wait_for(1, "POST", "/v1/sessions/self-");
    is_idle(&scene);
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_replaces_a_claimed_session_is_not_ended() {
    let scene = scene();
    let mut player = scene.come(Door::MafiaNet, &scene.reservation(1)).await;
    assert_eq!(player.outcome().await, Ok(()));
    let joined = scene.allocate();
    assert_eq!(scene.visit(Door::WebSocket, &joined).await, "accepted");
    player.leave().await;
    scene.host.assert_empty();
    assert_eq!(
        scene.sdk.allocation().as_deref(),
        joined["allocationId"].as_str()
    );
    assert_eq!(
        (claims(&scene), ends(&scene)),
        (1, 0),
        "{:?}",
        scene.writes()
    );
    scene.close();
}
