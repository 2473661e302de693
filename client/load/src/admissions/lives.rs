//! So many lives at once, each in a place of its own; when one is over, the next begins in its place.

use super::life::{Life, Step, Way};
use super::tally::Tally;
use crate::pace::Pace;
use crate::socket::{Batch, Port};
use crate::work::{Phase, Report, Work};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::Duration;

/// How many sockets they share: each has a buffer of its own in the kernel.
const PORTS: usize = 4;

/// Where they come from: 127.1.0.1 to 127.95.255.255.
const FIRST: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);
const ADDRESSES: u32 = (95 << 16) - 1;

/// How long nobody is looked after, whatever comes. The door is not to be charged for waking us up for each
/// datagram, which it would not have to if we were elsewhere.
const REST: Duration = Duration::from_micros(200);

/// How many batches each socket gives in a turn: what is measured goes by the moment at which a turn began.
const BATCHES: usize = 8;

/// All of them.
pub(super) struct Lives {
    crowd: Crowd,
    lives: Vec<Life>,
    /// How many there are to be.
    places: usize,
    /// How many are not over.
    live: usize,
    leaving: bool,
    pace: Pace,
    /// Places by when they speak again, or before.
    due: VecDeque<(Duration, usize)>,
    /// Places that have something to say once they have heard all that came.
    restless: Vec<usize>,
    random: StdRng,
    batch: Batch,
    buffer: Vec<u8>,
    tally: Tally,
    dropped_before: u64,
}

/// The sockets, and the door.
struct Crowd {
    ports: Vec<Port>,
    door: SocketAddrV4,
    untaken: u64,
}

impl Way for Crowd {
    fn send(&mut self, from: Ipv4Addr, bytes: &[u8]) {
        let door = SocketAddr::V4(self.door);
        let sent = self.port(from).send(from, door, bytes);
        self.untaken += u64::from(!sent);
    }

    fn send_two(&mut self, from: Ipv4Addr, bytes: &[u8], length: usize) {
        let door = SocketAddr::V4(self.door);
        let sent = self.port(from).send_joined(from, door, bytes, length);
        self.untaken += u64::from(!sent);
    }
}

impl Crowd {
    fn port(&self, from: Ipv4Addr) -> &Port {
        &self.ports[u32::from(from) as usize % PORTS]
    }
}

impl Lives {
    /// Nobody yet.
    ///
    /// # Errors
    ///
    /// The system has no port to give.
    pub(super) fn new(door: SocketAddrV4, seed: u64) -> io::Result<Lives> {
        Ok(Lives {
            crowd: Crowd {
                ports: (0..PORTS)
                    .map(|_| Port::open())
                    .collect::<io::Result<_>>()?,
                door,
                untaken: 0,
            },
            lives: Vec::new(),
            places: 0,
            live: 0,
            leaving: false,
            pace: Pace::new(0, Duration::ZERO),
            due: VecDeque::new(),
            restless: Vec::new(),
            random: StdRng::seed_from_u64(seed),
            batch: Batch::new(),
            buffer: Vec::new(),
            tally: Tally::new(Duration::ZERO),
            dropped_before: 0,
        })
    }

    fn life(&mut self, address: Ipv4Addr, now: Duration) -> Life {
        // Not one of the two that mean nobody.
        let guid = self.random.random::<u64>().clamp(1, u64::MAX - 1);
        Life::new(
            address,
            guid,
            self.crowd.door,
            now,
            (&mut self.buffer, &mut self.crowd),
        )
    }

    fn begin_more(&mut self, now: Duration) {
        for _ in 0..self.pace.due(now) {
            let place = self.lives.len();
            if place >= self.places {
                return;
            }
            let life = self.life(address(place as u32), now);
            self.due.push_back((life.due(), place));
            self.lives.push(life);
            self.live += 1;
        }
    }

    fn receive(&mut self, now: Duration, readable: &[bool]) {
        let mut batch = std::mem::replace(&mut self.batch, Batch::empty());
        for port in (0..PORTS).filter(|port| readable[*port]) {
            for _ in 0..BATCHES {
                if !self.crowd.ports[port].receive(&mut batch) {
                    break;
                }
                for received in batch.datagrams() {
                    if let Some(to) = received.to {
                        self.take(to, received.bytes, now);
                    }
                }
            }
        }
        self.batch = batch;
        for place in self.restless.drain(..) {
            self.lives[place].settle((&mut self.buffer, &mut self.crowd));
        }
    }

    fn take(&mut self, to: Ipv4Addr, bytes: &[u8], now: Duration) {
        let offset = u32::from(to).wrapping_sub(u32::from(FIRST));
        let place = offset as usize % self.places.max(1);
        // Whoever is gone is still spoken to for a while.
        let Some(life) = self.lives.get_mut(place).filter(|life| life.address == to) else {
            return;
        };
        let out = (&mut self.buffer, &mut self.crowd);
        let step = life.take(bytes, now, out);
        if life.is_restless() {
            self.restless.push(place);
        }
        self.happened(place, &step, now);
    }

