//! Whatever a server sends and whatever the client is told to do, in any order: the promises hold.

use std::time::Duration;

use super::super::{Event, State};
use super::server::{Pair, ms, setup};
use crate::raknet::{Dialect, Message, Reliability};

/// SplitMix64: a seed gives the same run every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        (0..self.below(most))
            .map(|_| self.below(256) as u8)
            .collect()
    }

    fn reliability(&mut self) -> Reliability {
        Reliability::ALL[self.below(5) as usize]
    }
}

/// The server says something: what belongs into a handshake mostly, and anything else.
fn say(pair: &mut Pair, chance: &mut Chance) {
    let bytes = match chance.below(14) {
        0..=2 => return pair.accept_request(),
        3 | 4 => Message::SessionStatus(&chance.bytes(3_000)).to_bytes(),
        5 | 6 => Message::SessionConfig(&chance.bytes(3_000)).to_bytes(),
        7 if chance.below(4) == 0 => Message::SessionRejected(b"no").to_bytes(),
        8 if chance.below(4) == 0 => Message::Disconnect(b"bye").to_bytes(),
        9 if chance.below(8) == 0 => Message::InvalidPassword(&[]).to_bytes(),
        10 => vec![0x87; 1 + chance.below(3_000) as usize],
        11 => [&[0x1b], &*chance.bytes(20)].concat(),
        12 => Message::Ping {
            time: chance.below(u64::MAX),
        }
        .to_bytes(),
        _ => [&[chance.below(256) as u8], &*chance.bytes(120)].concat(),
    };
    let reliability = match chance.below(3) {
        0 => chance.reliability(),
        _ => Reliability::ReliableOrdered,
    };
    // A queue that is full takes nothing, which is as good.
    let _ = pair.server.send(&bytes, reliability, 0);
}

/// A datagram of nobody's.
fn disturb(pair: &mut Pair, chance: &mut Chance) {
    let mut bytes = chance.bytes(300);
    let length = bytes.len();
    if length > 20 && chance.below(2) == 0 {
        // One that gets further.
        bytes[0] = [0x06, 0x08, 0x12, 0x84, 0xc0, 0xa0][chance.below(6) as usize];
        if bytes[0] < 0x80 && chance.below(8) == 0 {
            bytes[1..17].copy_from_slice(&crate::raknet::MAGIC);
        }
        if bytes[0] == 0x84 {
            bytes[1..4].copy_from_slice(&[chance.below(60) as u8, 0, 0]);
        }
    }
    pair.client.receive(&bytes, pair.now);
}

/// The client does something, whether it is the time for it or not.
fn act(pair: &mut Pair, chance: &mut Chance) {
    let now = pair.now;
    match chance.below(20) {
        0 => pair.client.leave(&chance.bytes(20), now),
        _ => {
            let bytes = chance.bytes(2_000);
            let (reliability, channel) = (chance.reliability(), chance.below(40) as u8);
            let _ = pair.client.send(&bytes, reliability, channel, now);
        }
    }
}

/// What must be true of the events of any connection that is over.
fn check(events: &[Event], seed: u64) {
    let place = |is: fn(&Event) -> bool| {
        let all = events.iter().enumerate().filter(|(_, event)| is(event));
        all.map(|(place, _)| place).collect::<Vec<_>>()
    };
    let ended = place(|it| matches!(it, Event::Ended(_)));
    assert_eq!(ended, [events.len() - 1], "{seed}: it ends once, at last");
    let accepted = place(|it| matches!(it, Event::Accepted { .. }));
    assert!(accepted.len() <= 1, "{seed}: it is let in once");
    let inside = accepted.first().copied().unwrap_or(usize::MAX);
    let messages = place(|it| matches!(it, Event::Message(_)));
    let early = messages.iter().any(|place| *place < inside);
    assert!(!early, "{seed}: nothing of the game before it is in");
    let statuses = place(|it| matches!(it, Event::Status(_)));
    let late = statuses.iter().any(|place| *place > inside);
    assert!(!late, "{seed}: no status after it is in");
    let requested = place(|it| matches!(it, Event::Requested));
    assert!(requested.len() <= 1, "{seed}: it asks once");
}

/// How far a state is.
fn rank(state: State) -> u8 {
    match state {
        State::Connecting => 0,
        State::Connected => 1,
        State::Closing => 2,
        State::Ended => 3,
    }
}

#[test]
fn whatever_happens_it_goes_forward_and_ends_once_and_keeps_nothing() {
    let (mut inside, mut rejected) = (0, 0);
    for seed in 0..400 {
        let mut chance = Chance(seed);
        let mut setup = setup();
        setup.payload = chance.bytes(3_000);
        if chance.below(4) == 0 {
            setup.dialect = Dialect::RAKNET4;
        }
        let mut pair = Pair::new(setup);
        pair.loses = [0, 4, 10][chance.below(3) as usize];
        let mut state = pair.client.state();
        for _ in 0..chance.below(120) {
            match chance.below(10) {
                0..=2 => say(&mut pair, &mut chance),
                3 => disturb(&mut pair, &mut chance),
                4 => act(&mut pair, &mut chance),
                5 if chance.below(6) == 0 => pair.answers = !pair.answers,
                6 if chance.below(6) == 0 => pair.run(Duration::from_secs(chance.below(9))),
                _ => pair.run(ms(chance.below(40))),
            }
            let now = pair.client.state();
            assert!(
                rank(now) >= rank(state),
                "{seed}: {state:?} and then {now:?}"
            );
            state = now;
        }
        // Whatever the server kept sending, one that is silent is left.
        pair.answers = false;
        let start = pair.now;
        while pair.client.state() != State::Ended {
            pair.run(ms(100));
            assert!(
                pair.now < start + Duration::from_secs(60),
                "{seed}: it never ends"
            );
        }
        pair.run(ms(5));
        assert_eq!(pair.client.poll_timeout(), None, "{seed}");
        check(&pair.events, seed);
        let any = |is: fn(&Event) -> bool| usize::from(pair.events.iter().any(is));
        inside += any(|it| matches!(it, Event::Accepted { .. }));
        rejected += any(|it| matches!(it, Event::Ended(super::super::Ending::Rejected(_))));
        pair.assert_empty();
    }
    // Chance goes everywhere.
    assert!(
        inside > 50 && rejected > 5,
        "{inside} in, {rejected} rejected"
    );
}
