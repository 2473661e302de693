//! What an operation costs the core at few and at many sessions, waiters and keys of its ledger.
//!
//! `cargo run --release -p usher-core --example scale [-- [--rounds N] [--only NAME] [SIZE...]]`, by default at
//! 10, 100, 1,000, 10,000 and 50,000. One line of JSON for each operation, size and round. All sizes are in
//! memory at once and have their turns in every round, so that they meet the same machine.
//!
//! A figure is the median over many short batches: what else runs on the machine interrupts few of them.
//!
//! * `life`: someone comes, is let in, binds an endpoint, and one of all who play leaves
//! * `refused`: someone comes by the name of one who plays, and is refused
//! * `seen`: a session that may have gone silent is heard of
//! * `spent`: someone comes with a ticket and goes; so many tickets are spent and not forgotten yet
//! * `looked-up`: a policy asks how many units of a key are taken
//! * `waits`: someone comes, waits behind all others and goes
//! * `served`: a player leaves and the first who waits is let in, while another comes to wait
//! * `status`: a status of one who waits

// A person or a program reads the figures, which are about this process and its time.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]

mod stand;

use std::hint::black_box;
use std::time::{Duration, Instant};
use usher_core::*;

use stand::{Stand, queue, seat_and_name};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 50_000];
/// Seats of those who wait for one.
const SEATS: u32 = 18;
/// What the names of those who come with a ticket begin with; the milliseconds that it stays spent follow.
const TICKET: &str = "ticket-";
/// More than anyone needs.
const PLENTY: u32 = 1_000_000;

/// An operation, and the stand that it is measured on.
struct Operation {
    name: &'static str,
    /// How many are timed together: enough that reading the clock does not count.
    batch: usize,
    batches: usize,
    run: fn(&mut Place),
    /// Whether it needs names at hand.
    by_name: bool,
}

const OPERATIONS: [Operation; 8] = [
    operation("life", 20, 200, |place| place.life()),
    operation("refused", 20, 200, |place| place.refused()),
    operation("seen", 50, 200, |place| place.seen()),
    operation("spent", 20, 200, |place| place.spent()),
    Operation {
        by_name: true,
        ..operation("looked-up", 200, 200, |place| place.looked_up())
    },
    operation("waits", 20, 200, |place| place.waits()),
    operation("served", 20, 200, |place| place.served()),
    // A turn is a status of everyone.
    operation("status", 1, 20, |place| place.status()),
];

const fn operation(
    name: &'static str,
    batch: usize,
    batches: usize,
    run: fn(&mut Place),
) -> Operation {
    Operation {
        name,
        batch,
        batches,
        run,
        by_name: false,
    }
}

/// A core in which so many play, and one in which so many wait.
struct Place {
    size: usize,
    playing: Stand,
    view: TakenView,
    waiting: Stand,
    players: Vec<(RequestId, SessionId)>,
    /// By which number those who play are named.
    names: Vec<u64>,
    /// Names that are looked up in the next batch, as a policy has them at hand from the request.
    at_hand: Vec<String>,
    chance: u64,
    /// How many operations the last call of one was.
    operations: usize,
}

impl Place {
    fn new(size: usize) -> Place {
        // Longer than this runs: what is due is what an operation has due.
        let hour = Duration::from_secs(3_600);
        let binding = Binding::Token {
            bind_timeout: hour,
            idle_timeout: hour,
        };
        let playing = Stand::new(PLENTY, binding, play);
        let mut place = Place {
            size,
            view: playing.core.taken_view(),
            playing,
            waiting: Stand::new(SEATS, Binding::None, |ask| queue(SEATS, ask)),
            players: Vec::new(),
            names: Vec::new(),
            at_hand: Vec::new(),
            chance: 1,
            operations: 1,
        };
        for _ in 0..size {
            place.enter();
            // Their timers are not all due at one moment.
            place.playing.now = place.playing.now.after(Duration::from_micros(500));
        }
        for life in 0..size {
            place.spend(life);
        }
        for _ in 0..SEATS as usize + size {
            place.waiting.arrive();
            place.waiting.advance(Duration::from_millis(1));
        }
        place.players = std::mem::take(&mut place.waiting.accepted);
        place
    }

    /// A number below the size, as if drawn.
    fn any(&mut self) -> usize {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        usize::try_from(self.chance % self.size as u64).unwrap_or(0)
    }

    /// Someone comes and plays.
    fn enter(&mut self) {
        let number = self.playing.last;
        self.playing.arrive_as(&name(number));
        let (_, session) = *self.playing.accepted.last().expect("there is room");
        let endpoint = self.playing.endpoint();
        self.playing.handle(Input::Bind { session, endpoint });
        self.names.push(number);
    }

