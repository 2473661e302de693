//! The door of an `rtyp` game: four players with numbers 0 to 3, each name once, nobody new while the
//! game runs. The door itself has refused a wrong version and a bad name before this is asked.
//!
//! Params: `greeting`, given to the client as its config by protocols that have one.

use usher_sdk::prelude::*;

/// The protocol knows the player numbers 0 to 3.
const SEATS: u32 = 4;

/// The policy.
#[derive(Debug)]
pub struct Rtyp;

impl Policy for Rtyp {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        if !request.joinable {
            return Verdict::reject(game_started(request)).into();
        }

        let name = request.name();
        let server_full = Reason::new("server-full", "The game already has 4 players").number(1);
        let name_taken =
            Reason::new("name-taken", "Another player of the game has this name").number(4);

        // A player is told of the first claim that is full: a full server before a taken name.
        Verdict::accept()
            .identity(name)
            .display_name(name)
            .claim(
                Claim::on(Key::slot())
                    .at_most(SEATS)
                    .lowest_index()
                    .or(server_full),
            )
            .claim(Claim::on(Key::new("name").part(name)).or(name_taken))
            .config(params::get("greeting").unwrap_or_default())
            .into()
    }

    fn describe() -> Description {
        Description::new().name("rtyp").max_players(SEATS)
    }
}

/// Why the room is closed, in the words of who closed it and by the number that the protocol has.
fn game_started(request: &Request) -> Reason {
    let text = match &request.room().closed {
        Some(reason) => reason.text.as_str(),
        None => "The game is running and does not take new players",
    };
    Reason::new("game-started", text).number(5)
}

usher_sdk::export_policy!(Rtyp);

#[cfg(test)]
mod tests {
    use super::*;
    use usher_sdk::testing::{self, Host, Outcome};

    fn outcome(host: &Host) -> Outcome {
        host.outcome::<Rtyp>(&testing::request().name("R9").build())
    }

    fn refusal(outcome: Outcome) -> (String, Option<u32>) {
        match outcome {
            Outcome::Rejected(reason) => (reason.code, reason.number),
            other => panic!("not refused: {other:?}"),
        }
    }

    fn name(name: &str) -> Key {
        Key::new("name").part(name)
    }

    #[test]
    fn the_fourth_player_enters_and_the_fifth_does_not() {
        let admission = outcome(&testing::host().taken(Key::slot(), 3)).accepted();
        assert_eq!(admission.identity.as_deref(), Some("R9"));
        assert!(!admission.identity_proven, "a name proves nothing");
        assert!(admission.claims[0].lowest_index, "the player number");

        let fifth = outcome(&testing::host().taken(Key::slot(), 4));
        assert_eq!(refusal(fifth), ("server-full".into(), Some(1)));
    }

    #[test]
    fn a_name_is_taken_only_by_the_same_bytes() {
        let taken = outcome(&testing::host().taken(name("R9"), 1));
        assert_eq!(refusal(taken), ("name-taken".into(), Some(4)));
        outcome(&testing::host().taken(name("r9"), 1)).accepted();
    }

    #[test]
    fn a_full_server_is_told_before_a_taken_name() {
        let both = outcome(&testing::host().taken(Key::slot(), 4).taken(name("R9"), 1));
        assert_eq!(refusal(both), ("server-full".into(), Some(1)));
    }

    #[test]
    fn a_running_game_is_told_before_a_full_server() {
        let closed = Reason::new("busy", "Round 3 is on");
        let request = testing::request().closed(closed).build();
        let outcome = testing::host()
            .taken(Key::slot(), 4)
            .outcome::<Rtyp>(&request);
        let expected = Reason::new("game-started", "Round 3 is on").number(5);
        assert_eq!(outcome, Outcome::Rejected(expected));
    }

    #[test]
    fn the_greeting_is_the_config() {
        let greeted = outcome(&testing::host().param("greeting", "Welcome"));
        assert_eq!(greeted.accepted().config, b"Welcome");
        assert!(outcome(&testing::host()).accepted().config.is_empty());
    }
}
