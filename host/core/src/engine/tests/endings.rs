//! Endings: every request ends one way, once, whatever comes last and in whichever order.

use super::world::{World, accept, claim, reject, wait};
use crate::*;
use std::time::Duration;

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

/// What can come last for a request whose ask is out.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Last {
    Accept,
    Reject,
    Wait,
    Trap,
    Cancel,
    Drop,
    ProtocolError,
    DecisionTimeout,
    Drain,
}

const LAST: [Last; 9] = [
    Last::Accept,
    Last::Reject,
    Last::Wait,
    Last::Trap,
    Last::Cancel,
    Last::Drop,
    Last::ProtocolError,
    Last::DecisionTimeout,
    Last::Drain,
];

fn happen(world: &mut World, peer: RequestId, ask: &Ask, last: Last) {
    let gone = |how| Input::Gone { request: peer, how };
    match last {
        Last::Accept => world.answer_ask(ask, Ok(accept([]).into())),
        Last::Reject => world.answer_ask(ask, Ok(reject("no").into())),
        Last::Wait => world.answer_ask(ask, Ok(wait([claim("gate", 0)]).into())),
        Last::Trap => {
            let fault = Fault {
                kind: FaultKind::Trap,
                message: "trapped".into(),
            };
            world.answer_ask(ask, Err(fault));
        }
        Last::Cancel => world.handle(gone(Departure::Left)),
        Last::Drop => world.handle(gone(Departure::Dropped)),
        Last::ProtocolError => world.handle(gone(Departure::ProtocolError)),
        Last::DecisionTimeout => world.advance(10_000),
        Last::Drain => world.handle(Input::Drain),
    }
}

#[test]
fn every_request_ends_exactly_once_in_any_order_of_the_last_three_events() {
    for first in LAST {
        for second in LAST {
            for third in LAST {
                let all = [first, second, third];
                let mut world = World::new(|_| {});
                let peer = world.arrive("R9");
                let ask = world.take_ask(peer);
                for last in all {
                    happen(&mut world, peer, &ask, last);
                }
                let endings = world.endings(peer);
                assert!(endings.len() <= 1, "{all:?}: {endings:?}");
                let told = world.take_told(peer);
                let answers = told
                    .iter()
                    .filter(|line| line.starts_with("accepted") || line.starts_with("refused"))
                    .count();
                assert!(answers <= 1, "{all:?}: {told:?}");
                let ended = told.iter().filter(|line| line.starts_with("ended")).count();
                let accepted = told.iter().any(|line| line.starts_with("accepted"));
                assert!(ended <= usize::from(accepted), "{all:?}: {told:?}");
                world.close();
            }
        }
    }
}

#[test]
fn an_answer_counts_up_to_the_deadline_and_not_at_it() {
    for (after, told) in [
        (9_999, None),
        (10_000, Some("approval-timeout")),
        (10_001, Some("approval-timeout")),
    ] {
        for ticks in [false, true] {
            let mut world = World::new(|_| {});
            let peer = world.arrive("R9");
            if ticks {
                world.advance(after);
            } else {
                // The host was late: the timer has not fired when the answer comes.
                world.now = world.now.after(Duration::from_millis(after));
            }
            world.answer(peer, accept([]));
            assert_eq!(world.refused(peer).as_deref(), told, "{after} {ticks}");
            assert_eq!(world.grant(peer).is_some(), told.is_none());
            world.close();
        }
    }
}

#[test]
fn nothing_follows_a_refusal_when_time_passes() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, reject("no"));
    assert_eq!(world.take_told(peer), ["refused no"]);
    assert_eq!(world.core.poll_timeout(), None, "no timer is left");
    world.advance(60_000);
    assert_eq!(world.take_told(peer), [""; 0]);
    assert_eq!(world.endings(peer), ["rejected no"]);
    world.close();
}

#[test]
fn a_cancel_in_the_tick_of_acceptance_leaves_nothing_behind() {
    for binding in [true, false] {
        let mut world = World::new(|config| {
            config.max_players = 1;
            if !binding {
                config.doors[0].binding = Binding::None;
            }
        });
        let peer = world.arrive("R9");
        let waiter = world.arrive("waiter");
        world.answer(waiter, wait([claim("gate", 0)]));
        let ask = world.take_ask(peer);
        // Both are handled before the door has polled what came of the first.
        world.core.handle(
            Input::Answer(Answer {
                ask: ask.id,
                generation: 1,
                micros: 5,
                result: Ok(accept([]).into()),
            }),
            world.now,
        );
        world.leave(peer);
        assert_eq!(world.take_told(peer), ["accepted 1", "ended left"]);
        let rules: &[&str] = if binding {
            &[]
        } else {
            &["joined 1", "left 1 Left"]
        };
        assert_eq!(world.take_rules(), rules);
        assert_eq!(world.endings(peer), ["accepted 1"]);
        assert_eq!(world.report().claims, 0);
        world.close();
    }
}

