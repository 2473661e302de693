//! Who waits and plays already: what their session has is theirs.

use super::takeover::{enter, host, plays};
use super::world::{World, accept_as, accept_or_wait_as, claim, pass, reject, wait, waiting_as};
use crate::*;

fn wait_as(identity: &str, claims: impl IntoIterator<Item = Claim>) -> Decision {
    Decision::Wait(waiting_as(identity, claims))
}

fn held(world: &World, id: RequestId) -> Vec<String> {
    let ask = world.asked(id).expect("an ask is out about this request");
    ask.held.iter().map(|unit| unit.key.to_string()).collect()
}

/// A full server where `ada` plays, and her next request, of which the policy says wait.
fn returned() -> (World, RequestId, RequestId) {
    let mut world = host(Duplicates::TakeOver, 1);
    let ada = enter(&mut world, "ada");
    let again = world.arrive("ada");
    world.answer(again, wait_as("ada", [claim("server", 1)]));
    (world, ada, again)
}

#[test]
fn one_who_is_to_be_refused_may_wait_until_the_first_is_over() {
    let mut world = host(Duplicates::Refuse, 4);
    let ada = enter(&mut world, "ada");
    let again = world.arrive("ada");
    world.answer(again, accept_or_wait_as("ada", []));
    assert_eq!(world.state(again), Some("waiting"));
    world.drop_peer(ada);
    assert_eq!(world.why(again), Why::Offer);
    let third = enter(&mut world, "ada");
    assert_eq!(world.refused(third).as_deref(), Some("duplicate-identity"));
    world.answer(again, accept_or_wait_as("ada", []));
    world.accepted(again);
    world.close();
}

#[test]
fn a_waiter_is_offered_what_its_own_session_has_at_once() {
    let (mut world, ada, again) = returned();
    assert_eq!(world.why(again), Why::Offer);
    assert_eq!(held(&world, again), ["identity:ada", "room:main", "server"]);
    assert!(plays(&world, ada), "until the policy has decided");
    world.answer(again, accept_as("ada", [claim("server", 1)]));
    assert_eq!([ada, again].map(|it| plays(&world, it)), [false, true]);
    assert_eq!(
        world.take_rules(),
        ["joined 1", "left 1 Kicked", "joined 2"]
    );
    world.close();
}

#[test]
fn it_goes_before_those_who_wait_and_takes_nothing_of_theirs() {
    let mut world = host(Duplicates::TakeOver, 2);
    let ada = enter(&mut world, "ada");
    let bob = enter(&mut world, "bob");
    let first = world.arrive("first");
    world.answer(first, wait([]));
    let again = world.arrive("ada");
    world.answer(again, wait_as("ada", []));
    assert_eq!(world.why(again), Why::Offer);
    world.leave(bob);
    assert_eq!(world.why(first), Why::Offer, "the seat of another");
    world.answer(again, accept_as("ada", []));
    world.answer(first, accept_as("first", []));
    assert_eq!(
        [ada, again, first].map(|it| plays(&world, it)),
        [false, true, true]
    );
    world.close();
}

#[test]
fn when_its_session_goes_meanwhile_it_has_what_that_had() {
    let (mut world, ada, again) = returned();
    let waiter = world.arrive("waiter");
    world.answer(waiter, wait([]));
    world.leave(ada);
    assert!(world.asked(waiter).is_none(), "the seat is held");
    let thief = enter(&mut world, "bob");
    assert_eq!(world.refused(thief).as_deref(), Some("server-full"));
    world.answer(again, accept_as("ada", [claim("server", 1)]));
    world.accepted(again);
    assert_eq!(world.take_rules(), ["joined 1", "left 1 Left", "joined 3"]);
    world.close();
}

#[test]
fn what_it_does_not_take_after_its_session_went_goes_to_the_next() {
    for gone in [false, true] {
        let (mut world, ada, again) = returned();
        let waiter = world.arrive("waiter");
        world.answer(waiter, wait([]));
        world.leave(ada);
        match gone {
            true => world.leave(again),
            false => world.answer(again, reject("banned")),
        }
        assert_eq!(world.why(waiter), Why::Offer);
        world.close();
    }
}

#[test]
fn one_that_declines_is_passed_over_and_its_session_plays_on() {
    let (mut world, ada, again) = returned();
    world.answer(again, wait_as("ada", []));
    assert!(world.asked(again).is_none());
    assert!(plays(&world, ada) && world.core.heirs.is_empty());
    world.advance(60_000);
    assert!(world.asked(again).is_none());
    // What it declined was its own; what is free for all is another thing.
    world.leave(ada);
    assert_eq!(world.why(again), Why::Offer);
    world.close();
}

