//! Closing: of rooms and of the server to new players, and of the host itself.

use super::world::{World, accept, accept_or_wait, claim, wait};
use crate::*;

fn close(world: &mut World, key: Key, code: &str) {
    let reason = Reason::new(code, "");
    world.handle(Input::Close { key, reason });
}

/// A server of one seat, its player, and a waiter.
fn one_waits() -> (World, RequestId, RequestId) {
    let mut world = World::new(|config| {
        config.max_players = 1;
        config.doors[0].binding = Binding::None;
    });
    let player = world.arrive("player");
    world.answer(player, accept([]));
    let waiter = world.arrive("waiter");
    world.answer(waiter, accept_or_wait([], "soon"));
    (world, player, waiter)
}

#[test]
fn closing_or_opening_a_key_decides_those_anew_who_wait_for_it() {
    let (mut world, _, waiter) = one_waits();
    close(&mut world, Key::room("other"), "not-yours");
    assert!(world.asked(waiter).is_none(), "it waits for another room");
    close(&mut world, Key::room("main"), "game-started");
    let ask = world.asked(waiter).unwrap();
    assert_eq!(ask.why, Why::Reload);
    assert_eq!(&*ask.room.closed.as_ref().unwrap().code, "game-started");
    world.answer(waiter, accept_or_wait([], "soon"));
    assert_eq!(world.position(waiter), Some(1));
    world.handle(Input::Open {
        key: Key::room("main"),
    });
    let ask = world.asked(waiter).unwrap();
    assert!(ask.why == Why::Reload && ask.room.closed.is_none());
    world.close();
}

#[test]
fn opening_what_is_open_asks_nobody() {
    let (mut world, _, waiter) = one_waits();
    world.handle(Input::Open {
        key: Key::room("main"),
    });
    assert!(world.asked(waiter).is_none());
    world.close();
}

#[test]
fn nobody_is_offered_a_seat_in_a_closed_room_until_it_opens() {
    let (mut world, player, waiter) = one_waits();
    close(&mut world, Key::room("main"), "game-started");
    world.answer(waiter, accept_or_wait([], "soon"));
    world.leave(player);
    assert!(world.asked(waiter).is_none());
    assert_eq!(world.report().claims, 0);
    world.handle(Input::Open {
        key: Key::room("main"),
    });
    assert_eq!(world.why(waiter), Why::Offer);
    world.answer(waiter, accept([]));
    world.accepted(waiter);
    world.close();
}

#[test]
fn a_held_offer_is_full_with_the_reason_once_its_room_is_closed() {
    for (verdict, told) in [
        (accept([]), Some("game-started")),
        (accept_or_wait([], "soon"), None),
    ] {
        let (mut world, player, waiter) = one_waits();
        world.leave(player);
        assert_eq!(world.why(waiter), Why::Offer);
        close(&mut world, Key::room("main"), "game-started");
        world.answer(waiter, verdict);
        assert_eq!(world.refused(waiter).as_deref(), told);
        assert_eq!(world.report().claims, 0, "the seat goes back");
        if told.is_none() {
            assert_eq!(world.why(waiter), Why::Reload, "it hears of the closing");
        }
        world.close();
    }
}

#[test]
fn a_first_decision_that_ends_in_a_wait_hears_of_a_closing_that_it_missed() {
    let (mut world, _, _) = one_waits();
    let peer = world.arrive("R9");
    close(&mut world, Key::room("main"), "game-started");
    world.asks.retain(|ask| ask.request.id == peer);
    world.answer(peer, accept_or_wait([], "soon"));
    let ask = world.asked(peer).unwrap();
    assert_eq!(ask.why, Why::Reload);
    assert!(ask.room.closed.is_some());
    world.close();
}

#[test]
fn closing_ends_nobody_who_plays() {
    let (mut world, player, _) = one_waits();
    close(&mut world, Key::room("main"), "game-started");
    close(&mut world, Key::server(), "maintenance");
    assert_eq!(world.report().connected, 1);
    world.leave(player);
    world.close();
}

