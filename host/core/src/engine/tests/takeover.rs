//! Who comes in twice: by an identity that the policy says is proven, the newcomer is refused or takes the
//! place of the one who plays.

use super::world::{World, accept_as, accept_or_wait_as, claim, question};
use crate::*;

/// A host with this many seats whose players join at once.
pub(super) fn host(duplicates: Duplicates, seats: u32) -> World {
    World::new(|config| {
        config.max_players = seats;
        config.duplicates = duplicates;
        config.doors[0].binding = Binding::None;
    })
}

/// Arrives and is let in as this proven identity, if it can be.
pub(super) fn enter(world: &mut World, identity: &str) -> RequestId {
    let peer = world.arrive(identity);
    world.answer(peer, accept_as(identity, []));
    peer
}

/// Whether the request has a session that is not over.
pub(super) fn plays(world: &World, id: RequestId) -> bool {
    world.core.sessions.of_request(id).is_some()
}

fn unproven(identity: &str) -> Decision {
    let option = Admission {
        identity: Some(identity.into()),
        ..Admission::default()
    };
    Decision::Accept(Acceptance {
        options: vec![option],
        ..Acceptance::default()
    })
}

#[test]
fn one_who_plays_is_refused_a_second_time_until_the_first_is_over() {
    let mut world = host(Duplicates::Refuse, 4);
    let first = enter(&mut world, "ada");
    let other = enter(&mut world, "bob");
    let second = enter(&mut world, "ada");
    assert_eq!(
        world.reasons[&second],
        Reason::new(code::DUPLICATE_IDENTITY, "You are already in this server.")
    );
    assert!(plays(&world, first) && plays(&world, other));
    world.leave(first);
    let third = enter(&mut world, "ada");
    world.accepted(third);
    world.close();
}

#[test]
fn that_they_play_already_is_told_before_that_there_is_no_seat() {
    let mut world = host(Duplicates::Refuse, 1);
    enter(&mut world, "ada");
    let again = world.arrive("ada");
    world.answer(again, accept_as("ada", [claim("server", 1)]));
    assert_eq!(world.refused(again).as_deref(), Some("duplicate-identity"));
    // A claim of the policy's own on that key has the policy's reason.
    let again = world.arrive("ada");
    world.answer(again, accept_as("ada", [claim("identity:ada", 1)]));
    assert_eq!(world.refused(again).as_deref(), Some("identity-full"));
    world.close();
}

#[test]
fn an_identity_that_is_not_proven_is_neither_refused_nor_taken_over_nor_takes_over() {
    for duplicates in [Duplicates::Refuse, Duplicates::TakeOver] {
        let mut world = host(duplicates, 5);
        let mut peers = Vec::new();
        for proven in [false, false, true, false] {
            let peer = world.arrive("ada");
            let verdict = if proven {
                accept_as("ada", [])
            } else {
                unproven("ada")
            };
            world.answer(peer, verdict);
            peers.push(peer);
        }
        assert!(peers.iter().all(|peer| plays(&world, *peer)));
        world.close();
    }
}

#[test]
fn the_newcomer_takes_the_place_of_the_one_who_plays_who_is_told() {
    let mut world = host(Duplicates::TakeOver, 4);
    let claims = [claim("class:humans", 1).with_lowest_index()];
    let first = world.arrive("ada");
    world.answer(first, accept_as("ada", claims.clone()));
    world.take_rules();
    let second = world.arrive("ada");
    world.answer(second, accept_as("ada", claims));
    assert_eq!(world.take_told(first), ["accepted 1", "ended taken-over"]);
    assert_eq!(world.take_told(second), ["accepted 2"]);
    assert_eq!(world.take_rules(), ["left 1 Kicked", "joined 2"]);
    assert_eq!(world.report().connected, 1);
    let holder = crate::ledger::Holder::Session(SessionId(2));
    let humans = world.core.ledger.unit(&Key::of("class", "humans"), holder);
    assert_eq!(humans.unwrap().index, Some(0), "in the same step");
    world.close();
}

#[test]
fn at_a_door_that_binds_the_old_endpoint_is_given_up_before_the_new_one_is_bound() {
    let mut world = World::new(|config| config.duplicates = Duplicates::TakeOver);
    world.policies(&[("only", FailMode::Closed)]);
    let first = enter(&mut world, "ada");
    let old = world.accepted(first);
    world.bind(old, "192.0.2.1:5000");
    let second = enter(&mut world, "ada");
    let new = world.accepted(second);
    world.bind(new, "192.0.2.1:5000");
    assert_eq!(
        world.take_rules(),
        ["joined 1", "left 1 Kicked", "joined 2"]
    );
    let tokens = [first, second].map(|peer| world.grant(peer).unwrap().token);
    assert_ne!(tokens[0], tokens[1]);
    world.close();
}

