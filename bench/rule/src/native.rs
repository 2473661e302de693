//! The rule as a Rust function.

use crate::request::Request;
use crate::verdict::Verdict;

/// What the rule asks of the host.
pub trait Host {
    /// The note beside a name, if it is banned.
    fn note(&self, name: &str) -> Option<&str>;
    /// How many hold a key without parts.
    fn taken(&self, key: &str) -> u32;
}

impl Host for crate::world::World {
    fn note(&self, name: &str) -> Option<&str> {
        self.note(name)
    }

    fn taken(&self, key: &str) -> u32 {
        self.taken(key)
    }
}

/// Decides about a request.
pub fn decide(request: &Request, host: &dyn Host) -> Verdict {
    let Some(name) = name(&request.payload) else {
        return Verdict::reject("bad-name", "A name has 3 to 24 letters, digits, - or _.");
    };
    if let Some(note) = host.note(name) {
        let text = format!("You are banned from this server: {note}");
        return Verdict::Reject {
            code: "banned".to_owned(),
            text,
        };
    }
    if host.taken("server") >= request.max_players {
        return Verdict::reject("server-full", "The server is full.");
    }
    Verdict::accept(name)
}

/// The name that a payload begins with, if it is a good one.
fn name(payload: &[u8]) -> Option<&str> {
    let end = payload.iter().position(|byte| *byte == b'\n')?;
    let name = std::str::from_utf8(&payload[..end]).ok()?;
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = (3..=24).contains(&name.len()) && name.bytes().all(good);
    fits.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{World, requests};

    #[test]
    fn every_request_has_its_verdict() {
        let world = World::new();
        for case in requests() {
            assert_eq!(decide(&case.request, &world), case.expected);
        }
    }
}
