//! Rechecks: those who play are asked about again when the rules change, and ended by a reject alone.

use super::world::{World, accept, accept_or_wait, claim, pass, question, reject, wait};
use crate::*;
use std::sync::Arc;
use std::time::Duration;

/// A policy that wants rechecks, and this many who play by it.
pub(super) fn playing(count: usize, change: impl FnOnce(&mut Config)) -> (World, Vec<RequestId>) {
    let mut world = World::new(|config| {
        config.max_players = 20;
        config.doors[0].binding = Binding::None;
        change(config);
    });
    world.slots[0].recheck = true;
    let players = (0..count)
        .map(|n| {
            let peer = world.arrive(&format!("p{n}"));
            world.answer(peer, accept([]));
            peer
        })
        .collect();
    world.rechecked.clear();
    world.decided.clear();
    (world, players)
}

pub(super) fn asked(world: &World) -> Vec<RequestId> {
    world.asks.iter().map(|ask| ask.request.id).collect()
}

/// Who of these plays.
pub(super) fn still(world: &World, players: &[RequestId]) -> Vec<bool> {
    let sessions = &world.core.sessions;
    let plays = players.iter().map(|id| sessions.of_request(*id).is_some());
    plays.collect()
}

/// Answers what is asked about the first `count` of these with a reject, and else lets them stay.
pub(super) fn refuse(world: &mut World, players: &[RequestId], count: usize) {
    let banned = players[..count].to_vec();
    world.serve(|ask| match banned.contains(&ask.request.id) {
        true => reject("banned"),
        false => pass([]),
    });
}

/// Refused, ended, unanswered and stopped, of each report.
pub(super) fn reports(world: &mut World) -> Vec<(u32, u32, u32, bool)> {
    let reports = world.rechecked.drain(..);
    reports
        .map(|it| (it.refused, it.ended, it.unanswered, it.stopped))
        .collect()
}

#[test]
fn new_rules_end_whom_they_refuse_once_all_have_been_asked_about() {
    let (mut world, players) = playing(10, |_| {});
    world.reload();
    assert_eq!(asked(&world), players);
    assert!(world.asks.iter().all(|ask| ask.why == Why::Recheck));
    world.answer(players[0], reject("banned"));
    world.answer(players[1], reject("banned"));
    assert_eq!(still(&world, &players), [true; 10]);
    refuse(&mut world, &players, 0);
    assert_eq!(still(&world, &players)[..3], [false, false, true]);
    assert_eq!(world.take_told(players[0]).last().unwrap(), "ended kicked");
    assert!(world.take_rules().contains(&"left 1 Kicked".to_owned()));
    let [first, second] = &world.decided[..] else {
        panic!("{:?}", world.decided)
    };
    let reason = Reason::new("banned", "");
    let ended = Outcome::Ended(SessionId(1), reason);
    assert_eq!((first.request, &first.outcome), (players[0], &ended));
    assert_eq!(second.request, players[1]);
    let step = &first.steps[0];
    assert_eq!(
        (step.why, step.verdict),
        (Why::Recheck, StepVerdict::Reject)
    );
    assert_eq!(reports(&mut world), [(2, 2, 0, false)]);
    // Its request ended when it was accepted.
    assert_eq!(world.endings(players[0]), ["accepted 1"]);
    world.close();
}

