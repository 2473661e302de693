//! Offline messages against bytes that were captured from the original.

use std::net::{Ipv4Addr, SocketAddrV4};

use super::super::guid::Guid;
use super::super::hex::hex;
use super::super::malformed::Malformed;
use super::{Offline, Refusal};

const SERVER: Guid = Guid(0xe8d7_dd5d_81f6_f788);
const CLIENT: Guid = Guid(0xb90b_c9db_a512_890e);

/// Both ways.
fn same(bytes: &[u8], message: Offline<'_>, cookie: bool) {
    assert_eq!(Offline::parse(bytes, cookie), Ok(message));
    let mut out = Vec::new();
    message.encode(&mut out);
    assert_eq!(out, bytes);
}

fn at(port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
}

#[test]
fn the_first_request_is_padded_to_its_rung() {
    let mut bytes = hex("05 00ffff00fefefefefdfdfdfd12345678 07");
    bytes.resize(1372, 0);
    let message = Offline::Request1 {
        protocol: 7,
        length: 1372,
    };
    same(&bytes, message, false);
    same(&bytes, message, true);
}

#[test]
fn the_first_reply_names_the_mtu_that_arrived() {
    same(
        &hex("06 00ffff00fefefefefdfdfdfd12345678 e8d7dd5d81f6f788 00 0578"),
        Offline::Reply1 {
            guid: SERVER,
            cookie: None,
            mtu: 1400,
        },
        false,
    );
}

#[test]
fn the_first_reply_may_carry_a_cookie() {
    same(
        &hex("06 00ffff00fefefefefdfdfdfd12345678 e8d7dd5d81f6f788 01 01020304 0578"),
        Offline::Reply1 {
            guid: SERVER,
            cookie: Some(0x0102_0304),
            mtu: 1400,
        },
        false,
    );
}

#[test]
fn the_second_request_names_what_was_dialled() {
    same(
        &hex("07 00ffff00fefefefefdfdfdfd12345678 0480fffffeee52 0578 b90bc9dba512890e"),
        Offline::Request2 {
            cookie: None,
            dialled: at(61010),
            mtu: 1400,
            guid: CLIENT,
        },
        false,
    );
}

#[test]
fn the_second_request_carries_the_cookie_when_there_is_one() {
    let bytes =
        hex("07 00ffff00fefefefefdfdfdfd12345678 01020304 00 0480fffffeee52 0578 b90bc9dba512890e");
    assert_eq!(bytes.len(), 39);
    same(
        &bytes,
        Offline::Request2 {
            cookie: Some(0x0102_0304),
            dialled: at(61010),
            mtu: 1400,
            guid: CLIENT,
        },
        true,
    );
    assert!(Offline::parse(&bytes, false).is_err(), "not asked for");
    let without = hex("07 00ffff00fefefefefdfdfdfd12345678 0480fffffeee52 0578 b90bc9dba512890e");
    assert!(Offline::parse(&without, true).is_err(), "asked for");
}

#[test]
fn the_second_reply_echoes_address_and_mtu() {
    let bytes = hex("08 00ffff00fefefefefdfdfdfd12345678 e8d7dd5d81f6f788 0480fffffeee53 0578 00");
    assert_eq!(bytes.len(), 35);
    same(
        &bytes,
        Offline::Reply2 {
            guid: SERVER,
            client: at(61011),
            mtu: 1400,
        },
        false,
    );
}

