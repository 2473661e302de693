//! All players: whose turn it is, and what came of it.

use super::enter;
use super::player::{Count, Desk, Player};
use super::wire::{Received, Sending};
use crate::args::{Messages, Target};
use crate::busy::busy;
use crate::events::Events;
use crate::lines::PATIENCE;
use crate::samples::Samples;
use crate::timers::Timers;
use crate::work::Report;
use serde_json::json;
use std::io;
use std::time::{Duration, Instant};

/// How often those who hear nothing are looked at, and how long is waited when nothing is due.
const LOOK: Duration = Duration::from_millis(50);

/// A thread that does something for more than this share of the time has none to spare.
const BUSY: f64 = 0.95;

/// Later than this by itself, in microseconds, and an open loop measures itself.
const LATE: u32 = 1_000;

/// All of them.
pub(super) struct Talk {
    zero: Instant,
    players: Vec<Player>,
    window: u64,
    rate: u32,
    events: Events,
    timers: Timers,
    desk: Desk,
    count: Count,
    late: Samples,
    numbers: Vec<u64>,
    /// Whether those who leave are waited for until they were heard.
    says_goodbye: bool,
}

/// When messages of an open loop are due.
struct Schedule {
    since: Duration,
    given: u64,
}

impl Talk {
    /// All players, inside.
    pub(super) fn enter(load: &Messages, zero: Instant) -> io::Result<Talk> {
        let events = Events::new()?;
        let mut players = Vec::new();
        for (number, (wire, speech)) in (0..).zip(enter::all(load)?) {
            events.while_readable(&wire, number)?;
            players.push(Player::new(wire, speech));
        }
        let mut talk = Talk {
            zero,
            players,
            window: load.window.into(),
            rate: load.rate.unwrap_or(0),
            events,
            timers: Timers::default(),
            desk: Desk {
                sending: Sending::default(),
                received: Received::new(),
                buffer: Vec::new(),
                message: vec![0; load.length as usize],
            },
            count: Count::default(),
            late: Samples::default(),
            numbers: Vec::new(),
            says_goodbye: matches!(load.server, Target::MafiaNet(_)),
        };
        talk.settle("not everyone was let in", |player| player.inside)?;
        Ok(talk)
    }

    /// Goes on until it is so for everyone.
    fn settle(&mut self, failed: &str, is_so: impl Fn(&Player) -> bool) -> io::Result<()> {
        let end = Instant::now() + PATIENCE;
        for place in 0..self.players.len() {
            self.turn(place);
        }
        while !self.players.iter().all(&is_so) {
            if Instant::now() > end {
                return Err(io::Error::other(failed.to_owned()));
            }
            self.listen(LOOK)?;
            self.answer(|_, _| 0);
        }
        Ok(())
    }

    /// Has everyone speak for so long, and says what came of it.
    pub(super) fn run_for(&mut self, lasts: Duration) -> io::Result<Report> {
        let (begun, busy_before) = (self.now(), busy());
        let until = begun + lasts;
        self.count = Count::default();
        self.late = Samples::default();
        for player in &mut self.players {
            player.begin(begun);
        }
        match self.rate {
            0 => self.closed(until)?,
            rate => self.open(until, rate)?,
        }
        let took = self.now() - begun;
        let share = (busy() - busy_before).as_secs_f64() / took.as_secs_f64();
        Ok(self.report(took, share))
    }

    /// Each has a window of messages under way.
    fn closed(&mut self, until: Duration) -> io::Result<()> {
        let mut look = Duration::ZERO;
        while self.now() < until {
            if self.now() >= look {
                look = self.now() + LOOK;
                self.fill_all();
            }
            self.listen(LOOK)?;
            self.answer(|player, window| window.saturating_sub(player.flying));
        }
        Ok(())
    }

