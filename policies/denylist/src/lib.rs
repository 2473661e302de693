//! Refuses whoever is on a ban list, and leaves everyone else to the policies after it: so it goes first.
//!
//! The list is a bucket. A player is on it by name, by a payload that is a short plain text, by the player id
//! or the display name of a join ticket, or by address;
//! one who plays and is asked about again is also on it by identity and by the name that others see. A forged address only has its forger refused.
//!
//! Params, all optional:
//!
//! * `bucket`: the list (`bans`).
//! * `tell-note`: tell the player what the operator noted beside the entry (false).

use std::borrow::Cow;
use usher_sdk::prelude::*;

/// The policy.
#[derive(Debug)]
pub struct Denylist;

impl Policy for Denylist {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let bans = params::get("bucket").unwrap_or_else(|| "bans".to_owned());
        let tell_note = params::flag("tell-note").unwrap_or(false);
        let by_address = || bucket::matches_address(&bans, request.address());
        // By what operators see as well: that is what they write down.
        let shown = request.session_display_name().map(Cow::Borrowed);
        let mut names = request.known_as().chain(shown);
        let listed = by_address().or_else(|| names.find_map(|name| bucket::get(&bans, &name)));
        match listed {
            None => Verdict::pass().into(),
            Some(note) if tell_note && !note.is_empty() => {
                let text = format!("You are banned from this server: {note}");
                Verdict::reject(Reason::new("banned", text)).into()
            }
            Some(_) => {
                let text = "You are banned from this server.";
                Verdict::reject(Reason::new("banned", text)).into()
            }
        }
    }

    fn describe() -> Description {
        Description::new().name("denylist")
    }
}

usher_sdk::export_policy!(Denylist);

#[cfg(test)]
mod tests {
    use super::*;
    use usher_sdk::AttributeValue;
    use usher_sdk::testing::{self, Host, Outcome, RequestBuilder};

    fn host() -> Host {
        testing::host()
            .listed("bans", "R9", "cheats")
            .listed("bans", "D2", "")
            .listed("bans", "198.51.100.0/24", "")
            .bucket("other")
    }

    fn refusal(host: &Host, request: RequestBuilder) -> Option<String> {
        match host.outcome::<Denylist>(&request.build()) {
            Outcome::Passed(_) => None,
            Outcome::Rejected(reason) => {
                assert_eq!(reason.code, "banned");
                Some(reason.text)
            }
            other => panic!("neither: {other:?}"),
        }
    }

    #[test]
    fn whoever_is_on_the_list_is_refused_and_everyone_else_left_to_others() {
        let plain = Some("You are banned from this server.".to_owned());
        let nameless = || testing::request().with(|it| it.name = None);
        let seated = || AttributeValue::Text("R9".into());
        let ticket = |id: &str, name: &str| {
            let names = format!(r#""playerId":"{id}","displayName":"{name}""#);
            format!(r#"{{"v":1,"kind":"lan","protocolVersion":3,{names}}}"#)
        };
        for (request, expected) in [
            (testing::request().name("R9"), &plain),
            (testing::request().name("D2"), &plain),
            (testing::request().name("r9"), &None),
            (nameless().payload("R9"), &plain),
            (nameless().payload("R8"), &None),
            (nameless().attribute("session.identity", seated()), &plain),
            (
                nameless().attribute("session.display-name", seated()),
                &plain,
            ),
            (nameless().payload(ticket("R9", "Kim")), &plain),
            (nameless().payload(ticket("kim", "R9")), &plain),
            (nameless().payload(ticket("kim", "Kim")), &None),
            (testing::request().address("198.51.100.7"), &plain),
            (testing::request().address("198.51.101.7"), &None),
        ] {
            assert_eq!(&refusal(&host(), request), expected);
        }
        let forged = testing::request().address("198.51.100.7");
        let forged = forged.with(|it| it.peer.proven = false);
        assert_eq!(refusal(&host(), forged), plain);
    }

    #[test]
    fn the_note_is_told_only_where_the_operator_wants_that() {
        let told = |name: &str| {
            let host = host().param("tell-note", "true");
            refusal(&host, testing::request().name(name))
        };
        let with_note = "You are banned from this server: cheats";
        assert_eq!(told("R9").as_deref(), Some(with_note));
        let without = "You are banned from this server.";
        assert_eq!(told("D2").as_deref(), Some(without));
    }

    #[test]
    fn the_list_is_a_param() {
        let host = host().param("bucket", "other");
        assert_eq!(refusal(&host, testing::request().name("R9")), None);
    }
}
