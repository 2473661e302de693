//! The session request, and what is decided about it.

use super::super::{Cause, Event, Stage, Unsent, Violation};
use super::world::{World, ms, secs};
use crate::raknet::{Budget, Connection, Limits, MAX_SESSION_PAYLOAD, Message, Reliability, Share};

#[test]
fn a_payload_of_any_allowed_length_is_asked_about_once() {
    for length in [0, 1, 1340, 1341, MAX_SESSION_PAYLOAD] {
        let mut world = World::exchanging();
        let payload: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        world.say_ordered(&Message::SessionRequest(&payload));
        world.run(ms(500));
        let [Event::SessionRequest(asked)] = &world.events[..] else {
            panic!("{:?}", world.events);
        };
        assert!(*asked == payload);
        assert_eq!(world.peer.stage(), Stage::Pending);
        world.events.clear();
        // It counts for as long as nothing is decided, wherever it is.
        assert_eq!(world.server.budget.used(), length);
        world.peer.reject(&world.server, b"no", false, world.now);
        world.run_to_the_end();
    }
}

#[test]
fn a_payload_that_is_too_long_ends_the_peer_without_an_answer() {
    for length in [MAX_SESSION_PAYLOAD + 1, MAX_SESSION_PAYLOAD + 2, 200_000] {
        let mut world = World::exchanging();
        world.say_ordered(&Message::SessionRequest(&vec![7; length]));
        world.run_to_the_end();
        let expected = format!("{:?}", Event::Violated(Violation::Payload));
        assert_eq!(world.happened(), [expected], "{length}");
        assert!(world.heard().is_empty());
    }
}

#[test]
fn a_payload_for_which_there_is_no_room_is_said_to_be_so() {
    let mut world = World::exchanging();
    // Nearly all that there is; one may have a fraction of what is free.
    let hog = Limits {
        share: Share {
            assured: Budget::DEFAULT_LIMIT,
            spared: 0,
        },
        ..Limits::pending(1400)
    };
    let mut other = Connection::new(1400, hog, world.server.budget.clone(), world.now);
    assert!(other.hold(Budget::DEFAULT_LIMIT - 99));
    world.say_ordered(&Message::SessionRequest(&[7; 100]));
    world.run(ms(50));
    assert_eq!(world.happened(), ["NoRoom"]);
    drop(other);
    world.peer.reject(&world.server, b"full", false, world.now);
    world.run_to_the_end();
    assert_eq!(world.heard(), [b"\x82full"]);
}

#[test]
fn a_second_request_is_ignored_before_and_after_the_decision() {
    let again = Message::SessionRequest(b"again");
    let ignored = format!("{:?}", Event::Dropped(Cause::Ignored));
    for mut world in [World::pending(), World::inside()] {
        world.say_ordered(&again);
        world.run(ms(50));
        assert_eq!(world.happened(), std::slice::from_ref(&ignored));
    }
    let mut world = World::pending();
    world.peer.reject(&world.server, b"no", false, world.now);
    world.say_ordered(&again);
    world.run_to_the_end();
    assert!(world.events.is_empty());
}

#[test]
fn statuses_come_in_order_and_then_the_config() {
    let mut world = World::pending();
    for text in ["one", "two", "three"] {
        let told = world.peer.status(text.as_bytes(), world.now);
        told.expect("it waits");
    }
    let accepted = world.peer.accept(&world.server, b"map=1", world.now);
    accepted.expect("it waits");
    world.run(ms(50));
    let expected: [&[u8]; 4] = [b"\x83one", b"\x83two", b"\x83three", b"\x81map=1"];
    assert_eq!(world.heard(), expected);
    assert_eq!(world.server.budget.used(), 0);
    assert_eq!(
        world.peer.status(b"late", world.now),
        Err(Unsent::WrongStage)
    );
    let twice = world.peer.accept(&world.server, b"again", world.now);
    assert_eq!(twice, Err(Unsent::WrongStage));
}

#[test]
fn texts_of_the_largest_size_arrive_whole() {
    let long = vec![b'x'; MAX_SESSION_PAYLOAD];
    let mut world = World::pending();
    world.peer.status(&long, world.now).expect("it waits");
    world
        .peer
        .accept(&world.server, &long, world.now)
        .expect("it waits");
    world.run(secs(1));
    let lengths: Vec<_> = world.heard().iter().map(|bytes| bytes.len()).collect();
    assert_eq!(lengths, [MAX_SESSION_PAYLOAD + 1; 2]);
}

#[test]
fn a_refusal_is_told_and_over_once_it_is_heard() {
    let mut world = World::pending();
    world
        .peer
        .reject(&world.server, b"not today", false, world.now);
    assert_eq!(world.peer.stage(), Stage::Closing);
    assert_eq!(world.server.budget.used(), 0, "its payload is over at once");
    assert!(world.run_to_the_end() < ms(100));
    assert_eq!(world.heard(), [b"\x82not today"]);
    assert!(world.events.is_empty());
}

#[test]
fn a_refusal_may_be_empty_and_may_come_before_the_request() {
    for mut world in [World::handling(), World::exchanging()] {
        world.peer.reject(&world.server, b"", false, world.now);
        assert!(world.run_to_the_end() < ms(100));
        assert_eq!(world.heard(), [b"\x82"]);
    }
}

#[test]
fn a_refusal_that_nobody_hears_is_given_up() {
    let mut world = World::pending();
    world.alive = false;
    world.peer.reject(&world.server, b"no", false, world.now);
    assert_eq!(world.run_to_the_end(), secs(5));
    assert!(world.events.is_empty());
}

#[test]
fn one_that_cannot_be_told_anything_yet_is_over_at_once() {
    let mut world = World::new(crate::raknet::Dialect::MAFIANET);
    world.peer.reject(&world.server, b"no", false, world.now);
    assert_eq!(world.peer.stage(), Stage::Over);
    world.run(ms(20));
    assert!(world.got.is_empty());
}

#[test]
fn a_peer_that_is_told_too_much_keeps_a_bounded_amount_of_it() {
    let mut world = World::pending();
    world.alive = false;
    let long = vec![b'x'; MAX_SESSION_PAYLOAD];
    let told = (0..100).filter(|_| world.peer.status(&long, world.now).is_ok());
    assert!((2..=4).contains(&told.count()));
    assert!(world.peer.memory() < 300_000);
    let accepted = world.peer.accept(&world.server, &long, world.now);
    assert!(matches!(accepted, Err(Unsent::Refused(_))));
    assert_eq!(world.peer.stage(), Stage::Pending);
}

#[test]
fn a_goodbye_while_it_waits_is_heard_and_acknowledged() {
    for mut world in [World::handling(), World::exchanging(), World::pending()] {
        world.say(&Message::Disconnect(b""), Reliability::ReliableOrdered);
        world.run(ms(20));
        assert_eq!(world.happened(), ["Disconnected([])"]);
        assert_eq!(world.peer.stage(), Stage::Closing);
        assert_eq!(world.server.budget.used(), 0);
        assert!(world.client.all_acked());
        world.run_to_the_end();
        assert!(world.heard().is_empty());
    }
}
