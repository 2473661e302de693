//! Before there is a connection.

use super::super::{Ending, Event, Initiator, State, Unsent};
use super::server::{DIALLED, ms, setup};
use crate::raknet::hex::hex;
use crate::raknet::{Budget, Dialect, Refusal, Reliability};

const MAGIC: &str = "00ffff00fefefefefdfdfdfd12345678";

fn client() -> Initiator {
    Initiator::new(setup(), Budget::default(), ms(0))
}

/// All datagrams that are due at this moment.
fn sent(client: &mut Initiator, now: u64) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut datagram = Vec::new();
    while client.poll_transmit(ms(now), &mut datagram) {
        all.push(datagram.clone());
    }
    all
}

fn asked(event: Option<Event>) -> Option<(u32, u16)> {
    match event? {
        Event::Asked { attempt, mtu } => Some((attempt, mtu)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_request_has_the_protocols_bytes_and_fills_a_datagram() {
    let datagrams = sent(&mut client(), 0);
    assert_eq!(datagrams.len(), 1);
    assert_eq!(datagrams[0][..18], hex(&format!("05 {MAGIC} 07")));
    assert!(datagrams[0][18..].iter().all(|byte| *byte == 0));
    assert_eq!(datagrams[0].len(), 1372);
}

#[test]
fn requests_go_down_the_rungs_half_a_second_apart_and_then_nobody_answered() {
    let mut client = client();
    let mut lengths = Vec::new();
    let mut attempts = Vec::new();
    let end = loop {
        let now = client.poll_timeout().expect("it has not ended").as_millis() as u64;
        for datagram in sent(&mut client, now) {
            lengths.push((now, datagram.len()));
        }
        match client.poll_event() {
            Some(Event::Ended(ending)) => {
                assert_eq!(ending, Ending::Unanswered);
                break now;
            }
            event => attempts.extend(asked(event)),
        }
        assert_eq!(client.state(), State::Connecting);
    };
    let rungs = [1372; 3]
        .into_iter()
        .chain([1252; 3])
        .chain([996; 3])
        .chain([548; 4]);
    let expected: Vec<_> = (0..).step_by(500).zip(rungs).collect();
    assert_eq!(lengths, expected);
    assert_eq!(attempts.first(), Some(&(1, 1400)));
    assert_eq!(attempts.last(), Some(&(13, 576)));
    assert_eq!((end, client.state()), (6_500, State::Ended));
    assert_eq!(
        (client.poll_timeout(), sent(&mut client, 9_000).len()),
        (None, 0)
    );
}

#[test]
fn another_protocol_has_its_own_number_and_rungs() {
    let mut setup = setup();
    setup.dialect = Dialect::RAKNET4;
    let mut client = Initiator::new(setup, Budget::default(), ms(0));
    let datagrams = sent(&mut client, 0);
    assert_eq!((datagrams[0][17], datagrams[0].len()), (6, 1464));
}

#[test]
fn every_first_reply_is_answered_and_requests_go_on_until_the_second_reply() {
    let mut client = client();
    sent(&mut client, 0);
    let reply = hex(&format!("06 {MAGIC} e8d7dd5d81f6f788 00 0578"));
    let request = hex(&format!("07 {MAGIC} 0480fffffeee52 0578 b90bc9dba512890e"));
    client.receive(&reply, ms(3));
    client.receive(&reply, ms(3));
    assert_eq!(sent(&mut client, 3), [request.clone(), request.clone()]);
    let again = sent(&mut client, 500);
    assert_eq!((again.len(), again[0].len()), (1, 1372));
    client.receive(&reply, ms(503));
    assert_eq!(sent(&mut client, 503), [request]);
}

#[test]
fn a_cookie_is_carried_back() {
    let mut client = client();
    sent(&mut client, 0);
    client.receive(
        &hex(&format!("06 {MAGIC} e8d7dd5d81f6f788 01 c00c1e55 0578")),
        ms(3),
    );
    let expected = format!("07 {MAGIC} c00c1e55 00 0480fffffeee52 0578 b90bc9dba512890e");
    assert_eq!(sent(&mut client, 3), [hex(&expected)]);
}

#[test]
fn an_mtu_that_no_connection_has_is_not_asked_for() {
    for (offered, wanted) in [("0000", "0240"), ("ffff", "0578")] {
        let mut client = client();
        sent(&mut client, 0);
        client.receive(
            &hex(&format!("06 {MAGIC} e8d7dd5d81f6f788 00 {offered}")),
            ms(3),
        );
        let expected = format!("07 {MAGIC} 0480fffffeee52 {wanted} b90bc9dba512890e");
        assert_eq!(sent(&mut client, 3), [hex(&expected)]);
    }
}

#[test]
fn a_flood_of_first_replies_is_not_answered_one_by_one() {
    let mut client = client();
    let reply = hex(&format!("06 {MAGIC} e8d7dd5d81f6f788 00 0578"));
    client.receive(&reply, ms(0));
    assert_eq!(sent(&mut client, 0).len(), 1, "nothing was asked yet");
    for _ in 0..1_000 {
        client.receive(&reply, ms(3));
    }
    assert_eq!(sent(&mut client, 3).len(), 4);
}

#[test]
fn the_second_reply_begins_the_connection_with_our_request() {
    let mut client = client();
    sent(&mut client, 0);
    assert_eq!(asked(client.poll_event()), Some((1, 1400)));
    let reply = format!("08 {MAGIC} e8d7dd5d81f6f788 0480fffffeee53 0578 00");
    client.receive(&hex(&reply), ms(21));
    assert!(matches!(
        client.poll_event(),
        Some(Event::Opened { mtu: 1400 })
    ));
    let request = "84000000 400090000000 09 b90bc9dba512890e 0000000000000015 00";
    assert_eq!(sent(&mut client, 21), [hex(request)]);
    assert_eq!(client.state(), State::Connecting);
    // Late replies and refusals of other attempts mean nothing any more.
    client.receive(
        &hex(&format!("06 {MAGIC} e8d7dd5d81f6f788 00 0578")),
        ms(22),
    );
    client.receive(&hex(&format!("14 {MAGIC} c6c8b4800d392b1b")), ms(22));
    client.receive(&hex(&reply), ms(22));
    assert!(sent(&mut client, 22).is_empty());
    assert_eq!(client.state(), State::Connecting);
}

#[test]
fn the_password_stands_behind_the_request_and_in_no_debug_output() {
    let mut setup = setup();
    setup.guid = crate::raknet::Guid(0x9de0_e68e_a519_51bd);
    setup.password = b"wrong".to_vec();
    setup.payload = b"ticket=abc".to_vec();
    let mut client = Initiator::new(setup, Budget::default(), ms(0));
    sent(&mut client, 0);
    let reply = format!("08 {MAGIC} e8d7dd5d81f6f788 0480fffffeee53 0578 00");
    client.receive(&hex(&reply), ms(21));
    let request = "84000000 4000b8000000 09 9de0e68ea51951bd 0000000000000015 00 77726f6e67";
    assert_eq!(sent(&mut client, 21), [hex(request)]);
    let shown = format!("{client:?}");
    assert!(
        !shown.contains("wrong") && !shown.contains("ticket"),
        "{shown}"
    );
    assert!(!shown.contains("119, 114, 111"), "{shown}");
}

#[test]
fn each_refusal_ends_the_attempt_under_its_name() {
    for (bytes, refusal) in [
        (
            format!("11 {MAGIC} 0000000000000001"),
            Refusal::AttemptFailed,
        ),
        (
            format!("12 {MAGIC} b4d2a5d8f1725bca"),
            Refusal::AlreadyConnected,
        ),
        (format!("14 {MAGIC} c6c8b4800d392b1b"), Refusal::Full),
        (format!("17 {MAGIC} 1d34d55e546858af"), Refusal::Banned),
        (
            format!("19 07 {MAGIC} 29c0dd4ab8d5f2f6"),
            Refusal::IncompatibleProtocol(7),
        ),
        (
            format!("1a {MAGIC} 0000000000000001"),
            Refusal::RecentlyConnected,
        ),
    ] {
        let mut client = client();
        sent(&mut client, 0);
        client.poll_event();
        client.receive(&hex(&bytes), ms(3));
        match client.poll_event() {
            Some(Event::Ended(ending)) => assert_eq!(ending, Ending::Refused(refusal)),
            other => panic!("{other:?}"),
        }
        assert_eq!(client.state(), State::Ended);
        assert!(sent(&mut client, 3).is_empty());
    }
}

#[test]
fn noise_and_what_servers_do_not_say_changes_nothing() {
    let mut client = client();
    sent(&mut client, 0);
    let (ping, secured) = (
        format!("01 0000000000000014 {MAGIC} 6e2cbfa734eee76f"),
        format!("08 {MAGIC} e8d7dd5d81f6f788 0480fffffeee53 0578 80"),
    );
    for noise in [
        "00000000",
        "84000000 400090000000 09 b90bc9dba512890e 0000000000000015 00",
        "c0 0001 01 000000",
        &ping,
        &secured,
    ] {
        client.receive(&hex(noise), ms(3));
    }
    client.receive(&[], ms(3));
    assert!(sent(&mut client, 3).is_empty());
    assert_eq!(client.state(), State::Connecting);
}

#[test]
fn who_leaves_before_there_is_a_connection_is_gone_at_once() {
    let mut client = client();
    sent(&mut client, 0);
    client.poll_event();
    assert_eq!(
        client.send(b"\x87", Reliability::Reliable, 0, ms(1)),
        Err(Unsent::NotConnected)
    );
    client.leave(b"bye", ms(1));
    assert!(matches!(
        client.poll_event(),
        Some(Event::Ended(Ending::Left))
    ));
    assert!(sent(&mut client, 900).is_empty(), "{DIALLED} hears no more");
}