#[test]
fn of_two_that_wait_one_is_offered_it_and_then_the_other() {
    let (mut world, ada, again) = returned();
    let third = world.arrive("ada");
    world.answer(third, wait_as("ada", []));
    assert!(world.asked(third).is_none(), "another is about to");
    world.answer(again, wait_as("ada", []));
    assert_eq!(world.why(third), Why::Offer);
    world.answer(third, accept_as("ada", []));
    assert_eq!([ada, third].map(|it| plays(&world, it)), [false, true]);
    // The older request takes over nobody; it waits for its turn.
    world.advance(60_000);
    assert!(world.asked(again).is_none());
    assert_eq!(world.state(again), Some("waiting"));
    world.close();
}

#[test]
fn who_came_too_soon_is_offered_it_when_the_session_has_rested() {
    let mut world = host(Duplicates::TakeOver, 1);
    enter(&mut world, "ada");
    let second = enter(&mut world, "ada");
    let third = world.arrive("ada");
    world.answer(third, accept_or_wait_as("ada", []));
    assert_eq!(world.state(third), Some("waiting"));
    world.advance(4_999);
    assert!(world.asked(third).is_none());
    world.advance(1);
    assert_eq!(world.why(third), Why::Offer);
    world.answer(third, accept_or_wait_as("ada", []));
    assert_eq!([second, third].map(|it| plays(&world, it)), [false, true]);
    world.close();
}

#[test]
fn what_its_session_has_not_is_held_for_it_and_must_be_had() {
    let (mut world, _, again) = returned();
    world.answer(again, wait_as("ada", []));
    let vip = || claim("vip", 1);
    let third = world.arrive("ada");
    world.answer(third, wait_as("ada", [vip()]));
    assert_eq!(
        held(&world, third),
        ["identity:ada", "room:main", "server", "vip"]
    );
    assert_eq!(world.core.ledger.taken(&vip().key), 1, "nobody else has it");
    world.answer(third, reject("no"));
    assert_eq!(world.core.ledger.taken(&vip().key), 0);
    let fourth = world.arrive("ada");
    world.answer(fourth, wait_as("ada", [claim("gate", 0)]));
    assert!(world.asked(fourth).is_none(), "the gate is shut");
    world.close();
}

#[test]
fn what_a_policy_of_the_offer_holds_or_passes_counts_on_the_session_too() {
    let (mut world, ada, again) = returned();
    world.answer(
        again,
        Decision::Ask(Inquiry {
            questions: Vec::new(),
            hold: vec![claim("server", 1), claim("extra", 1)],
        }),
    );
    assert_eq!(world.why(again), Why::Evidence);
    assert_eq!(
        held(&world, again),
        ["extra", "identity:ada", "room:main", "server"]
    );
    world.answer(again, accept_as("ada", [claim("server", 1)]));
    assert_eq!([ada, again].map(|it| plays(&world, it)), [false, true]);
    world.close();

    let (mut world, ada, again) = returned();
    // All pass: nobody says any more who this is, so it takes over nobody.
    world.answer(again, pass([claim("server", 1)]));
    assert_eq!(world.refused(again).as_deref(), Some("server-full"));
    assert!(plays(&world, ada));
    world.close();
}

#[test]
fn a_waiter_that_is_not_proven_waits_like_everyone() {
    let mut world = host(Duplicates::TakeOver, 1);
    let ada = enter(&mut world, "ada");
    let again = world.arrive("ada");
    let waiting = Waiting {
        identity_proven: false,
        ..waiting_as("ada", [])
    };
    world.answer(again, Decision::Wait(waiting));
    assert!(world.asked(again).is_none());
    assert!(plays(&world, ada));
    world.close();
}

#[test]
fn a_later_request_that_waits_takes_over_the_older_one_that_was_let_in() {
    let mut world = host(Duplicates::TakeOver, 1);
    let player = enter(&mut world, "player");
    // She waits, crashes, is back, and waits again; her old connection is not found dead yet.
    let [crashed, back] = [(); 2].map(|()| world.arrive("ada"));
    let other = world.arrive("other");
    for (peer, verdict) in [
        (crashed, accept_or_wait_as("ada", [])),
        (back, accept_or_wait_as("ada", [])),
        (other, wait([])),
    ] {
        world.answer(peer, verdict);
    }
    world.leave(player);
    world.answer(crashed, accept_or_wait_as("ada", []));
    assert!(plays(&world, crashed));
    assert_eq!(world.why(back), Why::Offer);
    world.answer(back, accept_or_wait_as("ada", []));
    assert_eq!([crashed, back].map(|it| plays(&world, it)), [false, true]);
    assert!(world.asked(other).is_none(), "nobody else gains by it");
    world.close();
}
