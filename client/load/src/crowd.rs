//! Those who wait, and those who come and go again: thousands, each with an address of its own, behind a few
//! sockets.

use crate::guest::Guest;
use crate::pace::Pace;
use crate::socket::{Batch, Port};
use crate::tally::Tally;
use crate::timers::Timers;
use crate::work::{Phase, Report, Work};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::Duration;
use usher_wire::raknet::Budget;
use usher_wire::raknet::initiator::{Ending, Event};

/// How many sockets they share: each has a buffer of its own in the kernel.
const PORTS: usize = 16;

/// Where those who are welcome come from, one address each: 127.1.0.1 to 127.95.255.255. The half of the
/// network from 127.128.0.0 on is the flood's.
const WELCOME: Network = Network {
    first: Ipv4Addr::new(127, 1, 0, 1),
    count: (95 << 16) - 1,
};

/// Where every second one of those who come and go comes from: 127.96.0.0/11, which a door may ban.
const UNWELCOME: Network = Network {
    first: Ipv4Addr::new(127, 96, 0, 1),
    count: (32 << 16) - 1,
};

/// Addresses, given out one after the other.
struct Network {
    first: Ipv4Addr,
    count: u32,
}

impl Network {
    fn address(&self, number: u32) -> Ipv4Addr {
        Ipv4Addr::from(u32::from(self.first) + number % self.count)
    }
}

/// How long someone who only passes by waits for a status before it goes.
const PASSING: Duration = Duration::from_millis(500);

/// How long nobody is looked after, whatever comes: as far as a server in the same town is away.
const REST: Duration = Duration::from_micros(500);

/// How many leave in a second at the end.
const LEAVING: u32 = 3_000;

/// Later than this, and what was measured of waiting is the generator's own doing.
const LATE: u32 = 100_000;

/// What each of those who wait sends, in bytes.
pub(crate) const PAYLOAD: usize = 16;

/// All of them.
pub(crate) struct Crowd {
    ports: Vec<Port>,
    door: SocketAddrV4,
    members: Vec<Option<Member>>,
    free: Vec<usize>,
    places: HashMap<Ipv4Addr, usize>,
    timers: Timers,
    born: u32,
    phase: Phase,
    ramp: Pace,
    arrivals: Pace,
    farewells: Option<Pace>,
    waiters: u32,
    /// Those of them who have had a status.
    told: u32,
    tally: Tally,
    dropped_before: u64,
    random: StdRng,
    budget: Budget,
    batch: Batch,
    buffer: Vec<u8>,
}

struct Member {
    guest: Guest,
    port: usize,
    born: Duration,
    /// It waits for as long as it is let; else it goes at the first status, or at this moment.
    goes: Option<Duration>,
    status: Option<Duration>,
}

impl Crowd {
    /// Nobody yet.
    ///
    /// # Errors
    ///
    /// The system has no port to give.
    pub(crate) fn new(door: SocketAddrV4, seed: u64) -> io::Result<Crowd> {
        let nothing = || Pace::new(0, Duration::ZERO);
        Ok(Crowd {
            ports: (0..PORTS)
                .map(|_| Port::open())
                .collect::<io::Result<_>>()?,
            door,
            members: Vec::new(),
            free: Vec::new(),
            places: HashMap::new(),
            timers: Timers::default(),
            born: 0,
            phase: Phase::default(),
            ramp: nothing(),
            arrivals: nothing(),
            farewells: None,
            waiters: 0,
            told: 0,
            tally: Tally::new(Duration::ZERO),
            dropped_before: 0,
            random: StdRng::seed_from_u64(seed),
            budget: Budget::default(),
            batch: Batch::new(),
            buffer: Vec::new(),
        })
    }

    fn come(&mut self, passing: bool, now: Duration) {
        let network = match passing && self.born.is_multiple_of(2) {
            true => &UNWELCOME,
            false => &WELCOME,
        };
        let address = network.address(self.born);
        let kind = if passing { "passes" } else { "waits" };
        // Always PAYLOAD long.
        let payload = format!("{kind:<6}{:010}", self.born).into_bytes();
        self.born = self.born.wrapping_add(1);
        let guid = self.random.random();
        let member = Member {
            guest: Guest::new(address, self.door, guid, payload, &self.budget, now),
            port: self.born as usize % PORTS,
            born: now,
            goes: passing.then(|| now + PASSING),
            status: None,
        };
        let place = self.free.pop().unwrap_or_else(|| {
            self.members.push(None);
            self.members.len() - 1
        });
        if let Some(goes) = member.goes {
            self.timers.wake(place, goes);
            self.tally.passing();
        } else {
            self.waiters += 1;
        }
        self.members[place] = Some(member);
        self.places.insert(address, place);
        self.attend(place, now);
    }

