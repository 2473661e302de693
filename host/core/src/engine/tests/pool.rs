//! The pending pool: how many may be pending, in all and of one address, and without a pool at all.

use super::world::{World, accept, accept_or_wait, claim, reject, wait};
use crate::*;
use std::net::IpAddr;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn a_pool_of_500_takes_500_of_5000_knocks_and_drains() {
    let mut world = World::new(|config| {
        config.max_pending = 500;
        config.max_players = 100;
        config.doors[0].binding = Binding::None;
    });
    let peers: Vec<_> = (0..5_000).map(|n| world.arrive(&format!("p{n}"))).collect();
    assert_eq!(world.report().pending, 500);
    for peer in &peers[500..] {
        assert_eq!(world.refused(*peer).as_deref(), Some("pool-full"));
    }
    assert_eq!(
        world.asks.len(),
        500,
        "who was refused at the knock is asked about nobody"
    );
    world.serve(|_| accept_or_wait([], "soon"));
    assert_eq!(
        (world.report().connected, world.report().pending),
        (100, 400)
    );
    // Players leave, waiters follow in their order, until nobody is left.
    for (index, peer) in peers[..500].iter().enumerate() {
        world.accepted(*peer);
        world.leave(*peer);
        world.serve(|ask| {
            assert_eq!(ask.request.id, peers[index + 100]);
            accept([])
        });
    }
    assert_eq!((world.report().connected, world.report().pending), (0, 0));
    world.close();
}

#[test]
fn one_address_has_its_share_however_its_address_is_written() {
    let mut world = World::new(|config| config.max_pending_per_address = 2);
    for (address, told) in [
        ("192.0.2.1", None),
        ("::ffff:192.0.2.1", None),
        ("192.0.2.1", Some("address-share")),
        ("::ffff:192.0.2.1", Some("address-share")),
        ("192.0.2.2", None),
        ("2001:db8:1:2::1", None),
        ("2001:db8:1:2:ffff::1", None),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", Some("address-share")),
        ("2001:db8:1:3::1", None),
    ] {
        let peer = world.knock_from(ip(address));
        assert_eq!(world.refused(peer).as_deref(), told, "{address}");
    }
    world.close();
}

#[test]
fn a_share_is_given_back_by_every_ending() {
    type End = fn(&mut World, RequestId);
    let ends: [End; 6] = [
        World::leave,
        World::drop_peer,
        |world, id| world.answer(id, reject("no")),
        |world, id| world.answer(id, accept([])),
        |world, id| world.fault(id),
        |world, _| world.advance(10_000),
    ];
    for end in ends {
        let mut world = World::new(|config| config.max_pending_per_address = 1);
        let first = world.arrive_from("192.0.2.1", "R9");
        let second = world.knock_from(ip("192.0.2.1"));
        assert_eq!(world.refused(second).as_deref(), Some("address-share"));
        end(&mut world, first);
        let third = world.knock_from(ip("192.0.2.1"));
        assert_eq!(world.refused(third), None);
        world.close();
    }
}

#[test]
fn players_do_not_count_in_the_pool_nor_pending_peers_as_players() {
    let mut world = World::new(|config| {
        config.max_pending = 2;
        config.max_pending_per_address = 1;
        config.max_players = 9;
    });
    for _ in 0..5 {
        let peer = world.arrive_from("192.0.2.1", "R9");
        world.answer(peer, accept([]));
        world.accepted(peer);
    }
    let waiter = world.arrive("waiter");
    world.answer(waiter, wait([claim("gate", 0)]));
    world.knock();
    let report = world.report();
    assert_eq!((report.connected, report.pending), (5, 2));
    assert_eq!((report.waiting, report.deciding), (1, 1));
    assert_eq!(report.sessions.len(), 5);
    assert_eq!(world.core.taken_view().taken(&Key::server()), 5);
    world.close();
}

#[test]
fn a_knock_is_named_once() {
    let mut world = World::new(|config| config.max_pending = 2);
    let peer = world.arrive("R9");
    let again = |world: &mut World| {
        world.handle(Input::Knock {
            request: peer,
            door: DoorId(0),
            peer: "192.0.2.1:4000".parse().unwrap(),
            room: "main".into(),
        });
        world.submit(peer, "other");
    };
    again(&mut world);
    assert_eq!((world.report().pending, world.asks.len()), (1, 1));
    world.answer(peer, accept([]));
    again(&mut world);
    assert_eq!((world.report().pending, world.report().connected), (0, 1));
    world.close();
}

