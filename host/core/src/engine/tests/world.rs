//! A core with peers, policies and rules that the test plays, in virtual time.

mod outputs;
mod peers;

pub(super) use super::verdicts::*;
use crate::engine::state::Asked;
use crate::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The core's surroundings. Outputs are sorted into what each party saw.
pub(super) struct World {
    pub(super) core: Core,
    pub(super) now: Moment,
    last_request: u64,
    rules: u64,
    pub(super) slots: Vec<SlotInfo>,
    /// Asks that are out, in the order in which they came.
    pub(super) asks: Vec<Ask>,
    /// Status asks that are out.
    pub(super) status_asks: Vec<AskStatus>,
    /// Questions and acts that are out.
    pub(super) lookups: Vec<(RequestId, Question, LookupKind)>,
    /// Whether each lookup, of those out and of those before, is still wanted.
    pub(super) wanted: Vec<Wanted>,
    /// Acts to be undone.
    pub(super) compensations: Vec<(RequestId, Question)>,
    pub(super) commands: Vec<Command>,
    /// What each request's door was told: `status …`, `refused …`, `accepted …`, `ended …`.
    told: BTreeMap<RequestId, Vec<String>>,
    grants: HashMap<RequestId, Grant>,
    /// Why each was refused.
    pub(super) reasons: HashMap<RequestId, Reason>,
    /// What the rules were told.
    heard: Vec<String>,
    /// Who was asked about each request.
    asked_of: BTreeMap<RequestId, BTreeSet<SlotId>>,
    /// `on-ended` calls, by request.
    over: BTreeMap<RequestId, Vec<(SlotId, String)>>,
    /// What the next policy that hears of an ending wants done.
    pub(super) on_ended: Vec<Command>,
    /// Those who joined, as the rules saw them.
    pub(super) players: HashMap<SessionId, Player>,
    /// Endpoints that doors were told to play from.
    pub(super) bindings: Vec<(SessionId, SocketAddr)>,
    /// The place that a request was told last.
    pub(super) positions: HashMap<RequestId, Option<u32>>,
    /// Every decision's record.
    pub(super) decided: Vec<Decided>,
    /// What came of rechecks.
    pub(super) rechecked: Vec<Rechecked>,
    /// When something was last heard of a session, for probes; `now` where the test says nothing.
    pub(super) seen: HashMap<SessionId, Moment>,
}

