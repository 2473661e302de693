//! What the first datagram of a connection has to be.

use super::super::datagram::Datagram;
use super::super::dialect::Dialect;
use super::super::malformed::Malformed;
use super::super::message::Message;

/// Whether a datagram begins with a request to connect.
pub(super) fn asks_to_connect(datagram: &[u8], dialect: &Dialect) -> Result<bool, Malformed> {
    let Datagram::Data { mut frames, .. } = Datagram::parse(datagram)? else {
        return Ok(false);
    };
    let Some(first) = frames.next().transpose()? else {
        return Ok(false);
    };
    let first = Message::parse(first.bytes, dialect)?;
    Ok(matches!(first, Message::ConnectionRequest { .. }))
}
