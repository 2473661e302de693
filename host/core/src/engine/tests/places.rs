//! Places: what is kept of a waiter whose connection dropped, for whom, and for how long.

use super::world::{World, accept, waiting};
use crate::*;

fn identified(identity: &str, proven: bool) -> Decision {
    Decision::Wait(Waiting {
        identity: Some(identity.into()),
        identity_proven: proven,
        ..waiting([])
    })
}

/// A full server, and its player.
fn full(change: impl FnOnce(&mut Config)) -> (World, RequestId) {
    let mut world = World::new(|config| {
        config.max_players = 1;
        config.max_pending = 200;
        config.doors[0].binding = Binding::None;
        change(config);
    });
    let player = world.arrive("player");
    world.answer(player, accept([]));
    (world, player)
}

/// Waiters with proven identities `p0`, `p1`, …, each from an address of its own.
fn queue(world: &mut World, count: usize) -> Vec<RequestId> {
    (0..count)
        .map(|n| wait_as(world, &format!("p{n}"), true))
        .collect()
}

fn wait_as(world: &mut World, identity: &str, proven: bool) -> RequestId {
    let peer = world.arrive(identity);
    world.answer(peer, identified(identity, proven));
    peer
}

fn wait_from(world: &mut World, ip: &str, identity: &str, proven: bool) -> RequestId {
    let peer = world.arrive_from(ip, identity);
    world.answer(peer, identified(identity, proven));
    peer
}

#[test]
fn a_waiter_that_drops_at_place_40_of_100_and_returns_in_20_s_keeps_its_place() {
    let (mut world, _) = full(|_| {});
    let peers = queue(&mut world, 100);
    world.drop_peer(peers[39]);
    assert_eq!(world.endings(peers[39]), ["abandoned Dropped"], "at once");
    assert_eq!(
        world.position(peers[40]),
        Some(40),
        "a place is not counted"
    );
    assert_eq!(world.report().pending, 100, "but it is, in the pool");
    world.advance(20_000);
    let back = wait_as(&mut world, "p39", true);
    assert_eq!(world.position(back), Some(40));
    assert_eq!(world.position(peers[40]), Some(41));
    assert_eq!(world.position(peers[99]), Some(100));
    assert_eq!(world.report().pending, 100);
    world.close();
}

#[test]
fn after_the_grace_the_place_is_gone() {
    for (after, place, pending) in [(59_999, 1, 2), (60_000, 2, 2), (60_001, 2, 2)] {
        let (mut world, _) = full(|_| {});
        let peers = queue(&mut world, 2);
        world.drop_peer(peers[0]);
        world.advance(after);
        let back = wait_as(&mut world, "p0", true);
        assert_eq!(world.position(back), Some(place), "after {after} ms");
        assert_eq!(world.report().pending, pending);
        world.close();
    }
}

#[test]
fn a_place_is_kept_only_for_a_drop_of_one_with_an_identity_that_waits() {
    type Go = fn(&mut World, RequestId);
    let error: Go = |world, request| {
        let how = Departure::ProtocolError;
        world.handle(Input::Gone { request, how });
    };
    let cases: [(&str, Go, Option<&str>, u32); 4] = [
        ("a drop", World::drop_peer, Some("p"), 1),
        ("a cancel", World::leave, Some("p"), 0),
        ("a protocol error", error, Some("p"), 0),
        ("a drop of nobody in particular", World::drop_peer, None, 0),
    ];
    for (case, go, identity, kept) in cases {
        let (mut world, _) = full(|_| {});
        let peer = world.arrive("R9");
        let identity = identity.map(Into::into);
        world.answer(
            peer,
            Decision::Wait(Waiting {
                identity,
                ..waiting([])
            }),
        );
        go(&mut world, peer);
        assert_eq!(world.report().pending, kept, "{case}");
        // Neither does who has not waited yet have one.
        let deciding = world.arrive("deciding");
        go(&mut world, deciding);
        assert_eq!(world.report().pending, kept, "{case}");
        world.close();
    }
}

