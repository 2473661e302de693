//! {{name}}: what happens in a room.

use std::collections::BTreeMap;

use usher_sdk::prelude::*;

/// The rules of one room: everyone hears who comes and goes, and what the others say.
#[derive(Debug, Default)]
pub struct Game {
    /// How often each player has spoken.
    spoken: BTreeMap<SessionId, u32>,
}

impl Rules for Game {
    fn start(_room: &str, saved: Option<&[u8]>) -> Result<(Self, Vec<Effect>), String> {
        let game = match saved {
            Some(saved) => Game::read(saved).ok_or("the saved state is not of version 1")?,
            None => Game::default(),
        };
        Ok((game, Vec::new()))
    }

    fn on_join(&mut self, player: &Player) -> Vec<Effect> {
        self.spoken.insert(player.session, 0);
        let news = Message::ordered(format!("{} is here", player.name));
        vec![Effect::broadcast_except([player.session], news)]
    }

    fn on_message(&mut self, from: SessionId, message: &Message) -> Vec<Effect> {
        *self.spoken.entry(from).or_default() += 1;
        vec![Effect::broadcast_except([from], message.clone())]
    }

    fn on_leave(&mut self, session: SessionId, _: Parting) -> Vec<Effect> {
        let times = self.spoken.remove(&session).unwrap_or_default();
        let news = Message::ordered(format!("someone who spoke {times} times is gone"));
        vec![Effect::broadcast(news)]
    }

    /// A line with a version first, because a later version of this module reads it; then a line for
    /// each player.
    fn save(&self) -> Vec<u8> {
        let mut text = String::from("1\n");
        for (session, times) in &self.spoken {
            text += &format!("{session} {times}\n");
        }
        text.into_bytes()
    }
}

impl Game {
    fn read(saved: &[u8]) -> Option<Game> {
        let players = std::str::from_utf8(saved).ok()?.strip_prefix("1\n")?;
        let mut game = Game::default();
        for line in players.lines() {
            let (session, times) = line.split_once(' ')?;
            game.spoken
                .insert(session.parse().ok()?, times.parse().ok()?);
        }
        Some(game)
    }
}

usher_sdk::export_rules!(Game);

#[cfg(test)]
mod tests {
    use super::*;
    use usher_sdk::testing;

    #[test]
    fn a_later_version_plays_on() {
        let (mut old, _) = Game::start("main", None).expect("a new room starts");
        old.on_join(&testing::player(7, "R9"));
        old.on_message(7, &Message::ordered("hello"));

        let (mut new, _) = Game::start("main", Some(&old.save())).expect("its own state");
        let news = Message::ordered("someone who spoke 1 times is gone");
        assert_eq!(new.on_leave(7, Parting::Left), [Effect::broadcast(news)]);
    }

    #[test]
    fn a_state_of_another_version_is_refused() {
        assert!(Game::start("main", Some(b"2\n")).is_err());
    }
}
