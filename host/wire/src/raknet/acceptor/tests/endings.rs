//! Silence, goodbyes, and what is left after them.

use super::super::{Acceptor, Stage, late_ack};
use super::world::{World, ms, opening, secs, server};
use crate::raknet::{Connection, Dialect, Message, Reliability};

#[test]
fn one_that_vanished_while_it_waits_is_found_in_ten_seconds() {
    for statuses in [false, true] {
        let mut world = World::pending();
        world.run(secs(7));
        world.alive = false;
        let vanished = world.now;
        while world.peer.stage() != Stage::Over {
            if statuses {
                let told = world.peer.status(b"wait", world.now);
                told.expect("it seems to wait");
            }
            world.run(secs(1));
            assert!(world.now <= vanished + secs(11), "it is never found");
        }
        assert!(world.now <= vanished + secs(10) + ms(5), "{:?}", world.now);
        assert_eq!(world.happened(), ["Lost"]);
        assert_eq!(world.server.budget.used(), 0);
    }
}

#[test]
fn one_that_waits_in_silence_is_left_in_peace() {
    for mut world in [World::exchanging(), World::pending(), World::inside()] {
        let stage = world.peer.stage();
        world.got.clear();
        world.run(secs(300));
        assert_eq!(world.peer.stage(), stage);
        assert!(world.events.is_empty());
        // A reliable ping every five seconds, and nothing else.
        assert!(world.heard().is_empty());
        assert!((58..=61).contains(&world.got.len()), "{}", world.got.len());
    }
}

#[test]
fn one_that_vanished_while_it_plays_is_lost_after_ten_seconds() {
    let mut world = World::inside();
    world.run(secs(3));
    world.send(b"\x87here", Reliability::Unreliable, 0);
    world.run(ms(5));
    world.alive = false;
    world.events.clear();
    assert_eq!(world.run_to_the_end(), secs(10) - ms(5));
    assert_eq!(world.happened(), ["Lost"]);
}

#[test]
fn a_goodbye_has_a_reason_and_nothing_is_said_after_it() {
    let mut world = World::inside();
    // Much that is under way is of no use any more.
    let sent = world
        .peer
        .send(&[0x87; 100_000], Reliability::Reliable, 0, world.now);
    sent.expect("it is in");
    world.say(
        &Message::Disconnect(b"bedtime"),
        Reliability::ReliableOrdered,
    );
    world.run(ms(5));
    assert_eq!(
        world.happened(),
        ["Disconnected([98, 101, 100, 116, 105, 109, 101])"]
    );
    assert_eq!(world.peer.stage(), Stage::Closing);
    world.got.clear();
    // What it says again is acknowledged again.
    world.send(b"\x87late", Reliability::Reliable, 0);
    assert_eq!(world.run_to_the_end(), secs(1) - ms(5));
    assert!(world.client.all_acked());
    assert!(world.got.is_empty());
    assert_eq!(world.events.len(), 1);
}

#[test]
fn a_goodbye_is_acknowledged_at_once_and_then_nothing_needs_an_acceptor() {
    let mut world = World::inside();
    world.run(ms(50));
    assert!(!world.peer.only_lingers());
    world.say(&Message::Disconnect(b""), Reliability::ReliableOrdered);
    let mut goodbye = Vec::new();
    assert!(world.client.poll_transmit(world.now, &mut goodbye));
    let mut events = Vec::new();
    let heard = world
        .peer
        .receive(&world.server, &goodbye, world.now, &mut events);
    assert_eq!(heard, Ok(()));
    assert!(!world.peer.only_lingers(), "it has not been told");
    let mut ack = Vec::new();
    assert!(world.peer.poll_transmit(world.now, &mut ack));
    assert!(world.peer.only_lingers());
    // The first one is lost on its way, and one like it takes its place.
    ack.clear();
    assert!(late_ack(&goodbye, &mut ack));
    assert_eq!(world.client.receive(&ack, world.now), Ok(()));
    assert!(world.client.all_acked());
    for other in [&ack.clone()[..], &[0x84, 0], &[]] {
        assert!(!late_ack(other, &mut ack), "{other:?}");
    }
}

