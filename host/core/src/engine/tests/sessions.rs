//! Sessions: bound to one endpoint, joined once, ended once, and what they keep.

use super::world::{World, accept, claim};
use crate::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A peer that was let in and has not bound its endpoint.
fn seated(world: &mut World, name: &str) -> (RequestId, SessionId) {
    let peer = world.arrive(name);
    world.answer(peer, accept([]));
    (peer, world.accepted(peer))
}

/// A world whose only door plays over the connection of the login.
fn connected_world() -> World {
    World::new(|config| config.doors[0].binding = Binding::None)
}

#[test]
fn the_first_endpoint_binds_and_every_later_one_is_ignored() {
    let mut world = World::new(|_| {});
    let (_, session) = seated(&mut world, "R9");
    world.bind(session, "192.0.2.1:9000");
    world.bind(session, "192.0.2.1:9000");
    world.bind(session, "192.0.2.1:9001");
    assert_eq!(
        world.bindings,
        [(session, "192.0.2.1:9000".parse().unwrap())]
    );
    assert_eq!(world.take_rules(), ["joined 1"], "joined at binding, once");
    world.close();
}

#[test]
fn an_endpoint_of_a_live_session_binds_no_other_until_that_one_is_over() {
    let mut world = World::new(|_| {});
    let (first, one) = seated(&mut world, "one");
    let (_, two) = seated(&mut world, "two");
    world.bind(one, "192.0.2.1:9000");
    world.bind(two, "192.0.2.1:9000");
    // The same endpoint, as a socket for both families shows it.
    world.bind(two, "[::ffff:192.0.2.1]:9000");
    assert_eq!(world.report().endpoints, 1);
    assert_eq!(world.take_rules(), ["joined 1"]);
    world.leave(first);
    world.bind(two, "[::ffff:192.0.2.1]:9000");
    assert_eq!(world.take_rules(), ["left 1 Left", "joined 2"]);
    world.close();
}

#[test]
fn a_mapped_endpoint_is_bound_as_ipv4_and_given_back() {
    let mut world = World::new(|_| {});
    let (peer, session) = seated(&mut world, "R9");
    world.bind(session, "[::ffff:192.0.2.1]:9000");
    assert_eq!(
        world.bindings,
        [(session, "192.0.2.1:9000".parse().unwrap())]
    );
    world.leave(peer);
    assert_eq!(world.report().endpoints, 0);
    world.close();
}

#[test]
fn bindings_of_sessions_that_are_not_there_are_ignored() {
    let mut world = World::new(|_| {});
    world.bind(SessionId(7), "192.0.2.1:9000");
    let (peer, session) = seated(&mut world, "R9");
    world.leave(peer);
    world.bind(session, "192.0.2.1:9000");
    assert_eq!(world.bindings, []);
    assert_eq!(world.take_rules(), [""; 0], "who never joined never leaves");
    world.close();
}

#[test]
fn a_session_that_does_not_bind_in_time_ends_without_having_joined() {
    for (after, bound) in [(9_999, true), (10_000, false), (10_001, false)] {
        let mut world = World::new(|_| {});
        let (peer, session) = seated(&mut world, "R9");
        world.take_told(peer);
        world.advance(after);
        world.bind(session, "192.0.2.1:9000");
        let rules: &[&str] = if bound { &["joined 1"] } else { &[] };
        assert_eq!(world.take_rules(), rules, "after {after} ms");
        let told: &[&str] = if bound { &[] } else { &["ended bind-timeout"] };
        assert_eq!(world.take_told(peer), told);
        assert_eq!(world.report().claims, if bound { 2 } else { 0 });
        world.close();
    }
}

#[test]
fn a_session_that_goes_silent_ends_exactly_an_idle_timeout_after_it_was_last_heard() {
    let mut world = World::new(|_| {});
    let (peer, session) = seated(&mut world, "R9");
    world.bind(session, "192.0.2.1:9000");
    world.take_told(peer);
    world.advance(7_000);
    world.seen.insert(session, world.now);
    world.advance(9_999);
    assert_eq!(
        world.take_told(peer),
        [""; 0],
        "it was heard of 9.999 s ago"
    );
    world.advance(1);
    assert_eq!(world.take_told(peer), ["ended idle-timeout"]);
    assert_eq!(world.take_rules(), ["joined 1", "left 1 Lost"]);
    world.close();
}

#[test]
fn a_session_that_is_heard_of_costs_one_probe_an_idle_timeout_and_lives() {
    let mut world = World::new(|_| {});
    let (_, session) = seated(&mut world, "R9");
    world.bind(session, "192.0.2.1:9000");
    // Nothing in `seen`: each probe is answered with the moment of the probe.
    world.advance(3_600_000);
    assert_eq!(world.report().connected, 1);
    world.close();
}

#[test]
fn a_sign_of_life_does_not_stand_in_for_binding() {
    let mut world = World::new(|_| {});
    let (peer, session) = seated(&mut world, "R9");
    world.advance(5_000);
    let at = Moment::ZERO;
    world.handle(Input::Seen { session, at });
    world.advance(4_999);
    assert_eq!(world.report().connected, 1);
    world.take_told(peer);
    world.advance(1);
    assert_eq!(world.take_told(peer), ["ended bind-timeout"]);
    world.close();
}

