//! A policy that has everyone wait first, for one of the param `slots` (4) slots, and lets in whoever
//! is offered one.
//!
//! | name begins with | |
//! |---|---|
//! | `vip` | waits with priority 10 |
//! | `late` | waits in the lane `late` of rank 1, the others in `main` of rank 0 |
//! | `bad` | its status text panics |
//! | `mute` | gets no new status text |
//! | `decline` | waits again when it is offered a slot |
//! | `fault` | panics when it is offered a slot |
//! | `anon` | waits and enters without an identity |

use usher_sdk::prelude::*;

struct Waiting;

impl Policy for Waiting {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let name = request.name();
        let told = |word: &str| name.starts_with(word);
        let slot = Claim::on(Key::slot())
            .at_most(params::number("slots").unwrap_or(4))
            .lowest_index()
            .or(Reason::new("server-full", "There is no slot").number(1));

        if request.why == Why::Offer && told("fault") {
            panic!("told to panic at the offer by {name}");
        }
        if request.why == Why::Offer && !told("decline") || request.why == Why::Recheck {
            let acceptance = Verdict::accept().claim(slot);
            return match told("anon") {
                true => acceptance.into(),
                false => acceptance.identity(name).into(),
            };
        }

        let lane = if told("late") {
            Verdict::wait("late").rank(1)
        } else {
            Verdict::wait("main")
        };
        let lane = if told("anon") {
            lane
        } else {
            lane.identity(name)
        };
        lane.priority(if told("vip") { 10 } else { 0 })
            .status("wait")
            .claim(slot)
            .into()
    }

    fn on_waiting(waiter: &Waiter) -> Option<Vec<u8>> {
        let name = waiter.name.as_deref().unwrap_or_default();
        if name.starts_with("bad") {
            panic!("told to panic over the status by {name}");
        }
        let text = format!("{} of {}", waiter.position, waiter.lane_length);
        (!name.starts_with("mute")).then(|| text.into_bytes())
    }

    fn describe() -> Description {
        Description::new().name("waiter")
    }
}

usher_sdk::export_policy!(Waiting);
