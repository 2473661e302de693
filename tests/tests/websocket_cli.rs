//! `usher join` at a `websocket` door, as people and scripts use it.

use std::net::{SocketAddr, TcpListener};
use std::process::Output;
use usher_client::websocket::{Client, Options};
use usher_tests::{Setup, Usher, lines, module};

fn proving() -> Setup {
    Setup::websocket().policy("prover", module("prover"), "")
}

/// Joins there, types this, and leaves at its end.
fn join(door: SocketAddr, options: &[&str], typed: &str) -> Output {
    usher_tests::join(&format!("ws://{door}"), options, typed)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_step_is_shown_and_what_is_typed_is_sent() {
    let host = Usher::start(&proving());
    let address = format!("ws://{}/", host.tcp);
    let come = Client::connect(&address, Options::default().payload("eve")).await;
    let (mut witness, _) = come.expect("it is let in");
    let door = host.tcp;
    let options = ["--name", "R9", "--payload", "ada"];
    let joined = tokio::task::spawn_blocking(move || join(door, &options, "hello\n"));
    let output = joined.await.expect("no panic");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shown = lines(&output.stdout);
    for line in [
        &format!("connected to {door}"),
        "request sent, waiting for the answer",
        "accepted as ada, session 2, with welcome ada",
        "left",
    ] {
        assert!(shown.iter().any(|it| it == line), "{line}: {shown:?}");
    }
    for heard in [&b"+1 ada"[..], b"1:hello", b"-1"] {
        assert_eq!(witness.recv().await.expect("it plays"), heard);
    }
    witness.leave().await.expect("a goodbye");
    host.stop();
}

#[test]
fn a_rejection_ends_with_3_and_its_reason() {
    let host = Usher::start(&proving());
    let output = join(
        host.tcp,
        &["--payload", "refuse:You are not on the list."],
        "",
    );
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(
        lines(&output.stderr),
        ["usher: the server rejected the request: refused: You are not on the list."]
    );
    host.stop();
}

#[test]
fn a_port_that_speaks_something_else_ends_with_3_and_says_what() {
    let host = Usher::start(&proving().door("path", "\"/play\""));
    let output = join(host.tcp, &[], "");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let told = lines(&output.stderr);
    assert!(told[0].contains("HTTP status 404"), "{told:?}");
    host.stop();
}

#[test]
fn nobody_at_the_door_ends_with_2() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let door = taken.local_addr().expect("it is bound");
    drop(taken);
    let output = join(door, &[], "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn what_is_no_ticket_is_not_sent() {
    let host = Usher::start(&proving());
    let file = host.dir().join("ticket");
    std::fs::write(&file, r#"{"protocolVersion":1}"#).expect("the file can be written");
    let file = file.to_str().expect("a temporary path is UTF-8");
    let output = join(host.tcp, &["--ticket", file], "");
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    host.stop();
}
