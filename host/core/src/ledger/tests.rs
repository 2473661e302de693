//! Semantics 1 to 7, on the ledger alone.

use super::*;
use crate::claim::Until;
use crate::id::{RequestId, SessionId};

fn request(number: u64) -> Holder {
    Holder::Request(RequestId(number))
}

fn session(number: u64) -> Holder {
    Holder::Session(SessionId(number))
}

fn claim(key: &Key, limit: u32, code: &str) -> Claim {
    Claim::new(key.clone(), limit, Reason::new(code, ""))
}

fn code(full: Full) -> String {
    full.reason.code.to_string()
}

#[test]
fn a_commit_takes_all_claims_or_none() {
    let (server, name) = (Key::server(), Key::of("name", "R9"));
    let mut ledger = Ledger::default();
    let both = [
        claim(&server, 2, "server-full"),
        claim(&name, 1, "name-taken"),
    ];
    ledger.commit(&[Op::Take(session(1), &both)]).unwrap();
    let full = ledger.commit(&[Op::Take(session(2), &both)]).unwrap_err();
    assert_eq!(code(full), "name-taken");
    assert_eq!((ledger.taken(&server), ledger.taken(&name)), (1, 1));
    assert_eq!(ledger.view().taken(&server), 1);
    assert_eq!(ledger.of(session(2)).count(), 0);
}

#[test]
fn claims_of_one_key_merge_to_the_lowest_limit_and_its_reason() {
    let server = Key::server();
    let mut ledger = Ledger::default();
    let two = [
        claim(&server, 20, "server-full"),
        claim(&server, 2, "no-seat-for-you"),
    ];
    for number in 1..=2 {
        ledger.commit(&[Op::Take(session(number), &two)]).unwrap();
    }
    let full = ledger.commit(&[Op::Take(session(3), &two)]).unwrap_err();
    assert_eq!((full.limit, code(full)), (2, "no-seat-for-you".to_owned()));
    assert_eq!(ledger.of(session(1)).count(), 1, "one unit a key a holder");
}

#[test]
fn a_policys_reason_goes_before_the_hosts_own() {
    let server = Key::server();
    let mut ledger = Ledger::default();
    let claims = [
        claim(&server, 1, "host").into_backstop(),
        claim(&server, 1, "policy"),
    ];
    ledger.commit(&[Op::Take(session(1), &claims)]).unwrap();
    assert_eq!(
        code(ledger.fits(session(2), &claims).unwrap_err()),
        "policy"
    );
    assert_eq!(
        code(ledger.fits(session(2), &claims[..1]).unwrap_err()),
        "host"
    );
}

#[test]
fn limits_are_per_commit_and_lowering_one_evicts_nobody() {
    let server = Key::server();
    let mut ledger = Ledger::default();
    for number in 0..18 {
        ledger
            .commit(&[Op::Take(session(number), &[claim(&server, 18, "ordinary")])])
            .unwrap();
    }
    assert!(
        ledger
            .fits(session(18), &[claim(&server, 18, "ordinary")])
            .is_err()
    );
    for number in 18..20 {
        ledger
            .commit(&[Op::Take(session(number), &[claim(&server, 20, "reserved")])])
            .unwrap();
    }
    assert!(
        ledger
            .fits(session(20), &[claim(&server, 20, "reserved")])
            .is_err()
    );
    assert!(
        ledger
            .fits(session(3), &[claim(&server, 1, "lowered")])
            .is_ok(),
        "held is satisfied"
    );
    assert_eq!(ledger.taken(&server), 20);
}

#[test]
fn the_lowest_free_index_is_handed_out_and_stays() {
    let slot = Key::bare("slot");
    let claims = [claim(&slot, 4, "server-full").with_lowest_index()];
    let mut ledger = Ledger::default();
    let index = |ledger: &Ledger, number| ledger.of(session(number)).next().unwrap().1.index;
    for number in 0..4 {
        ledger
            .commit(&[Op::Take(session(number), &claims)])
            .unwrap();
        assert_eq!(index(&ledger, number), Some(u32::try_from(number).unwrap()));
    }
    assert!(ledger.commit(&[Op::Take(session(9), &claims)]).is_err());
    ledger.commit(&[Op::Release(session(2))]).unwrap();
    ledger.commit(&[Op::Release(session(1))]).unwrap();
    ledger.commit(&[Op::Take(session(5), &claims)]).unwrap();
    assert_eq!(index(&ledger, 5), Some(1));
    ledger.commit(&[Op::Take(session(3), &claims)]).unwrap();
    assert_eq!(index(&ledger, 3), Some(3), "taking again changes nothing");
}

