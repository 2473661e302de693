//! A core that asks the policies, which read the core's ledger.

use super::bench::{BEGIN, Bench};
use crate::*;
use std::sync::Arc;
use std::time::Duration;
use usher_core::*;

const NOW: Moment = Moment::from_millis(BEGIN);

fn core() -> Core {
    let door = DoorConfig {
        name: "d".into(),
        binding: Binding::None,
        player_number: None,
        connection_timeout: Duration::from_secs(10),
        timeout_text: "".into(),
        full_text: DoorConfig::FULL_TEXT.into(),
        closed_room: None,
    };
    let config = Config {
        doors: vec![door],
        ..Config::default()
    };
    Core::new(config, Box::new(|| 7))
}

/// The rules of a bench, for the core's one door.
fn snapshot(bench: &Bench) -> Arc<Snapshot> {
    Arc::new(Snapshot {
        number: 1,
        slots: vec![SlotInfo {
            name: "p".into(),
            fail: FailMode::Closed,
            recheck: false,
            game_rule: false,
        }],
        chains: vec![Arc::new([SlotId(0)])],
        pin: bench.policies.pin(),
    })
}

/// Has a player ask to enter, and runs the decision to its end.
fn enters(core: &mut Core, bench: &Bench, request: u64, name: &str) -> Result<(), Reason> {
    let data = RequestData {
        id: RequestId(request),
        ..sample::request(name)
    };
    let knock = Input::Knock {
        request: data.id,
        door: data.door,
        peer: data.peer,
        room: Arc::clone(&data.room),
    };
    core.handle(knock, NOW);
    core.handle(Input::Submit(Arc::new(data)), NOW);
    loop {
        match core.poll_output().expect("it comes to an end") {
            Output::Ask(ask) => {
                bench.policies.submit(Job::Ask(ask));
                core.handle(bench.reply().into(), NOW);
            }
            Output::Accepted { .. } => return Ok(()),
            Output::Refused { reason, .. } => return Err(reason),
            _ => {}
        }
    }
}

#[test]
fn a_policy_sees_what_others_hold_and_not_what_the_request_holds() {
    let mut core = core();
    let bench = Bench::seeing(core.taken_view(), "queue");
    core.handle(Input::Rules(snapshot(&bench)), NOW);
    assert_eq!(enters(&mut core, &bench, 1, "R9"), Ok(()));
    let refused = enters(&mut core, &bench, 2, "R9").expect_err("the name is taken");
    assert_eq!(&*refused.code, "name-taken");
    assert_eq!(enters(&mut core, &bench, 3, "r9"), Ok(()));

    let mut ask = bench.ask("R9");
    ask.held = vec![HeldUnit {
        key: Key::of("name", "R9"),
        index: None,
    }];
    let verdict = bench.answer_to(ask).result.expect("a verdict");
    assert!(matches!(verdict.decision, Decision::Accept(_)));
}
