//! The reliability layer against bytes that were captured from a MafiaNet client.

use std::time::Duration;

use usher_wire::raknet::{Budget, Connection, Limits, Reliability};

const MTU: u16 = 1400;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).unwrap() as u8)
        .collect();
    digits.chunks(2).map(|two| two[0] << 4 | two[1]).collect()
}

fn new() -> (Connection, Budget) {
    let budget = Budget::default();
    let connection = Connection::new(MTU, Limits::pending(MTU), budget.clone(), ms(0));
    (connection, budget)
}

/// All datagrams that are due now.
fn transmit(connection: &mut Connection, now: Duration) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    std::iter::from_fn(|| connection.poll_transmit(now, &mut out).then(|| out.clone())).collect()
}

fn messages(connection: &mut Connection) -> Vec<Vec<u8>> {
    std::iter::from_fn(|| connection.poll_message().map(|message| message.bytes)).collect()
}

#[test]
fn a_connection_request_is_acknowledged_and_delivered() {
    let (mut server, _) = new();
    let request = hex("84000000 400090000000 09b90bc9dba512890e000000000000001500");
    server.receive(&request, ms(0)).unwrap();
    assert_eq!(
        messages(&mut server),
        [hex("09b90bc9dba512890e000000000000001500")]
    );
    assert_eq!(transmit(&mut server, ms(0)), [hex("c0 0001 01 000000")]);
}

#[test]
fn what_is_sent_has_the_bytes_of_the_original() {
    let (mut server, _) = new();
    let mut accepted = hex("10 0480fffffeee53 0000 043ffffdfdee52");
    accepted.extend(hex("04ffffffff0000").repeat(9));
    accepted.extend(hex("0000000000000015 0000000000000015"));
    server
        .send(&accepted, Reliability::ReliableOrdered, 0)
        .unwrap();
    let mut expected = hex("84000000 600300 000000 000000 00");
    expected.extend(&accepted);
    assert_eq!(transmit(&mut server, ms(0)), [expected]);

    let status = hex("83 596f7520617265203220696e207468652071756575652e");
    server
        .send(&status, Reliability::ReliableOrdered, 0)
        .unwrap();
    let mut expected = hex("84010000 6000c0 010000 010000 00");
    expected.extend(&status);
    assert_eq!(transmit(&mut server, ms(0)), [expected]);
}
