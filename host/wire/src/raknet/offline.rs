//! Offline messages: what is said before there is a connection.

#[cfg(test)]
mod tests;

use std::net::SocketAddrV4;

use super::address;
use super::guid::Guid;
use super::limits::{MAGIC, MAX_PONG_TEXT};
use super::malformed::Malformed;
use super::read::Reader;

const PING: u8 = 0x01;
const PING_OPEN: u8 = 0x02;
const REQUEST_1: u8 = 0x05;
const REPLY_1: u8 = 0x06;
const REQUEST_2: u8 = 0x07;
const REPLY_2: u8 = 0x08;
const INCOMPATIBLE: u8 = 0x19;
const PONG: u8 = 0x1c;

/// An offline message, borrowed from its datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offline<'a> {
    /// 01, or 02: is there a server?
    Ping {
        /// The sender's clock, in milliseconds.
        time: u64,
        /// The sender.
        guid: Guid,
        /// 02: only a server that would admit a newcomer answers.
        only_if_open: bool,
    },
    /// 1c: there is.
    Pong {
        /// The ping's time.
        time: u64,
        /// The server.
        guid: Guid,
        /// What the server says of itself: up to [`MAX_PONG_TEXT`] bytes.
        text: &'a [u8],
    },
    /// 05: the first request. Its length is what it asks: does a datagram of this size arrive?
    Request1 {
        /// The sender's protocol number.
        protocol: u8,
        /// Bytes of the whole datagram, the padding included.
        length: usize,
    },
    /// 06: the answer to it, which costs the server nothing.
    Reply1 {
        /// The server.
        guid: Guid,
        /// What the second request is to carry back, to prove the address.
        cookie: Option<u32>,
        /// The MTU that arrived.
        mtu: u16,
    },
    /// 07: the second request.
    Request2 {
        /// What [`Offline::Reply1`] gave.
        cookie: Option<u32>,
        /// The server's address as the client dialled it.
        dialled: SocketAddrV4,
        /// The MTU that the client wants.
        mtu: u16,
        /// The client.
        guid: Guid,
    },
    /// 08: there is a place, the connection begins.
    Reply2 {
        /// The server.
        guid: Guid,
        /// The client's address as the server sees it.
        client: SocketAddrV4,
        /// The MTU, as the second request had it.
        mtu: u16,
    },
    /// A refusal. It carries no text.
    Refused {
        /// Which.
        refusal: Refusal,
        /// The server.
        guid: Guid,
    },
}

/// Why a server refuses a request, as the id that a client reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// 11: no reason given.
    AttemptFailed,
    /// 12: the address or the guid has a connection.
    AlreadyConnected,
    /// 14: no room.
    Full,
    /// 17: banned.
    Banned,
    /// 19: the protocol number is not this one of ours.
    IncompatibleProtocol(u8),
    /// 1a: too soon after the last attempt.
    RecentlyConnected,
}

impl Refusal {
    /// The message id.
    #[must_use]
    pub const fn id(self) -> u8 {
        match self {
            Self::AttemptFailed => 0x11,
            Self::AlreadyConnected => 0x12,
            Self::Full => 0x14,
            Self::Banned => 0x17,
            Self::IncompatibleProtocol(_) => INCOMPATIBLE,
            Self::RecentlyConnected => 0x1a,
        }
    }

    fn plain(id: u8) -> Option<Self> {
        [
            Self::AttemptFailed,
            Self::AlreadyConnected,
            Self::Full,
            Self::Banned,
            Self::RecentlyConnected,
        ]
        .into_iter()
        .find(|refusal| refusal.id() == id)
    }
}

