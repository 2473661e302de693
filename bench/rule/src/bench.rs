//! The bench: checks that a side decides rightly, then measures it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::figures::{self, Figures, Spread};
use crate::request::{Case, Request, requests};
use crate::verdict::Verdict;

/// How long a side is warmed up.
const WARM_UP: Duration = Duration::from_millis(500);

/// One side of the comparison.
pub trait Side {
    /// The verdict about the request of this index, to be compared.
    fn verdict(&mut self, index: usize) -> Verdict;

    /// Decides about every request once, in order, and says when each decision was there: the times are
    /// in order, and the first is when the first decision began.
    fn batch(&mut self, when: &mut Calls);
}

/// The moments within a batch, noted only where single calls are measured.
#[derive(Debug, Default)]
pub struct Calls {
    single: bool,
    counting: bool,
    moments: Vec<Instant>,
}

impl Calls {
    fn for_batch(cases: usize, single: bool) -> Calls {
        Calls {
            single,
            counting: false,
            moments: Vec::with_capacity(cases + 1),
        }
    }

    /// Has every request decided once, in order, and notes when each decision was there.
    pub fn each<T>(&mut self, cases: &[Case], mut decide: impl FnMut(&Request) -> T) {
        self.mark(false);
        let last = cases.len() - 1;
        for (index, case) in cases.iter().enumerate() {
            drop(black_box(decide(&case.request)));
            self.mark(index == last);
        }
    }

    /// Notes a moment: before the first decision and after each. It costs a reading of the clock, so
    /// that a batch is measured without those in the middle.
    pub fn mark(&mut self, last: bool) {
        if self.counting && self.moments.is_empty() {
            counting_begins();
        } else if self.counting && last {
            counting_ends();
        }
        if self.single || last || self.moments.is_empty() {
            self.moments.push(Instant::now());
        }
    }
}

/// What callgrind begins to count at.
#[inline(never)]
fn counting_begins() {
    black_box(());
}

/// What it is told to stop at.
#[inline(never)]
fn counting_ends() {
    black_box(());
}

/// How a side is measured.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    seconds: Duration,
    /// So many batches are made and nothing is measured: for who counts instructions.
    batches: Option<usize>,
}

impl Options {
    /// From what a command line ends with: `--milliseconds N`, or `--batches N` to make so many batches for
    /// callgrind to count.
    pub fn from_args(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            seconds: Duration::from_secs(2),
            batches: None,
        };
        while let Some(arg) = args.next() {
            let value = args.next().and_then(|value| value.parse::<u32>().ok());
            match (arg.as_str(), value) {
                ("--milliseconds", Some(value)) => {
                    options.seconds = Duration::from_millis(u64::from(value));
                }
                ("--batches", Some(value)) => options.batches = Some(value as usize),
                _ => return Err(format!("{arg} is not --milliseconds N or --batches N")),
            }
        }
        Ok(options)
    }
}

/// Checks a side, measures it and prints a line of JSON. An error says which verdict is wrong.
pub fn run(name: &str, about: &str, options: Options, side: &mut dyn Side) -> Result<(), String> {
    let cases = requests();
    check(&cases, side)?;
    if let Some(batches) = options.batches {
        for _ in 0..batches {
            let mut calls = Calls::for_batch(cases.len(), false);
            calls.counting = true;
            side.batch(&mut calls);
        }
        println!("{{\"side\":\"{name}\",\"decisions\":{}}}", cases.len());
        return Ok(());
    }
    let until = Instant::now() + WARM_UP.min(options.seconds);
    while Instant::now() < until {
        timed(side, false, cases.len());
    }
    let (mut batches, mut singles) = (Vec::new(), Vec::new());
    let until = Instant::now() + options.seconds;
    // The two by turns, so that both meet the same machine.
    while Instant::now() < until {
        let times = timed(side, false, cases.len());
        batches.extend(times);
        singles.extend(timed(side, true, cases.len()));
    }
    let figures = Figures {
        side: name.to_owned(),
        about: about.to_owned(),
        decisions: (batches.len() * cases.len() + singles.len()) as u64,
        batch: Spread::of(batches, cases.len()),
        single: Spread::of(singles, 1),
        cpu: figures::cpu(),
        rss: figures::rss(),
    };
    println!("{}", figures.json());
    Ok(())
}

fn check(cases: &[Case], side: &mut dyn Side) -> Result<(), String> {
    for (index, case) in cases.iter().enumerate() {
        let verdict = side.verdict(index);
        if verdict != case.expected {
            let expected = &case.expected;
            return Err(format!(
                "request {index}: {verdict:?} instead of {expected:?}"
            ));
        }
    }
    Ok(())
}

/// The times between the moments of a batch: of each decision, or of all together.
fn timed(side: &mut dyn Side, single: bool, cases: usize) -> Vec<Duration> {
    let mut calls = Calls::for_batch(cases, single);
    side.batch(&mut calls);
    let pairs = calls.moments.windows(2);
    pairs.map(|pair| pair[1] - pair[0]).collect()
}
