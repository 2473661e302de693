//! What the arena keeps, and the text that it is saved as:
//!
//! ```text
//! arena 1
//! started false
//! player 17 0
//! player 21 1
//! ```
//!
//! Each player is a session and its number.

use std::collections::BTreeMap;

use usher_sdk::SessionId;

/// The first line of a saved state. A later version that keeps more writes another number.
const HEADER: &str = "arena 1";

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) players: BTreeMap<SessionId, u32>,
    pub(crate) started: bool,
}

impl State {
    /// The lowest number that no player has, for protocols that give none.
    pub(crate) fn free_number(&self) -> u32 {
        (0..)
            .find(|number| !self.players.values().any(|taken| taken == number))
            .unwrap_or(u32::MAX)
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut text = format!("{HEADER}\nstarted {}\n", self.started);
        for (session, number) in &self.players {
            text += &format!("player {session} {number}\n");
        }
        text.into_bytes()
    }

    /// An error names the first line that can't be read.
    pub(crate) fn read(saved: &[u8]) -> Result<State, String> {
        let text = std::str::from_utf8(saved).map_err(|_| "the saved state is not text")?;
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        if header != HEADER {
            return Err(format!(
                "the saved state is of {header:?}, not of {HEADER:?}"
            ));
        }
        let mut state = State::default();
        for line in lines {
            state
                .read_line(line)
                .ok_or_else(|| format!("can't read the saved line {line:?}"))?;
        }
        Ok(state)
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let words: Vec<_> = line.split(' ').collect();
        match words.as_slice() {
            ["started", started] => self.started = started.parse().ok()?,
            ["player", session, number] => {
                self.players
                    .insert(session.parse().ok()?, number.parse().ok()?);
            }
            _ => return None,
        }
        Some(())
    }
}
