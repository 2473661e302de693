//! What is checked before the evidence and after it, in which order, and what is not checked at all.

use super::*;
use usher_sdk::testing::Level;

/// Good tickets with a mode that takes them, and all the evidence that they need.
fn good() -> Vec<(Mode, &'static str, Facts)> {
    let none = Facts::none;
    let session = || testing::allocation("m1");
    let backfilled = testing::backfill("b1", "m1").party("tkt-secret", 1);
    vec![
        (
            Mode::Hosted,
            RESERVATION,
            none().with(hold(), testing::hold()),
        ),
        (
            Mode::Hosted,
            MATCH,
            none().with(question::allocation(), session()),
        ),
        (
            Mode::Hosted,
            BACKFILL,
            none()
                .with(backfill(), backfilled)
                .with(question::allocation(), session()),
        ),
        (
            Mode::SelfHosted,
            RESERVATION,
            none().with(verify(), testing::verified()),
        ),
        (
            Mode::ListenOnline,
            RESERVATION,
            none().with(verify(), testing::verdict("valid")),
        ),
        (Mode::ListenLan, LAN, none()),
    ]
}

fn of_protocol(ticket: &str, version: u32) -> String {
    ticket.replace(
        "\"protocolVersion\":3",
        &format!("\"protocolVersion\":{version}"),
    )
}

#[test]
fn a_payload_that_is_no_ticket_says_why_before_anything_else() {
    let two = of_protocol(RESERVATION, 2).replace("\"v\":1", "\"v\":2");
    for mode in Mode::ALL {
        for (payload, reason) in [
            (Vec::new(), "payload_empty"),
            (b" ".repeat(1025), "payload_too_large"),
            (b"\xff".to_vec(), "payload_malformed"),
            (b"[]".to_vec(), "payload_malformed"),
            (b"{}".to_vec(), "payload_invalid"),
            (two.clone().into_bytes(), "unsupported_version"),
        ] {
            check([row("as it is", mode, payload.clone()).told(reason)]);
            check([row("while it stops", mode, payload)
                .closed("stopping")
                .told(reason)]);
        }
    }
}

#[test]
fn the_protocol_comes_before_stopping_and_stopping_before_all_evidence() {
    for (mode, ticket, facts) in good() {
        for version in [0, 2, 4, 2_147_483_647] {
            let other = of_protocol(ticket, version);
            check([
                row("another protocol", mode, other.clone()).told("protocol_mismatch"),
                row("while it stops", mode, other)
                    .closed("stopping")
                    .told("protocol_mismatch"),
            ]);
        }
        check([row("stopping, nothing is asked", mode, ticket)
            .closed("stopping")
            .told("stopping")]);
        let mut after = row("stopping since the evidence came", mode, ticket).closed("stopping");
        after.facts = facts;
        check([after.taken(player_key(), 1).told("stopping")]);
    }
    // A kind that the mode does not take is told after both.
    check([
        row("kind", Mode::Hosted, LAN)
            .closed("stopping")
            .told("stopping"),
        row("kind", Mode::Hosted, of_protocol(LAN, 2)).told("protocol_mismatch"),
    ]);
}

#[test]
fn a_server_that_is_closed_for_another_reason_is_the_hosts_to_say() {
    check([row("closed", Mode::ListenLan, LAN)
        .closed("maintenance")
        .passes()]);
}

#[test]
fn who_plays_is_asked_for_no_evidence_again() {
    for mode in Mode::ALL {
        for code in [None, Some("stopping")] {
            let request = testing::request().mode(mode).why(Why::Recheck).name("ann");
            let request = match code {
                Some(code) => request.server_closed(code).build(),
                None => request.build(),
            };
            let verdict = host().decide::<JoinTickets>(&request);
            assert_eq!(verdict, Verdict::pass().into());
        }
    }
}

