//! A rule as operators have it, for `cargo xtask bench decision`: a name out of the payload, a ban list, a
//! free seat. `bench/rule` has the same as a Rust function, `bench/peers` in other languages.

use usher_sdk::prelude::*;

/// The policy.
#[derive(Debug)]
pub struct Rule;

impl Policy for Rule {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let Some(name) = name(&request.payload) else {
            let text = "A name has 3 to 24 letters, digits, - or _.";
            return Verdict::reject(Reason::new("bad-name", text)).into();
        };
        if let Some(note) = bucket::get("bans", name) {
            let text = format!("You are banned from this server: {note}");
            return Verdict::reject(Reason::new("banned", text)).into();
        }
        if ledger::taken(&Key::server()) >= request.max_players {
            let full = Reason::new("server-full", "The server is full.");
            return Verdict::reject(full).into();
        }
        let unique = Claim::on(Key::new("name").part(name))
            .or(Reason::new("name-taken", "That name is in use."));
        Verdict::accept().identity(name).claim(unique).into()
    }
}

/// The name that a payload begins with, if it is a good one.
fn name(payload: &[u8]) -> Option<&str> {
    let end = payload.iter().position(|byte| *byte == b'\n')?;
    let name = std::str::from_utf8(&payload[..end]).ok()?;
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = (3..=24).contains(&name.len()) && name.bytes().all(good);
    fits.then_some(name)
}

usher_sdk::export_policy!(Rule);
