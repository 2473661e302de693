//! What each document says, and what comes of those that say nothing.

use super::*;
use crate::AttributeValue;
use crate::prelude::*;
use crate::testing;
use crate::ticket::{AllocationId, DisplayName, JoinTicket, PlayerId, ReservationId};

fn reservation() -> ReservationId {
    ReservationId::new("rsv-1").expect("short")
}

fn player(id: &str) -> PlayerId {
    PlayerId::new(id).expect("short")
}

fn allocation(id: &str) -> AllocationId {
    AllocationId::new(id).expect("short")
}

fn ticket(json: &str) -> JoinTicket {
    JoinTicket::decode(json.as_bytes()).expect("a ticket")
}

fn held(document: impl Into<Answer>) -> Hold {
    let facts = Facts::none().with(question::hold(&reservation()), document);
    facts.hold(&reservation()).expect("answered")
}

fn current(document: impl Into<Answer>) -> Current {
    let facts = Facts::none().with(question::allocation(), document);
    facts.allocation().expect("answered")
}

fn session(document: impl Into<Answer>) -> Allocation {
    match current(document) {
        Current::Allocation(session) => session,
        other => panic!("no session: {other:?}"),
    }
}

fn verified(document: impl Into<Answer>) -> Verified {
    let question = question::verify(&reservation(), &player("ann"));
    let facts = Facts::none().with(question, document);
    let verified = facts.verify(&reservation(), &player("ann"));
    verified.expect("answered")
}

fn claimed(document: impl Into<Answer>) -> Option<SessionClaim> {
    let facts = Facts::none().with(claim_session(), document);
    facts.claimed_session()
}

fn delivered(document: impl Into<Answer>) -> Delivered {
    let facts = Facts::none().with(question::backfill(&allocation("b1")), document);
    facts.backfill(&allocation("b1")).expect("answered")
}

/// The document of a hold as the host writes it, every key in it.
const HOLD: &str = r#"{"seats":2,"playerIds":["ann","bob"],"context":{"key":"hunter2"},
    "expiresAt":1790938560000,"ownerKind":"player","ownerPlayerId":"ann"}"#;

#[test]
fn a_hold_says_for_whom_it_keeps_places() {
    let Hold::Found(hold) = held(Answer::of(HOLD)) else {
        panic!("found");
    };
    assert!(hold.places.admit(&player("bob")));
    assert!(!hold.places.admit(&player("Bob")));
    assert_eq!(hold.expires_at, 1_790_938_560_000);
    assert_eq!(hold.owner_kind.as_deref(), Some("player"));
    assert_eq!(hold.owner_player_id.as_deref(), Some("ann"));
    let context = hold.context.expect("sent along");
    assert_eq!(context.json().expect("JSON")["key"], "hunter2");
    assert!(!format!("{context:?}").contains("hunter2"));

    for (seats, counted) in [
        ("2", 2),
        ("null", 0),
        ("-1", 0),
        ("9000000000000000000", u32::MAX),
    ] {
        let document =
            format!(r#"{{"seats":{seats},"playerIds":null,"expiresAt":7,"colour":"red"}}"#);
        let Hold::Found(hold) = held(Answer::of(document)) else {
            panic!("found: {seats}");
        };
        assert_eq!(hold.places, Places::Open { seats: counted });
        assert!(hold.places.admit(&player("anyone")));
    }
    assert_eq!(held(Answer::Missing), Hold::Missing);
    let down = held(testing::unavailable("unreachable"));
    assert_eq!(down, Hold::Unavailable("unreachable".into()));
}

#[test]
fn a_session_says_who_belongs_to_it() {
    let session = session(Answer::of(
        r#"{"state":"Allocated","current":{"id":"m1","origin":"platform","matchmaker":true,
        "contextValid":true,"rosterless":false,"cap":8,"context":{"queue":"ranked"},
        "roster":[{"ticketId":"t1","partySize":2,"playerId":"ann"}]}}"#,
    ));
    assert!(session.is(&allocation("m1")) && !session.is(&allocation("M1")));
    assert_eq!((session.origin, session.cap()), (Origin::Platform, Some(8)));
    assert!(session.matchmaker && !session.is_rosterless());
    let of = |id| {
        let json = format!(
            r#"{{"v":1,"kind":"match","protocolVersion":0,"playerId":"p","ticketId":"{id}","allocationId":"m1"}}"#
        );
        let ticket = ticket(&json);
        let party = session
            .roster
            .party(ticket.ticket_id().expect("a match has one"));
        party.map(|party| (party.size(), party.submitted_by().map(str::to_owned)))
    };
    assert_eq!(of("t1"), Some((2, Some("ann".into()))));
    assert_eq!(of("T1"), None);
    assert!(!format!("{session:?}").contains("t1"), "an id is a secret");
    assert_eq!(current(testing::idle()), Current::Idle);
}

