//! A policy that says which version answered: `module-version-a` and `module-version-b` are this file.
//!
//! * Everyone gets a slot of `max-players` and a name of their own; the config is the version, `a` or
//!   `b`, and so is what is remembered.
//! * A name that begins with `who` is rejected, with the code `version-a` or `version-b` and the number
//!   101 or 102.
//! * A name that begins with `old` is let in by `a` and rejected by `b`: for rechecks and waiters.
//! * With the param `wait = true`, whoever finds no slot waits, and the status is the version.

use usher_sdk::prelude::*;

/// `a` or `b`.
const VERSION: &str = env!("CARGO_PKG_NAME").split_at("module-version-".len()).1;

struct Version;

impl Policy for Version {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let name = request.name();
        if name.starts_with("who") || (name.starts_with("old") && VERSION == "b") {
            let text = format!("This is version {VERSION}");
            let number = if VERSION == "a" { 101 } else { 102 };
            let reason = Reason::new(format!("version-{VERSION}"), text).number(number);
            return Verdict::reject(reason).into();
        }

        let full = Reason::new("server-full", "There is no slot").number(1);
        let taken = Reason::new("name-taken", "The name is taken").number(4);
        let acceptance = Verdict::accept()
            .identity(name)
            .claim(
                Claim::on(Key::slot())
                    .at_most(request.max_players)
                    .lowest_index()
                    .or(full),
            )
            .claim(Claim::on(Key::new("name").part(name)).or(taken))
            .config(VERSION)
            .remember(VERSION);
        if params::flag("wait") == Some(true) {
            acceptance
                .otherwise_wait(Verdict::wait("main").identity(name).status(VERSION))
                .into()
        } else {
            acceptance.into()
        }
    }

    fn on_waiting(_: &Waiter) -> Option<Vec<u8>> {
        Some(VERSION.into())
    }

    fn describe() -> Description {
        Description::new().name("version").version(VERSION)
    }
}

usher_sdk::export_policy!(Version);