#[test]
fn who_gets_a_place_back() {
    // Proven when it dropped, proven and from the same address when it is back, and its place then.
    for (proven, proven_back, same_address, place) in [
        (true, true, true, 1),
        (true, true, false, 1),
        (true, false, true, 2),
        (true, false, false, 2),
        (false, false, true, 1),
        (false, false, false, 2),
        (false, true, true, 1),
        (false, true, false, 1),
    ] {
        let (mut world, _) = full(|_| {});
        let first = wait_from(&mut world, "192.0.2.1", "p", proven);
        wait_as(&mut world, "other", true);
        world.drop_peer(first);
        let ip = if same_address {
            "192.0.2.1"
        } else {
            "192.0.2.2"
        };
        let back = wait_from(&mut world, ip, "p", proven_back);
        let case = format!("{proven} {proven_back} {same_address}");
        assert_eq!(world.position(back), Some(place), "{case}");
        let kept = if place == 1 { 0 } else { 1 };
        assert_eq!(world.report().pending, 2 + kept, "{case}");
        world.close();
    }
}

#[test]
fn another_identity_or_lane_takes_no_place_up() {
    let (mut world, _) = full(|_| {});
    let peers = queue(&mut world, 2);
    world.drop_peer(peers[0]);
    let other = wait_from(&mut world, "10.0.0.2", "q", true);
    assert_eq!(world.position(other), Some(2));
    let elsewhere = world.arrive("p0");
    world.answer(
        elsewhere,
        Decision::Wait(Waiting {
            lane: "vip".into(),
            identity: Some("p0".into()),
            identity_proven: true,
            ..waiting([])
        }),
    );
    let back = wait_as(&mut world, "p0", true);
    assert_eq!(world.position(back), Some(1), "it was still there");
    world.close();
}

#[test]
fn a_place_is_never_offered_anything_and_keeps_its_rank_for_its_owner() {
    let (mut world, player) = full(|_| {});
    let peers = queue(&mut world, 3);
    world.drop_peer(peers[0]);
    world.leave(player);
    assert_eq!(world.why(peers[1]), Why::Offer);
    world.answer(peers[1], accept([]));
    let back = wait_as(&mut world, "p0", true);
    assert_eq!(world.position(back), Some(1), "before the third");
    world.leave(peers[1]);
    assert_eq!(world.why(back), Why::Offer);
    world.answer(back, accept([]));
    world.accepted(back);
    world.close();
}

#[test]
fn an_offer_that_was_out_when_its_waiter_dropped_goes_on_and_the_place_stays() {
    let (mut world, player) = full(|_| {});
    let peers = queue(&mut world, 2);
    world.leave(player);
    world.drop_peer(peers[0]);
    assert_eq!(world.why(peers[1]), Why::Offer);
    let back = wait_as(&mut world, "p0", true);
    assert_eq!(world.position(back), Some(1));
    world.close();
}

#[test]
fn a_place_can_be_left_and_taken_up_many_times() {
    let (mut world, _) = full(|_| {});
    let mut peers = queue(&mut world, 2);
    for _ in 0..50 {
        world.drop_peer(peers[0]);
        world.advance(50_000);
        peers[0] = wait_as(&mut world, "p0", true);
        assert_eq!(world.position(peers[0]), Some(1));
        assert_eq!(world.report().pending, 2);
    }
    world.close();
}

#[test]
fn a_full_pool_takes_back_one_whose_place_is_kept_and_never_more_than_it_holds() {
    let (mut world, _) = full(|config| config.max_pending = 3);
    let first = wait_from(&mut world, "192.0.2.1", "p", true);
    queue(&mut world, 2);
    world.drop_peer(first);
    let stranger = world.knock();
    assert_eq!(world.refused(stranger).as_deref(), Some("pool-full"));
    let back = world.arrive_from("192.0.2.1", "p");
    assert_eq!(world.report().pending, 3);
    let another = world.knock_from("192.0.2.1".parse().unwrap());
    assert_eq!(world.refused(another).as_deref(), Some("pool-full"), "once");
    world.answer(back, identified("p", true));
    assert_eq!(world.position(back), Some(1));
    world.advance(60_000);
    assert_eq!(
        world.report().pending,
        3,
        "the grace of what was taken up is over"
    );
    world.leave(back);
    assert_eq!(world.report().pending, 2);
    world.close();
}

