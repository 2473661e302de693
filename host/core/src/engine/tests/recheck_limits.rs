//! How much a recheck may do: how many it ends, what a fault costs, what is left of it when things change.

use super::rechecks::{asked, playing, refuse, reports, still};
use super::world::{accept, pass, reject};
use crate::*;

#[test]
fn nobody_is_ended_while_someone_is_still_being_asked_about() {
    let (mut world, players) = playing(5, |_| {});
    world.reload();
    for peer in &players[..4] {
        world.answer(*peer, reject("banned"));
        assert_eq!(still(&world, &players), [true; 5]);
    }
    // The fifth may make up for it or not; as it is, four of five are too many.
    world.answer(players[4], pass([]));
    assert_eq!(still(&world, &players), [true; 5]);
    assert_eq!(reports(&mut world), [(4, 0, 0, true)]);
    world.close();
}

#[test]
fn a_recheck_ends_at_most_a_fifth_of_those_who_play_unless_it_is_forced() {
    for (players, refused, allowed) in [
        (1, 1, true),
        (4, 1, true),
        (4, 2, false),
        (9, 2, false),
        (10, 2, true),
        (10, 3, false),
        (14, 2, true),
        (15, 3, true),
    ] {
        let (mut world, players) = playing(players, |_| {});
        world.reload();
        refuse(&mut world, &players, refused);
        let count = u32::try_from(refused).unwrap();
        let ended = if allowed { count } else { 0 };
        assert_eq!(reports(&mut world), [(count, ended, 0, !allowed)]);
        if !allowed {
            assert!(still(&world, &players).iter().all(|plays| *plays));
            let (slot, forced) = (SlotId(0), true);
            world.handle(Input::Recheck { slot, forced });
            refuse(&mut world, &players, refused);
            assert_eq!(reports(&mut world), [(count, count, 0, false)]);
        }
        assert_eq!(still(&world, &players)[..refused], vec![false; refused]);
        assert!(
            still(&world, &players)[refused..]
                .iter()
                .all(|plays| *plays)
        );
        world.close();
    }
}

#[test]
fn a_fault_or_a_late_answer_changes_nothing_and_is_tried_again_later_and_later() {
    let (mut world, players) = playing(2, |_| {});
    world.reload();
    world.fault(players[0]);
    let late = world.take_ask(players[1]);
    world.advance(9_999);
    assert!(late.wanted.still() && reports(&mut world).is_empty());
    world.advance(1);
    assert!(!late.wanted.still());
    world.answer_ask(&late, Ok(reject("late").into()));
    assert_eq!(reports(&mut world), [(0, 0, 2, false)]);
    for wait in [1, 2, 4, 8, 16, 30, 30] {
        world.advance(wait * 1_000 - 1);
        assert!(world.asks.is_empty());
        world.advance(1);
        assert_eq!(asked(&world), players);
        world.fault(players[0]);
        world.fault(players[1]);
    }
    assert_eq!(reports(&mut world), [], "nothing has changed");
    world.advance(30_000);
    world.answer(players[0], reject("banned"));
    world.answer(players[1], pass([]));
    assert_eq!(still(&world, &players), [false, true]);
    assert_eq!(reports(&mut world), [(1, 1, 0, false)]);
    world.advance(60_000);
    assert!(world.asks.is_empty());
    world.close();
}

#[test]
fn those_asked_about_again_count_with_those_who_were_ended_before() {
    let (mut world, players) = playing(10, |_| {});
    world.reload();
    for peer in &players[..4] {
        world.fault(*peer);
    }
    world.answer(players[4], reject("banned"));
    refuse(&mut world, &players, 0);
    assert_eq!(reports(&mut world), [(1, 1, 4, false)]);
    // One more may be ended, and two more may not.
    world.advance(1_000);
    world.answer(players[0], reject("banned"));
    world.answer(players[1], reject("banned"));
    world.answer(players[2], pass([]));
    world.fault(players[3]);
    assert_eq!(reports(&mut world), [(3, 1, 0, true)]);
    assert_eq!(world.report().connected, 9);
    world.advance(60_000);
    assert!(world.asks.is_empty(), "it is over");
    world.close();
}

#[test]
fn newer_rules_begin_a_recheck_anew_and_it_is_not_forced() {
    let (mut world, players) = playing(4, |_| {});
    world.handle(Input::Recheck {
        slot: SlotId(0),
        forced: true,
    });
    let old: Vec<_> = players.iter().map(|id| world.take_ask(*id)).collect();
    world.answer_ask(&old[0], Ok(reject("old").into()));
    world.reload();
    assert_eq!(asked(&world), players);
    for ask in &old {
        assert!(!ask.wanted.still());
        world.answer_ask(ask, Ok(reject("old").into()));
    }
    assert_eq!(still(&world, &players), [true; 4]);
    refuse(&mut world, &players, 2);
    assert_eq!(reports(&mut world), [(2, 0, 0, true)]);
    world.close();
}

#[test]
fn who_leaves_meanwhile_drops_out() {
    let (mut world, players) = playing(6, |_| {});
    world.reload();
    world.answer(players[0], reject("banned"));
    world.answer(players[1], reject("banned"));
    world.leave(players[0]);
    world.fault(players[2]);
    world.leave(players[2]);
    let out = world.take_ask(players[3]);
    world.leave(players[3]);
    assert!(!out.wanted.still());
    world.answer_ask(&out, Ok(reject("late").into()));
    refuse(&mut world, &players, 0);
    assert_eq!(
        still(&world, &players)[1..],
        [false, false, false, true, true]
    );
    assert_eq!(reports(&mut world), [(1, 1, 0, false)]);
    assert_eq!(world.core.poll_timeout(), None);
    world.close();
}

#[test]
fn who_is_let_in_by_older_rules_counts_with_those_who_were_ended() {
    let (mut world, players) = playing(4, |_| {});
    let late: Vec<_> = (0..2).map(|n| world.arrive(&format!("l{n}"))).collect();
    world.reload();
    for peer in &players {
        let verdict = if peer == &players[0] {
            reject("banned")
        } else {
            pass([])
        };
        world.answer(*peer, verdict);
    }
    assert_eq!(reports(&mut world), [(1, 1, 0, false)]);
    world.answer(late[0], accept([]));
    world.answer(late[0], reject("banned"));
    assert_eq!(reports(&mut world), [(2, 1, 0, true)]);
    world.answer(late[1], accept([]));
    assert!(world.asked(late[1]).is_none(), "it is over");
    assert_eq!(world.report().connected, 5);
    world.close();
}