    /// Looks after someone: what is to be sent, what happened.
    fn attend(&mut self, place: usize, now: Duration) {
        let door = SocketAddr::V4(self.door);
        let mut ended = None;
        let mut leaves = true;
        // Who leaves has something to send once more.
        while std::mem::take(&mut leaves) {
            let Some(member) = self.members[place].as_mut() else {
                return;
            };
            let goes = member.goes;
            if goes.is_some_and(|goes| goes <= now) {
                member.guest.initiator().leave(b"", now);
            }
            let port = &self.ports[member.port];
            if let Some(wake) = member.guest.turn(port, door, now, &mut self.buffer) {
                self.timers.wake(place, wake);
            }
            while let Some(event) = member.guest.event() {
                match event {
                    Event::Status(_) => {
                        self.tally.status(member.born, member.status, now);
                        let first = member.status.replace(now).is_none();
                        if goes.is_some() {
                            member.goes = Some(now);
                            leaves = first;
                        } else if first {
                            self.told += 1;
                        }
                    }
                    Event::Accepted { .. } => {
                        // A seat was free, and is to be again.
                        self.tally.seated(member.born, now);
                        member.guest.initiator().leave(b"", now);
                        leaves = true;
                    }
                    Event::Ended(ending) => ended = Some(ending),
                    _ => {}
                }
            }
        }
        if let Some(ending) = ended {
            self.gone(place, &ending);
        }
    }

    fn gone(&mut self, place: usize, ending: &Ending) {
        let Some(member) = self.members[place].take() else {
            return;
        };
        self.places.remove(&member.guest.address());
        self.free.push(place);
        self.tally.untaken += member.guest.untaken;
        let passing = member.goes.is_some();
        if !passing {
            self.waiters -= 1;
            self.told -= u32::from(member.status.is_some());
        }
        // Everyone leaves at the end.
        if self.farewells.is_none() || !matches!(ending, Ending::Left) {
            self.tally.ended(passing, ending);
        }
    }

    fn receive(&mut self, now: Duration, readable: &[bool]) {
        let mut batch = std::mem::replace(&mut self.batch, Batch::empty());
        for port in (0..PORTS).filter(|port| readable[*port]) {
            while self.ports[port].receive(&mut batch) {
                for received in batch.datagrams() {
                    let place = received.to.and_then(|to| self.places.get(&to)).copied();
                    let from_door = received.from == SocketAddr::V4(self.door);
                    // Whoever is gone is still spoken to for a while.
                    let (Some(place), true) = (place, from_door) else {
                        continue;
                    };
                    if let Some(member) = self.members[place].as_mut() {
                        member.guest.receive(received.bytes, now);
                        self.attend(place, now);
                    }
                }
            }
        }
        self.batch = batch;
    }

    fn say_farewell(&mut self, now: Duration) {
        let Some(pace) = &mut self.farewells else {
            return;
        };
        let due = pace.due(now) as usize;
        let staying = self.members.iter_mut().enumerate();
        let staying = staying.filter_map(|(place, member)| Some((place, member.as_mut()?)));
        let staying = staying.filter(|(_, member)| member.goes.is_none());
        let mut places = Vec::new();
        for (place, member) in staying.take(due) {
            // From now on it only passes.
            member.goes = Some(now);
            self.waiters -= 1;
            self.told -= u32::from(member.status.is_some());
            places.push(place);
        }
        for place in places {
            self.attend(place, now);
        }
    }
}

impl Work for Crowd {
    fn begin(&mut self, phase: Phase, now: Duration) {
        self.phase = phase;
        self.ramp = Pace::new(phase.ramp, now);
        self.arrivals = Pace::new(phase.arrivals, now);
        self.tally = Tally::new(now);
    }

