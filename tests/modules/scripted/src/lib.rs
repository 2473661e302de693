//! A policy that does what the payload of a request says, or its password where there is no payload: a
//! word, and what follows a colon.
//!
//! | payload | the policy |
//! |---|---|
//! | nothing, or none of these | accepts |
//! | `accept:TEXT` | accepts with the config TEXT |
//! | `config:N` | accepts with a config of N bytes, which count up |
//! | `bytes:N:…` | accepts if the payload has N bytes and those after the second colon count up |
//! | `reject:TEXT` | rejects with TEXT |
//! | `reason:N` | rejects with a text of N bytes |
//! | `wait:TEXT` | waits for ever, told TEXT |
//! | `status:N` | waits for ever, told a text of N bytes |
//! | `queue` | accepts if there is a seat, and else waits in the lane `main` for one |
//! | `name:NAME` | as `queue`, with the identity NAME, proven |
//! | `keeper` | accepts, and holds the one unit of `gate` as long as the session lasts |
//! | `gate:…` | waits for the unit of `gate`, and then does what follows |
//! | `seen` | accepts; the config is what the policy sees of the request |
//! | `slow` | never comes to a decision |
//! | `trap` | panics |
//!
//! Each time that it is asked, and of each ending, there is a line in the log: `asked PORT`,
//! `ended PORT HOW`.

use std::hint::black_box;

use usher_sdk::prelude::*;
use usher_sdk::{Abandonment, ReasonAbility, StatusAbility};

struct Scripted;

impl Policy for Scripted {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        log::info(format_args!("asked {}", request.peer.port));
        let head = &request.payload[..request.payload.len().min(4096)];
        match (head, request.password()) {
            ([], Some(password)) => act(request, password),
            _ => act(request, &String::from_utf8_lossy(head)),
        }
    }

    fn on_waiting(waiter: &Waiter) -> Option<Vec<u8>> {
        let (position, length) = (waiter.position, waiter.lane_length);
        let counted = waiter.lane.as_deref() == Some("main");
        counted.then(|| format!("You are {position} of {length} in the queue").into_bytes())
    }

    fn on_ended(request: &Request, how: &Ending) -> Vec<Command> {
        let how = match how {
            Ending::Accepted(_) => "accepted".to_owned(),
            Ending::Rejected(reason) => format!("rejected {}", reason.code),
            Ending::Abandoned(Abandonment::Cancelled) => "abandoned cancelled".to_owned(),
            Ending::Abandoned(Abandonment::Dropped) => "abandoned dropped".to_owned(),
            Ending::Abandoned(Abandonment::TimedOut) => "abandoned timed-out".to_owned(),
        };
        log::info(format_args!("ended {} {how}", request.peer.port));
        Vec::new()
    }

    fn describe() -> Description {
        Description::new().name("scripted")
    }
}

fn act(request: &Request, script: &str) -> Decided {
    let (word, rest) = script.split_once(':').unwrap_or((script, ""));
    match word {
        "" => Verdict::accept().into(),
        "accept" => Verdict::accept().config(rest).into(),
        "config" => Verdict::accept().config(counting(number(rest))).into(),
        "bytes" => whole(request, rest),
        "reject" => Verdict::reject(Reason::new("told-to", rest)).into(),
        "reason" => Verdict::reject(Reason::new("told-to", "r".repeat(number(rest)))).into(),
        "wait" => Verdict::wait("told").status(rest).claim(never()).into(),
        "status" => {
            let text = vec![b's'; number(rest)];
            Verdict::wait("told").status(text).claim(never()).into()
        }
        "queue" => queued(request, None),
        "name" => queued(request, Some(rest)),
        "keeper" => Verdict::accept().claim(gate()).into(),
        "gate" if request.why == Why::Offer => act(request, rest),
        "gate" => Verdict::wait("gate").status("wait").claim(gate()).into(),
        "seen" => Verdict::accept().config(seen(request)).into(),
        "slow" => loop {
            black_box(());
        },
        "trap" => panic!("told to panic"),
        // Whatever the host tries a module with before it serves.
        _ => Verdict::accept().into(),
    }
}

/// A seat, or a place in the queue for one.
fn queued(request: &Request, name: Option<&str>) -> Decided {
    let full = Reason::new("server-full", "The server is full");
    let seat = Claim::on(Key::server())
        .at_most(request.max_players)
        .or(full);
    let (acceptance, waiting) = (Verdict::accept().claim(seat), Verdict::wait("main"));
    let status = match request.progress().position {
        Some(position) => format!("You are {position}"),
        None => "You are in the queue".to_owned(),
    };
    let waiting = waiting.status(status);
    match name {
        None => acceptance.otherwise_wait(waiting).into(),
        Some(name) => acceptance
            .proven_identity(name)
            .otherwise_wait(waiting.proven_identity(name))
            .into(),
    }
}

/// What the request says and what the host says of it, a line each.
fn seen(request: &Request) -> String {
    let password = request.password().unwrap_or("-");
    let payload = request.payload.len();
    let origin = request.text_attribute("peer.origin");
    let origin = origin.map_or(String::new(), |origin| format!("\norigin {origin}"));
    format!(
        "protocol {}\nproven {}\nport {}\npayload {payload}\npassword {password}\nstatus {}\nreasons {}{origin}",
        request.door().protocol,
        request.peer.proven,
        request.peer.port,
        request.door().abilities.status == StatusAbility::Text,
        request.door().abilities.reasons == ReasonAbility::Text,
    )
}

/// Whether all of the payload came as it was sent: `N:` and then bytes that count up.
fn whole(request: &Request, rest: &str) -> Decided {
    let (length, _) = rest.split_once(':').unwrap_or((rest, ""));
    let head = "bytes:".len() + length.len() + 1;
    let same = request.payload.len() == number(length)
        && request.payload.get(head..) == Some(&counting(number(length) - head)[..]);
    match same {
        true => Verdict::accept().config("whole").into(),
        false => Verdict::reject(Reason::new("told-to", "the payload came otherwise")).into(),
    }
}

fn counting(length: usize) -> Vec<u8> {
    (0..=250_u8).cycle().take(length).collect()
}

fn number(text: &str) -> usize {
    text.parse()
        .unwrap_or_else(|_| panic!("told to panic by {text:?}"))
}

fn gate() -> Claim {
    Claim::on(Key::new("gate")).at_most(1)
}

fn never() -> Claim {
    Claim::on(Key::new("never")).at_most(0)
}

usher_sdk::export_policy!(Scripted);
