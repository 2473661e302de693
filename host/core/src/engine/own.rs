//! What the host itself claims of everyone, made once.

use crate::claim::Claim;
use crate::config::{Config, DoorConfig};
use crate::id::DoorId;
use crate::key::Key;
use crate::reason::{Reason, code};

/// The host's own claims and reasons.
#[derive(Debug)]
pub(super) struct Own {
    /// The seat that it claims for every session, by door.
    seats: Vec<Claim>,
    /// The same for a door that is not configured.
    seat: Claim,
    /// Why a room that is closed takes nobody, where nobody says why.
    pub(super) room_closed: Reason,
}

impl Own {
    pub(super) fn new(config: &Config) -> Own {
        let seat = |text| {
            let full = Reason {
                text,
                ..Reason::new(code::SERVER_FULL, "")
            };
            Claim::new(Key::server(), config.max_players, full).into_backstop()
        };
        let texts = config.doors.iter().map(|door| door.full_text.clone());
        Own {
            seats: texts.map(seat).collect(),
            seat: seat(DoorConfig::FULL_TEXT.into()),
            room_closed: Reason::new(code::ROOM_CLOSED, "The room takes no new players."),
        }
    }

    /// The seat that the host claims for a session of this door.
    pub(super) fn seat(&self, door: DoorId) -> Claim {
        self.seat_at(door).clone()
    }

    /// What a door tells someone for whom the host has no seat.
    pub(super) fn full(&self, door: DoorId) -> Reason {
        self.seat_at(door).when_full.clone()
    }

    fn seat_at(&self, door: DoorId) -> &Claim {
        self.seats.get(usize::from(door.0)).unwrap_or(&self.seat)
    }
}
