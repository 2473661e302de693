//! Players, as rules see them.

use crate::bindings::rules as wit;
use usher_core::Player;

/// Someone who has joined.
pub(crate) fn player_out(player: &Player) -> wit::Player {
    wit::Player {
        session: player.session.0,
        name: player.name.to_string(),
        identity: player.identity.as_deref().map(str::to_owned),
        identity_proven: player.identity_proven,
        number: player.number,
        door: player.door_name.to_string(),
        protocol: player.protocol.to_string(),
        remember: player.remember.to_vec(),
    }
}
