//! A core with one door, and stand-ins for what is around it: a policy that answers at once, as the shipped
//! `queue` policy would, and a clock that stands still until it is told otherwise.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use usher_core::*;

/// A core, and what it has said.
pub(crate) struct Stand {
    pub(crate) core: Core,
    pub(crate) now: Moment,
    /// The number of the last request.
    pub(crate) last: u64,
    /// How many status texts went out, and in how many calls they were asked for.
    pub(crate) statuses: usize,
    pub(crate) calls: usize,
    /// Who was let in and has not been taken out of here.
    pub(crate) accepted: Vec<(RequestId, SessionId)>,
    /// How many were refused.
    pub(crate) refused: usize,
    /// Sessions that the door was asked about.
    pub(crate) probed: Vec<SessionId>,
    /// What all requests of the door share.
    door: Arc<str>,
    protocol: Arc<str>,
    room: Arc<str>,
    payload: Arc<[u8]>,
    asks: Vec<Ask>,
    status_asks: Vec<AskStatus>,
    policy: fn(&Ask) -> Decision,
}

impl Stand {
    /// A core with so many seats, whose door binds like this.
    pub(crate) fn new(seats: u32, binding: Binding, policy: fn(&Ask) -> Decision) -> Stand {
        let config = Config {
            max_players: seats,
            max_pending: 1_000_000,
            max_pending_per_address: 0,
            doors: vec![DoorConfig {
                name: "main".into(),
                binding,
                player_number: None,
                connection_timeout: Duration::from_secs(10),
                timeout_text: "".into(),
                full_text: DoorConfig::FULL_TEXT.into(),
                closed_room: None,
            }],
            ..Config::default()
        };
        let mut seed = 1_u64;
        let entropy = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed >> 16
        };
        let mut stand = Stand {
            core: Core::new(config, Box::new(entropy)),
            now: Moment::from_millis(1_700_000_000_000),
            last: 0,
            statuses: 0,
            calls: 0,
            accepted: Vec::new(),
            refused: 0,
            probed: Vec::new(),
            door: "main".into(),
            protocol: "mafianet".into(),
            room: "main".into(),
            payload: [].into(),
            asks: Vec::new(),
            status_asks: Vec::new(),
            policy,
        };
        stand.rules(1);
        stand
    }

    /// The rules change.
    pub(crate) fn rules(&mut self, number: u64) {
        self.handle(Input::Rules(Arc::new(Snapshot {
            number,
            slots: vec![SlotInfo {
                name: "queue".into(),
                fail: FailMode::Closed,
                recheck: false,
                game_rule: false,
            }],
            chains: vec![[SlotId(0)].into()],
            pin: Pin(Arc::new(())),
        })));
    }

    /// Hands an event in, and carries out what comes of it.
    pub(crate) fn handle(&mut self, input: Input) {
        self.core.handle(input, self.now);
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Ask(ask) => self.asks.push(*ask),
                Output::AskStatus(ask) => self.status_asks.push(*ask),
                Output::Status { .. } => self.statuses += 1,
                Output::Accepted { request, grant, .. } => {
                    self.accepted.push((request, grant.session));
                }
                Output::Refused { .. } => self.refused += 1,
                Output::Probe { session, .. } => self.probed.push(session),
                Output::Over(over) => {
                    let commands = Vec::new();
                    let ask = over.id;
                    self.core
                        .handle(Input::OverAnswer { ask, commands }, self.now);
                }
                _ => {}
            }
        }
    }

    /// Lets policies answer until nothing is asked.
    pub(crate) fn serve(&mut self) {
        while !self.asks.is_empty() || !self.status_asks.is_empty() {
            for ask in std::mem::take(&mut self.asks) {
                let result = Ok((self.policy)(&ask).into());
                self.handle(Input::Answer(Answer {
                    ask: ask.id,
                    generation: 1,
                    micros: 1,
                    result,
                }));
            }
            for ask in std::mem::take(&mut self.status_asks) {
                self.calls += 1;
                let text = |waiter: &Waiter| {
                    let text = format!(
                        "You are {} of {} in the queue",
                        waiter.position, waiter.lane_length
                    );
                    Some(Arc::from(text.into_bytes()))
                };
                let result = Ok(ask.waiters.iter().map(text).collect());
                self.handle(Input::StatusTexts {
                    ask: ask.id,
                    result,
                });
            }
        }
    }

    /// Someone comes, by a name of their own.
    pub(crate) fn arrive(&mut self) -> RequestId {
        let name = format!("player{}", self.last + 1);
        self.arrive_as(&name)
    }

    /// Someone comes.
    pub(crate) fn arrive_as(&mut self, name: &str) -> RequestId {
        self.last += 1;
        let id = RequestId(self.last);
        let (door, room, peer) = (DoorId(0), self.room.clone(), self.endpoint());
        self.handle(Input::Knock {
            request: id,
            door,
            peer,
            room,
        });
        let data = RequestData {
            id,
            door,
            door_name: self.door.clone(),
            protocol: self.protocol.clone(),
            abilities: Abilities {
                status: true,
                reasons: ReasonAbility::Text,
                longest_wait: None,
            },
            room: self.room.clone(),
            peer,
            proven: true,
            name: Some(name.into()),
            password: None,
            args: Vec::new(),
            payload: self.payload.clone(),
            attributes: Vec::new(),
            one_way: None,
        };
        self.handle(Input::Submit(Arc::new(data)));
        self.serve();
        id
    }

    /// The endpoint of who came last.
    pub(crate) fn endpoint(&self) -> SocketAddr {
        let host = u32::try_from(self.last % 16_000_000).unwrap_or(0) + 0x0a00_0000;
        SocketAddr::new(std::net::Ipv4Addr::from_bits(host).into(), 4000)
    }

    /// A peer goes.
    pub(crate) fn leave(&mut self, request: RequestId) {
        let how = Departure::Left;
        self.handle(Input::Gone { request, how });
        self.serve();
    }

    /// Time passes.
    pub(crate) fn advance(&mut self, time: Duration) {
        let end = self.now.after(time);
        while let Some(at) = self.core.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.handle(Input::Tick);
            self.serve();
        }
        self.now = end;
    }
}

/// A seat of so many and a name.
pub(crate) fn seat_and_name(seats: u32, name: &str) -> Admission {
    let full = Reason::new("server-full", "The server is full.");
    let taken = Reason::new("name-taken", "Someone by that name is playing.");
    Admission {
        identity: Some(name.into()),
        claims: vec![
            Claim::new(Key::server(), seats, full),
            Claim::new(Key::of("name", name), 1, taken),
        ],
        ..Admission::default()
    }
}

/// Accept with a seat of so many and a name, or wait.
pub(crate) fn queue(seats: u32, ask: &Ask) -> Decision {
    let name = ask.request.name.as_deref().unwrap_or_default();
    Decision::Accept(Acceptance {
        options: vec![seat_and_name(seats, name)],
        otherwise_wait: Some(Waiting {
            lane: "main".into(),
            lane_rank: 0,
            priority: 0,
            status: Some(Arc::from(*b"You are in the queue")),
            identity: Some(name.into()),
            identity_proven: false,
            claims: Vec::new(),
        }),
        then: None,
    })
}
