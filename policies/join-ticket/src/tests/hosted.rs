//! Rows of a hosted game server.

use super::*;
use Mode::Hosted;
use question::allocation;
use testing::unavailable;

#[test]
fn a_reservation_is_as_good_as_its_hold() {
    let held = |says, answer: testing::Places| {
        let row = row(says, Hosted, RESERVATION);
        row.found(hold(), answer)
    };
    let asked = |says, answer: Answer| row(says, Hosted, RESERVATION).found(hold(), answer);
    check([
        row("it is asked for", Hosted, RESERVATION).asks(hold()),
        asked("unknown, released, expired", Answer::Missing).told("reservation_invalid"),
        asked("unreachable", unavailable("unreachable")).told("reservation_unverifiable"),
        asked("malformed", Answer::of("?")).told("reservation_unverifiable"),
        asked("a verdict in its place", testing::verdict("valid")).told("reservation_unverifiable"),
        held("names others", testing::hold().players(["bob"])).told("reservation_invalid"),
        held("names nobody", testing::hold().players([])).told("reservation_invalid"),
        held("other case", testing::hold().players(["Ann"])).told("reservation_invalid"),
        held("names the player", testing::hold().players(["bob", "ann"])).passes(),
        held(
            "named, whose seats are taken",
            testing::hold().players(["ann"]).seats(0),
        )
        .taken(hold_key(), 9)
        .passes(),
        held("named, but in already", testing::hold().players(["ann"]))
            .taken(player_key(), 1)
            .told("duplicate_player"),
        held("open", testing::hold().seats(2)).passes_with(hold_key(), 2),
        held("open, one seat left", testing::hold().seats(2))
            .taken(hold_key(), 1)
            .passes_with(hold_key(), 2),
        held("open, none left", testing::hold().seats(2))
            .taken(hold_key(), 2)
            .told("roster_full"),
        held("open, but in already", testing::hold().seats(2))
            .taken(player_key(), 1)
            .taken(hold_key(), 2)
            .told("duplicate_player"),
        held("open, of no seats", testing::hold().no_seats()).told("roster_full"),
        held("of no seats, but in already", testing::hold().no_seats())
            .taken(player_key(), 1)
            .told("duplicate_player"),
    ]);
}

#[test]
fn a_match_is_the_current_session() {
    let current = |says, answer: Answer| row(says, Hosted, MATCH).found(allocation(), answer);
    check([
        row("it is asked for", Hosted, MATCH).asks(allocation()),
        current("none", testing::idle()).told("allocation_mismatch"),
        current("another", testing::allocation("m2").into()).told("allocation_mismatch"),
        current("other case", testing::allocation("M1").into()).told("allocation_mismatch"),
        current("not learned", unavailable("no view yet")).told("reservation_unverifiable"),
        current("malformed", Answer::of("{}x")).told("reservation_unverifiable"),
    ]);
}

#[test]
fn a_match_with_a_roster_lets_in_its_parties() {
    let with = |says, session: testing::Allocation| {
        let row = row(says, Hosted, MATCH);
        row.found(allocation(), session)
    };
    let session = || testing::allocation("m1").having("matchmaker", true);
    check([
        with("in it", session().party("tkt-secret", 2)).passes_with(ticket_key("m1"), 2),
        with("not in it", session().party("tkt-other", 2)).told("not_in_roster"),
        with("other case", session().party("TKT-SECRET", 2)).told("not_in_roster"),
        with(
            "not in it comes before in already",
            session().party("tkt-other", 2),
        )
        .taken(player_key(), 1)
        .told("not_in_roster"),
        with("in already", session().party("tkt-secret", 2))
            .taken(player_key(), 1)
            .taken(ticket_key("m1"), 2)
            .told("duplicate_player"),
        with("party full", session().party("tkt-secret", 2))
            .taken(ticket_key("m1"), 2)
            .told("roster_full"),
        with(
            "the same ticket elsewhere is another",
            session().party("tkt-secret", 2),
        )
        .taken(ticket_key("m2"), 2)
        .passes_with(ticket_key("m1"), 2),
        with("an empty roster of the matchmaker", session()).told("not_in_roster"),
        with(
            "a context that does not parse",
            testing::allocation("m1").having("contextValid", false),
        )
        .told("not_in_roster"),
        with(
            "not said to be rosterless",
            testing::allocation("m1").having("rosterless", false),
        )
        .told("not_in_roster"),
        with(
            "a roster beats the flag",
            testing::allocation("m1")
                .party("tkt-other", 1)
                .having("rosterless", true),
        )
        .told("not_in_roster"),
        with(
            "a backend may have one too",
            testing::allocation("m1").party("tkt-secret", 1),
        )
        .passes_with(ticket_key("m1"), 1),
    ]);
}

