//! While the server decides.

use std::time::Duration;

use super::super::{Ending, Event, State, Unsent};
use super::server::{Pair, ms, setup};
use crate::raknet::{Dialect, Malformed, Message, Reliability};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn the_request_follows_the_acceptance_of_the_connection_in_one_datagram() {
    let mut setup = setup();
    setup.payload = b"ticket=abc".to_vec();
    let pair = Pair::waiting(setup);
    let kinds: Vec<_> = pair
        .got
        .iter()
        .map(|it| (it.bytes[0], it.reliability))
        .collect();
    assert_eq!(
        kinds,
        [
            (0x09, Reliability::Reliable),
            (0x13, Reliability::ReliableOrdered),
            (0x80, Reliability::ReliableOrdered),
            (0x00, Reliability::Unreliable),
        ]
    );
    assert_eq!(pair.got[1].bytes.len(), 94);
    assert_eq!(pair.got[2].bytes, b"\x80ticket=abc");
    assert!(matches!(pair.events.last(), Some(Event::Requested)));
}

#[test]
fn payloads_of_0_and_of_65_536_bytes_arrive_whole() {
    for length in [0, 65_536] {
        let mut setup = setup();
        setup.payload = (0..length).map(|it| it as u8).collect();
        let mut pair = Pair::waiting(setup.clone());
        pair.run(SECOND);
        assert_eq!(pair.heard()[2][1..], setup.payload);
    }
}

