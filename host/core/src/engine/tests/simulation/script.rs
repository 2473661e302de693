//! What happens: one random event a step, and what the core's surroundings make of its outputs.

use super::super::world::reject;
use super::chance::Chance;
use super::check;
use super::stage::{NAMES, Sought, Stage};
use crate::*;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

impl Stage {
    pub(super) fn new(mut chance: Chance) -> Stage {
        let millis = Duration::from_millis;
        let door = |name: &str, binding| DoorConfig {
            name: name.into(),
            binding,
            player_number: Some(PlayerNumber { limit: 4 }),
            connection_timeout: millis(20_000),
            timeout_text: "".into(),
            full_text: DoorConfig::FULL_TEXT.into(),
            closed_room: None,
        };
        let token = Binding::Token {
            bind_timeout: millis(3_000),
            idle_timeout: millis(5_000),
        };
        // In a calm schedule most who play stay, so that the host is full.
        let longest = chance.pick(&[1_000, 20_000]);
        let config = Config {
            max_players: 1 + u32::try_from(chance.below(5)).unwrap(),
            max_pending: chance.pick(&[0, 5, 12, 40]),
            max_pending_per_address: chance.pick(&[0, 1, 3]),
            session_timeout: millis(chance.pick(&[0, 4_000, 15_000])),
            decision_timeout: millis(chance.pick(&[500, 10_000])),
            queue_grace: millis(chance.pick(&[0, 3_000, 60_000])),
            queue_max_wait: millis(30_000),
            reload_batch: chance.pick(&[1, 3, 64]),
            duplicates: chance.pick(&[Duplicates::Refuse, Duplicates::TakeOver]),
            doors: vec![door("bound", token), door("plain", Binding::None)],
            ..Config::default()
        };
        let mut entropy = chance.clone();
        let mut script = Stage {
            core: Core::new(config.clone(), Box::new(move || entropy.bits())),
            config,
            chance,
            now: Moment::from_millis(1_000_000),
            last_request: 0,
            rules: 0,
            asks: Vec::new(),
            old_asks: Vec::new(),
            status_asks: Vec::new(),
            lookups: Vec::new(),
            acts: BTreeMap::new(),
            overs: Vec::new(),
            told_of_recheck: BTreeSet::new(),
            requests: BTreeMap::new(),
            sessions: BTreeMap::new(),
            events: Vec::new(),
            drained: false,
            several: false,
            saw_open: false,
            longest,
        };
        script.reload();
        script
    }

