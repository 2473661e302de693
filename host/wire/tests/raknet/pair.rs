//! Random exchanges between two connections, by the operations of the fuzz target.

use std::panic;
use std::time::{Duration, Instant};

use usher_wire::fuzzing::raknet_pair;

/// splitmix64: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }
}

/// An exchange of up to some thousand operations, with a taste of its own: more or less loss, sending, waiting.
fn exchange(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut input: Vec<u8> = (0..4).map(|_| random.next() as u8).collect();
    let favourites: Vec<u8> = (0..1 + random.below(12))
        .map(|_| random.next() as u8)
        .collect();
    let most = 16 << random.below(9);
    for _ in 0..random.below(most) {
        let any = random.next() as u8;
        let operation = if random.below(4) == 0 {
            any
        } else {
            // An operation that is liked here, on either side.
            favourites[random.below(favourites.len())] & 0xfe | any & 1
        };
        input.push(operation);
        input.push(random.next() as u8);
        if random.below(2) == 0 {
            input.push(random.next() as u8);
        }
    }
    input
}

/// Runs seeds from this one on for so long, and names one that fails.
fn run(first: u64, time: Duration) -> u64 {
    let end = Instant::now() + time;
    let mut seed = first;
    while Instant::now() < end {
        let input = exchange(seed);
        if let Err(cause) = panic::catch_unwind(|| raknet_pair(&input)) {
            eprintln!("seed {seed}");
            panic::resume_unwind(cause);
        }
        seed += 1;
    }
    seed - first
}

#[test]
fn random_exchanges_lose_and_double_nothing() {
    for seed in 0..400 {
        if let Err(cause) = panic::catch_unwind(|| raknet_pair(&exchange(seed))) {
            eprintln!("seed {seed}");
            panic::resume_unwind(cause);
        }
    }
}

/// `cargo test -p usher-wire --test raknet_pair -- --ignored --nocapture`
#[test]
#[ignore = "for as long as USHER_FUZZ_SECONDS says, 60 by default, on new seeds each time"]
fn random_exchanges_for_minutes() {
    let seconds = std::env::var("USHER_FUZZ_SECONDS")
        .map_or(60, |text| text.parse().expect("a number of seconds"));
    let first = std::time::UNIX_EPOCH
        .elapsed()
        .expect("a clock after 1970")
        .as_nanos() as u64;
    let seeds = run(first, Duration::from_secs(seconds));
    println!("{seeds} exchanges from seed {first}");
}