    /// Those whose time has come say once more what was not answered.
    fn repeat(&mut self, now: Duration) {
        while let Some((due, place)) = self.due.front().copied()
            && due <= now
        {
            self.due.pop_front();
            let out = (&mut self.buffer, &mut self.crowd);
            let step = self.lives[place].tick(now, out);
            self.happened(place, &step, now);
            let next = self.lives[place].due().max(now);
            self.due.push_back((next, place));
        }
    }

    fn happened(&mut self, place: usize, step: &Step, now: Duration) {
        let life = &self.lives[place];
        self.tally.step(step, now.saturating_sub(life.born));
        if !matches!(step, Step::Over | Step::Refused(_) | Step::Lost) {
            return;
        }
        self.live -= 1;
        if self.leaving {
            return;
        }
        let next = next_address(life.address, self.places as u32);
        self.lives[place] = self.life(next, now);
        self.live += 1;
    }
}

/// The address of so manyth of all.
fn address(offset: u32) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(FIRST) + offset)
}

/// Where the next one of a place comes from: each place has every so manyth address for itself.
fn next_address(last: Ipv4Addr, places: u32) -> Ipv4Addr {
    let offset = u32::from(last) - u32::from(FIRST) + places;
    match offset < ADDRESSES {
        true => address(offset),
        false => address(offset % places),
    }
}

impl Work for Lives {
    fn begin(&mut self, phase: Phase, now: Duration) {
        self.places = (phase.waiting.min(ADDRESSES / 2) as usize).max(self.lives.len());
        if self.lives.len() < self.places {
            self.pace = Pace::new(phase.ramp, now);
        }
        self.tally = Tally::new(now);
    }

    fn turn(&mut self, now: Duration, readable: &[bool]) -> Option<Duration> {
        self.receive(now, readable);
        self.begin_more(now);
        self.repeat(now);
        let growing = (self.lives.len() < self.places).then(|| self.pace.next());
        let due = self.due.front().map(|(due, _)| *due);
        [growing.flatten(), due].into_iter().flatten().min()
    }

    fn settled(&self) -> bool {
        self.lives.len() == self.places && self.tally.admitted() > 0
    }

    fn report(&mut self, now: Duration) -> Report {
        let dropped: u64 = self.crowd.ports.iter().map(Port::dropped).sum();
        let in_phase = dropped - self.dropped_before.min(dropped);
        self.dropped_before = dropped;
        let untaken = std::mem::take(&mut self.crowd.untaken);
        let tally = std::mem::replace(&mut self.tally, Tally::new(now));
        let mut report = Report::default();
        report.set("at_once", self.places);
        tally.report(now, (untaken, in_phase), &mut report);
        report
    }

    fn leave(&mut self, _: Duration) {
        self.leaving = true;
        self.places = self.places.max(self.lives.len());
        self.pace = Pace::new(0, Duration::ZERO);
    }

    fn is_gone(&self) -> bool {
        self.live == 0
    }

    fn ports(&self) -> &[Port] {
        &self.crowd.ports
    }

    fn rest(&self) -> Duration {
        REST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::Door;
    use crate::work::Worker;
    use std::collections::HashSet;
    use std::sync::atomic::Ordering;
    use std::thread::sleep;
    use std::time::Instant;

    #[test]
    fn a_place_has_addresses_of_its_own_and_goes_through_all_of_them() {
        let places = 10_000;
        let mut at = address(7);
        let mut seen = HashSet::new();
        while seen.insert(at) {
            assert_eq!((u32::from(at) - u32::from(FIRST)) % places, 7);
            at = next_address(at, places);
        }
        assert_eq!(at, address(7));
        assert!(seen.len() > 600, "{}", seen.len());
    }

    #[test]
    fn one_life_follows_the_other_and_each_says_goodbye() {
        let door = Door::open();
        let zero = Instant::now();
        let lives = Lives::new(door.address, 1).unwrap();
        let worker = Worker::start("admissions", lives, zero).unwrap();
        worker.begin(Phase {
            waiting: 20,
            ramp: 10_000,
            ..Phase::default()
        });
        let end = zero + Duration::from_secs(30);
        let mut lives = 0;
        while lives < 100 {
            assert!(Instant::now() < end, "only {lives} lives");
            sleep(Duration::from_millis(10));
            let figures = worker.report().figures;
            lives += figures["lives"].as_u64().unwrap();
            assert_eq!(figures["refused"], serde_json::json!({}), "{figures:?}");
        }
        worker.leave();
        worker.join().unwrap();
        while door.shared.here.load(Ordering::SeqCst) > 0 {
            assert!(Instant::now() < end, "somebody has not said goodbye");
            sleep(Duration::from_millis(10));
        }
        assert_eq!(door.shared.strays.load(Ordering::SeqCst), 0);
    }
}