#[test]
fn an_undone_commit_gives_its_index_back() {
    let (slot, name) = (Key::bare("slot"), Key::of("name", "R9"));
    let mut ledger = Ledger::default();
    let claims = [
        claim(&slot, 4, "server-full").with_lowest_index(),
        claim(&name, 1, "name-taken"),
    ];
    ledger.commit(&[Op::Take(session(1), &claims)]).unwrap();
    ledger.commit(&[Op::Take(session(2), &claims)]).unwrap_err();
    ledger
        .commit(&[Op::Take(session(3), &claims[..1])])
        .unwrap();
    assert_eq!(ledger.of(session(3)).next().unwrap().1.index, Some(1));
}

#[test]
fn accepting_moves_units_and_gives_back_what_is_not_named() {
    let (server, hold) = (Key::server(), Key::of("hold", "h"));
    let mut ledger = Ledger::default();
    let held = [
        claim(&server, 1, "server-full"),
        claim(&hold, 1, "roster-full"),
    ];
    ledger.commit(&[Op::Take(request(1), &held)]).unwrap();
    let named = &held[..1];
    let freed = ledger
        .commit(&[
            Op::Move {
                from: request(1),
                to: session(1),
            },
            Op::Keep(session(1), named),
            Op::Take(session(1), named),
        ])
        .unwrap();
    assert_eq!(freed, std::slice::from_ref(&hold));
    assert_eq!((ledger.taken(&server), ledger.taken(&hold)), (1, 0));
    assert_eq!(ledger.of(request(1)).count(), 0);
}

#[test]
fn a_closed_key_is_full_with_its_reason_even_for_who_holds_it() {
    let room = Key::room("main");
    let claims = [claim(&room, u32::MAX, "unused")];
    let mut ledger = Ledger::default();
    ledger.commit(&[Op::Take(request(1), &claims)]).unwrap();
    ledger.close(room.clone(), Reason::new("game-started", ""));
    assert_eq!(
        code(ledger.fits(request(1), &claims).unwrap_err()),
        "game-started"
    );
    assert!(ledger.open(&room));
    assert!(ledger.fits(request(1), &claims).is_ok());
}

#[test]
fn a_timed_unit_outlives_its_session_until_its_moment() {
    let ticket = Key::of("ticket", "t");
    let at = Moment::from_millis;
    let claims = [claim(&ticket, 1, "spent").until(Until::Time(at(100)))];
    let mut ledger = Ledger::default();
    ledger.commit(&[Op::Take(session(1), &claims)]).unwrap();
    assert_eq!(ledger.held(), 0, "no leak");
    assert!(
        ledger
            .commit(&[Op::Release(session(1))])
            .unwrap()
            .is_empty()
    );
    assert!(ledger.fits(session(2), &claims).is_err());
    assert_eq!(ledger.next_expiry(), Some(at(100)));
    assert!(ledger.expire(at(99)).is_empty());
    assert_eq!(ledger.expire(at(100)), std::slice::from_ref(&ticket));
    assert!(ledger.fits(session(2), &claims).is_ok());
    assert_eq!(ledger.next_expiry(), None);
}

#[test]
fn a_unit_claimed_both_ways_lasts_as_long_as_the_longer() {
    let key = Key::of("ticket", "t");
    let at = Moment::from_millis;
    let claims = [
        claim(&key, 1, "spent").until(Until::Time(at(100))),
        claim(&key, 1, "in use"),
    ];
    let mut ledger = Ledger::default();
    ledger.commit(&[Op::Take(session(1), &claims)]).unwrap();
    assert!(
        ledger.expire(at(100)).is_empty(),
        "the session still has it"
    );
    assert_eq!(
        ledger.commit(&[Op::Release(session(1))]).unwrap(),
        std::slice::from_ref(&key)
    );
    ledger.commit(&[Op::Take(session(2), &claims)]).unwrap();
    assert!(
        ledger
            .commit(&[Op::Release(session(2))])
            .unwrap()
            .is_empty()
    );
    ledger
        .commit(&[Op::Take(request(3), &claims[..1])])
        .unwrap_err();
}

#[test]
fn forgetting_gives_timed_units_back_too() {
    let key = Key::of("ticket", "t");
    let claims = [claim(&key, 1, "spent").until(Until::Time(Moment::from_millis(100)))];
    let mut ledger = Ledger::default();
    ledger.commit(&[Op::Take(request(1), &claims)]).unwrap();
    assert_eq!(ledger.commit(&[Op::Forget(request(1))]).unwrap(), [key]);
    assert_eq!(ledger.next_expiry(), None);
}

#[test]
fn one_transaction_may_release_one_holder_for_another() {
    let player = Key::of("player", "p");
    let one = [claim(&player, 1, "duplicate-player")];
    let mut ledger = Ledger::default();
    ledger.commit(&[Op::Take(session(1), &one)]).unwrap();
    let freed = ledger
        .commit(&[Op::Release(session(1)), Op::Take(session(2), &one)])
        .unwrap();
    assert!(freed.is_empty(), "nobody else could have had it");
    assert_eq!(ledger.of(session(2)).count(), 1);
}
