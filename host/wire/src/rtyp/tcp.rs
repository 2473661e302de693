//! Messages inside TCP frames (section 3.2).
//!
//! Decoding takes the body of one frame, as [`Framer`](super::Framer) gives it; encoding appends a whole
//! frame, prefix included.

use super::limits::{MAX_FRAME, VERSION};
use super::malformed::Malformed;
use super::name::PlayerName;
use super::reason::{LogoutReason, RejectReason};
use super::token::SessionToken;

const LOGIN_REQUEST: u8 = 1;
const LOGIN_ACCEPTED: u8 = 2;
const LOGIN_REJECTED: u8 = 3;
const LOGOUT: u8 = 4;

/// What a client may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientMessage<'a> {
    /// Kind 1: the first and only message to log in.
    LoginRequest(LoginRequest<'a>),
    /// Kind 4: ends the session. See [`LogoutReason::as_sent_by_client`].
    Logout(LogoutReason),
}

impl<'a> ClientMessage<'a> {
    /// Decodes the body of a frame that came from a client.
    ///
    /// # Errors
    ///
    /// Whatever section 3.3 calls malformed: close the connection without an answer. A LoginRequest that is
    /// to be refused with a reason is not malformed; see [`LoginRequest::outcome`].
    pub fn decode(frame: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(frame)?;
        match fields.kind {
            LOGIN_REQUEST => LoginRequest::decode(fields).map(Self::LoginRequest),
            LOGOUT => {
                let reason = LogoutReason::from_byte(fields.u8("reason")?);
                fields.end()?;
                Ok(Self::Logout(reason))
            }
            kind @ (LOGIN_ACCEPTED | LOGIN_REJECTED) => Err(Malformed::WrongSide(kind)),
            kind => Err(Malformed::ReservedKind(kind)),
        }
    }

    /// Appends the message as one frame, prefix included.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Self::LoginRequest(LoginRequest(Login::Ours { name })) => frame(out, |body| {
                body.extend([LOGIN_REQUEST, VERSION]);
                body.extend(string_length(name).to_le_bytes());
                body.extend(name);
            }),
            Self::LoginRequest(LoginRequest(Login::Foreign { version, rest })) => {
                frame(out, |body| {
                    body.extend([LOGIN_REQUEST, version]);
                    body.extend(rest);
                })
            }
            Self::Logout(reason) => frame(out, |body| body.extend([LOGOUT, reason.byte()])),
        }
    }
}

/// A well-formed LoginRequest, not yet judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginRequest<'a>(Login<'a>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Login<'a> {
    /// Our version: the name's bytes, whatever they are.
    Ours { name: &'a [u8] },
    /// Another version, whose fields we cannot know.
    Foreign { version: u8, rest: &'a [u8] },
}

impl<'a> LoginRequest<'a> {
    /// The request of a client that speaks this version.
    #[must_use]
    pub fn new(name: &'a PlayerName) -> Self {
        Self(Login::Ours {
            name: name.as_bytes(),
        })
    }

    fn decode(mut fields: Fields<'a>) -> Result<Self, Malformed> {
        let version = fields.u8("version")?;
        if version != VERSION {
            // What follows is laid out by a version that we do not speak, so nothing in it can be malformed.
            return Ok(Self(Login::Foreign {
                version,
                rest: fields.rest,
            }));
        }
        let name = fields.string("name")?;
        fields.end()?;
        Ok(Self(Login::Ours { name }))
    }

    /// The version that the client speaks.
    #[must_use]
    pub fn version(&self) -> u8 {
        match self.0 {
            Login::Ours { .. } => VERSION,
            Login::Foreign { version, .. } => version,
        }
    }

    /// The name to log in with, or the reason to reject it with.
    ///
    /// # Errors
    ///
    /// [`RejectReason::BadVersion`] first, then [`RejectReason::BadName`]. All other reasons are the
    /// policy's, which is asked after these.
    pub fn outcome(&self) -> Result<PlayerName, RejectReason> {
        match self.0 {
            Login::Foreign { .. } => Err(RejectReason::BadVersion),
            Login::Ours { name } => PlayerName::from_bytes(name).map_err(|_| RejectReason::BadName),
        }
    }
}

/// What the server may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerMessage {
    /// Kind 2: the session exists.
    LoginAccepted {
        /// The session's token: the client puts it in every datagram.
        session: SessionToken,
        /// The player's number: 0 to 3 in a game of four.
        player: u8,
        /// The server's UDP port, on the address that the client connected to.
        udp_port: u16,
    },
    /// Kind 3: the login failed; the server closes.
    LoginRejected(RejectReason),
    /// Kind 4: the session ends. See [`LogoutReason::as_sent_by_server`].
    Logout(LogoutReason),
}

