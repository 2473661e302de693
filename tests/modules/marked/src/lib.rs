//! A policy that says which file answered: a number in the file's own bytes, which a measurement writes there
//! without a compiler. `module-marked-large` is this file with a megabyte of code beside it.
//!
//! * A name that begins with `who` is rejected with the code `marked` and the number, from 100 to 199.
//! * One that begins with `trap` traps, and one that begins with `loop` never ends.
//! * Everyone else gets a slot of `max-players` and a name of their own.

use std::hint::black_box;

use usher_sdk::prelude::*;

/// Found in the file by its beginning. The eight digits are any; the last two of them are said.
static MARK: [u8; 20] = *b"usher-mark: 00000000";

struct Marked;

impl Policy for Marked {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let name = request.name();
        if name.starts_with("who") {
            return Verdict::reject(Reason::new("marked", "").number(number())).into();
        }
        if name.starts_with("trap") {
            panic!("told to");
        }
        if name.starts_with("loop") {
            loop {
                black_box(());
            }
        }
        let full = Reason::new("server-full", "There is no slot").number(1);
        let taken = Reason::new("name-taken", "The name is taken").number(4);
        let slot = Claim::on(Key::slot()).at_most(request.max_players);
        Verdict::accept()
            .claim(slot.lowest_index().or(full))
            .claim(Claim::on(Key::new("name").part(name)).or(taken))
            .into()
    }

    fn describe() -> Description {
        #[cfg(feature = "large")]
        black_box(large::run(black_box(0)));
        Description::new().name("marked")
    }
}

fn number() -> u32 {
    let digits = black_box(&MARK).iter().rev().take(2);
    let digit = |digit: &u8| u32::from(digit.wrapping_sub(b'0'));
    let mut digits = digits.map(digit);
    let (ones, tens) = (digits.next(), digits.next());
    100 + ones.unwrap_or(0) + 10 * tens.unwrap_or(0)
}

#[cfg(feature = "large")]
mod large {
    include!(concat!(env!("OUT_DIR"), "/large.rs"));
}

usher_sdk::export_policy!(Marked);