    /// One event, at a moment that is mostly a little later and sometimes a lot or earlier.
    pub(super) fn step(&mut self) {
        let passed = match self.chance.below(20) {
            0..=9 => 0,
            10..=16 => self.chance.below(50),
            17 | 18 => self.chance.below(2_000),
            _ => self.chance.below(self.longest),
        };
        let end = self.now.after(Duration::from_millis(passed));
        while let Some(at) = self.core.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.tick();
        }
        self.now = end;
        match self.chance.below(100) {
            0..=19 => self.arrive(),
            20..=27 => self.go(),
            28..=59 => self.answer(),
            60..=64 => self.texts(),
            65..=72 => self.learn(),
            73..=79 => self.bind(),
            80..=81 => self.kick(),
            82..=83 => self.close_or_open(),
            84..=85 => self.reload(),
            86..=88 => self.answer_late(),
            89 => self.over(),
            90 => self.backwards(),
            91 => self.recheck(),
            _ => self.handle(Input::Tick),
        }
    }

    /// Everyone goes, and time passes until nothing is due.
    pub(super) fn finish(&mut self) {
        if self.chance.one_in(2) {
            self.drained = true;
            self.handle(Input::Drain);
            check::invariants(self);
        }
        for id in self.requests.keys().copied().collect::<Vec<_>>() {
            self.handle(Input::Gone {
                request: id,
                how: Departure::Left,
            });
            check::invariants(self);
        }
        // The host brings every act to its end, however late.
        while !self.lookups.is_empty() {
            self.learn();
        }
        for _ in 0..400 {
            self.now = self.now.after(Duration::from_millis(1_000));
            self.handle(Input::Tick);
        }
        check::everything_ended(self);
    }

    pub(super) fn tail(&self, count: usize) -> String {
        self.events[self.events.len().saturating_sub(count)..].join("\n")
    }

    pub(super) fn handle(&mut self, input: Input) {
        self.events.push(format!("{:?} {input:?}", self.now));
        if self.events.len() > 400 {
            self.events.drain(..200);
        }
        self.core.handle(input, self.now);
        while let Some(output) = self.core.poll_output() {
            self.take(output);
        }
    }

    /// Lets timers fire.
    fn tick(&mut self) {
        self.several = true;
        self.handle(Input::Tick);
        self.several = false;
    }

    fn backwards(&mut self) {
        let earlier = Moment::from_millis(self.now.as_millis() - self.chance.below(5_000));
        self.core.handle(Input::Tick, earlier);
        while let Some(output) = self.core.poll_output() {
            self.take(output);
        }
    }

    fn arrive(&mut self) {
        self.last_request += 1;
        let id = RequestId(self.last_request);
        let door = DoorId(u16::try_from(self.chance.below(2)).unwrap());
        let host = self.chance.below(6) + 1;
        let port = 4000 + u16::try_from(self.last_request % 10_000).unwrap();
        let peer = SocketAddr::new(format!("192.0.2.{host}").parse().unwrap(), port);
        self.requests.entry(id).or_default();
        self.handle(Input::Knock {
            request: id,
            door,
            peer,
            room: "main".into(),
        });
        if !self.chance.one_in(10) {
            self.submit(id, door, peer);
        }
    }

    /// Someone's name; often of one who plays already.
    fn name(&mut self) -> Arc<str> {
        let live = self.live();
        if live.is_empty() || self.chance.one_in(2) {
            return self.chance.pick(&NAMES).into();
        }
        let session = self.chance.pick(&live);
        self.sessions[&session].name.clone()
    }

    fn submit(&mut self, id: RequestId, door: DoorId, peer: SocketAddr) {
        let name = self.name();
        let data = RequestData {
            id,
            door,
            door_name: self.config.doors[usize::from(door.0)].name.clone(),
            protocol: "test".into(),
            abilities: Abilities {
                status: door.0 == 0,
                reasons: ReasonAbility::Code,
                longest_wait: None,
            },
            room: "main".into(),
            peer,
            proven: true,
            name: Some(name),
            password: None,
            args: Vec::new(),
            payload: [].into(),
            attributes: Vec::new(),
            one_way: None,
        };
        self.requests.entry(id).or_default().submitted = true;
        self.handle(Input::Submit(Arc::new(data)));
    }

    fn go(&mut self) {
        if self.last_request == 0 {
            return;
        }
        // Mostly someone who is still there.
        let live: Vec<_> = self
            .requests
            .iter()
            .filter(|(_, seen)| !seen.gone && seen.refused == 0)
            .map(|(id, _)| *id)
            .collect();
        let id = if live.is_empty() || self.chance.one_in(10) {
            RequestId(1 + self.chance.below(self.last_request))
        } else {
            self.chance.pick(&live)
        };
        let how = self.chance.pick(&[
            Departure::Left,
            Departure::Dropped,
            Departure::ProtocolError,
        ]);
        if let Some(seen) = self.requests.get_mut(&id) {
            seen.gone = true;
        }
        self.handle(Input::Gone { request: id, how });
    }

    fn answer(&mut self) {
        if self.asks.is_empty() {
            return;
        }
        let index = self.chance.index(self.asks.len());
        let ask = self.asks.swap_remove(index);
        self.old_asks.push(ask.id);
        let result = if self.chance.one_in(12) {
            Err(Fault {
                kind: FaultKind::Trap,
                message: "trap".into(),
            })
        } else {
            Ok(self.verdict(&ask))
        };
        self.several = result
            .as_ref()
            .is_ok_and(|verdict: &Verdict| !verdict.commands.is_empty());
        self.handle(Input::Answer(Answer {
            ask: ask.id,
            generation: 1,
            micros: 1,
            result,
        }));
        self.several = false;
    }

    fn answer_late(&mut self) {
        if self.old_asks.is_empty() {
            return;
        }
        let ask = self.chance.pick(&self.old_asks);
        let result = Ok(reject("late").into());
        self.handle(Input::Answer(Answer {
            ask,
            generation: 1,
            micros: 1,
            result,
        }));
    }

    fn texts(&mut self) {
        let Some(ask) = self.status_asks.pop() else {
            return;
        };
        let result = if self.chance.one_in(3) {
            Err(Fault {
                kind: FaultKind::Deadline,
                message: "slow".into(),
            })
        } else {
            Ok(ask
                .waiters
                .iter()
                .map(|_| Some(Arc::from(*b"text")))
                .collect())
        };
        self.handle(Input::StatusTexts {
            ask: ask.id,
            result,
        });
    }

    fn learn(&mut self) {
        if self.lookups.is_empty() {
            return;
        }
        // Late, and in any order; what nobody wants any more mostly never.
        let index = self.chance.index(self.lookups.len());
        let Sought {
            request,
            attempt,
            question,
            kind,
            wanted,
        } = self.lookups.swap_remove(index);
        if !wanted.still() && !self.chance.one_in(4) {
            return;
        }
        let answer = match self.chance.below(3) {
            0 => FactAnswer::Found([].into()),
            1 => FactAnswer::Missing,
            _ => FactAnswer::Unavailable("slow".into()),
        };
        if kind == LookupKind::Act && matches!(answer, FactAnswer::Found(_)) {
            self.acts.entry(request).or_default().done += 1;
        }
        self.handle(Input::Fact {
            request,
            attempt,
            question,
            answer,
        });
    }

    fn over(&mut self) {
        if let Some(ask) = self.overs.pop() {
            self.handle(Input::OverAnswer {
                ask,
                commands: Vec::new(),
            });
        }
    }

    pub(super) fn live(&self) -> Vec<SessionId> {
        self.sessions
            .iter()
            .filter(|(_, stay)| stay.ended == 0)
            .map(|(id, _)| *id)
            .collect()
    }

    fn bind(&mut self) {
        let live = self.live();
        if live.is_empty() {
            return;
        }
        let session = self.chance.pick(&live);
        let port = 5000 + u16::try_from(self.chance.below(40)).unwrap();
        let endpoint = SocketAddr::new("192.0.2.9".parse().unwrap(), port);
        self.handle(Input::Bind { session, endpoint });
    }
}
