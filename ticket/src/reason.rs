//! The reasons of a refusal: a closed list of literals that clients of every engine know.

use core::fmt;
use core::str::FromStr;

/// Why a player is not let in. The order is the protocol's, and so are the literals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// There is no ticket.
    PayloadEmpty,
    /// It is longer than [`MAX_BYTES`](crate::MAX_BYTES).
    PayloadTooLarge,
    /// It is not strict UTF-8, not one JSON object, or has a key twice.
    PayloadMalformed,
    /// A field is missing, unknown, of the wrong type or out of its limits.
    PayloadInvalid,
    /// Its `v` is an integer that is not 1.
    UnsupportedVersion,
    /// This server never takes tickets of this kind.
    KindNotAccepted,
    /// The client's network protocol is not the game server's.
    ProtocolMismatch,
    /// The game has no session to join.
    NotInSession,
    /// The ticket is for another match than the one that is played here.
    AllocationMismatch,
    /// Every seat of the server is taken.
    ServerFull,
    /// There is no such hold, or it is not this player's.
    ReservationInvalid,
    /// Whether there is a hold could not be found out.
    ReservationUnverifiable,
    /// The ticket is not in the match's roster.
    NotInRoster,
    /// Every seat of the ticket, the hold or the match is taken.
    RosterFull,
    /// No backfill of that match was delivered.
    BackfillUnknown,
    /// This player is connected already.
    DuplicatePlayer,
    /// There was no decision in time.
    ApprovalTimeout,
    /// The server is shutting down.
    Stopping,
    /// The game's own rule refused, or something failed.
    RefusedByGame,
}

impl Reason {
    /// All of them, in the protocol's order.
    pub const ALL: [Reason; 19] = [
        Reason::PayloadEmpty,
        Reason::PayloadTooLarge,
        Reason::PayloadMalformed,
        Reason::PayloadInvalid,
        Reason::UnsupportedVersion,
        Reason::KindNotAccepted,
        Reason::ProtocolMismatch,
        Reason::NotInSession,
        Reason::AllocationMismatch,
        Reason::ServerFull,
        Reason::ReservationInvalid,
        Reason::ReservationUnverifiable,
        Reason::NotInRoster,
        Reason::RosterFull,
        Reason::BackfillUnknown,
        Reason::DuplicatePlayer,
        Reason::ApprovalTimeout,
        Reason::Stopping,
        Reason::RefusedByGame,
    ];

    /// The literal that goes over the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::PayloadEmpty => "payload_empty",
            Reason::PayloadTooLarge => "payload_too_large",
            Reason::PayloadMalformed => "payload_malformed",
            Reason::PayloadInvalid => "payload_invalid",
            Reason::UnsupportedVersion => "unsupported_version",
            Reason::KindNotAccepted => "kind_not_accepted",
            Reason::ProtocolMismatch => "protocol_mismatch",
            Reason::NotInSession => "not_in_session",
            Reason::AllocationMismatch => "allocation_mismatch",
            Reason::ServerFull => "server_full",
            Reason::ReservationInvalid => "reservation_invalid",
            Reason::ReservationUnverifiable => "reservation_unverifiable",
            Reason::NotInRoster => "not_in_roster",
            Reason::RosterFull => "roster_full",
            Reason::BackfillUnknown => "backfill_unknown",
            Reason::DuplicatePlayer => "duplicate_player",
            Reason::ApprovalTimeout => "approval_timeout",
            Reason::Stopping => "stopping",
            Reason::RefusedByGame => "refused_by_game",
        }
    }

    /// A sentence for the player: what happened, and what helps. Without a full stop at its end.
    pub const fn message(self) -> &'static str {
        match self {
            Reason::PayloadEmpty => "The game sent no join ticket. Restart the game and join again",
            Reason::PayloadTooLarge | Reason::PayloadMalformed | Reason::PayloadInvalid => {
                "The game sent a join ticket that this server cannot read. Update the game and join again"
            }
            Reason::UnsupportedVersion => {
                "This server is older than your game. Pick another server, or try again later"
            }
            Reason::KindNotAccepted => {
                "This server cannot be joined in this way. Pick another way to join, or another server"
            }
            Reason::ProtocolMismatch => {
                "Your game and this server are of different versions. Update the game, or pick another server"
            }
            Reason::NotInSession => {
                "No game is open on this server. Try quick play, or find a match"
            }
            Reason::AllocationMismatch => {
                "Your match has ended or moved to another server. Find a new match"
            }
            Reason::ServerFull => "The server is full. Pick another server",
            Reason::ReservationInvalid => {
                "Your reservation has run out, or is not for you on this server. Reserve a place again"
            }
            Reason::ReservationUnverifiable => {
                "The server cannot check your reservation right now. Try again"
            }
            Reason::NotInRoster => "You are not on the list of this match. Find a new match",
            Reason::RosterFull => {
                "All places of your reservation or match are taken. Find another game"
            }
            Reason::BackfillUnknown => {
                "The game that you were to join has ended or gone on without you. Find a new match"
            }
            Reason::DuplicatePlayer => {
                "You are connected to this server already. Close the other copy of the game"
            }
            Reason::ApprovalTimeout => "The server did not answer in time. Try again",
            Reason::Stopping => "The server is shutting down. Pick another server",
            Reason::RefusedByGame => "The server does not let you in",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Exactly as it is written on the wire; upper case is another word.
impl FromStr for Reason {
    type Err = UnknownReason;

    fn from_str(text: &str) -> Result<Reason, UnknownReason> {
        let mut all = Reason::ALL.into_iter();
        all.find(|reason| reason.as_str() == text)
            .ok_or(UnknownReason)
    }
}

/// A text is none of the nineteen literals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownReason;

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("that is no reason of a refused join ticket")
    }
}

impl core::error::Error for UnknownReason {}