#[test]
fn whoever_goes_before_it_said_what_it_wants_is_asked_about_nobody() {
    let mut world = World::new(|_| {});
    let peer = world.knock();
    world.leave(peer);
    assert_eq!(world.endings(peer), [""; 0]);
    let outcome = &world.decided.last().unwrap().outcome;
    assert_eq!(*outcome, Outcome::Abandoned(Abandonment::Cancelled));
    let data = world.data(peer, "R9");
    world.handle(Input::Submit(std::sync::Arc::new(data)));
    assert!(world.asks.is_empty(), "too late");
    world.close();
}

#[test]
fn every_policy_that_saw_it_hears_of_the_ending_without_payload_and_may_command() {
    let mut world = World::new(|_| {});
    world.policies(&[("one", FailMode::Closed), ("two", FailMode::Closed)]);
    let player = world.arrive("player");
    world.answer(player, super::world::pass([]));
    world.answer(player, accept([]));
    let session = world.accepted(player);
    let peer = world.arrive("R9");
    world.answer(peer, super::world::pass([]));
    world.on_ended = vec![Command::KickSession(session, Reason::new("cheat", ""))];
    world.answer(peer, reject("cheat"));
    // The world checks payload and password of each notice.
    assert_eq!(world.endings(peer), ["rejected cheat"; 2]);
    assert_eq!(world.take_told(player).last().unwrap(), "ended kicked");
    world.close();
}

#[test]
fn how_it_ended_is_told_as_it_was() {
    type End = fn(&mut World, RequestId);
    let cases: [(End, &str, Option<&str>); 5] = [
        (World::leave, "abandoned Cancelled", None),
        (World::drop_peer, "abandoned Dropped", None),
        (|world, id| world.answer(id, accept([])), "accepted 1", None),
        (
            |world, id| world.fault(id),
            "rejected policy-fault",
            Some("policy-fault"),
        ),
        (
            |world, _| world.handle(Input::Drain),
            "rejected shutting-down",
            Some("shutting-down"),
        ),
    ];
    for (end, how, told) in cases {
        let mut world = World::new(|_| {});
        let peer = world.arrive("R9");
        end(&mut world, peer);
        assert_eq!(world.endings(peer), [how]);
        assert_eq!(world.refused(peer).as_deref(), told);
        world.close();
    }
}

#[test]
fn one_attempt_is_told_from_the_next_of_the_same_request() {
    let mut world = World::new(|_| {});
    let peer = world.arrive("R9");
    world.answer(peer, wait([claim("gate", 0)]));
    world.reload();
    world.answer(peer, reject("no"));
    let attempts: Vec<_> = world
        .decided
        .iter()
        .map(|record| (record.attempt, record.steps.len()))
        .collect();
    assert_eq!(attempts, [(1, 1), (2, 1)]);
    world.close();
}

#[test]
fn a_door_has_its_own_words_for_the_timeout_and_for_a_full_host() {
    for (timeout, full) in [("", "The server is full."), ("Too slow.", "")] {
        let mut world = World::new(|config| {
            config.max_players = 1;
            config.session_timeout = Duration::from_secs(20);
            config.doors[0].timeout_text = timeout.into();
            config.doors[0].full_text = full.into();
        });
        let player = world.arrive("player");
        world.answer(player, accept([]));
        let late = world.arrive("late");
        world.answer(late, accept([]));
        let own = world.arrive("own");
        world.answer(own, accept([claim("server", 1)]));
        let slow = world.knock();
        world.advance(20_000);
        let last = world.decided.last().unwrap();
        let timed_out = Outcome::Abandoned(Abandonment::TimedOut);
        assert_eq!((last.request, &last.outcome), (slow, &timed_out));
        for (peer, code, text) in [
            (late, code::SERVER_FULL, full),
            (own, "server-full", ""),
            (slow, code::SESSION_TIMEOUT, timeout),
        ] {
            assert_eq!(world.reasons[&peer], Reason::new(code, text));
        }
        world.close();
    }
}
