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

mod stand;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use usher_core::*;

use stand::{Stand, queue};

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
    let mut room = Stand::new(18, Binding::None, |ask| queue(18, ask));
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
        let (player, _) = players.remove(0);
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
