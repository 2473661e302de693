//! A policy that fails in the way that the player's name says, and else is like `rtyp`. What comes
//! after the word in the name does not matter, so that every player can have a name of its own.
//!
//! | name begins with | the policy |
//! |---|---|
//! | `panic` | panics with `told to panic by <name>` |
//! | `trap` | traps without a word |
//! | `loophost` | loops for ever through host calls |
//! | `loop` | loops for ever |
//! | `bomb` | allocates without end |
//! | `deep` | recurses without end |
//! | `claims` | accepts with 33 claims, one more than is allowed |
//! | `list` | accepts with 20,000 claims |
//! | `long` | rejects with a text one byte longer than is allowed |
//! | `big` | rejects with a text of 10 MiB |
//! | `spam` | logs 100,000 lines, then accepts |
//! | `shout` | logs one line of 1 MiB, then accepts |
//! | `badutf` | rejects with a text that is not UTF-8 |
//! | `empty` | accepts without an option |
//! | `nocode` | rejects with an empty code |
//! | `nokey` | accepts with a claim on an empty namespace |
//! | `never` | accepts with a claim that never fits: rejected with the code `never` |
//! | `endpanic` | accepts, and panics when told how the request ended |

// A string that is not UTF-8 can't be made otherwise.
#![allow(unsafe_code)]

use std::hint::black_box;

use usher_sdk::Acceptance;
use usher_sdk::prelude::*;

struct Faulty;

impl Policy for Faulty {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let name = request.name();
        let told = |word: &str| name.starts_with(word);

        if told("panic") {
            panic!("told to panic by {name}");
        } else if told("trap") {
            trap();
        } else if told("loophost") {
            loop {
                black_box(clock::now_ms() + u64::from(ledger::taken(&Key::slot())));
            }
        } else if told("loop") {
            loop {
                black_box(());
            }
        } else if told("bomb") {
            let mut hoard = Vec::new();
            loop {
                hoard.push(black_box(vec![1_u8; 1 << 20]));
            }
        } else if told("deep") {
            log::debug(deep(black_box(0)));
        } else if told("claims") {
            return with_claims(name, 33).into();
        } else if told("list") {
            return with_claims(name, 20_000).into();
        } else if told("long") {
            return Verdict::reject(Reason::new("long", "x".repeat(65_537))).into();
        } else if told("big") {
            return Verdict::reject(Reason::new("big", "x".repeat(10 << 20))).into();
        } else if told("spam") {
            for line in 0..100_000 {
                log::info(format_args!("line {line} of {name}"));
            }
        } else if told("shout") {
            log::info("x".repeat(1 << 20));
        } else if told("badutf") {
            // SAFETY: none; what the host makes of such a string is what is tested. Nothing here
            // reads it as text.
            let text = unsafe { String::from_utf8_unchecked(black_box(vec![b'x', 0xFF, 0xC0])) };
            return Verdict::reject(Reason::new("badutf", text)).into();
        } else if told("empty") {
            let mut acceptance = Verdict::accept();
            acceptance.options.clear();
            return acceptance.into();
        } else if told("nocode") {
            return Verdict::reject(Reason::new("", "There is no code")).into();
        } else if told("nokey") {
            return Verdict::accept().claim(Claim::on(Key::new(""))).into();
        } else if told("never") {
            let never = Reason::new("never", "This never fits").number(1);
            return Verdict::accept()
                .claim(Claim::on(Key::slot()).at_most(0).or(never))
                .into();
        }
        seated(name).into()
    }

    fn on_ended(request: &Request, _: &Ending) -> Vec<Command> {
        if request.name().starts_with("endpanic") {
            panic!("told to panic at the end by {}", request.name());
        }
        Vec::new()
    }

    fn describe() -> Description {
        Description::new().name("faulty")
    }
}

/// A slot of four and a name of one's own, as at the `rtyp` door.
fn seated(name: &str) -> Acceptance {
    let full = Reason::new("server-full", "The game already has 4 players").number(1);
    let taken = Reason::new("name-taken", "Another player of the game has this name").number(4);
    Verdict::accept()
        .identity(name)
        .claim(Claim::on(Key::slot()).at_most(4).lowest_index().or(full))
        .claim(Claim::on(Key::new("name").part(name)).or(taken))
}

fn with_claims(name: &str, claims: u32) -> Acceptance {
    (0..claims).fold(Verdict::accept().identity(name), |it, number| {
        it.claim(Claim::on(Key::new("many").part(number.to_string())))
    })
}

/// Uses the stack until there is none. The array and what follows the call keep the compiler from
/// making a loop of it.
#[allow(unconditional_recursion)]
fn deep(depth: u64) -> u64 {
    let frame = black_box([depth; 32]);
    deep(depth + 1) + frame[7]
}

fn trap() -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    std::process::abort();
}

usher_sdk::export_policy!(Faulty);
