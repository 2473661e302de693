use super::*;
use usher_sdk::testing;

fn player(session: SessionId, number: u32, name: &str) -> Player {
    Player {
        number: Some(number),
        ..testing::player(session, name)
    }
}

fn two_players() -> Arena {
    let (mut arena, _) = Arena::start("main", None).expect("a new room starts");
    arena.on_join(&player(17, 0, "R9"));
    arena.on_join(&player(21, 1, "Zed"));
    arena
}

fn to_others(of: SessionId, text: &str) -> Effect {
    Effect::broadcast_except([of], Message::ordered(text))
}

fn to_all(text: &str) -> Effect {
    Effect::broadcast(Message::ordered(text))
}

#[test]
fn others_hear_who_comes_speaks_and_goes() {
    let mut arena = two_players();
    assert_eq!(
        arena.on_join(&player(30, 2, "Kim")),
        [to_others(30, "+2 Kim")]
    );
    assert_eq!(
        arena.on_message(21, &Message::ordered("hi")),
        [to_others(21, "1:hi")]
    );
    assert_eq!(arena.on_leave(21, Parting::Left), [to_others(21, "-1")]);
    assert!(
        arena.on_message(21, &Message::ordered("hi")).is_empty(),
        "gone"
    );
    assert!(arena.on_leave(21, Parting::Left).is_empty(), "once");
}

#[test]
fn a_relayed_message_travels_as_it_came() {
    let came = Message::new([0xFF, 0], usher_sdk::Delivery::Unreliable).on_channel(3);
    let goes = Message {
        data: vec![b'0', b':', 0xFF, 0],
        ..came
    };
    assert_eq!(
        two_players().on_message(17, &came),
        [Effect::broadcast_except([17], goes)]
    );
}

#[test]
fn what_no_longer_fits_with_its_number_is_not_relayed() {
    let mut arena = two_players();
    assert_eq!(
        arena.on_message(17, &Message::ordered([b'x'; 1_198])).len(),
        1
    );
    assert!(
        arena
            .on_message(17, &Message::ordered([b'x'; 1_199]))
            .is_empty()
    );
}

#[test]
fn start_closes_the_room_and_open_opens_it() {
    let mut arena = two_players();
    assert_eq!(
        arena.on_message(17, &Message::ordered("start")),
        [
            Effect::close(running()),
            Effect::say("0 started the game"),
            to_all("!started")
        ]
    );
    assert_eq!(
        arena.on_message(21, &Message::ordered("open")),
        [
            Effect::open(),
            Effect::say("1 opened the room"),
            to_all("!open")
        ]
    );
}

#[test]
fn the_last_player_to_leave_opens_a_running_room() {
    let mut arena = two_players();
    arena.on_message(17, &Message::ordered("start"));
    assert_eq!(arena.on_leave(17, Parting::Lost).len(), 1);
    let last = arena.on_leave(21, Parting::Left);
    assert!(last.contains(&Effect::open()), "{last:?}");
}

#[test]
fn a_protocol_without_numbers_gets_the_lowest_free() {
    let mut arena = two_players();
    arena.on_leave(17, Parting::Left);
    let unnumbered = Player {
        number: None,
        ..player(40, 0, "Kim")
    };
    assert_eq!(arena.on_join(&unnumbered), [to_others(40, "+0 Kim")]);
}

#[test]
fn a_later_version_takes_the_room_over() {
    let mut arena = two_players();
    arena.on_message(17, &Message::ordered("start"));
    let (taken_over, effects) = Arena::start("main", Some(&arena.save())).expect("our own state");
    assert_eq!(taken_over.state, arena.state);
    assert!(effects.contains(&Effect::close(running())), "{effects:?}");
}

#[test]
fn a_state_that_it_cannot_read_is_refused() {
    for saved in [
        &b""[..],
        b"arena 2\n",
        b"\xFF",
        b"arena 1\nplayer x 1\n",
        b"arena 1\nbonus 3\n",
    ] {
        assert!(Arena::start("main", Some(saved)).is_err(), "{saved:?}");
    }
}
