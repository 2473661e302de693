//! What may be sent, and in datagrams of which size.

use usher_wire::raknet::{Budget, Limits, Reliability, SendError};

use crate::ends::{End, ack};

#[test]
fn sending_is_bounded_all_or_nothing() {
    let mut end = End::new();
    let long = vec![0x87; 65_537];
    let mut taken = 0;
    while end.connection.send(&long, Reliability::Reliable, 0).is_ok() {
        taken += 1;
    }
    assert_eq!(taken, 3);
    let bytes = end.connection.outgoing_bytes();
    assert!(bytes <= end.connection.limits().max_outgoing);
    assert_eq!(
        end.connection.send(&long, Reliability::Reliable, 0),
        Err(SendError::Full)
    );
    assert_eq!(end.connection.outgoing_bytes(), bytes);
    // A small one still goes, and more after an acceptance.
    end.send(b"\x87", Reliability::Unreliable);
    end.connection.set_limits(Limits::accepted());
    end.send(&long, Reliability::Reliable);
}

#[test]
fn what_cannot_be_sent_is_refused() {
    let mut end = End::new();
    let connection = &mut end.connection;
    for (bytes, bits) in [(&b""[..], 0), (b"a", 0), (b"a", 9), (b"ab", 8)] {
        assert_eq!(
            connection.send_bits(bytes, bits, Reliability::Reliable, 0),
            Err(SendError::Bits {
                bits,
                bytes: bytes.len()
            })
        );
    }
    assert_eq!(
        connection.send(b"a", Reliability::ReliableOrdered, 32),
        Err(SendError::Channel(32))
    );
    assert!(end.says().is_empty());
}

#[test]
fn no_datagram_is_longer_than_the_mtu_allows() {
    for mtu in [0, 576, 1024, 1400, 1492, u16::MAX] {
        let mut end = End::with(mtu, Limits::accepted(), Budget::default());
        let used = mtu.clamp(576, 1400);
        assert_eq!(end.connection.mtu(), used);
        for length in (1..3_000).step_by(13) {
            for reliability in Reliability::ALL {
                let _ = end.connection.send(&vec![0x87; length], reliability, 31);
            }
        }
        let mut longest = 0;
        while let Some(most) = end.says().iter().map(Vec::len).max() {
            longest = longest.max(most);
            let next = end.connection.outgoing_bytes();
            end.hears(&ack(&[(0, 0xff_ffff)]));
            assert!(end.connection.outgoing_bytes() < next);
        }
        assert!(longest <= usize::from(used) - 28, "{longest}");
        assert!(
            longest > usize::from(used) - 48,
            "{longest}: they are filled"
        );
        assert!(end.connection.all_acked());
    }
}