#[test]
fn only_a_session_of_a_backend_is_rosterless() {
    let plain = || testing::allocation("m1");
    for (document, rosterless) in [
        (plain(), true),
        (plain().own(), false),
        (plain().having("matchmaker", true), false),
        (plain().having("contextValid", false), false),
        (plain().having("rosterless", false), false),
        (plain().party("t1", 1), false),
        (plain().party("t1", 1).having("rosterless", true), false),
    ] {
        assert_eq!(
            session(document.clone()).is_rosterless(),
            rosterless,
            "{document:?}"
        );
    }
    assert_eq!(session(plain()).cap(), None);
    assert_eq!(session(plain().cap(0)).cap(), None);
    assert_eq!(session(plain().cap(i64::MAX)).cap(), Some(u32::MAX));
}

#[test]
fn a_backfill_joins_one_session() {
    let Delivered::Backfill(backfill) = delivered(testing::backfill("b1", "m1").party("t1", 1))
    else {
        panic!("delivered");
    };
    assert!(backfill.is(&allocation("b1")) && !backfill.is(&allocation("m1")));
    assert!(backfill.joins(&session(testing::allocation("m1"))));
    assert!(!backfill.joins(&session(testing::allocation("b1"))));
    assert_eq!(backfill.roster.len(), 1);

    let of_none = r#"{"allocationId":"b1","sessionId":null,"rosterless":true}"#;
    let Delivered::Backfill(backfill) = delivered(Answer::of(of_none)) else {
        panic!("delivered");
    };
    assert!(!backfill.joins(&session(testing::allocation("m1"))));
    assert!(backfill.roster.is_empty());
    assert_eq!(delivered(Answer::Missing), Delivered::Missing);
}

#[test]
fn a_verdict_comes_with_places_or_without() {
    let open = Places::Open { seats: 3 };
    let answer = testing::verified().seats(3);
    assert_eq!(verified(answer), Verified::Valid(Some(open)));
    let named = Places::Named(vec!["ann".into()]);
    let answer = testing::verified().players(["ann"]);
    assert_eq!(verified(answer), Verified::Valid(Some(named)));
    for (word, verdict) in [
        ("valid", Verified::Valid(None)),
        ("invalid", Verified::Invalid),
        ("wrong_server", Verified::WrongServer),
        ("not_in_reservation", Verified::NotInReservation),
    ] {
        assert_eq!(verified(testing::verdict(word)), verdict);
    }
    let is_unavailable = |verdict| matches!(verdict, Verified::Unavailable(_));
    assert!(is_unavailable(verified(testing::verdict("perhaps"))));
    assert!(is_unavailable(verified(Answer::Missing)));
}

