//! Lets everyone in. The host's own claim keeps the server from overfilling.

use usher_sdk::prelude::*;

/// The policy.
#[derive(Debug)]
pub struct Open;

impl Policy for Open {
    fn on_connect_request(_: &Request, _: &Facts) -> Decided {
        Verdict::accept().into()
    }
}

usher_sdk::export_policy!(Open);

#[cfg(test)]
mod tests {
    use super::*;
    use usher_sdk::testing;

    #[test]
    fn lets_everyone_in_up_to_max_players() {
        let request = testing::request().max_players(2).build();
        let outcome = |taken| {
            testing::host()
                .taken(Key::server(), taken)
                .outcome::<Open>(&request)
        };
        outcome(1).accepted();
        assert_eq!(outcome(2).code(), Some("server-full"));
    }
}
