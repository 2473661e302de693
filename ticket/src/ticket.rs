//! A join ticket as a type that cannot be wrong: a kind, and whatever that kind must have.

use crate::kind::Kind;
use crate::secret::{ReservationId, TicketId};
use crate::text::{AllocationId, DisplayName, PlayerId};
use crate::version::ProtocolVersion;

/// What a game client presents at a door. It is well formed; whether it is true is another question.
///
/// A ticket may carry ids that its kind does not need. They are kept, and mean nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum JoinTicket {
    /// The player holds a place.
    Reservation(ReservationTicket),
    /// The player is in a match.
    Match(MatchTicket),
    /// The player was added to a match that is played.
    Backfill(BackfillTicket),
    /// The player came straight.
    Lan(LanTicket),
}

/// What every ticket says of who joins.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Joiner {
    /// The version of the game's own network protocol.
    pub protocol_version: ProtocolVersion,
    /// Who the client says it is.
    pub player_id: PlayerId,
    /// A name for other players, which may be empty.
    pub display_name: Option<DisplayName>,
}

/// A ticket of the kind `reservation`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ReservationTicket {
    /// Who joins.
    pub joiner: Joiner,
    /// The hold.
    pub reservation_id: ReservationId,
    /// Of no meaning here.
    pub ticket_id: Option<TicketId>,
    /// Of no meaning here.
    pub allocation_id: Option<AllocationId>,
}

/// A ticket of the kind `match`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MatchTicket {
    /// Who joins.
    pub joiner: Joiner,
    /// The party's matchmaking ticket.
    pub ticket_id: TicketId,
    /// The match.
    pub allocation_id: AllocationId,
    /// Of no meaning here.
    pub reservation_id: Option<ReservationId>,
}

/// A ticket of the kind `backfill`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BackfillTicket {
    /// Who joins.
    pub joiner: Joiner,
    /// The party's matchmaking ticket.
    pub ticket_id: TicketId,
    /// The backfill's own id, not that of the match that it adds to.
    pub allocation_id: AllocationId,
    /// Of no meaning here.
    pub reservation_id: Option<ReservationId>,
}

/// A ticket of the kind `lan`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LanTicket {
    /// Who joins.
    pub joiner: Joiner,
    /// Of no meaning here.
    pub reservation_id: Option<ReservationId>,
    /// Of no meaning here.
    pub ticket_id: Option<TicketId>,
    /// Of no meaning here.
    pub allocation_id: Option<AllocationId>,
}

impl JoinTicket {
    /// How the player got here.
    pub fn kind(&self) -> Kind {
        match self {
            JoinTicket::Reservation(_) => Kind::Reservation,
            JoinTicket::Match(_) => Kind::Match,
            JoinTicket::Backfill(_) => Kind::Backfill,
            JoinTicket::Lan(_) => Kind::Lan,
        }
    }

    /// What it says of who joins.
    pub fn joiner(&self) -> &Joiner {
        match self {
            JoinTicket::Reservation(ticket) => &ticket.joiner,
            JoinTicket::Match(ticket) => &ticket.joiner,
            JoinTicket::Backfill(ticket) => &ticket.joiner,
            JoinTicket::Lan(ticket) => &ticket.joiner,
        }
    }

    /// The version of the game's own network protocol: 0 to 2,147,483,647.
    pub fn protocol_version(&self) -> u32 {
        self.joiner().protocol_version.get()
    }

    /// Who the client says it is. Nothing proves it.
    pub fn player_id(&self) -> &PlayerId {
        &self.joiner().player_id
    }

    /// A name for other players, if there is one; it may be empty.
    pub fn display_name(&self) -> Option<&DisplayName> {
        self.joiner().display_name.as_ref()
    }

    /// The hold, if one is named, whether the kind needs it or not.
    pub fn reservation_id(&self) -> Option<&ReservationId> {
        match self {
            JoinTicket::Reservation(ticket) => Some(&ticket.reservation_id),
            JoinTicket::Match(ticket) => ticket.reservation_id.as_ref(),
            JoinTicket::Backfill(ticket) => ticket.reservation_id.as_ref(),
            JoinTicket::Lan(ticket) => ticket.reservation_id.as_ref(),
        }
    }

    /// The matchmaking ticket, if one is named, whether the kind needs it or not.
    pub fn ticket_id(&self) -> Option<&TicketId> {
        match self {
            JoinTicket::Reservation(ticket) => ticket.ticket_id.as_ref(),
            JoinTicket::Match(ticket) => Some(&ticket.ticket_id),
            JoinTicket::Backfill(ticket) => Some(&ticket.ticket_id),
            JoinTicket::Lan(ticket) => ticket.ticket_id.as_ref(),
        }
    }

    /// The match or the backfill, if one is named, whether the kind needs it or not.
    pub fn allocation_id(&self) -> Option<&AllocationId> {
        match self {
            JoinTicket::Reservation(ticket) => ticket.allocation_id.as_ref(),
            JoinTicket::Match(ticket) => Some(&ticket.allocation_id),
            JoinTicket::Backfill(ticket) => Some(&ticket.allocation_id),
            JoinTicket::Lan(ticket) => ticket.allocation_id.as_ref(),
        }
    }
}
