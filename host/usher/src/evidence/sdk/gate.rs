//! The door to a game server that is to go away: closed by the key that every session holds.

use super::state::Gate;
use crate::core_loop::Handle;
use usher_core::{Input, Key};
use usher_wire::ticket::Reason;

/// The host's own door.
pub(super) struct Server(pub(super) Handle);

impl Gate for Server {
    fn close(&self) {
        let stopping = Reason::Stopping;
        let reason = usher_core::Reason::new(stopping.as_str(), stopping.message());
        let key = Key::server();
        self.0.send(Input::Close { key, reason });
    }

    fn open(&self) {
        self.0.send(Input::Open { key: Key::server() });
    }
}
