//! Those who play: each sends a message every 20 to 50 ms, whatever became of the last one, and measures how
//! long it takes to come back.

use crate::guest::Guest;
use crate::samples::Samples;
use crate::socket::{Batch, Port};
use crate::work::{Phase, Report, Work};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::{Duration, SystemTime};
use usher_wire::raknet::initiator::{Ending, Event};
use usher_wire::raknet::{Budget, Reliability};

/// The first id that is a game's own.
const ID: u8 = 0x87;

/// What a message is long, in bytes: a position, some input.
const LENGTH: usize = 48;

/// A message that did not come back in this time is lost.
const LOST: Duration = Duration::from_secs(3);

/// Later than this by itself, and the generator measures itself.
const LATE: u32 = 2_000;

/// All who play.
pub(crate) struct Players {
    ports: Vec<Port>,
    door: SocketAddrV4,
    players: Vec<Player>,
    random: StdRng,
    batch: Batch,
    buffer: Vec<u8>,
    /// From the moment a message should have been sent to the moment its echo was read.
    round_trip: Samples,
    /// From the moment it was sent to the moment the system had its echo.
    wire: Samples,
    /// From the moment it should have been sent to the moment it was.
    late: Samples,
    lost: u64,
    admission: Samples,
    ended: Vec<String>,
}

struct Player {
    guest: Guest,
    born: Duration,
    inside: bool,
    gone: bool,
    next: Duration,
    number: u32,
    flying: HashMap<u32, Flight>,
}

/// A message that is under way.
#[derive(Clone, Copy)]
struct Flight {
    due: Duration,
    /// Since the Unix epoch, which is what the system counts arrivals in.
    sent: Duration,
}

impl Players {
    /// Players who begin to join now.
    ///
    /// # Errors
    ///
    /// The system has no port to give.
    pub(crate) fn new(
        count: u32,
        door: SocketAddrV4,
        seed: u64,
        now: Duration,
    ) -> io::Result<Players> {
        let mut random = StdRng::seed_from_u64(seed);
        let budget = Budget::default();
        let player = |number: u32| {
            let payload = format!("player-{number}").into_bytes();
            let address = Ipv4Addr::from(u32::from(Ipv4Addr::new(127, 0, 1, 1)) + number);
            Player {
                guest: Guest::new(address, door, random.random(), payload, &budget, now),
                born: now,
                inside: false,
                gone: false,
                next: now,
                number: 0,
                flying: HashMap::new(),
            }
        };
        Ok(Players {
            players: (0..count).map(player).collect(),
            ports: (0..count)
                .map(|_| Port::open())
                .collect::<io::Result<_>>()?,
            door,
            random,
            batch: Batch::new(),
            buffer: Vec::new(),
            round_trip: Samples::default(),
            wire: Samples::default(),
            late: Samples::default(),
            lost: 0,
            admission: Samples::default(),
            ended: Vec::new(),
        })
    }

    fn say(&mut self, place: usize, now: Duration) {
        let player = &mut self.players[place];
        while player.inside && player.next <= now {
            let due = player.next;
            player.next += Duration::from_micros(self.random.random_range(20_000..=50_000));
            let reliability = match player.number % 2 {
                0 => Reliability::ReliableOrdered,
                _ => Reliability::Unreliable,
            };
            let mut message = [0; LENGTH];
            message[0] = ID;
            message[1..5].copy_from_slice(&player.number.to_be_bytes());
            if player
                .guest
                .initiator()
                .send(&message, reliability, 0, now)
                .is_err()
            {
                self.lost += 1;
                continue;
            }
            self.late.add(now.saturating_sub(due));
            let sent = since_epoch();
            player.flying.insert(player.number, Flight { due, sent });
            player.number = player.number.wrapping_add(1);
        }
    }

    fn hear(&mut self, place: usize, at: Option<Duration>, now: Duration) {
        let player = &mut self.players[place];
        while let Some(event) = player.guest.event() {
            match event {
                Event::Accepted { .. } => {
                    player.inside = true;
                    player.next = now;
                    self.admission.add(now.saturating_sub(player.born));
                }
                Event::Message(message) => {
                    let number = message.bytes.get(1..5).and_then(|it| it.try_into().ok());
                    let number = number.map(u32::from_be_bytes);
                    let Some(flight) = number.and_then(|it| player.flying.remove(&it)) else {
                        continue;
                    };
                    self.round_trip.add(now.saturating_sub(flight.due));
                    if let Some(at) = at {
                        self.wire.add(at.saturating_sub(flight.sent));
                    }
                }
                Event::Ended(ending) => {
                    player.inside = false;
                    player.gone = true;
                    if !matches!(ending, Ending::Left) {
                        self.ended.push(format!("{ending:?}"));
                    }
                }
                _ => {}
            }
        }
    }

