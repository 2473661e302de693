//! By what a peer is known: what operators write on their lists.

use crate::fleet::joiner::shown_name;
use crate::request::Request;
use crate::ticket::JoinTicket;
use std::borrow::Cow;

impl Request {
    /// Everything that the peer goes by: its name, its payload where that is a short plain text, the player
    /// id and the display name of its join ticket where it comes with one, and, when a seated one is asked
    /// about again, whom a policy said that this is.
    pub fn known_as(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let name = self.name.as_deref();
        let known = [name, self.payload_text(), self.session_identity()];
        let ticket = JoinTicket::decode(&self.payload).ok();
        let by_ticket = ticket.into_iter().flat_map(|ticket| {
            let id = Some(ticket.player_id().as_str().to_owned());
            let shown = ticket.display_name().and_then(shown_name);
            [id, shown].into_iter().flatten()
        });
        let known = known.into_iter().flatten().map(Cow::Borrowed);
        known.chain(by_ticket.map(Cow::Owned))
    }
}
