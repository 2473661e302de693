//! What a server says to a peer that is leaving already, and goodbyes that cross each other.

use super::super::{Stage, Unsent};
use super::world::{World, ms, secs};
use crate::raknet::{Message, Reliability};

/// Everything that a server can say to a peer.
fn say_everything(world: &mut World) {
    let (server, peer, now) = (&world.server, &mut world.peer, world.now);
    assert_eq!(peer.accept(server, b"map", now), Err(Unsent::Closing));
    assert!(peer.status(b"wait", now).is_err());
    peer.admit(server, now);
    peer.refuse_password(server, now);
    peer.reject(server, b"no", false, now);
    peer.reject(server, b"no", true, now);
    peer.disconnect(b"afk", now);
    assert!(
        peer.send(b"\x87x", Reliability::Reliable, 0, now).is_err(),
        "it hears nothing any more"
    );
    assert_eq!(peer.stage(), Stage::Closing);
}

#[test]
fn what_is_decided_about_one_that_leaves_does_not_cut_its_goodbye_short() {
    for mut world in [World::pending(), World::inside()] {
        world.say(&Message::Disconnect(b""), Reliability::ReliableOrdered);
        world.run(ms(5));
        assert_eq!(world.peer.stage(), Stage::Closing);
        say_everything(&mut world);
        // What it says again is acknowledged again, for as long as before.
        world.run(ms(500));
        world.send(b"\x15", Reliability::Reliable, 0);
        assert_eq!(world.run_to_the_end(), secs(1) - ms(505));
        assert!(world.client.all_acked());
        assert!(world.heard().is_empty(), "{:?}", world.heard());
        assert_eq!(world.events.len(), 1, "{:?}", world.events);
    }
}

#[test]
fn what_is_decided_about_one_that_was_told_its_last_word_does_not_cut_that_short() {
    let mut world = World::pending();
    world.alive = false;
    world
        .peer
        .reject(&world.server, b"banned", false, world.now);
    world.run(ms(20));
    say_everything(&mut world);
    world.alive = true;
    assert!(world.run_to_the_end() < secs(5));
    assert_eq!(world.heard(), [b"\x82banned"]);
    assert!(world.events.is_empty());
}

#[test]
fn goodbyes_that_cross_each_other_are_both_acknowledged() {
    for mut world in [World::pending(), World::inside()] {
        world.say(&Message::Disconnect(b""), Reliability::ReliableOrdered);
        match world.peer.stage() {
            Stage::Pending => world.peer.reject(&world.server, b"full", false, world.now),
            _ => world.peer.disconnect(b"full", world.now),
        }
        assert!(world.run_to_the_end() <= secs(1));
        assert!(world.client.all_acked());
        assert_eq!(world.heard().len(), 1, "{:?}", world.heard());
        assert!(world.events.is_empty(), "that it leaves is known");
    }
}

#[test]
fn goodbyes_that_are_said_on_and_on_hold_no_place() {
    let mut world = World::pending();
    let start = world.now;
    world.peer.reject(&world.server, b"full", false, world.now);
    while world.peer.stage() != Stage::Over {
        world.send(b"\x15", Reliability::Reliable, 0);
        world.run(ms(100));
        assert!(world.now <= start + secs(2), "it is still there");
    }
    world.run_to_the_end();
}
