//! Sessions whose connection another program keeps: confirmed once, in time, and held on a lease.

use super::world::{World, accept};
use crate::*;
use std::time::Duration;

/// A world whose only door has its sessions confirmed.
fn world() -> World {
    World::new(|config| {
        config.doors[0].binding = Binding::Confirmation {
            confirm_timeout: Duration::from_secs(10),
            lease: Duration::from_secs(30),
        };
    })
}

fn seated(world: &mut World) -> (RequestId, SessionId) {
    let peer = world.arrive("R9");
    world.answer(peer, accept([]));
    let session = world.accepted(peer);
    world.take_told(peer);
    (peer, session)
}

#[test]
fn a_session_joins_when_it_is_confirmed_and_once() {
    let mut world = world();
    let (peer, session) = seated(&mut world);
    assert!(world.grant(peer).unwrap().token.is_none());
    world.bind(session, "192.0.2.1:9000");
    assert_eq!(
        world.take_rules(),
        [""; 0],
        "an endpoint confirms nothing here"
    );
    world.handle(Input::Confirm { session });
    world.handle(Input::Confirm { session });
    assert_eq!(world.take_rules(), ["joined 1"]);
    assert_eq!(world.report().endpoints, 0);
    world.leave(peer);
    world.handle(Input::Confirm { session });
    assert_eq!(world.take_rules(), ["left 1 Left"]);
    world.close();
}

#[test]
fn a_session_that_is_not_confirmed_in_time_ends_without_having_joined() {
    for (after, confirmed) in [(9_999, true), (10_000, false), (10_001, false)] {
        let mut world = world();
        let (peer, session) = seated(&mut world);
        world.advance(after);
        world.handle(Input::Confirm { session });
        let rules: &[&str] = if confirmed { &["joined 1"] } else { &[] };
        assert_eq!(world.take_rules(), rules, "after {after} ms");
        let told: &[&str] = if confirmed {
            &[]
        } else {
            &["ended bind-timeout"]
        };
        assert_eq!(world.take_told(peer), told);
        world.close();
    }
}

#[test]
fn a_lease_that_nobody_renews_ends_the_session() {
    let mut world = world();
    let (peer, session) = seated(&mut world);
    world.handle(Input::Confirm { session });
    world.advance(20_000);
    world.seen.insert(session, world.now);
    world.advance(29_999);
    assert_eq!(world.take_told(peer), [""; 0]);
    world.advance(1);
    assert_eq!(world.take_told(peer), ["ended idle-timeout"]);
    assert_eq!(world.take_rules(), ["joined 1", "left 1 Lost"]);
    world.close();
}

#[test]
fn nothing_is_confirmed_at_a_door_that_binds() {
    let mut world = World::new(|_| {});
    let (peer, session) = seated(&mut world);
    world.handle(Input::Confirm { session });
    assert_eq!(world.take_rules(), [""; 0]);
    world.advance(10_000);
    assert_eq!(world.take_told(peer), ["ended bind-timeout"]);
    world.close();
}
