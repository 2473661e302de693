//! All lives: who begins when, whose turn it is, and what came of them.

use super::life::{Life, Step};
use super::names::Names;
use super::tally::Tally;
use crate::args::Logins;
use crate::busy::busy;
use crate::events::Events;
use crate::pace::Pace;
use crate::samples::Samples;
use crate::socket::{Batch, Port};
use crate::timers::Timers;
use crate::work::Report;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::{Duration, Instant};
use usher_wire::rtyp::MAX_DATAGRAM;

/// Where they come from, one address each: 127.1.0.1 and the million after it, again and again.
const FIRST: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);
const ADDRESSES: u32 = 1 << 20;

/// The number of the UDP socket; the others are those of lives.
const UDP: u64 = u64::MAX;

/// Between two Connects, as the protocol has it.
const CONNECT_EVERY: Duration = Duration::from_millis(250);

/// After this long a life has failed.
const LONGEST: Duration = Duration::from_secs(20);

/// How long to wait when nothing is due.
const LOOK: Duration = Duration::from_millis(100);

/// Later than this by itself, in microseconds, and the generator measures itself.
const LATE: u32 = 1_000;

/// A thread that does something for more than this share of the time has none to spare.
const BUSY: f64 = 0.95;

/// Fewer than this share of what was asked for, and it was another load.
const ENOUGH: f64 = 0.98;

/// Who begins when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coming {
    /// So many live at any moment.
    AtOnce(u32),
    /// So many begin in a second.
    Rate(u32),
}

/// All of them.
pub(super) struct Lives {
    zero: Instant,
    door: SocketAddrV4,
    udp: Port,
    events: Events,
    places: Vec<Place>,
    free: Vec<usize>,
    by_address: HashMap<Ipv4Addr, usize>,
    timers: Timers,
    born: u32,
    names: Names,
    coming: Coming,
    pace: Pace,
    since: Duration,
    lasted: Option<Duration>,
    good: Tally,
    bad: Tally,
    late: Samples,
    most: usize,
    busy_before: Duration,
    dropped_before: u64,
    batch: Batch,
    numbers: Vec<u64>,
}

/// Where a life is. What is said about the one that was there before is told by its turn.
#[derive(Default)]
struct Place {
    turn: u32,
    life: Option<Life>,
}

impl Lives {
    pub(super) fn new(load: &Logins, zero: Instant) -> io::Result<Lives> {
        let names = Names::new(load)?;
        let (udp, events) = (Port::open()?, Events::new()?);
        events.while_readable(&udp, UDP)?;
        Ok(Lives {
            zero,
            door: load.door,
            udp,
            events,
            places: Vec::new(),
            free: Vec::new(),
            by_address: HashMap::new(),
            timers: Timers::default(),
            born: 0,
            names,
            coming: Coming::Rate(0),
            pace: Pace::new(0, Duration::ZERO),
            since: Duration::ZERO,
            lasted: None,
            good: Tally::default(),
            bad: Tally::default(),
            late: Samples::default(),
            most: 0,
            busy_before: busy(),
            dropped_before: 0,
            batch: Batch::new(),
            numbers: Vec::new(),
        })
    }

    pub(super) fn since_zero(&self) -> Duration {
        self.zero.elapsed()
    }

    /// A phase begins, and figures begin anew.
    pub(super) fn begin(&mut self, coming: Coming) {
        let now = self.since_zero();
        let rate = match coming {
            Coming::Rate(rate) => rate,
            Coming::AtOnce(_) => 0,
        };
        self.pace = Pace::new(rate, now);
        (self.coming, self.since, self.lasted) = (coming, now, None);
        (self.good, self.bad) = (Tally::default(), Tally::default());
        (self.late, self.most) = (Samples::default(), 0);
        self.busy_before = busy();
    }

    /// Has them come and go for so long.
    pub(super) fn run_for(&mut self, time: Duration) -> io::Result<()> {
        let end = self.since + time;
        loop {
            let now = self.since_zero();
            if now >= end {
                return Ok(());
            }
            self.come(now)?;
            let due = self.pace.next().map_or(end, |next| next.min(end));
            self.turn(due)?;
        }
    }

