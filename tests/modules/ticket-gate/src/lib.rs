//! A game's own rule that does what the display name of a join ticket says.
//!
//! | display name | the rule |
//! |---|---|
//! | `say:CODE` | rejects with the code |
//! | `trap` | panics |
//! | `slow` | never comes to a decision |
//! | `fetch:NAME/TEXT` | asks the web service NAME about TEXT; passes if it answers, and rejects if not |
//! | `wait` | waits for ever |
//! | anything else, or none | passes |

use std::hint::black_box;

use usher_sdk::fleet::Fetched;
use usher_sdk::prelude::*;
use usher_sdk::ticket::JoinTicket;

struct Gate;

impl Policy for Gate {
    fn on_connect_request(request: &Request, facts: &Facts) -> Decided {
        let Ok(ticket) = JoinTicket::decode(&request.payload) else {
            return Verdict::pass().into();
        };
        let script = ticket.display_name().map_or("", |name| name.as_str());
        match script.split_once(':').unwrap_or((script, "")) {
            ("say", code) => Verdict::reject(Reason::new(code, "The game says no")).into(),
            ("trap", _) => panic!("told to panic"),
            ("slow", _) => loop {
                black_box(());
            },
            ("fetch", what) => {
                let (service, text) = what.split_once('/').unwrap_or((what, ""));
                match facts.fetch(service, [Part::from(text)], [])? {
                    Fetched::Found(_) => Verdict::pass().into(),
                    Fetched::Missing | Fetched::Unavailable(_) => {
                        Verdict::reject(Reason::new("unfetched", "The game knows nothing")).into()
                    }
                }
            }
            ("wait", _) => {
                let never = Claim::on(Key::new("never")).at_most(0);
                Verdict::wait("told").status("wait").claim(never).into()
            }
            _ => Verdict::pass().into(),
        }
    }

    fn describe() -> Description {
        Description::new().name("ticket-gate").question("fetch")
    }
}

usher_sdk::export_policy!(Gate);
