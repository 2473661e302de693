//! Rules that refuse every saved state, so they can begin a room but never take one over. A message
//! is relayed as `deaf:<data>`.

use usher_sdk::prelude::*;

struct Deaf;

impl Rules for Deaf {
    fn start(_: &str, saved: Option<&[u8]>) -> Result<(Self, Vec<Effect>), String> {
        match saved {
            Some(_) => Err("these rules read no saved state".into()),
            None => Ok((Deaf, Vec::new())),
        }
    }

    fn on_join(&mut self, _: &Player) -> Vec<Effect> {
        Vec::new()
    }

    fn on_message(&mut self, from: SessionId, message: &Message) -> Vec<Effect> {
        let data = [b"deaf:", message.data.as_slice()].concat();
        vec![Effect::broadcast_except(
            [from],
            Message { data, ..*message },
        )]
    }

    fn on_leave(&mut self, _: SessionId, _: Parting) -> Vec<Effect> {
        Vec::new()
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

usher_sdk::export_rules!(Deaf);