#[test]
fn statuses_keep_it_waiting_for_longer_than_the_session_timeout() {
    let mut pair = Pair::waiting(setup());
    for turn in 0..6 {
        pair.run(9 * SECOND);
        pair.say(&Message::SessionStatus(format!("turn {turn}").as_bytes()));
    }
    pair.run(9 * SECOND);
    assert_eq!(
        pair.statuses(),
        [
            b"turn 0", b"turn 1", b"turn 2", b"turn 3", b"turn 4", b"turn 5"
        ]
    );
    assert_eq!(pair.client.state(), State::Connecting);
    pair.say(&Message::SessionConfig(b"{\"map\":\"downtown\"}"));
    pair.run(ms(20));
    assert_eq!(pair.client.state(), State::Connected);
    match pair.events.last() {
        Some(Event::Accepted { config }) => assert_eq!(config, b"{\"map\":\"downtown\"}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_answer_and_status_it_gives_up_after_the_session_timeout() {
    let mut pair = Pair::waiting(setup());
    pair.run(3 * SECOND);
    pair.say(&Message::SessionStatus(b"soon"));
    pair.run(ms(5));
    let (ending, after) = pair.run_to_the_end();
    assert_eq!(ending, Ending::SessionTimeout);
    assert!((9_980..=10_000).contains(&after.as_millis()), "{after:?}");
    pair.assert_empty();
}

#[test]
fn a_longer_session_timeout_waits_longer() {
    let mut setup = setup();
    setup.session_timeout = 45 * SECOND;
    let mut pair = Pair::waiting(setup);
    pair.run(44 * SECOND);
    assert_eq!(pair.client.state(), State::Connecting);
    pair.say(&Message::SessionConfig(b""));
    pair.run(ms(20));
    assert_eq!(pair.client.state(), State::Connected);
}

#[test]
fn a_rejection_is_told_with_its_reason_and_acknowledged() {
    let mut pair = Pair::waiting(setup());
    pair.say(&Message::SessionRejected(b"You are not on the whitelist."));
    let (ending, after) = pair.run_to_the_end();
    let reason = b"You are not on the whitelist.".to_vec();
    assert_eq!(ending, Ending::Rejected(reason));
    assert!(after <= ms(20), "{after:?}");
    assert!(pair.server.all_acked());
    // It says nothing back.
    assert_eq!(pair.heard().len(), 3);
    pair.assert_empty();
}

#[test]
fn a_wrong_password_is_told_before_anything_else() {
    let mut pair = Pair::new(setup());
    pair.run(ms(50));
    // Nine bits, as upstream has it.
    pair.server
        .send_bits(&[0x18, 0x80], 9, Reliability::Reliable, 0)
        .unwrap();
    let (ending, _) = pair.run_to_the_end();
    assert_eq!(ending, Ending::WrongPassword);
    assert!(pair.server.all_acked());
    pair.assert_empty();
}

#[test]
fn a_server_that_opens_and_goes_no_further_is_left_after_ten_seconds() {
    let mut pair = Pair::new(setup());
    pair.run(ms(5));
    let (ending, after) = pair.run_to_the_end();
    assert_eq!(ending, Ending::Stalled);
    assert!((9_980..=10_000).contains(&after.as_millis()), "{after:?}");
    pair.assert_empty();
}

#[test]
fn nothing_of_the_game_comes_or_goes_before_the_acceptance() {
    let mut pair = Pair::new(setup());
    pair.run(ms(20));
    pair.send(b"\x87early", Reliability::Reliable);
    pair.run(ms(20));
    pair.accept_request();
    pair.send(b"\x87early too", Reliability::ReliableOrdered);
    pair.run(ms(20));
    let unsent = pair
        .client
        .send(b"\x87hello", Reliability::Reliable, 0, pair.now);
    assert_eq!(unsent, Err(Unsent::NotConnected));
    assert_eq!(pair.client.early(), 2);
    pair.say(&Message::SessionConfig(b""));
    pair.send(b"\x87in time", Reliability::ReliableOrdered);
    pair.run(ms(20));
    let told = pair.events.iter().filter_map(|event| match event {
        Event::Message(message) => Some(message.bytes.as_slice()),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [b"\x87in time"]);
}

#[test]
fn pings_are_answered_while_it_waits() {
    let mut pair = Pair::waiting(setup());
    pair.send(
        &Message::Ping { time: 0x1f1 }.to_bytes(),
        Reliability::Unreliable,
    );
    pair.run(ms(20));
    let last = pair.got.last().expect("it says something");
    assert_eq!(last.reliability, Reliability::Unreliable);
    assert_eq!((last.bytes[0], last.bytes.len()), (0x03, 17));
    assert_eq!(last.bytes[1..9], 0x1f1u64.to_be_bytes());
}

#[test]
fn who_leaves_while_it_waits_says_so() {
    let mut pair = Pair::waiting(setup());
    pair.client.leave(b"", pair.now);
    assert_eq!(pair.client.state(), State::Closing);
    // What the server decides meanwhile comes too late.
    pair.say(&Message::SessionConfig(b""));
    let (ending, after) = pair.run_to_the_end();
    assert_eq!(ending, Ending::Left);
    assert!(after <= ms(20), "{after:?}");
    assert_eq!(pair.heard().last(), Some(&&b"\x15"[..]));
    assert!(
        !pair
            .events
            .iter()
            .any(|it| matches!(it, Event::Accepted { .. }))
    );
    pair.assert_empty();
}

#[test]
fn a_server_that_breaks_the_protocol_is_left() {
    let mut pair = Pair::waiting(setup());
    pair.say(&Message::SessionConfig(&[0; 65_537]));
    let (ending, _) = pair.run_to_the_end();
    assert!(
        matches!(
            ending,
            Ending::Broken(Malformed::TooLong { length: 65_537, .. })
        ),
        "{ending:?}"
    );
    pair.assert_empty();
}

#[test]
fn one_bad_datagram_is_as_good_as_lost() {
    let mut pair = Pair::waiting(setup());
    for noise in [
        &b"\x84\x00\x00\x00\xff\xff\xff\xff"[..],
        b"\xc0\xff\xff",
        b"\x84\x07",
    ] {
        pair.client.receive(noise, pair.now);
    }
    pair.say(&Message::SessionStatus(b"still here"));
    pair.run(ms(20));
    assert_eq!(pair.statuses(), [b"still here"]);
    assert!(pair.client.malformed() > 0);
}

#[test]
fn without_a_session_exchange_the_connection_is_the_admission() {
    let mut setup = setup();
    setup.dialect = Dialect::RAKNET4;
    setup.payload = b"nobody asks for this".to_vec();
    let mut pair = Pair::new(setup);
    pair.run(ms(50));
    pair.accept_request();
    pair.run(ms(20));
    assert_eq!(pair.client.state(), State::Connected);
    assert!(matches!(pair.events.last(), Some(Event::Accepted { config }) if config.is_empty()));
    let kinds: Vec<_> = pair.heard().iter().map(|bytes| bytes[0]).collect();
    assert_eq!(kinds, [0x09, 0x13]);
}