#[test]
fn a_recheck_sees_what_the_session_keeps_and_no_more() {
    let mut world = World::new(|_| {});
    world.slots[0].recheck = true;
    let peer = world.arrive("own name");
    let option = Admission {
        identity: Some("steam:7".into()),
        identity_proven: true,
        display_name: Some("shown".into()),
        room: Some("arena".into()),
        claims: vec![claim("class:humans", 2).with_lowest_index()],
        config: [1].into(),
        remember: [2, 3].into(),
    };
    world.answer(
        peer,
        Decision::Accept(Acceptance {
            options: vec![option],
            ..Acceptance::default()
        }),
    );
    world.advance(2_000);
    world.reload();
    let ask = world.take_ask(peer);
    let request = &ask.request;
    assert_eq!(ask.why, Why::Recheck);
    assert_eq!((ask.attempt, ask.waited.as_millis()), (2, 2_000));
    assert_eq!((ask.position, ask.rounds_left), (None, 0));
    assert_eq!(ask.snapshot.number, world.core.snapshot.number);
    assert_eq!((&*ask.room.name, &*request.room), ("arena", "arena"));
    assert_eq!(request.name.as_deref(), Some("own name"));
    assert_eq!((&*request.protocol, &*request.door_name), ("test", "main"));
    assert_eq!(request.peer.ip().to_string(), "10.0.0.1");
    assert!(request.password.is_none() && request.payload.is_empty());
    let mut attributes: Vec<_> = request
        .attributes
        .iter()
        .map(|it| format!("{} {:?}", it.name, it.value))
        .collect();
    attributes.sort();
    assert_eq!(
        attributes,
        [
            "session.display-name Text(\"shown\")",
            "session.id Number(1)",
            "session.identity Text(\"steam:7\")",
            "session.identity-proven Flag(true)",
            "session.remember Bytes([2, 3])",
        ]
    );
    let held: Vec<_> = ask.held.iter().map(|it| it.key.to_string()).collect();
    assert!(held.contains(&"class:humans".to_owned()), "{held:?}");
    assert_eq!(ask.held[0].index, Some(0));
    world.answer_ask(&ask, Ok(pass([]).into()));
    world.reload();
    assert_eq!(world.take_ask(peer).attempt, 3);
    world.close();
}

#[test]
fn only_an_explicit_reject_ends_a_session_and_nothing_is_priced_again() {
    let ask = Decision::Ask(Inquiry {
        questions: vec![question("bans")],
        hold: vec![claim("extra", 1)],
    });
    let act = Decision::Pass(Passing {
        claims: vec![claim("extra", 0)],
        then: Some(question("act")),
    });
    for stays in [
        pass([claim("extra", 0)]),
        accept([claim("extra", 0)]),
        wait([]),
        ask,
        act,
    ] {
        let (mut world, players) = playing(1, |_| {});
        world.reload();
        world.answer(players[0], stays);
        world.advance(600_000);
        assert_eq!(still(&world, &players), [true]);
        assert_eq!(world.report().claims, 2, "the seat and the room");
        assert!(world.lookups.is_empty() && world.asks.is_empty());
        assert_eq!(reports(&mut world), [(0, 0, 0, false)]);
        world.close();
    }
}

#[test]
fn rechecks_are_paced_and_two_policies_do_not_ask_about_one_player_at_once() {
    let (mut world, players) = playing(5, |config| config.reload_batch = 2);
    let second = SlotInfo {
        name: "second".into(),
        ..world.slots[0].clone()
    };
    world.slots.push(second);
    world.reload();
    let mut seen = Vec::new();
    while let Some(ask) = world.asks.first().cloned() {
        assert!(world.asks.len() <= 4);
        world.asks.remove(0);
        world.answer_ask(&ask, Ok(pass([]).into()));
        seen.push((ask.slot, ask.request.id));
    }
    seen.sort_unstable();
    let everyone = |slot| players.iter().map(move |id| (SlotId(slot), *id));
    assert_eq!(seen, everyone(0).chain(everyone(1)).collect::<Vec<_>>());
    assert_eq!(reports(&mut world), [(0, 0, 0, false); 2]);
    world.close();
}

