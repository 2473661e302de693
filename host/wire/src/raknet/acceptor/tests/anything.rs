//! Whatever a peer sends and whatever it is told, in any order: the promises hold.

use super::super::{Event, Stage};
use super::world::{World, ms, secs};
use crate::raknet::{Dialect, Message, Password, Reliability};

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

/// The peer says something: what belongs into a handshake mostly, and anything else.
fn say(world: &mut World, chance: &mut Chance) {
    let reliability = match chance.below(3) {
        0 => chance.reliability(),
        _ => Reliability::ReliableOrdered,
    };
    let bytes = match chance.below(10) {
        0 | 1 => Message::ConnectionRequest {
            guid: super::world::THEIRS,
            time: chance.below(u64::MAX),
            password: Password::new(b"secret"),
        }
        .to_bytes(),
        2 | 3 => return world.confirm(),
        4 => Message::SessionRequest(&chance.bytes(3_000)).to_bytes(),
        5 => vec![0x87; 1 + chance.below(3_000) as usize],
        6 => [&[0x1b], &*chance.bytes(20)].concat(),
        7 => Message::Ping {
            time: chance.below(u64::MAX),
        }
        .to_bytes(),
        8 if chance.below(4) == 0 => Message::Disconnect(b"bye").to_bytes(),
        _ => [&[chance.below(256) as u8], &*chance.bytes(120)].concat(),
    };
    let channel = chance.below(32) as u8;
    // A queue that is full takes nothing, which is as good.
    let _ = world.client.send(&bytes, reliability, channel);
}

/// The server does something, whether it is the time for it or not. True: it lets the peer in.
fn act(world: &mut World, chance: &mut Chance) -> bool {
    let (server, now) = (world.server.clone(), world.now);
    let text = chance.bytes(200);
    let peer = &mut world.peer;
    match chance.below(12) {
        0..=2 => peer.admit(&server, now),
        3 if chance.below(8) == 0 => peer.refuse_password(&server, now),
        // Whether it is told depends on its stage.
        4 | 5 => return peer.accept(&server, &text, now).is_ok(),
        6 | 7 => drop(peer.status(&text, now)),
        8 if chance.below(8) == 0 => peer.reject(&server, &text, chance.below(2) == 0, now),
        9 if chance.below(8) == 0 => peer.disconnect(&text, now),
        _ => drop(peer.send(&text, chance.reliability(), chance.below(40) as u8, now)),
    }
    false
}

/// A datagram of nobody's, or one of the peer's that was changed on its way.
fn disturb(world: &mut World, chance: &mut Chance) {
    let mut bytes = chance.bytes(300);
    if bytes.len() > 4 && chance.below(2) == 0 {
        bytes[0] = [0x84, 0xc0, 0xa0][chance.below(3) as usize];
        bytes[1..4].copy_from_slice(&[chance.below(8) as u8, 0, 0]);
    }
    // It is malformed or not; either is fine.
    let _ = world
        .peer
        .receive(&world.server, &bytes, world.now, &mut world.events);
}

fn live(seed: u64, dialect: &'static Dialect, disturbed: bool) {
    let mut chance = Chance(seed);
    let mut world = World::new(dialect);
    let (mut asked, mut requested, mut was_in) = (0, 0, false);
    for _ in 0..60 {
        let stage = world.peer.stage();
        match chance.below(8) {
            0..=2 => say(&mut world, &mut chance),
            3..=5 => was_in |= act(&mut world, &mut chance),
            6 if disturbed => disturb(&mut world, &mut chance),
            _ => world.run(ms(chance.below(40))),
        }
        if stage == Stage::Over {
            assert_eq!(world.peer.stage(), Stage::Over, "seed {seed}: it came back");
        }
        for event in world.events.drain(..) {
            match event {
                Event::Requested(_) => requested += 1,
                Event::SessionRequest(_) | Event::NoRoom => asked += 1,
                Event::Message(_) => assert!(was_in, "seed {seed}: it is not in"),
                _ => {}
            }
        }
    }
    assert!(asked <= 1 && requested <= 1, "seed {seed}");
    for bytes in world.heard() {
        let id = bytes[0];
        let is_the_protocols = id < 0x84 && id != 0x1b;
        assert!(was_in || is_the_protocols, "seed {seed}: {id:#x} leaked");
    }
    world.alive = false;
    let took = world.run_until_over();
    assert!(took <= secs(16), "seed {seed}: {took:?}");
    // What it had sent out of order goes with it.
    let budget = world.server.budget.clone();
    drop(world);
    assert_eq!(budget.used(), 0, "seed {seed}");
}

#[test]
fn the_promises_hold_in_any_order() {
    for seed in 0..1_500 {
        live(seed, Dialect::MAFIANET, false);
        live(seed, Dialect::RAKNET4, false);
    }
}

#[test]
fn and_with_noise_between() {
    for seed in 10_000..11_500 {
        live(seed, Dialect::MAFIANET, true);
        live(seed, Dialect::RAKNET4, true);
    }
}
