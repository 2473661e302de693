//! Connected messages against bytes that were captured from the original.

use std::net::{Ipv4Addr, SocketAddrV4};

use super::super::address::Addresses;
use super::super::dialect::Dialect;
use super::super::guid::Guid;
use super::super::hex::hex;
use super::super::malformed::Malformed;
use super::super::password::Password;
use super::Message;

const MAFIANET: &Dialect = Dialect::MAFIANET;

fn at(port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
}

/// Parses, checks that it encodes to the same bytes, and gives the message.
fn parsed(bytes: &[u8]) -> Message<'_> {
    let message = Message::parse(bytes, MAFIANET).expect("well formed");
    assert_eq!(message.to_bytes(), bytes);
    message
}

#[test]
fn a_connection_request_with_and_without_a_password() {
    let bytes = hex("09 b90bc9dba512890e 0000000000000015 00");
    let Message::ConnectionRequest {
        guid,
        time,
        password,
    } = parsed(&bytes)
    else {
        panic!("another message");
    };
    assert_eq!((guid, time), (Guid(0xb90b_c9db_a512_890e), 0x15));
    assert!(password.expose().is_empty());

    let bytes = hex("09 9de0e68ea51951bd 0000000000000015 00 77726f6e67");
    let Message::ConnectionRequest { password, .. } = parsed(&bytes) else {
        panic!("another message");
    };
    assert_eq!(password.expose(), b"wrong");
}

#[test]
fn a_password_has_255_bytes_at_most() {
    let request = |length| {
        let long = vec![b'x'; length];
        Message::ConnectionRequest {
            guid: Guid(1),
            time: 2,
            password: Password::new(&long),
        }
        .to_bytes()
    };
    parsed(&request(255));
    assert!(Message::parse(&request(256), MAFIANET).is_err());
}

#[test]
fn a_request_of_a_secured_build_is_malformed() {
    let bytes = hex("09 b90bc9dba512890e 0000000000000015 01");
    assert!(Message::parse(&bytes, MAFIANET).is_err());
}

#[test]
fn the_servers_answer_has_ten_addresses() {
    let mut text = "10 0480fffffeee53 0000 043ffffdfdee52".to_owned();
    text.push_str(&"04ffffffff0000".repeat(9));
    text.push_str("0000000000000015 0000000000000016");
    let bytes = hex(&text);
    assert_eq!(bytes.len(), 96);
    let Message::Accepted {
        client,
        index,
        addresses,
        request_time,
        time,
    } = parsed(&bytes)
    else {
        panic!("another message");
    };
    assert_eq!((client, index), (at(61011), 0));
    assert_eq!((request_time, time), (0x15, 0x16));
    let own = SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 2), 61010);
    assert_eq!(addresses, Addresses::new(&[own], MAFIANET));
}

#[test]
fn the_clients_answer_has_ten_addresses_too() {
    let message = Message::NewIncoming {
        server: at(61010),
        addresses: Addresses::new(&[], MAFIANET),
        accepted_time: 3,
        time: 4,
    };
    let bytes = message.to_bytes();
    assert_eq!(bytes.len(), 94);
    assert!(matches!(
        parsed(&bytes),
        Message::NewIncoming {
            accepted_time: 3,
            time: 4,
            ..
        }
    ));
}

#[test]
fn bedrock_has_twenty_addresses_or_ten() {
    let with = |dialect| {
        Message::NewIncoming {
            server: at(1),
            addresses: Addresses::new(&[], dialect),
            accepted_time: 3,
            time: 4,
        }
        .to_bytes()
    };
    let (ten, twenty) = (with(MAFIANET), with(Dialect::BEDROCK));
    assert_eq!(twenty.len(), ten.len() + 70);
    for bytes in [&ten, &twenty] {
        let message = Message::parse(bytes, Dialect::BEDROCK).expect("well formed");
        assert_eq!(message.to_bytes(), *bytes);
    }
    assert_eq!(
        Message::parse(&twenty, MAFIANET).err(),
        Some(Malformed::Addresses(140))
    );
}

