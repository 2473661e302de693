//! What a policy takes from a join ticket into its verdict: who joins, and why not.

use crate::contract::{Acceptance, Reason};
use crate::early::Early;
use crate::ticket::{self, DisplayName, JoinTicket};

impl Acceptance {
    /// With the player of a join ticket, for its first option: the player id as a stated identity, for
    /// nothing proves it, and the name that [`shown_name`] makes of the ticket's.
    pub fn joiner(self, ticket: &JoinTicket) -> Acceptance {
        let acceptance = self.identity(ticket.player_id().as_str());
        match ticket.display_name().and_then(shown_name) {
            Some(name) => acceptance.display_name(name),
            None => acceptance,
        }
    }
}

/// A display name as it may be shown to others: without characters that do something where they are shown
/// (controls, line breaks, marks of direction) or that nobody sees, and without space around it. `None` if
/// nothing is left. What it says is still the player's own word.
pub fn shown_name(name: &DisplayName) -> Option<String> {
    let seen = name.as_str().chars().filter(|letter| !acts(*letter));
    let seen: String = seen.collect();
    let seen = seen.trim();
    (!seen.is_empty()).then(|| seen.to_owned())
}

/// Joiners that hold together letters of some scripts, and emoji, are none of these.
fn acts(letter: char) -> bool {
    let is_mark = matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let is_unseen = matches!(letter, '\u{200b}' | '\u{2060}' | '\u{feff}');
    letter.is_control() || is_mark || is_unseen
}

/// Its literal is the code, and its sentence for players is the text.
impl From<ticket::Reason> for Reason {
    fn from(reason: ticket::Reason) -> Reason {
        Reason::new(reason.as_str(), reason.message())
    }
}

/// So that `?` on a check that failed refuses with its reason.
impl From<ticket::Reason> for Early {
    fn from(reason: ticket::Reason) -> Early {
        Reason::from(reason).into()
    }
}
