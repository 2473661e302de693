//! Rules that do what a player says. The first byte of a message is the protocol's id; the rest is a word,
//! and what follows a colon.
//!
//! | message | the rules |
//! |---|---|
//! | `kick:TEXT` | end the player's session, for TEXT |
//! | `shout:TEXT` | send TEXT to everyone in the room, the way it came |
//! | `give:N` | send the player a message of N bytes, which count up |
//! | `close:TEXT` | close the room, for TEXT |
//! | `open` | open it again |
//! | anything else | send it back the way it came |
//!
//! Of each message there is a line in the log: `heard N bytes`.

use usher_sdk::prelude::*;

struct Puppet;

impl Rules for Puppet {
    fn start(_: &str, _: Option<&[u8]>) -> Result<(Self, Vec<Effect>), String> {
        Ok((Puppet, Vec::new()))
    }

    fn on_join(&mut self, _: &Player) -> Vec<Effect> {
        Vec::new()
    }

    fn on_message(&mut self, from: SessionId, message: &Message) -> Vec<Effect> {
        let Some((id, said)) = message.data.split_first() else {
            return Vec::new();
        };
        let with = |data: &[u8]| Message {
            data: [&[*id], data].concat(),
            ..*message
        };
        let heard = Effect::say(format!("heard {} bytes", message.data.len()));
        let said = String::from_utf8_lossy(said);
        let (word, rest) = said.split_once(':').unwrap_or((&said, ""));
        let done = match word {
            "kick" => Effect::kick(from, Reason::new("told-to", rest)),
            "shout" => Effect::broadcast(with(rest.as_bytes())),
            "give" => {
                let length = rest.parse().expect("the test says a number");
                let data: Vec<u8> = (0..=250_u8).cycle().take(length).collect();
                Effect::send(from, with(&data))
            }
            "close" => Effect::close(Reason::new("told-to", rest)),
            "open" => Effect::open(),
            _ => Effect::send(from, message.clone()),
        };
        vec![heard, done]
    }

    fn on_leave(&mut self, session: SessionId, how: Parting) -> Vec<Effect> {
        vec![Effect::say(format!("left {session} {how:?}"))]
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn describe() -> Description {
        Description::new().name("puppet")
    }
}

usher_sdk::export_rules!(Puppet);
