//! {{name}}: who may enter.

use usher_sdk::prelude::*;

/// The policy.
#[derive(Debug)]
pub struct Door;

impl Policy for Door {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let name = request.name();
        if name.is_empty() {
            // The protocol has no names, so nobody can have the same.
            return Verdict::accept().into();
        }
        let taken = Reason::new("name-taken", "Another player has this name");

        Verdict::accept()
            .identity(name)
            .claim(Claim::on(Key::new("name").part(name)).at_most(1).or(taken))
            .into()
    }
}

usher_sdk::export_policy!(Door);

#[cfg(test)]
mod tests {
    use super::*;
    use usher_sdk::testing;

    #[test]
    fn a_name_is_used_once() {
        let request = testing::request().name("R9").build();
        let name = Key::new("name").part("R9");

        testing::host().outcome::<Door>(&request).accepted();
        let second = testing::host().taken(name, 1).outcome::<Door>(&request);
        assert_eq!(second.code(), Some("name-taken"));
    }

    #[test]
    fn who_has_no_name_shares_it_with_nobody() {
        let nameless = testing::request().with(|it| it.name = None).build();
        let no_name = Key::new("name").part("");
        let host = testing::host().taken(no_name, 1);
        host.outcome::<Door>(&nameless).accepted();
    }
}