    fn receive(&mut self, place: usize, now: Duration) {
        let mut batch = std::mem::replace(&mut self.batch, Batch::empty());
        while self.ports[place].receive(&mut batch) {
            for received in batch.datagrams() {
                if received.from == SocketAddr::V4(self.door) {
                    self.players[place].guest.receive(received.bytes, now);
                    self.hear(place, received.at, now);
                }
            }
        }
        self.batch = batch;
    }
}

impl Work for Players {
    fn begin(&mut self, _: Phase, _: Duration) {
        // What is under way was sent under the old load.
        for player in &mut self.players {
            player.flying.clear();
        }
        self.lost = 0;
        for samples in [&mut self.round_trip, &mut self.wire, &mut self.late] {
            *samples = Samples::default();
        }
    }

    fn turn(&mut self, now: Duration, readable: &[bool]) -> Option<Duration> {
        let door = SocketAddr::V4(self.door);
        let mut next = None;
        for (place, readable) in readable.iter().enumerate() {
            if *readable {
                self.receive(place, now);
            }
            self.say(place, now);
            let player = &mut self.players[place];
            player
                .guest
                .turn(&self.ports[place], door, now, &mut self.buffer);
            // What happens by the clock alone, such as a connection that is lost.
            self.hear(place, None, now);
            let player = &mut self.players[place];
            let before = player.flying.len();
            player
                .flying
                .retain(|_, flight| now.saturating_sub(flight.due) < LOST);
            self.lost += (before - player.flying.len()) as u64;
            let due = player.guest.initiator().poll_timeout();
            let due = due.into_iter().chain(player.inside.then_some(player.next));
            next = due.chain(next).min();
        }
        next
    }

    fn settled(&self) -> bool {
        self.players.iter().all(|player| player.inside)
    }

    fn report(&mut self, now: Duration) -> Report {
        let mut report = Report::default();
        let take = |samples: &mut Samples| std::mem::take(samples).spread();
        let (round_trip, wire, late) = (
            take(&mut self.round_trip),
            take(&mut self.wire),
            take(&mut self.late),
        );
        let inside = self.players.iter().filter(|player| player.inside).count();
        // Under way for longer than all but the slowest may be: counted, or the slowest would be left out.
        let overdue = self
            .players
            .iter()
            .flat_map(|player| player.flying.values());
        let overdue = overdue.filter(|it| now.saturating_sub(it.due) > Duration::from_secs(1));
        report.set("lost", self.lost + overdue.count() as u64);
        report.set("inside", inside);
        report.set("round_trip_us", json!(round_trip));
        report.set("wire_us", json!(wire));
        report.set("late_us", json!(late));
        report.set("admission_us", json!(take(&mut self.admission)));
        report.set("ended", std::mem::take(&mut self.ended));
        if let Some(late) = late.filter(|late| late.p99 > LATE) {
            report.behind.push(format!(
                "1 of 100 messages of players was sent {} ms late",
                late.p99 / 1000
            ));
        }
        report
    }

    fn leave(&mut self, now: Duration) {
        for player in &mut self.players {
            player.inside = false;
            player.guest.initiator().leave(b"", now);
        }
    }

    fn is_gone(&self) -> bool {
        self.players.iter().all(|player| player.gone)
    }

    fn ports(&self) -> &[Port] {
        &self.ports
    }
}

fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::Door;
    use crate::work::Worker;
    use std::sync::atomic::Ordering;
    use std::thread::sleep;
    use std::time::Instant;

    /// A generator that waited for the echo before it sent the next message would see one slow one.
    #[test]
    fn a_door_that_stands_still_is_seen_by_all_messages_that_were_due_meanwhile() {
        let door = Door::open();
        let zero = Instant::now();
        let players = Players::new(2, door.address, 1, Duration::ZERO).unwrap();
        let worker = Worker::start("players", players, zero).unwrap();
        let end = zero + Duration::from_secs(30);
        while !worker.settled() {
            assert!(Instant::now() < end, "the players are not let in");
            sleep(Duration::from_millis(10));
        }
        worker.begin(Phase::default());
        sleep(Duration::from_millis(500));
        let quick = worker.report().figures;
        assert!(
            quick["round_trip_us"]["samples"].as_u64() > Some(10),
            "{quick:?}"
        );
        door.shared.stall.store(600, Ordering::SeqCst);
        worker.begin(Phase::default());
        sleep(Duration::from_millis(900));
        let slow = worker.report().figures;
        let spread = &slow["round_trip_us"];
        // Of 600 ms without an answer half the messages take more than 300 ms, and they are most of all.
        assert!(spread["p50"].as_u64() > Some(100_000), "{slow:?}");
        assert!(spread["max"].as_u64() > Some(500_000), "{slow:?}");
        assert_eq!(slow["ended"], json!([]), "{slow:?}");
        worker.leave();
        worker.join().unwrap();
    }
}
