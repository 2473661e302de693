//! Those who come with join tickets: each with an address and a reservation of its own, and gone again as soon
//! as it is answered. They come when they are due, whatever became of those before.

mod tally;

use crate::guest::Guest;
use crate::pace::Pace;
use crate::samples::Samples;
use crate::socket::{Batch, Port};
use crate::timers::Timers;
use crate::work::{Phase, Report, Work};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::Duration;
use tally::Tally;
use usher_ticket::{
    JoinTicket, Joiner, PlayerId, ProtocolVersion, ReservationId, ReservationTicket,
};
use usher_wire::raknet::Budget;
use usher_wire::raknet::initiator::{Ending, Event};

/// How many sockets they share: each has a buffer of its own in the kernel.
const PORTS: usize = 16;

/// Where they come from: 127.1.0.1 and the addresses after it.
const FIRST: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);

/// How long nobody is looked after, whatever comes: as far as a server in the same town is away.
const REST: Duration = Duration::from_micros(500);

/// All of them.
pub(crate) struct Joiners {
    ports: Vec<Port>,
    door: SocketAddrV4,
    protocol_version: u32,
    /// Those that are not used yet.
    reservations: Vec<ReservationId>,
    members: Vec<Option<Member>>,
    free: Vec<usize>,
    places: HashMap<Ipv4Addr, usize>,
    timers: Timers,
    born: u32,
    unanswered: u32,
    rate: u32,
    pace: Pace,
    tally: Tally,
    /// Of the whole run.
    answers: Samples,
    dropped_before: u64,
    random: StdRng,
    budget: Budget,
    batch: Batch,
    buffer: Vec<u8>,
}

struct Member {
    guest: Guest,
    port: usize,
    /// When it was to come.
    due: Duration,
    answered: bool,
}

impl Joiners {
    /// Nobody yet.
    ///
    /// # Errors
    ///
    /// The system has no port to give.
    pub(crate) fn new(
        door: SocketAddrV4,
        protocol_version: u32,
        reservations: Vec<ReservationId>,
        seed: u64,
    ) -> io::Result<Joiners> {
        Ok(Joiners {
            ports: (0..PORTS)
                .map(|_| Port::open())
                .collect::<io::Result<_>>()?,
            door,
            protocol_version,
            reservations,
            members: Vec::new(),
            free: Vec::new(),
            places: HashMap::new(),
            timers: Timers::default(),
            born: 0,
            unanswered: 0,
            rate: 0,
            pace: Pace::new(0, Duration::ZERO),
            tally: Tally::default(),
            answers: Samples::default(),
            dropped_before: 0,
            random: StdRng::seed_from_u64(seed),
            budget: Budget::default(),
            batch: Batch::new(),
            buffer: Vec::new(),
        })
    }

    fn come(&mut self, due: Duration, now: Duration) {
        let Some(payload) = self.ticket() else { return };
        // There are 16 million addresses, and fewer reservations in any file.
        let address = Ipv4Addr::from(u32::from(FIRST) + self.born);
        self.born += 1;
        let guid = self.random.random();
        let member = Member {
            guest: Guest::new(address, self.door, guid, payload, &self.budget, now),
            port: self.born as usize % PORTS,
            due,
            answered: false,
        };
        let place = self.free.pop().unwrap_or_else(|| {
            self.members.push(None);
            self.members.len() - 1
        });
        self.members[place] = Some(member);
        self.places.insert(address, place);
        self.unanswered += 1;
        self.tally.came(now.saturating_sub(due), self.unanswered);
        self.attend(place, now);
    }

    /// The next one's, as long as there are reservations.
    fn ticket(&mut self) -> Option<Vec<u8>> {
        let reservation_id = self.reservations.pop()?;
        let joiner = Joiner {
            protocol_version: ProtocolVersion::new(self.protocol_version)?,
            player_id: PlayerId::new(format!("load-{}", self.born)).ok()?,
            display_name: None,
        };
        let ticket = ReservationTicket {
            joiner,
            reservation_id,
            ticket_id: None,
            allocation_id: None,
        };
        JoinTicket::Reservation(ticket).encode().ok()
    }

    /// Looks after someone: what is to be sent, what happened.
    fn attend(&mut self, place: usize, now: Duration) {
        let door = SocketAddr::V4(self.door);
        let mut again = true;
        while std::mem::take(&mut again) {
            let Some(member) = self.members[place].as_mut() else {
                return;
            };
            let port = &self.ports[member.port];
            if let Some(wake) = member.guest.turn(port, door, now, &mut self.buffer) {
                self.timers.wake(place, wake);
            }
            while let Some(event) = member.guest.event() {
                match event {
                    Event::Accepted { .. } => {
                        self.tally.accepted();
                        self.answered(place, now);
                        // It has a goodbye to send.
                        again = true;
                        let Some(member) = self.members[place].as_mut() else {
                            return;
                        };
                        member.guest.initiator().leave(b"", now);
                        break;
                    }
                    Event::Ended(ending) => {
                        self.gone(place, &ending, now);
                        return;
                    }
                    _ => {}
                }
            }
        }
    }