#[test]
fn refusals_are_an_id_and_the_servers_guid() {
    for (bytes, refusal, guid) in [
        (
            "14 00ffff00fefefefefdfdfdfd12345678 c6c8b4800d392b1b",
            Refusal::Full,
            0xc6c8_b480_0d39_2b1b,
        ),
        (
            "17 00ffff00fefefefefdfdfdfd12345678 1d34d55e546858af",
            Refusal::Banned,
            0x1d34_d55e_5468_58af,
        ),
        (
            "12 00ffff00fefefefefdfdfdfd12345678 b4d2a5d8f1725bca",
            Refusal::AlreadyConnected,
            0xb4d2_a5d8_f172_5bca,
        ),
        (
            "19 07 00ffff00fefefefefdfdfdfd12345678 29c0dd4ab8d5f2f6",
            Refusal::IncompatibleProtocol(7),
            0x29c0_dd4a_b8d5_f2f6,
        ),
        (
            "1a 00ffff00fefefefefdfdfdfd12345678 0000000000000001",
            Refusal::RecentlyConnected,
            1,
        ),
        (
            "11 00ffff00fefefefefdfdfdfd12345678 0000000000000002",
            Refusal::AttemptFailed,
            2,
        ),
    ] {
        let guid = Guid(guid);
        same(&hex(bytes), Offline::Refused { refusal, guid }, false);
    }
}

#[test]
fn a_ping_is_answered_with_its_time_and_a_text() {
    for (id, only_if_open) in [("01", false), ("02", true)] {
        let bytes =
            format!("{id} 0000000000000014 00ffff00fefefefefdfdfdfd12345678 6e2cbfa734eee76f");
        same(
            &hex(&bytes),
            Offline::Ping {
                time: 20,
                guid: Guid(0x6e2c_bfa7_34ee_e76f),
                only_if_open,
            },
            false,
        );
    }
    same(
        &hex(
            "1c 0000000000000014 72268738a31b5ea5 00ffff00fefefefefdfdfdfd12345678
              68656c6c6f2d6f66666c696e65",
        ),
        Offline::Pong {
            time: 20,
            guid: Guid(0x7226_8738_a31b_5ea5),
            text: b"hello-offline",
        },
        false,
    );
}

#[test]
fn a_pong_text_is_below_400_bytes() {
    let pong = Offline::Pong {
        time: 0,
        guid: SERVER,
        text: &[b'x'; 500],
    };
    let mut out = Vec::new();
    pong.encode(&mut out);
    assert_eq!(out.len(), 33 + 399);
    assert!(Offline::parse(&out, false).is_ok());
    out.push(b'x');
    assert_eq!(
        Offline::parse(&out, false),
        Err(Malformed::TooLong {
            field: "text",
            length: 400
        })
    );
}

#[test]
fn every_cut_and_every_byte_too_many_is_malformed() {
    for bytes in [
        "06 00ffff00fefefefefdfdfdfd12345678 e8d7dd5d81f6f788 00 0578",
        "06 00ffff00fefefefefdfdfdfd12345678 e8d7dd5d81f6f788 01 01020304 0578",
        "07 00ffff00fefefefefdfdfdfd12345678 0480fffffeee52 0578 b90bc9dba512890e",
        "08 00ffff00fefefefefdfdfdfd12345678 e8d7dd5d81f6f788 0480fffffeee53 0578 00",
        "14 00ffff00fefefefefdfdfdfd12345678 c6c8b4800d392b1b",
        "19 07 00ffff00fefefefefdfdfdfd12345678 29c0dd4ab8d5f2f6",
        "01 0000000000000014 00ffff00fefefefefdfdfdfd12345678 6e2cbfa734eee76f",
    ] {
        let mut bytes = hex(bytes);
        for end in 0..bytes.len() {
            assert!(Offline::parse(&bytes[..end], false).is_err(), "{end}");
        }
        bytes.push(0);
        assert_eq!(Offline::parse(&bytes, false), Err(Malformed::BytesLeft(1)));
    }
}

#[test]
fn keys_of_secured_builds_are_not_taken() {
    let reply = hex("06 00ffff00fefefefefdfdfdfd12345678 e8d7dd5d81f6f788 02 0578");
    let security = Malformed::Value {
        field: "security",
        value: 2,
    };
    assert_eq!(Offline::parse(&reply, false), Err(security));
}
