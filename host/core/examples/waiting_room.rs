//! What a waiting room costs: memory for each who waits, and time for each status, arrival and free seat.
//!
//! `cargo run --release -p usher-core --example waiting_room [WAITERS...]`, by default at 10, 1,000, 10,000
//! and 50,000 who wait. The policy is a stand-in that answers at once, as the shipped `queue` policy would:
//! accept with a seat and a name, or wait. Its answers are made anew each time, as a module's are, and that
//! is part of the figures.
//!
//! * `bytes`: what is kept for each who waits, its request included
//! * `a call`: how many are served by one call for status texts
//! * `come+go`: someone comes, waits and goes; `served`: someone comes, a player goes, the first is let in
//! * `rules`: everyone is decided anew; `shut`: the same, because their room was closed and opened

// A person reads the figures, which are about this process and its time.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![allow(unsafe_code, reason = "an allocator that counts; see SAFETY")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use usher_core::*;

/// Counts what is allocated, with what the system's allocator adds: a word, up to a multiple of 16.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

fn with_overhead(size: usize) -> usize {
    (size + 8).next_multiple_of(16).max(32)
}

// SAFETY: every call goes to the system's allocator as it is; the count is beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(with_overhead(layout.size()), Relaxed);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(with_overhead(layout.size()), Relaxed);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Room {
    core: Core,
    now: Moment,
    last: u64,
    /// What all requests of the door share.
    door: Arc<str>,
    protocol: Arc<str>,
    room: Arc<str>,
    payload: Arc<[u8]>,
    asks: Vec<Ask>,
    status_asks: Vec<AskStatus>,
    statuses: usize,
    calls: usize,
    accepted: Vec<RequestId>,
}

impl Room {
    fn new(seats: u32) -> Room {
        let config = Config {
            max_players: seats,
            max_pending: 1_000_000,
            max_pending_per_address: 0,
            doors: vec![DoorConfig {
                name: "main".into(),
                binding: Binding::None,
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
            seed
        };
        let mut room = Room {
            core: Core::new(config, Box::new(entropy)),
            now: Moment::from_millis(1_700_000_000_000),
            last: 0,
            door: "main".into(),
            protocol: "mafianet".into(),
            room: "main".into(),
            payload: [].into(),
            asks: Vec::new(),
            status_asks: Vec::new(),
            statuses: 0,
            calls: 0,
            accepted: Vec::new(),
        };
        room.rules(1);
        room
    }

    fn rules(&mut self, number: u64) {
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

    fn handle(&mut self, input: Input) {
        self.core.handle(input, self.now);
        self.outputs();
    }

    fn outputs(&mut self) {
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Ask(ask) => self.asks.push(*ask),
                Output::AskStatus(ask) => self.status_asks.push(*ask),
                Output::Status { .. } => self.statuses += 1,
                Output::Accepted { request, .. } => self.accepted.push(request),
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
    fn serve(&mut self) {
        while !self.asks.is_empty() || !self.status_asks.is_empty() {
            for ask in std::mem::take(&mut self.asks) {
                let result = Ok(verdict(&ask).into());
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

    fn arrive(&mut self) -> RequestId {
        self.last += 1;
        let id = RequestId(self.last);
        let host = u32::try_from(self.last % 16_000_000).unwrap_or(0) + 0x0a00_0000;
        let peer = SocketAddr::new(std::net::Ipv4Addr::from_bits(host).into(), 4000);
        let (door, room) = (DoorId(0), self.room.clone());
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
            name: Some(format!("player{}", self.last).into()),
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

    fn leave(&mut self, request: RequestId) {
        let how = Departure::Left;
        self.handle(Input::Gone { request, how });
        self.serve();
    }

    fn advance(&mut self, time: Duration) {
        let end = self.now.after(time);
        while let Some(at) = self.core.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.handle(Input::Tick);
            self.serve();
        }
        self.now = end;
    }
}

fn verdict(ask: &Ask) -> Decision {
    let name = ask.request.name.as_deref().unwrap_or_default();
    let seat = Claim::new(
        Key::server(),
        18,
        Reason::new("server-full", "The server is full."),
    );
    let taken = Reason::new("name-taken", "Someone by that name is playing.");
    let option = Admission {
        identity: Some(name.into()),
        claims: vec![seat, Claim::new(Key::of("name", name), 1, taken)],
        ..Admission::default()
    };
    Decision::Accept(Acceptance {
        options: vec![option],
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

/// How long this process has run on a processor: others may use the machine meanwhile.
fn processor() -> Duration {
    let read = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanos = read.and_then(|it| it.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);

/// Time for each of `times`, in microseconds.
fn timed(times: usize, mut step: impl FnMut()) -> f64 {
    let begin = processor();
    for _ in 0..times {
        step();
    }
    let took = processor().saturating_sub(begin);
    took.as_secs_f64() * 1e6 / times.max(1) as f64
}

fn measure(waiters: usize) {
    let mut room = Room::new(18);
    for _ in 0..18 {
        room.arrive();
    }
    let mut players: Vec<_> = std::mem::take(&mut room.accepted);
    // They come over five seconds, as a server's players do after its restart.
    let before = LIVE.load(Relaxed);
    let gap = Duration::from_secs(5) / u32::try_from(waiters).unwrap_or(u32::MAX);
    let begin = room.now;
    for n in 0..waiters {
        room.arrive();
        let at = begin.after(gap * u32::try_from(n).unwrap_or(u32::MAX));
        let left = at.since(room.now);
        room.advance(left);
    }
    room.advance(Duration::from_secs(10));
    let bytes = (LIVE.load(Relaxed) - before) / waiters;

    (room.statuses, room.calls) = (0, 0);
    let status = timed(1, || room.advance(Duration::from_secs(20)));
    let (statuses, calls) = (room.statuses, room.calls);
    let per_status = status / statuses as f64;

    let churn = timed(2_000, || {
        let id = room.arrive();
        room.leave(id);
    });
    let served = timed(2_000, || {
        room.arrive();
        let player = players.remove(0);
        room.leave(player);
        players.append(&mut room.accepted);
    });
    let rules = timed(3, || {
        let number = room.last + 1;
        room.rules(number);
        room.serve();
    });
    let shut = timed(3, || {
        let key = Key::room("main");
        let reason = Reason::new("closed", "");
        room.handle(Input::Close {
            key: key.clone(),
            reason,
        });
        room.handle(Input::Open { key });
        room.serve();
    });
    println!(
        "{waiters:>8} {bytes:>8} {per_status:>10.2} {:>10.1} {churn:>12.2} {served:>12.2} {:>10.1} {:>10.1}",
        statuses as f64 / calls as f64,
        rules / 1e3,
        shut / 1e3,
    );
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).flat_map(|it| it.parse()).collect();
    let sizes = if sizes.is_empty() {
        vec![10, 1_000, 10_000, 50_000]
    } else {
        sizes
    };
    println!(
        "{:>8} {:>8} {:>10} {:>10} {:>12} {:>12} {:>10} {:>10}",
        "waiters", "bytes", "us/status", "a call", "us/come+go", "us/served", "ms/rules", "ms/shut"
    );
    for size in sizes {
        measure(size);
    }
}