    fn turn(&mut self, now: Duration, readable: &[bool]) -> Option<Duration> {
        self.receive(now, readable);
        let missing = self.phase.waiting.saturating_sub(self.waiters);
        for _ in 0..self.ramp.due(now).min(missing) {
            self.come(false, now);
        }
        for _ in 0..self.arrivals.due(now) {
            self.come(true, now);
        }
        while let Some((place, at)) = self.timers.woken(now) {
            self.tally.woken_late(now.saturating_sub(at));
            self.attend(place, now);
        }
        self.say_farewell(now);
        let growing = (missing > 0).then(|| self.ramp.next()).flatten();
        let farewell = self.farewells.as_ref().and_then(Pace::next);
        let due = [growing, self.arrivals.next(), farewell, self.timers.next()];
        due.into_iter().flatten().min()
    }

    /// Whether all who should wait have been told something.
    fn settled(&self) -> bool {
        self.told >= self.phase.waiting
    }

    fn report(&mut self, now: Duration) -> Report {
        let mut report = Report::default();
        let waiters = self.members.iter().flatten().filter(|it| it.goes.is_none());
        let silent = waiters.map(|it| now.saturating_sub(it.status.unwrap_or(it.born)));
        let silent = silent.max().map(|it| it.as_secs_f64() * 1000.0);
        report.set("waiting", self.told);
        report.set("longest_silence_ms", json!(silent));
        let dropped: u64 = self.ports.iter().map(Port::dropped).sum();
        let in_phase = dropped - self.dropped_before.min(dropped);
        self.dropped_before = dropped;
        let late = self.tally.report(now, in_phase, &mut report);
        if let Some(late) = late.filter(|late| late.p99 > LATE) {
            let millis = late.p99 / 1000;
            let behind = format!("1 of 100 of those who wait were looked after {millis} ms late");
            report.behind.push(behind);
        }
        report
    }

    fn leave(&mut self, now: Duration) {
        self.phase = Phase::default();
        self.arrivals = Pace::new(0, now);
        self.farewells = Some(Pace::new(LEAVING, now));
    }

    fn is_gone(&self) -> bool {
        self.places.is_empty()
    }

    fn ports(&self) -> &[Port] {
        &self.ports
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
    use std::sync::atomic::Ordering;
    use std::thread::sleep;
    use std::time::Instant;

    #[test]
    fn whoever_waits_sends_as_much_as_is_said() {
        assert_eq!(format!("{:<6}{:010}", "waits", 9_499).len(), PAYLOAD);
        assert_eq!(format!("{:<6}{:010}", "passes", u32::MAX).len(), PAYLOAD);
    }

    #[test]
    fn networks_do_not_overlap() {
        let last = |network: &Network| network.address(network.count - 1);
        assert_eq!(last(&WELCOME), Ipv4Addr::new(127, 95, 255, 255));
        assert_eq!(last(&UNWELCOME), Ipv4Addr::new(127, 127, 255, 255));
        assert_eq!(WELCOME.address(WELCOME.count), WELCOME.first);
    }

    #[test]
    fn those_who_wait_stay_and_the_others_come_and_go() {
        let door = Door::open();
        let zero = Instant::now();
        let crowd = Crowd::new(door.address, 1).unwrap();
        let worker = Worker::start("crowd", crowd, zero).unwrap();
        let phase = Phase {
            waiting: 300,
            ramp: 3_000,
            arrivals: 200,
            ..Phase::default()
        };
        worker.begin(phase);
        let end = zero + Duration::from_secs(30);
        while !worker.settled() && Instant::now() < end {
            sleep(Duration::from_millis(10));
        }
        sleep(Duration::from_secs(1));
        let report = worker.report().figures;
        assert_eq!(report["waiting"], 300, "{report:?}");
        assert_eq!(report["waiters_ended"], json!({}), "{report:?}");
        assert!(
            report["passers_ended"]["Left"].as_u64() > Some(100),
            "{report:?}"
        );
        let interval = report["status_interval_us"]["p50"].as_u64().unwrap();
        assert!((200_000..400_000).contains(&interval), "{report:?}");
        worker.leave();
        worker.join().unwrap();
        while door.shared.here.load(Ordering::SeqCst) > 0 {
            assert!(Instant::now() < end, "somebody has not said goodbye");
            sleep(Duration::from_millis(10));
        }
        assert_eq!(door.shared.strays.load(Ordering::SeqCst), 0);
    }
}
