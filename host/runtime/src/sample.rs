//! The canned request of self-tests: an ordinary player at an ordinary door.

use std::sync::Arc;
use std::time::Duration;
use usher_core::{
    Abilities, Ask, AskId, DoorId, Moment, ReasonAbility, RequestData, RequestId, RoomState,
    SlotId, Snapshot, Wanted, Why,
};

/// A first ask about a player of this name, on slot 0, that never expires and pins nothing.
pub(crate) fn ask(name: &str) -> Ask {
    Ask {
        id: AskId(1),
        slot: SlotId(0),
        snapshot: Arc::new(Snapshot::none()),
        last_good: false,
        why: Why::First,
        request: Arc::new(request(name)),
        room: room(),
        max_players: 4,
        host: [].into(),
        server_closed: None,
        attempt: 1,
        position: None,
        waited: Duration::ZERO,
        held: Vec::new(),
        facts: Vec::new(),
        rounds_left: 8,
        now: Moment::from_millis(1_700_000_000_000),
        seed: 1,
        deadline: Moment::from_millis(u64::MAX),
        wanted: Wanted::default(),
    }
}

/// A request of a player of this name.
pub(crate) fn request(name: &str) -> RequestData {
    RequestData {
        id: RequestId(1),
        door: DoorId(0),
        door_name: "self-test".into(),
        protocol: "rtyp".into(),
        abilities: Abilities {
            status: true,
            reasons: ReasonAbility::Text,
            longest_wait: None,
        },
        room: "main".into(),
        // From the block that is set aside for documentation (RFC 5737).
        peer: std::net::SocketAddr::from(([192, 0, 2, 1], 4_000)),
        proven: true,
        name: Some(name.into()),
        password: None,
        args: Vec::new(),
        payload: name.as_bytes().into(),
        attributes: Vec::new(),
        one_way: None,
    }
}

/// An open room.
pub(crate) fn room() -> RoomState {
    RoomState {
        name: "main".into(),
        closed: None,
    }
}
