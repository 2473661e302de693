//! The two policies for join tickets, as an operator sets them up.

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;
use usher_tests::{Guest, Setup, Usher, binary};

const GUIDE: &str = include_str!("../../docs/operating.md");

/// `usher check` of a configuration, in a directory with the secrets that the guide names.
fn check(config: &str) -> Output {
    let dir = TempDir::new().expect("there is room for a directory");
    fs::write(dir.path().join("discovery.token"), "dsc_not-a-real-one").expect("a file");
    fs::write(dir.path().join("usher.toml"), config).expect("a file");
    let output = Command::new(binary())
        .args(["check", "usher.toml"])
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", dir.path().join("cache"))
        .output();
    output.expect("the binary runs")
}

fn last_line(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    stderr.lines().last().unwrap_or_default().to_owned()
}

/// The configurations that the guide shows for join tickets.
fn examples() -> Vec<&'static str> {
    let (_, section) = GUIDE.split_once("\n## Join tickets\n").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("another after it");
    let fenced = section.split("```toml\n").skip(1);
    fenced
        .map(|rest| rest.split_once("```").expect("a fence ends").0)
        .collect()
}

#[test]
fn the_host_would_start_with_each_example_of_the_guide() {
    let examples = examples();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let output = check(example);
        assert!(output.status.success(), "{}\n{example}", last_line(&output));
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        for policy in [
            "tickets: builtin:join-ticket",
            "session: builtin:session-open",
        ] {
            assert!(shown.contains(policy), "{shown}");
        }
    }
}

#[test]
fn the_host_does_not_start_without_the_protocol_of_the_game() {
    let example = examples()[2];
    for bad in ["", "protocol-version = -1", "protocol-version = \"three\""] {
        let config = example.replace("protocol-version = 3", bad);
        assert_ne!(config, example);
        let output = check(&config);
        assert_eq!(output.status.code(), Some(1));
        let says = "usher: policy tickets (builtin:join-ticket): fails its self-test: panicked: param `protocol-version` must be";
        let line = last_line(&output);
        assert!(line.starts_with(says), "{line}");
    }
}

fn lan(player: &str, protocol: u32) -> String {
    format!(r#"{{"v":1,"kind":"lan","protocolVersion":{protocol},"playerId":"{player}"}}"#)
}

#[tokio::test(flavor = "multi_thread")]
async fn over_the_lan_each_player_gets_in_once_and_no_other_ticket_does() {
    let setup = Setup::mafianet()
        .limit("max-players", "2")
        .policy(
            "tickets",
            "builtin:join-ticket",
            "params = { protocol-version = 3 }",
        )
        .policy("session", "builtin:session-open", "game-rule = true")
        .more("[evidence]\nmode = \"listen-lan\"\n");
    let host = Usher::start(&setup);
    let mut ann = Guest::come(host.udp, &lan("ann", 3));
    ann.accepted().await;
    let reservation = r#"{"v":1,"kind":"reservation","protocolVersion":3,"playerId":"bob","reservationId":"rsv-1"}"#;
    for (ticket, reason) in [
        (lan("ann", 3), "duplicate_player"),
        (lan("bob", 2), "protocol_mismatch"),
        (reservation.to_owned(), "kind_not_accepted"),
        ("{}".to_owned(), "payload_invalid"),
    ] {
        let told = Guest::come(host.udp, &ticket).rejected().await;
        assert_eq!(told, reason, "{ticket}");
    }
    let mut bob = Guest::come(host.udp, &lan("bob", 3));
    bob.accepted().await;
    let told = Guest::come(host.udp, &lan("eve", 3)).rejected().await;
    assert_eq!(told, "server_full");
    ann.leave().await;
    // The longest id that a ticket can have.
    let mut eve = Guest::come(host.udp, &lan(&"\u{1d4ac}".repeat(100), 3));
    eve.accepted().await;
    eve.leave().await;
    bob.leave().await;
    host.stop();
}
