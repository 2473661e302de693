//! The core's words as those of the protocol.

use usher_core::SessionEnd;
use usher_runtime::Delivery;
use usher_wire::raknet::Reliability;

/// The code of a refusal for which the protocol may have a word of its own.
pub(super) const INVALID_PASSWORD: &str = "invalid-password";

/// What a player is told of its session's end; the one who ended it hears nothing of it.
pub(super) fn goodbye(how: &SessionEnd) -> &str {
    match how {
        SessionEnd::Kicked(reason) => &reason.text,
        SessionEnd::TakenOver => "You have come in from somewhere else.",
        SessionEnd::Shutdown => "The server is stopping.",
        SessionEnd::Left
        | SessionEnd::Closed
        | SessionEnd::BindTimeout
        | SessionEnd::IdleTimeout
        | SessionEnd::ProtocolError => "",
    }
}

/// How a player's message travelled, for the rules. Of a reliable sequenced one they hear that it is
/// sequenced.
pub(super) fn delivery(reliability: Reliability) -> Delivery {
    match reliability {
        Reliability::Unreliable => Delivery::Unreliable,
        Reliability::UnreliableSequenced | Reliability::ReliableSequenced => Delivery::Sequenced,
        Reliability::Reliable => Delivery::Reliable,
        Reliability::ReliableOrdered => Delivery::Ordered,
    }
}

/// How a message of the rules is to travel.
pub(super) fn reliability(delivery: Delivery) -> Reliability {
    match delivery {
        Delivery::Unreliable => Reliability::Unreliable,
        Delivery::Sequenced => Reliability::UnreliableSequenced,
        Delivery::Reliable => Reliability::Reliable,
        Delivery::Ordered => Reliability::ReliableOrdered,
    }
}
