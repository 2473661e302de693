//! Doors that take join tickets tell every refusal by one of the nineteen literals, whoever refused; the audit has
//! what was really said.

use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::timeout;
use usher_client::websocket::{Client, Error, Options, Step};
use usher_tests::{Guest, Setup, Usher, decisions};

/// How long anything may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A ticket whose display name says what the game's own rule does.
fn ticket(player: &str, script: &str) -> String {
    format!(
        r#"{{"v":1,"kind":"lan","protocolVersion":3,"playerId":"{player}","displayName":"{script}"}}"#
    )
}

/// What a page is told: the code and the text.
async fn told(door: SocketAddr, ticket: &str) -> (String, String) {
    let options = Options::default().payload(ticket);
    let address = format!("ws://{door}/");
    let come = Client::connect(&address, options);
    match timeout(PATIENCE, come).await.expect("an answer") {
        Err(Error::Rejected { code, text, .. }) => (code, text),
        other => panic!("{other:?} in place of a rejection"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_game_rule_says_is_told_in_three_words_and_kept_for_the_audit() {
    let mut host = Usher::start(&Setup::tickets(true).mode("listen-lan"));
    for (script, literal, said) in [
        (
            "say:level-too-low",
            "refused_by_game",
            Some("level-too-low"),
        ),
        ("say:roster_full", "refused_by_game", Some("roster_full")),
        ("say:not_in_session", "not_in_session", None),
        ("say:server_full", "server_full", None),
        ("say:refused_by_game", "refused_by_game", None),
    ] {
        let (code, text) = told(host.web, &ticket("ann", script)).await;
        assert_eq!(code, literal, "{script}");
        assert_eq!(text, "The game says no", "where there is room for both");
        let mut guest = Guest::come(host.udp, &ticket("bob", script));
        assert_eq!(guest.rejected().await, literal, "a text is all there is");
        host.wait_for("that it was written", |_| {
            let both = decisions(&host.dir().join("audit.jsonl"));
            let both = both.iter().rev().take(2);
            both.filter(|it| {
                let step = &it["policies"][1];
                (
                    step["policy"].as_str(),
                    step["said"].as_str(),
                    it["reason"]["code"].as_str(),
                ) == (Some("gate"), said, Some(literal))
            })
            .count()
                == 2
        });
    }
    // It traps: the player is told what the game's own word would be.
    let (code, text) = told(host.web, &ticket("ann", "trap")).await;
    assert_eq!(
        (&*code, &*text),
        ("refused_by_game", "The server could not decide.")
    );
    host.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_host_itself_says_is_told_in_the_words_of_tickets() {
    let setup = Setup::tickets(true)
        .mode("listen-lan")
        .limit("max-pending", "2");
    let mut host = Usher::start(&setup);
    // Nobody has said anything of it but the ticket.
    let (code, text) = told(host.web, "").await;
    assert_eq!(code, "payload_empty");
    assert!(text.starts_with("The game sent no join ticket"), "{text}");
    // Two who wait for ever fill the pool.
    let mut guest = Guest::come(host.udp, &ticket("ann", "wait"));
    guest.wait_for_status("wait").await;
    let options = Options::default().payload(ticket("bob", "wait"));
    let page = Client::begin(&format!("ws://{}/", host.web), options).await;
    let mut page = page.expect("the door is there");
    loop {
        let step = timeout(PATIENCE, page.step()).await.expect("a status");
        if let Step::Status { .. } = step.expect("it waits") {
            break;
        }
    }
    let (code, text) = told(host.web, &ticket("eve", "")).await;
    assert_eq!(
        (&*code, &*text),
        ("approval_timeout", "Too many are waiting.")
    );
    host.signal("-TERM");
    assert_eq!(guest.rejected().await, "stopping");
    let told = loop {
        match timeout(PATIENCE, page.step()).await.expect("an answer") {
            Ok(Step::Status { .. }) => {}
            other => break other,
        }
    };
    match told {
        Err(Error::Rejected { code, .. }) => assert_eq!(code, "stopping"),
        other => panic!("{other:?} in place of a rejection"),
    }
    assert_eq!(host.wait_for_exit(), Some(0));
}
