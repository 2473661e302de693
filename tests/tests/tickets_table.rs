//! Every row of what the contract of join tickets says of a server beside a fleet, and of the game's own rule, as
//! the compiled policies decide it in a host: against real evidence, through real doors. The rows are in
//! `tests/data/tickets`.

use std::fs;
use usher_tests::tickets::{Join, Row, World, data, hold_to, play_all};

#[tokio::test(flavor = "multi_thread")]
async fn beside_a_fleet_reservations_are_decided_by_discovery() {
    hold_to("verified").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_games_own_rule_has_three_reasons_and_comes_last() {
    hold_to("game_rule").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contracts_own_example_payloads_are_what_they_are_said_to_be() {
    let mut rows = Vec::new();
    for (folder, valid) in [("valid", true), ("invalid", false)] {
        let entries = fs::read_dir(data().join("payloads").join(folder)).expect("they are there");
        for entry in entries {
            let path = entry.expect("it can be listed").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            // Where only `lan` is taken, every other kind says that it was understood.
            let expect = match (valid, name.starts_with("lan")) {
                (true, true) => "accepted",
                (true, false) => "kind_not_accepted",
                (false, _) => "payload_too_large",
            };
            let bytes = fs::read(&path).expect("it can be read");
            let join = Join {
                hex: Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
                expect: expect.to_owned(),
                ..Join::default()
            };
            rows.push(Row {
                name,
                joins: vec![join],
                ..Row::default()
            });
        }
    }
    assert_eq!(rows.len(), 6);
    let world = World {
        name: "examples".into(),
        mode: Some("listen-lan".into()),
        rows,
        ..World::default()
    };
    play_all(vec![world]).await;
}
