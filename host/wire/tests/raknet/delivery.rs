//! What arrives, once and in its order.

use usher_wire::raknet::{Frame, Incoming, Malformed, Reliability};

use crate::ends::{End, datagram, frame, part};

fn texts(got: &[Incoming]) -> Vec<&[u8]> {
    got.iter().map(|message| &message.bytes[..]).collect()
}

fn ordered(message: u32, order: u32, bytes: &[u8]) -> Frame<'_> {
    Frame {
        message,
        order,
        ..frame(Reliability::ReliableOrdered, bytes)
    }
}

fn sequenced(order: u32, sequence: u32, bytes: &[u8]) -> Frame<'_> {
    Frame {
        order,
        sequence,
        ..frame(Reliability::UnreliableSequenced, bytes)
    }
}

#[test]
fn a_reliable_message_is_delivered_once_however_often_it_comes() {
    let mut end = End::new();
    let message = frame(Reliability::Reliable, b"\x87");
    assert_eq!(end.hears(&datagram(0, &[message])).len(), 1);
    for number in 1..5 {
        assert!(end.hears(&datagram(number, &[message])).is_empty());
    }
}

#[test]
fn a_datagram_that_comes_twice_is_read_once() {
    let mut end = End::new();
    let bytes = datagram(0, &[frame(Reliability::Unreliable, b"\x87")]);
    assert_eq!(end.hears(&bytes).len(), 1);
    assert!(end.hears(&bytes).is_empty());
}

#[test]
fn ordered_messages_wait_for_those_before_them() {
    let mut end = End::new();
    assert!(end.hears(&datagram(0, &[ordered(2, 2, b"c")])).is_empty());
    assert!(end.hears(&datagram(1, &[ordered(1, 1, b"b")])).is_empty());
    assert!(end.budget.used() > 0);
    let got = end.hears(&datagram(2, &[ordered(0, 0, b"a")]));
    assert_eq!(texts(&got), [b"a", b"b", b"c"]);
    assert_eq!(end.budget.used(), 0);
}

#[test]
fn channels_do_not_wait_for_each_other() {
    let mut end = End::new();
    let other = Frame {
        channel: 31,
        ..ordered(1, 0, b"other")
    };
    assert!(end.hears(&datagram(0, &[ordered(0, 1, b"b")])).is_empty());
    let got = end.hears(&datagram(1, &[other]));
    assert_eq!(got[0].channel, 31);
    let got = end.hears(&datagram(2, &[ordered(2, 0, b"a")]));
    assert_eq!(texts(&got), [b"a", b"b"]);
}

#[test]
fn an_older_sequenced_message_is_dropped() {
    let mut end = End::new();
    let got = end.hears(&datagram(
        0,
        &[
            sequenced(0, 0, b"0"),
            sequenced(0, 2, b"2"),
            sequenced(0, 1, b"1"),
            sequenced(0, 2, b"2"),
            sequenced(0, 3, b"3"),
        ],
    ));
    assert_eq!(texts(&got), [b"0", b"2", b"3"]);
}

#[test]
fn a_sequenced_message_waits_for_the_ordered_ones_before_it() {
    let mut end = End::new();
    // Sent: ordered 0, sequenced (1, 0), sequenced (1, 1), ordered 1, sequenced (2, 0).
    assert!(end.hears(&datagram(0, &[sequenced(2, 0, b"e")])).is_empty());
    assert!(end.hears(&datagram(1, &[ordered(1, 1, b"d")])).is_empty());
    assert!(end.hears(&datagram(2, &[sequenced(1, 1, b"c")])).is_empty());
    assert!(end.hears(&datagram(3, &[sequenced(1, 0, b"b")])).is_empty());
    let got = end.hears(&datagram(4, &[ordered(0, 0, b"a")]));
    assert_eq!(texts(&got), [b"a", b"b", b"c", b"d", b"e"]);
    // All that is from before is too late.
    assert!(end.hears(&datagram(5, &[sequenced(1, 7, b"x")])).is_empty());
    assert!(end.hears(&datagram(6, &[ordered(2, 0, b"x")])).is_empty());
    assert!(end.hears(&datagram(7, &[sequenced(2, 0, b"e")])).is_empty());
    assert_eq!(end.hears(&datagram(8, &[sequenced(2, 1, b"f")])).len(), 1);
    assert_eq!(end.budget.used(), 0);
}