#[test]
fn a_claim_of_a_session_succeeds_comes_too_late_or_fails() {
    assert_eq!(Facts::none().claimed_session(), None);
    assert_eq!(
        claimed(testing::session_claimed()),
        Some(SessionClaim::Claimed)
    );
    match claimed(testing::allocation("m1").came_first()) {
        Some(SessionClaim::Allocated(session)) => assert_eq!(session.id(), "m1"),
        other => panic!("not allocated: {other:?}"),
    }
    let nothing = Answer::of(r#"{"outcome":"allocated"}"#);
    for failed in [nothing, Answer::Missing, testing::unavailable("refused")] {
        assert!(matches!(claimed(failed), Some(SessionClaim::Failed(_))));
    }
}

#[test]
fn a_service_answers_with_bytes() {
    let asked = || question::fetch("rank", ["ann".into()], "body");
    let fetched = |answer: Answer| {
        let facts = Facts::none().with(asked(), answer);
        let fetched = facts.fetch("rank", ["ann".into()], "body");
        fetched.expect("answered").json()
    };
    assert_eq!(
        fetched(Answer::of(r#"{"rank":7}"#)).expect("JSON")["rank"],
        7
    );
    assert_eq!(fetched(Answer::of("nonsense")), None);
    assert_eq!(fetched(Answer::Missing), None);
    assert_eq!(
        Facts::none().fetch("rank", ["ann".into()], "body"),
        Err(Verdict::ask(asked()).into())
    );
}

/// Whatever stands where a document should, nothing is learned, nothing panics, and nothing is quoted.
#[test]
fn what_nobody_can_read_teaches_nothing() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let long = format!("{{\"secret\":\"{}\"}}", "x".repeat(600_000));
    let twice =
        r#"{"secret":1,"seats":1,"seats":2,"id":"a","id":"b","verdict":1,"current":1,"outcome":1}"#;
    let types = r#"{"seats":"secret","current":{"id":7},"allocationId":7,"verdict":"secret","outcome":"secret"}"#;
    for body in [
        &b""[..],
        b"null",
        b"[]",
        b"secret",
        b"\xff\xfe",
        deep.as_bytes(),
        long.as_bytes(),
        twice.as_bytes(),
        types.as_bytes(),
    ] {
        let answer = || Answer::of(body);
        let whys = [
            match held(answer()) {
                Hold::Unavailable(why) => why,
                other => panic!("{other:?}"),
            },
            match current(answer()) {
                Current::Unavailable(why) => why,
                other => panic!("{other:?}"),
            },
            match delivered(answer()) {
                Delivered::Unavailable(why) => why,
                other => panic!("{other:?}"),
            },
            match verified(answer()) {
                Verified::Unavailable(why) => why,
                other => panic!("{other:?}"),
            },
            match claimed(answer()) {
                Some(SessionClaim::Failed(why)) => why,
                other => panic!("{other:?}"),
            },
        ];
        for why in whys {
            assert!(!why.contains("secret"), "{why}");
        }
    }
}

#[test]
fn a_mode_is_one_of_five_words() {
    for known in Mode::ALL {
        assert_eq!(mode(&testing::request().mode(known).build()), known);
    }
    assert_eq!(mode(&testing::request().build()), Mode::None);
    let other = AttributeValue::Text("Hosted".into());
    let other = testing::request().attribute("fleet.mode", other).build();
    assert_eq!(mode(&other), Mode::None);
}

#[test]
fn a_server_stops_when_it_is_closed_for_that_reason() {
    assert!(!is_stopping(&testing::request().build()));
    let closed = |code| testing::request().server_closed(code).build();
    assert!(is_stopping(&closed("stopping")));
    assert!(!is_stopping(&closed("maintenance")));
}

#[test]
fn a_name_that_is_shown_does_nothing_but_that() {
    for (given, shown) in [
        ("Bob", Some("Bob")),
        ("  Bob\n", Some("Bob")),
        ("B\u{0}o\u{1b}[2Jb\u{9b}", Some("Bo[2Jb")),
        ("\u{202e}boB\u{2066}\u{200f}\u{61c}", Some("boB")),
        ("\u{feff}\u{200b}\u{2060}\u{2028}", None),
        ("   ", None),
        ("", None),
        ("👩\u{200d}🚀", Some("👩\u{200d}🚀")),
    ] {
        let name = DisplayName::new(given).expect("short");
        assert_eq!(shown_name(&name).as_deref(), shown, "{given:?}");
    }
}

#[test]
fn whom_a_ticket_names_is_stated_and_not_proven() {
    let ticket = ticket(
        r#"{"v":1,"kind":"lan","protocolVersion":0,"playerId":"lan-1","displayName":"\u0007 Bob"}"#,
    );
    let option = &Verdict::accept().joiner(&ticket).options[0];
    assert_eq!(option.identity.as_deref(), Some("lan-1"));
    assert!(!option.identity_proven);
    assert_eq!(option.display_name.as_deref(), Some("Bob"));
}

#[test]
fn a_reason_of_the_protocol_is_one_of_a_verdict() {
    for reason in crate::ticket::Reason::ALL {
        let told = Reason::from(reason);
        assert_eq!(told.code, reason.as_str());
        assert!(!told.text.is_empty());
    }
}
