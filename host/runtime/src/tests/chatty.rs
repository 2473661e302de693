//! Modules that say too much.

use super::bench::{BEGIN, DEADLINE, TestClock, engine, module_file};
use crate::*;
use std::sync::Arc;
use usher_core::*;

#[test]
fn what_rules_say_is_bounded_like_any_other_line() {
    let config = RulesConfig {
        name: "r".into(),
        source: Source::File(module_file("arena")),
        deadline: DEADLINE,
        params: Params::new(),
    };
    let slot = RulesSlot::load(engine(), config, TestClock::new().clock());
    let slot = slot.unwrap_or_else(|failure| panic!("{failure}"));
    let at = |second: u64| At {
        now: Moment::from_millis(BEGIN + 1_000 * second),
        seed: 1,
    };
    let player = Player {
        session: SessionId(1),
        request: RequestId(1),
        room: "main".into(),
        name: "Ann".into(),
        identity: None,
        identity_proven: false,
        number: Some(0),
        door: DoorId(0),
        door_name: "d".into(),
        protocol: "rtyp".into(),
        remember: Arc::new([]),
    };
    // Each of these words has the arena say a line; and each second a new instance plays.
    let said = |second| {
        let mut rules = slot.current().instantiate().expect("an instance");
        let mut effects = rules.start(at(second), "main", None).expect("starts");
        effects.extend(rules.on_join(at(second), &player).expect("effects"));
        for word in ["start", "open"].repeat(100) {
            let message = Message {
                data: word.as_bytes().into(),
                delivery: Delivery::Ordered,
                channel: 0,
            };
            let more = rules.on_message(at(second), SessionId(1), &message);
            effects.extend(more.expect("effects"));
        }
        let lines = effects.iter();
        lines
            .filter(|effect| matches!(effect, Effect::Say(_)))
            .count()
    };
    assert_eq!([said(1), said(1), said(2)], [100, 0, 100]);
}
