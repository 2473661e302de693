//! Requests: their keys, how long they are kept, and when they are given up.

use super::*;

#[test]
fn a_key_is_one_request_and_its_body_may_not_change() {
    let mut door = Door::new();
    let id = door.begin("a");
    assert_eq!(door.ask_for("a", "R9"), Ok(Begun::Known(id)));
    assert_eq!(door.ask_for("a", "Zed"), Err(NotBegun::Reused));
    let other = door.begin("b");
    assert_eq!(
        door.orders(),
        [format!("knock {id}"), format!("knock {other}")]
    );
    door.refuse(id);
    door.refuse(other);
    assert_eq!(door.ask_for("a", "R9"), Ok(Begun::Known(id)));
    assert_eq!(door.ask_for("a", "Zed"), Err(NotBegun::Reused));
    assert_eq!(door.word(id), "rejected");
    door.close();
}

#[test]
fn an_answer_is_kept_for_20_s_and_then_its_key_is_new() {
    let mut door = Door::new();
    let id = door.begin("a");
    door.refuse(id);
    door.pass(19_999);
    assert_eq!(door.ask_for("a", "R9"), Ok(Begun::Known(id)));
    door.pass(1);
    assert_eq!(door.word(id), "unknown");
    let again = door.begin("a");
    door.refuse(again);
    door.close();
}

#[test]
fn answers_are_kept_within_bounds_and_the_oldest_goes_first() {
    let mut door = Door::new();
    let first = door.begin("first");
    door.refuse(first);
    for number in 0..65_535 {
        let id = door.begin(&number.to_string());
        door.refuse(id);
    }
    assert_eq!(door.word(first), "rejected");
    let one_more = door.begin("one more");
    door.refuse(one_more);
    assert_eq!(door.word(first), "unknown");
    assert_eq!(door.word(one_more), "rejected");
    door.close();
}

#[test]
fn what_can_still_be_confirmed_is_not_forgotten_however_many_answers_come() {
    let mut door = Door::new();
    let seated = door.begin("seat");
    door.accept(seated, 7);
    for number in 0..70_000 {
        let id = door.begin(&number.to_string());
        door.refuse(id);
    }
    assert_eq!(door.ask_for("seat", "R9"), Ok(Begun::Known(seated)));
    assert_eq!(door.word(seated), "accepted");
    door.over(seated, 7, SessionEnd::BindTimeout);
    let one_more = door.begin("one more");
    door.refuse(one_more);
    door.orders();
    door.close();
}

#[test]
fn who_was_given_up_before_the_acceptance_came_stays_given_up() {
    let mut door = Door::new();
    let id = door.begin("a");
    let answer = door.book.give_up(id, door.now).expect("it is there");
    assert_eq!(answer.word(), "over");
    door.accept(id, 7);
    assert_eq!(door.word(id), "over");
    door.orders();
    door.over(id, 7, SessionEnd::Left);
    door.close();
}

#[test]
fn giving_up_takes_an_unconfirmed_acceptance_back_and_no_confirmed_one() {
    let mut door = Door::new();
    let (one, two) = (door.begin("a"), door.begin("b"));
    let first = door.accept(one, 7);
    let second = door.accept(two, 8);
    door.orders();
    door.book.confirm(&second).expect("it is there");
    door.deliver(DoorEvent::Joined { request: two });
    assert_eq!(door.book.give_up(two, door.now), Err(NotGivenUp::Confirmed));
    assert!(door.book.give_up(one, door.now).is_ok());
    assert_eq!(door.orders(), ["confirm 8", "gone 1 Left"]);
    assert_eq!(door.word(one), "over");
    door.over(one, 7, SessionEnd::Left);
    door.over(two, 8, SessionEnd::Left);
    let stage = door.book.confirm(&first).expect("it is remembered");
    assert_eq!(gone(stage), Some(How::Left));
    assert_eq!(
        door.book.give_up(RequestId(99), door.now),
        Err(NotGivenUp::Unknown)
    );
    // What is over can be given up as often as one likes.
    for request in [one, two] {
        assert!(door.book.give_up(request, door.now).is_ok());
    }
    assert_eq!(door.word(two), "accepted");
    assert_eq!(door.orders(), [""; 0]);
    door.close();
}

#[test]
fn a_request_that_nobody_asks_about_is_given_up_after_a_lease() {
    let mut door = Door::new();
    door.call(None).expect("it is the first");
    let (polled, watched, left) = (door.begin("a"), door.begin("b"), door.begin("c"));
    door.book.ask(watched).expect("it is there");
    door.pass(LEASE - 1);
    door.call(None).expect("it is the same");
    door.book.ask(polled).expect("it is there");
    door.book.asked(polled, false, door.now);
    door.orders();
    door.pass(1);
    assert_eq!(door.orders(), [format!("gone {left} Dropped")]);
    assert_eq!(door.word(left), "over");
    assert_eq!([door.word(polled), door.word(watched)], ["waiting"; 2]);
    // Nor does a stream keep it whose reader is dead.
    door.pass(LEASE - 1);
    assert_eq!([door.word(polled), door.word(watched)], ["over"; 2]);
    door.orders();
    door.close();
}

#[test]
fn statuses_are_numbered_and_the_last_answer_is_newer_than_any() {
    let mut door = Door::new();
    let id = door.begin("a");
    for (text, position) in [("one", None), ("two", Some(3))] {
        door.deliver(DoorEvent::Status {
            request: id,
            text: text.as_bytes().into(),
            position,
        });
    }
    let Some(Answer::Waiting(waiting)) = door.answer(id) else {
        panic!("it waits");
    };
    let Waiting {
        status,
        position,
        version,
        ..
    } = waiting;
    assert_eq!((&*status, position, version), ("two", Some(3), 2));
    door.refuse(id);
    let answer = door.answer(id).expect("it is kept");
    assert!(answer.version() > version);
    door.close();
}

#[test]
fn undecided_payloads_have_a_bound_together() {
    let mut door = Door::new();
    let json = format!(
        "{{\"address\": \"::1\", \"payload\": \"{}\"}}",
        "x".repeat(65_536)
    );
    let mut begin = |number: u64| {
        let asked: NewRequest = serde_json::from_str(&json).expect("a request");
        let payload = asked.payload().expect("a payload");
        let (id, key) = (RequestId(number), Digest::of(&number.to_string()));
        let body = Digest::of(&json);
        door.book.begin(id, key, body, asked, payload, door.now)
    };
    for number in 1..=256 {
        assert_eq!(begin(number), Ok(Begun::New(RequestId(number))));
    }
    assert_eq!(begin(257), Err(NotBegun::Busy));
    door.last = 257;
    assert_eq!(door.book.holds().1, 16 << 20);
    for number in 1..=256 {
        door.refuse(RequestId(number));
    }
    door.close();
}

#[test]
fn a_knock_that_the_core_never_saw_is_refused_as_by_a_full_pool() {
    let mut door = Door::new();
    let id = door.begin("a");
    door.book.shed(id, door.now);
    let Some(Answer::Rejected(rejected)) = door.answer(id) else {
        panic!("it is refused");
    };
    assert_eq!(rejected.code, "pool-full");
    assert_eq!(door.ask_for("a", "R9"), Ok(Begun::Known(id)));
    door.orders();
    door.close();
}
