//! Rules of a small arena: what a player sends goes to all others, prefixed with the sender's number.
//! `start` closes the room to new players, `open` and the last player's leave open it again.
//!
//! What players get: `+<number> <name>` for a newcomer, `-<number>` for one who left, `<number>:<data>`
//! for a message, `!started` and `!open` for the room.

mod state;

use state::State;
use usher_sdk::prelude::*;

/// The most bytes that the narrowest protocol, `rtyp`, carries in a message. With the number before it
/// the longest message of a player would not fit any more; it is not relayed.
const LONGEST: usize = 1_200;

/// The rules of one room.
#[derive(Debug, Default)]
pub struct Arena {
    state: State,
}

impl Rules for Arena {
    fn start(room: &str, saved: Option<&[u8]>) -> Result<(Self, Vec<Effect>), String> {
        let state = match saved {
            Some(saved) => State::read(saved)?,
            None => State::default(),
        };
        let said = format!("{room}: {} in the arena", state.players.len());
        // Said again on a takeover: the room must stand as the state says, whatever came between.
        let door = if state.started {
            Effect::close(running())
        } else {
            Effect::open()
        };
        Ok((Arena { state }, vec![Effect::say(said), door]))
    }

    fn on_join(&mut self, player: &Player) -> Vec<Effect> {
        let number = player.number.unwrap_or_else(|| self.state.free_number());
        self.state.players.insert(player.session, number);
        let news = Message::ordered(format!("+{number} {}", player.name));
        vec![Effect::broadcast_except([player.session], news)]
    }

    fn on_message(&mut self, from: SessionId, message: &Message) -> Vec<Effect> {
        let Some(number) = self.state.players.get(&from) else {
            return Vec::new();
        };
        match message.data.as_slice() {
            b"start" => self.start_game(&format!("{number} started the game")),
            b"open" => self.open_room(&format!("{number} opened the room")),
            data => {
                let relayed = [format!("{number}:").as_bytes(), data].concat();
                if relayed.len() > LONGEST {
                    return Vec::new();
                }
                let relayed = Message {
                    data: relayed,
                    ..*message
                };
                vec![Effect::broadcast_except([from], relayed)]
            }
        }
    }

    fn on_leave(&mut self, session: SessionId, _: Parting) -> Vec<Effect> {
        let Some(number) = self.state.players.remove(&session) else {
            return Vec::new();
        };
        let news = Message::ordered(format!("-{number}"));
        let mut effects = vec![Effect::broadcast_except([session], news)];
        if self.state.players.is_empty() && self.state.started {
            effects.extend(self.open_room("the last player left"));
        }
        effects
    }

    fn save(&self) -> Vec<u8> {
        self.state.write()
    }

    fn describe() -> Description {
        Description::new().name("arena")
    }
}

impl Arena {
    fn start_game(&mut self, why: &str) -> Vec<Effect> {
        self.state.started = true;
        let news = Effect::broadcast(Message::ordered("!started"));
        vec![Effect::close(running()), Effect::say(why), news]
    }

    fn open_room(&mut self, why: &str) -> Vec<Effect> {
        self.state.started = false;
        let news = Effect::broadcast(Message::ordered("!open"));
        vec![Effect::open(), Effect::say(why), news]
    }
}

fn running() -> Reason {
    Reason::new(
        "game-started",
        "The game is running and does not take new players",
    )
    .number(5)
}

usher_sdk::export_rules!(Arena);

#[cfg(test)]
mod tests;
