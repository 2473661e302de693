//! Rows of all other modes.

use super::*;
use testing::{unavailable, verdict, verified};

#[test]
fn a_reservation_is_as_good_as_discovery_says() {
    for mode in [Mode::SelfHosted, Mode::ListenOnline] {
        let said = |says, answer: Answer| row(says, mode, RESERVATION).found(verify(), answer);
        let detailed = |says, places: testing::Places| said(says, places.into());
        check([
            row("it is asked for", mode, RESERVATION).asks(verify()),
            said("invalid", verdict("invalid")).told("reservation_invalid"),
            said("wrong server", verdict("wrong_server")).told("reservation_invalid"),
            said("names others", verdict("not_in_reservation")).told("reservation_invalid"),
            said("not learned", unavailable("429")).told("reservation_unverifiable"),
            said("malformed", Answer::of("")).told("reservation_unverifiable"),
            said("nothing said", Answer::Missing).told("reservation_unverifiable"),
            said("a hold in its place", testing::hold().into()).told("reservation_unverifiable"),
            row("the hold of a fleet is of no use", mode, RESERVATION)
                .found(hold(), testing::hold().players(["ann"]))
                .asks(verify()),
            said("good, no seats to count", verdict("valid"))
                .taken(hold_key(), 9)
                .passes(),
            said("good, but in already", verdict("valid"))
                .taken(player_key(), 1)
                .told("duplicate_player"),
            detailed("named", verified().players(["ann"]).seats(0)).passes(),
            detailed("names others after all", verified().players(["bob"]))
                .told("reservation_invalid"),
            detailed("open", verified().seats(2)).passes_with(hold_key(), 2),
            detailed("open, none left", verified().seats(2))
                .taken(hold_key(), 2)
                .told("roster_full"),
            detailed("open, but in already", verified().seats(2))
                .taken(player_key(), 1)
                .taken(hold_key(), 2)
                .told("duplicate_player"),
            detailed("of no seats", verified().no_seats()).told("roster_full"),
        ]);
    }
}

#[test]
fn only_reservations_can_be_verified() {
    for mode in [Mode::SelfHosted, Mode::ListenOnline] {
        check([
            row("match", mode, MATCH).told("kind_not_accepted"),
            row("backfill", mode, BACKFILL).told("kind_not_accepted"),
            row("lan", mode, LAN).told("kind_not_accepted"),
        ]);
    }
}

#[test]
fn over_the_lan_there_is_nothing_to_verify() {
    let mode = Mode::ListenLan;
    check([
        row("lan", mode, LAN).passes(),
        row("in already", mode, LAN)
            .taken(player_key(), 1)
            .told("duplicate_player"),
        row("reservation", mode, RESERVATION)
            .found(hold(), testing::hold().players(["ann"]))
            .found(verify(), verdict("valid"))
            .told("kind_not_accepted"),
        row("match", mode, MATCH)
            .found(question::allocation(), testing::allocation("m1"))
            .told("kind_not_accepted"),
        row("backfill", mode, BACKFILL).told("kind_not_accepted"),
    ]);
}

#[test]
fn without_a_mode_no_ticket_is_good() {
    for ticket in [RESERVATION, MATCH, BACKFILL, LAN] {
        check([row("none", Mode::None, ticket).told("kind_not_accepted")]);
    }
    let request = testing::request().payload(LAN).build();
    let outcome = host().outcome::<JoinTickets>(&request);
    assert_eq!(
        outcome.code(),
        Some("kind_not_accepted"),
        "nor without a word"
    );
}
