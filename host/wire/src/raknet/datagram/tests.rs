//! Datagrams against bytes that were captured from the original.

use super::super::frame::{Frame, Part};
use super::super::hex::hex;
use super::super::malformed::Malformed;
use super::super::reliability::Reliability;
use super::*;

/// The number and the frames; checks that they encode to the same bytes.
fn data(bytes: &[u8]) -> (u32, Vec<Frame<'_>>) {
    let Ok(Datagram::Data { number, frames }) = Datagram::parse(bytes) else {
        panic!("not data");
    };
    let frames: Vec<_> = frames.map(|frame| frame.expect("well formed")).collect();
    let mut out = Vec::new();
    begin_data(number, &mut out);
    for frame in &frames {
        frame.encode(&mut out);
    }
    assert_eq!(out, bytes);
    (number, frames)
}

fn plain(reliability: Reliability, bytes: &[u8]) -> Frame<'_> {
    Frame {
        reliability,
        bits: bytes.len() as u16 * 8,
        message: 0,
        sequence: 0,
        order: 0,
        channel: 0,
        part: None,
        bytes,
    }
}

#[test]
fn the_five_reliabilities() {
    let bytes = hex("84 040000 00 0028 886d736730");
    let frame = plain(Reliability::Unreliable, b"\x88msg0");
    assert_eq!(data(&bytes), (4, vec![frame]));

    let bytes = hex("84 050000 20 0028 000000 020000 00 886d736731");
    let frame = Frame {
        order: 2,
        ..plain(Reliability::UnreliableSequenced, b"\x88msg1")
    };
    assert_eq!(data(&bytes), (5, vec![frame]));

    let bytes = hex("84 060000 40 0028 030000 886d736732");
    let frame = Frame {
        message: 3,
        ..plain(Reliability::Reliable, b"\x88msg2")
    };
    assert_eq!(data(&bytes), (6, vec![frame]));

    let bytes = hex("84 070000 60 0028 040000 000000 02 886d736733");
    let frame = Frame {
        message: 4,
        channel: 2,
        ..plain(Reliability::ReliableOrdered, b"\x88msg3")
    };
    assert_eq!(data(&bytes), (7, vec![frame]));

    let bytes = hex("84 080000 80 0028 050000 010000 020000 00 886d736734");
    let frame = Frame {
        message: 5,
        sequence: 1,
        order: 2,
        ..plain(Reliability::ReliableSequenced, b"\x88msg4")
    };
    assert_eq!(data(&bytes), (8, vec![frame]));
}

#[test]
fn eleven_bits_stay_eleven_bits() {
    let bytes = hex("84 070000 40 000b 070000 8aa0");
    let frame = Frame {
        bits: 11,
        message: 7,
        ..plain(Reliability::Reliable, &[0x8a, 0xa0])
    };
    assert_eq!(data(&bytes), (7, vec![frame]));
}

#[test]
fn a_part_names_its_message_and_its_place() {
    let mut bytes = hex("84 050000 70 29e0 030000 030000 00 00000031 0000 00000000 81");
    bytes.resize(4 + 20 + 1340, 0x53);
    let (number, frames) = data(&bytes);
    assert_eq!(number, 5);
    let part = Part {
        count: 49,
        id: 0,
        index: 0,
    };
    assert_eq!(frames[0].part, Some(part));
    assert_eq!(frames[0].bits, 1340 * 8);
    assert_eq!((frames[0].message, frames[0].order), (3, 3));
}

#[test]
fn several_messages_share_a_datagram() {
    let bytes = hex(
        "84040000 60009803000003000000 817b226d6170223a22646f776e746f776e227d
         000048 0000000000000001f1",
    );
    let (_, frames) = data(&bytes);
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[0].bytes[0], 0x81);
    assert_eq!(frames[1].bytes, hex("0000000000000001f1"));
}

#[test]
fn low_bits_of_the_first_byte_are_hints() {
    for first in [0x80, 0x84, 0x8c, 0x9c, 0x8f] {
        assert!(matches!(
            Datagram::parse(&[first, 1, 0, 0]),
            Ok(Datagram::Data { number: 1, .. })
        ));
    }
}

#[test]
fn a_tail_below_three_bytes_is_padding() {
    let bytes = hex("84 040000 00 0028 886d736730 0000");
    let Ok(Datagram::Data { frames, .. }) = Datagram::parse(&bytes) else {
        panic!("not data");
    };
    assert_eq!(frames.count(), 1);
}