#[test]
fn at_a_door_without_binding_a_session_joins_at_its_acceptance_and_never_idles() {
    let mut world = connected_world();
    let (peer, session) = seated(&mut world, "R9");
    assert_eq!(world.take_rules(), ["joined 1"]);
    assert!(world.grant(peer).unwrap().token.is_none());
    world.bind(session, "192.0.2.1:9000");
    world.advance(3_600_000);
    assert_eq!((world.bindings.len(), world.report().connected), (0, 1));
    world.drop_peer(peer);
    assert_eq!(world.take_rules(), ["left 1 Lost"]);
    world.close();
}

#[test]
fn a_session_ends_once_in_any_order_of_the_last_events() {
    type Event = fn(&mut World, RequestId, SessionId);
    let left: Event = |world, peer, _| world.leave(peer);
    let dropped: Event = |world, peer, _| world.drop_peer(peer);
    let kicked: Event = |world, _, session| world.kick(session, "foul");
    let silent: Event = |world, _, session| {
        world.seen.insert(session, world.now);
        world.advance(10_000);
    };
    let events = [
        ("left", left),
        ("closed", dropped),
        ("kicked", kicked),
        ("idle-timeout", silent),
    ];
    for (word, first) in events {
        for (_, second) in events {
            let mut world = World::new(|_| {});
            let (peer, session) = seated(&mut world, "R9");
            world.bind(session, "192.0.2.1:9000");
            world.take_told(peer);
            world.take_rules();
            first(&mut world, peer, session);
            second(&mut world, peer, session);
            assert_eq!(world.take_told(peer), [format!("ended {word}")]);
            assert_eq!(world.take_rules().len(), 1, "left once");
            assert_eq!(world.report().claims, 0);
            world.close();
        }
    }
}

#[test]
fn kicks_name_the_session_and_a_number_that_is_over_is_nobodys() {
    let mut world = World::new(|config| config.max_players = 1);
    let (peer, session) = seated(&mut world, "R9");
    world.leave(peer);
    let (next, other) = seated(&mut world, "Zed");
    assert_ne!(session, other);
    world.kick(session, "late");
    assert_eq!(world.report().connected, 1);
    world.take_told(next);
    world.kick(other, "foul");
    assert_eq!(world.take_told(next), ["ended kicked"]);
    world.close();
}

#[test]
fn a_command_kicks_every_session_of_an_identity_and_nobody_else() {
    let mut world = World::new(|_| {});
    let mut peers = Vec::new();
    for identity in [Some("p1"), Some("p2"), Some("p1"), None] {
        let peer = world.arrive("R9");
        let option = Admission {
            identity: identity.map(Into::into),
            ..Admission::default()
        };
        let options = vec![option];
        world.answer(
            peer,
            Decision::Accept(Acceptance {
                options,
                ..Acceptance::default()
            }),
        );
        world.take_told(peer);
        peers.push(peer);
    }
    let admin = world.arrive("admin");
    world.answer(
        admin,
        Verdict {
            decision: Decision::Reject(Reason::new("no", "")),
            commands: vec![Command::KickIdentity("p1".into(), Reason::new("twice", ""))],
        },
    );
    let told: Vec<_> = peers
        .iter()
        .map(|peer| world.take_told(*peer).len())
        .collect();
    assert_eq!(told, [1, 0, 1, 0]);
    world.close();
}

#[test]
fn tokens_are_unique_at_a_door_and_never_zero_whatever_the_generator_says() {
    for stuck in [0, 7, u64::MAX, u64::from(u32::MAX), 1 << 32] {
        let mut world = World::new(|config| {
            config.max_players = 64;
            config.doors[0].binding = Binding::Token {
                bind_timeout: Duration::from_secs(10),
                idle_timeout: Duration::from_secs(10),
            };
        });
        world.core.entropy = Box::new(move || stuck);
        let mut tokens = BTreeSet::new();
        for _ in 0..64 {
            let (peer, _) = seated(&mut world, "R9");
            let token = world.grant(peer).unwrap().token.unwrap().expose();
            assert!(
                token != 0 && tokens.insert(token),
                "token {token} of {stuck}"
            );
        }
        world.close();
    }
}

#[test]
fn a_session_keeps_what_the_policy_said_and_not_the_payload() {
    let mut world = connected_world();
    let peer = world.arrive("R9");
    world.answer(
        peer,
        Decision::Accept(Acceptance {
            options: vec![Admission {
                identity: Some("p1".into()),
                identity_proven: true,
                display_name: Some("Ronaldo".into()),
                room: Some("arena".into()),
                claims: vec![claim("hold:h", 1)],
                config: Arc::from(*b"config"),
                remember: Arc::from(*b"elo 1200"),
            }],
            ..Acceptance::default()
        }),
    );
    let grant = world.grant(peer).unwrap().clone();
    assert_eq!((&*grant.name, &*grant.room), ("Ronaldo", "arena"));
    assert_eq!(&*grant.config, b"config");
    let player = &world.players[&grant.session];
    assert_eq!(player.identity.as_deref(), Some("p1"));
    assert!(player.identity_proven);
    assert_eq!(&*player.remember, b"elo 1200");
    assert_eq!((&*player.name, &*player.room), ("Ronaldo", "arena"));
    // Server, room, identity and hold.
    assert_eq!(world.report().claims, 4);
    world.close();
}
