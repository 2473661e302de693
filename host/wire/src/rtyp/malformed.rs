//! What makes a TCP stream malformed.

use super::limits::MAX_FRAME;

/// A frame or message that the specification does not allow (section 3.3).
///
/// There is one answer to all of them: close the connection, and send nothing. The cause is for the log
/// and for the counters, never for the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The length prefix is zero, so there is no kind.
    #[error("a frame of zero bytes")]
    EmptyFrame,
    /// The length prefix is above [`MAX_FRAME`].
    #[error("a frame of {0} bytes, the limit is {MAX_FRAME}")]
    FrameTooLong(usize),
    /// Kind 0 or 5 to 255.
    #[error("message kind {0} is reserved")]
    ReservedKind(u8),
    /// A kind of the specification that its sender may never send.
    #[error("message kind {0} does not come from this side")]
    WrongSide(u8),
    /// The frame ends before this field does.
    #[error("the frame ends inside the field `{0}`")]
    PastEnd(&'static str),
    /// This many bytes follow the last field.
    #[error("{0} bytes left after the last field")]
    BytesLeft(usize),
    /// A LoginAccepted with session 0, which the server must not issue (section 3.2).
    #[error("session 0 in a LoginAccepted")]
    ZeroSession,
}
