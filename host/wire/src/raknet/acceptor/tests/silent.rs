//! Dialects without a session exchange: the decision comes before the acceptance.

use super::super::{Event, Stage, Unsent};
use super::world::{World, ms, secs};
use crate::raknet::{Dialect, Message, Reliability};

fn requested() -> World {
    let mut world = World::requested(Dialect::RAKNET4, b"secret");
    assert!(matches!(world.events[..], [Event::Requested(_)]));
    world.events.clear();
    world
}

#[test]
fn it_hears_nothing_while_it_is_decided_about() {
    let mut world = requested();
    assert_eq!(
        world.peer.status(b"wait", world.now),
        Err(Unsent::WrongStage)
    );
    world.run(secs(8));
    assert!(world.got.is_empty());
    assert_eq!(world.peer.stage(), Stage::Requested);
}

#[test]
fn it_is_accepted_and_in_once_it_confirms_that() {
    let mut world = requested();
    let accepted = world.peer.accept(&world.server, b"config", world.now);
    accepted.expect("it waits");
    let early = world
        .peer
        .send(b"\x86first", Reliability::Unreliable, 0, world.now);
    early.expect("it waits until it knows");
    world.run(ms(50));
    assert_eq!(world.peer.stage(), Stage::Handling);
    assert_eq!(world.heard().len(), 1);
    assert_eq!(world.heard()[0][0], 0x10);
    world.got.clear();

    world.confirm();
    world.run(ms(50));
    assert_eq!(world.peer.stage(), Stage::Connected);
    assert_eq!(world.heard(), [b"\x86first"]);
    // Ids that are MafiaNet's own are the game's here.
    world.send(b"\x81mine", Reliability::Reliable, 0);
    world.run(ms(50));
    let [Event::Message(message)] = &world.events[..] else {
        panic!("{:?}", world.events);
    };
    assert_eq!(message.bytes, b"\x81mine");
}

#[test]
fn one_that_never_confirms_expires() {
    let mut world = requested();
    let accepted = world.peer.accept(&world.server, b"", world.now);
    accepted.expect("it waits");
    world.run_to_the_end();
    assert_eq!(world.happened(), ["Expired"]);
}

#[test]
fn it_is_refused_with_a_bare_id() {
    let mut world = requested();
    world.peer.reject(&world.server, b"full", false, world.now);
    world.run_to_the_end();
    assert_eq!(world.heard(), [b"\x15"]);

    let mut world = requested();
    world.peer.reject(&world.server, b"wrong", true, world.now);
    world.run_to_the_end();
    assert_eq!(world.heard()[0][0], 0x18);
    assert_eq!(world.heard().len(), 1);
}

#[test]
fn it_is_sent_away_without_a_reason() {
    let mut world = requested();
    world
        .peer
        .accept(&world.server, b"", world.now)
        .expect("it waits");
    world.run(ms(20));
    world.confirm();
    world.run(ms(20));
    world.got.clear();
    world.peer.disconnect(b"afk", world.now);
    world.run_to_the_end();
    assert_eq!(world.heard(), [b"\x15"]);
    assert!(world.events.is_empty());
}

#[test]
fn a_session_request_is_nothing_here() {
    let mut world = requested();
    world.say_ordered(&Message::SessionRequest(b"x"));
    world.run(ms(20));
    assert_eq!(world.happened(), ["Dropped(Early)"]);
}