impl ServerMessage {
    /// Decodes the body of a frame that came from the server.
    ///
    /// # Errors
    ///
    /// Whatever section 3.3 calls malformed: close the connection.
    pub fn decode(frame: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(frame)?;
        let message = match fields.kind {
            LOGIN_ACCEPTED => {
                let session = fields.u32("session")?;
                let player = fields.u8("player")?;
                let udp_port = fields.u16("udp_port")?;
                let session = SessionToken::new(session).ok_or(Malformed::ZeroSession)?;
                Self::LoginAccepted {
                    session,
                    player,
                    udp_port,
                }
            }
            LOGIN_REJECTED => Self::LoginRejected(RejectReason::from_byte(fields.u8("reason")?)),
            LOGOUT => Self::Logout(LogoutReason::from_byte(fields.u8("reason")?)),
            LOGIN_REQUEST => return Err(Malformed::WrongSide(LOGIN_REQUEST)),
            kind => return Err(Malformed::ReservedKind(kind)),
        };
        fields.end()?;
        Ok(message)
    }

    /// Appends the message as one frame, prefix included.
    pub fn encode(&self, out: &mut Vec<u8>) {
        frame(out, |body| match *self {
            Self::LoginAccepted {
                session,
                player,
                udp_port,
            } => {
                body.push(LOGIN_ACCEPTED);
                body.extend(session.expose().to_le_bytes());
                body.push(player);
                body.extend(udp_port.to_le_bytes());
            }
            Self::LoginRejected(reason) => body.extend([LOGIN_REJECTED, reason.byte()]),
            Self::Logout(reason) => body.extend([LOGOUT, reason.byte()]),
        });
    }
}

/// Reads the fields of a message in order.
struct Fields<'a> {
    kind: u8,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn of(frame: &'a [u8]) -> Result<Self, Malformed> {
        if frame.len() > MAX_FRAME {
            return Err(Malformed::FrameTooLong(frame.len()));
        }
        let (&kind, rest) = frame.split_first().ok_or(Malformed::EmptyFrame)?;
        Ok(Self { kind, rest })
    }

    fn u8(&mut self, field: &'static str) -> Result<u8, Malformed> {
        self.array::<1>(field).map(|[byte]| byte)
    }

    fn u16(&mut self, field: &'static str) -> Result<u16, Malformed> {
        self.array(field).map(u16::from_le_bytes)
    }

    fn u32(&mut self, field: &'static str) -> Result<u32, Malformed> {
        self.array(field).map(u32::from_le_bytes)
    }

    fn string(&mut self, field: &'static str) -> Result<&'a [u8], Malformed> {
        let length = usize::from(self.u16(field)?);
        let (string, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(Malformed::PastEnd(field))?;
        self.rest = rest;
        Ok(string)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Malformed> {
        let (bytes, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(Malformed::PastEnd(field))?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn end(&self) -> Result<(), Malformed> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(Malformed::BytesLeft(left)),
        }
    }
}

/// Appends a frame whose body `write` appends.
fn frame(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0, 0]);
    write(out);
    let length = out.len() - start - 2;
    debug_assert!(
        length <= MAX_FRAME,
        "messages are made from frames and from names, both shorter"
    );
    out[start..start + 2].copy_from_slice(&(length as u16).to_le_bytes());
}

/// The length of a string that came out of a frame or a [`PlayerName`], so always far below 2^16.
fn string_length(bytes: &[u8]) -> u16 {
    bytes.len() as u16
}

#[cfg(test)]
mod tests;