#[test]
fn without_a_pool_a_request_has_a_seat_from_its_knock_to_its_end() {
    let mut world = World::new(|config| {
        config.max_pending = 0;
        config.max_players = 3;
    });
    let (knocked, deciding, waiting) = (world.knock(), world.arrive("b"), world.arrive("c"));
    world.answer(waiting, wait([claim("gate", 0)]));
    assert_eq!(world.core.taken_view().taken(&Key::server()), 3);
    assert_eq!(world.report().connected, 0, "it is no player for all that");
    let late = world.knock();
    assert_eq!(world.refused(late).as_deref(), Some("server-full"));
    world.answer(deciding, accept([]));
    world.accepted(deciding);
    assert_eq!(
        world.core.taken_view().taken(&Key::server()),
        3,
        "the same seat"
    );
    world.leave(knocked);
    let next = world.arrive("d");
    world.answer(next, accept([]));
    world.accepted(next);
    world.close();
}

#[test]
fn without_a_pool_a_refused_knock_keeps_no_seat() {
    let mut world = World::new(|config| {
        config.max_pending = 0;
        config.max_pending_per_address = 1;
        config.max_players = 3;
    });
    world.knock_from(ip("192.0.2.1"));
    for _ in 0..5 {
        let peer = world.knock_from(ip("192.0.2.1"));
        assert_eq!(world.refused(peer).as_deref(), Some("address-share"));
    }
    assert_eq!(world.core.taken_view().taken(&Key::server()), 1);
    world.close();
}

#[test]
fn without_a_pool_a_waiter_keeps_its_seat_through_offers_and_lets_others_have_the_rest() {
    let mut world = World::new(|config| {
        config.max_pending = 0;
        config.max_players = 2;
    });
    let red = || claim("red", 1);
    let player = world.arrive("player");
    world.answer(player, accept([red()]));
    let waiter = world.arrive("waiter");
    world.answer(waiter, wait([red()]));
    world.leave(player);
    assert_eq!(world.why(waiter), Why::Offer);
    world.answer(waiter, wait([red()]));
    let taken = world.core.taken_view();
    assert_eq!(taken.taken(&Key::bare("red")), 0);
    assert_eq!(taken.taken(&Key::server()), 1, "its own");
    world.reload();
    world.answer(waiter, accept([red()]));
    world.accepted(waiter);
    world.close();
}

#[test]
fn whoever_comes_and_goes_leaves_no_ask_that_is_still_wanted() {
    let mut world = World::new(|config| config.max_pending = 1);
    for round in 0..100 {
        let peer = world.arrive(&format!("p{round}"));
        world.drop_peer(peer);
    }
    let stays = world.arrive("stays");
    let wanted = world.asks.iter().filter(|ask| ask.wanted.still());
    let wanted: Vec<_> = wanted.map(|ask| ask.request.id).collect();
    assert_eq!(wanted, [stays]);
    let ask = world.take_ask(stays);
    world.answer_ask(&ask, Ok(wait([claim("gate", 0)]).into()));
    assert!(!ask.wanted.still(), "it waits, and that is no decision");
    world.drop_peer(stays);
    world.close();
}

#[test]
fn nobody_who_is_pending_is_a_player_and_room_is_where_a_newcomer_would_find_a_place() {
    for (max_pending, room) in [
        (2, [true, true, false, true]),
        (0, [true, true, false, false]),
    ] {
        let mut world = World::new(|config| {
            config.max_pending = max_pending;
            config.max_players = 2;
            config.doors[0].binding = Binding::None;
        });
        let stands = |world: &World| (world.core.players(), world.core.has_room());
        assert_eq!(stands(&world), (0, room[0]));
        let one = world.arrive("one");
        assert_eq!(stands(&world), (0, room[1]));
        let two = world.arrive("two");
        assert_eq!(stands(&world), (0, room[2]), "units may be held for them");
        world.serve(|_| accept([]));
        assert_eq!(stands(&world), (2, room[3]));
        world.leave(one);
        world.leave(two);
        world.handle(Input::Drain);
        assert_eq!(stands(&world), (0, false));
        world.close();
    }
}
