//! Declining: a waiter that does not take its offer is passed over until something changes for it.

use super::offers::{enter, offered, queued, seats};
use super::world::{accept, accept_or_wait, claim, wait, waiting};
use crate::*;

#[test]
fn a_declining_waiter_is_passed_over_until_one_of_its_keys_changes() {
    let mut world = seats(2);
    let (one, two) = (enter(&mut world, &[]), enter(&mut world, &[]));
    let waiter = queued(&mut world, &[]);
    world.leave(one);
    world.answer(waiter, wait([]));
    assert_eq!(offered(&world), []);
    world.advance(3_600_000);
    assert_eq!(offered(&world), [], "time alone changes nothing");
    let newcomer = enter(&mut world, &[]);
    assert_eq!(
        offered(&world),
        [],
        "a unit that was taken is nothing to offer"
    );
    world.leave(newcomer);
    assert_eq!(offered(&world), [waiter]);
    world.answer(waiter, wait([]));
    world.leave(two);
    assert_eq!(offered(&world), [waiter]);
    world.answer(waiter, accept([]));
    world.accepted(waiter);
    world.close();
}

#[test]
fn what_one_declines_goes_to_the_next_and_two_decliners_do_not_ask_each_other_for_ever() {
    let mut world = seats(1);
    let player = enter(&mut world, &[]);
    let waiters = [queued(&mut world, &[]), queued(&mut world, &[])];
    world.leave(player);
    let asked = world.serve(|_| wait([]));
    assert_eq!(asked, 2, "each once");
    world.advance(3_600_000);
    assert_eq!(offered(&world), []);
    world.reload();
    let asked = world.serve(|ask| {
        if ask.request.id == waiters[1] {
            accept_or_wait([], "soon")
        } else {
            wait([])
        }
    });
    assert!(asked >= 2);
    world.accepted(waiters[1]);
    world.close();
}

#[test]
fn those_who_were_passed_over_have_their_turn_in_order() {
    let mut world = seats(1);
    let player = enter(&mut world, &[]);
    let late = queued(&mut world, &[]);
    let best = world.arrive("best");
    world.answer(
        best,
        Decision::Wait(Waiting {
            priority: 9,
            ..waiting([])
        }),
    );
    world.leave(player);
    world.serve(|_| {
        let priority = 0;
        Decision::Wait(Waiting {
            priority,
            ..waiting([])
        })
    });
    // Now `late` is the best by arrival; make the other the best again.
    world.reload();
    world.serve(|ask| {
        let priority = if ask.request.id == best { 9 } else { 0 };
        Decision::Wait(Waiting {
            priority,
            ..waiting([])
        })
    });
    let newcomer = enter(&mut world, &[]);
    world.leave(newcomer);
    assert_eq!(offered(&world), [best]);
    world.answer(best, accept([]));
    world.accepted(best);
    assert_eq!(world.position(late), Some(1));
    world.close();
}

#[test]
fn one_who_never_declined_and_is_better_goes_before_one_who_did() {
    let mut world = seats(2);
    let red = [claim("red", 1)];
    let (player, other) = (enter(&mut world, &red), enter(&mut world, &[]));
    let head = queued(&mut world, &red);
    let decliner = queued(&mut world, &[]);
    world.leave(other);
    world.answer(decliner, wait([]));
    // Both seats are free now, and red: one offer each, and the head's is made first.
    let newcomer = enter(&mut world, &[]);
    world.leave(player);
    assert_eq!(offered(&world), [head]);
    world.leave(newcomer);
    assert_eq!(offered(&world), [head, decliner]);
    world.close();
}

#[test]
fn a_waiter_whose_policy_wants_more_held_waits_for_that_too() {
    let mut world = seats(2);
    let red = [claim("red", 1)];
    let (player, blocker) = (enter(&mut world, &[]), enter(&mut world, &red));
    let (waiter, next) = (queued(&mut world, &[]), queued(&mut world, &[]));
    world.leave(player);
    let hold = || {
        Decision::Ask(Inquiry {
            questions: vec![],
            hold: vec![claim("red", 1)],
        })
    };
    world.answer(waiter, hold());
    assert_eq!(world.position(waiter), Some(1), "it waits on");
    assert_eq!(offered(&world), [next], "and the seat is the next one's");
    world.answer(next, accept([]));
    world.leave(blocker);
    assert_eq!(offered(&world), [waiter], "red is what it waited for");
    world.answer(waiter, hold());
    world.answer(waiter, accept(red));
    world.accepted(waiter);
    world.close();
}

#[test]
fn who_now_waits_for_something_else_is_blocked_by_that_and_not_passed_over() {
    let mut world = seats(2);
    let red = [claim("red", 1)];
    let (player, blocker) = (enter(&mut world, &[]), enter(&mut world, &red));
    let (first, second) = (queued(&mut world, &[]), queued(&mut world, &red));
    world.leave(blocker);
    world.leave(player);
    assert_eq!(offered(&world), [first, second]);
    // The first needs red as well now, which is held for the second.
    world.answer(first, wait(red.clone()));
    assert_eq!(offered(&world), [second]);
    world.answer(second, wait([]));
    assert_eq!(offered(&world), [first], "it never declined red");
    world.close();
}