    /// Those who have room send more, also those to whom nothing comes.
    fn fill_all(&mut self) {
        let now = self.now();
        for place in 0..self.players.len() {
            let player = &mut self.players[place];
            player.gives_up(now, &mut self.count);
            let more = self.window.saturating_sub(player.flying);
            player.say(more, now, now, &mut self.desk, &mut self.count);
            self.turn(place);
        }
    }

    /// All together send so many a second, one after the other.
    fn open(&mut self, until: Duration, rate: u32) -> io::Result<()> {
        let mut schedule = Schedule {
            since: self.now(),
            given: 0,
        };
        let mut look = self.now() + LOOK;
        loop {
            let now = self.now();
            if now >= until {
                return Ok(());
            }
            let mut due = schedule.due(rate);
            while due <= now {
                let place = (schedule.given % self.players.len() as u64) as usize;
                self.late.add(now - due);
                self.players[place].say(1, due, now, &mut self.desk, &mut self.count);
                self.turn(place);
                schedule.given += 1;
                due = schedule.due(rate);
            }
            if now >= look {
                look = now + LOOK;
                for player in &mut self.players {
                    player.gives_up(now, &mut self.count);
                }
            }
            self.listen(due.saturating_sub(self.now()).min(LOOK))?;
            self.answer(|_, _| 0);
        }
    }

    /// Waits until something comes or is due.
    fn listen(&mut self, within: Duration) -> io::Result<()> {
        self.numbers.clear();
        let due = self.timers.next();
        let due = due.map_or(within, |due| due.saturating_sub(self.now()).min(within));
        self.events.next(due, &mut self.numbers)
    }

    /// Takes what came to whom; each then says as many messages as `more` has it, and sends what is to be sent.
    fn answer(&mut self, more: impl Fn(&Player, u64) -> u64) {
        let now = self.now();
        let numbers = std::mem::take(&mut self.numbers);
        for number in &numbers {
            let place = *number as usize;
            let player = &mut self.players[place];
            player.hear(now, &mut self.desk, &mut self.count);
            let more = more(player, self.window);
            player.say(more, now, now, &mut self.desk, &mut self.count);
            self.turn(place);
        }
        self.numbers = numbers;
        while let Some((place, _)) = self.timers.woken(now) {
            self.turn(place);
        }
    }

    fn turn(&mut self, place: usize) {
        let now = self.now();
        let wake = self.players[place].turn(now, &mut self.desk, &mut self.count);
        if let Some(wake) = wake {
            self.timers.wake(place, wake);
        }
    }

    fn report(&mut self, took: Duration, share: f64) -> Report {
        let mut report = Report::default();
        let count = std::mem::take(&mut self.count);
        let late = std::mem::take(&mut self.late).spread();
        let each_second = count.back as f64 / took.as_secs_f64();
        report.set(
            "messages",
            json!({
                "each_second": each_second,
                "back": count.back,
                "sent": count.sent,
                "lost": count.lost,
                "untaken": count.untaken,
                "ended": count.ended,
                "round_trip_us": count.round_trip.spread(),
                "late_us": late,
            }),
        );
        report.set("busy", share);
        if share > BUSY {
            let busy = share * 100.0;
            report
                .behind
                .push(format!("its thread was busy for {busy:.0} % of the time"));
        }
        if let Some(late) = late.filter(|late| late.p99 > LATE) {
            report
                .behind
                .push(format!("1 of 100 messages was sent {} us late", late.p99));
        }
        report
    }

    /// Everyone leaves.
    pub(super) fn leave(mut self) -> io::Result<()> {
        if !self.says_goodbye {
            return Ok(());
        }
        let now = self.now();
        for player in &mut self.players {
            player.leave(now);
        }
        self.settle("not everyone could leave", |player| player.gone)
    }

    fn now(&self) -> Duration {
        self.zero.elapsed()
    }
}

impl Schedule {
    /// When the next message is due.
    fn due(&self, rate: u32) -> Duration {
        self.since + Duration::from_secs(1).mul_f64(self.given as f64 / f64::from(rate))
    }
}
