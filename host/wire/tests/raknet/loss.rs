//! Acknowledging, asking again, sending again, and giving up.

use usher_wire::raknet::{Datagram, Frame, Limits, Reliability};

use crate::ends::{End, ack, datagram, frame, hex, ms, nak};

fn unreliable(number: u32) -> Vec<u8> {
    datagram(number, &[frame(Reliability::Unreliable, b"\x87")])
}

/// Message numbers in a data datagram.
fn carried(bytes: &[u8]) -> Vec<u32> {
    let Ok(Datagram::Data { frames, .. }) = Datagram::parse(bytes) else {
        panic!("not data");
    };
    frames
        .map(|frame| frame.expect("well formed").message)
        .collect()
}

/// Lets the end know a round trip of no time.
fn with_round_trip(end: &mut End) {
    end.send(b"\x87", Reliability::Reliable);
    assert_eq!(end.says().len(), 1);
    end.hears(&ack(&[(0, 0)]));
    assert!(end.connection.rtt().is_some());
}

#[test]
fn acknowledgements_go_at_once_before_a_round_trip_is_known() {
    let mut end = End::new();
    end.hears(&unreliable(0));
    assert_eq!(end.due(), Some(0));
    assert_eq!(end.says(), [ack(&[(0, 0)])]);
    assert_eq!(end.due(), None);
}

#[test]
fn then_they_wait_for_each_other_for_10_ms() {
    let mut end = End::new();
    with_round_trip(&mut end);
    for number in [0, 1, 2] {
        end.at(u64::from(number) * 3).hears(&unreliable(number));
    }
    assert_eq!(end.due(), Some(10));
    assert!(end.at(9).says().is_empty());
    assert_eq!(end.at(10).says(), [ack(&[(0, 2)])]);
    assert!(end.at(20).says().is_empty(), "once");
}

#[test]
fn sixty_four_do_not_wait() {
    let mut end = End::new();
    with_round_trip(&mut end);
    for number in 0..63 {
        end.hears(&unreliable(number));
    }
    assert!(end.says().is_empty());
    end.hears(&unreliable(63));
    assert_eq!(end.says(), [ack(&[(0, 63)])]);
}

#[test]
fn a_datagram_is_acknowledged_exactly_once() {
    let mut end = End::new();
    for _ in 0..3 {
        end.hears(&unreliable(0));
    }
    assert_eq!(end.says(), [ack(&[(0, 0)])]);
    end.hears(&unreliable(0));
    assert!(end.says().is_empty());
}

#[test]
fn a_gap_is_asked_for_once_and_acknowledgements_ascend_around_it() {
    let mut end = End::new();
    end.hears(&unreliable(0));
    end.hears(&unreliable(3));
    end.hears(&unreliable(7));
    assert_eq!(
        end.says(),
        [nak(&[(1, 2), (4, 6)]), ack(&[(0, 0), (3, 3), (7, 7)]),]
    );
    end.hears(&unreliable(8));
    assert_eq!(end.says(), [ack(&[(8, 8)])]);
    // Late, and still good.
    end.hears(&unreliable(5));
    assert_eq!(end.says(), [ack(&[(5, 5)])]);
}

#[test]
fn what_came_late_but_in_time_is_not_asked_for() {
    let mut end = End::new();
    end.hears(&unreliable(1));
    end.hears(&unreliable(0));
    assert_eq!(end.says(), [ack(&[(0, 1)])]);
}

#[test]
fn a_stale_number_is_neither_read_nor_acknowledged() {
    let mut end = End::new();
    end.hears(&unreliable(600));
    // What the peer remembers to have sent: 512.
    assert_eq!(end.says(), [nak(&[(89, 599)]), ack(&[(600, 600)])]);
    assert!(end.hears(&unreliable(88)).is_empty());
    assert!(end.hears(&unreliable(77)).is_empty());
    assert!(end.says().is_empty());
    assert_eq!(end.hears(&unreliable(89)).len(), 1);
    assert_eq!(end.says(), [ack(&[(89, 89)])]);
}

#[test]
fn an_acknowledgement_that_became_stale_is_left_out() {
    let mut end = End::new();
    with_round_trip(&mut end);
    end.hears(&unreliable(0));
    end.hears(&unreliable(512));
    assert_eq!(end.at(10).says(), [nak(&[(1, 511)]), ack(&[(512, 512)])]);
    end.hears(&unreliable(513));
    assert_eq!(end.at(20).says(), [ack(&[(513, 513)])]);
    assert_eq!(end.due(), None);
}

#[test]
fn a_jump_of_more_than_50000_is_not_believed() {
    let mut end = End::new();
    assert!(end.hears(&unreliable(50_001)).is_empty());
    assert!(end.says().is_empty());
    assert_eq!(end.hears(&unreliable(50_000)).len(), 1);
    assert_eq!(end.says().len(), 2);
}

