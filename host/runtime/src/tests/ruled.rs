//! Rules, which have a state.

use super::bench::{BEGIN, DEADLINE, Place, TestClock, engine, module, module_file};
use crate::*;
use std::sync::Arc;
use usher_core::*;

fn slot(source: Source) -> RulesSlot {
    let config = RulesConfig {
        name: "r".into(),
        source,
        deadline: DEADLINE,
        params: Params::new(),
    };
    let clock = TestClock::new().clock();
    RulesSlot::load(engine(), config, clock).unwrap_or_else(|failure| panic!("{failure}"))
}

fn started(name: &str) -> RulesInstance {
    let module = slot(Source::File(module_file(name))).current();
    let mut rules = module.instantiate().expect("an instance");
    rules.start(at(), "main", None).expect("starts");
    rules
}

fn at() -> At {
    At {
        now: Moment::from_millis(BEGIN),
        seed: 1,
    }
}

fn player(session: u64, name: &str) -> Player {
    Player {
        session: SessionId(session),
        request: RequestId(session),
        room: "main".into(),
        name: name.into(),
        identity: None,
        identity_proven: false,
        number: Some(u32::try_from(session).expect("small") - 1),
        door: DoorId(0),
        door_name: "d".into(),
        protocol: "rtyp".into(),
        remember: Arc::new([]),
    }
}

fn message(data: &str) -> Message {
    Message {
        data: data.as_bytes().into(),
        delivery: Delivery::Reliable,
        channel: 1,
    }
}

fn say(rules: &mut RulesInstance, data: &str) -> Result<Vec<Effect>, Fault> {
    rules.on_message(at(), SessionId(1), &message(data))
}

#[test]
fn players_join_speak_and_leave() {
    let mut rules = started("arena");
    let joined = rules.on_join(at(), &player(1, "Ann")).expect("effects");
    let news = Message {
        data: (*b"+0 Ann").into(),
        delivery: Delivery::Ordered,
        channel: 0,
    };
    let expected = Effect::Broadcast {
        except: vec![SessionId(1)],
        message: news,
    };
    assert_eq!(joined, [expected]);

    let relayed = Message {
        data: (*b"0:hi").into(),
        ..message("")
    };
    let expected = Effect::Broadcast {
        except: vec![SessionId(1)],
        message: relayed,
    };
    assert_eq!(say(&mut rules, "hi"), Ok(vec![expected]));

    let begun = say(&mut rules, "start").expect("effects");
    assert!(matches!(&begun[0], Effect::Close(reason) if &*reason.code == "game-started"));
    let left = rules
        .on_leave(at(), SessionId(1), Parting::Left)
        .expect("effects");
    assert!(left.contains(&Effect::Open), "{left:?}");
    assert_eq!(rules.on_tick(at()), Ok(Vec::new()));
}

#[test]
fn a_later_version_takes_the_state_over() {
    let place = Place::new();
    let slot = slot(Source::File(place.put("r.wasm", &module("arena"))));
    let mut old = slot.current().instantiate().expect("an instance");
    old.start(at(), "main", None).expect("starts");
    old.on_join(at(), &player(1, "Ann")).expect("effects");

    place.put("r.wasm", &module("rules-v2"));
    assert!(matches!(slot.reload(false), Ok(Reload::Loaded(_))));
    let saved = old.save(at()).expect("a state");
    let mut new = slot.current().instantiate().expect("an instance");
    let effects = new.start(at(), "main", Some(&saved)).expect("reads it");
    let said = Effect::Say("version 2 in main: 1 players, started false".to_owned());
    assert_eq!(effects[0], said);
    assert_eq!(slot.current().info().version, "2");

    let info = slot.rollback().expect("an older one");
    assert_eq!(info.number, 1);
}

#[test]
fn a_version_that_cant_read_the_state_is_refused() {
    let place = Place::new();
    let slot = slot(Source::File(place.put("r.wasm", &module("arena"))));
    let mut old = slot.current().instantiate().expect("an instance");
    old.start(at(), "main", None).expect("starts");

    place.put("r.wasm", &module("deaf-rules"));
    assert!(matches!(slot.reload(false), Ok(Reload::Loaded(_))));
    let saved = old.save(at()).expect("a state");
    let module = slot.current();
    let mut new = module.instantiate().expect("an instance");
    let refused = new.start(at(), "main", Some(&saved)).expect_err("refused");
    let why = "these rules read no saved state".to_owned();
    assert_eq!(refused, StartError::Refused(why));
    slot.refuse(module.info().number, &refused);

    assert_eq!(slot.current().info().number, 1);
    let status = slot.status();
    assert_eq!(status.state, SlotState::FailedToLoad);
    assert_eq!(
        status.last_error.as_deref(),
        Some("can't take the state over: these rules read no saved state")
    );
    assert_eq!(slot.reload(false).ok(), Some(Reload::Unchanged));
    assert!(old.on_tick(at()).is_ok(), "the old one plays on");
}