#[test]
fn session_messages_carry_their_payload() {
    let bytes = hex("80 7469636b65743d616263");
    assert!(matches!(
        parsed(&bytes),
        Message::SessionRequest(b"ticket=abc")
    ));
    let bytes = hex("83 596f7520617265203220696e207468652071756575652e");
    assert!(matches!(
        parsed(&bytes),
        Message::SessionStatus(b"You are 2 in the queue.")
    ));
    let bytes = hex("81 7b226d6170223a22646f776e746f776e227d");
    assert!(matches!(
        parsed(&bytes),
        Message::SessionConfig(b"{\"map\":\"downtown\"}")
    ));
    let bytes = hex("82 596f7520617265206e6f74206f6e207468652077686974656c6973742e");
    assert!(matches!(
        parsed(&bytes),
        Message::SessionRejected(b"You are not on the whitelist.")
    ));
}

#[test]
fn a_session_payload_has_0_to_65536_bytes() {
    for id in 0x80..=0x83 {
        parsed(&[id]);
        let mut bytes = vec![id; 65_537];
        parsed(&bytes);
        bytes.push(0);
        assert_eq!(
            Message::parse(&bytes, MAFIANET).err(),
            Some(Malformed::TooLong {
                field: "session payload",
                length: 65_537
            })
        );
    }
}

#[test]
fn a_dialect_without_session_exchange_has_no_session_messages() {
    assert!(matches!(
        Message::parse(&[0x81, 1], Dialect::RAKNET4),
        Ok(Message::Application(&[0x81, 1]))
    ));
}

#[test]
fn pings_and_pongs() {
    let bytes = hex("00 00000000000013ae");
    assert!(matches!(parsed(&bytes), Message::Ping { time: 0x13ae }));
    let bytes = hex("03 00000000000013ae 00000000000013af");
    assert!(matches!(
        parsed(&bytes),
        Message::Pong {
            ping: 0x13ae,
            pong: 0x13af
        }
    ));
}

#[test]
fn an_end_with_and_without_a_reason() {
    assert!(matches!(parsed(&[0x15]), Message::Disconnect(b"")));
    let bytes = hex("15 6b69636b65643a2061666b");
    assert!(matches!(
        parsed(&bytes),
        Message::Disconnect(b"kicked: afk")
    ));
}

#[test]
fn a_wrong_password_whole_or_as_upstream_cuts_it() {
    let bytes = hex("18 e8d7dd5d81f6f788");
    assert!(matches!(parsed(&bytes), Message::InvalidPassword(guid) if guid.len() == 8));
    assert!(matches!(
        parsed(&[0x18, 0x82]),
        Message::InvalidPassword(&[0x82])
    ));
}

#[test]
fn the_games_messages_are_left_as_they_are() {
    for id in [0x1b, 0x30, 0x86, 0x87, 0xff] {
        assert!(matches!(parsed(&[id, 7]), Message::Application(bytes) if *bytes == [id, 7]));
    }
}

#[test]
fn ids_that_are_never_inside_a_connection_are_malformed() {
    for id in [0x01, 0x05, 0x0e, 0x11, 0x16, 0x1a] {
        assert_eq!(
            Message::parse(&[id], MAFIANET).err(),
            Some(Malformed::Id(id))
        );
    }
    assert!(Message::parse(&[], MAFIANET).is_err());
}

#[test]
fn debug_shows_no_secret() {
    let request = Message::ConnectionRequest {
        guid: Guid(1),
        time: 2,
        password: Password::new(b"hunter2"),
    };
    let shown = format!("{request:?} {:?}", Message::SessionRequest(b"hunter2"));
    assert!(
        !shown.contains("hunter2") && !shown.contains("104"),
        "{shown}"
    );
    assert!(shown.contains("SessionRequest(7 bytes)"), "{shown}");
}