    fn answered(&mut self, place: usize, now: Duration) {
        let Some(member) = self.members[place].as_mut() else {
            return;
        };
        member.answered = true;
        self.unanswered -= 1;
        let took = now.saturating_sub(member.due);
        self.tally.answered(took);
        self.answers.add(took);
    }

    fn gone(&mut self, place: usize, ending: &Ending, now: Duration) {
        self.tally.ended(ending);
        if matches!(ending, Ending::Rejected(_)) {
            self.answered(place, now);
        }
        let Some(member) = self.members[place].take() else {
            return;
        };
        self.unanswered -= u32::from(!member.answered);
        self.tally.untaken(member.guest.untaken);
        self.places.remove(&member.guest.address());
        self.free.push(place);
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
}

impl Work for Joiners {
    fn begin(&mut self, phase: Phase, now: Duration) {
        self.rate = phase.arrivals;
        self.pace = Pace::new(phase.arrivals, now);
        // What came after the last report counts in this phase: nobody is left out.
    }

    fn turn(&mut self, now: Duration, readable: &[bool]) -> Option<Duration> {
        self.receive(now, readable);
        let (first, interval) = (self.pace.next(), self.pace.interval());
        let count = self.pace.due(now);
        if let (Some(first), Some(interval)) = (first, interval) {
            for number in 0..count {
                self.come(first + interval * number, now);
            }
        }
        while let Some((place, _)) = self.timers.woken(now) {
            self.attend(place, now);
        }
        let due = [self.pace.next(), self.timers.next()];
        due.into_iter().flatten().min()
    }

    /// Whether everyone has been answered.
    fn settled(&self) -> bool {
        self.places.is_empty()
    }

    fn report(&mut self, now: Duration) -> Report {
        let mut report = Report::default();
        let next = Tally::new(now, self.unanswered);
        let tally = std::mem::replace(&mut self.tally, next);
        tally.report(now, self.rate, &mut report);
        report.set("unanswered", self.unanswered);
        if self.rate == 0 {
            // Nobody comes any more, so there is time for the whole run's.
            let all = std::mem::take(&mut self.answers);
            report.set("all_answers_us", json!(all.spread()));
        }
        let dropped: u64 = self.ports.iter().map(Port::dropped).sum();
        let in_phase = dropped - self.dropped_before.min(dropped);
        self.dropped_before = dropped;
        if in_phase > 0 {
            let behind = format!("{in_phase} datagrams to those who came were dropped unread");
            report.behind.push(behind);
        }
        report
    }

    fn leave(&mut self, now: Duration) {
        self.pace = Pace::new(0, now);
        for member in self.members.iter_mut().flatten() {
            member.guest.initiator().leave(b"", now);
        }
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
    use usher_ticket::TicketId;

    fn wait_until(what: &str, is: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(30);
        while !is() {
            assert!(Instant::now() < end, "never {what}");
            sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn each_comes_when_it_is_due_and_is_gone_once_it_is_answered() {
        let door = Door::open();
        let zero = Instant::now();
        let ids = (0..500).map(|_| ReservationId::new(TicketId::mint().unwrap().expose()).unwrap());
        let joiners = Joiners::new(door.address, 1, ids.collect(), 1).unwrap();
        let worker = Worker::start("joiners", joiners, zero).unwrap();
        let coming = Phase {
            arrivals: 200,
            ..Phase::default()
        };
        worker.begin(coming);
        sleep(Duration::from_secs(1));
        let quick = worker.report().figures;
        assert!(quick["accepted"].as_u64() > Some(150), "{quick:?}");
        assert_eq!(quick["lost"], json!({}), "{quick:?}");
        // Who comes meanwhile waits for as long as the door stands still, and is not a moment later for it.
        door.shared.stall.store(500, Ordering::SeqCst);
        worker.begin(coming);
        sleep(Duration::from_millis(900));
        let slow = worker.report().figures;
        assert!(slow["answer_us"]["p50"].as_u64() > Some(50_000), "{slow:?}");
        assert!(slow["late_us"]["p50"].as_u64() < Some(50_000), "{slow:?}");
        worker.begin(Phase::default());
        sleep(Duration::from_millis(20));
        wait_until("answered", || worker.settled());
        let all = worker.report().figures;
        let spread = &all["all_answers_us"];
        assert!(spread["samples"].as_u64() > Some(300), "{all:?}");
        assert!(spread["max"].as_u64() > Some(400_000), "{all:?}");
        assert_eq!(all["unanswered"], 0);
        let sum = |key: &str| -> u64 {
            let phases = [&quick, &slow, &all].into_iter();
            phases.filter_map(|figures| figures[key].as_u64()).sum()
        };
        assert_eq!(sum("came"), sum("accepted"), "everyone counts once");
        worker.leave();
        worker.join().unwrap();
        wait_until("empty", || door.shared.here.load(Ordering::SeqCst) == 0);
    }
}
