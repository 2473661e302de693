//! Against bytes that were captured from a MafiaNet client.

use usher_wire::raknet::Reliability;

use crate::ends::{End, hex, ms};

#[test]
fn a_connection_request_is_acknowledged_and_delivered() {
    let mut server = End::new();
    let request = "09b90bc9dba512890e000000000000001500";
    let got = server.hears(&hex(&format!("84000000 400090000000 {request}")));
    assert_eq!(got[0].bytes, hex(request));
    assert_eq!(server.says(), [hex("c0 0001 01 000000")]);
}

#[test]
fn what_is_sent_has_the_bytes_of_the_original() {
    let mut server = End::new();
    let mut accepted = hex("10 0480fffffeee53 0000 043ffffdfdee52");
    accepted.extend(hex("04ffffffff0000").repeat(9));
    accepted.extend(hex("0000000000000015 0000000000000015"));
    server.send(&accepted, Reliability::ReliableOrdered);
    let mut expected = hex("84000000 600300 000000 000000 00");
    expected.extend(&accepted);
    assert_eq!(server.says(), [expected]);

    let status = hex("83 596f7520617265203220696e207468652071756575652e");
    server.send(&status, Reliability::ReliableOrdered);
    let mut expected = hex("84010000 6000c0 010000 010000 00");
    expected.extend(&status);
    assert_eq!(server.says(), [expected]);
}

#[test]
fn three_messages_of_one_datagram_are_acknowledged_once() {
    let mut server = End::new();
    let mut datagram = hex("84000000 6002f0010000000000 00 13");
    datagram.extend([0; 93]);
    datagram.extend(hex("600058 020000 010000 00 807469636b65743d616263"));
    datagram.extend(hex("000048 00000000000000001f"));
    let got = server.hears(&datagram);
    let ids: Vec<_> = got.iter().map(|message| message.bytes[0]).collect();
    assert_eq!(ids, [0x13, 0x80, 0x00]);
    assert_eq!(server.says(), [hex("c0 0001 01 000000")]);
}

#[test]
fn each_reliability_is_delivered_as_it_was_sent() {
    let mut client = End::new();
    let (mut numbers, mut kinds) = (Vec::new(), Vec::new());
    for datagram in [
        "84 000000 00 0028                         886d736730",
        "84 010000 20 0028 000000 000000 00        886d736731",
        "84 020000 40 0028 000000                  886d736732",
        "84 030000 60 0028 010000 000000 02        886d736733",
        "84 040000 80 0028 020000 010000 000000 00 886d736734",
    ] {
        for message in client.hears(&hex(datagram)) {
            numbers.push(message.bytes[4]);
            kinds.push((message.reliability, message.channel));
        }
    }
    assert_eq!(numbers, b"01234");
    assert_eq!(
        kinds,
        [
            (Reliability::Unreliable, 0),
            (Reliability::UnreliableSequenced, 0),
            (Reliability::Reliable, 0),
            (Reliability::ReliableOrdered, 2),
            (Reliability::ReliableSequenced, 0),
        ]
    );
}

#[test]
fn eleven_bits_go_both_ways() {
    let mut end = End::new();
    let bytes = hex("84 000000 40 000b 000000 8aa0");
    let got = end.hears(&bytes);
    assert_eq!((got[0].bits, &got[0].bytes[..]), (11, &[0x8a, 0xa0][..]));
    let mut other = End::new();
    other
        .connection
        .send_bits(&[0x8a, 0xa0], 11, Reliability::Reliable, 0)
        .expect("room");
    assert_eq!(other.says(), [bytes]);
}

#[test]
fn the_longest_session_payload_is_49_parts() {
    let mut server = End::new();
    let config = [&[0x81][..], &[0x53; 65_536]].concat();
    server.send(&config, Reliability::ReliableOrdered);
    let first = server.says().remove(0);
    assert_eq!(first.len(), 4 + 20 + 1340);
    let header = hex("84 000000 70 29e0 000000 000000 00 00000031 0000 00000000 8153");
    assert_eq!(first[..header.len()], header);

    let mut client = End::new();
    let mut server = End::new();
    server.send(&config, Reliability::ReliableOrdered);
    let [_, got] = server.talk_until_acked(&mut client);
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].bytes, config);
    assert_eq!(got[0].bits, 65_537 * 8);
    assert_eq!(client.budget.used(), 0);
}

/// What a relay saw that dropped the datagram with a status in it.
#[test]
fn a_loss_goes_as_it_was_captured() {
    let mut server = End::new();
    let status = hex("8371756575652031");
    let datagram = |number: &str| {
        hex(&format!(
            "84{number} 600040 000000 000000 00 8371756575652031"
        ))
    };
    server.send(&status, Reliability::ReliableOrdered);
    assert_eq!(server.says(), [datagram("000000")]);
    // Dropped. Nothing comes, and it goes out again under a new number.
    assert_eq!(server.due(), Some(500));
    assert!(server.at(499).says().is_empty());
    assert_eq!(server.at(500).says(), [datagram("010000")]);
    // The client misses the first one. It went out again already, so there is nothing more to do.
    server.at(501).hears(&hex("a0 0001 01 000000"));
    assert!(server.says().is_empty());
    server.at(510).hears(&hex("c0 0001 01 010000"));
    assert!(server.connection.all_acked());
    assert_eq!((server.says(), server.due()), (vec![], None));
    assert_eq!(server.connection.rtt(), Some(ms(10)));
}
