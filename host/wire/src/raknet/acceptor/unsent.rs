//! Why something is not sent.

use super::super::connection::SendError;

/// Why something is not sent to a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unsent {
    /// The peer is in no stage in which it could be told that.
    #[error("not in this stage")]
    WrongStage,
    /// The peer has left, or hears its last word: it is to be left to that.
    #[error("it is leaving")]
    Closing,
    /// An id that is the protocol's own, or an empty message.
    #[error("id {0:02x} is not for messages of the game")]
    Id(u8),
    /// The connection does not take it.
    #[error(transparent)]
    Refused(#[from] SendError),
}
