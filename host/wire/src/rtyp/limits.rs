//! The numbers of the protocol.

/// The protocol version, in a LoginRequest and in every UDP header (section 3.2).
pub const VERSION: u8 = 1;

/// Longest body of a TCP frame, in bytes, its length prefix not counted.
pub const MAX_FRAME: usize = 512;

/// Longest player name, in bytes of UTF-8 (section 3.2).
pub const MAX_NAME: usize = 16;

/// First bytes of every datagram: ASCII `RTYP`.
pub const MAGIC: [u8; 4] = *b"RTYP";

/// Length of the UDP header, in bytes.
pub const HEADER: usize = 18;

/// Longest payload of a Data datagram, in bytes.
pub const MAX_PAYLOAD: usize = 1200;

/// Longest datagram, in bytes: header and payload.
pub const MAX_DATAGRAM: usize = HEADER + MAX_PAYLOAD;

/// Smallest buffer to receive datagrams in, in bytes.
///
/// One more than [`MAX_DATAGRAM`]: the system cuts a datagram to the buffer, and one byte of room is what
/// tells a payload over the limit from one that just fits.
pub const RECEIVE_BUFFER: usize = MAX_DATAGRAM + 1;
