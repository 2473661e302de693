//! From the second request to the session request.

use super::super::{Cause, Event, Stage};
use super::world::{CLOCK, OURS, World, ms, secs};
use crate::raknet::hex::hex;
use crate::raknet::{Dialect, Message, Reliability};

#[test]
fn the_password_is_handed_on_and_never_shown() {
    let world = World::requested(Dialect::MAFIANET, b"hunter2");
    let [Event::Requested(password)] = &world.events[..] else {
        panic!("{:?}", world.events);
    };
    assert_eq!(password.expose(), b"hunter2");
    assert_eq!(world.happened(), ["Requested(Password(…))"]);
}

#[test]
fn a_wrong_password_is_told_with_our_guid_and_nothing_after_it() {
    let mut world = World::requested(Dialect::MAFIANET, b"wrong");
    world.peer.refuse_password(&world.server, world.now);
    assert_eq!(world.peer.stage(), Stage::Closing);
    let took = world.run_to_the_end();
    assert!(took < ms(100), "once that is acknowledged, it is over");
    let mut expected = vec![0x18];
    expected.extend(OURS.to_bytes());
    assert_eq!(world.heard(), [&expected]);
}

#[test]
fn an_acceptance_is_as_on_the_wire() {
    let mut world = World::requested(Dialect::MAFIANET, b"");
    world.peer.admit(&world.server, world.now);
    let at = world.millis();
    world.run(ms(10));
    let mut expected = hex("10 043ffffdfe0fa0 0000");
    for _ in 0..10 {
        expected.extend(hex("04ffffffff0000"));
    }
    expected.extend(21_u64.to_be_bytes());
    expected.extend((CLOCK + at).to_be_bytes());
    assert_eq!(expected.len(), 96);
    assert_eq!(world.heard(), [&expected]);
}

#[test]
fn an_opening_takes_ten_seconds_at_most() {
    let unverified = World::new(Dialect::MAFIANET);
    let requested = World::requested(Dialect::MAFIANET, b"");
    let handling = World::handling();
    for mut world in [unverified, requested, handling] {
        world.events.clear();
        world.run_to_the_end();
        assert_eq!(world.now, ms(21) + secs(10));
        assert_eq!(world.happened(), ["Expired"]);
    }
}

#[test]
fn nothing_of_the_game_gets_in_before_the_acceptance() {
    let worlds = [
        World::requested(Dialect::MAFIANET, b""),
        World::handling(),
        World::exchanging(),
        World::pending(),
    ];
    for mut world in worlds {
        world.events.clear();
        let stage = world.peer.stage();
        for reliability in Reliability::ALL {
            world.send(b"\x87early", reliability, 1);
        }
        let timestamped = [&[0x1b][..], &[0; 8], b"\x87early"].concat();
        world.send(&timestamped, Reliability::Reliable, 0);
        world.run(ms(50));
        assert_eq!(world.peer.stage(), stage);
        let expected = format!("{:?}", Event::Dropped(Cause::Early));
        assert_eq!(world.happened(), vec![expected; 6]);
    }
}

#[test]
fn nothing_of_the_game_gets_out_before_the_acceptance() {
    let worlds = [
        World::new(Dialect::MAFIANET),
        World::requested(Dialect::MAFIANET, b""),
        World::handling(),
        World::exchanging(),
        World::pending(),
    ];
    for mut world in worlds {
        world.got.clear();
        let sent = world
            .peer
            .send(b"\x87early", Reliability::Reliable, 0, world.now);
        assert!(sent.is_err());
        world.run(ms(50));
        assert!(world.heard().is_empty());
    }
}

#[test]
fn whatever_else_is_said_out_of_place_is_ignored() {
    let request = Message::SessionRequest(b"early").to_bytes();
    let config = Message::SessionConfig(b"mine").to_bytes();
    let rejected = Message::SessionRejected(b"you").to_bytes();
    let status = Message::SessionStatus(b"wait").to_bytes();
    for (mut world, requests) in [(World::handling(), 1), (World::exchanging(), 0)] {
        let stage = world.peer.stage();
        for bytes in [&config, &rejected, &status, &vec![0x84]] {
            world.send(bytes, Reliability::ReliableOrdered, 0);
        }
        if requests == 1 {
            world.send(&request, Reliability::ReliableOrdered, 0);
        }
        world.run(ms(50));
        assert_eq!(world.peer.stage(), stage);
        let expected = format!("{:?}", Event::Dropped(Cause::Ignored));
        assert_eq!(world.happened(), vec![expected; 4 + requests]);
    }
}

#[test]
fn pings_are_answered_from_the_acceptance_on() {
    for mut world in [
        World::handling(),
        World::exchanging(),
        World::pending(),
        World::inside(),
    ] {
        world.got.clear();
        world.say(&Message::Ping { time: 0x3e8 }, Reliability::Unreliable);
        let at = CLOCK + world.millis();
        world.run(ms(10));
        let mut expected = hex("03 00000000000003e8");
        expected.extend(at.to_be_bytes());
        assert_eq!(world.heard(), [&expected]);
    }
}
