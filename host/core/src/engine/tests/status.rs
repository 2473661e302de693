//! Status: the keep-alive of those who wait is the host's, whatever their policies do.

use super::world::{World, accept, accept_or_wait, wait};
use crate::*;
use std::sync::Arc;
use std::time::Duration;

type Texts = Result<Vec<Option<Arc<[u8]>>>, Fault>;

/// A full server with this many waiters, who were told nothing yet.
fn waiters(count: usize, change: impl FnOnce(&mut Config)) -> (World, Vec<RequestId>) {
    let mut world = World::new(|config| {
        config.max_players = 1;
        config.max_pending = 1_000;
        config.doors[0].binding = Binding::None;
        config.first_status = config.status_interval;
        change(config);
    });
    let player = world.arrive("player");
    world.answer(player, accept([]));
    let waiters = (0..count)
        .map(|n| {
            let peer = world.arrive(&format!("w{n}"));
            world.answer(peer, wait([]));
            peer
        })
        .collect();
    (world, waiters)
}

fn trap() -> Texts {
    Err(Fault {
        kind: FaultKind::Trap,
        message: "trapped".into(),
    })
}

fn text(text: &str) -> Option<Arc<[u8]>> {
    Some(text.as_bytes().into())
}

/// Answers every status ask that is out; `poison` makes a batch trap that has it in it.
fn serve(world: &mut World, poison: Option<RequestId>) -> usize {
    let mut batches = 0;
    while let Some(ask) = world.status_asks.pop() {
        batches += 1;
        let poisoned = ask.waiters.iter().any(|it| Some(it.request) == poison);
        let position = |waiter: &Waiter| text(&format!("place {}", waiter.position));
        let result = if poisoned {
            trap()
        } else {
            Ok(ask.waiters.iter().map(position).collect())
        };
        world.handle(Input::StatusTexts {
            ask: ask.id,
            result,
        });
    }
    batches
}

#[test]
fn who_waits_is_told_at_every_interval() {
    let (mut world, waiters) = waiters(3, |_| {});
    for _ in 0..4 {
        world.advance(4_999);
        assert!(world.status_asks.is_empty());
        world.advance(1);
        assert_eq!(serve(&mut world, None), 1, "one batch for all of them");
        for (place, waiter) in (1..).zip(&waiters) {
            assert_eq!(world.take_told(*waiter), [format!("status place {place}")]);
            assert_eq!(world.positions[waiter], Some(place));
        }
    }
    world.close();
}

#[test]
fn who_is_being_decided_is_told_within_four_seconds_and_at_every_interval() {
    let mut world = World::new(|config| config.decision_timeout = Duration::from_secs(20));
    let peer = world.arrive("R9");
    world.advance(3_999);
    assert_eq!(world.take_told(peer), [""; 0]);
    world.advance(1);
    assert_eq!(world.take_told(peer), ["status Please wait."]);
    world.advance(5_000);
    assert_eq!(world.take_told(peer), ["status Please wait."]);
    assert!(world.status_asks.is_empty(), "no policy is asked for it");
    assert_eq!(world.positions[&peer], None, "it has no place yet");
    world.answer(peer, accept([]));
    world.close();
}

#[test]
fn statuses_that_are_due_soon_after_each_other_go_out_together_and_none_is_late() {
    let first = Duration::from_secs(4);
    let (mut world, _) = waiters(0, |config| config.first_status = first);
    // A thousand come within a second, at any millisecond.
    let mut promised = std::collections::HashMap::new();
    for n in 0..1_000 {
        world.advance(1);
        let peer = world.arrive(&format!("w{n}"));
        world.answer(peer, wait([]));
        promised.insert(peer, world.now.after(first));
    }
    let mut calls = 0;
    for _ in 0..15_000 {
        world.advance(1);
        calls += serve(&mut world, None);
        for (peer, at) in &mut promised {
            if !world.take_told(*peer).is_empty() {
                assert!(world.now <= *at && world.now.after(Duration::from_millis(250)) > *at);
                *at = world.now.after(Duration::from_secs(5));
            }
            assert!(world.now < *at, "late");
        }
    }
    assert!(calls <= 3 * 5, "{calls} calls for three rounds");
    world.close();
}