#[test]
fn a_full_server_has_room_for_who_takes_over_and_for_nobody_else() {
    let mut world = host(Duplicates::TakeOver, 2);
    let ada = enter(&mut world, "ada");
    let bob = enter(&mut world, "bob");
    let again = world.arrive("ada");
    world.answer(again, accept_as("ada", [claim("server", 2)]));
    assert_eq!(
        [ada, bob, again].map(|it| plays(&world, it)),
        [false, true, true]
    );
    let cy = enter(&mut world, "cy");
    assert_eq!(world.refused(cy).as_deref(), Some("server-full"));
    // One who could also wait takes over at once.
    let again = world.arrive("bob");
    world.answer(again, accept_or_wait_as("bob", []));
    assert_eq!([bob, again].map(|it| plays(&world, it)), [false, true]);
    world.close();
}

#[test]
fn a_take_over_that_can_not_have_all_of_its_claims_changes_nothing() {
    let mut world = host(Duplicates::TakeOver, 4);
    let ada = enter(&mut world, "ada");
    let bob = world.arrive("bob");
    world.answer(bob, accept_as("bob", [claim("team:red", 1)]));
    let before = world.report();
    let again = world.arrive("ada");
    world.answer(again, accept_as("ada", [claim("team:red", 1)]));
    assert_eq!(world.refused(again).as_deref(), Some("team-full"));
    assert!(plays(&world, ada));
    assert_eq!(world.report(), before);
    world.close();
}

#[test]
fn what_was_spent_for_good_is_not_had_again_by_taking_over() {
    let mut world = host(Duplicates::TakeOver, 4);
    let expiry = world.now.after(std::time::Duration::from_secs(100));
    let ticket = claim("ticket:1", 1).until(Until::Time(expiry));
    let ada = world.arrive("ada");
    world.answer(ada, accept_as("ada", [ticket.clone()]));
    let again = world.arrive("ada");
    world.answer(again, accept_as("ada", [ticket]));
    assert_eq!(world.refused(again).as_deref(), Some("ticket-full"));
    assert!(plays(&world, ada));
    world.close();
}

#[test]
fn two_clients_of_one_player_throw_each_other_out_once_in_five_seconds() {
    let mut world = host(Duplicates::TakeOver, 4);
    // The first was not let in by taking over, so it need not rest.
    enter(&mut world, "ada");
    let second = enter(&mut world, "ada");
    world.accepted(second);
    for _ in 0..3 {
        world.advance(4_999);
        let early = enter(&mut world, "ada");
        assert_eq!(world.refused(early).as_deref(), Some("duplicate-identity"));
        world.advance(1);
        let late = enter(&mut world, "ada");
        world.accepted(late);
        assert_eq!(world.report().connected, 1);
    }
    // Others are not concerned.
    enter(&mut world, "bob");
    let bob = enter(&mut world, "bob");
    world.accepted(bob);
    world.close();
}

#[test]
fn a_session_is_taken_over_by_a_later_request_only() {
    let mut world = host(Duplicates::TakeOver, 4);
    // This one froze while it was being decided; the player is back and plays.
    let frozen = world.arrive("ada");
    let back = enter(&mut world, "ada");
    world.answer(frozen, accept_as("ada", []));
    assert_eq!(world.refused(frozen).as_deref(), Some("duplicate-identity"));
    assert!(plays(&world, back));
    world.close();
}

#[test]
fn who_takes_over_keeps_the_place_through_its_act_even_if_the_old_session_goes() {
    for goes in [false, true] {
        let mut world = host(Duplicates::TakeOver, 1);
        let ada = enter(&mut world, "ada");
        let again = world.arrive("ada");
        let Decision::Accept(acceptance) = accept_as("ada", []) else {
            unreachable!()
        };
        let with_act = Decision::Accept(Acceptance {
            then: Some(question("spend")),
            ..acceptance
        });
        world.answer(again, with_act);
        assert!(plays(&world, ada), "not before the act is done");
        if goes {
            world.leave(ada);
            let thief = enter(&mut world, "bob");
            assert_eq!(world.refused(thief).as_deref(), Some("server-full"));
        }
        let (request, question, _) = world.lookups.remove(0);
        let answer = FactAnswer::Found([].into());
        let attempt = world.attempt(request);
        world.handle(Input::Fact {
            request,
            attempt,
            question,
            answer,
        });
        world.answer(again, super::world::pass([]));
        assert_eq!([ada, again].map(|it| plays(&world, it)), [false, true]);
        assert!(world.compensations.is_empty());
        world.close();
    }
}

#[test]
fn without_a_pool_a_newcomer_has_its_seat_from_its_knock_and_takes_over_too() {
    let mut world = World::new(|config| {
        config.max_pending = 0;
        config.max_players = 2;
        config.duplicates = Duplicates::TakeOver;
    });
    let ada = enter(&mut world, "ada");
    let again = enter(&mut world, "ada");
    assert_eq!([ada, again].map(|it| plays(&world, it)), [false, true]);
    assert_eq!(world.core.ledger.taken(&Key::server()), 1);
    world.close();
}
