//! The nineteen reasons: their literals, their order, and what a player reads.

use std::collections::HashSet;

use usher_ticket::{Reason, UnknownReason};

/// As clients of every engine know them, in the protocol's order.
const LITERALS: [&str; 19] = [
    "payload_empty",
    "payload_too_large",
    "payload_malformed",
    "payload_invalid",
    "unsupported_version",
    "kind_not_accepted",
    "protocol_mismatch",
    "not_in_session",
    "allocation_mismatch",
    "server_full",
    "reservation_invalid",
    "reservation_unverifiable",
    "not_in_roster",
    "roster_full",
    "backfill_unknown",
    "duplicate_player",
    "approval_timeout",
    "stopping",
    "refused_by_game",
];

#[test]
fn the_literals_and_their_order_are_the_protocols() {
    assert_eq!(Reason::ALL.map(Reason::as_str), LITERALS);
    assert!(Reason::ALL.is_sorted());
}

#[test]
fn a_literal_parses_to_its_reason() {
    for reason in Reason::ALL {
        assert_eq!(reason.as_str().parse(), Ok(reason));
        assert_eq!(reason.to_string(), reason.as_str());
    }
}

#[test]
fn any_other_text_is_no_reason() {
    for text in [
        "",
        "unknown",
        "Stopping",
        "STOPPING",
        " stopping",
        "stopping ",
        "stopping\0",
        "server-full",
        "serverFull",
        "server_ful",
        "server_full_",
        "ServerFull",
    ] {
        assert_eq!(text.parse::<Reason>(), Err(UnknownReason), "{text:?}");
    }
}

#[test]
fn every_reason_has_a_sentence_that_a_player_can_act_on() {
    let ours = [
        "ticket id",
        "allocation",
        "roster",
        "playerId",
        "payload",
        "protocol",
        "_",
        "JSON",
    ];
    for reason in Reason::ALL {
        let message = reason.message();
        assert!((20..=120).contains(&message.len()), "{message}");
        assert!(message.starts_with(char::is_uppercase), "{message}");
        assert!(!message.ends_with('.'), "{message}");
        for word in ours {
            assert!(
                !message.contains(word),
                "{message}: {word} is not a player's word"
            );
        }
    }
    // What the game did wrong reads the same, whatever it was; all else is told apart.
    let all: HashSet<_> = Reason::ALL.map(Reason::message).into_iter().collect();
    assert_eq!(all.len(), Reason::ALL.len() - 2);
}

#[test]
fn the_protocols_page_has_every_reason_with_its_sentence() {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/protocols/join-ticket.md"
    );
    let page = std::fs::read_to_string(page).expect("the page is in the repository");
    let rows: Vec<_> = page
        .lines()
        .skip_while(|line| !line.starts_with("| `payload_empty` |"))
        .map_while(|line| line.strip_prefix("| `")?.split_once("` | "))
        .collect();
    assert_eq!(rows.len(), Reason::ALL.len());
    for (reason, (literal, rest)) in Reason::ALL.into_iter().zip(rows) {
        assert_eq!(literal, reason.as_str());
        assert!(
            rest.starts_with(&format!("{} | ", reason.message())),
            "{literal}"
        );
    }
}