#[test]
fn a_verdict_that_waits_with_a_text_is_told_at_once_and_the_next_an_interval_later() {
    let mut world = World::new(|config| config.max_players = 0);
    let peer = world.arrive("R9");
    world.advance(3_000);
    world.answer(peer, accept_or_wait([], "place 1"));
    assert_eq!(world.take_told(peer), ["status place 1"]);
    world.advance(4_999);
    assert!(world.status_asks.is_empty());
    world.advance(1);
    assert_eq!(world.status_asks.len(), 1);
    world.close();
}

#[test]
fn a_wait_without_a_text_does_not_put_the_first_status_off() {
    let first = Duration::from_secs(4);
    let (mut world, _) = waiters(0, |config| config.first_status = first);
    let peer = world.arrive("R9");
    world.advance(3_000);
    world.answer(peer, wait([]));
    world.advance(1_000);
    assert_eq!(serve(&mut world, None), 1);
    assert_eq!(world.take_told(peer), ["status place 1"]);
    world.close();
}

#[test]
fn a_batch_that_goes_wrong_leaves_each_with_its_last_or_the_default_text_on_time() {
    type Go = fn(&mut World, AskId);
    let (fault, wrong): (Go, Go) = (
        |world, ask| {
            let result = trap();
            world.handle(Input::StatusTexts { ask, result });
        },
        |world, ask| {
            let result = Ok(vec![]);
            world.handle(Input::StatusTexts { ask, result });
        },
    );
    let overrun: Go = |world, _| world.advance(500);
    for (how, go) in [
        ("fault", fault),
        ("wrong length", wrong),
        ("overrun", overrun),
    ] {
        let (mut world, mute) = waiters(1, |_| {});
        let told = world.arrive("told");
        world.answer(told, accept_or_wait([], "place 2"));
        world.take_told(told);
        world.advance(5_000);
        let ask = world.status_asks.remove(0);
        assert_eq!(ask.waiters.len(), 2);
        go(&mut world, ask.id);
        assert_eq!(world.take_told(mute[0]), ["status Please wait."], "{how}");
        assert_eq!(world.take_told(told), ["status place 2"], "{how}");
        world.close();
    }
}

#[test]
fn no_text_from_the_policy_repeats_the_last() {
    let (mut world, waiters) = waiters(1, |_| {});
    world.advance(5_000);
    serve(&mut world, None);
    world.take_told(waiters[0]);
    world.advance(5_000);
    let ask = world.status_asks.pop().unwrap();
    world.handle(Input::StatusTexts {
        ask: ask.id,
        result: Ok(vec![None]),
    });
    assert_eq!(world.take_told(waiters[0]), ["status place 1"]);
    world.close();
}

#[test]
fn one_poisoned_waiter_takes_no_text_from_the_others() {
    let (mut world, waiters) = waiters(100, |_| {});
    let poison = waiters[37];
    world.advance(5_000);
    let batches = serve(&mut world, Some(poison));
    assert!(batches <= 2 * 7 + 1, "halves, not one each: {batches}");
    for (place, waiter) in (1..).zip(&waiters) {
        let told = world.take_told(*waiter);
        assert_eq!(told[0], "status Please wait.", "at once");
        let fresh = format!("status place {place}");
        let expected = (*waiter != poison).then_some(&fresh);
        assert_eq!(told.get(1), expected, "and the text once it is known");
    }
    world.close();
}

#[test]
fn a_batch_that_overran_is_retried_in_halves_too() {
    let (mut world, waiters) = waiters(100, |_| {});
    let poison = waiters[37];
    world.advance(5_000);
    // Each batch with the poisoned one in it hangs; all others are answered.
    for _ in 0..8 {
        for ask in std::mem::take(&mut world.status_asks) {
            if ask.waiters.iter().all(|waiter| waiter.request != poison) {
                let texts = ask.waiters.iter().map(|_| text("fresh")).collect();
                world.handle(Input::StatusTexts {
                    ask: ask.id,
                    result: Ok(texts),
                });
            }
        }
        world.advance(500);
    }
    for waiter in &waiters {
        let told = world.take_told(*waiter);
        let fresh = told.iter().any(|line| line == "status fresh");
        assert_eq!(fresh, *waiter != poison, "{told:?}");
    }
    world.close();
}

