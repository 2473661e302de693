//! Sessions, the game server that has them, and how they end.

use super::*;
use crate::doors::http::api::Accepted;

#[test]
fn probes_are_answered_with_the_last_call_of_the_game_server() {
    let mut door = Door::new();
    let session = SessionId(7);
    door.deliver(DoorEvent::Probe { session });
    assert_eq!(door.orders(), ["seen 7 1000000"], "nobody ever called");
    door.call(Some("a")).expect("it is the first");
    door.pass(1_500);
    door.deliver(DoorEvent::Probe { session });
    assert_eq!(door.orders(), ["seen 7 1500"]);
    door.close();
}

#[test]
fn another_game_server_ends_what_the_one_before_it_had() {
    let mut door = Door::new();
    door.call(Some("first")).expect("it is the first");
    let (open, seated) = (door.begin("a"), door.begin("b"));
    let session = door.accept(seated, 7);
    let local = door.book.local(Digest::of("l"), "Host".into(), door.now);
    let local = local.expect("there is room");
    door.orders();
    door.call(Some("second")).expect("it is another");
    assert_eq!(door.orders(), ["gone 1 Dropped", "gone 2 Dropped"]);
    let old = [door.word(open), door.word(seated)];
    assert_eq!(old, ["unknown"; 2], "its keys are free");
    door.over(seated, 7, SessionEnd::Closed);
    let read = door.book.endings(None);
    let ended: Vec<_> = read.ended.iter().map(|it| (&*it.session, it.how)).collect();
    let replaced = [(&*local, How::Replaced), (&*session, How::Replaced)];
    assert_eq!(ended, replaced);
    assert_eq!(door.call(Some("first")), Err(Replaced));
    assert_eq!(door.call(Some("second")), Ok(()));
    door.close();
}

#[test]
fn local_sessions_are_few_end_with_the_lease_and_tell_the_core_nothing() {
    let mut door = Door::new();
    door.call(None).expect("it is the first");
    let mut begin = |key: &str, name: &str| {
        let (key, name) = (Digest::of(key), name.into());
        door.book.local(key, name, door.now)
    };
    let one = begin("a", "Host").expect("there is room");
    assert_eq!(begin("a", "Host").as_ref(), Ok(&one));
    assert_eq!(begin("a", "Guest"), Err(NotLocal::Reused));
    for number in 1..16 {
        begin(&number.to_string(), "Host").expect("there is room");
    }
    assert_eq!(begin("b", "Host"), Err(NotLocal::Full));
    let stage = door.book.confirm(&one).expect("it is there");
    assert_eq!(*stage.borrow(), Stage::Confirmed);
    for _ in 0..2 {
        let stage = door.book.end(&one, Departure::Left, door.now);
        assert_eq!(gone(stage.expect("it is known")), Some(How::Left));
    }
    assert_eq!(door.book.locals.count(), 15);
    // A call that comes late begins no other.
    let late = door.book.local(Digest::of("a"), "Host".into(), door.now);
    assert_eq!(late, Err(NotLocal::Over));
    door.pass(LEASE - 1);
    assert_eq!(door.book.locals.count(), 15);
    door.pass(1);
    assert_eq!(door.orders(), [""; 0]);
    door.close();
}

#[test]
fn every_end_of_a_session_has_its_word() {
    let kicked = SessionEnd::Kicked(Reason::new("foul", "Fair play."));
    for (end, how) in [
        (SessionEnd::Left, How::Left),
        (SessionEnd::Closed, How::Dropped),
        (SessionEnd::ProtocolError, How::Dropped),
        (SessionEnd::BindTimeout, How::Unconfirmed),
        (SessionEnd::IdleTimeout, How::Lease),
        (kicked, How::Kicked),
        (SessionEnd::TakenOver, How::TakenOver),
        (SessionEnd::Shutdown, How::Shutdown),
    ] {
        let mut door = Door::new();
        let id = door.begin("a");
        let session = door.accept(id, 7);
        door.over(id, 7, end);
        let stage = door.book.end(&session, Departure::Left, door.now);
        assert_eq!(gone(stage.expect("it is remembered")), Some(how));
        let ended = door.book.endings(None).ended;
        let reason = (ended[0].code.as_deref(), ended[0].text.as_deref());
        let expected = match how {
            How::Kicked => (Some("foul"), Some("Fair play.")),
            _ => (None, None),
        };
        assert_eq!(reason, expected);
        door.orders();
        door.close();
    }
}

