//! The engine in virtual time: what `design` calls semantics, a named test a rule.

mod acts;
mod chain;
mod claims;
mod closing;
mod evidence;
mod faults;
mod offers;
mod places;
mod reload;
mod sessions;
mod simulation;
mod status;
mod verdicts;
mod waiting;
mod world;

use world::{World, accept, claim, reject};

#[test]
fn a_request_is_accepted_bound_and_leaves() {
    let mut world = World::new(|config| config.max_players = 1);
    let peer = world.arrive("R9");
    world.answer(peer, accept([claim("name:R9", 1)]));
    let session = world.accepted(peer);
    world.bind(session, "192.0.2.1:9000");
    assert_eq!(world.take_rules(), ["joined 1"]);
    let other = world.arrive("Zed");
    world.answer(other, accept([]));
    assert_eq!(world.refused(other).as_deref(), Some("server-full"));
    world.leave(peer);
    assert_eq!(world.take_rules(), ["left 1 Left"]);
    world.close();
}

#[test]
fn a_rejected_request_is_told_the_policys_reason_once() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, reject("no-entry"));
    assert_eq!(world.refused(peer).as_deref(), Some("no-entry"));
    world.leave(peer);
    assert_eq!(world.endings(peer), ["rejected no-entry"]);
    world.close();
}