impl<'a> Offline<'a> {
    /// Parses a datagram that [`classify`](super::classify()) calls offline.
    ///
    /// `cookie` says whether a second request carries one: whether the server's first reply gave one.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: the datagram is to be dropped, without an answer.
    pub fn parse(datagram: &'a [u8], cookie: bool) -> Result<Self, Malformed> {
        let mut reader = Reader::new(datagram);
        let message = match reader.u8("id")? {
            id @ (PING | PING_OPEN) => {
                let time = reader.u64("time")?;
                reader.magic()?;
                Self::Ping {
                    time,
                    guid: reader.guid()?,
                    only_if_open: id == PING_OPEN,
                }
            }
            PONG => {
                let time = reader.u64("time")?;
                let guid = reader.guid()?;
                reader.magic()?;
                let text = reader.rest();
                if text.len() > MAX_PONG_TEXT {
                    return Err(Malformed::TooLong {
                        field: "text",
                        length: text.len(),
                    });
                }
                Self::Pong { time, guid, text }
            }
            REQUEST_1 => {
                reader.magic()?;
                let protocol = reader.u8("protocol")?;
                reader.rest();
                Self::Request1 {
                    protocol,
                    length: datagram.len(),
                }
            }
            REPLY_1 => {
                reader.magic()?;
                let guid = reader.guid()?;
                let cookie = match reader.u8("security")? {
                    0 => None,
                    1 => Some(reader.u32("cookie")?),
                    value => return Err(security(value)),
                };
                Self::Reply1 {
                    guid,
                    cookie,
                    mtu: reader.u16("mtu")?,
                }
            }
            REQUEST_2 => {
                reader.magic()?;
                let cookie = if cookie {
                    let cookie = reader.u32("cookie")?;
                    match reader.u8("challenge")? {
                        0 => Some(cookie),
                        value => return Err(security(value)),
                    }
                } else {
                    None
                };
                Self::Request2 {
                    cookie,
                    dialled: address::read(&mut reader)?,
                    mtu: reader.u16("mtu")?,
                    guid: reader.guid()?,
                }
            }
            REPLY_2 => {
                reader.magic()?;
                let guid = reader.guid()?;
                let client = address::read(&mut reader)?;
                let mtu = reader.u16("mtu")?;
                match reader.u8("security")? {
                    0 => Self::Reply2 { guid, client, mtu },
                    value => return Err(security(value)),
                }
            }
            INCOMPATIBLE => {
                let refusal = Refusal::IncompatibleProtocol(reader.u8("protocol")?);
                reader.magic()?;
                Self::Refused {
                    refusal,
                    guid: reader.guid()?,
                }
            }
            id => {
                let refusal = Refusal::plain(id).ok_or(Malformed::Id(id))?;
                reader.magic()?;
                Self::Refused {
                    refusal,
                    guid: reader.guid()?,
                }
            }
        };
        reader.end()?;
        Ok(message)
    }

    /// Appends the datagram's bytes. A pong's text is cut to [`MAX_PONG_TEXT`] bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Ping {
                time,
                guid,
                only_if_open,
            } => {
                out.push(if only_if_open { PING_OPEN } else { PING });
                out.extend(time.to_be_bytes());
                out.extend(MAGIC);
                out.extend(guid.to_bytes());
            }
            Self::Pong { time, guid, text } => {
                out.push(PONG);
                out.extend(time.to_be_bytes());
                out.extend(guid.to_bytes());
                out.extend(MAGIC);
                out.extend(&text[..text.len().min(MAX_PONG_TEXT)]);
            }
            Self::Request1 { protocol, length } => {
                let start = out.len();
                out.push(REQUEST_1);
                out.extend(MAGIC);
                out.push(protocol);
                out.resize(start + length.max(1 + MAGIC.len() + 1), 0);
            }
            Self::Reply1 { guid, cookie, mtu } => {
                out.push(REPLY_1);
                out.extend(MAGIC);
                out.extend(guid.to_bytes());
                out.push(u8::from(cookie.is_some()));
                out.extend(cookie.map(u32::to_be_bytes).into_iter().flatten());
                out.extend(mtu.to_be_bytes());
            }
            Self::Request2 {
                cookie,
                dialled,
                mtu,
                guid,
            } => {
                out.push(REQUEST_2);
                out.extend(MAGIC);
                if let Some(cookie) = cookie {
                    out.extend(cookie.to_be_bytes());
                    out.push(0);
                }
                address::write(dialled, out);
                out.extend(mtu.to_be_bytes());
                out.extend(guid.to_bytes());
            }
            Self::Reply2 { guid, client, mtu } => {
                out.push(REPLY_2);
                out.extend(MAGIC);
                out.extend(guid.to_bytes());
                address::write(client, out);
                out.extend(mtu.to_be_bytes());
                out.push(0);
            }
            Self::Refused { refusal, guid } => {
                out.push(refusal.id());
                if let Refusal::IncompatibleProtocol(ours) = refusal {
                    out.push(ours);
                }
                out.extend(MAGIC);
                out.extend(guid.to_bytes());
            }
        }
    }
}

/// Keys and signatures of secured builds, which this side does not have.
fn security(value: u8) -> Malformed {
    Malformed::Value {
        field: "security",
        value: value.into(),
    }
}
