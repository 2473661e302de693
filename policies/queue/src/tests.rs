//! The queue against a host that fits in a test.

use super::*;
use usher_sdk::testing::{self, Host, Outcome, RequestBuilder};

fn outcome(host: Host, name: &str) -> Outcome {
    let request = testing::request().name(name).max_players(20).build();
    host.param("vip", r#"["Zed", "Kim"]"#)
        .param("reserved", "2")
        .outcome::<Queue>(&request)
}

fn seated(players: u32) -> Host {
    testing::host()
        .taken(Key::server(), players)
        .taken(Key::slot(), players)
}

/// A request at a protocol without names.
fn opaque(payload: impl Into<Vec<u8>>) -> RequestBuilder {
    let request = testing::request().with(|it| it.name = None);
    request.payload(payload)
}

/// Lane, rank and priority of one who finds no seat.
fn place(host: &Host, request: RequestBuilder) -> (String, i32, i32) {
    let waiting = host.outcome::<Queue>(&request.build()).waits();
    (waiting.lane, waiting.lane_rank, waiting.priority)
}

fn at(lane: &str, rank: i32, priority: i32) -> (String, i32, i32) {
    (lane.to_owned(), rank, priority)
}

#[test]
fn the_last_seats_are_reserved() {
    outcome(seated(17), "R9").accepted();
    let waiting = outcome(seated(18), "R9").waits();
    assert_eq!((waiting.lane.as_str(), waiting.priority), ("main", 0));
    outcome(seated(18), "Zed").accepted();
    outcome(seated(19), "Kim").accepted();
    assert_eq!(outcome(seated(20), "Zed").waits().priority, 10);
}

#[test]
fn a_class_may_come_first_without_the_reserved_seats() {
    let host = || seated(18).param("vip-reserved", "false");
    assert_eq!(outcome(host(), "Zed").waits().priority, 10);
}

#[test]
fn lane_and_priority_are_params() {
    let host = seated(20).param("lane", "eu").param("vip-priority", "3");
    let waiting = outcome(host, "Zed").waits();
    assert_eq!((waiting.lane.as_str(), waiting.priority), ("eu", 3));
}

#[test]
fn classes_have_lists_and_lanes_of_their_own() {
    let host = seated(4)
        .param("classes", r#"["staff", "donor"]"#)
        .param("staff-bucket", "staff")
        .param("staff-lane", "staff")
        .param("donor", "Kim, R9")
        .param("donor-priority", "5")
        .listed("staff", "R9", "the boss")
        .listed("staff", "198.51.100.0/24", "the office");
    let named = |name: &str| testing::request().name(name);
    assert_eq!(place(&host, named("Zed")), at("main", 0, 0));
    assert_eq!(place(&host, named("Kim")), at("main", 0, 5));
    assert_eq!(
        place(&host, named("R9")),
        at("staff", -1, 10),
        "the first counts"
    );
    let office = || named("Zed").address("198.51.100.9");
    assert_eq!(place(&host, office()), at("staff", -1, 10));
    let forged = office().with(|it| it.peer.proven = false);
    assert_eq!(place(&host, forged), at("main", 0, 0));
    assert_eq!(place(&host, opaque("R9")), at("staff", -1, 10));

    let host = host.param("lane-rank", "3");
    assert_eq!(place(&host, named("R9")), at("staff", 2, 10));
    let host = host.param("staff-rank", "7");
    assert_eq!(place(&host, named("R9")), at("staff", 7, 10));
}

#[test]
#[should_panic(expected = "param `donor-priority` must be a number")]
fn a_mistake_in_a_class_shows_whoever_comes() {
    let host = testing::host()
        .param("classes", "vip, donor")
        .param("donor-priority", "high");
    host.outcome::<Queue>(&testing::request().build());
}

#[test]
#[should_panic(expected = "looks into the bucket \"vips\", which there is not")]
fn a_list_that_there_is_not_shows_whoever_comes() {
    let host = testing::host().param("vip-bucket", "vips");
    host.outcome::<Queue>(&opaque([255]).build());
}

#[test]
fn a_taken_name_does_not_wait() {
    let host = seated(20).taken(Key::new("name").part("R9"), 1);
    assert_eq!(outcome(host, "R9").code(), Some("name-taken"));
}

#[test]
fn without_a_name_a_short_text_says_who_it_is_and_nobody_is_shown_it() {
    let host = testing::host();
    let entered = |request: RequestBuilder| host.outcome::<Queue>(&request.build()).accepted();
    let named = entered(testing::request().name("R9").payload("D2"));
    assert_eq!(named.identity.as_deref(), Some("R9"));
    assert_eq!(named.display_name.as_deref(), Some("R9"));
    let texts = entered(opaque("D2"));
    assert_eq!(texts.identity.as_deref(), Some("D2"));
    assert_eq!(texts.display_name, None);
    assert!(
        texts
            .claims
            .iter()
            .all(|claim| claim.key.namespace != "name")
    );
    let waits = seated(4).outcome::<Queue>(&opaque("D2").build()).waits();
    assert_eq!(waits.identity.as_deref(), Some("D2"));
    for nobody in [&b""[..], b"\xff\x00", &[b'x'; 65]] {
        let entered = entered(opaque(nobody));
        assert_eq!((entered.identity, entered.display_name), (None, None));
    }
}

#[test]
fn the_operator_says_by_what_a_player_is_known() {
    let known = |by: &str, request: RequestBuilder| {
        let host = testing::host().param("identity", by);
        let admission = host.outcome::<Queue>(&request.build()).accepted();
        assert_eq!(admission.identity, admission.display_name);
        admission.identity
    };
    let both = || testing::request().name("R9").payload("D2");
    assert_eq!(known("name", both()).as_deref(), Some("R9"));
    assert_eq!(known("name", opaque("D2")), None);
    assert_eq!(known("payload", both()).as_deref(), Some("D2"));
    assert_eq!(known("none", both()), None);
}

#[test]
#[should_panic(expected = "param `identity` must be \"name\", \"payload\" or \"none\": \"nmae\"")]
fn another_word_is_said_loudly() {
    let host = testing::host().param("identity", "nmae");
    host.outcome::<Queue>(&testing::request().build());
}

/// What becomes of a second one who is proven is the host's to say; a claim of ours would refuse it first.
#[test]
fn who_is_proven_is_left_to_the_hosts_rule_for_duplicates() {
    let host = testing::host()
        .param("identity-proven", "true")
        .taken(Key::new("name").part("R9"), 1);
    let request = testing::request().name("R9").build();
    let admission = host.outcome::<Queue>(&request).accepted();
    assert!(admission.identity_proven);
    assert!(
        admission
            .claims
            .iter()
            .all(|claim| claim.key.namespace != "name")
    );
    let waiting = host
        .taken(Key::server(), 4)
        .outcome::<Queue>(&request)
        .waits();
    assert!(waiting.identity_proven);
    assert_eq!(waiting.identity.as_deref(), Some("R9"));
}

#[test]
fn who_plays_is_never_sent_away() {
    let request = testing::request().name("R9").why(Why::Recheck).build();
    let host = seated(20).taken(Key::new("name").part("R9"), 1);
    let verdict = host.param("reserved", "4").decide::<Queue>(&request);
    assert_eq!(verdict, Verdict::pass().into());
}

#[test]
fn who_waits_is_told_at_once_and_then_where() {
    let status = outcome(seated(20), "R9").waits().status;
    assert_eq!(status.as_deref(), Some(&b"You are in the queue"[..]));

    let again = testing::request().position(2).build();
    let status = seated(4).outcome::<Queue>(&again).waits().status;
    assert_eq!(status, None, "the place that was told last stands");

    let waiter = testing::waiter().place(3, 12).build();
    assert_eq!(
        Queue::on_waiting(&waiter).as_deref(),
        Some(&b"You are 3 of 12 in the queue"[..])
    );
    assert_eq!(
        Queue::on_waiting(&testing::waiter().deciding().build()),
        None
    );
}