#[test]
fn what_breaks_a_message_ends_its_datagram() {
    for (message, cause) in [
        ("00 0000 0000", Malformed::EmptyMessage),
        ("a0 0008 01", Malformed::Reliability(5)),
        ("e0 0008 01", Malformed::Reliability(7)),
        ("60 0008 000000 000000 20 01", Malformed::Channel(32)),
        (
            "50 0008 000000 00000002 0000 00000002 01",
            Malformed::Part { index: 2, count: 2 },
        ),
        (
            "50 0008 000000 00000000 0000 00000000 01",
            Malformed::Part { index: 0, count: 0 },
        ),
        ("00 0028 01020304", Malformed::PastEnd("bytes")),
        ("40 0028 01", Malformed::PastEnd("message number")),
    ] {
        let bytes = hex(&format!("84 000000 00 0008 ff {message} 00 0008 ff"));
        // Not all of them may be followed by more: the length would take it in.
        let bytes = match cause {
            Malformed::PastEnd(_) => &bytes[..bytes.len() - 4],
            _ => &bytes[..],
        };
        let Ok(Datagram::Data { mut frames, .. }) = Datagram::parse(bytes) else {
            panic!("not data");
        };
        assert!(frames.next().is_some_and(|frame| frame.is_ok()));
        assert_eq!(frames.next(), Some(Err(cause)), "{message}");
        assert_eq!(frames.next(), None, "{message}");
    }
}

#[test]
fn acks_and_naks_carry_ranges() {
    for (bytes, ranges) in [
        ("c0 0001 01 000000", vec![(0, 0)]),
        ("c0 0001 00 010000 020000", vec![(1, 2)]),
        ("c0 0002 01 010000 00 030000 ff0000", vec![(1, 1), (3, 255)]),
        ("c0 0000", vec![]),
    ] {
        let bytes = hex(bytes);
        let Ok(Datagram::Ack(parsed)) = Datagram::parse(&bytes) else {
            panic!("not an ACK");
        };
        assert_eq!(parsed.iter().collect::<Vec<_>>(), ranges);
        let mut out = Vec::new();
        assert_eq!(encode_ack(&ranges, 1372, &mut out), ranges.len());
        assert_eq!(out, bytes);
    }
    let bytes = hex("a0 0001 01 020000");
    let Ok(Datagram::Nak(parsed)) = Datagram::parse(&bytes) else {
        panic!("not a NAK");
    };
    assert_eq!(parsed.iter().collect::<Vec<_>>(), [(2, 2)]);
}

#[test]
fn one_bad_range_voids_all() {
    for bytes in [
        "c0 0001 00 020000 020000",
        "c0 0001 00 030000 020000",
        "c0 0002 01 020000 01 020000",
        "c0 0002 01 020000 01 010000",
        "c0 0002 00 010000 050000 01 030000",
        "c0 0001 02 010000",
        "c0 0002 01 010000",
        "c0 0001 01 0100",
        "c0 0001 01 010000 00",
        "c0 00",
        "e0 0001 01 010000",
    ] {
        assert!(Datagram::parse(&hex(bytes)).is_err(), "{bytes}");
    }
}

#[test]
fn ranges_that_do_not_fit_or_wrap_are_left_for_the_next_datagram() {
    let ranges: Vec<_> = (0..300).map(|n| (4 * n, 4 * n + 1)).collect();
    let mut out = Vec::new();
    assert_eq!(encode_ack(&ranges, 548, &mut out), 77);
    assert!(out.len() <= 548);
    let Ok(Datagram::Ack(parsed)) = Datagram::parse(&out) else {
        panic!("not an ACK");
    };
    assert_eq!(parsed.iter().count(), 77);

    out.clear();
    assert_eq!(
        encode_nak(&[(0xff_fffe, 0xff_ffff), (0, 3)], 548, &mut out),
        1
    );
    assert_eq!(out, hex("a0 0001 00 feffff ffffff"));
}

#[test]
fn a_datagram_without_the_first_bit_is_of_no_connection() {
    assert_eq!(
        Datagram::parse(&[0x00, 0, 0, 0]).err(),
        Some(Malformed::NotConnected)
    );
    assert!(Datagram::parse(&[]).is_err());
}
