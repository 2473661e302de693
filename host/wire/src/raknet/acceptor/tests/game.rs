//! What passes once a peer is in.

use super::super::{Cause, Event, Stage, Unsent, Violation};
use super::world::{CLOCK, World, ms};
use crate::raknet::{Reliability, SendError, Timestamped};

#[test]
fn messages_come_with_their_reliability_and_channel() {
    let mut world = World::inside();
    for (channel, reliability) in (0..).zip(Reliability::ALL) {
        world.send(b"\x87hello", reliability, channel);
        world.run(ms(30));
        let Some(Event::Message(message)) = world.events.pop() else {
            panic!("no message of {reliability:?}");
        };
        assert_eq!(message.bytes, b"\x87hello");
        assert_eq!(message.reliability, reliability);
        let expected = if reliability.has_channel() {
            channel
        } else {
            0
        };
        assert_eq!(message.channel, expected);
        assert!(world.events.is_empty());
    }
}

#[test]
fn messages_go_out_in_each_way_there_is() {
    let mut world = World::inside();
    let long = vec![0x87; 30 * 1400];
    for reliability in Reliability::ALL {
        for bytes in [&b"\x87hello"[..], &long] {
            let sent = world.peer.send(bytes, reliability, 2, world.now);
            sent.expect("it is in");
        }
    }
    world.run(ms(500));
    let lengths: Vec<_> = world.heard().iter().map(|bytes| bytes.len()).collect();
    let mut sorted = lengths.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [[6; 5], [42_000; 5]].concat());
}

#[test]
fn ids_of_the_protocol_are_not_the_games() {
    let mut world = World::inside();
    for id in (0..=0x1a).chain([0x1c]).chain(0x80..=0x84) {
        let sent = world
            .peer
            .send(&[id, 1, 2], Reliability::Reliable, 0, world.now);
        assert_eq!(sent, Err(Unsent::Id(id)));
    }
    assert_eq!(
        world.peer.send(b"", Reliability::Reliable, 0, world.now),
        Err(Unsent::Id(0))
    );
    let channel = world
        .peer
        .send(b"\x87", Reliability::ReliableOrdered, 32, world.now);
    assert_eq!(channel, Err(Unsent::Refused(SendError::Channel(32))));
    world.run(ms(20));
    assert!(world.heard().is_empty());

    for id in [0x1b, 0x1d, 0x7f, 0x85, 0x87, 0xff] {
        let bytes = [id, 0, 0, 0, 0, 0, 0, 0, 0, 0x87];
        let sent = world.peer.send(&bytes, Reliability::Reliable, 0, world.now);
        assert_eq!(sent, Ok(()), "{id:#x}");
    }
}

#[test]
fn nothing_overtakes_the_news_of_being_in() {
    let mut world = World::pending();
    // What is sent now is lost.
    world.alive = false;
    world
        .peer
        .accept(&world.server, b"map", world.now)
        .expect("it waits");
    for reliability in Reliability::ALL {
        let sent = world.peer.send(b"\x87now", reliability, 1, world.now);
        sent.expect("it is in");
    }
    let channel = world
        .peer
        .send(b"\x87", Reliability::ReliableOrdered, 32, world.now);
    assert_eq!(channel, Err(Unsent::Refused(SendError::Channel(32))));
    world.run(ms(5));
    world.alive = true;
    world.run(ms(2_500));
    let heard = world.heard();
    assert_eq!(heard[0], b"\x81map");
    assert_eq!(heard[1..], [b"\x87now"; 5]);
}

#[test]
fn times_are_brought_over_to_the_servers_clock() {
    let mut world = World::inside();
    // The client's clock began at 0 when the server's said CLOCK.
    let at = world.millis();
    let mut bytes = Vec::new();
    let message = b"\x89B";
    Timestamped { time: at, message }.encode(&mut bytes);
    world.send(&bytes, Reliability::Unreliable, 0);
    world.run(ms(20));
    let [Event::Message(got)] = &world.events[..] else {
        panic!("{:?}", world.events);
    };
    let got = Timestamped::parse(&got.bytes).unwrap().unwrap();
    assert_eq!(got.message, message);
    assert!(got.time.abs_diff(CLOCK + at) <= 5, "{got:?}");

    world.events.clear();
    world.send(&bytes[..9], Reliability::Unreliable, 0);
    world.run(ms(20));
    let cut = format!("{:?}", Event::Dropped(Cause::Malformed));
    assert_eq!(world.happened(), [cut]);
    assert_eq!(world.peer.stage(), Stage::Connected);
}

#[test]
fn a_peer_that_does_not_keep_up_is_found_out() {
    let mut world = World::inside();
    world.alive = false;
    let long = vec![0x87; 1 << 20];
    let most = (0..100)
        .take_while(|_| {
            let sent = world.peer.send(&long, Reliability::Reliable, 0, world.now);
            sent.is_ok()
        })
        .count();
    assert!((1..=4).contains(&most), "{most}");
    let sent = world.peer.send(&long, Reliability::Reliable, 0, world.now);
    assert_eq!(sent, Err(Unsent::Refused(SendError::Full)));
}

#[test]
fn a_message_of_too_many_parts_ends_the_session_with_a_word() {
    let mut world = World::inside();
    world.server.accepted.max_parts = 10;
    world.peer.connection.set_limits(world.server.accepted());
    world.send(&vec![0x87; 10 * 1340], Reliability::ReliableOrdered, 0);
    world.run(ms(100));
    assert!(matches!(world.events[..], [Event::Message(_)]));
    world.events.clear();
    world.send(&vec![0x87; 11 * 1340], Reliability::ReliableOrdered, 0);
    world.run_until_over();
    let expected = format!("{:?}", Event::Violated(Violation::Message));
    assert_eq!(world.happened(), [expected]);
    assert_eq!(world.heard(), [b"\x15A message was too long."]);
}
