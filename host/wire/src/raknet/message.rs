//! Connected messages: what the handshake, the session exchange and the end of a connection say.

#[cfg(test)]
mod tests;

use std::fmt;
use std::net::SocketAddrV4;

use super::address::{self, Addresses};
use super::dialect::Dialect;
use super::guid::Guid;
use super::limits::{MAX_PASSWORD, MAX_SESSION_PAYLOAD};
use super::malformed::Malformed;
use super::password::Password;
use super::read::Reader;

const PING: u8 = 0x00;
const PONG: u8 = 0x03;
const DETECT_LOST: u8 = 0x04;
const CONNECTION_REQUEST: u8 = 0x09;
const ACCEPTED: u8 = 0x10;
const NEW_INCOMING: u8 = 0x13;
const DISCONNECT: u8 = 0x15;
const INVALID_PASSWORD: u8 = 0x18;
const FIRST_LEFT_ALONE: u8 = 0x1b;
const SESSION_REQUEST: u8 = 0x80;
const SESSION_CONFIG: u8 = 0x81;
const SESSION_REJECTED: u8 = 0x82;
const SESSION_STATUS: u8 = 0x83;

/// A whole message, borrowed from its bytes. Times are milliseconds on their sender's clock.
///
/// `Debug` shows how long a text or a payload is, never what is in it: a session request may hold a ticket.
#[derive(Clone, Copy)]
pub enum Message<'a> {
    /// 00: answer with a pong.
    Ping {
        /// The sender's clock.
        time: u64,
    },
    /// 03: the answer, always unreliable.
    Pong {
        /// The ping's time.
        ping: u64,
        /// The answering side's clock.
        pong: u64,
    },
    /// 04: needs no answer.
    DetectLost,
    /// 09, reliable: the client's first message.
    ConnectionRequest {
        /// The client.
        guid: Guid,
        /// Its clock.
        time: u64,
        /// Its password, mostly empty.
        password: Password<'a>,
    },
    /// 10, reliable ordered on channel 0: the server's answer.
    Accepted {
        /// The client's address as the server sees it.
        client: SocketAddrV4,
        /// A number that upstream gives its slots. Clients do nothing with it.
        index: u16,
        /// The server's own addresses.
        addresses: Addresses,
        /// The time of the request.
        request_time: u64,
        /// The server's clock.
        time: u64,
    },
    /// 13, reliable ordered on channel 0: the client's answer to that.
    NewIncoming {
        /// The server's address as the client dialled it.
        server: SocketAddrV4,
        /// The client's own addresses.
        addresses: Addresses,
        /// The time of the server's answer.
        accepted_time: u64,
        /// The client's clock.
        time: u64,
    },
    /// 15, reliable ordered: the sender has gone, with a reason where the dialect has one.
    Disconnect(&'a [u8]),
    /// 18, reliable: the password was wrong. The server's guid follows, or upstream's one bit of it.
    InvalidPassword(&'a [u8]),
    /// 80, reliable ordered on channel 0, from the client: its session payload.
    SessionRequest(&'a [u8]),
    /// 81, the same, from the server: it is in, with its config.
    SessionConfig(&'a [u8]),
    /// 82: it is refused, with a reason.
    SessionRejected(&'a [u8]),
    /// 83: it waits on, with a text.
    SessionStatus(&'a [u8]),
    /// The game's: the whole message, its id included, from 1b (a timestamp) on.
    ///
    /// Ids below [`Dialect::first_application`] are of plugins of the library.
    Application(&'a [u8]),
}

impl<'a> Message<'a> {
    /// Parses a whole message.
    ///
    /// # Errors
    ///
    /// [`Malformed`], also for ids that are never inside a connection, and for session messages of more than
    /// [`MAX_SESSION_PAYLOAD`] bytes.
    pub fn parse(bytes: &'a [u8], dialect: &Dialect) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let message = match reader.u8("id")? {
            PING => Self::Ping {
                time: reader.u64("time")?,
            },
            PONG => Self::Pong {
                ping: reader.u64("ping time")?,
                pong: reader.u64("pong time")?,
            },
            DETECT_LOST => Self::DetectLost,
            CONNECTION_REQUEST => {
                let guid = reader.guid()?;
                let time = reader.u64("time")?;
                let security = reader.u8("security")?;
                if security != 0 {
                    return Err(Malformed::Value {
                        field: "security",
                        value: security.into(),
                    });
                }
                let password = Password::new(limited(&mut reader, "password", MAX_PASSWORD)?);
                Self::ConnectionRequest {
                    guid,
                    time,
                    password,
                }
            }
            ACCEPTED => {
                let client = address::read(&mut reader)?;
                let index = reader.u16("index")?;
                Self::Accepted {
                    client,
                    index,
                    addresses: Addresses::read(&mut reader, 16, dialect)?,
                    request_time: reader.u64("request time")?,
                    time: reader.u64("time")?,
                }
            }
            NEW_INCOMING => {
                let server = address::read(&mut reader)?;
                Self::NewIncoming {
                    server,
                    addresses: Addresses::read(&mut reader, 16, dialect)?,
                    accepted_time: reader.u64("accepted time")?,
                    time: reader.u64("time")?,
                }
            }
            DISCONNECT => Self::Disconnect(reader.rest()),
            INVALID_PASSWORD => Self::InvalidPassword(reader.rest()),
            id @ SESSION_REQUEST..=SESSION_STATUS if dialect.session_exchange => {
                let payload = limited(&mut reader, "session payload", MAX_SESSION_PAYLOAD)?;
                match id {
                    SESSION_REQUEST => Self::SessionRequest(payload),
                    SESSION_CONFIG => Self::SessionConfig(payload),
                    SESSION_REJECTED => Self::SessionRejected(payload),
                    _ => Self::SessionStatus(payload),
                }
            }
            FIRST_LEFT_ALONE.. => {
                reader.rest();
                Self::Application(bytes)
            }
            id => return Err(Malformed::Id(id)),
        };
        reader.end()?;
        Ok(message)
    }

    /// Appends the message's bytes. The caller keeps the limits: what is too long is written as it is.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Ping { time } => {
                out.push(PING);
                out.extend(time.to_be_bytes());
            }
            Self::Pong { ping, pong } => {
                out.push(PONG);
                out.extend(ping.to_be_bytes());
                out.extend(pong.to_be_bytes());
            }
            Self::DetectLost => out.push(DETECT_LOST),
            Self::ConnectionRequest {
                guid,
                time,
                password,
            } => {
                out.push(CONNECTION_REQUEST);
                out.extend(guid.to_bytes());
                out.extend(time.to_be_bytes());
                out.push(0);
                out.extend(password.expose());
            }
            Self::Accepted {
                client,
                index,
                addresses,
                request_time,
                time,
            } => {
                out.push(ACCEPTED);
                address::write(client, out);
                out.extend(index.to_be_bytes());
                addresses.write(out);
                out.extend(request_time.to_be_bytes());
                out.extend(time.to_be_bytes());
            }
            Self::NewIncoming {
                server,
                addresses,
                accepted_time,
                time,
            } => {
                out.push(NEW_INCOMING);
                address::write(server, out);
                addresses.write(out);
                out.extend(accepted_time.to_be_bytes());
                out.extend(time.to_be_bytes());
            }
            Self::Disconnect(reason) => tagged(DISCONNECT, reason, out),
            Self::InvalidPassword(guid) => tagged(INVALID_PASSWORD, guid, out),
            Self::SessionRequest(payload) => tagged(SESSION_REQUEST, payload, out),
            Self::SessionConfig(payload) => tagged(SESSION_CONFIG, payload, out),
            Self::SessionRejected(payload) => tagged(SESSION_REJECTED, payload, out),
            Self::SessionStatus(payload) => tagged(SESSION_STATUS, payload, out),
            Self::Application(bytes) => out.extend(bytes),
        }
    }

    /// The message's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.room());
        self.encode(&mut out);
        out
    }

    /// At least as many bytes as it has.
    fn room(&self) -> usize {
        match self {
            Self::InvalidPassword(bytes)
            | Self::Disconnect(bytes)
            | Self::SessionRequest(bytes)
            | Self::SessionConfig(bytes)
            | Self::SessionRejected(bytes)
            | Self::SessionStatus(bytes)
            | Self::Application(bytes) => 1 + bytes.len(),
            Self::ConnectionRequest { password, .. } => 18 + password.expose().len(),
            Self::Accepted { .. } | Self::NewIncoming { .. } => 168,
            Self::Ping { .. } | Self::Pong { .. } | Self::DetectLost => 17,
        }
    }
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ping { time } => write!(f, "Ping({time})"),
            Self::Pong { ping, pong } => write!(f, "Pong({ping}, {pong})"),
            Self::DetectLost => f.write_str("DetectLost"),
            Self::ConnectionRequest { guid, time, .. } => {
                write!(f, "ConnectionRequest({guid:?}, {time}, Password(…))")
            }
            Self::Accepted { client, time, .. } => write!(f, "Accepted({client}, {time})"),
            Self::NewIncoming { server, time, .. } => write!(f, "NewIncoming({server}, {time})"),
            Self::Disconnect(bytes) => write!(f, "Disconnect({} bytes)", bytes.len()),
            Self::InvalidPassword(_) => f.write_str("InvalidPassword"),
            Self::SessionRequest(bytes) => write!(f, "SessionRequest({} bytes)", bytes.len()),
            Self::SessionConfig(bytes) => write!(f, "SessionConfig({} bytes)", bytes.len()),
            Self::SessionRejected(bytes) => write!(f, "SessionRejected({} bytes)", bytes.len()),
            Self::SessionStatus(bytes) => write!(f, "SessionStatus({} bytes)", bytes.len()),
            Self::Application(bytes) => write!(f, "Application({} bytes)", bytes.len()),
        }
    }
}

fn limited<'a>(
    reader: &mut Reader<'a>,
    field: &'static str,
    limit: usize,
) -> Result<&'a [u8], Malformed> {
    let bytes = reader.rest();
    if bytes.len() <= limit {
        Ok(bytes)
    } else {
        Err(Malformed::TooLong {
            field,
            length: bytes.len(),
        })
    }
}

fn tagged(id: u8, rest: &[u8], out: &mut Vec<u8>) {
    out.push(id);
    out.extend(rest);
}
