//! What holds for every input.

use std::net::{Ipv4Addr, SocketAddrV4};

use proptest::prelude::*;
use usher_wire::fuzzing;
use usher_wire::raknet::{
    Addresses, DIALECTS, Datagram, Dialect, Frame, Guid, Message, Offline, Part, Password, Refusal,
    Reliability, begin_data, encode_ack, encode_nak,
};

fn address() -> impl Strategy<Value = SocketAddrV4> {
    (any::<u32>(), any::<u16>()).prop_map(|(ip, port)| SocketAddrV4::new(Ipv4Addr::from(ip), port))
}

fn guid() -> impl Strategy<Value = Guid> {
    any::<u64>().prop_map(Guid)
}

fn refusal() -> impl Strategy<Value = Refusal> {
    prop_oneof![
        Just(Refusal::AttemptFailed),
        Just(Refusal::AlreadyConnected),
        Just(Refusal::Full),
        Just(Refusal::Banned),
        Just(Refusal::RecentlyConnected),
        any::<u8>().prop_map(Refusal::IncompatibleProtocol),
    ]
}

/// All but a pong, which borrows.
fn offline() -> impl Strategy<Value = Offline<'static>> {
    prop_oneof![
        (any::<u64>(), guid(), any::<bool>()).prop_map(|(time, guid, only_if_open)| {
            Offline::Ping {
                time,
                guid,
                only_if_open,
            }
        }),
        (any::<u8>(), 18..1500usize)
            .prop_map(|(protocol, length)| Offline::Request1 { protocol, length }),
        (guid(), any::<Option<u32>>(), any::<u16>())
            .prop_map(|(guid, cookie, mtu)| Offline::Reply1 { guid, cookie, mtu }),
        (any::<Option<u32>>(), address(), any::<u16>(), guid()).prop_map(
            |(cookie, dialled, mtu, guid)| Offline::Request2 {
                cookie,
                dialled,
                mtu,
                guid
            }
        ),
        (guid(), address(), any::<u16>()).prop_map(|(guid, client, mtu)| Offline::Reply2 {
            guid,
            client,
            mtu
        }),
        (refusal(), guid()).prop_map(|(refusal, guid)| Offline::Refused { refusal, guid }),
    ]
}

/// Everything of a frame but its bytes.
fn frame() -> impl Strategy<Value = (Frame<'static>, Vec<u8>)> {
    let number = 0..1u32 << 24;
    let part = proptest::option::of((1..=u32::MAX, any::<u16>(), any::<u32>()).prop_map(
        |(count, id, index)| Part {
            count,
            id,
            index: index % count,
        },
    ));
    (
        0..5usize,
        (number.clone(), number.clone(), number),
        0..32u8,
        part,
        1..2_000u16,
        any::<u8>(),
    )
        .prop_map(
            |(reliability, (message, sequence, order), channel, part, bits, fill)| {
                let reliability = Reliability::ALL[reliability];
                let has_channel = reliability.has_channel();
                let frame = Frame {
                    reliability,
                    bits,
                    message: if reliability.is_reliable() {
                        message
                    } else {
                        0
                    },
                    sequence: if reliability.is_sequenced() {
                        sequence
                    } else {
                        0
                    },
                    order: if has_channel { order } else { 0 },
                    channel: if has_channel { channel } else { 0 },
                    part,
                    bytes: &[],
                };
                (frame, vec![fill; usize::from(bits).div_ceil(8)])
            },
        )
}

