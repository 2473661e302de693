//! The targets of the `rtyp` protocol.

use crate::rtyp::{
    Arrival, ClientMessage, Datagram, DatagramError, Framer, MAX_DATAGRAM, MAX_FRAME, MAX_NAME,
    Malformed, Sequencer, ServerMessage, Side,
};

/// The target `rtyp_tcp`: the first byte is the size of the reads, the rest is the stream.
///
/// However the stream is cut, the same frames and the same end come out; whatever decodes encodes again to
/// the same bytes; a name that is accepted keeps its limits.
pub fn rtyp_tcp(input: &[u8]) {
    let Some((&size, stream)) = input.split_first() else {
        return;
    };
    let whole_stream = split(stream, stream.len().max(1));
    assert_eq!(split(stream, usize::from(size).max(1)), whole_stream);

    let mut position = 0;
    for frame in &whole_stream.0 {
        assert!((1..=MAX_FRAME).contains(&frame.len()));
        let whole = &stream[position..position + 2 + frame.len()];
        position += whole.len();
        client_message(frame, whole);
        server_message(frame, whole);
    }
}

/// The target `rtyp_udp`: datagrams one after the other, each a u16 length and that many bytes.
///
/// Whatever decodes encodes again to the same bytes, an invalid one decodes as invalid from either side, and
/// a number is delivered at most once while it is inside the window.
pub fn rtyp_udp(input: &[u8]) {
    let mut received = Sequencer::new();
    let mut rest = input;
    while let Some((prefix, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*prefix)).min(after.len());
        let (bytes, after) = after.split_at(length);
        rest = after;
        for side in [Side::Client, Side::Server] {
            if let Some(sequence) = datagram(bytes, side) {
                window(&mut received, sequence);
            }
        }
    }
}

fn split(stream: &[u8], size: usize) -> (Vec<Vec<u8>>, Option<Malformed>) {
    let mut framer = Framer::new();
    let mut frames = Vec::new();
    for read in stream.chunks(size) {
        framer.push(read);
        loop {
            match framer.next_frame() {
                Ok(Some(frame)) => frames.push(frame.to_vec()),
                Ok(None) => break,
                Err(cause) => return (frames, Some(cause)),
            }
        }
    }
    (frames, None)
}

fn client_message(frame: &[u8], whole: &[u8]) {
    let Ok(message) = ClientMessage::decode(frame) else {
        return;
    };
    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(again, whole);
    if let ClientMessage::LoginRequest(request) = message
        && let Ok(name) = request.outcome()
    {
        assert_eq!(request.version(), 1);
        assert!((1..=MAX_NAME).contains(&name.as_bytes().len()));
        assert!(!name.as_str().chars().any(|c| c.is_ascii_control()));
    }
}

fn server_message(frame: &[u8], whole: &[u8]) {
    let Ok(message) = ServerMessage::decode(frame) else {
        return;
    };
    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(again, whole);
}

/// Checks one datagram and gives its number when it is valid.
fn datagram(bytes: &[u8], side: Side) -> Option<u16> {
    match Datagram::decode(bytes, side) {
        Ok(datagram) => {
            let mut buffer = [0; MAX_DATAGRAM];
            let again = datagram
                .encode(&mut buffer)
                .expect("what decodes keeps the limits of its type");
            assert_eq!(again, bytes);
            Some(datagram.sequence)
        }
        Err(DatagramError::Stray(_)) => None,
        Err(DatagramError::Invalid { session, .. }) => {
            assert_eq!(
                session.expose().to_le_bytes(),
                bytes[14..18],
                "the session of an invalid datagram"
            );
            None
        }
    }
}

fn window(received: &mut Sequencer, sequence: u16) {
    if received.receive(sequence) != Arrival::TooOld {
        assert_eq!(received.receive(sequence), Arrival::Duplicate);
    }
    let behind = received.ack().wrapping_sub(sequence);
    if (1..=32).contains(&behind) {
        assert_ne!(
            received.ack_bits() & (1 << (behind - 1)),
            0,
            "what was received is acknowledged"
        );
    }
}
