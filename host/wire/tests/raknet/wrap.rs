//! Numbers of 24 bits on a connection that lives for days.

use usher_wire::raknet::Reliability;

use crate::ends::{End, ack, datagram, frame, hex, nak};

fn before(count: u32) -> End {
    let mut end = End::new();
    end.connection
        .count_from_before_the_wrap(count, count, count);
    end
}

#[test]
fn messages_of_every_kind_pass_the_wrap() {
    let (mut client, mut server) = (before(50), before(50));
    let mut sent = Vec::new();
    let mut got = Vec::new();
    for round in 0..100u8 {
        for reliability in Reliability::ALL {
            let bytes = vec![0x87, round, reliability as u8];
            client.send(&bytes, reliability);
            sent.push(bytes);
            let [_, new] = client.talk_until_acked(&mut server);
            got.extend(new.into_iter().map(|message| message.bytes));
        }
    }
    assert_eq!(got, sent);
}

#[test]
fn sequencing_indices_wrap_without_an_ordered_message() {
    let (mut client, mut server) = (before(3), before(3));
    for number in 0..10u8 {
        client.send(&[0x87, number], Reliability::UnreliableSequenced);
        let [_, got] = client.talk(&mut server);
        assert_eq!(got[0].bytes, [0x87, number]);
    }
}

#[test]
fn acknowledgements_around_the_wrap_are_two_datagrams() {
    let mut end = before(2);
    for number in [0xff_fffe, 0xff_ffff, 0, 1] {
        end.hears(&datagram(
            number,
            &[frame(Reliability::Unreliable, b"\x87")],
        ));
    }
    assert_eq!(end.says(), [ack(&[(0xff_fffe, 0xff_ffff)]), ack(&[(0, 1)])]);
}

#[test]
fn a_gap_around_the_wrap_is_asked_for_in_two_datagrams() {
    let mut end = before(2);
    end.hears(&datagram(2, &[frame(Reliability::Unreliable, b"\x87")]));
    assert_eq!(
        end.says(),
        [
            nak(&[(0xff_fffe, 0xff_ffff)]),
            nak(&[(0, 1)]),
            ack(&[(2, 2)])
        ]
    );
}

#[test]
fn what_is_sent_around_the_wrap_is_acknowledged() {
    let mut end = before(2);
    for _ in 0..4 {
        end.send(&[0x87; 1_300], Reliability::ReliableOrdered);
    }
    let sent = end.says();
    assert_eq!(sent[1][..4], hex("84ffffff"));
    assert_eq!(sent[2][..4], hex("84000000"));
    end.hears(&ack(&[(0, 1)]));
    assert!(!end.connection.all_acked());
    end.hears(&nak(&[(0xff_fffe, 0xff_ffff)]));
    assert_eq!(end.says().len(), 2);
    end.hears(&ack(&[(0xff_fffe, 0xff_ffff)]));
    assert!(end.connection.all_acked());
}
