//! Cookies: what a client sends back to show that it receives what is sent to its address.
//!
//! Nothing is kept for one. A cookie is 32 bits of a keyed hash over the address, the port and the protocol
//! number of the first request, which the second one does not repeat. The key is new every minute, and the
//! one before it still counts, so that a cookie lives for one to two minutes; whoever guesses at the rate
//! that a fast network allows is far from certain to hit one in that time, and has then only what anyone
//! with an address has.

use rand::TryRng as _;
use rand::rngs::SysRng;
use siphasher::sip::SipHasher24;
use std::net::SocketAddrV4;
use std::time::Duration;

/// How long a key makes cookies. It takes them for as long again.
const LIFE: Duration = Duration::from_secs(60);

/// Bytes of a key.
const KEY: usize = 16;

/// Makes cookies and takes them back.
pub(super) struct Cookies {
    current: Key,
    before: Option<Key>,
    /// When the current key began.
    since: Duration,
}

/// SipHash-2-4 with a random key. It is made for short messages such as ours, and a flood of wrong cookies costs
/// a tenth of what it does with a hash that is made for long ones.
struct Key(SipHasher24);

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
        let mut secret = [0; KEY];
        SysRng
            .try_fill_bytes(&mut secret)
            .expect("a system whose generator works when it starts does not lose it afterwards");
        Key(SipHasher24::new_with_key(&secret))
    }

    fn cookie(&self, client: SocketAddrV4, protocol: u8) -> u32 {
        let [a, b, c, d] = client.ip().octets();
        let [high, low] = client.port().to_be_bytes();
        // The lower half.
        self.0.hash(&[a, b, c, d, high, low, protocol]) as u32
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
    fn the_hash_is_siphash_2_4() {
        // Of the paper's appendix: the key and the message count up.
        let key: [u8; KEY] = std::array::from_fn(|at| at as u8);
        let message: [u8; 15] = std::array::from_fn(|at| at as u8);
        let hash = SipHasher24::new_with_key(&key).hash(&message);
        assert_eq!(hash, 0xa129_ca61_49be_45e5);
    }
}
