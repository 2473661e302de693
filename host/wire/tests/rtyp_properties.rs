//! Properties of the `rtyp` codecs that hold for every input.

use std::collections::HashSet;

use proptest::prelude::*;
use usher_wire::fuzzing;
use usher_wire::rtyp::{
    Arrival, ClientMessage, Datagram, Framer, Kind, LoginRequest, LogoutReason, MAX_DATAGRAM,
    MAX_PAYLOAD, PlayerName, RejectReason, Sequencer, ServerMessage, SessionToken, Side,
};

fn name() -> impl Strategy<Value = PlayerName> {
    prop::collection::vec(any::<char>(), 1..=16)
        .prop_map(|characters| characters.into_iter().collect::<String>())
        .prop_filter_map("a rule of names", |text| text.parse().ok())
}

fn token() -> impl Strategy<Value = SessionToken> {
    (1..=u32::MAX).prop_map(|value| SessionToken::new(value).expect("not zero"))
}

fn server_message() -> impl Strategy<Value = ServerMessage> {
    prop_oneof![
        (token(), any::<u8>(), any::<u16>()).prop_map(|(session, player, udp_port)| {
            ServerMessage::LoginAccepted {
                session,
                player,
                udp_port,
            }
        }),
        any::<u8>().prop_map(|byte| ServerMessage::LoginRejected(RejectReason::from_byte(byte))),
        any::<u8>().prop_map(|byte| ServerMessage::Logout(LogoutReason::from_byte(byte))),
    ]
}

/// Almost a TCP stream: frames with right lengths and the kinds that exist, as arbitrary bytes seldom are.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let frame = (0..6u8, prop::collection::vec(any::<u8>(), 0..24)).prop_map(|(kind, rest)| {
        let mut frame = (rest.len() as u16 + 1).to_le_bytes().to_vec();
        frame.push(kind);
        frame.extend(rest);
        frame
    });
    prop::collection::vec(frame, 0..8).prop_map(|frames| frames.concat())
}

/// Numbers that mostly stay near each other, so that windows are met and not only jumped over.
fn sequences() -> impl Strategy<Value = Vec<u16>> {
    (
        any::<u16>(),
        prop::collection::vec(
            prop_oneof![8 => -40..40i32, 1 => any::<i16>().prop_map(i32::from)],
            1..200,
        ),
    )
        .prop_map(|(start, steps)| {
            let mut at = start;
            steps
                .iter()
                .map(|step| {
                    at = at.wrapping_add_signed(*step as i16);
                    at
                })
                .collect()
        })
}

proptest! {
    #[test]
    fn a_login_request_comes_back(name in name()) {
        let mut bytes = Vec::new();
        ClientMessage::LoginRequest(LoginRequest::new(&name)).encode(&mut bytes);
        let mut framer = Framer::new();
        framer.push(&bytes);
        let frame = framer.next_frame().expect("well formed").expect("whole");
        let Ok(ClientMessage::LoginRequest(request)) = ClientMessage::decode(frame) else {
            return Err(TestCaseError::fail("not a login"));
        };
        prop_assert_eq!(request.outcome(), Ok(name));
    }

    #[test]
    fn server_messages_come_back(messages in prop::collection::vec(server_message(), 1..5)) {
        let mut bytes = Vec::new();
        for message in &messages {
            message.encode(&mut bytes);
        }
        let mut framer = Framer::new();
        framer.push(&bytes);
        for message in &messages {
            let frame = framer.next_frame().expect("well formed").expect("whole");
            prop_assert_eq!(ServerMessage::decode(frame), Ok(*message));
        }
        prop_assert_eq!(framer.next_frame(), Ok(None));
    }

    #[test]
    fn datagrams_come_back(
        sequence: u16, ack: u16, ack_bits: u32, session in token(),
        payload in prop::collection::vec(any::<u8>(), 0..=MAX_PAYLOAD),
    ) {
        for kind in [Kind::Connect, Kind::Accept, Kind::Data, Kind::KeepAlive] {
            let payload = if kind == Kind::Data { &payload[..] } else { &[] };
            let datagram = Datagram { kind, sequence, ack, ack_bits, session, payload };
            let side = if kind == Kind::Accept { Side::Server } else { Side::Client };
            let mut buffer = [0; MAX_DATAGRAM];
            let bytes = datagram.encode(&mut buffer).expect("within its limits");
            prop_assert_eq!(Datagram::decode(bytes, side), Ok(datagram));
        }
    }

    #[test]
    fn arbitrary_bytes_break_nothing(bytes in prop::collection::vec(any::<u8>(), 0..1400)) {
        fuzzing::rtyp_tcp(&bytes);
        fuzzing::rtyp_udp(&bytes);
    }

    #[test]
    fn almost_good_streams_break_nothing(size: u8, stream in stream()) {
        let mut input = vec![size];
        input.extend(stream);
        fuzzing::rtyp_tcp(&input);
    }

    /// Against the plain reading of the rule: a set of what was received, and the newest of it.
    #[test]
    fn the_window_does_what_a_set_would(sequences in sequences()) {
        let mut side = Sequencer::new();
        let mut newest = sequences[0];
        let mut seen: HashSet<u16> = HashSet::new();
        for (index, &sequence) in sequences.iter().enumerate() {
            let behind = newest.wrapping_sub(sequence);
            let newer = index == 0 || (behind != 0 && sequence.wrapping_sub(newest) < 0x8000);
            let expected = if !newer && behind > 32 {
                Arrival::TooOld
            } else if !newer && seen.contains(&sequence) {
                Arrival::Duplicate
            } else {
                Arrival::Deliver
            };
            prop_assert_eq!(side.receive(sequence), expected);
            if newer {
                newest = sequence;
            }
            if expected == Arrival::Deliver {
                seen.insert(sequence);
            }
            // What is outside the window is forgotten: the number space comes round again.
            seen.retain(|&old| newest.wrapping_sub(old) <= 32);
            prop_assert_eq!(side.ack(), newest);
            for bit in 0..32u16 {
                let acknowledged = side.ack_bits() & (1 << bit) != 0;
                prop_assert_eq!(acknowledged, seen.contains(&newest.wrapping_sub(bit + 1)));
            }
        }
    }
}
