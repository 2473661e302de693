//! {{name}}: who may enter.

use usher_sdk::prelude::*;

/// The policy.
#[derive(Debug)]
pub struct Door;

impl Policy for Door {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let name = request.name();
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
}