#[test]
fn a_place_that_was_lent_counts_again_when_the_borrower_goes_and_ends_with_its_grace() {
    let (mut world, _) = full(|config| config.max_pending = 1);
    let first = wait_from(&mut world, "192.0.2.1", "p", true);
    world.drop_peer(first);
    for _ in 0..3 {
        let borrower = world.arrive_from("192.0.2.1", "p");
        assert_eq!(world.report().pending, 1);
        world.drop_peer(borrower);
        assert_eq!(world.report().pending, 1, "the place is still kept");
    }
    let borrower = world.arrive_from("192.0.2.1", "q");
    world.answer(borrower, identified("q", true));
    world.advance(60_000);
    assert_eq!(
        world.report().pending,
        1,
        "the borrower counts for itself now"
    );
    world.drop_peer(borrower);
    assert_eq!(world.report().pending, 1, "and leaves a place of its own");
    world.advance(60_000);
    assert_eq!(world.report().pending, 0);
    world.close();
}

#[test]
fn without_grace_there_are_no_places() {
    let (mut world, _) = full(|config| config.queue_grace = std::time::Duration::ZERO);
    let peers = queue(&mut world, 1);
    world.drop_peer(peers[0]);
    assert_eq!(world.report().pending, 0);
    world.close();
}

#[test]
fn who_gets_in_without_waiting_leaves_no_place_behind() {
    let (mut world, player) = full(|_| {});
    let peer = wait_as(&mut world, "ada", true);
    world.drop_peer(peer);
    assert_eq!(world.report().pending, 1, "the place");
    world.leave(player);
    let back = world.arrive("ada");
    let option = Admission {
        identity: Some("ada".into()),
        identity_proven: true,
        ..Admission::default()
    };
    world.answer(
        back,
        Decision::Accept(Acceptance {
            options: vec![option],
            ..Acceptance::default()
        }),
    );
    world.accepted(back);
    assert_eq!(world.report().pending, 0);
    world.leave(back);
    world.close();
}

#[test]
fn who_is_back_before_the_old_connection_is_found_dead_has_its_place_then() {
    for (proven, same_address) in [(true, false), (false, true), (false, false)] {
        let (mut world, player) = full(|_| {});
        let ahead = wait_as(&mut world, "ahead", true);
        let crashed = wait_from(&mut world, "192.0.2.7", "ada", proven);
        let between = wait_as(&mut world, "between", true);
        world.advance(1_000);
        let ip = if same_address {
            "192.0.2.7"
        } else {
            "192.0.2.8"
        };
        let back = wait_from(&mut world, ip, "ada", proven);
        let other = wait_from(&mut world, ip, "bob", proven);
        assert_eq!(world.position(back), Some(4));
        // Ten seconds later the door finds the old one dead.
        world.advance(9_000);
        world.drop_peer(crashed);
        let owns = proven || same_address;
        assert_eq!(world.position(ahead), Some(1));
        assert_eq!(world.position(back), Some(if owns { 2 } else { 3 }));
        assert_eq!(world.position(other), Some(4));
        assert_eq!(world.core.places.len(), usize::from(!owns));
        assert_eq!(world.report().pending, if owns { 4 } else { 5 });
        // It is served from there.
        world.leave(player);
        world.answer(ahead, accept([]));
        world.leave(ahead);
        let next = if owns { back } else { between };
        assert_eq!(world.why(next), Why::Offer);
        world.close();
    }
}

#[test]
fn who_plays_keeps_no_place_of_an_older_connection() {
    let (mut world, _) = full(|config| config.max_players = 2);
    let blocked = super::world::claim("gate", 0);
    let crashed = world.arrive("ada");
    let waiting = Waiting {
        claims: vec![blocked],
        identity: Some("ada".into()),
        identity_proven: true,
        ..waiting([])
    };
    world.answer(crashed, Decision::Wait(waiting));
    let back = world.arrive("ada");
    world.answer(back, super::world::accept_as("ada", []));
    world.accepted(back);
    world.drop_peer(crashed);
    assert_eq!((world.core.places.len(), world.report().pending), (0, 0));
    world.close();
}
