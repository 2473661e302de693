//! Against policies that do as they are told.

use super::*;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{
    Abandonment, Abilities, Ask, AskId, DoorId, Ending, Moment, Over, ReasonAbility, Rechecked,
    RequestData, RequestId, RoomState, SlotId, Snapshot, Wanted, Why,
};

/// Policies that note which calls they had, and how.
#[derive(Default)]
struct Policies {
    /// Those that are too slow for a turn.
    slow: Vec<u64>,
    here: RefCell<Vec<u64>>,
    worker: RefCell<Vec<u64>>,
}

impl PolicyLink for Policies {
    fn call(&self, call: PolicyCall) {
        self.worker.borrow_mut().push(number(&call));
    }

    fn answer(&self, call: PolicyCall) -> Result<Input, PolicyCall> {
        if self.slow.contains(&number(&call)) {
            return Err(call);
        }
        self.here.borrow_mut().push(number(&call));
        Ok(Input::OverAnswer {
            ask: AskId(number(&call)),
            commands: Vec::new(),
        })
    }

    fn put(&self, _: Arc<str>, _: Arc<str>, _: Option<Duration>) {}

    fn rechecked(&self, _: Rechecked) {}
}

fn number(call: &PolicyCall) -> u64 {
    match call {
        PolicyCall::Ask(ask) => ask.id.0,
        PolicyCall::Status(ask) => ask.id.0,
        PolicyCall::Over(over) => over.id.0,
    }
}

fn request() -> Arc<RequestData> {
    Arc::new(RequestData {
        id: RequestId(1),
        door: DoorId(0),
        door_name: "d".into(),
        protocol: "rtyp".into(),
        abilities: Abilities {
            status: false,
            reasons: ReasonAbility::Code,
            longest_wait: None,
        },
        room: "main".into(),
        peer: SocketAddr::from(([192, 0, 2, 1], 4_000)),
        proven: true,
        name: None,
        password: None,
        args: Vec::new(),
        payload: [].into(),
        attributes: Vec::new(),
        one_way: None,
    })
}

fn room() -> RoomState {
    RoomState {
        name: "main".into(),
        closed: None,
    }
}

fn ask(number: u64) -> PolicyCall {
    PolicyCall::Ask(Box::new(Ask {
        id: AskId(number),
        slot: SlotId(0),
        snapshot: Arc::new(Snapshot::none()),
        last_good: false,
        why: Why::First,
        request: request(),
        room: room(),
        max_players: 4,
        host: [].into(),
        server_closed: None,
        attempt: 1,
        position: None,
        waited: Duration::ZERO,
        held: Vec::new(),
        facts: Vec::new(),
        rounds_left: 8,
        now: Moment::ZERO,
        seed: 1,
        deadline: Moment::from_millis(u64::MAX),
        wanted: Wanted::default(),
    }))
}

fn notice(number: u64) -> PolicyCall {
    PolicyCall::Over(Box::new(Over {
        id: AskId(number),
        slot: SlotId(0),
        snapshot: Arc::new(Snapshot::none()),
        request: request(),
        room: room(),
        max_players: 4,
        host: [].into(),
        server_closed: None,
        attempt: 1,
        waited: Duration::ZERO,
        how: Ending::Abandoned(Abandonment::Dropped),
        now: Moment::ZERO,
        seed: 1,
    }))
}

fn answered(answer: Option<Input>) -> Option<u64> {
    match answer? {
        Input::OverAnswer { ask, .. } => Some(ask.0),
        other => panic!("nobody answers so: {other:?}"),
    }
}

#[test]
fn what_cannot_be_answered_on_the_turn_is_a_workers_once() {
    let policies = Policies {
        slow: vec![2],
        ..Policies::default()
    };
    let mut calls = Calls::default();
    calls.begin_turn();
    for number in 1..=3 {
        calls.put(ask(number), &policies);
    }
    assert_eq!(answered(calls.next_answer(&policies)), Some(1));
    assert_eq!(answered(calls.next_answer(&policies)), Some(3));
    assert_eq!(answered(calls.next_answer(&policies)), None);
    assert_eq!(*policies.here.borrow(), [1, 3]);
    assert_eq!(*policies.worker.borrow(), [2]);
}

#[test]
fn a_turn_has_so_many_calls_and_the_next_as_many_again() {
    let policies = Policies::default();
    let mut calls = Calls::default();
    let turn = u64::from(IN_A_TURN);
    for begin in [0, 1_000] {
        calls.begin_turn();
        for number in 0..turn + 3 {
            assert_eq!(calls.turn_is_over(), number >= turn);
            calls.put(ask(begin + number), &policies);
            let here = (number < turn).then_some(begin + number);
            assert_eq!(answered(calls.next_answer(&policies)), here);
        }
    }
    assert_eq!(policies.here.borrow().len(), 2 * IN_A_TURN as usize);
    assert_eq!(policies.worker.borrow().len(), 6);
}

#[test]
fn endings_wait_for_a_turn_that_has_time_and_not_without_bound() {
    let policies = Policies::default();
    let mut calls = Calls::default();
    calls.begin_turn();
    for number in 0..NOTICES as u64 + 5 {
        calls.put(notice(number), &policies);
    }
    assert_eq!(
        policies.worker.borrow().len(),
        5,
        "there is no room for these"
    );
    calls.put(ask(7_000), &policies);
    assert_eq!(answered(calls.next_answer(&policies)), Some(7_000));
    assert!(calls.any_notices(), "questions go first");
    let mut told = 0;
    while calls.any_notices() {
        match answered(calls.next_notice(&policies)) {
            Some(number) => {
                assert_eq!(number, told);
                told += 1;
            }
            None => {
                assert!(calls.turn_is_over());
                calls.begin_turn();
            }
        }
    }
    assert_eq!(told, NOTICES as u64);
}
