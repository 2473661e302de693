use super::*;
use crate::rtyp::{Arrival, Sequencer};

const TOKEN: u32 = 0xDEAD_BEEF;

const CONNECT: [u8; HEADER] = [
    0x52, 0x54, 0x59, 0x50, 0x01, 0x01, 0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xEF, 0xBE,
    0xAD, 0xDE,
];

const ACCEPT: [u8; HEADER] = [
    0x52, 0x54, 0x59, 0x50, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xEF, 0xBE,
    0xAD, 0xDE,
];

fn token() -> SessionToken {
    SessionToken::new(TOKEN).expect("not zero")
}

/// The first Connect with some of its bytes replaced, and a payload after it.
fn altered(changes: &[(usize, u8)], payload: &[u8]) -> Vec<u8> {
    let mut bytes = CONNECT.to_vec();
    for &(at, byte) in changes {
        bytes[at] = byte;
    }
    bytes.extend(payload);
    bytes
}

#[test]
fn binding_has_the_bytes_of_the_specification() {
    let (mut client, mut server) = (Sequencer::new(), Sequencer::new());
    let mut buffer = [0; MAX_DATAGRAM];

    let connect = client.stamp(Kind::Connect, token(), &[]);
    assert_eq!(connect.encode(&mut buffer), Ok(&CONNECT[..]));
    assert_eq!(Datagram::decode(&CONNECT, Side::Client), Ok(connect));

    assert_eq!(server.receive(connect.sequence), Arrival::Deliver);
    let accept = server.stamp(Kind::Accept, token(), &[]);
    assert_eq!(accept.encode(&mut buffer), Ok(&ACCEPT[..]));
    assert_eq!(Datagram::decode(&ACCEPT, Side::Server), Ok(accept));
}

#[test]
fn every_field_has_its_place_and_order() {
    let datagram = Datagram {
        kind: Kind::Data,
        sequence: 0x0102,
        ack: 0x0304,
        ack_bits: 0x0506_0708,
        session: SessionToken::new(0x090A_0B0C).expect("not zero"),
        payload: b"hi",
    };
    let mut buffer = [0; MAX_DATAGRAM];
    let expected = [
        0x52, 0x54, 0x59, 0x50, 1, 3, 0x02, 0x01, 0x04, 0x03, 0x08, 0x07, 0x06, 0x05, 0x0C, 0x0B,
        0x0A, 0x09, b'h', b'i',
    ];
    assert_eq!(datagram.encode(&mut buffer), Ok(&expected[..]));
    assert_eq!(Datagram::decode(&expected, Side::Client), Ok(datagram));
    assert_eq!(Datagram::decode(&expected, Side::Server), Ok(datagram));
}

#[test]
fn what_names_no_session_is_a_stray() {
    let cases: &[(Vec<u8>, Stray)] = &[
        (vec![], Stray::Short),
        (CONNECT[..17].to_vec(), Stray::Short),
        (altered(&[(0, 0x72)], &[]), Stray::Magic),
        (altered(&[(3, 0)], &[]), Stray::Magic),
        (
            altered(&[(14, 0), (15, 0), (16, 0), (17, 0)], &[]),
            Stray::NoSession,
        ),
        // An invalid one that names no session is no one's fault.
        (
            altered(&[(4, 9), (14, 0), (15, 0), (16, 0), (17, 0)], &[]),
            Stray::NoSession,
        ),
    ];
    for (bytes, stray) in cases {
        for side in [Side::Client, Side::Server] {
            assert_eq!(
                Datagram::decode(bytes, side),
                Err(DatagramError::Stray(*stray)),
                "{bytes:02x?}"
            );
        }
    }
}

#[test]
fn what_is_invalid_still_names_its_session() {
    let (connect, accept, keep_alive) = (Kind::Connect, Kind::Accept, Kind::KeepAlive);
    let cases: &[(Vec<u8>, Side, Fault)] = &[
        (altered(&[(4, 0)], &[]), Side::Client, Fault::Version(0)),
        (altered(&[(4, 2)], &[]), Side::Client, Fault::Version(2)),
        (
            altered(&[(4, 2), (5, 9)], &[]),
            Side::Client,
            Fault::Version(2),
        ),
        (altered(&[(5, 0)], &[]), Side::Client, Fault::Kind(0)),
        (altered(&[(5, 5)], &[]), Side::Client, Fault::Kind(5)),
        (
            altered(&[(5, 255)], &[0; 1300]),
            Side::Client,
            Fault::Kind(255),
        ),
        (
            altered(&[(5, 2)], &[]),
            Side::Client,
            Fault::WrongSide(accept),
        ),
        (altered(&[], &[]), Side::Server, Fault::WrongSide(connect)),
        (
            altered(&[], &[0]),
            Side::Client,
            Fault::Payload {
                kind: connect,
                length: 1,
            },
        ),
        (
            altered(&[(5, 2)], &[0]),
            Side::Server,
            Fault::Payload {
                kind: accept,
                length: 1,
            },
        ),
        (
            altered(&[(5, 4)], &[0]),
            Side::Client,
            Fault::Payload {
                kind: keep_alive,
                length: 1,
            },
        ),
        (
            altered(&[(5, 3)], &[0; 1201]),
            Side::Client,
            Fault::Payload {
                kind: Kind::Data,
                length: 1201,
            },
        ),
    ];
    for (bytes, side, fault) in cases {
        let expected = Err(DatagramError::Invalid {
            session: token(),
            fault: *fault,
        });
        assert_eq!(Datagram::decode(bytes, *side), expected, "{bytes:02x?}");
    }
}

#[test]
fn data_carries_up_to_1200_bytes() {
    for length in [0, 1, MAX_PAYLOAD] {
        let bytes = altered(&[(5, 3)], &vec![7; length]);
        assert_eq!(
            Datagram::decode(&bytes, Side::Client).map(|d| d.payload.len()),
            Ok(length)
        );
    }
}

#[test]
fn a_payload_that_its_type_does_not_allow_is_not_encoded() {
    let cases = [
        (Kind::Connect, 1),
        (Kind::Accept, 1),
        (Kind::KeepAlive, 1),
        (Kind::Data, MAX_PAYLOAD + 1),
    ];
    for (kind, length) in cases {
        let payload = vec![0; length];
        let datagram = Sequencer::new().stamp(kind, token(), &payload);
        assert_eq!(
            datagram.encode(&mut [0; MAX_DATAGRAM]),
            Err(EncodeError { kind, length })
        );
    }
}

#[test]
fn the_token_is_not_in_debug_output_or_errors() {
    let bad = altered(&[(5, 9)], &[]);
    let error = Datagram::decode(&bad, Side::Client).expect_err("type 9");
    let shown = format!(
        "{error:?} {error} {:?}",
        Datagram::decode(&CONNECT, Side::Client)
    )
    .to_lowercase();
    assert!(
        !shown.contains("deadbeef") && !shown.contains("3735928559"),
        "{shown}"
    );
}
