//! A core with peers, policies and rules that the test plays, in virtual time.

use crate::*;
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// The core's surroundings. Outputs are sorted into what each party saw.
pub(super) struct World {
    pub(super) core: Core,
    pub(super) now: Moment,
    last_request: u64,
    rules: u64,
    slots: Vec<SlotInfo>,
    /// Asks that are out, in the order in which they came.
    pub(super) asks: Vec<Ask>,
    /// Status asks that are out.
    pub(super) status_asks: Vec<AskStatus>,
    /// Questions and acts that are out.
    pub(super) lookups: Vec<(RequestId, Question, LookupKind)>,
    /// Acts to be undone.
    pub(super) compensations: Vec<(RequestId, Question)>,
    pub(super) commands: Vec<Command>,
    /// What each request's door was told: `status …`, `refused …`, `accepted …`, `ended …`.
    told: BTreeMap<RequestId, Vec<String>>,
    grants: HashMap<RequestId, Grant>,
    /// What the rules were told.
    heard: Vec<String>,
    /// `on-ended` calls, by request.
    over: BTreeMap<RequestId, Vec<String>>,
    /// Every decision's record.
    pub(super) decided: Vec<Decided>,
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
            compensations: Vec::new(),
            commands: Vec::new(),
            told: BTreeMap::new(),
            grants: HashMap::new(),
            heard: Vec::new(),
            over: BTreeMap::new(),
            decided: Vec::new(),
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

    /// A name for a peer that has not knocked yet.
    pub(super) fn fresh(&mut self) -> RequestId {
        self.last_request += 1;
        RequestId(self.last_request)
    }

    /// Knocks from an address of its own.
    pub(super) fn knock(&mut self) -> RequestId {
        let host = u32::try_from(self.last_request).unwrap() + 0x0a00_0001;
        self.knock_from(IpAddr::V4(Ipv4Addr::from_bits(host)))
    }

    pub(super) fn knock_from(&mut self, ip: IpAddr) -> RequestId {
        let request = self.fresh();
        let peer = SocketAddr::new(ip, 4000);
        self.handle(Input::Knock {
            request,
            door: DoorId(0),
            peer,
            room: "main".into(),
        });
        request
    }

    /// Says what a knocking peer wants: to enter under this name.
    pub(super) fn submit(&mut self, id: RequestId, name: &str) {
        let data = self.data(id, name);
        self.handle(Input::Submit(Arc::new(data)));
    }

    pub(super) fn data(&self, id: RequestId, name: &str) -> RequestData {
        RequestData {
            id,
            door: DoorId(0),
            door_name: "main".into(),
            protocol: "test".into(),
            abilities: Abilities {
                status: true,
                reasons: ReasonAbility::Text,
                longest_wait: None,
            },
            room: "main".into(),
            peer: "192.0.2.1:4000".parse().unwrap(),
            proven: true,
            name: Some(name.into()),
            password: Some(Secret::new("hunter2")),
            args: Vec::new(),
            payload: Arc::from(*b"payload"),
            attributes: Vec::new(),
            one_way: None,
        }
    }

    /// Knocks from an address of its own and asks to enter.
    pub(super) fn arrive(&mut self, name: &str) -> RequestId {
        let id = self.knock();
        self.submit(id, name);
        id
    }

    pub(super) fn arrive_from(&mut self, ip: &str, name: &str) -> RequestId {
        let id = self.knock_from(ip.parse().unwrap());
        self.submit(id, name);
        id
    }

    /// The ask that is out about a request, if there is one.
    pub(super) fn asked(&self, id: RequestId) -> Option<&Ask> {
        self.asks.iter().find(|ask| ask.request.id == id)
    }

    /// Answers the ask that is out about a request.
    #[track_caller]
    pub(super) fn answer(&mut self, id: RequestId, verdict: impl Into<Verdict>) {
        let index = self.asks.iter().position(|ask| ask.request.id == id);
        let ask = self
            .asks
            .remove(index.expect("an ask is out about this request"));
        self.answer_ask(&ask, Ok(verdict.into()));
    }

    /// Lets the ask that is out about a request fault.
    #[track_caller]
    pub(super) fn fault(&mut self, id: RequestId) {
        let index = self.asks.iter().position(|ask| ask.request.id == id);
        let ask = self
            .asks
            .remove(index.expect("an ask is out about this request"));
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
        self.over.get(&id).cloned().unwrap_or_default()
    }

    pub(super) fn bind(&mut self, session: SessionId, endpoint: &str) {
        self.handle(Input::Bind {
            session,
            endpoint: endpoint.parse().unwrap(),
        });
    }

    /// The peer says goodbye.
    pub(super) fn leave(&mut self, request: RequestId) {
        self.handle(Input::Gone {
            request,
            how: Departure::Left,
        });
    }

    /// The peer's connection drops.
    pub(super) fn drop_peer(&mut self, request: RequestId) {
        self.handle(Input::Gone {
            request,
            how: Departure::Dropped,
        });
    }