#[test]
fn a_policy_is_asked_about_at_most_256_at_once() {
    let (mut world, waiters) = waiters(600, |_| {});
    world.advance(5_000);
    let sizes: Vec<_> = world
        .status_asks
        .iter()
        .map(|ask| ask.waiters.len())
        .collect();
    assert_eq!(sizes, [256, 256, 88]);
    serve(&mut world, None);
    assert_eq!(world.take_told(waiters[599]), ["status place 600"]);
    world.close();
}

#[test]
fn who_has_gone_meanwhile_is_told_nothing() {
    let (mut world, waiters) = waiters(2, |_| {});
    world.advance(5_000);
    let ask = world.status_asks.pop().unwrap();
    world.leave(waiters[0]);
    let texts = vec![text("one"), text("two")];
    world.handle(Input::StatusTexts {
        ask: ask.id,
        result: Ok(texts.clone()),
    });
    assert_eq!(world.take_told(waiters[0]), [""; 0]);
    assert_eq!(world.take_told(waiters[1]), ["status two"]);
    world.handle(Input::StatusTexts {
        ask: ask.id,
        result: Ok(texts),
    });
    assert_eq!(world.take_told(waiters[1]), [""; 0], "answered already");
    world.close();
}

#[test]
fn every_status_restarts_the_session_timeout_and_nothing_else_keeps_a_request_alive() {
    for silent in [false, true] {
        let mut world = World::new(|config| {
            config.max_players = 0;
            config.session_timeout = Duration::from_secs(12);
            config.queue_max_wait = Duration::from_secs(3_600);
        });
        let knocked = world.knock();
        world.advance(11_999);
        assert_eq!(world.state(knocked), Some("knocked"));
        world.advance(1);
        assert_eq!(world.refused(knocked).as_deref(), Some("session-timeout"));
        let waiter = world.arrive_with(DoorId(0), |data| data.abilities.status = !silent);
        world.answer(waiter, accept_or_wait([], "soon"));
        // The policy never says another word.
        world.advance(3_000_000);
        assert_eq!(world.state(waiter), Some("waiting"), "silent: {silent}");
        world.close();
    }
}

#[test]
fn status_is_on_time_whatever_bounds_the_silence() {
    let millis = Duration::from_millis;
    // The session timeout, or where that is 0 the connection timeout of the door.
    for (session, connection) in [
        (1_000, 30_000),
        (600, 30_000),
        (5_000, 30_000),
        (5_500, 30_000),
        (0, 1_000),
        (0, 5_000),
        (0, 5_500),
    ] {
        for text in [Some("soon"), None] {
            let mut world = World::new(|config| {
                config.max_players = 0;
                config.session_timeout = millis(session);
                config.doors[0].connection_timeout = millis(connection);
            });
            let hung = world.arrive("hung");
            let waiter = world.arrive("waiter");
            let verdict = match text {
                Some(text) => accept_or_wait([], text),
                None => wait([]),
            };
            world.advance(session.max(connection).min(600) / 2);
            world.answer(waiter, verdict);
            world.advance(9_000);
            let case = format!("{session} {connection} {text:?}");
            assert_eq!(world.state(hung), Some("deciding"), "{case}");
            world.advance(60_000);
            assert_eq!(world.state(waiter), Some("waiting"), "{case}");
            assert_eq!(world.refused(hung).as_deref(), Some("approval-timeout"));
            world.close();
        }
    }
}

#[test]
fn a_request_that_took_long_to_be_complete_has_its_whole_time_for_an_answer() {
    let mut world =
        World::new(|config| config.doors[0].connection_timeout = Duration::from_secs(6));
    let peer = world.knock();
    world.advance(5_999);
    world.submit(peer, "R9");
    world.advance(5_000);
    assert_eq!(world.state(peer), Some("deciding"));
    world.answer(peer, accept([]));
    world.close();
}
