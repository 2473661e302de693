//! Once it is in, and how it leaves.

use std::time::Duration;

use super::super::{Ending, Event, State};
use super::server::{Pair, ms, setup};
use crate::raknet::{Incoming, Message, Reliability, Timestamped};

const SECOND: Duration = Duration::from_secs(1);

fn messages(pair: &Pair) -> Vec<&Incoming> {
    let events = pair.events.iter();
    let messages = events.filter_map(|event| match event {
        Event::Message(message) => Some(message),
        _ => None,
    });
    messages.collect()
}

#[test]
fn messages_go_both_ways_with_their_reliability_channel_and_length() {
    let mut pair = Pair::inside(setup());
    for (place, reliability) in Reliability::ALL.into_iter().enumerate() {
        let channel = if reliability.has_channel() { 2 } else { 0 };
        let said = [0x88, b'0' + place as u8];
        pair.client
            .send(&said, reliability, channel, pair.now)
            .unwrap();
        pair.server.send(&said, reliability, channel).unwrap();
        pair.run(ms(10));
        let (heard, told) = (
            pair.got.pop().unwrap(),
            messages(&pair).pop().unwrap().clone(),
        );
        assert_eq!(heard, told);
        assert_eq!((heard.bytes, heard.bits), (said.to_vec(), 16));
        assert_eq!((heard.reliability, heard.channel), (reliability, channel));
    }
}

#[test]
fn a_message_of_eleven_bits_stays_one() {
    let mut pair = Pair::inside(setup());
    let now = pair.now;
    pair.client
        .send_bits(&[0x8a, 0xa0], 11, Reliability::Reliable, 0, now)
        .unwrap();
    pair.server
        .send_bits(&[0x8a, 0xa0], 11, Reliability::Reliable, 0)
        .unwrap();
    pair.run(ms(20));
    assert_eq!(
        (pair.got[0].bits, &pair.got[0].bytes),
        (11, &vec![0x8a, 0xa0])
    );
    assert_eq!(messages(&pair)[0].bits, 11);
}

#[test]
fn a_message_of_thirty_datagrams_comes_whole() {
    let mut pair = Pair::inside(setup());
    let long: Vec<u8> = (0..30 * 1400).map(|it| 0x87 | it as u8).collect();
    pair.send(&long, Reliability::ReliableOrdered);
    pair.client
        .send(&long, Reliability::ReliableOrdered, 0, pair.now)
        .unwrap();
    pair.server.set_limits(crate::raknet::Limits::accepted());
    pair.run(SECOND);
    assert_eq!(messages(&pair)[0].bytes, long);
    assert_eq!(pair.got.last().unwrap().bytes, long);
}

#[test]
fn who_has_nothing_to_say_says_so_every_five_seconds() {
    let mut pair = Pair::inside(setup());
    pair.run(22 * SECOND);
    let kinds: Vec<_> = pair
        .got
        .iter()
        .map(|it| (it.bytes[0], it.reliability))
        .collect();
    assert_eq!(kinds, [(0x00, Reliability::Reliable); 4]);
    assert_eq!(pair.client.state(), State::Connected);
}

#[test]
fn a_server_that_goes_silent_is_lost_ten_seconds_later() {
    let mut pair = Pair::inside(setup());
    pair.answers = false;
    let (ending, after) = pair.run_to_the_end();
    assert_eq!(ending, Ending::Lost);
    assert!((9_900..=10_100).contains(&after.as_millis()), "{after:?}");
    pair.assert_empty();
}

#[test]
fn the_servers_goodbye_is_acknowledged_and_its_reason_told() {
    let mut pair = Pair::inside(setup());
    pair.say(&Message::Disconnect(b"kicked: afk"));
    let (ending, after) = pair.run_to_the_end();
    assert_eq!(ending, Ending::Disconnected(b"kicked: afk".to_vec()));
    assert!(after <= ms(20), "{after:?}");
    assert!(pair.server.all_acked());
    pair.assert_empty();
}

#[test]
fn who_leaves_says_why_after_all_that_was_said_before() {
    let mut pair = Pair::inside(setup());
    let now = pair.now;
    pair.client
        .send(b"\x87last words", Reliability::ReliableOrdered, 0, now)
        .unwrap();
    pair.client.leave(b"bored", now);
    pair.client.leave(b"twice", now);
    let (ending, after) = pair.run_to_the_end();
    assert_eq!(ending, Ending::Left);
    assert!(after <= ms(20), "{after:?}");
    assert_eq!(pair.heard(), [&b"\x87last words"[..], b"\x15bored"]);
    pair.assert_empty();
}

#[test]
fn a_goodbye_that_nobody_hears_is_given_up() {
    let mut pair = Pair::inside(setup());
    pair.answers = false;
    pair.client.leave(b"", pair.now);
    let (ending, after) = pair.run_to_the_end();
    assert_eq!(ending, Ending::Left);
    assert!((2_990..=3_000).contains(&after.as_millis()), "{after:?}");
    pair.assert_empty();
}

#[test]
fn a_timestamp_comes_by_our_clock() {
    let mut pair = Pair::new(setup());
    pair.ahead = 500_000;
    pair.run(ms(50));
    pair.accept_request();
    pair.run(ms(20));
    pair.say(&Message::SessionConfig(b""));
    pair.run(ms(20));
    let mut stamped = Vec::new();
    let time = pair.server_time() - 7;
    Timestamped {
        time,
        message: &[0x89, 0x42],
    }
    .encode(&mut stamped);
    pair.send(&stamped, Reliability::ReliableOrdered);
    let made = pair.now.as_millis() as u64 - 7;
    pair.run(ms(20));
    let told = Timestamped::parse(&messages(&pair)[0].bytes)
        .unwrap()
        .unwrap();
    assert_eq!(told.message, [0x89, 0x42]);
    assert!(told.time.abs_diff(made) <= 5, "{} and {made}", told.time);
}

#[test]
fn through_a_network_that_loses_every_fifth_datagram_it_gets_in_plays_and_leaves() {
    let mut setup = setup();
    setup.payload = vec![7; 20_000];
    let mut pair = Pair::new(setup);
    pair.loses = 5;
    pair.run(2 * SECOND);
    pair.accept_request();
    pair.run(5 * SECOND);
    assert_eq!(pair.heard()[2].len(), 20_001);
    pair.say(&Message::SessionConfig(b"map"));
    pair.run(2 * SECOND);
    assert_eq!(pair.client.state(), State::Connected);
    pair.got.clear();
    for number in 0..200u8 {
        let said = [0x88, number];
        let now = pair.now;
        let ordered = Reliability::ReliableOrdered;
        pair.client.send(&said, ordered, 1, now).unwrap();
        pair.server.send(&said, ordered, 1).unwrap();
        pair.run(ms(20));
    }
    pair.run(4 * SECOND);
    let all: Vec<_> = (0..200u8).map(|number| vec![0x88, number]).collect();
    assert_eq!(pair.heard(), all);
    let told = messages(&pair).into_iter().map(|it| it.bytes.clone());
    assert_eq!(told.collect::<Vec<_>>(), all);
    pair.client.leave(b"", pair.now);
    let (ending, _) = pair.run_to_the_end();
    assert_eq!(ending, Ending::Left);
    pair.assert_empty();
}