#[test]
fn an_acceptance_says_what_the_policies_gave_also_where_it_is_no_text() {
    let mut door = Door::new();
    let id = door.begin("a");
    let grant = Grant {
        session: SessionId(7),
        token: None,
        number: Some(3),
        name: "Ronaldo".into(),
        room: "arena".into(),
        config: [0, 255].as_slice().into(),
    };
    door.deliver(DoorEvent::Accepted { request: id, grant });
    let expected = Answer::Accepted(Accepted {
        id: "1-00c0ffee".to_owned(),
        session: "7-00c0ffee".to_owned(),
        name: "Ronaldo".to_owned(),
        room: "arena".to_owned(),
        number: Some(3),
        config: None,
        config_base64: "AP8=".to_owned(),
        confirm_within_ms: 10_000,
    });
    assert_eq!(door.answer(id), Some(expected));
    door.over(id, 7, SessionEnd::Left);
    door.close();
}

#[test]
fn a_call_that_is_held_is_a_sign_of_life_and_then_the_lease_begins() {
    let mut door = Door::new();
    let life = door.book.call(None, door.now).expect("it is the first");
    let (open, session) = (door.begin("a"), SessionId(7));
    door.book.ask(open).expect("it is there");
    door.orders();
    door.pass(3 * LEASE);
    door.deliver(DoorEvent::Probe { session });
    assert_eq!(door.orders(), ["seen 7 0"]);
    assert_eq!(door.word(open), "waiting");
    door.book.answered(life, door.now);
    door.pass(LEASE - 1);
    door.deliver(DoorEvent::Probe { session });
    let seen = format!("seen 7 {}", LEASE - 1);
    assert_eq!(door.orders(), [seen]);
    door.pass(1);
    assert_eq!(door.word(open), "over");
    door.orders();
    door.close();
}

#[test]
fn with_the_lease_ends_what_waits_and_what_is_not_confirmed_before_any_seat_is_free() {
    let mut door = Door::new();
    door.call(None).expect("it is the first");
    let (waiting, unconfirmed, seated) = (door.begin("w"), door.begin("u"), door.begin("s"));
    door.accept(unconfirmed, 7);
    door.accept(seated, 8);
    door.deliver(DoorEvent::Joined { request: seated });
    door.orders();
    door.pass(LEASE - 1);
    door.now = door.now.after(Duration::from_millis(1));
    let session = SessionId(8);
    door.deliver(DoorEvent::Probe { session });
    let told = ["gone 1 Dropped", "gone 2 Dropped", "seen 8 30000"];
    assert_eq!(door.orders(), told);
    door.pass(1_000);
    assert_eq!(door.orders(), [""; 0], "once");
    assert_eq!(door.word(waiting), "over");
    door.over(unconfirmed, 7, SessionEnd::Closed);
    door.over(seated, 8, SessionEnd::IdleTimeout);
    let ended = door.book.endings(None).ended;
    assert!(ended.iter().all(|it| it.how == How::Lease), "{ended:?}");
    door.close();
}

#[test]
fn a_host_that_stood_still_does_not_blame_the_game_server() {
    let mut door = Door::new();
    door.call(None).expect("it is the first");
    let open = door.begin("a");
    door.pass(10_000);
    door.now = door.now.after(Duration::from_millis(2 * LEASE));
    let session = SessionId(7);
    door.orders();
    door.deliver(DoorEvent::Probe { session });
    assert_eq!(door.orders(), ["seen 7 10000"]);
    door.pass(LEASE - 10_000 - 1);
    assert_eq!(door.word(open), "waiting");
    door.pass(1);
    assert_eq!(door.word(open), "over");
    door.orders();
    door.close();
}