#[test]
fn sequencing_begins_again_after_an_ordered_message() {
    let mut client = End::new();
    let mut server = End::new();
    for (bytes, reliability) in [
        (b"a", Reliability::UnreliableSequenced),
        (b"b", Reliability::ReliableSequenced),
        (b"c", Reliability::ReliableOrdered),
        (b"d", Reliability::UnreliableSequenced),
        (b"e", Reliability::ReliableOrdered),
    ] {
        client.send(bytes, reliability);
    }
    let got = server.hears(&client.says().remove(0));
    assert_eq!(texts(&got), [b"a", b"b", b"c", b"d", b"e"]);
}

#[test]
fn parts_come_in_any_order_and_twice() {
    let mut end = End::new();
    assert!(
        end.hears(&datagram(0, &[part(2, 3, 9, 2, b"c")]))
            .is_empty()
    );
    assert!(
        end.hears(&datagram(1, &[part(0, 3, 9, 0, b"a")]))
            .is_empty()
    );
    // Under another message number: upstream would never, and it changes nothing.
    assert!(
        end.hears(&datagram(2, &[part(7, 3, 9, 0, b"x")]))
            .is_empty()
    );
    let got = end.hears(&datagram(3, &[part(1, 3, 9, 1, b"b")]));
    assert_eq!(texts(&got), [b"abc"]);
    assert_eq!(end.budget.used(), 0);
}

#[test]
fn the_last_part_may_end_inside_a_byte() {
    let mut end = End::new();
    let last = Frame {
        bits: 11,
        ..part(1, 2, 0, 1, &[0x8a, 0xa0])
    };
    end.hears(&datagram(0, &[last]));
    let got = end.hears(&datagram(1, &[part(0, 2, 0, 0, b"ab")]));
    assert_eq!((got[0].bits, got[0].bytes.len()), (16 + 11, 4));

    let first = Frame {
        bits: 11,
        ..part(2, 2, 1, 0, &[0x8a, 0xa0])
    };
    let result = end.tries(&datagram(2, &[first]));
    assert_eq!(result, Err(Malformed::PartialByte));
}

#[test]
fn only_the_whole_message_takes_its_turn() {
    let mut end = End::new();
    let in_parts = |message, index, bytes| Frame {
        reliability: Reliability::ReliableOrdered,
        order: 1,
        ..part(message, 2, 0, index, bytes)
    };
    assert!(end.hears(&datagram(0, &[in_parts(1, 0, b"b")])).is_empty());
    assert!(end.hears(&datagram(1, &[in_parts(2, 1, b"c")])).is_empty());
    let got = end.hears(&datagram(2, &[ordered(0, 0, b"a")]));
    assert_eq!(texts(&got), [&b"a"[..], b"bc"]);
}

#[test]
fn a_long_unreliable_message_becomes_reliable() {
    for (reliability, arrives) in [
        (Reliability::Unreliable, Reliability::Reliable),
        (
            Reliability::UnreliableSequenced,
            Reliability::ReliableSequenced,
        ),
        (Reliability::ReliableOrdered, Reliability::ReliableOrdered),
    ] {
        let (mut client, mut server) = (End::new(), End::new());
        client.send(&[0x87; 1341], reliability);
        let [_, got] = client.talk(&mut server);
        assert_eq!((got[0].reliability, got[0].bytes.len()), (arrives, 1341));
        let (mut client, mut server) = (End::new(), End::new());
        client.send(&[0x87; 1340], reliability);
        let [_, got] = client.talk(&mut server);
        assert_eq!(got[0].reliability, reliability, "one datagram is enough");
    }
}

#[test]
fn what_is_malformed_ends_its_datagram_and_nothing_else() {
    let mut end = End::new();
    let good = Frame {
        message: 0,
        ..frame(Reliability::Reliable, b"a")
    };
    let bad = Frame {
        channel: 32,
        ..ordered(1, 0, b"b")
    };
    let result = end
        .connection
        .receive(&datagram(0, &[good, bad, good]), end.now);
    assert_eq!(result, Err(Malformed::Channel(32)));
    assert_eq!(
        end.connection.poll_message().map(|m| m.bytes),
        Some(b"a".to_vec())
    );
    assert_eq!(end.says(), [crate::ends::ack(&[(0, 0)])]);
    assert_eq!(end.hears(&datagram(1, &[ordered(2, 0, b"c")])).len(), 1);
}

#[test]
fn noise_is_no_sign_of_life() {
    let mut end = End::new();
    let before = end.connection.last_heard();
    assert_eq!(end.at(50).tries(&[0; 4]), Err(Malformed::NotConnected));
    assert!(end.tries(&[0xc0, 0]).is_err());
    assert_eq!(end.connection.last_heard(), before);
    assert!(end.says().is_empty());
}
