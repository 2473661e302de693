//! What the README has a newcomer do, done: an example beside a fleet, or a Discovery, that is made up.

use serde_json::json;
use std::process::{Command, Stdio};
use usher_stand_ins::{FakeDiscovery, FakeSdk, Hold, Reservation};
use usher_tests::tickets::mint;
use usher_tests::{Setup, Usher, binary, keep};

/// Comes with a ticket as `usher join` does, and leaves at once: its exit status, and what it said.
fn join(host: &Usher, player: &str, reservation: &str) -> (Option<i32>, String) {
    let file = host.dir().join("ticket.json");
    let ticket = json!({
        "v": 1,
        "kind": "reservation",
        "protocolVersion": 3,
        "playerId": player,
        "reservationId": reservation,
    });
    std::fs::write(&file, ticket.to_string()).expect("the directory takes a file");
    let output = Command::new(binary())
        .arg("join")
        .arg(format!("mafianet://{}", host.udp))
        .arg("--ticket")
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let said = [output.stdout, output.stderr].concat();
    keep::told(&String::from_utf8_lossy(&said));
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[test]
fn hosted_mode_is_tried_as_the_readme_says() {
    let sdk = FakeSdk::start();
    let (party, gone) = (mint(), mint());
    sdk.hold(Hold::open(&party, 2));
    let host = Usher::start(&Setup::example("hosted.toml", &[]).hosted(&sdk));
    sdk.calls().wait_for(1, "POST", "/ready");
    let (code, said) = join(&host, "ada", &party);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("accepted"), "{said}");
    assert_eq!(
        sdk.calls().count("POST", "/allocate"),
        1,
        "a session was claimed"
    );
    let (code, said) = join(&host, "ada", &gone);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("reservation_invalid"), "{said}");
    host.stop();
}

#[test]
fn self_hosted_mode_is_tried_as_the_example_says() {
    let token = format!("dsc_{}", mint());
    let discovery = FakeDiscovery::start(&token);
    let reservation = mint();
    discovery.reserve(Reservation::open(&reservation, 2));
    let replaced = [("http://127.0.0.1:9380", discovery.url())];
    let replaced = replaced.each_ref().map(|(old, new)| (*old, new.as_str()));
    let setup = Setup::example("self-hosted.toml", &replaced);
    let host = Usher::start(&setup.file("discovery.token", &token));
    host.wait_for("listed", |status| {
        status["evidence"]["discovery"]["server_id"].is_string()
    });
    let (code, said) = join(&host, "ada", &reservation);
    assert_eq!(code, Some(0), "{said}");
    host.stop();
    discovery.calls().wait_for(1, "DELETE", "/v1/servers/");
    assert_eq!(discovery.listed(), None);
}
