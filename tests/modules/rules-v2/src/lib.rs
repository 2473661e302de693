//! A later version of the arena: reads its saved state, writes the same, and says in all it does that
//! it is version 2. A message is relayed as `v2 <number>:<data>`.

#[path = "../../../../policies/arena/src/state.rs"]
mod state;

use state::State;
use usher_sdk::prelude::*;

struct ArenaV2 {
    state: State,
}

impl Rules for ArenaV2 {
    fn start(room: &str, saved: Option<&[u8]>) -> Result<(Self, Vec<Effect>), String> {
        let state = match saved {
            Some(saved) => State::read(saved)?,
            None => State::default(),
        };
        let players = state.players.len();
        let said = format!(
            "version 2 in {room}: {players} players, started {}",
            state.started
        );
        let news = Effect::broadcast(Message::ordered(format!("v2 {players}")));
        Ok((ArenaV2 { state }, vec![Effect::say(said), news]))
    }

    fn on_join(&mut self, player: &Player) -> Vec<Effect> {
        let number = player.number.unwrap_or_else(|| self.state.free_number());
        self.state.players.insert(player.session, number);
        let news = Message::ordered(format!("v2 +{number} {}", player.name));
        vec![Effect::broadcast_except([player.session], news)]
    }

    fn on_message(&mut self, from: SessionId, message: &Message) -> Vec<Effect> {
        let Some(number) = self.state.players.get(&from) else {
            return Vec::new();
        };
        let data = [format!("v2 {number}:").as_bytes(), &message.data].concat();
        vec![Effect::broadcast_except(
            [from],
            Message { data, ..*message },
        )]
    }

    fn on_leave(&mut self, session: SessionId, _: Parting) -> Vec<Effect> {
        let Some(number) = self.state.players.remove(&session) else {
            return Vec::new();
        };
        vec![Effect::broadcast_except(
            [session],
            Message::ordered(format!("v2 -{number}")),
        )]
    }

    fn save(&self) -> Vec<u8> {
        self.state.write()
    }

    fn describe() -> Description {
        Description::new().name("arena").version("2")
    }
}

usher_sdk::export_rules!(ArenaV2);