#[test]
fn a_match_without_a_roster_lets_in_who_knows_its_id() {
    let with = |says, session: testing::Allocation| {
        let row = row(says, Hosted, MATCH);
        row.found(allocation(), session)
    };
    let session = || testing::allocation("m1");
    check([
        with("up to its cap", session().cap(2)).passes_with(allocation_key(), 2),
        with("and no further", session().cap(2))
            .taken(allocation_key(), 2)
            .told("roster_full"),
        with("else up to the server's", session()).passes_with(allocation_key(), 16),
        with("a cap of 0 is none", session().cap(0)).passes_with(allocation_key(), 16),
        with("in already", session().cap(2))
            .taken(player_key(), 1)
            .taken(allocation_key(), 2)
            .told("duplicate_player"),
        with("the server's own never", session().own()).told("not_in_roster"),
        with("not even to who is in already", session().own())
            .taken(player_key(), 1)
            .told("not_in_roster"),
        with("nor with a roster", session().own().party("tkt-secret", 2)).told("not_in_roster"),
    ]);
}

#[test]
fn a_backfill_joins_the_current_session() {
    let came = |says, answer: Answer| row(says, Hosted, BACKFILL).found(backfill(), answer);
    let joins = |says, backfill: testing::Backfill| {
        came(says, backfill.into()).found(allocation(), testing::allocation("m1").cap(1))
    };
    let one = || testing::backfill("b1", "m1");
    check([
        row("it is asked for", Hosted, BACKFILL).asks(backfill()),
        came("not delivered", Answer::Missing).told("backfill_unknown"),
        came("unreadable", unavailable("unreadable")).told("reservation_unverifiable"),
        came("malformed", Answer::of("[]")).told("reservation_unverifiable"),
        came("another", testing::backfill("b2", "m1").into()).told("backfill_unknown"),
        came("then the session is asked for", one().into()).asks(allocation()),
        came("no session", one().into())
            .found(allocation(), testing::idle())
            .told("backfill_unknown"),
        came("another session", one().into())
            .found(allocation(), testing::allocation("m2"))
            .told("backfill_unknown"),
        came("session not learned", one().into())
            .found(allocation(), unavailable("unreachable"))
            .told("reservation_unverifiable"),
        joins("in its roster", one().party("tkt-secret", 2)).passes_with(ticket_key("b1"), 2),
        joins("not in its roster", one().party("tkt-other", 2)).told("not_in_roster"),
        joins("without a roster", one()).told("not_in_roster"),
        joins("in already", one().party("tkt-secret", 2))
            .taken(player_key(), 1)
            .told("duplicate_player"),
        joins("party full", one().party("tkt-secret", 2))
            .taken(ticket_key("b1"), 2)
            .told("roster_full"),
        joins(
            "the session's own seats are not asked for",
            one().party("tkt-secret", 2),
        )
        .taken(allocation_key(), 9)
        .taken(ticket_key("m1"), 9)
        .passes_with(ticket_key("b1"), 2),
    ]);
}

#[test]
fn nobody_comes_over_the_lan() {
    check([row("lan", Hosted, LAN).told("kind_not_accepted")]);
}