    /// Nobody comes any more. For which share of the phase this thread was busy.
    pub(super) fn pause(&mut self) -> f64 {
        let lasted = self.since_zero().saturating_sub(self.since);
        self.lasted = Some(lasted);
        busy().saturating_sub(self.busy_before).as_secs_f64() / lasted.as_secs_f64()
    }

    /// Waits for the end of those who are under way.
    pub(super) fn drain(&mut self, patience: Duration) -> io::Result<()> {
        let end = self.since_zero() + patience;
        while !self.by_address.is_empty() && self.since_zero() < end {
            self.turn(end)?;
        }
        Ok(())
    }

    /// Those begin who are due.
    fn come(&mut self, now: Duration) -> io::Result<()> {
        match self.coming {
            Coming::AtOnce(at_once) => {
                while self.by_address.len() < at_once as usize {
                    self.one_comes(self.since_zero())?;
                }
            }
            Coming::Rate(_) => {
                let (first, interval) = (self.pace.next(), self.pace.interval());
                let count = self.pace.due(now);
                if let (Some(first), Some(interval)) = (first, interval) {
                    for number in 0..count {
                        self.one_comes(first + interval * number)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn one_comes(&mut self, due: Duration) -> io::Result<()> {
        let number = self.born;
        self.born = self.born.wrapping_add(1);
        let address = Ipv4Addr::from(u32::from(FIRST) + number % ADDRESSES);
        let (name, bad) = self.names.of(number)?;
        let mut life = Life::begin(address, self.door, name, due)?;
        life.bad = bad;
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place::default());
            self.places.len() - 1
        });
        self.late.add(self.since_zero().saturating_sub(due));
        self.tally(bad).came += 1;
        let entry = &mut self.places[place];
        let number = (u64::from(entry.turn) << 32) | place as u64;
        // Before anyone listens: what was said before is told of at once.
        let step = life.look(self.door);
        self.events.when_changed(life.socket(), number)?;
        entry.life = Some(life);
        self.by_address.insert(address, place);
        self.most = self.most.max(self.by_address.len());
        self.timers.wake(place, due + LONGEST);
        self.follow(place, step);
        Ok(())
    }

    /// Looks after those who have something to do, until this moment at most.
    fn turn(&mut self, until: Duration) -> io::Result<()> {
        let timer = self.timers.next().unwrap_or(until);
        let within = until.min(timer).saturating_sub(self.since_zero());
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        self.events.next(within.min(LOOK), &mut numbers)?;
        for number in &numbers {
            match *number {
                UDP => self.receive(),
                life => self.look(life),
            }
        }
        self.numbers = numbers;
        let now = self.since_zero();
        while let Some((place, _)) = self.timers.woken(now) {
            self.wake(place, now);
        }
        Ok(())
    }

    fn look(&mut self, number: u64) {
        // The lower half is the place, as it was put together.
        let (turn, place) = ((number >> 32) as u32, number as u32 as usize);
        if self.places.get(place).is_some_and(|it| it.turn == turn) {
            self.look_at(place);
        }
    }

    fn look_at(&mut self, place: usize) {
        let door = self.door;
        if let Some(life) = &mut self.places[place].life {
            let step = life.look(door);
            self.follow(place, step);
        }
    }

    fn follow(&mut self, place: usize, step: Step) {
        let now = self.since_zero();
        let Some(life) = &self.places[place].life else {
            return;
        };
        let took = now.saturating_sub(life.due);
        let bad = life.bad;
        match step {
            Step::Waits => {}
            Step::Accepted => {
                self.tally(bad).answered(took);
                self.connect(place, now);
            }
            Step::Refused(reason) => {
                self.tally(bad).answered(took);
                self.tally(bad).refused(reason);
                // The end of the connection is told of together with what was said last.
                self.look_at(place);
            }
            Step::Over => {
                let measured = self.lasted.is_none();
                let tally = self.tally(bad);
                tally.over(took);
                tally.ended += u64::from(measured);
                self.forget(place);
            }
            Step::Failed(how) => {
                self.tally(bad).failed(how);
                self.forget(place);
            }
        }
    }

    fn connect(&mut self, place: usize, now: Duration) {
        let Some(life) = &mut self.places[place].life else {
            return;
        };
        let mut buffer = [0; MAX_DATAGRAM];
        let address = life.address;
        if let Some((to, bytes)) = life.connect(&mut buffer) {
            // What the system does not take is as good as lost on its way.
            let _ = self.udp.send(address, to, bytes);
            life.connect_due = now + CONNECT_EVERY;
            self.timers.wake(place, life.connect_due);
        }
    }

    fn receive(&mut self) {
        let mut batch = std::mem::replace(&mut self.batch, Batch::empty());
        while self.udp.receive(&mut batch) {
            let now = self.since_zero();
            for received in batch.datagrams() {
                let place = received.to.and_then(|to| self.by_address.get(&to)).copied();
                let Some(place) = place else { continue };
                let Some(life) = &mut self.places[place].life else {
                    continue;
                };
                if life.receive(received.bytes) {
                    let (bad, took) = (life.bad, now.saturating_sub(life.due));
                    self.tally(bad).accepted(took);
                }
            }
        }
        self.batch = batch;
    }

    fn wake(&mut self, place: usize, now: Duration) {
        let Some(life) = &self.places[place].life else {
            return;
        };
        // Who came here later is woken for those before, too, and has nothing to do.
        if now >= life.due + LONGEST {
            let how = match (life.is_answered(), life.is_binding()) {
                (false, _) => "no answer in time",
                (true, true) => "no endpoint in time",
                (true, false) => "not closed in time",
            };
            self.follow(place, Step::Failed(how));
        } else if life.is_binding() && now >= life.connect_due {
            self.connect(place, now);
        }
    }

    fn forget(&mut self, place: usize) {
        let entry = &mut self.places[place];
        entry.turn = entry.turn.wrapping_add(1);
        if let Some(life) = entry.life.take() {
            self.by_address.remove(&life.address);
            self.free.push(place);
        }
    }

    fn tally(&mut self, bad: bool) -> &mut Tally {
        if bad { &mut self.bad } else { &mut self.good }
    }

    /// What came of the phase.
    pub(super) fn report(&mut self, busy: f64) -> Report {
        let lasted = self.lasted.unwrap_or_default();
        let mut report = Report::default();
        let (good, bad) = (
            std::mem::take(&mut self.good),
            std::mem::take(&mut self.bad),
        );
        let came = (good.came + bad.came) as f64 / lasted.as_secs_f64();
        let mut figures = good.figures(lasted);
        let late = std::mem::take(&mut self.late).spread();
        figures.insert("late_us".to_owned(), json!(late));
        figures.insert("most_at_once".to_owned(), json!(self.most));
        figures.insert("unended".to_owned(), json!(self.by_address.len()));
        figures.insert("generator_busy".to_owned(), json!(busy));
        report.set("logins", Value::Object(figures));
        if self.names.some_are_bad() {
            report.set("bad", Value::Object(bad.figures(lasted)));
        }
        let behind = &mut report.behind;
        if busy > BUSY {
            let percent = busy * 100.0;
            behind.push(format!("its thread was busy {percent:.0} % of the time"));
        }
        if let Coming::Rate(rate) = self.coming {
            if came < f64::from(rate) * ENOUGH {
                behind.push(format!("{came:.0} a second came, not {rate}"));
            }
            if let Some(late) = late.filter(|late| late.p99 > LATE) {
                behind.push(format!("1 of 100 came {} us late", late.p99));
            }
        }
        let dropped = self.udp.dropped();
        let in_phase = dropped.saturating_sub(self.dropped_before);
        self.dropped_before = dropped;
        if in_phase > 0 {
            behind.push(format!("{in_phase} datagrams were dropped unread"));
        }
        report
    }
}
