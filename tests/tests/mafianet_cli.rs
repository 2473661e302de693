//! `usher join` at a `mafianet` door, as people and scripts use it.

use std::net::{SocketAddr, UdpSocket};
use std::process::Output;
use usher_tests::{Guest, Setup, Usher, lines, module};

fn proving() -> Setup {
    Setup::mafianet().policy("prover", module("prover"), "")
}

/// Joins there, types this, and leaves at its end.
fn join(door: SocketAddr, options: &[&str], typed: &str) -> Output {
    usher_tests::join(&format!("mafianet://{door}"), options, typed)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_step_is_shown_and_what_is_typed_is_sent() {
    let host = Usher::start(&proving());
    let mut witness = Guest::come(host.udp, "eve");
    witness.accepted().await;
    let door = host.udp;
    let joined = tokio::task::spawn_blocking(move || join(door, &["--name", "R9"], "hello\n"));
    let output = joined.await.expect("no panic");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shown = lines(&output.stdout);
    for line in [
        "request sent, waiting for the answer",
        "accepted with welcome R9",
        "left",
    ] {
        assert!(shown.iter().any(|it| it == line), "{line}: {shown:?}");
    }
    assert_eq!(witness.hear().await, b"+1 R9");
    assert_eq!(witness.hear().await, b"1:\x87hello");
    assert_eq!(witness.hear().await, b"-1");
    witness.leave().await;
    host.stop();
}

#[test]
fn a_rejection_ends_with_3_and_its_reason() {
    let host = Usher::start(&proving());
    let payload = "refuse:You are not on the whitelist.";
    let output = join(host.udp, &["--payload", payload], "");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let told = lines(&output.stderr);
    assert_eq!(
        told,
        ["usher: the server rejected the request: You are not on the whitelist."]
    );
    host.stop();
}

#[test]
fn nobody_at_the_door_ends_with_2() {
    let silent = UdpSocket::bind("127.0.0.1:0").expect("loopback has a free port");
    let door = silent.local_addr().expect("it is bound");
    let output = join(door, &[], "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn a_payload_can_come_from_a_file() {
    let host = Usher::start(&proving());
    let file = host.dir().join("payload");
    std::fs::write(&file, [0xff; 1000]).expect("the file can be written");
    let file = file.to_str().expect("a temporary path is UTF-8");
    let output = join(host.udp, &["--payload-file", file], "");
    let shown = lines(&output.stdout);
    let line = "accepted with got 1000 bytes";
    assert!(shown.iter().any(|it| it == line), "{output:?}");
    host.stop();
}

#[test]
fn a_join_ticket_is_checked_and_sent_and_a_refusal_says_what_a_player_reads() {
    let host = Usher::start(&proving());
    let file = host.dir().join("ticket.json");
    let path = file.to_str().expect("a temporary path is UTF-8");
    let ticket = r#"{"v":1,"kind":"match","protocolVersion":3,"playerId":"p","ticketId":"hush-4711","allocationId":"a"}"#;
    std::fs::write(&file, ticket).expect("the file can be written");
    let output = join(host.udp, &["--ticket", path], "");
    let line = format!("accepted with got {} bytes", ticket.len());
    assert!(lines(&output.stdout).contains(&line), "{output:?}");

    std::fs::write(&file, ticket.replace("3", "\"3\"")).expect("the file can be written");
    let output = join(host.udp, &["--ticket", path], "");
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    let told = lines(&output.stderr).concat();
    assert!(told.contains("protocolVersion is not an integer"), "{told}");
    assert!(!told.contains("hush"), "{told}");

    let output = join(host.udp, &["--payload", "refuse:not_in_session"], "");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(
        lines(&output.stderr),
        [
            "usher: the server rejected the request: not_in_session. No game is open on this server. \
             Try quick play, or find a match"
        ]
    );
    host.stop();
}
