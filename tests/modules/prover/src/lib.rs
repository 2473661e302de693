//! A policy that takes the payload's word for who someone is, as if it had proven it. Where a protocol has
//! no payload the name stands for it.
//!
//! | payload | the policy |
//! |---|---|
//! | `NAME` | accepts with the proven identity NAME and the config `welcome NAME`; waits in the lane `main` while there is no seat |
//! | `unproven:NAME` | the same, but the identity is not proven |
//! | `wait:NAME` | waits until it is offered a seat |
//! | `stay:NAME` | waits, and declines what it is offered |
//! | `vip:NAME` | as `wait:NAME`, with priority 10 |
//! | `config:N:NAME` | as NAME, with a config of N bytes |
//! | `status:N:NAME` | as `stay:NAME`, with a status of N bytes |
//! | `slow:N:NAME` | as NAME, after N million steps; the `deadline` must allow for them |
//! | `refuse:TEXT` | rejects with the code `refused` and TEXT |
//! | `refuse:` and a number | rejects with a text of so many bytes |
//! | `put:ENTRY` | rejects with the code `put`, and puts ENTRY into the bucket of the param `bucket` (`bans`) for good |
//! | `put:N:ENTRY` | the same, for N ms |
//! | `panic:` | panics |
//! | anything that is no text of 1 to 64 bytes | accepts without an identity, with the config `got N bytes` |
//!
//! How each request ended is a line in the log: `ended ID as HOW`.

use std::hint::black_box;
use usher_sdk::prelude::*;
use usher_sdk::{Acceptance, Waiting};

struct Prover;

impl Policy for Prover {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let name = request.name.as_deref().filter(|name| !name.is_empty());
        let Some(said) = request.payload_text().or(name) else {
            let config = format!("got {} bytes", request.payload.len());
            return Verdict::accept().config(config).into();
        };
        let (word, rest) = said.split_once(':').unwrap_or(("", said));
        let offered = matches!(request.why, Why::Offer | Why::Recheck);
        match (word, number_and_name(rest)) {
            ("refuse", (Some(bytes), "")) => refuse("x".repeat(bytes)),
            ("refuse", _) => refuse(rest.to_owned()),
            ("put", (Some(millis), entry)) if !entry.is_empty() => put(entry, Some(millis as u64)),
            ("put", _) => put(rest, None),
            ("panic", _) => panic!("told to panic"),
            ("unproven", _) => {
                let waiting = lane("main").identity(rest);
                let acceptance = Verdict::accept().identity(rest).config(welcome(rest));
                acceptance.otherwise_wait(waiting).into()
            }
            ("wait" | "vip", _) if offered => accept(rest).into(),
            ("wait" | "stay", _) => lane("main").proven_identity(rest).into(),
            ("vip", _) => lane("main").proven_identity(rest).priority(10).into(),
            ("config", (Some(bytes), name)) => accept(name).config("x".repeat(bytes)).into(),
            ("status", (Some(bytes), name)) => {
                let waiting = Verdict::wait("main").proven_identity(name);
                waiting.status("x".repeat(bytes)).into()
            }
            ("slow", (Some(millions), name)) => {
                let steps = (0..millions as u64 * 1_000_000).fold(0_u64, |sum, step| {
                    black_box(sum.wrapping_mul(31).wrapping_add(step))
                });
                black_box(steps);
                accept(name).into()
            }
            _ => accept(said).into(),
        }
    }

    fn on_waiting(waiter: &Waiter) -> Option<Vec<u8>> {
        let (position, length) = (waiter.position, waiter.lane_length);
        Some(format!("You are {position} of {length} in the queue").into_bytes())
    }

    fn on_ended(request: &Request, how: &Ending) -> Vec<Command> {
        let how = match how {
            Ending::Accepted(_) => "accepted".to_owned(),
            Ending::Rejected(reason) => format!("rejected {}", reason.code),
            Ending::Abandoned(how) => format!("abandoned {how:?}").to_lowercase(),
        };
        log::info(format_args!("ended {} as {how}", request.id));
        Vec::new()
    }

    fn describe() -> Description {
        Description::new().name("prover")
    }
}

fn accept(name: &str) -> Acceptance {
    Verdict::accept()
        .proven_identity(name)
        .display_name(name)
        .config(welcome(name))
        .otherwise_wait(lane("main").proven_identity(name))
}

fn welcome(name: &str) -> String {
    format!("welcome {name}")
}

fn lane(name: &str) -> Waiting {
    Verdict::wait(name).status("You are in the queue")
}

fn refuse(text: String) -> Decided {
    Verdict::reject(Reason::new("refused", text)).into()
}

fn put(entry: &str, lasts: Option<u64>) -> Decided {
    let bucket = params::get("bucket").unwrap_or_else(|| "bans".to_owned());
    let put = Command::put(bucket, entry, lasts);
    Ok(Verdict::reject(Reason::new("put", "It is in")).command(put))
}

/// `N:NAME`, or a number alone.
fn number_and_name(text: &str) -> (Option<usize>, &str) {
    let (number, name) = text.split_once(':').unwrap_or((text, ""));
    (number.parse().ok(), name)
}

usher_sdk::export_policy!(Prover);