    pub(super) fn report(&self) -> Report {
        self.core.report(self.now)
    }

    /// The position of each waiter, by an own reading of the queue's order.
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
        assert!(self.core.is_empty(self.now), "left over: {report:?}");
        for (id, lines) in &self.over {
            let mut told: Vec<_> = lines.iter().collect();
            told.dedup();
            assert_eq!(told.len(), 1, "{id} ended in several ways: {lines:?}");
        }
        assert_eq!(self.core.taken_view().taken(&Key::server()), 0);
    }

    fn tell(&mut self, id: RequestId, line: String) {
        self.told.entry(id).or_default().push(line);
    }

    fn drain_outputs(&mut self) {
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Pending { .. } => {}
                Output::Refused {
                    request, reason, ..
                } => {
                    self.tell(request, format!("refused {}", reason.code));
                }
                Output::Status { request, text, .. } => {
                    self.tell(
                        request,
                        format!("status {}", String::from_utf8_lossy(&text)),
                    );
                }
                Output::Accepted { request, grant, .. } => {
                    self.tell(request, format!("accepted {}", grant.session));
                    self.grants.insert(request, grant);
                }
                Output::Bound { .. } => {}
                Output::Probe { session, .. } => {
                    let at = self.seen.get(&session).copied().unwrap_or(self.now);
                    self.core.handle(Input::Seen { session, at }, self.now);
                }
                Output::Ended { request, how, .. } => {
                    self.tell(request, format!("ended {}", how.word()));
                }
                Output::Ask(ask) => self.asks.push(*ask),
                Output::AskStatus(ask) => self.status_asks.push(*ask),
                Output::Over(over) => {
                    let line = match &over.how {
                        Ending::Accepted(session) => format!("accepted {session}"),
                        Ending::Rejected(reason) => format!("rejected {}", reason.code),
                        Ending::Abandoned(why) => format!("abandoned {why:?}"),
                    };
                    assert!(over.request.password.is_none() && over.request.payload.is_empty());
                    self.over.entry(over.request.id).or_default().push(line);
                    self.core.handle(
                        Input::OverAnswer {
                            ask: over.id,
                            commands: Vec::new(),
                        },
                        self.now,
                    );
                }
                Output::Lookup {
                    request,
                    question,
                    kind,
                } => {
                    self.lookups.push((request, question, kind));
                }
                Output::Compensate { request, act } => self.compensations.push((request, act)),
                Output::Joined(player) => self.heard.push(format!("joined {}", player.session)),
                Output::Left { session, how, .. } => {
                    self.heard.push(format!("left {session} {how:?}"));
                }
                Output::Command(command) => self.commands.push(command),
                Output::Decided(decided) => self.decided.push(*decided),
            }
        }
    }
}

/// A claim on `namespace` or `namespace:part`, whose reason's code is `namespace-full`.
pub(super) fn claim(key: &str, limit: u32) -> Claim {
    let (namespace, part) = key.split_once(':').unwrap_or((key, ""));
    let key = if part.is_empty() {
        Key::bare(namespace)
    } else {
        Key::of(namespace, part)
    };
    Claim::new(key, limit, Reason::new(&format!("{namespace}-full"), ""))
}

pub(super) fn accept(claims: impl IntoIterator<Item = Claim>) -> Decision {
    let option = Admission {
        claims: claims.into_iter().collect(),
        ..Admission::default()
    };
    Decision::Accept(Acceptance {
        options: vec![option],
        ..Acceptance::default()
    })
}

/// Accept, or wait in lane `main` with this status.
pub(super) fn accept_or_wait(claims: impl IntoIterator<Item = Claim>, status: &str) -> Decision {
    let option = Admission {
        claims: claims.into_iter().collect(),
        ..Admission::default()
    };
    let mut waiting = waiting([]);
    waiting.status = Some(status.as_bytes().into());
    Decision::Accept(Acceptance {
        options: vec![option],
        otherwise_wait: Some(waiting),
        then: None,
    })
}

pub(super) fn reject(code: &str) -> Decision {
    Decision::Reject(Reason::new(code, ""))
}

/// Waiting in lane `main` for these.
pub(super) fn waiting(claims: impl IntoIterator<Item = Claim>) -> Waiting {
    Waiting {
        lane: "main".into(),
        lane_rank: 0,
        priority: 0,
        status: None,
        identity: None,
        identity_proven: false,
        claims: claims.into_iter().collect(),
    }
}

pub(super) fn wait(claims: impl IntoIterator<Item = Claim>) -> Decision {
    Decision::Wait(waiting(claims))
}

pub(super) fn pass(claims: impl IntoIterator<Item = Claim>) -> Decision {
    Decision::Pass(Passing {
        claims: claims.into_iter().collect(),
        then: None,
    })
}

/// A question without a body.
pub(super) fn question(name: &str) -> Question {
    Question {
        name: name.into(),
        args: Vec::new(),
        body: [].into(),
    }
}
