//! The targets of the RakNet codecs, and of a connection that is told anything.

use std::time::Duration;

use crate::raknet::{
    Budget, Class, Connection, DIALECTS, Datagram, Dialect, Limits, MAX_SESSION_PAYLOAD, Malformed,
    Message, Offline, Timestamped, begin_data, classify, encode_ack, encode_nak,
};

/// The target `raknet_offline`: one datagram.
///
/// Whatever decodes encodes again to the same bytes, but for the padding of a first request, and is told from
/// datagrams of a connection.
pub fn raknet_offline(input: &[u8]) {
    let class = classify(input);
    assert!(class != Class::Connected || input[0] & 0x80 != 0);
    for cookie in [false, true] {
        let Ok(message) = Offline::parse(input, cookie) else {
            continue;
        };
        let mut again = Vec::new();
        message.encode(&mut again);
        assert_eq!(again.len(), input.len());
        match message {
            Offline::Request1 { length, .. } => {
                assert_eq!(length, input.len());
                assert_eq!(again[..18], input[..18]);
                let mtu = Dialect::offered_mtu(length);
                assert_eq!(mtu, Dialect::agreed_mtu(mtu).min(mtu));
            }
            _ => assert_eq!(again, input),
        }
        assert!(class == Class::Offline || input.len() < 25, "{message:?}");
    }
}

/// The target `raknet_datagram`: datagrams one after the other, each a u16 length and that many bytes.
///
/// Whatever decodes encodes again to the same bytes. A connection that is told all of it keeps its limits,
/// answers with well-formed datagrams of the right size, and never asks to be woken for nothing.
pub fn raknet_datagram(input: &[u8]) {
    const MTU: u16 = 576;
    let budget = Budget::new(4 << 20);
    let limits = Limits::pending(MTU);
    let mut now = Duration::ZERO;
    let mut connection = Connection::new(MTU, limits, budget.clone(), now);
    let mut rest = input;
    let mut out = Vec::new();
    while let Some((prefix, after)) = rest.split_first_chunk::<2>() {
        let prefix = u16::from_le_bytes(*prefix);
        let length = usize::from(prefix & 0x7ff).min(after.len());
        let (bytes, after) = after.split_at(length);
        rest = after;
        datagram(bytes);
        let _ = connection.receive(bytes, now);
        while let Some(incoming) = connection.poll_message() {
            assert_eq!(incoming.bytes.len(), (incoming.bits as usize).div_ceil(8));
            assert!(incoming.bytes.len() <= MAX_SESSION_PAYLOAD + 1 + usize::from(MTU));
            message(&incoming.bytes);
            let _ = connection.send_bits(
                &incoming.bytes,
                incoming.bits as usize,
                incoming.reliability,
                incoming.channel,
            );
        }
        assert!(connection.memory() <= limits.most(MTU));
        while connection.poll_transmit(now, &mut out) {
            assert!(out.len() <= usize::from(MTU) - 28);
            datagram(&out);
        }
        assert!(connection.poll_timeout().is_none_or(|due| due > now));
        // The upper bits are how much time passes.
        now += Duration::from_millis(u64::from(prefix >> 11) * u64::from(prefix >> 11));
        if connection.is_lost(now) {
            break;
        }
    }
    drop(connection);
    assert_eq!(budget.used(), 0);
}

/// Parses and encodes one datagram of a connection.
fn datagram(bytes: &[u8]) {
    let mut again = Vec::new();
    match Datagram::parse(bytes) {
        Ok(Datagram::Data { number, frames }) => {
            begin_data(number, &mut again);
            let mut tail = 4;
            for frame in frames {
                let Ok(frame) = frame else { return };
                frame.encode(&mut again);
                // The low four bits of a frame's header are padding.
                again[tail] |= bytes[tail] & 0x0f;
                tail = again.len();
            }
            assert_eq!(again[1..], bytes[1..tail]);
            assert!(bytes.len() - tail < 3);
        }
        Ok(Datagram::Ack(ranges)) => {
            let ranges: Vec<_> = ranges.iter().collect();
            assert_eq!(encode_ack(&ranges, usize::MAX, &mut again), ranges.len());
            assert_eq!(again[1..], bytes[1..]);
        }
        Ok(Datagram::Nak(ranges)) => {
            let ranges: Vec<_> = ranges.iter().collect();
            assert_eq!(encode_nak(&ranges, usize::MAX, &mut again), ranges.len());
            assert_eq!(again[1..], bytes[1..]);
        }
        Err(cause) => assert!(
            bytes
                .first()
                .is_none_or(|first| { (cause == Malformed::NotConnected) == (first & 0x80 == 0) })
        ),
    }
}

/// Parses and encodes one whole message in every dialect.
fn message(bytes: &[u8]) {
    for dialect in &DIALECTS {
        if let Ok(message) = Message::parse(bytes, dialect) {
            assert_eq!(message.to_bytes(), bytes, "{message:?}");
        }
    }
    if let Ok(Some(timestamped)) = Timestamped::parse(bytes) {
        let mut again = Vec::new();
        timestamped.encode(&mut again);
        assert_eq!(again, bytes);
    }
}
