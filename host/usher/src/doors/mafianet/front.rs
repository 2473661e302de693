//! What is said to those who have no place: all of it is answered at once, and nothing is kept.
//!
//! An answer never has more bytes than what it answers, so that nobody can have the door flood someone else;
//! but for the pong, which is limited, and for the second answer where `cookie = false`, which the protocol
//! makes a byte longer.

use super::bans::BanList;
use super::cookie::Cookies;
use super::drops::Cause;
use super::pongs::{Advertisement, Pongs};
use std::net::SocketAddrV4;
use std::time::Duration;
use usher_wire::raknet::acceptor::Opening;
use usher_wire::raknet::{Dialect, Guid, IP_UDP_HEADER, MIN_MTU, Offline, Refusal};

/// Protocols, bans, cookies and pongs.
pub(super) struct Front {
    pub(super) guid: Guid,
    /// The protocol numbers that are spoken, the most usual one first.
    pub(super) protocols: Vec<u8>,
    /// None: addresses are not proven.
    pub(super) cookies: Option<Cookies>,
    pub(super) bans: Option<BanList>,
    pub(super) pongs: Pongs,
    pub(super) advertisement: Advertisement,
}

/// How the host stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub(super) players: u32,
    /// Whether a newcomer would find a place.
    pub(super) has_room: bool,
}

/// What to do about an offline datagram.
#[derive(Debug)]
pub(super) enum Said {
    /// Nothing.
    Dropped(Cause),
    /// An answer was written.
    Answered,
    /// It asks for a place.
    Asked(Opening),
}

impl Front {
    /// Takes an offline datagram. An answer is written into `out`, which is empty.
    pub(super) fn take(
        &mut self,
        client: SocketAddrV4,
        datagram: &[u8],
        host: impl Fn() -> Standing,
        now: Duration,
        out: &mut Vec<u8>,
    ) -> Said {
        let Ok(message) = Offline::parse(datagram, self.cookies.is_some()) else {
            return Said::Dropped(Cause::Malformed);
        };
        match message {
            Offline::Ping {
                time, only_if_open, ..
            } => {
                let host = host();
                if only_if_open && !host.has_room {
                    return Said::Dropped(Cause::Full);
                }
                self.pong(client, (time, host.players), now, out)
            }
            Offline::Request1 { protocol, length } => {
                self.first(client, protocol, length, now, out)
            }
            Offline::Request2 {
                cookie, mtu, guid, ..
            } => self.second(client, (cookie, mtu, guid), now, out),
            // What only servers say.
            _ => Said::Dropped(Cause::Stray),
        }
    }

    /// Writes the answer that there is a place.
    pub(super) fn welcome(&self, opening: &Opening, out: &mut Vec<u8>) {
        let reply = Offline::Reply2 {
            guid: self.guid,
            client: opening.client,
            mtu: opening.mtu,
        };
        reply.encode(out);
    }

    /// Writes a refusal.
    pub(super) fn refuse(&self, refusal: Refusal, out: &mut Vec<u8>) -> Said {
        let guid = self.guid;
        Offline::Refused { refusal, guid }.encode(out);
        Said::Answered
    }

    fn first(
        &mut self,
        client: SocketAddrV4,
        protocol: u8,
        length: usize,
        now: Duration,
        out: &mut Vec<u8>,
    ) -> Said {
        if length < usize::from(MIN_MTU - IP_UDP_HEADER) {
            return Said::Dropped(Cause::Short);
        }
        if self.bans.as_mut().is_some_and(|bans| bans.has(client)) {
            return self.refuse(Refusal::Banned, out);
        }
        if !self.protocols.contains(&protocol) {
            let ours = self.protocols.first().copied().unwrap_or_default();
            return self.refuse(Refusal::IncompatibleProtocol(ours), out);
        }
        let cookies = self.cookies.as_mut();
        let reply = Offline::Reply1 {
            guid: self.guid,
            cookie: cookies.map(|cookies| cookies.bake(client, protocol, now)),
            mtu: Dialect::offered_mtu(length),
        };
        reply.encode(out);
        Said::Answered
    }

    fn second(
        &mut self,
        client: SocketAddrV4,
        (cookie, mtu, guid): (Option<u32>, u16, Guid),
        now: Duration,
        out: &mut Vec<u8>,
    ) -> Said {
        let protocol = match (&mut self.cookies, cookie) {
            (None, _) => self.protocols.first().copied(),
            (Some(cookies), Some(cookie)) => cookies.check(cookie, client, &self.protocols, now),
            (Some(_), None) => None,
        };
        let Some(dialect) = protocol.and_then(Dialect::of) else {
            return Said::Dropped(Cause::Cookie);
        };
        if matches!(guid.0, 0 | u64::MAX) {
            return Said::Dropped(Cause::Malformed);
        }
        if self.bans.as_mut().is_some_and(|bans| bans.has(client)) {
            return self.refuse(Refusal::Banned, out);
        }
        Said::Asked(Opening {
            dialect,
            client,
            guid,
            mtu,
        })
    }

    fn pong(
        &mut self,
        client: SocketAddrV4,
        (time, players): (u64, u32),
        now: Duration,
        out: &mut Vec<u8>,
    ) -> Said {
        if !self.pongs.may(*client.ip(), now.as_secs()) {
            return Said::Dropped(Cause::Limited);
        }
        let text = self.advertisement.text(players);
        let reply = Offline::Pong {
            time,
            guid: self.guid,
            text: text.as_bytes(),
        };
        reply.encode(out);
        Said::Answered
    }
}

#[cfg(test)]
mod tests;