#[test]
fn a_rollback_to_rules_that_cant_read_the_state_leaves_those_that_play() {
    let place = Place::new();
    let slot = slot(Source::File(place.put("r.wasm", &module("trap-rules"))));
    for newer in ["deaf-rules", "arena"] {
        place.put("r.wasm", &module(newer));
        assert!(matches!(slot.reload(false), Ok(Reload::Loaded(_))));
    }
    let mut playing = slot.current().instantiate().expect("an instance");
    playing.start(at(), "main", None).expect("starts");
    let saved = playing.save(at()).expect("a state");

    assert_eq!(slot.rollback().expect("an older one").number, 2);
    let mut back = slot.current().instantiate().expect("an instance");
    let refused = back.start(at(), "main", Some(&saved));
    slot.refuse(2, &refused.expect_err("refused"));

    let status = slot.status();
    assert_eq!(status.generation.module, "arena");
    assert_eq!(status.generation.number, 3);
    assert_eq!(status.state, SlotState::Ok);
    assert_eq!(
        status.last_error.as_deref(),
        Some("can't take the state over: these rules read no saved state")
    );
    assert_eq!(slot.reload(false).ok(), Some(Reload::Unchanged));
}

#[test]
fn a_fault_ends_the_instance_and_the_save_goes_on() {
    for (told, kind, says) in [
        ("trap", FaultKind::Trap, "panicked: told to trap by 1"),
        (
            "loop",
            FaultKind::Deadline,
            "ran past its deadline of 500 ms",
        ),
    ] {
        let mut rules = started("trap-rules");
        say(&mut rules, "one").expect("effects");
        let saved = rules.save(at()).expect("a state");
        let fault = say(&mut rules, told).expect_err("a fault");
        assert_eq!(fault.kind, kind);
        assert!(fault.message.starts_with(says), "{}", fault.message);
        assert!(rules.is_dead());
        let fault = rules.on_tick(at()).expect_err("dead");
        assert_eq!(fault.kind, FaultKind::NotLoaded);

        let slot = slot(Source::File(module_file("trap-rules")));
        let mut again = slot.current().instantiate().expect("an instance");
        again.start(at(), "main", Some(&saved)).expect("reads it");
        let effects = say(&mut again, "count").expect("effects");
        assert!(
            matches!(&effects[..], [Effect::Send { to: SessionId(1), message }] if *message.data == *b"2"),
            "{effects:?}"
        );
    }
}

#[test]
fn a_save_that_traps_is_a_fault() {
    let mut rules = started("trap-rules");
    say(&mut rules, "savetrap").expect("effects");
    let fault = rules.save(at()).expect_err("a fault");
    let says = "panicked: told to trap when saving (at ";
    assert!(fault.message.starts_with(says), "{}", fault.message);
    assert!(rules.is_dead());
}

#[test]
fn ticks_and_kicks_are_effects() {
    let mut rules = started("trap-rules");
    let kicked = say(&mut rules, "kick").expect("effects");
    let reason = Reason::new("asked-for", "As you wish");
    let session = SessionId(1);
    assert_eq!(kicked, [Effect::Kick { session, reason }]);
    say(&mut rules, "tick").expect("effects");
    let effects = rules.on_tick(at()).expect("effects");
    assert!(
        matches!(&effects[..], [Effect::Broadcast { message, .. }]
            if *message.data == *format!("tick {BEGIN}").as_bytes()),
        "{effects:?}"
    );
}

#[test]
fn the_slot_counts_what_it_is_told() {
    let slot = slot(Source::File(module_file("trap-rules")));
    let mut rules = slot.current().instantiate().expect("an instance");
    rules.start(at(), "main", None).expect("starts");
    slot.note(&say(&mut rules, "one"));
    slot.note(&say(&mut rules, "trap"));
    let status = slot.status();
    assert_eq!((status.calls, status.faults), (2, 1));
    let last = status.last_error.expect("an error");
    assert!(last.starts_with("panicked: told to trap by 1"), "{last}");
}
