//! Rules that send back to a player whatever it sends, the way it came: same delivery, same channel.
//! It is what round trips are measured with.

use usher_sdk::prelude::*;

struct Echo;

impl Rules for Echo {
    fn start(_: &str, _: Option<&[u8]>) -> Result<(Self, Vec<Effect>), String> {
        Ok((Echo, Vec::new()))
    }

    fn on_join(&mut self, _: &Player) -> Vec<Effect> {
        Vec::new()
    }

    fn on_message(&mut self, from: SessionId, message: &Message) -> Vec<Effect> {
        vec![Effect::send(from, message.clone())]
    }

    fn on_leave(&mut self, _: SessionId, _: Parting) -> Vec<Effect> {
        Vec::new()
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn describe() -> Description {
        Description::new().name("echo")
    }
}

usher_sdk::export_rules!(Echo);
