use super::*;

fn name(text: &str) -> PlayerName {
    text.parse().expect("a good name")
}

fn token(value: u32) -> SessionToken {
    SessionToken::new(value).expect("not zero")
}

fn encoded(encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    encode(&mut out);
    out
}

/// A LoginRequest body of version 1 with this name.
fn login(name: &[u8]) -> Vec<u8> {
    let mut body = vec![1, 1];
    body.extend((name.len() as u16).to_le_bytes());
    body.extend(name);
    body
}

#[test]
fn client_messages_have_the_bytes_of_the_specification() {
    let r9 = name("R9");
    let cases: &[(ClientMessage<'_>, &[u8])] = &[
        (
            ClientMessage::LoginRequest(LoginRequest::new(&r9)),
            &[0x06, 0x00, 0x01, 0x01, 0x02, 0x00, 0x52, 0x39],
        ),
        (
            ClientMessage::Logout(LogoutReason::Left),
            &[0x02, 0x00, 0x04, 0x00],
        ),
    ];
    for (message, bytes) in cases {
        assert_eq!(encoded(|out| message.encode(out)), *bytes);
        assert_eq!(ClientMessage::decode(&bytes[2..]), Ok(*message));
    }
}

#[test]
fn server_messages_have_the_bytes_of_the_specification() {
    let accepted = ServerMessage::LoginAccepted {
        session: token(0xDEAD_BEEF),
        player: 2,
        udp_port: 4242,
    };
    let cases: &[(ServerMessage, &[u8])] = &[
        (
            accepted,
            &[0x08, 0x00, 0x02, 0xEF, 0xBE, 0xAD, 0xDE, 0x02, 0x92, 0x10],
        ),
        (
            ServerMessage::LoginRejected(RejectReason::ServerFull),
            &[0x02, 0x00, 0x03, 0x01],
        ),
        (
            ServerMessage::LoginRejected(RejectReason::Other(77)),
            &[0x02, 0x00, 0x03, 77],
        ),
        (
            ServerMessage::Logout(LogoutReason::Shutdown),
            &[0x02, 0x00, 0x04, 0x01],
        ),
        (
            ServerMessage::Logout(LogoutReason::TimedOut),
            &[0x02, 0x00, 0x04, 0x02],
        ),
        (
            ServerMessage::Logout(LogoutReason::ProtocolError),
            &[0x02, 0x00, 0x04, 0x03],
        ),
    ];
    for (message, bytes) in cases {
        assert_eq!(encoded(|out| message.encode(out)), *bytes);
        assert_eq!(ServerMessage::decode(&bytes[2..]), Ok(*message));
    }
}

#[test]
fn malformed_client_messages() {
    let cases: &[(&[u8], Malformed)] = &[
        (&[], Malformed::EmptyFrame),
        (&[0; 513], Malformed::FrameTooLong(513)),
        (&[0], Malformed::ReservedKind(0)),
        (&[0, 1, 2], Malformed::ReservedKind(0)),
        (&[5], Malformed::ReservedKind(5)),
        (&[255, 0], Malformed::ReservedKind(255)),
        (&[2, 1, 0, 0, 0, 0, 1, 0], Malformed::WrongSide(2)),
        (&[3, 1], Malformed::WrongSide(3)),
        (&[1], Malformed::PastEnd("version")),
        (&[1, 1], Malformed::PastEnd("name")),
        (&[1, 1, 2], Malformed::PastEnd("name")),
        (&[1, 1, 2, 0, b'R'], Malformed::PastEnd("name")),
        (&[1, 1, 0xFF, 0xFF, b'R', b'9'], Malformed::PastEnd("name")),
        (&[1, 1, 2, 0, b'R', b'9', 0], Malformed::BytesLeft(1)),
        (&[1, 1, 0, 0, b'R', b'9'], Malformed::BytesLeft(2)),
        (&[4], Malformed::PastEnd("reason")),
        (&[4, 0, 0], Malformed::BytesLeft(1)),
    ];
    for (body, cause) in cases {
        assert_eq!(ClientMessage::decode(body), Err(*cause), "{body:02x?}");
    }
}

#[test]
fn malformed_server_messages() {
    let cases: &[(&[u8], Malformed)] = &[
        (&[], Malformed::EmptyFrame),
        (&[3; 513], Malformed::FrameTooLong(513)),
        (&[0, 1], Malformed::ReservedKind(0)),
        (&[5], Malformed::ReservedKind(5)),
        (&[1, 1, 2, 0, b'R', b'9'], Malformed::WrongSide(1)),
        (&[2], Malformed::PastEnd("session")),
        (&[2, 1, 0, 0], Malformed::PastEnd("session")),
        (&[2, 1, 0, 0, 0], Malformed::PastEnd("player")),
        (&[2, 1, 0, 0, 0, 2, 0x92], Malformed::PastEnd("udp_port")),
        (&[2, 1, 0, 0, 0, 2, 0x92, 0x10, 0], Malformed::BytesLeft(1)),
        (&[2, 0, 0, 0, 0, 2, 0x92, 0x10], Malformed::ZeroSession),
        (&[3], Malformed::PastEnd("reason")),
        (&[3, 1, 0], Malformed::BytesLeft(1)),
        (&[4], Malformed::PastEnd("reason")),
        (&[4, 1, 0], Malformed::BytesLeft(1)),
    ];
    for (body, cause) in cases {
        assert_eq!(ServerMessage::decode(body), Err(*cause), "{body:02x?}");
    }
}

#[test]
fn a_login_request_is_judged_by_version_and_then_by_name() {
    use RejectReason::{BadName, BadVersion};
    let foreign: &[&[u8]] = &[
        &[1, 0], // nothing follows
        &[1, 2],
        &[1, 2, 2, 0, b'R', b'9'],    // what version 1 would send
        &[1, 2, 2, 0, b'R', b'9', 0], // bytes left over, were it version 1
        &[1, 255, 0xFF, 0xFF],        // a field past its end, were it version 1
        &[1, 0, 0, 0],                // an empty name, were it version 1
    ];
    let bad_names: &[&[u8]] = &[
        b"",
        b"seventeen bytes!!",
        &[b'a'; 508],
        b"\xff",
        b"a\x00b",
        b"\x1f",
        b"\x7f",
    ];

    let mut cases: Vec<(Vec<u8>, Result<PlayerName, RejectReason>)> =
        vec![(login(b"R9"), Ok(name("R9")))];
    cases.extend(foreign.iter().map(|body| (body.to_vec(), Err(BadVersion))));
    cases.extend(bad_names.iter().map(|bytes| (login(bytes), Err(BadName))));

    for (body, expected) in cases {
        let Ok(ClientMessage::LoginRequest(request)) = ClientMessage::decode(&body) else {
            panic!("{body:02x?} is well formed");
        };
        assert_eq!(request.version(), body[1]);
        assert_eq!(request.outcome(), expected, "{body:02x?}");
    }
}

#[test]
fn the_longest_well_formed_name_fills_the_frame() {
    let body = login(&[b'a'; 508]);
    assert_eq!(body.len(), MAX_FRAME);
    let longer = login(&[b'a'; 509]);
    assert_eq!(
        ClientMessage::decode(&longer),
        Err(Malformed::FrameTooLong(513))
    );
}

#[test]
fn the_token_is_not_in_debug_output() {
    let accepted = ServerMessage::LoginAccepted {
        session: token(0xDEAD_BEEF),
        player: 2,
        udp_port: 4242,
    };
    let shown = format!("{accepted:?}").to_lowercase();
    assert!(
        !shown.contains("deadbeef") && !shown.contains("3735928559"),
        "{shown}"
    );
}

#[test]
fn encoding_appends() {
    let mut out = vec![0xAA];
    ClientMessage::Logout(LogoutReason::Left).encode(&mut out);
    ServerMessage::Logout(LogoutReason::Shutdown).encode(&mut out);
    assert_eq!(out, [0xAA, 2, 0, 4, 0, 2, 0, 4, 1]);
}