#[test]
fn the_protocol_must_be_given_as_a_number_of_the_protocols_range() {
    for good in ["3", "2147483647", "0"] {
        let host = testing::host().param("protocol-version", good);
        let ticket = of_protocol(LAN, good.parse().expect("a number"));
        let request = testing::request()
            .mode(Mode::ListenLan)
            .payload(ticket)
            .build();
        assert!(matches!(
            host.outcome::<JoinTickets>(&request),
            Outcome::Passed(_)
        ));
    }
    // Whatever comes, as in the host's own test before it serves.
    let request = testing::request().build();
    for bad in [
        None,
        Some("-1"),
        Some("2147483648"),
        Some("3.5"),
        Some("three"),
        Some(""),
    ] {
        let host = match bad {
            Some(bad) => testing::host().param("protocol-version", bad),
            None => testing::host(),
        };
        let decided = std::panic::catch_unwind(|| host.decide::<JoinTickets>(&request));
        let said = decided.expect_err("a mistake shows");
        let said = match said.downcast_ref::<&str>() {
            Some(said) => said,
            None => said.downcast_ref::<String>().expect("a text").as_str(),
        };
        assert!(
            said.starts_with("param `protocol-version` must be"),
            "{bad:?}: {said}"
        );
    }
}

#[test]
fn the_log_knows_a_ticket_by_its_ref_only() {
    let host = host();
    for (mode, ticket, facts) in good() {
        let request = testing::request().mode(mode).payload(ticket).build();
        let (_, lines) = host.run_logged(|| JoinTickets::on_connect_request(&request, &facts));
        let decoded = JoinTicket::decode(ticket.as_bytes()).expect("a ticket");
        let line = match (decoded.ticket_id(), decoded.reservation_id()) {
            (Some(id), _) => format!("ticket {id}: its evidence is good"),
            (None, Some(id)) => format!("reservation {id}: its evidence is good"),
            (None, None) => "lan ticket: its evidence is good".to_owned(),
        };
        assert_eq!(lines, [(Level::Info, line)]);
    }
    let request = testing::request()
        .mode(Mode::Hosted)
        .payload(RESERVATION)
        .build();
    let down = Facts::none().with(hold(), testing::unavailable("unreachable"));
    let (_, lines) = host.run_logged(|| JoinTickets::on_connect_request(&request, &down));
    let decoded = JoinTicket::decode(RESERVATION.as_bytes()).expect("a ticket");
    let id = decoded.reservation_id().expect("it has one");
    assert_eq!(
        lines,
        [
            (Level::Warn, "no evidence: unreachable".to_owned()),
            (
                Level::Info,
                format!("reservation {id}: reservation_unverifiable")
            ),
        ]
    );
}

#[test]
fn the_log_says_what_is_wrong_with_a_payload_and_quotes_nothing_of_it() {
    let said = |payload: &str| {
        let request = testing::request().payload(payload).build();
        let none = Facts::none();
        host()
            .run_logged(|| JoinTickets::on_connect_request(&request, &none))
            .1
    };
    let wrong = r#"{"v":1,"kind":"lan","protocolVersion":3,"playerId":"","displayName":"hunter2"}"#;
    let lines = said(wrong);
    let [(Level::Info, line)] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert!(
        line.starts_with("no join ticket: payload_invalid: playerId "),
        "{line}"
    );
    assert!(!line.contains("hunter2"), "{line}");
    assert!(said("").is_empty());
}

#[test]
fn every_question_that_is_asked_is_described() {
    let described = JoinTickets::describe().questions;
    for (mode, ticket, facts) in good() {
        let mut known = Facts::none();
        let request = testing::request().mode(mode).payload(ticket).build();
        while let Outcome::Asks(inquiry) = host().outcome_with::<JoinTickets>(&request, &known) {
            for question in inquiry.questions {
                assert!(described.contains(&question.name), "{}", question.name);
                let fact = facts.find(&question).expect("good tickets need no more");
                known = known.with(question, fact.answer.clone());
            }
        }
        let verdict = host().decide_with::<JoinTickets>(&request, &known);
        assert!(matches!(verdict.decision, Decision::Pass(_)));
    }
}
