//! Cookies: what a client sends back to show that it receives what is sent to its address.
//!
//! Nothing is kept for one. A cookie is 32 bits of a keyed hash over the address, the port and the protocol
//! number of the first request, which the second one does not repeat. The key is new every minute, and the
//! one before it still counts, so that a cookie lives for one to two minutes; whoever guesses at the rate
//! that a fast network allows is far from certain to hit one in that time, and has then only what anyone
//! with an address has.

use rand::TryRng as _;
use rand::rngs::SysRng;
use sha2::{Digest as _, Sha256};
use std::net::SocketAddrV4;
use std::time::Duration;

/// How long a key makes cookies. It takes them for as long again.
const LIFE: Duration = Duration::from_secs(60);

/// Bytes that HMAC-SHA-256 puts before a message.
const BLOCK: usize = 64;

/// Makes cookies and takes them back.
pub(super) struct Cookies {
    current: Key,
    before: Option<Key>,
    /// When the current key began.
    since: Duration,
}

/// HMAC-SHA-256 of a random key, with all of it done that does not depend on the message.
struct Key {
    inner: Sha256,
    outer: Sha256,
}

impl Cookies {
    pub(super) fn new(now: Duration) -> Cookies {
        Cookies {
            current: Key::random(),
            before: None,
            since: now,
        }
    }

    /// The cookie of whoever sent a first request.
    pub(super) fn bake(&mut self, client: SocketAddrV4, protocol: u8, now: Duration) -> u32 {
        self.turn(now);
        self.current.cookie(client, protocol)
    }

    /// The protocol number, one of these, that this cookie was made for. None: it is not one of this
    /// address, or it is too old.
    pub(super) fn check(
        &mut self,
        cookie: u32,
        client: SocketAddrV4,
        protocols: &[u8],
        now: Duration,
    ) -> Option<u8> {
        self.turn(now);
        let keys = [Some(&self.current), self.before.as_ref()];
        let is_of = |protocol: &&u8| {
            let mut keys = keys.iter().flatten();
            keys.any(|key| key.cookie(client, **protocol) == cookie)
        };
        protocols.iter().find(is_of).copied()
    }

    fn turn(&mut self, now: Duration) {
        let age = now.saturating_sub(self.since);
        if age < LIFE {
            return;
        }
        let current = std::mem::replace(&mut self.current, Key::random());
        self.before = (age < 2 * LIFE).then_some(current);
        self.since = now;
    }
}

impl Key {
    fn random() -> Key {
        let mut secret = [0; BLOCK];
        SysRng
            .try_fill_bytes(&mut secret)
            .expect("a system whose generator works when it starts does not lose it afterwards");
        Key::new(secret)
    }

    fn new(secret: [u8; BLOCK]) -> Key {
        let padded = |with| Sha256::new_with_prefix(secret.map(|byte| byte ^ with));
        Key {
            inner: padded(0x36),
            outer: padded(0x5c),
        }
    }

    fn cookie(&self, client: SocketAddrV4, protocol: u8) -> u32 {
        let inner = self.inner.clone();
        let inner = inner
            .chain_update(client.ip().octets())
            .chain_update(client.port().to_be_bytes())
            .chain_update([protocol]);
        let mac = self.outer.clone().chain_update(inner.finalize()).finalize();
        let [a, b, c, d, ..] = <[u8; 32]>::from(mac);
        u32::from_be_bytes([a, b, c, d])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &[u8] = &[7, 6];

    fn client(text: &str) -> SocketAddrV4 {
        text.parse().unwrap()
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn a_cookie_is_of_one_address_port_and_protocol() {
        let mut cookies = Cookies::new(secs(0));
        let (here, now) = (client("192.0.2.1:4000"), secs(1));
        let seven = cookies.bake(here, 7, now);
        let six = cookies.bake(here, 6, now);
        assert_eq!(cookies.check(seven, here, BOTH, now), Some(7));
        assert_eq!(cookies.check(six, here, BOTH, now), Some(6));
        assert_eq!(cookies.check(six, here, &[7], now), None);
        for other in ["192.0.2.1:4001", "192.0.2.2:4000"] {
            assert_eq!(cookies.check(seven, client(other), BOTH, now), None);
        }
        assert_eq!(cookies.check(seven ^ 1, here, BOTH, now), None);
    }

    #[test]
    fn a_cookie_lives_for_one_to_two_minutes() {
        let mut cookies = Cookies::new(secs(0));
        let here = client("192.0.2.1:4000");
        let early = cookies.bake(here, 7, secs(0));
        let late = cookies.bake(here, 7, secs(59));
        assert_eq!(early, late);
        assert_eq!(cookies.check(late, here, BOTH, secs(60)), Some(7));
        assert_eq!(cookies.check(late, here, BOTH, secs(119)), Some(7));
        assert_eq!(cookies.check(late, here, BOTH, secs(120)), None);
        let next = cookies.bake(here, 7, secs(120));
        assert_eq!(
            cookies.check(next, here, BOTH, secs(1_000)),
            None,
            "a long silence"
        );
    }

    #[test]
    fn the_hash_is_hmac_sha_256() {
        // RFC 4231, test case 2, is of a key of four bytes, which HMAC fills up with zeros.
        let mut secret = [0; BLOCK];
        secret[..4].copy_from_slice(b"Jefe");
        let key = Key::new(secret);
        let inner = key
            .inner
            .clone()
            .chain_update(b"what do ya want for nothing?");
        let mac = key.outer.clone().chain_update(inner.finalize()).finalize();
        assert_eq!(mac[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    }
}