#[test]
fn a_nak_sends_what_is_still_owed_at_once_in_a_new_datagram() {
    let mut end = End::new();
    for text in [b"\x87a", b"\x87b", b"\x87c"] {
        end.send(text, Reliability::Reliable);
        assert_eq!(end.says().len(), 1);
    }
    end.send(b"\x87d", Reliability::Unreliable);
    assert_eq!(end.says().len(), 1);
    end.at(20).hears(&ack(&[(1, 1)]));
    end.at(21).hears(&nak(&[(0, 1), (3, 3)]));
    let again = Frame {
        message: 0,
        ..frame(Reliability::Reliable, b"\x87a")
    };
    assert_eq!(end.says(), [datagram(4, &[again])]);
    // Asked for once more under the old number: it is under way already.
    end.at(22).hears(&nak(&[(0, 0)]));
    assert!(end.says().is_empty());
}

#[test]
fn silence_doubles_the_wait_up_to_two_seconds() {
    let mut end = End::new();
    end.send(b"\x87", Reliability::Reliable);
    let mut sent = Vec::new();
    for _ in 0..7 {
        assert_eq!(end.says().len(), 1);
        sent.push(end.now.as_millis() - 1_000);
        let due = end.due().expect("it will go out again");
        assert!(end.at(due as u64 - 1).says().is_empty());
        end.at(due as u64);
    }
    assert_eq!(sent, [0, 500, 1500, 3500, 5500, 7500, 9500]);
}

#[test]
fn a_round_trip_shortens_the_wait_to_300_ms() {
    let mut end = End::new();
    with_round_trip(&mut end);
    end.send(b"\x87", Reliability::Reliable);
    assert_eq!(end.says().len(), 1);
    assert_eq!(end.due(), Some(300));
}

#[test]
fn after_a_silence_four_datagrams_ask_whether_anyone_is_there() {
    let mut end = End::new();
    for _ in 0..16 {
        end.send(&[0x87; 1_300], Reliability::Reliable);
    }
    assert_eq!(end.says().len(), 16);
    assert_eq!(end.at(500).says().len(), 4);
    assert_eq!(end.due(), Some(1_500));
    end.at(520).hears(&ack(&[(16, 19)]));
    assert_eq!(end.says().len(), 8);
}

#[test]
fn a_lost_acknowledgement_among_others_is_no_silence() {
    let mut end = End::new();
    for number in 0..40 {
        end.at(u64::from(number) * 10)
            .send(b"\x87", Reliability::Unreliable);
        assert_eq!(end.says().len(), 1, "{number}");
        // The one of number 3 is lost.
        if number != 3 {
            end.hears(&ack(&[(number, number)]));
        }
    }
    // It was given up at 330 ms, and the window is not down to four.
    for _ in 0..16 {
        end.send(&[0x87; 1_300], Reliability::Unreliable);
    }
    assert_eq!(end.says().len(), 16);
}

#[test]
fn sixteen_datagrams_go_out_and_the_window_grows_with_acknowledgements() {
    let mut end = End::new();
    for _ in 0..150 {
        end.send(&[0x87; 1300], Reliability::Reliable);
    }
    assert_eq!(end.says().len(), 16);
    end.at(5).hears(&ack(&[(0, 15)]));
    assert_eq!(end.says().len(), 32);
    end.at(10).hears(&ack(&[(16, 31)]));
    assert_eq!(end.says().len(), 32);
    // A loss halves it, and what was lost does not wait for that.
    end.at(15).hears(&nak(&[(32, 32)]));
    let again = end.says();
    assert_eq!((again.len(), carried(&again[0])), (1, vec![32]));
    end.at(16).hears(&ack(&[(33, 48)]));
    assert!(end.says().is_empty());
    end.at(17).hears(&ack(&[(49, 50)]));
    assert_eq!(end.says().len(), 2);
}

#[test]
fn no_more_than_512_reliable_messages_are_owed() {
    let mut end = End::new();
    for _ in 0..2_000 {
        end.send(b"\x87", Reliability::Reliable);
    }
    end.send(b"\x87", Reliability::Unreliable);
    let mut highest = 0;
    let sent = end.says();
    for bytes in &sent {
        highest = highest.max(carried(bytes).into_iter().max().expect("a message"));
    }
    assert_eq!(highest, 511);
    assert_eq!(end.due(), Some(500), "only time or an answer helps");
    // Everything but the lowest: still no place for 512.
    end.at(5).hears(&ack(&[(1, sent.len() as u32 - 1)]));
    assert!(end.says().is_empty());
    end.at(6).hears(&ack(&[(0, 0)]));
    let next = end.says();
    assert_eq!(carried(&next[0])[0], 512);
}