fn ranges() -> impl Strategy<Value = Vec<(u32, u32)>> {
    prop::collection::vec((1..40_000u32, 0..100u32), 0..150).prop_map(|steps| {
        let mut next = 0;
        steps
            .into_iter()
            .map(|(gap, length)| {
                let lowest = next + gap - 1;
                next = lowest + length + 1;
                (lowest, lowest + length)
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn offline_messages_come_back(message in offline()) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        let cookie = matches!(message, Offline::Request2 { cookie: Some(_), .. });
        prop_assert_eq!(Offline::parse(&bytes, cookie), Ok(message));
        fuzzing::raknet_offline(&bytes);
    }

    #[test]
    fn pongs_come_back(
        time: u64, guid in guid(), text in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let message = Offline::Pong { time, guid, text: &text };
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        prop_assert_eq!(Offline::parse(&bytes, false), Ok(message));
    }

    #[test]
    fn frames_come_back(number in 0..1u32 << 24, frames in prop::collection::vec(frame(), 0..6)) {
        let mut bytes = Vec::new();
        begin_data(number, &mut bytes);
        for (frame, data) in &frames {
            Frame { bytes: data, ..*frame }.encode(&mut bytes);
        }
        let Ok(Datagram::Data { number: parsed, frames: mut rest }) = Datagram::parse(&bytes) else {
            return Err(TestCaseError::fail("not data"));
        };
        prop_assert_eq!(parsed, number);
        for (frame, data) in &frames {
            prop_assert_eq!(rest.next(), Some(Ok(Frame { bytes: data, ..*frame })));
        }
        prop_assert_eq!(rest.next(), None);
    }

    #[test]
    fn ranges_come_back(ranges in ranges()) {
        let (mut ack, mut nak) = (Vec::new(), Vec::new());
        prop_assert_eq!(encode_ack(&ranges, usize::MAX, &mut ack), ranges.len());
        prop_assert_eq!(encode_nak(&ranges, usize::MAX, &mut nak), ranges.len());
        let Ok(Datagram::Ack(acked)) = Datagram::parse(&ack) else {
            return Err(TestCaseError::fail("not an ACK"));
        };
        let Ok(Datagram::Nak(missed)) = Datagram::parse(&nak) else {
            return Err(TestCaseError::fail("not a NAK"));
        };
        prop_assert_eq!(acked.iter().collect::<Vec<_>>(), ranges.clone());
        prop_assert_eq!(missed.iter().collect::<Vec<_>>(), ranges);
    }

    #[test]
    fn handshake_messages_come_back(
        peer in address(), known in prop::collection::vec(address(), 0..25), guid in guid(),
        index: u16, first: u64, second: u64,
        payload in prop::collection::vec(any::<u8>(), 0..256),
    ) {
        for dialect in &DIALECTS {
            let addresses = Addresses::new(&known, dialect);
            prop_assert_eq!(addresses.as_slice().len(), dialect.addresses);
            for message in [
                Message::Ping { time: first },
                Message::Pong { ping: first, pong: second },
                Message::ConnectionRequest {
                    guid, time: first, password: Password::new(&payload[..payload.len().min(255)]),
                },
                Message::Accepted {
                    client: peer, index, addresses, request_time: first, time: second,
                },
                Message::NewIncoming { server: peer, addresses, accepted_time: first, time: second },
                Message::Disconnect(&payload),
                Message::InvalidPassword(&guid.to_bytes()),
            ] {
                let bytes = message.to_bytes();
                let parsed = Message::parse(&bytes, dialect).expect("well formed");
                prop_assert_eq!(&parsed.to_bytes(), &bytes);
                prop_assert_eq!(format!("{parsed:?}"), format!("{message:?}"));
            }
        }
        for message in [
            Message::SessionRequest(&payload),
            Message::SessionConfig(&payload),
            Message::SessionRejected(&payload),
            Message::SessionStatus(&payload),
        ] {
            let bytes = message.to_bytes();
            let parsed = Message::parse(&bytes, Dialect::MAFIANET).expect("well formed");
            prop_assert_eq!(format!("{parsed:?}"), format!("{message:?}"));
        }
    }

    #[test]
    fn arbitrary_bytes_break_nothing(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        fuzzing::raknet_offline(&bytes);
        fuzzing::raknet_datagram(&bytes);
        fuzzing::raknet_reassembly(&bytes);
        for dialect in &DIALECTS {
            let _ = Message::parse(&bytes, dialect);
        }
    }

    #[test]
    fn a_data_datagram_of_arbitrary_frames_breaks_nothing(
        frames in prop::collection::vec((frame(), any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut input = Vec::new();
        for (number, ((frame, data), at, damage)) in frames.iter().enumerate() {
            let mut datagram = Vec::new();
            begin_data(number as u32, &mut datagram);
            Frame { bytes: data, ..*frame }.encode(&mut datagram);
            let at = at.index(datagram.len());
            datagram[at] ^= damage;
            input.extend((datagram.len() as u16).to_le_bytes());
            input.extend(datagram);
        }
        fuzzing::raknet_datagram(&input);
    }
}
