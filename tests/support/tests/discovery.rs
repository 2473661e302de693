//! The stand-in of Discovery says what the contract's examples say.

mod wire;

use serde_json::{Value, json};
use std::time::Duration;
use usher_stand_ins::{FakeDiscovery, HeartbeatAnswer, Reservation};
use wire::{Answer, ask, ask_with, fixture};

const TOKEN: &str = "dsc_example";

fn send(discovery: &FakeDiscovery, method: &str, target: &str, body: &str) -> Answer {
    let header = format!("Authorization: Bearer {TOKEN}\r\n");
    ask_with(discovery.address(), method, target, &header, body).expect("it answers")
}

fn verify(discovery: &FakeDiscovery, id: &str, server: &str, player: &str) -> Value {
    let target = format!("/v1/reservations/verify/{id}?serverId={server}&playerId={player}");
    let answer = send(discovery, "GET", &target, "");
    assert_eq!(answer.status, 200);
    answer.json()
}

fn beat(discovery: &FakeDiscovery) -> Answer {
    let body = r#"{"name":"n","port":27015,"players":0,"maxPlayers":8}"#;
    send(discovery, "POST", "/v1/heartbeat", body)
}

#[test]
fn a_reservation_is_verified_in_detail() {
    let discovery = FakeDiscovery::start(TOKEN);
    let mut reservation = Reservation::named("r-1", &["steam:1"]).on("agent-a-1");
    reservation.context = json!({ "secret": "studio-only" });
    let mut expected = fixture("verify.detailed.json");
    expected["expiresAt"] = reservation.expires_at.into();
    discovery.reserve(reservation);
    assert_eq!(
        verify(&discovery, "r-1", "agent-a-1", "steam%3A1"),
        expected
    );
    let other = verify(&discovery, "r-1", "agent-a-1", "steam%3A2");
    assert_eq!(other, fixture("verify.not-in-reservation.json"));
    let wrong = verify(&discovery, "r-1", "agent-b-2", "steam%3A1");
    assert_eq!(wrong, fixture("verify.wrong-server.json"));
    let unknown = json!({ "error": false, "valid": false });
    assert_eq!(verify(&discovery, "r-9", "agent-a-1", "steam%3A1"), unknown);
    discovery.reserve(
        Reservation::open("r-2", 1)
            .on("agent-a-1")
            .lasting(Duration::ZERO),
    );
    assert_eq!(verify(&discovery, "r-2", "agent-a-1", "p"), unknown);
    discovery.release("r-1");
    assert_eq!(verify(&discovery, "r-1", "agent-a-1", "steam%3A1"), unknown);
    discovery.answer_verify("r-1", &json!({ "lie": true }));
    assert_eq!(verify(&discovery, "r-1", "x", "y"), json!({ "lie": true }));
}

#[test]
fn where_only_verdicts_are_given_it_counts_the_seats_itself() {
    let discovery = FakeDiscovery::start(TOKEN);
    discovery.verdicts_only(true);
    discovery.reserve(Reservation::open("r-1", 1).on("s"));
    let no = json!({ "error": false, "valid": false });
    for _ in 0..2 {
        let yes = verify(&discovery, "r-1", "s", "ada");
        assert_eq!(
            yes,
            fixture("verify.shipped.json"),
            "who is in is let in again"
        );
    }
    assert_eq!(verify(&discovery, "r-1", "s", "bob"), no);
    assert_eq!(verify(&discovery, "r-1", "elsewhere", "ada"), no);
}

#[test]
fn who_does_not_show_the_token_is_told_nothing() {
    let discovery = FakeDiscovery::start(TOKEN);
    discovery.reserve(Reservation::open("r-1", 1));
    let target = "/v1/reservations/verify/r-1?serverId=s&playerId=p";
    let without = ask(discovery.address(), "GET", target, "").expect("it answers");
    assert_eq!(without.status, 401);
    let header = "Authorization: Bearer dsc_other\r\n";
    let wrong = ask_with(discovery.address(), "GET", target, header, "").expect("it answers");
    assert_eq!(wrong.status, 401);
    discovery.change_token("dsc_other");
    let right = ask_with(discovery.address(), "GET", target, header, "").expect("it answers");
    assert_eq!(right.status, 200);
}

#[test]
fn a_server_is_listed_by_its_heartbeat_and_delisted() {
    let discovery = FakeDiscovery::start(TOKEN);
    let told = beat(&discovery).json();
    assert_eq!(told["serverId"], "203.0.113.10:27015");
    assert_eq!(
        (&told["ip"], &told["expiresIn"]),
        (&json!("203.0.113.10"), &json!(90))
    );
    assert_eq!(discovery.listed().as_deref(), Some("203.0.113.10:27015"));
    discovery.reserve(Reservation::open("r-1", 1));
    let own = verify(&discovery, "r-1", "203.0.113.10%3A27015", "p");
    assert_eq!(
        (&own["valid"], &own["serverId"]),
        (&json!(true), &told["serverId"])
    );
    let again = r#"{"serverId":"mine","name":"n","port":1,"players":0,"maxPlayers":8}"#;
    assert_eq!(
        send(&discovery, "POST", "/v1/heartbeat", again).json()["serverId"],
        "mine"
    );
    assert_eq!(
        send(&discovery, "DELETE", "/v1/servers/other", "").status,
        404
    );
    assert_eq!(
        send(&discovery, "DELETE", "/v1/servers/mine", "").status,
        200
    );
    assert_eq!(discovery.listed(), None);
    let incomplete = send(&discovery, "POST", "/v1/heartbeat", r#"{"name":"n"}"#);
    assert_eq!(incomplete.status, 400);
}

#[test]
fn heartbeats_are_answered_as_scripted_and_then_accepted() {
    let discovery = FakeDiscovery::start(TOKEN);
    discovery.answer_heartbeats([
        HeartbeatAnswer::TooMany(3),
        HeartbeatAnswer::OverTheCap,
        HeartbeatAnswer::Refused(503, json!({})),
        HeartbeatAnswer::Accepted,
    ]);
    let slow = beat(&discovery);
    assert_eq!((slow.status, slow.header("retry-after")), (429, Some("3")));
    assert_eq!(
        [beat(&discovery).status, beat(&discovery).status],
        [409, 503]
    );
    assert_eq!(discovery.listed(), None);
    assert_eq!(
        [beat(&discovery).status, beat(&discovery).status],
        [200, 200]
    );
    let beats = discovery.calls().to("POST", "/v1/heartbeat");
    assert_eq!(beats.len(), 5);
    assert!(beats.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert_eq!(beats[0].bearer.as_deref(), Some(TOKEN));
}
