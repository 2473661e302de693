//! What comes late, of a connection that the same address had before.

use super::super::{Cause, Event, Stage};
use super::world::{THEIRS, World, ms, secs};
use crate::raknet::datagram::begin_data;
use crate::raknet::frame::Frame;
use crate::raknet::{Dialect, Message, Password, Reliability};

/// A datagram of one message, which is the channel's first if its order is 0.
fn datagram(number: u32, reliability: Reliability, order: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    begin_data(number, &mut out);
    let frame = Frame {
        reliability,
        bits: u16::try_from(bytes.len() * 8).expect("it is short"),
        message: 0,
        sequence: 0,
        order,
        channel: 0,
        part: None,
        bytes,
    };
    frame.encode(&mut out);
    out
}

fn request() -> Vec<u8> {
    let request = Message::ConnectionRequest {
        guid: THEIRS,
        time: 21,
        password: Password::new(b""),
    };
    request.to_bytes()
}

/// What may be late.
fn late() -> Vec<Vec<u8>> {
    let mut late = vec![
        // Nothing but a number; acknowledgements, and a question for what is missing.
        vec![0x84, 9, 0, 0],
        vec![0x84, 0, 0x80, 0],
        vec![0xc0, 0, 1, 1, 0, 0, 0],
        vec![0xa0, 0, 1, 1, 0, 0, 0],
        // A request that waits for what came before it, and one that is cut.
        datagram(900, Reliability::ReliableOrdered, 7, &request()),
        datagram(901, Reliability::Reliable, 0, &[9, 1, 2, 3]),
    ];
    let messages: [&[u8]; 5] = [b"\x87game", &[0x13; 94], &[0; 9], b"\x80", b"\x15"];
    for (number, message) in (0..).zip(messages) {
        for reliability in Reliability::ALL {
            for number in [number, 600 + number, 40_000] {
                late.push(datagram(number, reliability, 0, message));
                late.push(datagram(number, reliability, 5, message));
            }
        }
    }
    late
}

fn hear(world: &mut World, datagram: &[u8]) {
    // It is malformed or not; either is fine.
    let _ = world
        .peer
        .receive(&world.server, datagram, world.now, &mut world.events);
}

#[test]
fn what_comes_late_before_the_request_to_connect_is_as_if_it_had_not_come() {
    let mut all = World::new(Dialect::MAFIANET);
    for datagram in late() {
        let mut world = World::new(Dialect::MAFIANET);
        for world in [&mut world, &mut all] {
            hear(world, &datagram);
            world.run(ms(20));
            assert_eq!(world.peer.stage(), Stage::Unverified, "{datagram:?}");
            let ignored = |event: &Event| matches!(event, Event::Dropped(Cause::Ignored));
            assert!(world.events.iter().all(ignored), "{:?}", world.events);
            assert_eq!(world.server.budget.used(), 0);
        }
        request_goes_through(world, &datagram);
    }
    request_goes_through(all, b"all of them");
}

/// The peer asks to connect, and that is heard, acknowledged and answered.
fn request_goes_through(mut world: World, after: &[u8]) {
    world.send(&request(), Reliability::Reliable, 0);
    world.run(ms(20));
    assert_eq!(world.peer.stage(), Stage::Requested, "after {after:?}");
    assert!(world.client.all_acked(), "after {after:?}");
    world.peer.admit(&world.server, world.now);
    world.confirm();
    world.run(ms(20));
    assert_eq!(world.peer.stage(), Stage::Exchanging, "after {after:?}");
}

#[test]
fn a_request_to_connect_is_heard_under_whatever_number_it_comes() {
    for number in [0, 1, 7, 511, 512, 700, 40_000] {
        let mut world = World::new(Dialect::MAFIANET);
        hear(&mut world, &[0x84, 0x50, 0xc3, 0]);
        hear(
            &mut world,
            &datagram(number, Reliability::Reliable, 0, &request()),
        );
        assert_eq!(world.peer.stage(), Stage::Requested, "{number}");
    }
}

#[test]
fn who_never_asks_to_connect_loses_its_place_after_ten_seconds_whatever_it_says() {
    let mut world = World::new(Dialect::MAFIANET);
    let start = world.now;
    let mut late = late().into_iter().cycle();
    while world.peer.stage() != Stage::Over {
        let datagram = late.next().expect("there is always one more");
        hear(&mut world, &datagram);
        world.run(ms(50));
        assert!(world.got.is_empty(), "nothing is said to it");
    }
    assert_eq!(world.now, start + secs(10));
    assert!(matches!(world.events.last(), Some(Event::Expired)));
    world.run_to_the_end();
}

#[test]
fn a_last_word_is_being_heard_until_it_is_acknowledged_or_a_second_has_passed() {
    let mut world = World::pending();
    assert!(!world.peer.is_hearing_its_last_word(world.now));
    world.alive = false;
    world.peer.reject(&world.server, b"full", false, world.now);
    world.run(ms(995));
    assert!(world.peer.is_hearing_its_last_word(world.now));
    world.run(ms(5));
    assert!(!world.peer.is_hearing_its_last_word(world.now));
    assert_eq!(world.peer.stage(), Stage::Closing, "it goes on being told");

    let mut world = World::pending();
    world.peer.reject(&world.server, b"full", false, world.now);
    world.run(ms(50));
    assert!(!world.peer.is_hearing_its_last_word(world.now));
    assert_eq!(world.heard(), [b"\x82full"]);
}

#[test]
fn one_that_leaves_by_itself_may_ask_again_at_once() {
    let mut world = World::inside();
    world.say(&Message::Disconnect(b""), Reliability::ReliableOrdered);
    world.run(ms(5));
    assert_eq!(world.peer.stage(), Stage::Closing);
    assert!(!world.peer.is_hearing_its_last_word(world.now));

    // One that is sent away at the same time, too.
    let mut world = World::inside();
    world.say(&Message::Disconnect(b""), Reliability::ReliableOrdered);
    world.peer.disconnect(b"afk", world.now);
    assert!(world.peer.is_hearing_its_last_word(world.now));
    world.run(ms(5));
    assert_eq!(world.peer.stage(), Stage::Closing);
    assert!(!world.peer.is_hearing_its_last_word(world.now));
}