#[test]
fn a_peer_cannot_have_the_same_message_sent_without_end() {
    let mut end = End::new();
    end.send(&[0x87; 1340], Reliability::Reliable);
    let mut sent = 0;
    for number in 0..100 {
        sent += end.says().len();
        end.hears(&nak(&[(number, number)]));
    }
    assert_eq!(sent, 9, "once, and eight times because it was asked to");
    assert!(end.due().is_some_and(|due| due >= 300), "and after a while");
}

#[test]
fn an_acknowledgement_of_the_first_copy_counts_after_the_second_was_sent() {
    let mut end = End::new();
    end.send(b"\x87", Reliability::Reliable);
    end.says();
    assert_eq!(end.at(500).says().len(), 1);
    end.at(510).hears(&ack(&[(0, 0)]));
    assert!(end.connection.all_acked());
    assert_eq!(end.connection.outgoing_bytes(), 0);
}

#[test]
fn what_is_512_datagrams_old_and_unanswered_goes_out_again() {
    let mut end = End::new();
    end.send(b"\x87", Reliability::Reliable);
    assert_eq!(end.says().len(), 1);
    let mut again = Vec::new();
    for number in 1..=513 {
        end.send(&[0x87; 1_300], Reliability::Unreliable);
        for bytes in end.says() {
            if bytes[4] == 0x40 {
                again.push(number);
            }
        }
        end.hears(&ack(&[(number, number)]));
        assert!(end.connection.memory() < 128 << 10);
    }
    // The peer does not remember the datagram it was in, so no answer to it would ever come.
    assert_eq!(again, [512]);
}

#[test]
fn acknowledgements_of_what_was_never_sent_change_nothing() {
    let mut end = End::new();
    end.send(b"\x87", Reliability::Reliable);
    end.says();
    end.at(5).hears(&ack(&[(1, 0xff_ffff)]));
    end.hears(&nak(&[(1, 0xff_ffff)]));
    assert!(!end.connection.all_acked());
    assert_eq!(end.connection.rtt(), None);
    assert!(end.says().is_empty());
    end.hears(&ack(&[(0, 0xff_ffff)]));
    assert!(end.connection.all_acked());
}

#[test]
fn acknowledgements_of_late_datagrams_are_not_resent_as_data() {
    let mut end = End::new();
    assert_eq!(end.hears(&hex("c0 0001 01 000000")), []);
    assert!(end.says().is_empty(), "an ACK is not acknowledged");
    end.hears(&hex("a0 0001 01 000000"));
    assert!(end.says().is_empty(), "neither is a NAK");
}

#[test]
fn a_silent_peer_is_lost_ten_seconds_after_its_last_datagram() {
    let mut end = End::new();
    end.at(3_000).hears(&unreliable(0));
    end.at(4_000).send(b"\x87", Reliability::Reliable);
    while let Some(due) = end.due() {
        assert!(!end.connection.is_lost(ms(1_000 + 12_999)));
        end.at(due.max(4_000) as u64).says();
    }
    assert_eq!(end.now, ms(1_000 + 13_000));
    assert!(end.connection.is_lost(end.now));
    end.send(b"\x87", Reliability::Reliable);
    assert_eq!((end.says(), end.due()), (vec![], None), "it is over");
}

#[test]
fn a_peer_that_owes_nothing_may_be_silent_for_ever() {
    let mut end = End::new();
    end.send(b"\x87", Reliability::Unreliable);
    end.says();
    assert!(!end.connection.is_lost(ms(1 << 40)));
    // And has half the timeout to answer then.
    end.at(100_000).send(b"\x87", Reliability::Reliable);
    end.says();
    assert!(!end.connection.is_lost(ms(1_000 + 104_999)));
    assert!(end.connection.is_lost(ms(1_000 + 105_000)));
    end.at(104_000).hears(&nak(&[(0, 0)]));
    assert!(!end.connection.is_lost(ms(1_000 + 113_999)));
}

#[test]
fn a_status_each_five_seconds_finds_a_peer_that_vanished_in_ten() {
    let mut end = End::new();
    for status in 0..4 {
        end.at(status * 5_000)
            .send(b"\x83", Reliability::ReliableOrdered);
        assert_eq!(end.says().len(), 1);
        end.hears(&ack(&[(status as u32, status as u32)]));
    }
    // It vanishes right after it has acknowledged the one at 15 s.
    end.at(20_000).send(b"\x83", Reliability::ReliableOrdered);
    end.says();
    end.at(24_999).says();
    assert!(!end.connection.is_lost(end.now));
    assert!(end.connection.is_lost(ms(1_000 + 25_000)));
}

#[test]
fn another_timeout_counts_at_once() {
    let mut end = End::new();
    end.send(b"\x87", Reliability::Reliable);
    end.says();
    end.connection.set_limits(Limits {
        timeout: ms(2_000),
        ..end.connection.limits()
    });
    assert!(!end.connection.is_lost(ms(2_999)));
    assert!(end.connection.is_lost(ms(3_000)));
}