    fn life(&mut self) {
        self.enter();
        let at = self.any();
        let (request, _) = self.playing.accepted.swap_remove(at);
        self.names.swap_remove(at);
        self.playing.leave(request);
    }

    fn refused(&mut self) {
        let at = self.any();
        let before = self.playing.refused;
        self.playing.arrive_as(&name(self.names[at]));
        assert_eq!(self.playing.refused, before + 1);
    }

    fn seen(&mut self) {
        let at = self.any();
        let (_, session) = self.playing.accepted[at];
        let now = self.playing.now;
        self.playing.handle(Input::Seen { session, at: now });
    }

    fn spent(&mut self) {
        self.spend(self.size);
        // The oldest is forgotten.
        self.playing.now = self.playing.now.after(Duration::from_millis(1));
        self.playing.handle(Input::Tick);
    }

    /// Someone comes with a ticket that stays spent for so many milliseconds, and goes.
    fn spend(&mut self, life: usize) {
        let ticket = format!("{TICKET}{life}-{}", self.playing.last);
        self.playing.arrive_as(&ticket);
        let (request, _) = self.playing.accepted.pop().expect("there is room");
        self.playing.leave(request);
    }

    fn looked_up(&mut self) {
        let name = self
            .at_hand
            .pop()
            .expect("there is one for each of a batch");
        // The key is made for each look, as it is for a policy.
        let key = Key::of("name", &name);
        assert_eq!(black_box(self.view.taken(&key)), 1);
    }

    fn waits(&mut self) {
        let request = self.waiting.arrive();
        self.waiting.leave(request);
    }

    fn served(&mut self) {
        self.waiting.arrive();
        let at = self.any() % self.players.len();
        let (player, _) = self.players.swap_remove(at);
        self.waiting.leave(player);
        self.players.append(&mut self.waiting.accepted);
    }

    fn status(&mut self) {
        let before = self.waiting.statuses;
        self.waiting.advance(Duration::from_secs(5));
        self.operations = self.waiting.statuses - before;
    }

    /// Nanoseconds for each of an operation. Never inlined, so that callgrind can be told to count here alone:
    /// `--toggle-collect='*::measure'`.
    #[inline(never)]
    fn measure(&mut self, operation: &Operation) -> f64 {
        let mut figures: Vec<f64> = Vec::new();
        for _ in 0..operation.batches {
            self.operations = 1;
            if operation.by_name {
                for _ in 0..operation.batch {
                    let at = self.any();
                    self.at_hand.push(name(self.names[at]));
                }
            }
            let begun = Instant::now();
            for _ in 0..operation.batch {
                (operation.run)(self);
            }
            let took = begun.elapsed().as_secs_f64() * 1e9;
            figures.push(took / (operation.batch * self.operations.max(1)) as f64);
        }
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    }
}

/// The name of the one of this number.
fn name(number: u64) -> String {
    format!("player{number}")
}

/// Accept with a seat and a name, and a ticket where the name is one.
fn play(ask: &Ask) -> Decision {
    let name = ask.request.name.as_deref().unwrap_or_default();
    let mut option = seat_and_name(PLENTY, name);
    if let Some((life, _)) = name
        .strip_prefix(TICKET)
        .and_then(|ticket| ticket.split_once('-'))
    {
        let key = Key::new("ticket", [Part::Secret(Digest::of(name))]);
        let spent = Reason::new("ticket-spent", "This ticket was used already.");
        let life = Duration::from_millis(life.parse().expect("a number was put there"));
        let until = Until::Time(ask.now.after(life));
        option.claims.push(Claim::new(key, 1, spent).until(until));
    }
    Decision::Accept(Acceptance {
        options: vec![option],
        otherwise_wait: None,
        then: None,
    })
}

fn main() {
    let (mut rounds, mut only, mut sizes) = (5, None, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match &*arg {
            "--rounds" => rounds = args.next().and_then(|it| it.parse().ok()).unwrap_or(rounds),
            "--only" => only = args.next(),
            size => match size.parse() {
                Ok(size) if size > 0 => sizes.push(size),
                _ => {
                    eprintln!("not a size: {size}");
                    std::process::exit(2);
                }
            },
        }
    }
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    let mut places: Vec<_> = sizes.into_iter().map(Place::new).collect();
    for round in 0..rounds {
        for operation in &OPERATIONS {
            if only.as_deref().is_some_and(|only| only != operation.name) {
                continue;
            }
            for place in &mut places {
                let nanoseconds = place.measure(operation);
                println!(
                    r#"{{"operation":"{}","size":{},"round":{round},"nanoseconds":{nanoseconds:.1}}}"#,
                    operation.name, place.size
                );
            }
        }
    }
}
