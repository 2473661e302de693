//! Players who go when a door least likes it: before they have shown a ticket, when they are in and were not told
//! yet, while a session is claimed for them. Nothing of them may stay, and no seat be lost.

use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use usher_client::raknet::{Client, Options, Step};
use usher_stand_ins::{Fault, What};
use usher_tests::tickets::{HOLDS, Scene};
use usher_tests::{Door, Setup, Visitor};

/// Someone who went without a word is missed after this.
fn quick_to_notice(setup: Setup) -> Setup {
    setup.door("connection-timeout", "\"2s\"")
}

fn connected(scene: &Scene, count: u64) {
    scene.host.wait_for("in or gone", |status| {
        status["players"]["connected"] == count
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_before_it_has_shown_a_ticket_was_never_there() {
    let scene = Scene::set(quick_to_notice(Setup::tickets(false)), |_| {});
    scene.allocate();
    scene.sdk.calls().clear();
    let options = Options::default().payload("never sent");
    let mut client = Client::begin(scene.host.udp, options)
        .await
        .expect("a socket");
    while !matches!(client.step().await, Ok(Step::Opened { .. })) {}
    drop(client);
    let handshake = format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        scene.host.web
    );
    for length in [0, 20, handshake.len()] {
        let mut page = TcpStream::connect(scene.host.web)
            .await
            .expect("it listens");
        let part = &handshake.as_bytes()[..length];
        page.write_all(part).await.expect("it takes that");
        if length == handshake.len() {
            let mut first = [0; 12];
            page.read_exact(&mut first).await.expect("it answers");
            assert_eq!(&first, b"HTTP/1.1 101");
            // A message that was begun: 100 bytes are announced.
            page.write_all(&[0x82, 0x80 | 100, 1, 2, 3, 4, b'{'])
                .await
                .expect("it takes that");
        }
    }
    scene.host.assert_empty();
    assert!(scene.sdk.calls().to("GET", HOLDS).is_empty());
    assert_eq!(
        scene.visit(Door::WebSocket, &scene.reservation(1)).await,
        "accepted"
    );
    let decided = scene.close();
    let (let_in, gone): (Vec<_>, Vec<_>) = decided
        .iter()
        .partition(|line| line["outcome"] == "accepted");
    assert_eq!(let_in.len(), 1, "{decided:?}");
    for line in gone {
        assert_eq!(line["outcome"], "abandoned", "{line}");
        assert_eq!(line["policies"], json!([]), "nobody was asked: {line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_in_and_goes_before_it_was_told_gives_its_seat_back() {
    let scene = Scene::set(quick_to_notice(Setup::tickets(false)), |_| {});
    scene.allocate();
    for door in [Door::MafiaNet, Door::WebSocket] {
        let ticket = scene.reservation(1);
        let id = ticket["reservationId"].as_str().expect("it has an id");
        let slow = What::Delay(Duration::from_millis(500));
        scene
            .sdk
            .fault(Fault::at(format!("{HOLDS}{id}"), slow).once());
        scene.sdk.calls().clear();
        let visitor = scene.come(door, &ticket).await;
        scene.sdk.calls().wait_for(1, "GET", HOLDS);
        // From now on it hears nothing. A page reads only when it is asked how it ended.
        if let Visitor::MafiaNet(guest) = &visitor {
            guest.freeze().await;
        }
        connected(&scene, 1);
        assert_eq!(scene.visit(door, &ticket).await, "roster_full", "{door:?}");
        drop(visitor);
        scene.host.assert_empty();
        assert_eq!(scene.visit(door, &ticket).await, "accepted", "{door:?}");
    }
    assert_eq!(scene.writes(), [""; 0]);
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_claimed_for_someone_who_has_gone_is_ended_at_every_door() {
    let lobby = "[sdk]\nclaim-lobby = \"20s\"\n";
    let scene = Scene::set(Setup::claiming().more(lobby), |_| {});
    for (round, door) in (1..).zip(Door::ALL) {
        let ticket = scene.reservation(1);
        let slow = What::Late(Duration::from_millis(700));
        scene.sdk.fault(Fault::at("/allocate", slow).once());
        let visitor = scene.come(door, &ticket).await;
        scene.sdk.calls().wait_for(round, "POST", "/allocate");
        visitor.go().await;
        // Long before the lobby's time is over: nobody is coming.
        scene
            .sdk
            .calls()
            .wait_for(round, "POST", "/v1/sessions/self-");
        scene.sees_allocation(serde_json::Value::is_null);
        scene.host.assert_empty();
    }
    assert_eq!(
        scene.writes().len(),
        2 * Door::ALL.len(),
        "{:?}",
        scene.writes()
    );
    scene.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asked_first_for_a_session_may_go_and_the_others_get_it() {
    let scene = Scene::set(Setup::claiming(), |_| {});
    let slow = What::Late(Duration::from_millis(700));
    scene.sdk.fault(Fault::at("/allocate", slow).once());
    let first = scene.come(Door::MafiaNet, &scene.reservation(1)).await;
    scene.sdk.calls().wait_for(1, "POST", "/allocate");
    let mut others = Vec::new();
    for door in Door::ALL {
        others.push(scene.come(door, &scene.reservation(1)).await);
    }
    first.go().await;
    for other in &mut others {
        assert_eq!(other.outcome().await, Ok(()));
    }
    assert_eq!(scene.writes(), ["POST /allocate"]);
    let session = scene.sdk.allocation().expect("it is there");
    for other in others {
        other.leave().await;
    }
    scene.sees_allocation(serde_json::Value::is_null);
    let ended = format!("POST /v1/sessions/{session}/ended");
    assert_eq!(json!(scene.writes()), json!(["POST /allocate", ended]));
    scene.close();
}
