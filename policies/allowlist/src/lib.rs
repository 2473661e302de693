//! Refuses whoever is not on a list, and leaves those who are to the policies after it: so it goes first.
//!
//! The list is a bucket. A player is on it by name, by a payload that is a short plain text, by identity
//! (when one who plays is asked about again) or by address. A name or a payload is the player's own word:
//! whoever knows a name on the list gets in with it, unless something proves who is who. An address counts
//! only where the door has proven it.
//!
//! Params, all optional:
//!
//! * `bucket`: the list (`allow`).

use usher_sdk::prelude::*;

/// The policy.
#[derive(Debug)]
pub struct Allowlist;

impl Policy for Allowlist {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let allow = params::get("bucket").unwrap_or_else(|| "allow".to_owned());
        let by_address = bucket::matches_address(&allow, request.address());
        let by_address = by_address.is_some() && request.peer.proven;
        let mut names = request.known_as().peekable();
        // Of one who plays the payload is not kept. Who was let in by it, and of whom no policy said who
        // it is, was on the list and may still be.
        let unknown = request.why == Why::Recheck && names.peek().is_none();
        if by_address || unknown || names.any(|name| bucket::get(&allow, &name).is_some()) {
            return Verdict::pass().into();
        }
        let text = "You are not on the allow list.";
        Verdict::reject(Reason::new("not-allowed", text)).into()
    }

    fn describe() -> Description {
        Description::new().name("allowlist")
    }
}

usher_sdk::export_policy!(Allowlist);

#[cfg(test)]
mod tests {
    use super::*;
    use usher_sdk::AttributeValue;
    use usher_sdk::testing::{self, Host, Outcome, RequestBuilder};

    fn host() -> Host {
        testing::host()
            .listed("allow", "R9", "the boss")
            .listed("allow", "198.51.100.0/24", "")
            .bucket("other")
    }

    fn is_let_on(host: &Host, request: RequestBuilder) -> bool {
        match host.outcome::<Allowlist>(&request.build()) {
            Outcome::Passed(_) => true,
            Outcome::Rejected(reason) => {
                assert_eq!(reason.code, "not-allowed");
                assert_eq!(reason.text, "You are not on the allow list.");
                false
            }
            other => panic!("neither: {other:?}"),
        }
    }

    #[test]
    fn whoever_is_on_the_list_is_left_to_others_and_everyone_else_refused() {
        let nameless = || testing::request().with(|it| it.name = None);
        for (request, expected) in [
            (testing::request().name("R9"), true),
            (testing::request().name("r9"), false),
            (nameless().payload("R9"), true),
            (nameless().payload("R8"), false),
            (nameless(), false),
            (testing::request().address("198.51.100.7"), true),
            (testing::request().address("198.51.101.7"), false),
        ] {
            assert_eq!(is_let_on(&host(), request), expected);
        }
        let other = host().param("bucket", "other");
        assert!(!is_let_on(&other, testing::request().name("R9")));
    }

    #[test]
    fn an_address_that_may_be_forged_lets_nobody_in() {
        let forged = testing::request().address("198.51.100.7");
        let forged = forged.with(|it| it.peer.proven = false);
        assert!(!is_let_on(&host(), forged));
    }

    #[test]
    fn a_seated_player_of_whom_nothing_is_known_stays() {
        let seated = || {
            let nameless = testing::request().with(|it| it.name = None);
            nameless.why(Why::Recheck)
        };
        let identity = |name: &str| AttributeValue::Text(name.into());
        assert!(is_let_on(&host(), seated()));
        let known = seated().attribute("session.identity", identity("R9"));
        assert!(is_let_on(&host(), known));
        let other = seated().attribute("session.identity", identity("D2"));
        assert!(!is_let_on(&host(), other));
    }
}
