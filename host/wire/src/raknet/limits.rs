//! Numbers that the protocol fixes, and the few that are ours.

/// The 16 bytes by which an offline datagram is known.
pub const MAGIC: [u8; 16] = [
    0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78,
];

/// What IPv4 and UDP put around a payload, in bytes: the difference between an MTU and a UDP payload.
pub const IP_UDP_HEADER: u16 = 28;

/// The smallest MTU of a connection.
pub const MIN_MTU: u16 = 576;

/// The largest MTU of a connection: a MafiaNet client's receive buffer holds no more.
pub const MAX_MTU: u16 = 1400;

/// What a part's datagram may need beside the part's bytes, the IP and UDP headers included.
///
/// A message longer than `mtu - PART_OVERHEAD` bytes is sent in parts of that size.
pub const PART_OVERHEAD: u16 = 60;

/// Ordering channels of a connection: 0 to 31.
pub const CHANNELS: u8 = 32;

/// The longest payload of a session message (request, config, status, reject), in bytes.
pub const MAX_SESSION_PAYLOAD: usize = 65_536;

/// The longest text of an unconnected pong, in bytes.
pub const MAX_PONG_TEXT: usize = 399;

/// The longest password of a connection request, in bytes.
pub const MAX_PASSWORD: usize = 255;