#[test]
fn who_is_let_in_by_older_rules_is_rechecked_by_those_of_now() {
    for offer in [false, true] {
        let (mut world, players) = playing(1, |config| config.max_players = 1);
        let peer = world.arrive("late");
        if offer {
            world.answer(peer, accept_or_wait([], "soon"));
        }
        world.leave(players[0]);
        world.reload();
        world.rechecked.clear();
        world.answer(peer, accept([]));
        let ask = world.asked(peer).unwrap();
        assert_eq!(ask.why, Why::Recheck);
        assert_eq!(ask.snapshot.number, world.core.snapshot.number);
        world.answer(peer, reject("banned"));
        assert_eq!(still(&world, &[peer]), [false]);
        assert_eq!(reports(&mut world), [(1, 1, 0, false)]);
        // By the rules of now it is let in once and for all.
        let peer = world.arrive("in time");
        world.answer(peer, accept([]));
        assert!(world.asked(peer).is_none());
        world.close();
    }
}

#[test]
fn a_policy_is_asked_about_those_whose_door_asks_it_if_it_wants_rechecks() {
    let (mut world, _) = playing(0, |config| {
        let other = config.doors[0].clone();
        config.doors.push(other);
    });
    let quiet = SlotInfo {
        name: "quiet".into(),
        recheck: false,
        ..world.slots[0].clone()
    };
    world.slots.push(quiet);
    let snapshot = |world: &World, number| {
        Input::Rules(Arc::new(Snapshot {
            number,
            slots: world.slots.clone(),
            chains: vec![[SlotId(0), SlotId(1)].into(), [SlotId(1)].into()],
            pin: Pin(Arc::new(())),
        }))
    };
    world.handle(snapshot(&world, 10));
    let [main, other] = [0, 1].map(|door| world.arrive_with(DoorId(door), |_| {}));
    world.serve(|_| accept([]));
    world.rechecked.clear();
    world.handle(snapshot(&world, 11));
    assert_eq!(asked(&world), [main]);
    assert_eq!(world.asks[0].slot, SlotId(0));
    world.answer(main, reject("banned"));
    assert_eq!(still(&world, &[main, other]), [false, true]);
    world.close();
}

#[test]
fn an_operator_has_any_policy_asked_and_hears_of_it_even_if_nobody_plays() {
    let (mut world, _) = playing(0, |_| {});
    world.slots[0].recheck = false;
    world.reload();
    let order = || Input::Recheck {
        slot: SlotId(0),
        forced: false,
    };
    world.handle(order());
    assert_eq!(reports(&mut world), [(0, 0, 0, false)]);
    let peer = world.arrive("R9");
    world.answer(peer, accept([]));
    world.reload();
    assert!(world.asks.is_empty());
    world.handle(order());
    world.answer(peer, reject("banned"));
    assert_eq!(reports(&mut world), [(1, 1, 0, false)]);
    world.close();
}

#[test]
fn commands_of_a_recheck_are_carried_out_whom_they_end_included() {
    let (mut world, players) = playing(3, |_| {});
    world.reload();
    let kick = |session| Command::KickSession(SessionId(session), Reason::new("cheating", ""));
    world.answer(
        players[0],
        Verdict {
            decision: reject("banned"),
            commands: vec![kick(1), kick(3)],
        },
    );
    assert_eq!(still(&world, &players), [false, true, false]);
    world.answer(players[1], pass([]));
    assert_eq!(reports(&mut world), [(0, 0, 0, false)]);
    world.close();
}

#[test]
fn a_seat_that_a_recheck_frees_is_offered_to_who_waits() {
    let (mut world, players) = playing(1, |config| config.max_players = 1);
    let waiter = world.arrive("waiter");
    world.answer(waiter, accept_or_wait([], "soon"));
    world.reload();
    world.answer(waiter, accept_or_wait([], "soon"));
    world.answer(players[0], reject("banned"));
    assert_eq!(world.why(waiter), Why::Offer);
    world.answer(waiter, accept([]));
    world.accepted(waiter);
    world.close();
}

#[test]
fn a_drain_ends_a_recheck_with_everyone() {
    let (mut world, _) = playing(3, |config| config.session_timeout = Duration::from_secs(9));
    world.reload();
    world.handle(Input::Drain);
    assert!(world.asks.iter().all(|ask| !ask.wanted.still()));
    assert_eq!(world.core.poll_timeout(), None);
    world.close();
}
