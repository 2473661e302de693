//! What becomes of a decision whose player goes, whose endpoint dies, or whose time is over, in each of its phases.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use usher_stand_ins::{Backfill, Fault, What};
use usher_tests::tickets::{HOLDS, SERVICE, Scene, mint};
use usher_tests::{Door, Setup};

const LONG: Duration = Duration::from_secs(2);

/// A phase in which a decision can be met.
struct Phase {
    name: &'static str,
    /// A ticket whose decision stays in this phase for a while.
    ticket: fn(&Scene) -> Value,
    /// The call that shows that it is there.
    call: &'static str,
}

/// With a match that is current. What is slow is slow once, so that the next one with the ticket finds all well.
const PHASES: [Phase; 3] = [
    Phase {
        name: "while its hold is looked up",
        ticket: |scene| {
            let ticket = scene.reservation(1);
            let id = ticket["reservationId"].as_str().expect("it has an id");
            let path = format!("{HOLDS}{id}");
            scene.sdk.fault(Fault::at(path, What::Delay(LONG)).once());
            ticket
        },
        call: HOLDS,
    },
    Phase {
        name: "while its hold does not arrive",
        ticket: |scene| {
            let ticket = scene.reservation(1);
            let id = ticket["reservationId"].as_str().expect("it has an id");
            let missing = What::json(404, r#"{"message":"reservation not found"}"#);
            scene
                .sdk
                .fault(Fault::at(format!("{HOLDS}{id}"), missing).times(4));
            ticket
        },
        call: HOLDS,
    },
    Phase {
        name: "while the game's own rule asks",
        ticket: |scene| {
            let mut ticket = scene.reservation(1);
            // Another one each time: it is in the display name, and so no secret.
            static NUMBER: AtomicU32 = AtomicU32::new(0);
            let word = format!("w{}w", NUMBER.fetch_add(1, Ordering::Relaxed));
            ticket["displayName"] = json!(format!("fetch:service/{word}"));
            let path = format!("{SERVICE}{word}");
            scene.sdk.fault(Fault::at(path, What::Delay(LONG)).once());
            ticket
        },
        call: SERVICE,
    },
];

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_while_it_is_decided_leaves_nothing_and_no_seat_is_lost() {
    let scene = Scene::set(Setup::tickets(true), |_| {});
    scene.allocate();
    for door in Door::ALL {
        for phase in &PHASES {
            let ticket = (phase.ticket)(&scene);
            scene.sdk.calls().clear();
            let visitor = scene.come(door, &ticket).await;
            scene.sdk.calls().wait_for(1, "GET", phase.call);
            visitor.go().await;
            scene.host.assert_empty();
            // The one seat is still there.
            let told = scene.visit(door, &ticket).await;
            assert_eq!(told, "accepted", "{} at {door:?}", phase.name);
        }
    }
    assert_eq!(scene.writes(), [""; 0]);
    let decided = scene.close();
    let gone = decided.iter().filter(|line| line["outcome"] == "abandoned");
    assert_eq!(gone.count(), PHASES.len() * Door::ALL.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_once_it_is_in_gives_its_seat_back() {
    let scene = Scene::set(Setup::tickets(false), |_| {});
    scene.allocate();
    for door in Door::ALL {
        let ticket = scene.reservation(1);
        for _ in 0..3 {
            let mut visitor = scene.come(door, &ticket).await;
            assert_eq!(visitor.outcome().await, Ok(()), "{door:?}");
            let full = scene.visit(door, &ticket).await;
            assert_eq!(full, "roster_full", "{door:?}");
            visitor.go().await;
            scene.host.assert_empty();
        }
    }
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_wait_for_backfills_with_one_read_at_a_time_and_one_who_goes_disturbs_nobody() {
    let scene = Scene::set(Setup::tickets(false), |_| {});
    let session = scene.allocate();
    let session = session["allocationId"]
        .as_str()
        .expect("it has an id")
        .to_owned();
    let (id, ticket) = (mint(), mint());
    let shown = json!({ "kind": "backfill", "ticketId": ticket, "allocationId": id });
    scene.sdk.calls().clear();
    let begin = Instant::now();
    let mut waiting = Vec::new();
    for number in 0..12 {
        waiting.push(
            scene
                .come(Door::ALL[number % Door::ALL.len()], &shown)
                .await,
        );
    }
    scene.sdk.calls().wait_for(2, "GET", "/v1/backfills");
    waiting.remove(0).go().await;
    scene
        .sdk
        .deliver_backfill(Backfill::new(&id, &session, &[(&ticket, 100)]));
    for visitor in &mut waiting {
        assert_eq!(visitor.outcome().await, Ok(()));
    }
    let reads = scene.sdk.calls().count("GET", "/v1/backfills");
    let ticks = begin.elapsed().as_millis() / 500;
    assert!(
        u128::try_from(reads).is_ok_and(|reads| reads <= ticks + 4),
        "{reads} in {ticks} ticks"
    );
    for visitor in waiting {
        visitor.leave().await;
    }
    scene.close();
}

/// What a ticket is told whose endpoint dies.
async fn told_when_it_dies(scene: &Scene, door: Door, phase: &Phase) -> String {
    let ticket = (phase.ticket)(scene);
    scene.sdk.calls().clear();
    let mut visitor = scene.come(door, &ticket).await;
    scene.sdk.calls().wait_for(1, "GET", phase.call);
    scene.sdk.die();
    let told = visitor.outcome().await;
    if told.is_ok() {
        visitor.leave().await;
    }
    scene.sdk.back();
    scene.watches();
    told.err().unwrap_or_else(|| "accepted".to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_dies_costs_those_who_relied_on_it_and_nobody_else() {
    let scene = Scene::set(Setup::tickets(true), |_| {});
    let player = scene.allocate();
    let mut inside = scene.come(Door::MafiaNet, &player).await;
    assert_eq!(inside.outcome().await, Ok(()));
    for (number, phase) in PHASES.iter().enumerate() {
        let door = Door::ALL[number % Door::ALL.len()];
        let told = told_when_it_dies(&scene, door, phase).await;
        // What the game's own rule asked was on the same port, and is the game's own affair.
        let expected = match phase.call {
            SERVICE => "refused_by_game",
            _ => "reservation_unverifiable",
        };
        assert_eq!(told, expected, "{}", phase.name);
        let next = scene.visit(door, &scene.reservation(1)).await;
        assert_eq!(
            next, "accepted",
            "once it is back, after it died {}",
            phase.name
        );
    }
    let sessions = scene.host.admin.status()["players"]["connected"].clone();
    assert_eq!(sessions, 1, "who plays plays on");
    inside.leave().await;
    assert_eq!(scene.writes(), [""; 0]);
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn while_it_is_dead_its_last_word_stands_and_holds_cannot_be_read() {
    let scene = Scene::set(Setup::tickets(false), |_| {});
    let session = scene.allocate();
    let reservation = scene.reservation(1);
    // The container is stopped: connections are refused, and the watch goes on.
    scene.sdk.gone();
    assert_eq!(
        scene.visit(Door::WebSocket, &reservation).await,
        "reservation_unverifiable"
    );
    assert_eq!(scene.visit(Door::WebSocket, &session).await, "accepted");
    scene.sdk.shut_down();
    scene.host.wait_for("closed", |status| {
        status["evidence"]["sdk"]["state"] == "shutting-down"
    });
    assert_eq!(scene.visit(Door::MafiaNet, &session).await, "stopping");
    scene.sdk.back();
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_to_shut_down_meanwhile_says_so_whatever_the_evidence() {
    let scene = Scene::set(Setup::tickets(true), |_| {});
    scene.allocate();
    for phase in &PHASES {
        let ticket = (phase.ticket)(&scene);
        scene.sdk.calls().clear();
        let mut visitor = scene.come(Door::MafiaNet, &ticket).await;
        scene.sdk.calls().wait_for(1, "GET", phase.call);
        scene.sdk.shut_down();
        let told = visitor.outcome().await;
        assert_eq!(told, Err("stopping".to_owned()), "{}", phase.name);
        scene.sdk.undo_shut_down();
        scene.host.wait_for("open", |status| {
            status["evidence"]["sdk"]["state"] == "in-session"
        });
    }
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn after_ten_seconds_a_decision_is_over_at_every_door() {
    let scene = Scene::set(Setup::tickets(true), |_| {});
    scene.allocate();
    scene.sdk.fault(Fault::at(SERVICE, What::Silence));
    let mut waiting = Vec::new();
    for door in Door::ALL {
        let mut ticket = scene.reservation(1);
        ticket["displayName"] = json!("fetch:service/x");
        let begin = Instant::now();
        waiting.push((door, begin, ticket.clone(), scene.come(door, &ticket).await));
    }
    for (door, begin, _, visitor) in &mut waiting {
        assert_eq!(
            visitor.outcome().await,
            Err("approval_timeout".into()),
            "{door:?}"
        );
        let took = begin.elapsed();
        assert!(took >= Duration::from_secs(10), "{door:?} after {took:?}");
        assert!(took < Duration::from_secs(13), "{door:?} after {took:?}");
    }
    // Its seat was given back.
    for (door, _, mut ticket, _) in waiting {
        ticket["displayName"] = json!("");
        assert_eq!(scene.visit(door, &ticket).await, "accepted", "{door:?}");
    }
    scene.close();
}