impl World {
    /// One door with UDP binding (10 s to bind, 10 s idle), one policy, generous limits.
    pub(super) fn new(change: impl FnOnce(&mut Config)) -> World {
        let mut config = Config {
            max_players: 4,
            max_pending: 100,
            max_pending_per_address: 0,
            doors: vec![DoorConfig {
                name: "main".into(),
                binding: Binding::Token {
                    bind_timeout: Duration::from_secs(10),
                    idle_timeout: Duration::from_secs(10),
                },
                player_number: None,
                connection_timeout: Duration::from_secs(30),
                timeout_text: "".into(),
                full_text: DoorConfig::FULL_TEXT.into(),
                closed_room: None,
            }],
            ..Config::default()
        };
        change(&mut config);
        let mut seed: u64 = 1;
        let entropy = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed ^ (seed >> 33)
        };
        let mut world = World {
            core: Core::new(config, Box::new(entropy)),
            now: Moment::from_millis(1_000_000),
            last_request: 0,
            rules: 0,
            slots: Vec::new(),
            asks: Vec::new(),
            status_asks: Vec::new(),
            lookups: Vec::new(),
            wanted: Vec::new(),
            compensations: Vec::new(),
            commands: Vec::new(),
            told: BTreeMap::new(),
            grants: HashMap::new(),
            reasons: HashMap::new(),
            heard: Vec::new(),
            asked_of: BTreeMap::new(),
            over: BTreeMap::new(),
            on_ended: Vec::new(),
            players: HashMap::new(),
            bindings: Vec::new(),
            positions: HashMap::new(),
            decided: Vec::new(),
            rechecked: Vec::new(),
            seen: HashMap::new(),
        };
        world.policies(&[("only", FailMode::Closed)]);
        world
    }

    /// Puts these policies in place, asked in this order at every door.
    pub(super) fn policies(&mut self, slots: &[(&str, FailMode)]) {
        let slot = |(name, fail): &(&str, FailMode)| SlotInfo {
            name: (*name).into(),
            fail: *fail,
            recheck: false,
            game_rule: false,
        };
        self.slots = slots.iter().map(slot).collect();
        self.reload();
    }

    /// The same policies, as a new snapshot.
    pub(super) fn reload(&mut self) {
        self.rules += 1;
        let chain: Vec<_> = (0..self.slots.len())
            .map(|slot| SlotId(u16::try_from(slot).unwrap()))
            .collect();
        self.handle(Input::Rules(Arc::new(Snapshot {
            number: self.rules,
            slots: self.slots.clone(),
            chains: vec![chain.into(); 4],
            pin: Pin(Arc::new(())),
        })));
    }

    pub(super) fn handle(&mut self, input: Input) {
        self.core.handle(input, self.now);
        self.drain_outputs();
        self.bounds_hold();
    }

    /// What must hold after every step of every test.
    #[track_caller]
    fn bounds_hold(&self) {
        let core = &self.core;
        let report = core.report(self.now);
        assert!(core.ledger.taken(&Key::server()) <= report.max_players);
        assert!(report.max_pending == 0 || report.pending <= report.max_pending);
        let mut out = BTreeSet::new();
        for about in core.asks.values() {
            let whom = match about {
                Asked::Decision(request) => request.to_string(),
                Asked::Recheck(_, session) => format!("session {session}"),
                Asked::Status { .. } | Asked::Over => continue,
            };
            assert!(out.insert(whom.clone()), "two asks are out about {whom}");
        }
    }

    /// Lets time pass, stopping at every timer.
    pub(super) fn advance(&mut self, millis: u64) {
        let end = self.now.after(Duration::from_millis(millis));
        while let Some(at) = self.core.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.handle(Input::Tick);
        }
        self.now = end;
        self.handle(Input::Tick);
    }

    /// The latest ask about a request that nobody has answered, if there is one.
    pub(super) fn asked(&self, id: RequestId) -> Option<&Ask> {
        self.asks.iter().rev().find(|ask| ask.request.id == id)
    }

    /// Why the request's latest ask was made.
    #[track_caller]
    pub(super) fn why(&self, id: RequestId) -> Why {
        self.asked(id)
            .expect("an ask is out about this request")
            .why
    }

    /// Takes the latest ask about a request away, to answer it later or never.
    #[track_caller]
    pub(super) fn take_ask(&mut self, id: RequestId) -> Ask {
        let index = self.asks.iter().rposition(|ask| ask.request.id == id);
        self.asks
            .remove(index.expect("an ask is out about this request"))
    }

    /// Which decision of a request is being made, or was last.
    pub(super) fn attempt(&self, id: RequestId) -> u32 {
        let request = self.core.requests.get(&id);
        request.map_or(0, |request| request.attempt)
    }

    /// Answers the latest ask about a request.
    #[track_caller]
    pub(super) fn answer(&mut self, id: RequestId, verdict: impl Into<Verdict>) {
        let ask = self.take_ask(id);
        self.answer_ask(&ask, Ok(verdict.into()));
    }

    /// Answers every ask, the oldest first, until there are none. A policy that would be asked for ever
    /// is a livelock.
    #[track_caller]
    pub(super) fn serve(&mut self, mut rule: impl FnMut(&Ask) -> Decision) -> usize {
        let mut answered = 0;
        while !self.asks.is_empty() {
            let ask = self.asks.remove(0);
            let decision = rule(&ask);
            self.answer_ask(&ask, Ok(decision.into()));
            answered += 1;
            assert!(answered < 100_000, "asked without end");
        }
        answered
    }

    /// Lets the ask that is out about a request fault.
    #[track_caller]
    pub(super) fn fault(&mut self, id: RequestId) {
        let ask = self.take_ask(id);
        self.answer_ask(
            &ask,
            Err(Fault {
                kind: FaultKind::Trap,
                message: "trapped".into(),
            }),
        );
    }

    pub(super) fn answer_ask(&mut self, ask: &Ask, result: Result<Verdict, Fault>) {
        self.handle(Input::Answer(Answer {
            ask: ask.id,
            generation: 1,
            micros: 5,
            result,
        }));
    }

    /// Whether the request has become a session; panics if not.
    #[track_caller]
    pub(super) fn accepted(&self, id: RequestId) -> SessionId {
        self.grants
            .get(&id)
            .expect("the request was accepted")
            .session
    }

    pub(super) fn grant(&self, id: RequestId) -> Option<&Grant> {
        self.grants.get(&id)
    }

    /// The code that the request was refused with.
    pub(super) fn refused(&self, id: RequestId) -> Option<String> {
        let told = self.told.get(&id)?;
        told.iter()
            .find_map(|line| line.strip_prefix("refused ").map(str::to_owned))
    }

    /// What the request's door was told since last asked.
    pub(super) fn take_told(&mut self, id: RequestId) -> Vec<String> {
        self.told
            .get_mut(&id)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// What the rules were told since last asked.
    pub(super) fn take_rules(&mut self) -> Vec<String> {
        std::mem::take(&mut self.heard)
    }

    /// How policies were told that the request ended, one line a policy.
    pub(super) fn endings(&self, id: RequestId) -> Vec<String> {
        let lines = self.over.get(&id).into_iter().flatten();
        lines.map(|(_, line)| line.clone()).collect()
    }

    pub(super) fn report(&self) -> Report {
        self.core.report(self.now)
    }

    /// The place of a waiter in its lane, from 1.
    pub(super) fn position(&self, id: RequestId) -> Option<u32> {
        self.core.queue.position(id).map(|(position, _)| position)
    }

    /// `knocked`, `deciding` or `waiting`, while the request lives.
    pub(super) fn state(&self, id: RequestId) -> Option<&'static str> {
        self.report()
            .requests
            .iter()
            .find(|request| request.id == id)
            .map(|request| request.state)
    }

    /// Everyone goes; then nothing may be left, and every request must have ended once.
    #[track_caller]
    pub(super) fn close(mut self) {
        for id in 1..=self.last_request {
            self.leave(RequestId(id));
        }
        self.advance(600_000);
        let report = self.report();
        assert!(self.core.is_empty(), "left over: {report:?}");
        assert!(self.core.asks.is_empty(), "an ask was forgotten");
        for (id, asked) in &self.asked_of {
            let told = self.over.get(id).into_iter().flatten();
            let slots: Vec<_> = told.clone().map(|(slot, _)| *slot).collect();
            assert_eq!(
                slots.iter().copied().collect::<BTreeSet<_>>(),
                *asked,
                "who saw {id}"
            );
            assert_eq!(slots.len(), asked.len(), "someone heard of {id} twice");
            let endings: BTreeSet<_> = told.map(|(_, line)| line).collect();
            assert_eq!(endings.len(), 1, "{id} ended in several ways: {endings:?}");
        }
        assert_eq!(self.core.taken_view().taken(&Key::server()), 0);
    }

    fn tell(&mut self, id: RequestId, line: String) {
        self.told.entry(id).or_default().push(line);
    }
}