#[test]
fn one_that_is_sent_away_hears_why_after_all_that_came_before() {
    let mut world = World::inside();
    let sent = world
        .peer
        .send(b"\x87last", Reliability::ReliableOrdered, 0, world.now);
    sent.expect("it is in");
    world.peer.disconnect(b"afk", world.now);
    assert!(world.run_to_the_end() < ms(100));
    let expected: [&[u8]; 2] = [b"\x87last", b"\x15afk"];
    assert_eq!(world.heard(), expected);
    assert!(world.events.is_empty());
}

#[test]
fn one_that_waits_takes_little() {
    let world = World::pending();
    let (own, all) = (size_of::<Acceptor>(), world.peer.memory());
    println!(
        "a pending peer takes {all} bytes, {own} of them itself and {} its connection",
        size_of::<Connection>()
    );
    assert!(all <= 640, "{all}");
}

#[test]
fn datagrams_of_noise_change_nothing() {
    let mut world = World::pending();
    let noise: [&[u8]; 5] = [
        &[0x84],
        &[0x84, 0, 0, 0, 0xff],
        &[0xc0, 0xff, 0xff],
        &[0xa0, 0, 1, 0, 5, 0, 0, 1, 0, 0],
        &[0xff; 1372],
    ];
    for bytes in noise {
        let mut events = Vec::new();
        // It is malformed or not; either is fine.
        let _ = world
            .peer
            .receive(&world.server, bytes, world.now, &mut events);
        assert!(events.is_empty(), "{bytes:?}: {events:?}");
    }
    world.run(secs(20));
    assert_eq!(world.peer.stage(), Stage::Pending);
}

#[test]
fn nothing_is_left_to_do_once_it_is_over() {
    let (server, mut events) = (server(), Vec::new());
    let mut peer = Acceptor::new(&server, opening(Dialect::MAFIANET), ms(0));
    peer.handle_timeout(&server, secs(10), &mut events);
    assert_eq!(peer.stage(), Stage::Over);
    let mut out = Vec::new();
    assert!(!peer.poll_transmit(secs(10), &mut out));
    assert_eq!(peer.poll_timeout(&server), None);
    peer.handle_timeout(&server, secs(20), &mut events);
    assert_eq!(events.len(), 1);
}

#[test]
fn one_that_begins_what_it_does_not_end_is_given_up() {
    for mut world in [World::exchanging(), World::inside()] {
        world.send(&[0x87; 20_000], Reliability::ReliableOrdered, 3);
        // Its first datagram, and nothing more of that; a ping now and then shows that it is there.
        let mut datagram = Vec::new();
        assert!(world.client.poll_transmit(world.now, &mut datagram));
        let heard = world
            .peer
            .receive(&world.server, &datagram, world.now, &mut world.events);
        heard.expect("well-formed");
        world.client.fall_silent();
        assert!(world.server.budget.used() > 1_000);
        for _ in 0..9 {
            world.run(secs(1));
            world.say(&Message::Ping { time: 0 }, Reliability::Unreliable);
        }
        assert!(world.events.is_empty());
        let rest = world.run_to_the_end();
        assert!((ms(900)..=ms(1_005)).contains(&rest), "{rest:?}");
        assert_eq!(world.happened(), ["Violated(Unfinished)"]);
    }
}

#[test]
fn one_that_vanishes_amid_a_message_is_lost() {
    let mut world = World::inside();
    world.send(&[0x87; 20_000], Reliability::ReliableOrdered, 3);
    let mut datagram = Vec::new();
    assert!(world.client.poll_transmit(world.now, &mut datagram));
    let heard = world
        .peer
        .receive(&world.server, &datagram, world.now, &mut world.events);
    heard.expect("well-formed");
    world.alive = false;
    let end = world.run_to_the_end();
    assert!(end <= secs(10) + ms(5), "{end:?}");
    assert_eq!(world.happened(), ["Lost"]);
}