#[test]
fn a_door_may_have_words_of_its_own_for_a_closed_room_and_a_closed_server_comes_first() {
    let own = Reason::new("not_in_session", "No session is open.");
    let mut world = World::new(|config| config.doors[0].closed_room = Some(own.clone()));
    let [first, second, third] = ["first", "second", "third"].map(|name| world.arrive(name));
    close(&mut world, Key::of("room", "elsewhere"), "not-yours");
    world.answer(first, accept([]));
    world.accepted(first);
    close(&mut world, Key::room("main"), "game-started");
    world.answer(second, accept([]));
    assert_eq!(world.reasons[&second], own);
    close(&mut world, Key::server(), "stopping");
    world.answer(third, accept([claim("gate", 0)]));
    assert_eq!(world.refused(third).as_deref(), Some("stopping"));
    world.close();
}

#[test]
fn every_policy_is_told_what_the_host_is_and_why_it_takes_nobody() {
    let hosted = Attribute {
        name: "fleet.mode".into(),
        value: AttributeValue::Text("hosted".into()),
    };
    let mut world = World::new(|config| config.attributes = [hosted.clone()].into());
    let open = world.arrive("early");
    let ask = world.asked(open).unwrap();
    assert_eq!((&*ask.host, &ask.server_closed), (&[hosted][..], &None));
    close(&mut world, Key::server(), "stopping");
    let late = world.arrive("late");
    let closed = world.asked(late).unwrap().server_closed.clone();
    assert_eq!(closed.as_ref().map(|it| &*it.code), Some("stopping"));
    world.handle(Input::Open { key: Key::server() });
    let after = world.arrive("after");
    assert_eq!(world.asked(after).unwrap().server_closed, None);
    world.close();
}

#[test]
fn one_who_declined_is_woken_by_opening() {
    let (mut world, player, waiter) = one_waits();
    world.leave(player);
    world.answer(waiter, wait([]));
    close(&mut world, Key::room("main"), "game-started");
    world.answer(waiter, wait([]));
    assert!(world.asked(waiter).is_none());
    world.handle(Input::Open {
        key: Key::room("main"),
    });
    assert_eq!(world.why(waiter), Why::Offer);
    world.close();
}

#[test]
fn a_drain_tells_everyone_and_leaves_nothing() {
    let mut world = World::new(|_| {});
    let identity = || Waiting {
        identity: Some("p".into()),
        ..super::world::waiting([claim("gate", 0)])
    };
    let knocked = world.knock();
    let deciding = world.arrive("deciding");
    let waiting = world.arrive("waiting");
    world.answer(waiting, wait([claim("gate", 0)]));
    let dropped = world.arrive("dropped");
    world.answer(dropped, Decision::Wait(identity()));
    world.drop_peer(dropped);
    let unbound = world.arrive("unbound");
    world.answer(unbound, accept([]));
    let bound = world.arrive("bound");
    world.answer(bound, accept([]));
    let session = world.accepted(bound);
    world.bind(session, "192.0.2.1:9000");
    for peer in [knocked, deciding, waiting, dropped, unbound, bound] {
        world.take_told(peer);
    }
    world.take_rules();
    world.handle(Input::Drain);
    for peer in [knocked, deciding, waiting] {
        assert_eq!(world.take_told(peer), ["refused shutting-down"]);
    }
    for peer in [unbound, bound] {
        assert_eq!(world.take_told(peer), ["ended shutdown"]);
    }
    assert_eq!(world.take_told(dropped), [""; 0]);
    assert_eq!(world.take_rules(), [format!("left {session} Shutdown")]);
    assert!(world.core.is_empty());
    let late = world.knock();
    assert_eq!(world.refused(late).as_deref(), Some("shutting-down"));
    world.answer(deciding, accept([]));
    assert!(world.grant(deciding).is_none(), "the answer is too late");
    world.handle(Input::Drain);
    assert_eq!(world.take_told(bound), [""; 0], "once");
    world.close();
}
